"""Every branch of the sentences about an evidence synthesis, rendered."""

from collections.abc import Iterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

from tarstop_core.belief.engines import ENGINES
from tarstop_core.belief.prior import Prior
from tarstop_core.belief.reitsma import Estimate
from tarstop_core.evidence.everyone import Everyone
from tarstop_core.evidence.synthesis import MoreStudies
from tarstop_core.evidence.words import TWO, Actions, message
from tarstop_core.value.payoffs import Option, Payoffs
from tests.branches import every_branch

ACTIONS = {"plus": "Adopt", "minus": "Don’t adopt"}
ESTIMATE = Estimate(0.8, 0.7, 0.9)
HALF = Payoffs.from_q_star(0.5)
THREE = replace(HALF, others=(Option("Trial only", 0.2, 0.1),))


def belief(belief: float | None, **changed: Any) -> SimpleNamespace:
    """A belief from four studies, as sentences ask for it."""
    usual = {"theta": 0.75, "usable": 2, "engine": "bivariate", "rival_belief": 0.4, "prior": Prior()}
    usual |= {"theta_sp": None, "claim": "sensitivity exceeds 75 %"}
    usual |= {"of_sensitivity": belief, "prior_of_sensitivity": Prior()}
    return SimpleNamespace(**usual | changed, belief=belief)


def fitted(**changed: Any) -> SimpleNamespace:
    """A summary by REML."""
    usual = {"sensitivity": ESTIMATE, "specificity": ESTIMATE, "n": 4, "converged": True, "auc": 0.9}
    return SimpleNamespace(**usual | {"correlation": 0.1} | changed)


def about_belief() -> Iterator[tuple[str, dict[str, Any]]]:
    """Belief, action, and what the other model says."""
    for evidence in (belief(0.8), belief(None, usable=1), belief(None)):
        yield "belief", {"evidence": evidence, "least": 3}
    yield "of_each", {"sensitivity": 0.8, "specificity": 0.7}
    for b, turned in ((None, False), (0.8, True), (0.2, False), (0.501, True)):
        yield "action", {"belief": b, "q_star": 0.5, "turned": turned, "actions": TWO}
    short = Actions("Take it", "Leave it", lacking="5 studies")
    yield "action", {"belief": 0.8, "q_star": 0.5, "turned": True, "actions": short}
    yield "best_of_several", {"chosen": "Trial only"}
    yield "not_identified", {}
    for engine in ("reml", "bivariate"):
        yield "rival", {"evidence": belief(0.6, engine=engine), "chosen": "Adopt"}
    usual = {"first": 0, "before": 0.5, "after": 0.9, "last": 4, "moved_by": "A 2001", "payoffs": HALF}
    usual |= {"crossed": [], "crossed_by": "", "previewed": False, "belief": 0.9}
    yield "path_of_one", {"belief": 0.5}
    yield "path", usual | {"change": 0.2}
    yield "path", usual | {"change": -0.2, "first": 3, "crossed": [2], "crossed_by": "B 2001"}
    yield "path", usual | {"change": 0.001, "crossed": [2, 3], "crossed_by": "C 2001", "previewed": True}
    for crossed in ([], [2], [2, 3]):
        yield "path", usual | {"payoffs": THREE, "change": 0.2, "crossed": crossed, "crossed_by": "B 2001"}
    for engine in ("bivariate", "reml"):
        values = {"evidence": belief(0.9, engine=engine), "with_prior": engine == "bivariate"}
        yield "density", values | {"low": 0.7, "middle": 0.8, "high": 0.9}
    yield "prior", {"low": 0.1, "high": 0.9, "tau": 1.96}


def about_studies() -> Iterator[tuple[str, dict[str, Any]]]:
    """Forest, summary and ROC plane."""
    yield "forest_of_none", {}
    usual = {
        "low": 0.7,
        "high": 0.9,
        "lowest": "A",
        "highest": "B",
        "with_sensitivity": 4,
        "pooled": "Pooled.",
    }
    yield "forest", usual | {"without": 0}
    yield "forest", usual | {"without": 1, "low": 0.9}
    yield "forest", usual | {"without": 2, "low": 0.9, "with_sensitivity": 1}
    for sensitivity, specificity in ((None, ESTIMATE), (ESTIMATE, None), (ESTIMATE, ESTIMATE)):
        values = {"sensitivity": sensitivity, "specificity": specificity}
        yield "pooled", {"how": "from exact counts", **values}
    for usable in (1, 2):
        yield "no_summary", {"usable": usable, "least": 3}
    yield "summary", {"fit": fitted(), "all": True, "empty": False}
    yield "summary", {"fit": fitted(converged=False), "all": False, "empty": True}
    yield "no_curve", {"least": 3}
    for engine, few in (("reml", False), ("bivariate", True)):
        values = {"engine": engine, "pooled": "Pooled.", "variation": "They differ."}
        yield "sroc", {"fit": fitted(), "few": few, **values}
    yield "no_variation", {}
    for differ, correlation in ((True, 0.6), (False, 0.1)):
        values = {"fit": fitted(correlation=correlation), "new_study": ESTIMATE, "size": "moderate"}
        yield "variation", values | {"differ": differ, "few": differ}
    yield "parameters", {"summary": "Summary sensitivity 80 %."}


