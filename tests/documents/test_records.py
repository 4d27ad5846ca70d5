"""The table of records: text, fingerprint, merging and what an order says."""

import random

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tarstop_core.documents.duplicates import (
    contradicting,
    first_of_each,
    is_distinctive,
    merge_records,
    normal_title,
    texts_agree,
    unique_ids,
)
from tarstop_core.documents.records import (
    RECORD_COLUMNS,
    as_records,
    normal_doi,
    normal_pmid,
    normal_publication_number,
    ranking_text,
    records_hash,
)
from tarstop_core.errors import InputProblem
from tarstop_core.ranking.order import order_hint


def test_empty_table_has_every_column_and_type() -> None:
    frame = as_records({"id": []})
    assert tuple(frame.columns) == RECORD_COLUMNS
    assert frame["score"].dtype == "float64"
    assert all(frame[column].dtype == "str" for column in RECORD_COLUMNS if column != "score")


@pytest.mark.parametrize(
    ("columns", "sentence"),
    [
        ({"title": ["x"]}, "needs the column id"),
        ({"id": ["a"], "colour": ["red"]}, "no column named colour"),
        ({"id": ["a", ""]}, "Record 2 has no id"),
        ({"id": ["a", "a"]}, "The id a occurs twice"),
    ],
)
def test_invalid_tables_are_refused(columns: dict[str, list[str]], sentence: str) -> None:
    with pytest.raises(InputProblem, match=sentence):
        as_records(columns)


def test_title_is_not_repeated() -> None:
    frame = as_records(
        {
            "id": ["a", "b", "c", "d"],
            "title": ["Hinge", "Mast", "Pole", "A hinge  of steel"],
            "abstract": ["Hinge with a pin.", "A hinge.", "", "A hinge of\nsteel has a pin."],
        }
    )
    assert ranking_text(frame)[:3] == ["Hinge with a pin.", "Mast A hinge.", "Pole"]
    assert ranking_text(frame)[3].split() == "A hinge of steel has a pin.".split()


def test_hash_sees_content_and_order_but_not_file_names() -> None:
    frame = as_records({"id": ["a", "b"], "title": ["x", "y"], "source": ["1.csv", "1.csv"]})
    assert records_hash(frame) == records_hash(frame.assign(source="2.csv"))
    assert records_hash(frame) == records_hash(frame.astype({"title": object}))
    assert records_hash(frame) != records_hash(frame.iloc[::-1])
    assert records_hash(frame) != records_hash(frame.assign(score=[1.0, 2.0]))
    assert records_hash(frame) != records_hash(frame.assign(title=["xy", ""]))
    assert records_hash(frame) != records_hash(frame.assign(title="", abstract=["x", "y"]))


@pytest.mark.parametrize(
    ("written", "normal"),
    [
        ("10.1000/X", "10.1000/x"),
        ("https://doi.org/10.1000/X", "10.1000/x"),
        ("DOI: 10.1000/x.", "10.1000/x"),
        ("http://dx.doi.org/10.1000/x", "10.1000/x"),
        ("n/a", ""),
        ("-", ""),
        ("", ""),
    ],
)
def test_doi(written: str, normal: str) -> None:
    assert normal_doi(written) == normal


def test_pmid_and_publication_number() -> None:
    assert [normal_pmid(v) for v in ("12", "PMID:12", "12.0", "012", "0", "PMC12", "")] == [
        "12",
        "12",
        "12",
        "12",
        "",
        "",
        "",
    ]
    assert normal_publication_number("us-2020 123456 a1") == "US2020123456A1"
    assert normal_publication_number("US-123456-A1") != normal_publication_number("US-123456-B2")
    assert normal_publication_number("none") == ""


def test_merge_fills_blanks_and_joins_sources() -> None:
    one = as_records(
        {"id": ["a", "b"], "title": ["Hinge", "Mast"], "doi": ["10.1000/1", ""], "source": ["x.csv"] * 2}
    )
    two = as_records(
        {
            "id": ["c", "d"],
            "title": ["HINGE", "Pole"],
            "abstract": ["Pin.", "Rod."],
            "doi": ["https://doi.org/10.1000/1", "10.1000/2"],
            "score": [0.5, 0.4],
            "source": ["y.ris"] * 2,
        }
    )
    merged = merge_records([one, two])
    assert merged.duplicates == 1
    assert merged.frame["id"].tolist() == ["a", "b", "d"]
    first = merged.frame.iloc[0]
    assert (first["title"], first["abstract"], first["score"]) == ("Hinge", "Pin.", 0.5)
    assert merged.frame["source"].tolist() == ["x.csv; y.ris", "x.csv", "y.ris"]
    assert "1 duplicate record " in merged.notes[0]
    assert merged.frame.equals(as_records(merged.frame))


def test_merge_joins_what_a_third_record_links() -> None:
    merged = merge_records(
        [as_records({"id": ["a", "b", "c"], "doi": ["10.1000/1", "", "10.1000/1"], "pmid": ["", "7", "7"]})]
    )
    assert merged.frame["id"].tolist() == ["a"]
    assert merged.frame.loc[0, "pmid"] == "7"
    assert merged.duplicates == 2


def test_merge_keeps_documents_that_another_identifier_tells_apart() -> None:
    frame = as_records({"id": ["a", "b"], "doi": ["10.1000/supplement"] * 2, "pmid": ["7", "8"]})
    assert merge_records([frame]).duplicates == 0


