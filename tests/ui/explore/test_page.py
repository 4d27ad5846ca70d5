"""The Explore page without a browser: what it says follows what is asked, and the address says it all."""

import re
from collections.abc import Callable
from dataclasses import replace
from itertools import islice
from urllib.parse import parse_qs

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from dashboard.explore.controls import ExploreChoices, address_of, read_address
from dashboard.explore.map_views import at_cell
from dashboard.explore.page import CURRENT, LEARNED, MAP, OF_ONE, SENSITIVITY
from dashboard.parts.stakes import q_star_in_words
from tarstop_core.documents.records import as_records
from tarstop_core.explore import (
    figures,
    map_figure,
    maps,
    order_comparison,
    plans,
    sensitivity,
    sensitivity_figure,
)
from tarstop_core.explore import lists as explore
from tarstop_core.explore.lists import LabelledList, sample
from tarstop_core.policies import Greedy, Optimal, Smooth
from tarstop_core.policies.registry import parse_policy
from tarstop_core.presentation.numbers import amount
from tarstop_core.samples.shipped import calibrators
from tarstop_core.screening.fold import replay
from tarstop_core.screening.log import Event
from tarstop_core.screening.patent_settings import PatentSettings
from tarstop_core.screening.review_settings import ReviewSettings
from tarstop_core.screening.settings import Settings
from tarstop_core.screening.settings_words import not_as_in_session
from tarstop_core.sessions.demo import start_demo, start_review_demo
from tarstop_core.sessions.store.store import Store
from tarstop_core.value.decisive import DecisivePath
from tarstop_core.value.payoffs import Payoffs
from tarstop_core.value.stakes import Stakes

OpenApp = Callable[..., AppTest]
SEARCH, REVIEW = "search:antenna-mount", "review:brindle-fever"
DIFFERS = "Changed from the session"
MONEY = Payoffs(4000, 1500, 6000, 2500, "£")
ASKED = {"payoffs": "4000,1500,6000,2500", "unit": "£", "cost": "12"}


def shown(app: AppTest) -> str:
    """Everything that the page says in HTML, captions and boxes."""
    assert not app.exception
    parts = [*app.get("html"), *app.caption, *app.info, *app.warning, *app.error]
    text = " ".join(str(getattr(part, "value", "") or part.proto.body) for part in parts)
    return text.replace("\xa0", " ").replace("\u2060", "").replace("\\", "")


def asked(key: str = SEARCH, **more: float) -> Settings:
    """Settings that `ASKED` stands for."""
    return replace(sample(key).settings, payoffs=MONEY, cost=12.0, **more)  # type: ignore[arg-type]


def headline(key: str, settings: Settings) -> str:
    """What the top of the page ought to say."""
    plan = plans.cell_of(sample(key), settings, parse_policy(settings.policy), "planned")
    return figures.plan_sentence(plan, sample(key))


@pytest.fixture
def two_lists(monkeypatch: pytest.MonkeyPatch) -> None:
    """Collections have two lists: what a page says of all of them it says of these, in a sixth of the time."""
    whole = explore.collection
    monkeypatch.setattr(explore, "collection", lambda name: dict(islice(whole(name).items(), 2)))


def test_a_sample_is_shown_first_and_the_address_has_everything(open_app: OpenApp) -> None:
    app = open_app("explore")
    assert headline(SEARCH, sample(SEARCH).settings) in shown(app)
    assert "simulated" in shown(app) and "tar-fluid" in shown(app)
    address = {name: str(value) for name, value in app.query_params.items()}
    assert address["of"] == SEARCH and address["payoffs"] == "0.25,0.25,0.25,0.25"
    assert address["rule"] == "optimal" and "cell" not in address and "theta" not in address


