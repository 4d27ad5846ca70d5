"""What is merged is what a person chose."""

import pandas as pd

from tarstop_core.documents.merging import as_stored, merge_as_chosen, merging_counts, propose
from tarstop_core.documents.records import as_records

TITLE = "Accuracy of ultrasound for the diagnosis of appendicitis"
ONE = as_records(
    {
        "id": ["a", "b", "c"],
        "title": [TITLE, "Kettle", TITLE],
        "date": ["2010", "2011", "2012"],
        "doi": ["10.1000/1", "10.1000/2", ""],
        "source": ["one.csv"] * 3,
    }
)
TWO = as_records(
    {
        "id": ["d", "e"],
        "title": [TITLE, "Editorial"],
        "abstract": ["Accurate.", ""],
        "doi": ["https://doi.org/10.1000/1", ""],
        "source": ["two.ris"] * 2,
    }
)


def test_the_same_are_merged_and_near_ones_proposed() -> None:
    proposal = propose([ONE, TWO])
    assert [(match.kept, match.other, match.kind, match.why) for match in proposal.matches] == [
        (0, 3, "exact", "same DOI"),
        (0, 2, "near", "same title; year 2010 and 2012"),
    ]
    assert proposal.by_default == {0}
    merge = merge_as_chosen([ONE, TWO], proposal, {0})
    assert merge is proposal.merge
    assert merge.frame["id"].tolist() == ["a", "b", "c", "e"]
    assert merge.frame.loc[0, "abstract"] == "Accurate."
    assert merge.rows.tolist() == [0, 1, 2, 4]


def test_a_person_may_untick_and_tick() -> None:
    proposal = propose([ONE, TWO])
    apart = merge_as_chosen([ONE, TWO], proposal, set())
    assert (apart.duplicates, apart.frame["id"].tolist()) == (0, ["a", "b", "c", "d", "e"])
    both = merge_as_chosen([ONE, TWO], proposal, {0, 1})
    assert (both.duplicates, both.frame["id"].tolist()) == (2, ["a", "b", "e"])
    assert both.frame.loc[0, "source"] == "one.csv; two.ris"
    only = merge_as_chosen([ONE, TWO], proposal, {1})
    assert only.frame["id"].tolist() == ["a", "b", "d", "e"]


def test_a_document_kept_apart_takes_no_other_with_it() -> None:
    """The third shares something only with the second, which is kept apart; it is merged as ticked all the same."""
    table = as_records(
        {"id": list("abc"), "title": ["One", "Two", "Three"], "doi": ["10.1000/1", "10.1000/1", ""]}
        | {"pmid": ["", "12345", "12345"]}
    )
    proposal = propose([table])
    assert [(match.kept, match.other) for match in proposal.matches] == [(0, 1), (0, 2)]
    merge = merge_as_chosen([table], proposal, {1})
    assert (merge.duplicates, merge.frame["id"].tolist()) == (1, ["a", "b"])


def test_the_number_of_a_row_identifies_nothing_and_empty_abstracts_do_not_agree() -> None:
    def table(name: str, first: str, author: str, year: str, abstract: str = "") -> pd.DataFrame:
        known = {"title": ["Editorial"], "authors": [author], "date": [year], "abstract": [abstract]}
        return as_records({"id": [first], **known, "source": [name]})

    bib, ris = table("a.bib", "white", "White, C.", "2010"), table("a.ris", "row 3", "Green, E.", "2018")
    csv = table("a.csv", "row 3", "White C", "2010")
    proposal = propose([bib, ris, csv])
    assert [(match.kept, match.other, match.kind) for match in proposal.matches] == [(0, 2, "near")]
    assert proposal.merge.duplicates == 0
    numbered = propose([table("a.csv", "3", "", "2018"), table("b.csv", "3", "", "2010")])
    assert not numbered.matches
    [twice] = propose([table("a.csv", "W77", "", ""), table("b.csv", "W77", "", "")]).matches
    assert (twice.kind, twice.why) == ("exact", "same identifier and title")
    text = "One text in two files."
    [twice] = propose([table("a.csv", "3", "", "", text), table("b.csv", "3", "", "", text)]).matches
    assert (twice.kind, twice.why) == ("exact", "same title and abstract")
    telling = table("a.ris", "row 3", "", "").assign(title="Imaging of the infant hip by sound")
    [twice] = propose([telling, telling]).matches
    assert (twice.kind, twice.why) == ("exact", "same row, title, authors and date"), "one file given twice"
    assert propose([telling, telling.assign(id="row 4")]).merge.duplicates == 0
    assert propose([ris, ris]).merge.duplicates == 1 and not propose([csv, csv.assign(date="2011")]).matches


def test_what_was_chosen_is_counted() -> None:
    proposal = propose([ONE, TWO])
    assert as_stored(proposal, {1}) == {"merging": {"same": 0, "apart": 1, "together": 1, "near": 0}}
    counts = merging_counts([{"source": "one.csv", "repeated": 2}, as_stored(proposal, {1})])
    assert +counts == {"repeated": 2, "together": 1, "apart": 1}
    assert +merging_counts([as_stored(proposal, {0})]) == {"same": 1, "near": 1}
    assert not +merging_counts([{"source": "one.csv"}])


def test_telling_titles_of_one_author_and_year_are_the_same_unless_something_speaks_against_it() -> None:
    def merged(title: str = TITLE, **second: str) -> int:
        rows = [{"title": title, "authors": "Lee, A", "date": "2010", "abstract": "Accurate in children."}]
        rows.append({**rows[0], **second})
        names = sorted({name for row in rows for name in row})
        columns = {name: [row.get(name, "") for row in rows] for name in names}
        return propose([as_records({"id": ["a", "b"], **columns})]).merge.duplicates

    assert merged() == 1
    assert merged(authors="A. Lee", date="May 2010", abstract="") == 1
    assert merged(date="2011") == merged(authors="Ray, B") == merged(date="") == 0
    assert merged(abstract="Something else entirely was studied there.") == 0
    assert merged(title="Editorial") == merged(title="Reply to the authors of the study") == 0
