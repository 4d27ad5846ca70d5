"""Explore's figures: what is drawn, what it says, and that no number stands in a picture only."""

import json
import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tarstop_core.explore import figures, map_figure, maps, message, plans, sensitivity, sensitivity_figure
from tarstop_core.explore.lists import sample
from tarstop_core.explore.maps import Measure
from tarstop_core.explore.plans import Now, World
from tarstop_core.policies import Budget, Greedy, LookAhead, OpenLoop, Optimal, Policy
from tarstop_core.presentation.numbers import percent
from tarstop_core.screening.advice import advise
from tarstop_core.screening.labels import CONFIRMED, IRRELEVANT, RELEVANT
from tarstop_core.screening.patent_settings import PatentSettings
from tarstop_core.value.payoffs import Payoffs
from tarstop_core.value.stakes import Stakes
from tests.spoken import listening, spoken

SEARCH, REVIEW = "search:antenna-mount", "review:brindle-fever"
MONEY = Payoffs(2500, 10_000, 2500, 10_000, "£")
MEASURES: tuple[Measure, ...] = ("depth", "net_utility", "decision", "regret")


def shown(key: str = SEARCH, world: World = "planned", *policies: Policy) -> list[maps.Map]:
    """Maps of a sample in money."""
    explored = sample(key)
    settings = replace(explored.settings, payoffs=MONEY, cost=10.0)
    return maps.maps(explored, settings, policies or (Optimal(),), world, maps.COMPARED)


STAKED = PatentSettings(MONEY, 10.0, plus="Reject", minus="Grant")


def texts(figure: dict[str, Any]) -> list[str]:
    """Texts beside the lines."""
    return [each["text"] for each in figure["layout"]["annotations"]]


def test_the_figure_of_stakes_has_its_lines_where_the_payoffs_say() -> None:
    now = Now(0.3, 0.02, MONEY.q_star, float(MONEY.evpi(0.3)), 30.0, False, True, 10.0, 500.0)
    figure = figures.stakes_figure(now, STAKED, simulated=True)
    up, down, evpi = figure["data"][:3]
    assert (up["y"][0], up["y"][-1], down["y"][0], down["y"][-1]) == (-10_000, 2500, 10_000, -2500)
    assert evpi["x"][int(np.argmax(evpi["y"]))] == MONEY.q_star == 0.8
    assert max(evpi["y"]) == pytest.approx(float(MONEY.evpi(0.8)))
    assert {
        "“Reject”",
        "“Grant”",
        " Reject above 80 % ",
        " now ",
        "Greedy reads on above",
        "simulated",
    } <= set(texts(figure))
    orange = [each for each in figure["data"] if each.get("line", {}).get("color") == figures.COST]
    assert [each["y"] for each in orange] == [[500.0, 500.0]]
    dotted = [each["y"][-1] for each in figure["data"] if each.get("line", {}).get("dash") == "dot"]
    assert dotted == pytest.approx([float(MONEY.utility(now.b)), now.evpi]), "through no name of an action"
    rows = figures.stakes_rows(now, MONEY)
    assert max(rows, key=lambda row: row["evpi"])["belief"] == 0.8
    json.dumps(figure)


@pytest.mark.parametrize("share", [0.02, 0.08, 0.11, 0.15, 0.172, 0.2])
def test_the_name_of_what_greedy_needs_is_crossed_by_no_line_even_on_a_phone(share: float) -> None:
    even = Payoffs(1250.0, 1250.0, 1250.0, 1250.0, "£")
    now = Now(0.35, 0.05, 0.5, float(even.evpi(0.35)), 35.0, False, True, 5.0, 1250.0 * share)
    figure = figures.stakes_figure(now, replace(STAKED, payoffs=even))
    (name,) = (each for each in figure["layout"]["annotations"] if each["text"] == "Greedy reads on above")
    evpi, half, line = figure["data"][2], 0.18, 0.13 * 1250
    low = name["y"] - line if name["yanchor"] == "top" else name["y"]
    beside = [y for x, y in zip(evpi["x"], evpi["y"], strict=True) if abs(x - name["x"]) < half]
    assert low > -0.03 * 1250 and not any(low < y < low + line for y in beside)
    assert not any(abs(edge - name["x"]) < half for edge in (now.b, now.q_star))


