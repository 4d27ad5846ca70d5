"""The flow diagram's numbers add up."""

from io import BytesIO
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.parts.jobs import stored
from tarstop_core.documents.merging import as_stored, merge_as_chosen, merging_counts, propose
from tarstop_core.documents.reports import AccuracyRow, Report
from tarstop_core.files import read_records
from tarstop_core.screening.fold import replay
from tarstop_core.screening.log import Event
from tarstop_core.screening.patent_settings import PatentSettings
from tarstop_core.screening.review_settings import ReviewSettings
from tarstop_core.sessions.prisma import NO_REASON, flow_diagram, prisma
from tarstop_core.sessions.store.store import Store
from tarstop_core.value.payoffs import Payoffs

N = 30
IDS = [f"d{i}" for i in range(N)]
REVIEW = ReviewSettings(Payoffs.from_q_star(0.5), 0.001)
FILES = [{"source": "pubmed.nbib", "records": 25}, {"source": "embase.ris", "records": 9}]
KINDS = ("irrelevant", "unsure", "waiting", "excluded", "no data", "not retrieved", "data")


def log(kinds: list[str]) -> list[Event]:
    events = []
    for at, kind in enumerate(kinds):
        events.append(Event("label", {"doc": IDS[at], "label": kind if kind in KINDS[:2] else "relevant"}))
        if kind in KINDS[3:]:
            rows = (AccuracyRow(f"S{at % 3}", 9 + at, 1, 2, 3),) if kind == "data" else ()
            report = Report(kind, f"why {at % 2}", f"S{at % 3}" if rows else "", rows)  # type: ignore[arg-type]
            events.append(Event("report", {"doc": IDS[at], **report.to_dict()}))
    return events


@given(st.lists(st.sampled_from(KINDS), max_size=N))
def test_every_box_is_the_sum_of_those_below(kinds: list[str]) -> None:
    found = prisma(FILES, 4, replay(REVIEW, IDS, log(kinds)))
    assert sum(count for _, count in found.identified) - found.duplicates == N
    assert found.screened + found.unscreened == N
    assert found.screened == found.excluded + found.unsure + found.sought
    assert found.sought == found.not_retrieved + found.waiting + found.assessed
    assert found.assessed == sum(count for _, count in found.excluded_full) + found.reports
    assert found.reports == kinds.count("data") + kinds.count("no data")
    assert found.with_data == len({at % 3 for at, kind in enumerate(kinds) if kind == "data"})
    assert found.with_data <= found.studies <= found.reports


def test_eligible_studies_without_data_are_included_and_not_excluded() -> None:
    found = prisma(FILES, 4, replay(REVIEW, IDS, log(["data", "no data", "no data", "excluded"])))
    rows = dict(found.rows())
    assert rows["Studies included"] == 3 and rows["Reports of included studies"] == 3
    assert [rows[f"Included studies {data} extractable data"] for data in ("with", "without")] == [1, 2]
    assert found.excluded_full == (("why 1", 1),)
    drawn = flow_diagram(found)
    assert "Excluded: why 1" in drawn
    excluded = drawn[drawn.index("Reports assessed") : drawn.index("Studies included")]
    assert "extractable" not in excluded


def stopping(advice: str, **decision: object) -> list[Event]:
    decided = [Event("decided", {"plus": True, "advice": "stop", **decision})] if decision else []
    return [*log(["irrelevant"] * 4), Event("stopped", {"advice": advice, "depth": 4}), *decided]


@pytest.mark.parametrize(
    ("events", "box"),
    [
        (stopping("stop"), "Records not screened because the stopping rule advised to stop"),
        (
            stopping("continue", reason="Time ran out"),
            "Records not screened although the stopping rule advised to go on; reason given: “Time ran out”",
        ),
        (
            stopping("continue", reason=""),
            "Records not screened although the stopping rule advised to go on; no reason given",
        ),
        (stopping("continue"), "Records not screened although the stopping rule advised to go on"),
        (
            stopping("reports", reason="The panel met"),
            "Records not screened although the advice was to read the waiting reports first; reason given: "
            "“The panel met”",
        ),
        (stopping("found", reason="D1"), "Records not screened because a document settled the question"),
        (stopping("depends"), "Records not screened"),
        ([*stopping("continue", reason="x"), Event("continued")], "Records not screened yet"),
        (
            [Event("decided", {"plus": True, "advice": "continue"})],
            "Records not screened although the stopping rule advised to go on; no reason given",
        ),
    ],
)
def test_the_box_of_records_left_says_why_they_are(events: list[Event], box: str) -> None:
    found = prisma(FILES, 4, replay(REVIEW, IDS, events))
    assert found.unread == (box, found.unscreened) and (box, found.unscreened) in found.rows()


