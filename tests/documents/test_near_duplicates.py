"""Records that may be one document."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tarstop_core.documents.duplicates import merge_records
from tarstop_core.documents.merging import near_duplicates
from tarstop_core.documents.records import as_records

TITLE = "Accuracy of ultrasound for the diagnosis of appendicitis in children"


def pair(first: dict[str, str], second: dict[str, str]) -> list[str]:
    """Why two records are near duplicates; nothing where they are not."""
    columns = sorted({*first, *second} | {"title"})
    rows = [{"title": TITLE, **each} for each in (first, second)]
    frame = as_records({"id": ["a", "b"], **{name: [row.get(name, "") for row in rows] for name in columns}})
    return [match.why for match in near_duplicates(frame)]


ABSTRACT = "We studied ultrasound in one hundred children with suspected appendicitis and found it accurate."
OTHER = "A reply to the authors concerning numbers in their second table which do not add up."


@pytest.mark.parametrize(
    ("first", "second", "why"),
    [
        ({"date": "2010"}, {"date": "2011"}, ["same title; year 2010 and 2011"]),
        ({"authors": "Lee, A"}, {"authors": "Ray, B"}, ["same title; first authors differ"]),
        ({}, {"title": "[Accuracy of ultrasound for the diagnosis of appendicitis in children.]"}, ["same title"]),
        ({}, {"title": TITLE.replace("ultrasound", "ultrasonund")}, ["nearly the same title"]),
        ({}, {"title": TITLE.replace("appendicitis", "apendicitis")}, ["nearly the same title"]),
        ({"title": f"{TITLE} 1"}, {"title": f"{TITLE} 2"}, []),
        ({"title": f"{TITLE}: part I"}, {"title": f"{TITLE}: part II"}, []),
        ({}, {"title": TITLE.replace("children", "elderly people")}, []),
        ({"pmid": "7"}, {"pmid": "8"}, []),
        ({"publication_number": "EP1234567A1"}, {"publication_number": "US1234567A1"}, []),
        ({"doi": "10.1000/1"}, {"doi": "10.1000/2"}, ["same title; DOIs differ"]),
        ({"doi": "10.1000/1", "authors": "Lee, A"}, {"doi": "10.1000/2", "authors": "Ray, B"}, []),
        ({"doi": "10.1000/1", "abstract": ABSTRACT}, {"doi": "10.1000/2", "abstract": OTHER}, []),
        ({"title": "Editorial"}, {"title": "Editorial."}, []),
        ({"title": "Reply to the letter of Lee and others"}, {"title": "Reply to the letter of Lee and others"}, []),
        ({"title": "Editorial", "abstract": ABSTRACT}, {"title": "Editorial", "abstract": ABSTRACT}, ["same title"]),
        ({"title": "Editorial", "authors": "White, C.", "date": "2010"}, {"title": "Editorial", "authors": "White C", "date": "2010-05"}, ["same title, first author and year"]),
        ({"title": "Editorial", "authors": "White, C.", "date": "2010"}, {"title": "Editorial", "authors": "White C", "date": "2018"}, []),
        ({"title": "Editorial", "authors": "White, C.", "date": "2010", "abstract": ABSTRACT}, {"title": "Editorial", "authors": "White C", "date": "2010", "abstract": OTHER}, []),
        ({"title": f"Erratum: {TITLE}"}, {}, []),
        ({"abstract": ABSTRACT}, {"abstract": OTHER}, ["same title; abstracts differ"]),
    ],
)  # fmt: skip
def test_which_pairs_are_proposed(first: dict[str, str], second: dict[str, str], why: list[str]) -> None:
    assert pair(first, second) == why


def test_groups_point_to_the_first_and_never_join_what_contradicts() -> None:
    frame = as_records(
        {"id": list("abc"), "title": [TITLE] * 3, "date": ["2010", "2011", "2012"], "pmid": ["7", "", "8"]}
    )
    # The second may be the first; the third contradicts the two together.
    assert [(match.kept, match.other) for match in near_duplicates(frame)] == [(0, 1)]


def test_a_title_that_many_records_share_says_nothing() -> None:
    count = 30
    frame = as_records(
        {"id": [str(at) for at in range(count)], "title": ["Display device and its driving method"] * count}
    )
    assert near_duplicates(frame) == ()


titles = st.lists(
    st.lists(
        st.sampled_from("accuracy mast fold wind kettle lid hinge antenna signal 2 ii".split()), max_size=9
    ).map(" ".join),
    max_size=12,
)


@given(titles)
def test_no_record_is_proposed_twice_and_rows_are_in_order(given_titles: list[str]) -> None:
    frame = as_records({"id": [str(at) for at in range(len(given_titles))], "title": given_titles})
    found = near_duplicates(frame)
    others = [match.other for match in found]
    assert len(set(others)) == len(others) and others == sorted(others)
    assert all(match.kept < match.other for match in found)
    assert near_duplicates(merge_records([frame]).frame) == found


def test_typing_errors_are_found_among_many() -> None:
    chance = random.Random(4)
    words = ["".join(chance.choices("etaoinshrdlucm", k=chance.randint(3, 11))) for _ in range(3_000)]
    given_titles = [" ".join(chance.choices(words, k=chance.randint(7, 15))) for _ in range(3_000)]
    wrong = []
    for title in given_titles[:200]:
        at = chance.randrange(1, len(title) - 1)
        wrong.append(title[:at] + title[at + 1 :] if title[at] != " " else f"{title}s")
    frame = as_records({"id": [str(at) for at in range(3_200)], "title": given_titles + wrong})
    found = {(match.kept, match.other) for match in near_duplicates(frame)}
    assert len(found & {(at, 3_000 + at) for at in range(200)}) > 190
    assert len(found) <= 200


def test_one_publication_number_with_another_kind_code_is_proposed_as_one_document() -> None:
    numbers = ["EP 1234567 B1", "US2010000001A1", "EP1234567A1", "EP1234568A1", "US8000000B2", ""]
    frame = as_records(
        {
            "id": list("abcdef"),
            "title": ["Mast with a hinge", "Kettle", "Antenna mast", "Antenna mast", "Kettle", ""],
            "publication_number": numbers,
            "date": ["2012-05-02", "2010-01-07", "2009-11-04", "2009-11-04", "2013", ""],
            "abstract": ["", "Boils.", "It folds.", "", "", ""],
        }
    )
    (match,) = near_duplicates(frame)
    assert (match.kept, match.other, match.kind) == (0, 2, "near")
    assert match.why == "same publication number, other kind code: EP1234567B1 and EP1234567A1"
    assert merge_records([frame]).duplicates == 0, "a person decides"
    merged = merge_records([frame], [match]).frame
    assert merged["id"].tolist() == ["a", "b", "d", "e", "f"]
    kept = merged.iloc[0]
    assert (kept["publication_number"], kept["date"]) == ("EP1234567A1", "2009-11-04"), "known since then"
    assert (kept["title"], kept["abstract"]) == ("Mast with a hinge", "It folds.")