def test_without_a_document_left_nothing_is_asked_of_evpi() -> None:
    now = Now(0.3, 0.0, 0.8, 1500.0, 0.0, False, False, 10.0, np.inf)
    assert "Greedy reads on above" not in texts(figures.stakes_figure(now, STAKED))
    plan = plans.cell_of(sample(SEARCH), STAKED, Optimal(), "planned")
    kind, values = spoken(message, figures.stakes_sentence, now, STAKED, plan)
    assert (kind, values["now"].rho) == ("stakes", 0) and values["payoffs"] == MONEY
    said = figures.stakes_sentence(now, STAKED, plan)
    assert "−£6,250" in said and " £6,250" in said


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("world", ["planned", "played"])
@pytest.mark.parametrize("key", [SEARCH, REVIEW])
def test_every_map_shows_its_cells_and_says_what_they_show(key: str, world: World, measure: Measure) -> None:
    # At every stake anew the closed loop takes seconds in a review.
    first, second = shown(key, world, OpenLoop(), Greedy())
    for against in (None, second):
        figure = map_figure.map_figure(first, measure, against=against, here=(0.8, 0.0004), cell=(4, 7))
        heat, points, _, _, cell, here = figure["data"]
        z = np.array(heat["z"])
        assert (
            z.shape == first.measures["depth"].shape and heat["zmin"] <= z.min() and z.max() <= heat["zmax"]
        )
        expected = first.values(measure) - (0 if against is None else against.values(measure))
        assert (np.sign(z) == np.sign(expected)).all()
        assert points["y"][len(first.fractions)] == first.q_stars[1] and len(points["x"]) == z.size
        assert points["x"][3] == pytest.approx(np.log10(25_000 * first.fractions[3]))
        assert (cell["x"], cell["y"]) == ([points["x"][7]], [first.q_stars[4]])
        assert here["y"] == [0.8] and here["x"] == [pytest.approx(1.0)]
        said = map_figure.map_sentence(first, measure, against)
        assert "Open loop" in said and ("Greedy" in said) == (against is not None)
        assert not re.search(r"\d\.\d{5,}|\d{4,}\.\d", said), said
        json.dumps(figure)


def test_sentences_of_maps_are_computed_from_the_cells() -> None:
    first, second = shown(SEARCH, "planned", Optimal(), Greedy())
    row, column = divmod(int(first.measures["depth"].argmax()), len(first.fractions))
    kind, values = spoken(message, map_figure.map_sentence, first, "depth")
    assert kind == "depth_map" and values["planned"] and values["low"] == 0
    assert values["high"].split()[0] == f"{first.measures['depth'].max():,}"
    place = (percent(first.q_stars[row]), f"£{first.fractions[column] * 25_000:.3g}")
    assert all(part in values["at_high"] for part in place)
    kind, values = spoken(message, map_figure.map_sentence, first, "depth", second)
    most = np.abs(first.measures["depth"] - second.measures["depth"]).max()
    assert kind == "difference" and values["size"].split()[0] == f"{most:,}"
    assert spoken(message, map_figure.map_sentence, first, "depth", first).kind == "difference_of_none"
    (fixed,) = shown(SEARCH, "planned", Budget(7))
    kind, values = spoken(message, map_figure.map_sentence, fixed, "depth")
    assert (kind, values["rule"], values["high"]) == ("same_map", Budget(7), "7 documents")


def test_a_map_of_one_list_says_where_the_decision_is_that_of_the_truth() -> None:
    (played,) = shown(SEARCH, "played", Optimal())
    right = float(played.values("agreement").mean())
    said = spoken(message, map_figure.map_sentence, played, "agreement")
    assert 0 < right < 1 and said == ("agreement_map", {"rule": Optimal(), "right": right})


