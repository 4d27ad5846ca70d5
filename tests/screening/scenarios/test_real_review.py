"""A real review, whose first studies mislead: what is said of it on the way.

CD010632: its fourteen 2×2 tables paired with its relevant records in the order of the file. The first two that are met
have 8 and 10 patients with the condition and speak against the test, all fourteen for it.
"""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from tarstop_core.belief.prior import Prior
from tarstop_core.documents.reports import AccuracyRow, Report
from tarstop_core.files import read_qrels, read_records, read_tables
from tarstop_core.ranking.order import prepare
from tarstop_core.samples.shipped import WIDTH, calibrators, default_calibrator, extraction_rate, priors
from tarstop_core.screening.advice import advise
from tarstop_core.screening.advised import Advice
from tarstop_core.screening.fold import replay
from tarstop_core.screening.log import Event
from tarstop_core.screening.paths import chances
from tarstop_core.screening.review_settings import ReviewSettings
from tarstop_core.screening.scenarios.review import REVIEW
from tarstop_core.screening.settings import Settings
from tarstop_core.screening.wording import Explanation, explain
from tarstop_core.value.stakes import FULL_TIMES, START

TITLE = (
    "18F-FDG PET for the early diagnosis of Alzheimer’s disease dementia and other dementias in people with mild "
    "cognitive impairment (MCI)"
)
AFTER = (1, 2, 3, 5, 8, 14)
TURNS = (27, 30, 42, 45, 34, 30)
"""Of 100 such reviews in which the decision would turn, as it is said after so many studies: never more than half."""
STOP = 66
"""Documents after which a version before this said STOP, after the first two studies."""


def said(settings: Settings, folder: Path) -> dict[str, tuple[Advice, Explanation]]:
    """What is said when the n-th study was just read, and after 66 documents."""
    frame = read_records(folder / "records" / "CD010632.jsonl.gz").frame
    tables = read_tables(folder / "dta_reviews" / "CD010632.csv").tables
    included, relevant = (
        {doc for doc, grade in read_qrels(folder / "records" / name)["CD010632"].items() if grade > 0}
        for name in ("qrels_abs.txt", "qrels_content.txt")
    )
    at = {doc: n for n, doc in enumerate(doc for doc in frame["id"] if doc in relevant)}
    assert len(at) == len(tables) == 14
    ranking = prepare(frame, "text", TITLE)
    ids = frame["id"].to_numpy()[ranking.order].tolist()
    calibrator = calibrators()[default_calibrator(True, scenario="inclusion")]
    events: list[Event] = []

    def note(kind: str, doc: str, **payload: object) -> None:
        events.append(Event(kind, {"doc": doc, **payload}, seq=len(events) + 1))

    found: dict[str, tuple[Advice, Explanation]] = {}
    studies = 0
    for depth, doc in enumerate(ids, start=1):
        note("label", doc, label="relevant" if doc in included else "irrelevant")
        if doc in at:
            n, studies = at[doc], studies + 1
            cells = (int(getattr(tables, cell)[n]) for cell in ("TP", "FP", "FN", "TN"))
            row = AccuracyRow(tables.study[n], *cells)
            note("report", doc, **Report("data", study=row.study, rows=(row,)).to_dict())
        elif doc in included:
            note("report", doc, **Report("no data").to_dict())
        now = f"{studies} studies" if doc in at and studies in AFTER else str(STOP) if depth == STOP else ""
        if now:
            state = replay(settings, ids, events)
            p = chances(settings, calibrator, ranking.scores, state)
            advice = advise(settings, calibrator, p, state)
            found[now] = advice, explain(advice, settings)
    return found


@pytest.fixture(scope="module")
def defaults() -> Settings:
    plus, minus = REVIEW.first_actions
    return ReviewSettings(
        START.payoffs, START.cost, plus=plus, minus=minus, full_cost=FULL_TIMES * START.cost, data_share=extraction_rate(simulated=False),
        prior=priors()[WIDTH], chances_follow=True)  # fmt: skip


@pytest.mark.parametrize(("policy", "word"), [("greedy", "GO ON"), ("open-loop", "STOP")])
def test_nothing_reads_as_certainty_that_all_studies_contradict(
    defaults: Settings, real_data: Path, policy: str, word: str
) -> None:
    """What a new session begins with reads on where the rule that it began with before stops."""
    found = said(replace(defaults, policy=policy), real_data)
    assert set(found) == {*(f"{n} studies" for n in AFTER), str(STOP)}
    last, _ = found["14 studies"]
    assert last.plus and last.facts.studies == 14
    for name, (advice, told) in found.items():
        first = re.search(
            r"Reading all that is left would change the decision in about (\d+) of 100", told.sentence
        )
        assert first, f"{name}: {told.sentence}"
        assert "over 99" not in told.sentence + told.stopping
        if advice.plus != last.plus:
            # Not one that differs from what all fourteen say is more than four in five sure, or said to be settled.
            assert advice.facts.disagreement > 0.2, name
            assert int(first[1]) >= 10, name
        assert int(first[1]) <= 50, name
        if name != str(STOP):
            assert int(first[1]) == dict(zip(AFTER, TURNS, strict=True))[advice.facts.studies]
    stopped, told = found[str(STOP)]
    assert (stopped.facts.studies, stopped.plus, told.word) == (2, False, word)
    wrongly = r"Of \d+ past questions \(\d+ reviews\), \d+ were decided wrongly after 2 studies\."
    assert (re.search(wrongly, told.sentence) is not None) == (word == "STOP")


def test_the_weak_prior_was_surer(defaults: Settings, real_data: Path) -> None:
    """What the width learned from past reviews changes, after the two studies that mislead."""
    weak, wide = (
        said(replace(defaults, prior=prior), real_data)["2 studies"][0] for prior in (Prior(), defaults.prior)
    )
    assert weak.b < 0.15 < 0.2 < wide.b
    assert weak.facts.otherwise < wide.facts.otherwise


def test_a_least_number_of_studies_keeps_the_programme_reading(defaults: Settings, real_data: Path) -> None:
    """Nothing is adopted on fewer than it asks for, whatever they say."""
    found = said(replace(defaults, least_studies=20), real_data)
    advice, told = found["14 studies"]
    assert not advice.plus and advice.b > 0.5
    assert "“Adopt” is not available before 20 studies are in." in told.stopping