def test_merge_keeps_both_of_a_clashing_id() -> None:
    one = as_records({"id": ["d1", "d2"], "title": ["Hinge", "Mast"]})
    two = as_records({"id": ["d1", "d2"], "title": ["Pole", "Mast"]})
    merged = merge_records([one, two])
    assert merged.frame["id"].tolist() == ["d1", "d2", "d1 (2)"]
    assert merged.duplicates == 1
    assert 'share the id d1; the later one is now "d1 (2)"' in merged.notes[-1]


def test_merge_counts_disagreeing_labels() -> None:
    frame = as_records({"id": ["a", "b"], "pmid": ["7", "7"], "label": ["relevant", "not relevant"]})
    merged = merge_records([frame])
    assert merged.frame["label"].tolist() == ["relevant"]
    assert any("different labels" in note for note in merged.notes)


def test_merge_of_nothing() -> None:
    assert merge_records([]).frame.equals(as_records({"id": []}))


rows = st.lists(
    st.tuples(
        st.sampled_from("abc"),
        st.sampled_from(["", "10.1000/1", "10.1000/2"]),
        st.sampled_from(["", "1", "2"]),
    ),
    max_size=12,
)


@given(rows, st.integers(0, 12))
def test_merging_loses_no_identifier_and_settles(table: list[tuple[str, str, str]], cut: int) -> None:
    frames = [
        as_records(
            {
                "id": unique_ids([row[0] for row in part])[0],
                "doi": [row[1] for row in part],
                "pmid": [row[2] for row in part],
                "title": ["t"] * len(part),
                "abstract": [str(row) for row in part],
            }
        )
        for part in (table[:cut], table[cut:])
    ]
    merged = merge_records(frames)
    assert len(merged.frame) + merged.duplicates == len(table)
    for column, at in (("doi", 1), ("pmid", 2)):
        assert set(merged.frame[column]) - {""} == {row[at] for row in table} - {""}
    assert merge_records([merged.frame]).frame["id"].is_unique
    assert merged.frame.equals(as_records(merged.frame))


@given(st.lists(st.sampled_from(["a", "a (2)", "a (3)", "b"])))
def test_unique_ids(ids: list[str]) -> None:
    unique, renamed = unique_ids(ids)
    assert len(set(unique)) == len(ids)
    assert len(renamed) == sum(old != new for old, new in zip(ids, unique, strict=True))
    assert len(renamed) == len(ids) - len(set(ids))


def listed(dates: list[str] | None = None, titles: list[str] | None = None) -> pd.DataFrame:
    count = len(dates or titles or [])
    return as_records(
        {
            "id": [str(number) for number in range(count)],
            "date": dates or [""] * count,
            "title": titles or [""] * count,
        }
    )


MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()


@pytest.mark.parametrize(
    "dates",
    [
        [str(2020 - n) for n in range(8)],
        [f"{2020 - n // 3}" for n in range(30)],
        [f"2020-{12 - n:02d}-15" for n in range(12)],
        [f"2020 {MONTHS[11 - n]} 3" for n in range(12)],
        [f"{MONTHS[11 - n]} 2020" for n in range(12)],
        [f"2020{12 - n:02d}03" for n in range(12)],
        [f"{2020 - n}/05/01/" for n in range(8)] + ["", "2012"],
        [f"3/{n % 12 + 1}/{2020 - n}" for n in range(9)],
    ],
)
def test_newest_first_is_noticed(dates: list[str]) -> None:
    assert order_hint(listed(dates)) == (
        "This list is sorted by date, newest first, so its order probably says nothing about relevance."
    )
    reverse = order_hint(listed(dates[::-1]))
    assert reverse is not None and "oldest first" in reverse


def test_titles_in_alphabetical_order_are_noticed() -> None:
    titles = ['"Arm', "a bolt", "Écrou", "The Gear", "hinge", "Joint", "Knob", "Lever", "Mast"]
    hint = order_hint(listed(titles=titles))
    assert hint is not None and "by title, from A to Z" in hint
    hint = order_hint(listed(titles=titles[::-1]))
    assert hint is not None and "from Z to A" in hint


@pytest.mark.parametrize(
    "dates",
    [
        [str(2020 - n) for n in range(7)],  # too short
        ["2020"] * 50,  # no order at all
        ["2020"] * 7 + ["2021"],  # one in four random orders looks like this
        [str(2020 - n) for n in range(8)] + [""] * 8,  # half unknown
        [str(2000 + n * 7 % 20) for n in range(20)],
        ["soon"] * 20,
    ],
)
def test_other_orders_are_not_judged(dates: list[str]) -> None:
    assert order_hint(listed(dates)) is None


def test_a_random_order_is_hardly_ever_called_sorted() -> None:
    chance = random.Random(3)
    hints = [order_hint(listed([f"{chance.choice((1, 2))}900" for _ in range(8)])) for _ in range(100)]
    assert sum(hint is not None for hint in hints) <= 1


def test_what_speaks_for_one_document_and_what_against() -> None:
    assert contradicting({"doi": "10.1000/1", "pmid": "7"}, {"doi": "10.1000/1", "pmid": "8"}) == ["pmid"]
    assert normal_title("  The <i>E. coli</i>-Test: a na\u00efve view.") == "the e coli test a naive view"
    assert is_distinctive("the effect of x on y") and not is_distinctive("erratum to the effect of x on y")
    assert texts_agree("It folds at a hinge.", "")
    assert not texts_agree("It folds at a hinge.", "A kettle with a lid.")


def test_rows_are_linked_through_others() -> None:
    assert first_of_each(5, [(1, 3), (4, 3)]).tolist() == [0, 1, 2, 1, 1]