def test_decisions_are_told_by_signs_as_well_as_colours() -> None:
    (played,) = shown(SEARCH, "played")
    marks = np.array(map_figure.map_figure(played, "decision")["data"][0]["text"])
    assert played.omega is not None
    wrong = played.option != played.omega[:, None]
    assert (marks[wrong] == "✗").all() and set(marks[~wrong]) <= {"+", "−"} and wrong.any()
    first, second = shown(SEARCH, "planned", Optimal(), Budget(1))
    marks = np.array(map_figure.map_figure(first, "decision", against=second)["data"][0]["text"])
    assert ((marks == "≠") == (first.option != second.option)).all()


def test_where_one_is_is_marked_only_on_the_map() -> None:
    (one,) = shown()
    assert len(map_figure.map_figure(one, "depth", here=(0.5, 0.0))["data"]) == 2
    assert len(map_figure.map_figure(one, "depth", here=(0.5, 0.5))["data"]) == 2


@pytest.mark.parametrize("dark", [False, True])
def test_where_one_is_is_seen_on_dark_and_on_light_cells(dark: bool) -> None:
    (one,) = shown()
    within = one.fractions[2]
    drawn = map_figure.map_figure(one, "depth", cell=(2, 2), here=(0.5, within), dark=dark)["data"][2:]
    colours = [trace["marker"]["line"]["color"] for trace in drawn]
    assert len(drawn) == 4 and len({*colours[:2]}) == 1 and len({*colours}) == 2


def test_the_bar_of_depths_can_be_read_where_they_are_within_a_decade() -> None:
    (one,) = shown()
    near = replace(one, measures={**one.measures, "depth": 26 + one.values("depth") % 150})
    assert len(map_figure.map_figure(near, "depth")["data"][0]["colorbar"]["tickvals"]) > 1


def test_the_worth_that_screen_names_stands_beside_the_score_that_is_smaller() -> None:
    explored = sample(SEARCH)
    settings = replace(explored.settings, payoffs=MONEY, cost=10.0)
    now = plans.decide(explored.planned(settings), 0, 10.0)
    for rule in (Optimal(), LookAhead(1), Greedy(), Budget(9)):
        cell = plans.cell_of(explored, settings, rule, "planned")
        worth = spoken(message, figures.stakes_sentence, now, settings, cell).values["worth"]
        screen = advise(replace(settings, policy=rule.spec), explored.calibrator, explored.p, explored.state)
        assert worth == (None if rule in (Greedy(), Budget(9)) else pytest.approx(screen.worth))
        assert worth is None or worth > 1.5 * now.value


@pytest.mark.parametrize("key", [SEARCH, REVIEW])
def test_a_tornado_draws_every_assumption_widest_first(key: str) -> None:
    explored = sample(key)
    settings = replace(explored.settings, payoffs=MONEY, cost=10.0)
    found = sensitivity.tornado(explored, settings, Optimal())
    figure = sensitivity_figure.tornado_figure(found, settings, simulated=True, dark=True)
    depth_low, depth_high, net_low, net_high = figure["data"]
    widths = [max(*ends, 0) - min(*ends, 0) for ends in zip(depth_low["x"], depth_high["x"], strict=True)]
    assert widths == sorted(widths, reverse=True) and len(widths) == len(found.swings)
    assert depth_low["base"][0] == found.depth and net_high["base"][0] == found.net_utility
    assert any("b₀ = " in each for each in net_low["customdata"])
    assert "twice as likely" in " ".join(net_high["customdata"])
    said = sensitivity_figure.tornado_sentence(found, settings)
    assert f"stops after {found.depth:,} documents" in said and "£" in said
    alike = replace(found, swings=tuple(replace(each, depth=(1, found.depth)) for each in found.swings))
    said = sensitivity_figure.tornado_sentence(alike, settings)
    assert f"; {len(found.swings) - 1} others as much)" in said
    rows = sensitivity_figure.tornado_rows(found)
    assert len(rows) == 2 * len(found.swings) and {"low", "high"} != {row["assumption"] for row in rows}
    json.dumps(figure)


