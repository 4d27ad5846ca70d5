"""Where the advice is to go on, following it is expected to gain, or the headline says that it is not."""

from dataclasses import replace

import numpy as np
import pytest

from tarstop_core.documents.reports import Report, Row
from tarstop_core.explore.plans import plans
from tarstop_core.policies import parse_policy
from tarstop_core.screening.advice import advise
from tarstop_core.screening.fold import replay
from tarstop_core.screening.log import Event
from tarstop_core.screening.paths import screening_path
from tarstop_core.screening.settings import Settings
from tarstop_core.screening.state import State
from tarstop_core.screening.wording import explain, verdict
from tarstop_core.value.payoffs import Payoffs
from tests.session_cases import INCLUSION, PATENT, REVIEW, START

N = 60
IDS = [f"d{at}" for at in range(N)]
RULES = "optimal greedy open-loop smooth:K=5 batch:K=10 look-ahead:m=5 budget:d=30 screen-everything".split()
SESSIONS = 300  # of each scenario
DISAGREES = "expected loss"


def session(rng: np.random.Generator, scenario: str) -> tuple[Settings, State]:
    """Settings and labels that a person might have, drawn at random."""
    settings: Settings = START if scenario == "patent" else replace(REVIEW, engine="univariate")
    stakes = {
        "payoffs": Payoffs.from_q_star(float(rng.choice([0.2, 0.5, 0.8]))),
        "cost": float(10 ** rng.uniform(-5, -1.5)),
        "b_0": float(rng.uniform(0.1, 0.9)),
        "policy": str(rng.choice(RULES)),
    }
    if scenario == "review":
        stakes["full_cost"] = float(rng.choice([0.0, 10 ** rng.uniform(-4, -2)]))
        stakes["floor"] = float(rng.choice([0.0, 0.8]))
        stakes["floor_studies"] = int(rng.choice([0, 3, 5]))
    settings = replace(settings, **stakes)
    events: list[Event] = []
    for doc in IDS[: int(rng.integers(0, 40))]:
        relevant = scenario == "review" and bool(rng.random() < 0.15)
        events.append(Event("label", {"doc": doc, "label": "relevant" if relevant else "irrelevant"}))
        if relevant and rng.random() < 0.7:
            events.append(Event("report", {"doc": doc, **report(rng, doc).to_dict()}))
    return settings, replay(
        settings, IDS, [replace(event, seq=at) for at, event in enumerate(events, start=1)]
    )


def report(rng: np.random.Generator, name: str) -> Report:
    """A report read in full that brings a 2×2 table, or none."""
    if rng.random() < 0.3:
        return Report("no data", "no 2×2 table")
    diseased, tp = int(rng.integers(10, 60)), float(rng.uniform(0.5, 0.95))
    hits = round(diseased * tp)
    return Report("data", study=name, rows=(Row(name, hits, 5, diseased - hits, 40),))


@pytest.mark.parametrize("scenario", ["patent", "review"])
def test_who_goes_on_is_expected_to_gain_or_told_otherwise(scenario: str) -> None:
    rng = np.random.default_rng(7)
    calibrator = PATENT if scenario == "patent" else INCLUSION
    p = calibrator.probabilities(None, N)
    went_on = told = 0
    for _ in range(SESSIONS):
        settings, state = session(rng, scenario)
        advice = advise(settings, calibrator, p, state)
        glance = verdict(advice, settings).says
        disagrees = DISAGREES in glance
        assert disagrees == (DISAGREES in explain(advice, settings).sentence)
        if advice.headline != "continue":
            assert not disagrees
            continue
        went_on += 1
        told += disagrees
        assert disagrees == (advice.gain < 0)
        path = screening_path(settings, calibrator, p, state)
        # What Explore says of the same rule from the same depth.
        plan = plans(path, parse_policy(settings.policy), [settings.cost], state.depth, settings)
        now = path.expected_utility(
            np.array([state.depth]), np.zeros(1), state.depth, acts_on_belief=True, looks_every=1
        )
        assert plan.net_utility[0] - now[0] == pytest.approx(advice.gain, abs=1e-9)
        if disagrees:
            assert ("would read less" in glance) == path.pays(state.depth, settings.cost)
        if settings.policy == "optimal" and advice.held_by is None:
            assert not disagrees
    assert went_on > 60 and told > 5