@pytest.mark.parametrize("key", [SEARCH, REVIEW])
def test_an_address_brings_back_what_was_asked(open_app: OpenApp, key: str) -> None:
    app = open_app("explore", of=key, b_0="0.3", **ASKED)
    said = shown(app)
    settings = asked(key, b_0=0.3)
    assert headline(key, settings) in said
    now = plans.decide(sample(key).planned(settings), 0, 12.0)
    plan = plans.cell_of(sample(key), settings, parse_policy(settings.policy), "planned")
    assert (
        figures.stakes_sentence(now, settings, plan) in said and amount(now.value, "£", exact=False) in said
    )
    assert app.query_params["b_0"] == "0.3" and app.query_params["unit"] == "£"


def test_moving_what_is_at_stake_moves_everything(open_app: OpenApp) -> None:
    app = open_app("explore", of=SEARCH, **ASKED)
    app.number_input(f"explore/{SEARCH}/stakes/L_g").set_value(20_000.0).run()
    moved = replace(asked(), payoffs=replace(MONEY, L_g=20_000.0))
    assert headline(SEARCH, moved) in shown(app)
    assert app.query_params["payoffs"] == "4000.0,1500.0,20000.0,2500.0"
    app.slider(f"explore/{SEARCH}/b_0").set_value(0.2).run()
    assert headline(SEARCH, replace(moved, b_0=0.2)) in shown(app)


def test_theta_is_asked_of_reviews_only(open_app: OpenApp) -> None:
    app = open_app("explore", of=REVIEW, theta="0.6")
    assert q_star_in_words(0.5, "Adopt", "sensitivity exceeds 60 %") in shown(app)
    app.slider(f"explore/{REVIEW}/theta").set_value(0.9).run()
    assert headline(REVIEW, replace(sample(REVIEW).settings, theta=0.9)) in shown(app)
    assert app.query_params["theta"] == "0.9"


@pytest.mark.parametrize("measure", OF_ONE)
@pytest.mark.parametrize("world", ["planned", "played"])
def test_the_map_and_its_path_say_what_the_engine_says(open_app: OpenApp, measure: str, world: str) -> None:
    app = open_app(
        "explore",
        of=SEARCH,
        show=MAP,
        measure=measure,
        world=world,
        against="smooth:K=5",
        cell="0.2,0.01",
        **ASKED,
    )
    first, second = maps.maps(
        sample(SEARCH),
        asked(),
        [Optimal(), Smooth(5)],
        world,
        maps.COMPARED if measure == "regret" else (),  # type: ignore[arg-type]
    )
    said = shown(app)
    assert map_figure.map_sentence(first, measure, second) in said  # type: ignore[arg-type]
    row, column = first.q_stars.index(0.2), first.fractions.index(0.01)
    there = asked().with_stakes(asked().stakes.with_q_star(0.2).with_fraction(0.01))
    cell = plans.cell_of(sample(SEARCH), there, Optimal(), world)  # type: ignore[arg-type]
    assert (cell.depth, there.cost) == (first.measures["depth"][row, column], pytest.approx(140))
    assert cell.net_utility == pytest.approx(first.measures["net_utility"][row, column])
    assert figures.path_sentence(cell, there) in said
    assert len(app.get("plotly_chart")) == 2
    assert app.query_params["against"] == "smooth:K=5" and app.query_params["cell"] == "0.2,0.01"


def test_a_cell_is_chosen_by_sliders_and_left_again(open_app: OpenApp) -> None:
    app = open_app("explore", of=SEARCH, show=MAP)
    assert "a threshold of 50 % and" in shown(app)
    app.select_slider(f"explore/{SEARCH}/cell_q").set_value(0.8).run()
    assert "a threshold of 80 % and" in shown(app) and app.query_params["cell"] == "0.8,0.001"
    app.button(f"explore/{SEARCH}/cell_back").click().run()
    assert "a threshold of 50 % and" in shown(app) and "cell" not in app.query_params


def test_sensitivity_names_what_moves_and_what_would_turn(open_app: OpenApp) -> None:
    app = open_app("explore", of=SEARCH, show=SENSITIVITY, rule="greedy", **ASKED)
    said = shown(app)
    found = sensitivity.tornado(sample(SEARCH), asked(), Greedy())
    assert sensitivity_figure.tornado_sentence(found, asked()) in said
    turns = sensitivity.break_evens(sample(SEARCH), asked(), Greedy())
    for sentence in sensitivity_figure.break_even_sentences(sample(SEARCH), asked(), *turns):
        assert sentence in said
    assert app.query_params["rule"] == "greedy"