def test_break_evens_say_what_would_happen_instead() -> None:
    explored = sample(SEARCH)
    settings = replace(explored.settings, payoffs=MONEY, cost=10.0)
    with listening(message) as heard:
        turns = sensitivity.break_evens(explored, settings, Optimal())
        sensitivity_figure.break_even_sentences(explored, settings, *turns)
    turn = next(values for _, values in heard if values.get("name") == "cost")
    assert turn["now"] and turn["more"] and turn["action"] == "Grant" and turn["at"].startswith("£")
    dear = replace(settings, cost=3000.0)
    with listening(message) as heard:
        turns = sensitivity.break_evens(explored, dear, Optimal())
        sensitivity_figure.break_even_sentences(explored, dear, *turns)
    turn = next(values for _, values in heard if values.get("name") == "L_g")
    assert not turn["now"] and turn["more"] and turn["value"] == "£2,500"


def test_without_a_unit_sensitivity_counts_in_documents() -> None:
    explored = sample(SEARCH)
    settings = explored.settings
    found = sensitivity.tornado(explored, settings, Optimal())
    said = sensitivity_figure.tornado_sentence(found, settings)
    assert f"{found.net_utility / settings.cost:,.0f} documents" in said
    figure = sensitivity_figure.tornado_figure(found, settings)
    assert figure["data"][2]["base"][0] == pytest.approx(found.net_utility / settings.cost)
    turns = sensitivity.break_evens(explored, settings, Optimal())
    with listening(message) as heard:
        sensitivity_figure.break_even_sentences(explored, settings, *turns)
    values = {values["name"]: values for name, values in heard if name == "turn"}
    assert "times" in values["cost"]["at"] and values["B"]["value"] == "250 documents"


@pytest.mark.parametrize("key", [SEARCH, REVIEW])
@pytest.mark.parametrize("world", ["planned", "played"])
def test_the_path_of_a_cell_ends_where_the_rule_stops(key: str, world: World) -> None:
    explored = sample(key)
    found = plans.cell_of(explored, explored.settings, Optimal(), world)
    figure = figures.path_figure(found, explored.settings, simulated=True)
    assert "simulated" in texts(figure) and any(
        f"{explored.settings.plus} above" in each for each in texts(figure)
    )
    said = figures.path_sentence(found, explored.settings)
    assert f"after {found.depth:,} document" in said
    assert ("correctly" in said or "wrongly" in said) == (world == "played")
    columns = figures.path_columns(found)
    assert {len(each) for each in columns.values()} == {len(explored) + 1}
    assert columns["belief"][found.depth] == found.path.belief_at(found.depth)
    json.dumps(figure)
    greedy = plans.cell_of(explored, explored.settings, Greedy(), world)
    greedy = figures.path_figure(greedy, explored.settings)
    assert greedy["layout"]["yaxis2"]["title"]["text"] == "worth each ÷ cost"


def test_the_headline_and_the_check_say_their_numbers() -> None:
    explored = sample(SEARCH)
    plan = plans.cell_of(explored, explored.settings, Optimal(), "planned")
    kind, values = spoken(message, figures.plan_sentence, plan, explored)
    assert (kind, values["cell"], values["documents"]) == ("plan", plan, 312)
    assert re.findall(r"\d+", figures.plan_sentence(plan, explored)) == [str(plan.depth), "312"]
    worth = str(round(plan.net_utility / explored.settings.cost))
    assert re.findall(r"\d+", figures.worth_sentence(plan, explored.settings)) == [worth]
    pounds = explored.settings.with_stakes(Stakes(MONEY, 20.0))
    said = figures.worth_sentence(plans.cell_of(explored, pounds, Optimal(), "planned"), pounds)
    assert "is expected to bring £" in said and said.endswith(", net of screening.")
    losing = plans.cell_of(explored, explored.settings, Budget(312), "planned")
    assert losing.net_utility < 0 and "to lose" in figures.worth_sentence(losing, explored.settings)
    dear = replace(explored.settings, cost=5.0)
    plan = plans.cell_of(explored, dear, Optimal(), "planned")
    kind, values = spoken(message, figures.plan_sentence, plan, explored)
    assert (kind, values["cell"].net_utility, values["waiting"]) == ("plan_of_none", 0, 0)
    assert not figures.worth_sentence(plan, dear)
    free = Stakes(MONEY, 0.0)
    assert figures.check_sentence(free, PatentSettings(MONEY, 0.0)).endswith("Reading costs nothing.")


