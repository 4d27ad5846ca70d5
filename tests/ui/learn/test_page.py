"""The Learn page without a browser: the walk and the game, their addresses, and that every number is the engine's."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from dashboard.learn import game as learn_game
from dashboard.learn.page import PARTS
from dashboard.learn.walk_state import LessonChoices, address_of, read_address
from tarstop_core.presentation.numbers import percent
from tarstop_core.screening.scenarios.patent import PATENT
from tarstop_core.teaching import game as engine
from tarstop_core.teaching import lesson as lessons
from tarstop_core.teaching.formulas import filled
from tarstop_core.teaching.game import Call, Game, compared

OpenApp = Callable[..., AppTest]
CALLS = "7m.5p.30m.15m.19p"


def shown(app: AppTest) -> str:
    """Everything that the page says in HTML, captions and boxes."""
    assert not app.exception
    parts = [*app.get("html"), *app.caption, *app.info, *app.warning, *app.error]
    text = " ".join(str(getattr(part, "value", "") or part.proto.body) for part in parts)
    return text.replace("\xa0", " ").replace("\u2060", "").replace("\\", "")


def press(app: AppTest, key: str) -> None:
    """Press the button whose key begins so."""
    next(button for button in app.button if button.key.startswith(key)).click().run()


def address(app: AppTest) -> dict[str, str]:
    """The parameters of the address."""
    return {name: str(value) for name, value in app.query_params.items()}


def latex(app: AppTest) -> list[str]:
    """Every formula of the page."""
    return [each.value.strip("$\n ") for each in app.latex]


# --- the parts ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("part", PARTS)
def test_each_part_opens_by_its_address(open_app: OpenApp, part: str) -> None:
    app = open_app("learn", part=part)
    assert not app.exception and not app.error
    assert address(app)["part"] == part


def test_a_part_keeps_its_place_and_takes_its_parameters_with_it(open_app: OpenApp) -> None:
    app = open_app("learn", step="4", q="0.6")
    assert address(app)["step"] == "4" and address(app)["part"] == "walk"
    part = next(each for each in app.get("button_group") if each.key == "learn/part")
    part.set_value("call").run()
    assert {"step", "scenario"}.isdisjoint(address(app)) and address(app)["seed"] == "6"
    next(each for each in app.get("button_group") if each.key == "learn/part").set_value("walk").run()
    assert address(app)["step"] == "4" and address(app)["q"] == "0.6" and "seed" not in address(app)
    assert open_app("learn", part="nonsense").query_params["part"] in ("walk", ["walk"])


# --- walk through ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "asked",
    [
        LessonChoices(step=5),
        LessonChoices("search:prosthetic-foot", "greedy", 0.2, 0.002, 3),
        LessonChoices("review:hollow-hip", "optimal", 0.8, 0.0005, 15),
        LessonChoices("review:marl-lung", "batch:K=10", 0.5, 0.001, 4),
    ],
)
def test_a_step_shows_the_lessons_own_numbers(open_app: OpenApp, asked: LessonChoices) -> None:
    app = open_app("learn", part="walk", **address_of(asked))
    step = asked.lesson.step(asked.step)
    assert latex(app) == [formula.latex for formula in filled(asked.lesson, step)]
    said = shown(app)
    assert ("GO ON" if step.go_on else "STOP") in said and percent(step.now.b) in said
    assert lessons.words(asked.lesson, step) in said and "simulated" in said
    assert read_address(address(app)) == asked


def test_steps_are_made_and_the_truth_waits_for_the_end(open_app: OpenApp) -> None:
    app = open_app("learn", topic="antenna-mount", scenario="patent", rule="greedy")
    truth = lessons.truth(LessonChoices(rule="greedy").lesson)
    for step in (1, 2):
        press(app, "walk-step")
        assert address(app)["step"] == str(step) and truth not in shown(app)
    press(app, "walk-back")
    assert address(app)["step"] == "1"
    press(app, "walk-reveal")
    assert truth in shown(app) and address(app)["shown"] == "yes"
    press(app, "walk-reveal")
    assert truth not in shown(app)
    press(app, "walk-end")
    assert address(app)["step"] == "7" and truth in shown(app)
    assert "regret £4,910" in shown(app) and "STOP" in shown(app)
    assert {b.key for b in app.button if b.disabled} >= {"walk-step", "walk-play", "walk-end"}
    press(app, "walk-start")
    assert address(app)["step"] == "0"


def test_a_jump_goes_no_further_than_the_rule(open_app: OpenApp) -> None:
    app = open_app("learn")
    slider = next(each for each in app.slider if each.key.startswith("learn/walk/0/jump"))
    assert slider.max == 24  # the plan before anything is read: it does not tell that a hit comes at 16
    slider.set_value(20).run()
    slider = next(each for each in app.slider if each.key.startswith("learn/walk/0/jump"))
    assert slider.value == slider.max == 16  # at the end there is nowhere further to go
    assert address(app)["step"] == "16"


def test_playing_makes_steps(open_app: OpenApp, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [100.0]
    monkeypatch.setattr("dashboard.learn.walk.time.monotonic", lambda: clock[0])
    app = open_app("learn", rule="greedy")
    press(app, "walk-play")
    assert next(b for b in app.button if b.key == "walk-play").label == "Pause"
    for _ in range(9):
        clock[0] += 2.0
        app.run()
    assert address(app)["step"] == "7"
    assert next(b for b in app.button if b.key == "walk-play").label == "Play"


def test_the_last_tick_after_a_pause_brings_no_old_address(
    open_app: OpenApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = [100.0]
    monkeypatch.setattr("dashboard.learn.walk.time.monotonic", lambda: clock[0])
    app = open_app("learn", rule="greedy")
    press(app, "walk-play")
    playing = address(app)
    for _ in range(3):
        clock[0] += 2.0
        app.run()
    press(app, "walk-play")
    assert (playing["step"], address(app)["step"]) == ("0", "3")
    app.query_params["step"] = "0"
    app.run()
    assert address(app)["step"] == "3"
    # Later it is a person who asks for it.
    clock[0] += 10.0
    app.query_params["step"] = "0"
    app.run()
    assert address(app)["step"] == "0" and "Nothing read yet" in shown(app)


def test_another_list_begins_at_its_beginning(open_app: OpenApp) -> None:
    app = open_app("learn", step="5")
    next(each for each in app.selectbox if each.key == "learn/walk/0/topic/patent").set_value(
        "search:inhaler"
    ).run()
    assert address(app)["topic"] == "inhaler" and address(app)["step"] == "0"
    next(each for each in app.get("button_group") if each.key == "learn/walk/0/scenario").set_value(
        "review"
    ).run()
    assert address(app)["scenario"] == "review" and address(app)["topic"] == "brindle-fever"
    next(each for each in app.slider if each.key == "learn/walk/0/q").set_value(0.8).run()
    assert address(app)["q"] == "0.8"


@pytest.mark.parametrize(
    "wrong",
    [
        {"topic": "nowhere"},
        {"rule": "qbcb"},
        {"rule": "budget:d=x"},
        {"q": "2"},
        {"c": "nan"},
        {"step": "-4"},
        {"step": "99999"},
        {"pace": "0.0001"},
        {"scenario": "x", "topic": "hollow-hip"},
    ],
)
def test_a_broken_address_shows_a_lesson_all_the_same(open_app: OpenApp, wrong: dict[str, str]) -> None:
    app = open_app("learn", part="walk", **wrong)
    assert not app.error and len(app.latex) >= 4
    asked = read_address(address(app))
    assert 0 <= asked.step <= asked.lesson.stop and asked.rule == "optimal"


# --- your call ------------------------------------------------------------------------------------------


def test_a_game_from_its_beginning_to_its_result(open_app: OpenApp) -> None:
    app = open_app("learn", part="call")
    assert engine.rules_of_the_game(Game()) in shown(app)
    game = Game()
    for at, (reads, plus) in enumerate(((2, False), (1, True), (0, True), (1, False), (0, False))):
        press(app, f"call-begin-{at}")
        game = game.begun()
        for _ in range(reads):
            press(app, "call-read-5")
            game = game.read(5)
        assert address(app)["calls"] == engine.encode(game.calls)
        press(app, f"call-decide-{plus}")
        game = game.decide(plus)
        if not game.over:
            assert engine.round_sentence(game, at) in shown(app)
    assert address(app)["calls"] == engine.encode(game.calls)
    rows = compared(game)
    assert " ".join(engine.standing_sentences(game, rows)) in shown(app)
    assert all(f"{row.total:,.0f}".replace("-", "−") in shown(app) for row in rows)
    press(app, "call-next")
    assert address(app)["seed"] == "7" and "calls" not in address(app)


def test_a_reload_loses_nothing(open_app: OpenApp) -> None:
    app = open_app("learn", part="call", calls="7m.3")
    game = Game(calls=(Call(7, False), Call(3)))
    assert "3 of 212" in shown(app)
    press(app, "call-read-1")
    assert address(app)["calls"] == "7m.4"
    again = open_app("learn", **address(app))
    assert "4 of 212" in shown(again)
    assert learn_game.read_address(address(again))[0] == replace(game, calls=(Call(7, False), Call(4)))


def test_by_instinct_the_belief_is_hidden(open_app: OpenApp) -> None:
    helped, alone = (open_app("learn", part="call", calls="5", help=each) for each in ("curve", "instinct"))
    listing, settings = Game().round(0)
    belief = percent(listing.played(settings).belief_at(5))
    assert belief in shown(helped) and shown(helped).count('class="tar-fluid"') == 1
    assert belief not in shown(alone) and 'class="tar-fluid"' not in shown(alone)
    assert PATENT.message("thought") in shown(alone)


def test_another_game_is_chosen_by_its_number(open_app: OpenApp) -> None:
    app = open_app("learn", part="call", calls="7m.3")
    next(each for each in app.number_input if each.key == "learn/call/0/seed").set_value(12).run()
    assert address(app)["seed"] == "12" and "calls" not in address(app)
    next(each for each in app.get("button_group") if each.key == "learn/call/0/mix").set_value("review").run()
    assert address(app)["mix"] == "review" and "A right decision brings" in shown(app)


@pytest.mark.parametrize("calls", ["x", "1p.2.3p", "7m" * 9])
def test_calls_that_cannot_be_read_are_said_to_be_so(open_app: OpenApp, calls: str) -> None:
    app = open_app("learn", part="call", calls=calls)
    assert "cannot be read" in shown(app) and "Start round 1" in {b.label for b in app.button}
    press(app, "call-begin-0")
    assert "cannot be read" not in shown(app)


@pytest.mark.parametrize(
    "wrong", [{"seed": "-1"}, {"seed": "x"}, {"mix": "x"}, {"q": "1"}, {"c": "-1"}, {"help": "x"}]
)
def test_a_broken_address_plays_the_first_game(open_app: OpenApp, wrong: dict[str, str]) -> None:
    app = open_app("learn", part="call", **wrong)
    assert not app.error and learn_game.read_address(address(app)) == (Game(), "curve", "")


@pytest.mark.parametrize("seed", range(4))
def test_every_result_can_be_drawn(open_app: OpenApp, seed: int) -> None:
    app = open_app("learn", part="call", seed=str(seed), calls=CALLS)
    assert not app.error and len(app.get("plotly_chart")) == 2
    for at in range(1, 5):
        rounds = next(each for each in app.get("button_group") if each.key == "call-round")
        rounds.set_value(at).run()
        assert not app.exception
