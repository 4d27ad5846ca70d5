"""What ASReview and Rayyan export: labels, reasons and remarks; and families in lists of patents."""

import io

import pytest

from tarstop_core.files import RecordTable, read_records

RAYYAN = (
    "key,title,year,month,day,journal,issn,volume,issue,pages,authors,url,language,publisher,location,abstract,"
    "notes,doi,keywords,pubmed_id,pmc_id\n"
    'rayyan-1,A,2010,1,1,J,,1,1,1-2,"Lee, A",http://a.org,eng,,,Abstract.,"RAYYAN-INCLUSION: {""Ann""=>""Included"", '
    '""Bo""=>""Included""} | RAYYAN-LABELS: rct,children | USER-NOTES: {""Ann""=>[""Ask, then decide""]}",,,111,\n'
    'rayyan-2,B,2010,1,1,J,,1,1,1-2,"Ray, B",,eng,,,,"Own note | RAYYAN-INCLUSION: {""Ann""=>""Excluded""} | '
    'RAYYAN-EXCLUSION-REASONS: wrong population,animals",,,,\n'
    'rayyan-3,C,2010,1,1,J,,1,1,1-2,"Ray, B",,eng,,,,"RAYYAN-INCLUSION: {""Ann""=>""Maybe""}",,,,\n'
    "rayyan-4,D,2010,1,1,J,,1,1,1-2,,,eng,,,,,,,,\n"
)


def read(text: str, name: str) -> RecordTable:
    return read_records(io.BytesIO(text.encode()), name)


def test_rayyan() -> None:
    table = read(RAYYAN, "articles.csv")
    frame = table.frame
    assert frame["id"].tolist() == [f"rayyan-{at}" for at in (1, 2, 3, 4)]
    assert frame["label"].tolist() == ["relevant", "not relevant", "Maybe", ""]
    assert frame["reason"].tolist() == ["", "wrong population, animals", "", ""]
    assert frame["remark"].tolist() == ["Ask, then decide; labelled rct, children", "", "", ""]
    assert frame["pmid"].tolist() == ["111", "", "", ""]
    assert table.understood["notes, as Rayyan writes them"] == "label"


@pytest.mark.parametrize(
    "column", ["included", "label_included", "final_included", "asreview_label", "label"]
)
def test_asreview_tables(column: str) -> None:
    table = read(f"record_id,title,abstract,{column}\n1,A,x,1\n2,B,y,0\n3,C,z,\n4,D,w,-1\n", "asreview.csv")
    assert table.frame["label"].tolist() == ["relevant", "not relevant", "", ""]
    assert table.understood[column] == "label"


def test_what_was_decided_in_asreview_wins_over_what_the_list_came_with() -> None:
    text = "record_id,title,included,asreview_label,asreview_note,asreview_prior\n1,A,0,1,see table 2,0\n2,B,1,,,0\n"
    table = read(text, "asreview.csv")
    assert table.frame["label"].tolist() == ["relevant", ""]
    assert table.frame["remark"].tolist() == ["see table 2", ""]
    assert any("Column included was not used" in note for note in table.notes)


@pytest.mark.parametrize("tag", ["N1", "KW"])
def test_asreview_ris(tag: str) -> None:
    decisions = (
        "ASReview_relevant",
        "ASReview_irrelevant",
        "ASReview_not_seen",
        "ASReview_validate_relevant",
    )
    text = "\n".join(
        f"TY  - JOUR\nTI  - {at}\n{tag}  - {decision}\nN1  - Note: look again\nER  - "
        for at, decision in enumerate(decisions)
    )
    table = read(text, "asreview.ris")
    assert table.frame["label"].tolist() == ["relevant", "not relevant", "", ""]
    assert set(table.frame["remark"]) == {"look again"}
    assert table.understood[f"{tag}, as ASReview writes it"] == "label"


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("Simple Family Members", "EP 1234567 A1;;US 7654321 B2"),
        ("Family number", "55443322"),
        ("Simple Family ID", "55443322"),
        ("INPADOC family members", "EP1234567A1, US7654321B2"),
    ],
)
def test_families(column: str, value: str) -> None:
    text = f'Display Key,Title,Simple Family Size,{column}\nEP 1234567 A1,Mast,2,"{value}"\n'
    table = read(text, "lens.csv")
    assert table.frame["family"].tolist() == [value]
    assert table.understood[column] == "family"


def test_the_narrower_family_is_taken() -> None:
    text = "title,Extended Family Members,Simple Family Members\nMast,EP1;;US2;;US3,EP1;;US2\n"
    assert read(text, "lens.csv").frame["family"].tolist() == ["EP1;;US2"]
