"""Sessions that a person might have, drawn at random: settings, labels, reports."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tarstop_core.belief.prior import Prior
from tarstop_core.calibration.calibrator import Calibrator
from tarstop_core.documents.reports import AccuracyRow, EffectRow, Report
from tarstop_core.effects.studies import Form
from tarstop_core.policies import POLICIES
from tarstop_core.samples.shipped import WIDTH, priors
from tarstop_core.screening.effect_settings import EffectSettings
from tarstop_core.screening.enough_settings import EnoughSettings
from tarstop_core.screening.fold import replay
from tarstop_core.screening.log import Event
from tarstop_core.screening.patent_settings import PatentSettings
from tarstop_core.screening.paths import chances
from tarstop_core.screening.review_settings import ReviewSettings
from tarstop_core.screening.settings import Settings
from tarstop_core.screening.state import State
from tarstop_core.value.payoffs import Payoffs
from tests.cli.conftest import tarstop as tarstop
from tests.session_cases import INCLUSION, PATENT, SEEN

N = 60
IDS = [f"d{at}" for at in range(N)]
DATA = Calibrator("rank", "review", x=(0.0, 4.0), y=(0.4, 0.02), fitted_on=SEEN)
CALIBRATORS = {calibrator.digest: calibrator for calibrator in (PATENT, INCLUSION, DATA)}
RULES = (
    *("optimal", "greedy", "open-loop", "smooth:K=5", "batch:K=10", "look-ahead:m=5"),
    *("budget:d=30", "screen-everything", "consecutive:n=8"),
)
ON_RECALL = [
    name
    for name, rule in POLICIES.items()
    if EnoughSettings.may_follow(rule) and not rule.needs_draws and not rule.is_oracle
]
LEARNED = priors()["clef-reviews"]
PRIORS = (Prior(), priors()[WIDTH], LEARNED, Prior(s=0.7, tau=0.4, weight=0.55))


@dataclass(frozen=True)
class Drawn:
    """A session that a person might have, drawn at random."""

    settings: Settings
    events: list[Event]

    @property
    def state(self) -> State:
        return replay(self.settings, IDS, self.events)

    def at(self, state: State) -> tuple[Settings, Calibrator, Any, State]:
        """What advice asks for."""
        calibrator = CALIBRATORS[state.settings.calibrator]
        return state.settings, calibrator, chances(state.settings, calibrator, None, state), state


def drawn(rng: np.random.Generator, scenario: str) -> Drawn:
    """Draw settings and a log."""
    draw = {"patent": a_search, "review": a_review, "effect": an_intervention, "enough": a_recall}
    settings = draw[scenario](rng)
    events = labelled(rng, settings)
    if settings.weighs and events and rng.random() < 0.3:  # settings that were changed on the way
        dearer = settings.with_stakes(settings.stakes.with_costs_times(3.0))
        events.insert(len(events) // 2, Event("settings", {"settings": dearer.to_dict(), "reason": ""}))
    return Drawn(settings, numbered(events))


def labelled(rng: np.random.Generator, settings: Settings) -> list[Event]:
    """Draw what is said of the first documents."""
    events: list[Event] = []
    for doc in IDS[: int(rng.choice([0, int(rng.integers(0, 40)), N], p=[0.05, 0.9, 0.05]))]:
        events += an_answer(rng, settings, doc)
    return events


def numbered(events: Iterable[Event]) -> list[Event]:
    """Events as a log numbers them."""
    return [replace(event, seq=at) for at, event in enumerate(events, start=1)]


def stakes(rng: np.random.Generator) -> dict[str, Any]:
    """Draw what both scenarios set."""
    unit, K = [("", 1.0), ("£", 20_000.0)][int(rng.integers(2))]
    return {
        "payoffs": Payoffs.from_q_star(float(rng.choice([0.2, 0.5, 0.8, 1 / 3])), K, unit),
        "cost": float(K * 10 ** rng.uniform(-5, -1.5)),
        "b_0": float(rng.uniform(0.1, 0.9)),
        "policy": str(rng.choice(RULES)),
        "scale": float(rng.choice([1.0, 0.4])),
        "chances_follow": bool(rng.random() < 0.5),
    }


def a_search(rng: np.random.Generator) -> PatentSettings:
    """Draw the settings of a search for prior art."""
    return PatentSettings(
        **stakes(rng),
        calibrator=PATENT.digest,
        kappa=float(rng.choice([1.0, 0.9])),
        s=float(rng.choice([1.0, 0.8])),
        needs_citation=bool(rng.random() < 0.5),
        confirm_hits=bool(rng.random() < 0.5),
    )


def a_review(rng: np.random.Generator) -> ReviewSettings:
    """Draw the settings of a review; the engine of both groups takes too long for hundreds of them."""
    return ReviewSettings(
        **of_studies(rng),
        theta=float(rng.choice([0.75, 0.8, 0.62])),
        engine=str(rng.choice(["univariate", "univariate", "univariate", "reml"])),
        prior=PRIORS[int(rng.integers(len(PRIORS)))],
        least_patients=int(rng.choice([0, 0, 90])),
    )


def an_intervention(rng: np.random.Generator) -> EffectSettings:
    """Draw the settings of a review of an intervention."""
    return EffectSettings(
        **of_studies(rng),
        outcome="stroke",
        measure="RR",
        delta=float(rng.choice([0.8, 1.0])),
        engine="normal",
    )


def of_studies(rng: np.random.Generator) -> dict[str, Any]:
    """Draw what both kinds of reviews set."""
    both = stakes(rng)
    stages = int(rng.choice([1, 2]))
    return both | {
        "calibrator": (INCLUSION if stages == 2 else DATA).digest,
        "plus": "Take it up",
        "minus": "Leave it",
        "stages": stages,
        "full_cost": float(rng.choice([0.0, 10.0])) * both["cost"] if stages == 2 else 0.0,
        "floor": float(rng.choice([0.0, 0.8])),
        "floor_studies": int(rng.choice([0, 3, 5])),
        "least_studies": int(rng.choice([0, 0, 4])),
        "learns": bool(rng.random() < 0.3),
    }


def a_recall(rng: np.random.Generator) -> EnoughSettings:
    """Draw the settings of a review whose decision is not weighed."""
    return EnoughSettings(
        calibrator=INCLUSION.digest,
        policy=str(rng.choice(ON_RECALL)),
        chances_follow=bool(rng.random() < 0.5),
    )


def an_answer(rng: np.random.Generator, settings: Settings, doc: str) -> Iterator[Event]:
    """Draw what is said of a document, and of its report."""
    if rng.random() < 0.05:
        yield Event("label", {"doc": doc, "label": "unsure"})
        return
    relevant = bool(rng.random() < (0.02 if settings.one_decides else 0.15))
    yield Event("label", {"doc": doc, "label": "relevant" if relevant else "irrelevant"})
    if relevant and settings.confirm_hits and rng.random() < 0.7:
        yield Event("confirm", {"doc": doc, "holds": bool(rng.random() < 0.7)})
    if relevant and settings.reads_full_texts and rng.random() < 0.8:
        yield Event("report", {"doc": doc, **a_report(rng, settings, doc).to_dict()})


def a_report(rng: np.random.Generator, settings: Settings, name: str) -> Report:
    """Draw a report read in full that brings a study, or none."""
    if rng.random() < 0.2:
        return Report("no data", "no 2×2 table")
    people, share = int(rng.integers(10, 60)), float(rng.uniform(0.5, 0.95))
    hits = round(people * share)
    if isinstance(settings, EffectSettings):
        row: EffectRow | AccuracyRow = EffectRow(name, Form.EVENTS, (hits // 3, people, hits // 2, people))
    else:
        row = AccuracyRow(name, hits, 5, people - hits, 40)
    return Report("data", study=name, rows=(row,))