@pytest.mark.parametrize("confirm", [False, True])
def test_a_hit_that_settles_the_question_is_said_everywhere(confirm: bool) -> None:
    unread = sample(SEARCH)
    settings = replace(unread.settings, confirm_hits=confirm)
    labels, confirmed = unread.state.labels.copy(), unread.state.confirmed.copy()
    labels[:18], labels[17], confirmed[17] = IRRELEVANT, RELEVANT, CONFIRMED
    state = replace(unread.state, settings=settings, labels=labels, confirmed=confirmed)
    explored = replace(unread, settings=settings, state=state, truth=None)
    found = plans.cell_of(explored, settings, Optimal(), "planned")
    kind, values = spoken(message, figures.plan_sentence, found, explored)
    assert (kind, values) == ("plan_settled", {"cell": found, "confirmed": confirm})
    assert found.depth == found.path.hit == 18
    further = plans.cell_of(explored, settings, Budget(100), "planned")
    assert spoken(message, figures.plan_sentence, further, explored).kind == "plan_settled"
    assert further.depth == 100 and "100" in figures.plan_sentence(further, explored)
    (drawn,) = maps.maps(explored, settings, [Optimal()], "planned")
    moved = sensitivity.tornado(explored, settings, Optimal())
    assert (
        drawn.settled
        and moved.settled
        and set(drawn.measures["depth"].ravel()) == {18}
        and drawn.option.all()
    )
    for measure in ("depth", "decision"):
        kind, values = spoken(message, map_figure.map_sentence, drawn, measure)
        assert (kind, values["depth"]) == ("settled_map", 18)
    for said in (
        figures.path_sentence(found, explored.settings),
        sensitivity_figure.tornado_sentence(moved, settings),
    ):
        assert "settled the question" in said and "turns up" not in said
    state = replace(state, labels=np.where(np.arange(len(unread)) == 18, IRRELEVANT, labels).astype(np.int8))
    later = replace(explored, state=state)
    found = plans.cell_of(later, settings, Optimal(), "planned")
    kind, values = spoken(message, figures.plan_sentence, found, later)
    assert (kind, found.path.hit, found.depth, found.start) == ("plan_settled", 18, 19, 19)


@pytest.mark.parametrize("measure", ["depth", "net_utility", "regret", "agreement"])
def test_the_mean_of_a_collection_is_shown_cell_by_cell(measure: Measure) -> None:
    lists = [sample(SEARCH), sample("search:battery-pack")]
    settings = replace(lists[0].settings, payoffs=MONEY, cost=10.0)
    first, second = maps.mean_maps(lists, settings, [Optimal(), Greedy()], "played", maps.COMPARED)
    each = [maps.maps(one, settings, [Optimal()], "played", (Greedy(), *maps.COMPARED))[0] for one in lists]
    assert first.values(measure) == pytest.approx(np.mean([one.values(measure) for one in each], axis=0))
    for against in (None, second):
        heat = map_figure.map_figure(first, measure, against=against)["data"][0]
        assert np.array(heat["z"]).shape == first.values(measure).shape
        said = map_figure.mean_sentence(first, measure, against)
        assert said.startswith("Over 2 lists") and ("Greedy" in said) == (against is not None)
    assert len(first.columns()["cost"]) == first.values("depth").size
