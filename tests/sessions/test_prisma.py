"""The flow diagram's numbers add up."""

from hypothesis import given, settings
from hypothesis import strategies as st

from tarstop_core.documents.reports import Report, Row
from tarstop_core.screening.fold import replay
from tarstop_core.screening.log import Event
from tarstop_core.screening.settings import Settings
from tarstop_core.sessions.prisma import NO_REASON, prisma
from tarstop_core.value.payoffs import Payoffs

N = 30
IDS = [f"d{i}" for i in range(N)]
REVIEW = Settings(Payoffs.from_q_star(0.5), 0.001, scenario="review")
FILES = [{"source": "pubmed.nbib", "records": 25}, {"source": "embase.ris", "records": 9}]
KINDS = ("irrelevant", "unsure", "waiting", "excluded", "no data", "not retrieved", "data")


def log(kinds: list[str]) -> list[Event]:
    events = []
    for at, kind in enumerate(kinds):
        events.append(Event("label", {"doc": IDS[at], "label": kind if kind in KINDS[:2] else "relevant"}))
        if kind in KINDS[3:]:
            rows = (Row(f"S{at % 3}", 9 + at, 1, 2, 3),) if kind == "data" else ()
            report = Report(kind, f"why {at % 2}", f"S{at % 3}" if rows else "", rows)  # type: ignore[arg-type]
            events.append(Event("report", {"doc": IDS[at], **report.to_dict()}))
    return events


@settings(max_examples=60)
@given(st.lists(st.sampled_from(KINDS), max_size=N))
def test_every_box_is_the_sum_of_those_below(kinds: list[str]) -> None:
    found = prisma(FILES, 4, replay(REVIEW, IDS, log(kinds)))
    assert sum(count for _, count in found.identified) - found.duplicates == N
    assert found.screened + found.unscreened == N
    assert found.screened == found.excluded + found.unsure + found.sought
    assert found.sought == found.not_retrieved + found.waiting + found.assessed
    assert (
        found.assessed == sum(count for _, count in found.excluded_full) + found.without_data + found.reports
    )
    assert found.reports == kinds.count("data") and found.studies <= found.reports
    assert found.studies == len({at % 3 for at, kind in enumerate(kinds) if kind == "data"})


def test_the_table_names_every_reason() -> None:
    rows = dict(
        prisma(FILES, 4, replay(REVIEW, IDS, log(["excluded", "excluded", "excluded", "data"]))).rows()
    )
    assert rows["Reports excluded: why 0"] == 2 and rows["Reports excluded: why 1"] == 1
    assert rows["Records identified: embase.ris"] == 9 and rows["Studies included"] == 1
    assert rows["Records not screened yet"] == 26


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
    assert ("Records excluded: no reason recorded", 2) in found.rows()
    assert not prisma(FILES, 4, replay(REVIEW, IDS, log(["irrelevant"] * 4))).excluded_for


def test_patents_have_no_full_text() -> None:
    patents = Settings(Payoffs.from_q_star(0.5), 0.001)
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
    assert rows["Records for which another of their patent family stands"] == 2
    assert sum(count for _, count in found.identified) - found.duplicates - found.families == N
    alone = prisma([], 2, replay(REVIEW, IDS, []), 0, 2)
    assert alone.identified == (("the collection", N + 4),)