def about_change() -> Iterator[tuple[str, dict[str, Any]]]:
    """What a study less and studies more would change."""
    yield "without_none", {}
    usual = {"name": "A 2001", "belief": 0.6, "other": 0.4}
    yield "without", usual | {"change": 0.0, "turning": [], "approximate": False}
    yield "without", usual | {"change": 0.2, "turning": ["A"], "approximate": True}
    yield "without", usual | {"change": 0.2, "turning": list("ABCD"), "approximate": False}
    pounds = replace(HALF, unit="£")
    for one, ten, evpi, n1, payoffs in (
        (0.1, 0.2, 0.3, 1, HALF),
        (1e-9, 1e-9, 0.3, 40, pounds),
        (0.0, 0.0, 0.0, 40, HALF),
        (0.1, 0.2, 0.3, None, HALF),
        (1e-5, 1e-5, 1e-5, 40, HALF),
    ):
        more = SimpleNamespace(**{**dict.fromkeys(MoreStudies.__annotations__), "evpi": evpi, "n1": n1})
        yield "value", {"more": more, "one": one, "ten": ten, "payoffs": payoffs}
        yield "like_these", {"more": more}
        yield "like_these", {"more": SimpleNamespace(**vars(more) | {"n2": 60})}
    yield "gain", {"value": 0.1, "payoffs": HALF}
    of_all = SimpleNamespace(evpi=3e5, evsi=[1660.0])
    for people, price, best in ((17_215.0, 0.0, 0), (0.0, 20_000.0, 0), (17_215.0, 2000.0, 6)):
        values = {"all": of_all, "everyone": Everyone(people, price), "best": best, "net": 5e4}
        yield "for_everyone", values | {"payoffs": pounds}
    yield "for_everyone", values | {"payoffs": HALF}
    for decisions, count in ((1, 0), (1, 1), (2, 2)):
        yield "risk", {"decisions": decisions, "count": count}
    for judged, high, total in ((False, 0, 4), (True, 2, 14), (True, 0, 14)):
        yield "not_accounted", {"judged": judged, "high": high, "total": total}


def about_the_report() -> Iterator[tuple[str, dict[str, Any]]]:
    """Rows and methods of the report."""
    for evidence in (belief(0.8), belief(0.6, theta_sp=0.9)):
        yield "question", {"evidence": evidence}
    for payoffs in (HALF, THREE):
        yield "how_sure", {"payoffs": payoffs, "actions": Actions(**ACTIONS, others=("Trial only",))}
    for payoffs in (HALF, replace(Payoffs.from_q_star(0.8), unit="£"), Payoffs.from_q_star(0.2)):
        yield "consequences", {"payoffs": payoffs, **ACTIONS}
    for b in (None, 0.4):
        yield "belief_row", {"belief": b}
    for healthy in (0.0, 1200.0):
        yield "studies_row", {"count": 4, "diseased": 300.0, "healthy": healthy}
    for engine in ENGINES.values():
        yield "model", {"engine": engine, "theta_sp": None}
        yield "model", {"engine": engine, "theta_sp": 0.9}
    for learned, weight in (
        (None, 1.0),
        (SimpleNamespace(studies=90, reviews=12, source=""), 0.6),
        (SimpleNamespace(studies=90, reviews=12, source="CLEF"), 1.0),
    ):
        prior = SimpleNamespace(b_0=0.5, learned_from=learned, weight=weight)
        yield "prior_of_belief", {"prior": prior, "sentence": "Before any study it may be anything."}
    yield "rule", {"evidence": belief(0.8), **ACTIONS}


def test_every_branch_reads_as_a_sentence() -> None:
    with every_branch(message):
        for part in (about_belief, about_studies, about_change, about_the_report):
            for name, values in part():
                assert message(name, **values)


def test_no_end_of_an_interval_is_rounded_to_the_threshold_beside_it() -> None:
    said = message("density", evidence=belief(0.97), with_prior=True, low=0.7493, middle=0.8, high=0.9)
    assert "between 74.9 % and 90 %" in said
