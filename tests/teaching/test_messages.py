"""Every branch of what the lesson, the game and the ideas say, rendered."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from types import SimpleNamespace

import numpy as np

from tarstop_core.explore.lists import sample
from tarstop_core.policies import Greedy, Optimal, parse_policy
from tarstop_core.teaching import ideas, lesson, message
from tarstop_core.teaching.formulas import filled, formula_message
from tarstop_core.teaching.game import Game, ScoreRow, rules_of_the_game
from tarstop_core.teaching.ideas import engines, mistaken, recall, scores, trials, value
from tarstop_core.teaching.lesson import Lesson, Step
from tarstop_core.value.payoffs import Payoffs
from tests.branches import every_branch

SEARCHES = ("search:antenna-mount", "search:battery-pack")
REVIEWS = ("review:hollow-hip", "review:brindle-fever", "review:marl-lung")
RULES = ("optimal", "greedy", "smooth:K=5", "batch:K=10", "budget:d=30", "screen-everything")


def steps() -> Iterator[tuple[Lesson, Step]]:
    """Lessons of either kind at several depths, at low and at high stakes."""
    for key, spec, q_star in product((*SEARCHES, *REVIEWS), RULES, (0.1, 0.5, 0.9)):
        listing = sample(key)
        settings = replace(listing.settings, payoffs=Payoffs.from_q_star(q_star), cost=0.001)
        one = Lesson(listing, settings, parse_policy(spec))
        for depth in sorted({0, 1, 2, 5, 6, 7, 10, 16, 25, one.stop} - set(range(one.stop + 1, 99))):
            yield one, one.step(depth)


def test_every_branch_of_the_formulas() -> None:
    with every_branch(formula_message):
        for one, step in steps():
            assert all(formula.words and formula.lines[0] for formula in filled(one, step))
        _, step = next(steps())
        evidence = {"question": "sensitivity exceeds 75 %", "tables": [(9.0, 1.0), (3.0, 2.0)]}
        both = replace(step, depth=9, brought=2)
        formula_message("belief_of_tables", step=both, **evidence, earlier=1.0, ratio=None)
        formula_message("no_plan")
        worth = {"plus": "Reject", "unit": "£", "gain": 2.0, "surplus": 1.0, "above_score": False}
        formula_message("evsi", step=replace(step, evsi=1.0), **worth)
        batch = {"rule": parse_policy("batch:K=10"), "action": "Grant", "cost": 0.1, "unit": "£"}
        for go_on, above in product((True, False), (True, False)):
            formula_message("decision", step=replace(step, compared=0.2, go_on=go_on), above=above, **batch)


def played(*, right: bool) -> SimpleNamespace:
    """What a rule, or a person, did in a round."""
    return SimpleNamespace(depth=12, right=right, net_utility=250.0, action="a+")


def row(total: float, expected: float | None = None, *, you: bool = False) -> SimpleNamespace:
    """A line of the result."""
    title = "You" if you else "Optimal"
    return SimpleNamespace(title=title, you=you, total=total, expected=expected, right=3, read=90)


def test_every_branch_of_the_lesson_and_of_the_game() -> None:
    assert {"total", "right", "read", "title", "expected", "you"} <= {
        *dir(ScoreRow),
        *ScoreRow.__annotations__,
    }
    with every_branch(message):
        for key, spec in product((*SEARCHES, *REVIEWS), ("optimal", "greedy", "decide-now")):
            one = Lesson(sample(key), sample(key).settings, parse_policy(spec))
            for depth in (0, one.stop):
                assert lesson.words(one, one.step(depth))
            assert lesson.truth(one) and lesson.came_of(one)
        step = replace(one.step(0), studies=1, go_on=True, more=3, compared=None)
        for depth, go_on in ((0, True), (7, False)):
            message("idea", depth=depth, belief=0.5, worth=772.0, cost=10.0, unit="£", go_on=go_on)
        message("step", step=step, question="sensitivity exceeds 75 %", plus="Adopt", rule=Optimal())
        message("truth_of_review", omega=True, studies=9, question="sensitivity exceeds 75 %", b=0.9, last=40)
        assert "1 point" in rules_of_the_game(Game()) and "if wrong" in rules_of_the_game(Game(q_star=0.8))
        for right in (True, False):
            own, optimal = played(right=right), played(right=not right)
            actions = {"own_action": "Reject", "optimal_action": "Grant"}
            message("round", hidden="There was no prior art.", own=own, optimal=optimal, **actions)
            for missed in ([], [9], list(range(9, 29))):
                truth = {"omega": right, "question": "sensitivity exceeds 75 %", "b": 0.9}
                message("hidden_in_review", finds=[3, 9], missed=missed, **truth)
            for lost in (0.0, 80.0):
                you = row(900.0, you=True)
                which = {"lost": lost, "round": 2, "list": "Hollow hip", "own": own}
                message("decisions", you=you, optimal=row(950.0), rounds=5, **which)
        for finds, missed in (([], []), ([3, 9], [3, 9]), ([3, 9], [9])):
            message("hidden", finds=finds, missed=missed)
            headings = [message("round_heading", name="Mast", finds=finds, one_decides=one) for one in (0, 1)]
            assert [heading == "Mast: where you stopped" for heading in headings] == [not finds] * 2
        message("standing", you=row(900.0, you=True), place=2, rows=20, best=row(950.0))
        for best in (2000.0, 1500.0):
            message("regret", best=best, oracle=1800.0)
        for first in (row(950.0, 800.0), row(900.0, you=True)):
            for lucky in (True, False):
                message("luck", first=first, promised=row(700.0, 850.0), lucky=lucky, rounds=5)
        message("often_ahead", depth=7, ahead=3, lists=12)
        for students in (1, 23):
            together = SimpleNamespace(
                students=[None] * students, mean={"total": -20.0, "right": 3.2, "read": 76.0}.get
            )
            message("together", together=together, ahead=students // 2, optimal=row(950.0), rounds=5)


def test_every_branch_of_the_ideas() -> None:
    with every_branch(ideas.message):
        for idea in (
            value.CERTAINTY,
            value.ONE_DOCUMENT,
            engines.IDEA,
            trials.IDEA,
            mistaken.IDEA,
            recall.IDEA,
            scores.IDEA,
        ):
            assert idea.title and idea.lead
        for name in ("peak", "recall", "one_document", "engines", "trials", "mistaken", "scores"):
            assert ideas.message(f"{name}_title") and ideas.message(f"{name}_lead")
        value.peak_picture(Payoffs.from_q_star(0.5), 0.3)
        for case in recall.CASES.values():
            listing = sample(case.key)
            for target in (0.3, 0.95):
                settings = ideas.at_stake(listing, case.q_star, case.cost, case.theta)
                recall.recall_picture(recall.stops(listing, settings, target))
        rules = recall.real_rules(0.5, 0.001)
        for together in (-0.9, 0.0, 0.9):
            shuffled = SimpleNamespace(**{**vars(rules), "together": together})
            best = rules.rows.iloc[0]
            ideas.message("rules", rules=shuffled, best=best, most=best)
        recall.real_rules_picture(rules)
        listing = ideas.sample_search("prosthetic-foot")
        for p, q_star, cost in product((0.05, 0.5), (0.1, 0.3, 0.9), (0.0001, 0.001, 0.02)):
            value.one_document_picture(value.one_document(Payoffs.from_q_star(q_star), p))
            value.three_rules_picture(value.three_rules(listing, ideas.at_stake(listing, q_star, cost)))
        worth = {"last": 0.5, "b": 0.2, "evsi": 0.04, "score": 0.01, "ahead": 50}
        ideas.message("one_document", **worth, trap=[])
        stops = {"greedy": 5, "single": 3, "optimal": 9, "same": False, "gain": 0.01}
        for zero_all, zero_until in ((True, 0), (False, 4)):
            ideas.message("along_a_list", **stops, zero_all=zero_all, zero_until=zero_until)
        engines.engines_picture("iqcode", 0.75, 1.0)
        engines.widths_picture("iqcode", 0.75, 1.0)
        moves, b = [0.3, 0.1], [0.5, 0.8, 0.7]
        numbers = {"moves": moves, "at": 0, "b": b, "middle": 1, "apart": None}
        ideas.message("engines", number_of_study=1, name="", **numbers)
        for patients in (20.0, 25.0, 10.0):
            ideas.message("widths", now=20.0, patients=patients, studies=9.0, times=4)
        for helped in (True, False):
            ideas.message("widths_heading", patients_help=helped)
        for tau in (0.2, 1.0):
            trials.wrong_picture(tau)
            trials.alike_picture(tau)
        settings = ideas.at_stake(listing, 0.5, 0.001)
        for factor in (0.5, 1.0, 2.0):
            mistaken.mistaken_path_picture(listing, settings, factor)
        rules_of_two = mistaken.mistaken(settings)
        for factor in (1.0, 2.0):
            mistaken.mistaken_picture(rules_of_two, factor)
        timid = replace(rules_of_two[0], net_utility=np.sort(rules_of_two[0].net_utility))
        mistaken.mistaken_picture([timid], 2.0)
        for stops in ((9, 9), (9, 5), (5, 9)):
            beliefs = {"believed": 0.2, "right": 0.3, "stop": stops[0], "believed_stop": stops[1]}
            ideas.message("wrong_chances", factor=2.0, rule=Greedy(), **beliefs)
        for name in scores.SCORES:
            scores.reliability_picture(scores.taken(name, "stretched"))
        for unread in (1, 3):
            ideas.message("scores_unread", depth=20, unread=unread, naive=2.0, learned=1.5)