def test_a_sample_review_is_read_in_two_orders_under_ones_own_payoffs(open_app: OpenApp) -> None:
    app = open_app("explore", of=REVIEW, show=LEARNED, rule="greedy", **ASKED)
    found = order_comparison.compare_orders(sample(REVIEW), asked(REVIEW), Greedy())
    for sentence in order_comparison.order_sentences(sample(REVIEW), found, Greedy()):
        assert sentence in shown(app).replace("&nbsp;", " ")
    for row in order_comparison.order_rows([found], asked(REVIEW)):
        assert row["Net utility"] in shown(app)
    assert "Look-ahead" not in shown(app)
    app.session_state[f"explore/{REVIEW}/others"] = True
    app.run()
    assert "Look-ahead" in shown(app) and not app.exception


def test_both_orders_are_compared_over_all_sample_reviews_where_that_is_opened(
    open_app: OpenApp, two_lists: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = open_app("explore", of="reviews", rule="greedy", cell="0.7,0.001")
    assert "by what was found" not in shown(app)
    app.session_state["explore/reviews/learned"] = True
    with monkeypatch.context() as once:
        once.delattr(maps, "mean_maps")  # the maps are those of before
        app.run()
    lists = list(explore.collection("reviews").values())
    settings = at_cell(lists[0].settings, (0.7, 0.001))
    found = [order_comparison.compare_orders(each, settings, Greedy()) for each in lists]
    for row in order_comparison.order_rows(found, settings):
        assert row["Stops after"] in shown(app) and row["Right"] in shown(app)


def test_a_list_whose_labels_would_teach_nothing_has_no_such_order(open_app: OpenApp) -> None:
    app = open_app("explore", of=SEARCH, show=LEARNED)
    assert LEARNED not in [each.label for each in app.tabs] and headline(
        SEARCH, sample(SEARCH).settings
    ) in shown(app)


def test_plain_answers_become_stakes(open_app: OpenApp) -> None:
    app = open_app("explore", of=SEARCH)
    keys = f"explore/{SEARCH}/ask"
    assert "What does an hour" not in " ".join(each.label for each in app.number_input)
    app.session_state[keys] = True
    app.run()
    begun = {name: app.number_input(f"{keys}/{name}").value for name in ("times", "loss", "hour", "per_hour")}
    assert begun == {"times": 1, "loss": 5000, "hour": 60, "per_hour": 6}, "500 documents at £10 each"
    app.number_input(f"{keys}/times").set_value(3.0)
    app.number_input(f"{keys}/loss").set_value(9000.0)
    app.number_input(f"{keys}/per_hour").set_value(20.0).run()
    said = shown(app)
    assert all(value in said for value in ("75 %", "£3,", "3,000 documents"))
    app.button(f"{keys}/use").click().run()
    assert app.query_params["payoffs"] == "1500.0,4500.0,1500.0,4500.0" and app.query_params["cost"] == "3.0"
    assert app.number_input(f"explore/{SEARCH}/stakes/L_r").value == 4500.0
    app.number_input(f"{keys}/per_hour").set_value(0.0).run()
    assert "documents an hour is 0" in shown(app)


def test_ones_own_session_goes_on_from_where_it_stands(open_app: OpenApp, store: Store) -> None:
    calibrator = calibrators()["clef-reviews"]
    digest = store.save_calibrator(calibrator)
    ids = [f"d{at:02d}" for at in range(60)]
    collection = store.save_collection("Kettles", as_records({"id": ids, "title": ids}), [], 0)
    settings = PatentSettings(MONEY, 5.0, b_0=0.6, calibrator=digest, policy="greedy")
    scores = np.linspace(8, 1, 60) ** 2
    session = store.create_session(
        "Kettles, first try", collection, np.arange(60), scores, settings, "kettle", "By score."
    )
    for seq, doc in enumerate(ids[:3]):
        store.append(session, Event("label", {"doc": doc, "label": "irrelevant"}), expected=seq)
    app = open_app("explore", of=f"session:{session}", show=MAP)
    said = shown(app)
    assert "3 read" in said and "Greedy " in said and "paper mode" not in said
    path = DecisivePath(
        calibrator.curve(calibrator.probabilities(scores, 60)), 0.6, MONEY, needs_citation=True
    )
    now = plans.decide(path, 3, 5.0)
    p = calibrator.probabilities(scores, 60)
    held = LabelledList("Kettles", settings, calibrator, p, replay(settings, ids, store.events(session)))
    plan = plans.cell_of(held, settings, parse_policy("greedy"), "planned")
    sentence = figures.stakes_sentence(now, settings, plan)
    assert sentence in shown(open_app("explore", of=f"session:{session}", show=CURRENT))
    assert now.evpi > MONEY.evpi(now.b) and not now.plus_open and MONEY.chooses_plus(now.b)
    assert f"explore/session:{session}/world" not in [each.key for each in app.selectbox]
    unread = shown(open_app("explore", of=f"collection:{collection}"))
    assert "60 documents" in unread and "simulated" not in unread.split("60 documents")[0]


def test_an_unknown_list_is_said_and_a_sample_shown(open_app: OpenApp) -> None:
    said = shown(open_app("explore", of="session:nobody"))
    assert "session:nobody" in said
    assert headline(SEARCH, sample(SEARCH).settings) in said


@pytest.mark.parametrize(
    "address",
    [
        {"payoffs": "1,2,3"},
        {"payoffs": "1,2,-3,4"},
        {"payoffs": "nan,1,1,1", "cost": "-1", "b_0": "7"},
        {"rule": "my_rules.py:Mine", "against": "teapot", "measure": "beauty", "world": "played"},
        {"cell": "a,b", "theta": "2", "cost": "inf"},
    ],
)
def test_nonsense_in_an_address_is_passed_over(address: dict[str, str]) -> None:
    mine = explore.in_own_order("mine", 9)
    assert read_address(address, mine) == ExploreChoices(mine.settings, "optimal")


def test_an_address_reads_back_what_it_was_made_of() -> None:
    one = ExploreChoices(
        replace(asked(REVIEW), theta=0.6, b_0=1 / 3),
        "smooth:K=7",
        "greedy",
        "regret",
        "played",
        (0.25, 0.001),
    )
    assert read_address(address_of(one), sample(REVIEW)) == one
    assert re.fullmatch(r"[\d.,]+", address_of(one)["payoffs"])


@pytest.mark.parametrize(
    ("name", "q_star", "more"),
    [("searches", 0.2, {}), ("reviews", 0.55, {"theta": "0.8", "rule": "greedy"})],
    ids=["searches", "reviews"],
)
def test_a_whole_collection_is_shown_as_the_mean_of_its_lists(
    open_app: OpenApp, two_lists: None, name: str, q_star: float, more: dict[str, str]
) -> None:
    app = open_app("explore", of=name, measure="agreement", world="played", cell=f"{q_star},0.001", **more)
    said = shown(app)
    lists = list(explore.collection(name).values())
    first = lists[0]
    settings = first.settings
    if "theta" in more:
        settings = replace(settings, theta=float(more["theta"]))
    rule = parse_policy(more.get("rule", settings.policy))
    (found,) = maps.mean_maps(lists, settings, [rule], "played")
    assert map_figure.mean_sentence(found, "agreement") in said
    table = app.dataframe[0].value
    row, column = found.q_stars.index(q_star), found.fractions.index(0.001)
    # One list as `tarstop replay` has it.
    own = Stakes(settings.payoffs, settings.cost).with_q_star(q_star).with_fraction(0.001)
    played = first.replayed(rule, replace(settings, payoffs=own.payoffs, cost=own.cost))
    assert table["Stops after"].tolist() == [each.measures["depth"][row, column] for each in found.lists]
    assert table["Stops after"].iloc[0] == played.depth
    assert table["Net utility"].iloc[0] == pytest.approx(played.net_utility)
    right = float((table["Right?"] == "yes").mean())
    assert found.values("agreement")[row, column] == pytest.approx(right)


def test_namesakes_are_told_apart(open_app: OpenApp, store: Store) -> None:
    """The browser answers with what an option is called: of two sessions of one name it would mean the first."""
    first, other = start_demo(store), start_demo(store)
    for session in (first, other):
        store.rename(session, "Mine")
    (later,) = {each.id for each in store.sessions()[:1]}
    (earlier,) = {first, other} - {later}
    app = open_app("explore", of=f"session:{earlier}")
    box = app.selectbox("explore/of")
    assert len(set(box.options)) == len(box.options)
    app.selectbox("explore/of").set_value(f"session:{earlier}").run()
    assert app.selectbox("explore/of").value == f"session:{earlier}"


def test_the_way_from_a_collection_leads_to_the_cell_of_one_list(open_app: OpenApp) -> None:
    app = open_app("explore", of="searches", cell="0.2,0.001")
    link = app.dataframe[0].value["Open it"].iloc[2]
    address = {name: values[0] for name, values in parse_qs(link.partition("?")[2]).items()}
    key, single = list(explore.collection("searches").items())[2]
    asked_of = read_address(address, single)
    assert address["of"] == key and asked_of.cell == (0.2, 0.001)
    assert asked_of.settings.payoffs.q_star == pytest.approx(0.2)


def test_the_open_session_is_explored_unless_the_address_or_a_person_says_otherwise(
    open_app: OpenApp, store: Store
) -> None:
    first, other = start_demo(store), start_demo(store)
    app = open_app("screen", session=first)
    app.switch_page("pages/explore.py").run()
    assert app.selectbox("explore/of").value == f"session:{first}"
    app.selectbox("explore/of").set_value(SEARCH).run()
    assert app.selectbox("explore/of").value == SEARCH == app.query_params["of"]
    assert "together cost 1,000 documents)." in shown(app)
    app.run()
    assert app.selectbox("explore/of").value == SEARCH
    app = open_app("sessions", session=other)
    app.button("session_detail/explore").click().run()
    assert app.selectbox("explore/of").value == f"session:{other}"
    assert "expected to bring £" in shown(app) and "together cost" not in shown(app)
    # A new tab, in which no session is open, begins with the one that was worked on last.
    last = store.sessions()[0].id
    assert open_app("explore").selectbox("explore/of").value == f"session:{last}"
    # An address that names another as Screen does means that one.
    (earlier,) = {first, other} - {last}
    app = open_app("explore", session=earlier)
    assert app.selectbox("explore/of").value == app.query_params["of"] == f"session:{earlier}"
    # Where none was open, it is now.
    app.switch_page("pages/screen.py").run()
    assert app.query_params["session"] == earlier


def test_a_unit_that_is_named_is_that_of_reports_too(open_app: OpenApp, store: Store) -> None:
    """Payoffs, abstracts and reports are rescaled together, so nothing that is advised moves."""
    session = start_review_demo(store)
    row = store.session(session)
    plain = replace(row.settings, policy="greedy").with_stakes(Stakes(Payoffs.from_q_star(0.5), 0.001, 0.01))
    store.append(session, Event("settings", {"settings": plain.to_dict(), "reason": ""}), expected=0)
    app = open_app("explore", of=f"session:{session}", show=MAP)
    keys = f"explore/session:{session}/stakes"
    assert "10 titles and abstracts" in shown(app)
    depth = re.search(r"stops? after about (\d+)|after ([\d,]+) documents", shown(app))
    app.text_input(f"{keys}/unit").set_value("£").run()
    assert "10 titles and abstracts" in shown(app)
    assert depth is not None and depth.group() in shown(app)
    assert app.number_input(f"{keys}/full_cost").value == pytest.approx(10)
    assert float(app.query_params["full_cost"]) == pytest.approx(10)
    app.number_input(f"{keys}/full_cost").set_value(30.0).run()
    assert "30 titles and abstracts" in shown(app)
    app.session_state[f"explore/session:{session}/ask"] = True
    app.run()
    app.button(f"explore/session:{session}/ask/use").click().run()
    assert "30 titles and abstracts" in shown(app)
    assert app.number_input(f"{keys}/full_cost").value == pytest.approx(30), (
        "at £1 each, as the session had them"
    )


def test_questions_about_numbers_begin_anew_once_the_numbers_are_changed_elsewhere(open_app: OpenApp) -> None:
    key = f"explore/{SEARCH}"
    app = open_app("explore", of=SEARCH, payoffs="2500,10000,2500,10000", unit="£", cost="10")
    app.session_state[f"{key}/ask"] = True
    app.run()
    app.number_input(f"{key}/ask/hour").set_value(90.0).run()
    assert app.number_input(f"{key}/ask/hour").value == 90, "what is typed stays"
    app.number_input(f"{key}/stakes/L_r").set_value(70_000.0).run()
    truth = app.session_state[f"{key}/stakes/truth"]
    assert app.number_input(f"{key}/ask/loss").value == pytest.approx(truth.worst)
    assert app.number_input(f"{key}/ask/hour").value == 60
    app.number_input(f"{key}/ask/hour").set_value(90.0).run()
    app.button(f"{key}/ask/use").click().run()
    assert app.number_input(f"{key}/ask/hour").value == 90 and not app.exception
    assert app.number_input(f"{key}/stakes/cost").value == pytest.approx(15)


def test_an_address_of_before_says_nothing_of_reports() -> None:
    """It may be in pounds where the session has no unit: a report then costs as many abstracts as in the session."""
    mine = explore.sample(REVIEW)
    own = replace(mine.settings.with_stakes(Stakes(Payoffs.from_q_star(0.5), 0.001, 0.01)), stages=2)
    given = {"payoffs": "250,250,250,250", "unit": "£", "cost": "2"}
    asked_of = read_address(given, replace(mine, settings=own)).settings
    assert asked_of.stakes == Stakes(Payoffs(250, 250, 250, 250, "£"), 2, 20)
    both = read_address({**given, "full_cost": "35"}, replace(mine, settings=own))
    assert both.settings.full_cost == 35
    assert read_address(address_of(both), replace(mine, settings=own)) == both


def test_a_session_is_explored_as_it_is_and_anew_once_its_settings_change(
    open_app: OpenApp, store: Store
) -> None:
    session = start_review_demo(store)
    key = f"explore/session:{session}"
    app = open_app("explore", of=f"session:{session}", theta="0.9")
    settings = store.session(session).settings
    assert isinstance(settings, ReviewSettings)
    assert not_as_in_session(settings, replace(settings, theta=0.9)) in shown(app)
    app.button("explore/as_in_session").click().run()
    assert DIFFERS not in shown(app)
    assert {name for name in app.query_params if app.query_params[name]} <= {"of", "measure", "world", "show"}
    app.slider(f"{key}/1/b_0").set_value(0.2).run()
    assert not_as_in_session(settings, replace(settings, b_0=0.2)) in shown(app)
    assert app.query_params["b_0"] == "0.2"
    dearer = settings.with_stakes(settings.stakes.with_costs_times(7))
    store.append(session, Event("settings", {"settings": dearer.to_dict(), "reason": ""}), expected=0)
    app.run()
    assert DIFFERS not in shown(app) and "b_0" not in app.query_params
    assert app.number_input(f"{key}/2/stakes/cost").value == pytest.approx(dearer.cost)


def test_a_rule_that_cannot_be_expected_is_named(open_app: OpenApp, store: Store) -> None:
    session = start_demo(store)
    settings = replace(store.session(session).settings, policy="consecutive:n=9")
    store.append(session, Event("settings", {"settings": settings.to_dict(), "reason": ""}), expected=0)
    said = shown(open_app("explore", of=f"session:{session}"))
    assert figures.rule_note(settings, Optimal()) in said
    assert not_as_in_session(settings, replace(settings, policy="optimal")) in said