def test_the_table_names_every_reason() -> None:
    rows = dict(
        prisma(FILES, 4, replay(REVIEW, IDS, log(["excluded", "excluded", "excluded", "data"]))).rows()
    )
    assert rows["Reports excluded: why 0"] == 2 and rows["Reports excluded: why 1"] == 1
    assert rows["Records identified: embase.ris"] == 9 and rows["Studies included"] == 1
    assert rows["Records not screened yet"] == 26


def test_all_that_was_merged_on_import_counts_as_duplicates(tmp_path: Path) -> None:
    rows = ["a,A mast that folds at a hinge,Lee,1999", "b,Kettle with a lid,Ray,2000"]
    first = "\n".join(["id,title,authors,year", *rows, rows[1], rows[1]])  # the same in every field
    second = "id,title,authors,year\na,A mast that folds at a hinge,Lee,1999\nc,A mast that folds at a hinge,Lee,2000"
    tables = [
        read_records(BytesIO(text.encode()), name) for name, text in {"1.csv": first, "2.csv": second}.items()
    ]
    proposal = propose([table.frame for table in tables])
    assert [match.kind for match in proposal.matches] == ["exact", "near"]
    merged = merge_as_chosen([table.frame for table in tables], proposal, {0, 1})
    files = [*(table.described for table in tables), as_stored(proposal, {0, 1})]
    with Store(f"sqlite:///{tmp_path}/t.db") as store:
        key, _ = stored(store.reach, "1.csv", merged.frame, files, lambda *_: None)
        collection = store.collection(key)
    assert (collection.documents, collection.duplicates) == (2, 4)
    told = prisma([file for file in collection.files if "source" in file], 4, replay(REVIEW, ["a", "b"], []))
    assert told.identified == (("1.csv", 4), ("2.csv", 2)) and told.removed[0][1] == 4
    counts = merging_counts(collection.files)
    assert (counts["repeated"], counts["same"], counts["together"], counts["near"]) == (2, 1, 1, 0)


def test_databases_stand_in_place_of_files_and_are_added_up() -> None:
    files = [
        {"source": "a.nbib", "records": 20, "database": "PubMed"},
        {"source": "b.ris", "records": 9, "database": ""},
        {"source": "c.nbib", "records": 5, "database": "PubMed"},
    ]
    assert prisma(files, 4, replay(REVIEW, IDS, [])).identified == (("PubMed", 25), ("b.ris", 9))


def test_reasons_and_those_without_one_add_up() -> None:
    given = [{"reason": "wrong test"} if at % 2 else {} for at in range(4)]
    events = [Event("label", {"doc": IDS[at], "label": "irrelevant", **why}) for at, why in enumerate(given)]
    found = prisma(FILES, 4, replay(REVIEW, IDS, events))
    assert found.excluded_for == (("wrong test", 2), (NO_REASON, 2))
    assert (f"Records excluded: {NO_REASON}", 2) in found.rows()
    assert not prisma(FILES, 4, replay(REVIEW, IDS, log(["irrelevant"] * 4))).excluded_for


def test_patents_have_no_full_text() -> None:
    patents = PatentSettings(Payoffs.from_q_star(0.5), 0.001)
    found = prisma([], 0, replay(patents, IDS, log(["irrelevant", "waiting"])))
    assert (found.identified, found.sought, found.assessed, found.studies) == (
        (("the collection", N),),
        1,
        1,
        1,
    )


def test_members_of_families_are_counted_before_screening() -> None:
    found = prisma(FILES, 2, replay(REVIEW, IDS, []), 0, 2)
    rows = dict(found.rows())
    assert [count for name, count in rows.items() if "patent family" in name] == [2]
    assert sum(count for _, count in found.identified) - found.duplicates - found.families == N
    alone = prisma([], 2, replay(REVIEW, IDS, []), 0, 2)
    assert alone.identified == (("the collection", N + 4),)
