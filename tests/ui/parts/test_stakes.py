"""What is at stake, in three forms that are kept in step."""

import math

import pytest
from streamlit.testing.v1 import AppTest

from tarstop_core.value.payoffs import Payoffs
from tarstop_core.value.stakes import PAYOFF_NAMES, Stakes
from tests.ui.conftest import SECONDS


def close(a: float, b: float) -> bool:
    return math.isclose(a, b, rel_tol=1e-9)


def page() -> None:
    import streamlit as st

    from dashboard.parts import stakes
    from tarstop_core.screening.patent_settings import PatentSettings
    from tarstop_core.value.payoffs import Payoffs

    found = stakes.panel("p", PatentSettings(Payoffs.from_q_star(0.5), 0.001))
    st.session_state["found"] = found


@pytest.fixture
def panel() -> AppTest:
    return AppTest.from_function(page, default_timeout=SECONDS).run()


def value(panel: AppTest) -> Stakes:
    assert not panel.exception
    found, _ = panel.session_state["found"]
    return Stakes(found.payoffs, found.cost)


def test_the_panel_begins_with_the_same_in_all_forms(panel: AppTest) -> None:
    assert panel.radio("p/worse").value == "equal"
    assert panel.number_input("p/documents").value == 500
    assert panel.slider("p/q").value == 0.5
    assert panel.select_slider("p/fraction").value == 0.001
    assert [panel.number_input(f"p/{name}").value for name in PAYOFF_NAMES] == [0.25] * 4


def test_the_questions_move_sliders_and_payoffs(panel: AppTest) -> None:
    panel.radio("p/worse").set_value("plus").run()
    panel.number_input("p/times").set_value(4.0).run()
    panel.number_input("p/documents").set_value(400.0).run()
    assert panel.slider("p/q").value == 0.8
    assert panel.select_slider("p/fraction").value == 0.002
    assert [panel.number_input(f"p/{name}").value for name in PAYOFF_NAMES] == [0.1, 0.4, 0.1, 0.4]
    assert close(value(panel).payoffs.q_star, 0.8)


def test_the_sliders_move_questions_and_payoffs(panel: AppTest) -> None:
    panel.slider("p/q").set_value(0.2).run()
    panel.select_slider("p/fraction").set_value(0.01).run()
    assert panel.radio("p/worse").value == "minus"
    assert panel.number_input("p/times").value == 4
    assert panel.number_input("p/documents").value == 80
    assert panel.number_input("p/B").value == 0.4
    assert "“Reject” only when more than 20\u00a0% sure" in "".join(c.value for c in panel.caption)


def test_payoffs_in_money_move_the_rest_and_stay_as_typed(panel: AppTest) -> None:
    panel.text_input("p/unit").set_value("£").run()
    for name, typed in (("B", 4000.0), ("L_r", 1000.0), ("L_g", 4000.0), ("G", 1000.0), ("cost", 5.0)):
        panel.number_input(f"p/{name}").set_value(typed).run()
    assert value(panel) == Stakes(Payoffs(4000.0, 1000.0, 4000.0, 1000.0, "£"), 5.0)
    assert panel.slider("p/q").value == 0.2
    assert panel.number_input("p/documents").value == 1600
    panel.slider("p/q").set_value(0.5).run()
    moved = value(panel)
    assert (moved.payoffs.unit, moved.cost) == ("£", 5.0)
    assert close(moved.payoffs.K, 10000)
    panel.select_slider("p/fraction").set_value(0.001).run()
    assert value(panel).payoffs == moved.payoffs
    assert close(value(panel).cost, 10)


def test_a_wrong_number_is_said_and_changes_nothing_until_it_is_mended(panel: AppTest) -> None:
    before = value(panel)
    panel.number_input("p/B").set_value(-1.0).run()
    assert value(panel) == before
    (said,) = panel.error
    assert "amount is -1" in said.value.replace("\\", "")
    assert panel.number_input("p/B").value == -1
    assert list(panel.session_state["found"][1])
    panel.number_input("p/B").set_value(0.5).run()
    assert not panel.error
    assert value(panel).payoffs.B == 0.5


def test_losses_alone_are_taken_and_the_slider_shows_the_cost_itself(panel: AppTest) -> None:
    for name, amount in (("B", 0.0), ("L_r", 200_000.0), ("L_g", 50_000.0), ("G", 0.0), ("cost", 2.0)):
        panel.number_input(f"p/{name}").set_value(amount).run()
    panel.text_input("p/unit").set_value("£").run()
    slider = panel.select_slider("p/fraction")
    assert not panel.error and (value(panel).payoffs.q_star, value(panel).cost) == (0.8, 2.0)
    assert slider.options[1] == "£0.0025" and "£2" in slider.options


@pytest.mark.parametrize("fraction, words", [(0.0, "costs nothing"), (1.0, "cannot pay")])
def test_the_limits_of_the_cost_are_legal_and_explained(panel: AppTest, fraction: float, words: str) -> None:
    panel.select_slider("p/fraction").set_value(fraction).run()
    assert words in panel.info[0].value
    assert value(panel).fraction == fraction


def test_names_of_actions_are_shown_as_they_are() -> None:
    def odd() -> None:
        from dashboard.parts import stakes
        from tarstop_core.screening.patent_settings import PatentSettings
        from tarstop_core.value.payoffs import Payoffs

        stakes.panel("p", PatentSettings(Payoffs.from_q_star(0.5), 0.001, plus="*Re$ject*", minus="a_b"))

    shown = AppTest.from_function(odd, default_timeout=SECONDS).run()
    assert "\\*Re\\$ject\\*" in shown.number_input("p/B").label


def test_a_unit_with_a_colon_is_shown_whole() -> None:
    def priced() -> None:
        from dashboard.parts import stakes
        from tarstop_core.screening.patent_settings import PatentSettings
        from tarstop_core.value.payoffs import Payoffs

        stakes.panel("p", PatentSettings(Payoffs.from_q_star(0.5, unit="hours: net"), 0.001))

    shown = AppTest.from_function(priced, default_timeout=SECONDS).run()
    assert "0.001 hours: net" in " ".join(each.value for each in shown.caption).replace("\\", "")


# --- the compact form ---------------------------------------------------------------------------


def compact_page() -> None:
    import streamlit as st

    from dashboard.parts import stakes
    from tarstop_core.screening.patent_settings import PatentSettings
    from tarstop_core.screening.settings import Settings
    from tarstop_core.value.payoffs import Payoffs

    state = st.session_state
    state.setdefault("settings", PatentSettings(Payoffs(4000, 1000, 4000, 1000, "£"), 5))

    def take(settings: Settings) -> None:
        if not state.get("refuse"):
            state["settings"] = settings

    stakes.compact(state["settings"], "c", take)


def test_the_compact_sliders_move_the_settings_and_follow_them() -> None:
    shown = AppTest.from_function(compact_page, default_timeout=SECONDS).run()
    assert (shown.slider("c/q").value, shown.select_slider("c/fraction").value) == (0.2, 0.0005)
    shown.slider("c/q").set_value(0.6).run()
    settings = shown.session_state["settings"]
    assert close(settings.payoffs.q_star, 0.6)
    assert (round(settings.payoffs.K), settings.payoffs.unit, settings.cost) == (10000, "£", 5)
    shown.select_slider("c/fraction").set_value(0.01).run()
    assert close(shown.session_state["settings"].cost, 100)
    assert shown.session_state["settings"].payoffs == settings.payoffs
    shown.session_state["settings"] = settings  # as after an undo, or in another tab
    shown.run()
    assert shown.select_slider("c/fraction").value == 0.0005
    assert not shown.exception


def test_the_compact_sliders_go_back_when_the_change_is_not_taken() -> None:
    shown = AppTest.from_function(compact_page, default_timeout=SECONDS).run()
    shown.session_state["refuse"] = True
    shown.slider("c/q").set_value(0.9).run()
    assert shown.slider("c/q").value == 0.2


# --- a review -----------------------------------------------------------------------------------


def review_page() -> None:
    import streamlit as st

    from dashboard.parts import stakes
    from tarstop_core.screening.review_settings import ReviewSettings
    from tarstop_core.value.payoffs import Payoffs

    settings = ReviewSettings(
        Payoffs.from_q_star(0.5),
        0.001,
        theta=0.9,
        stages=st.session_state.get("stages", 2),
        plus="Adopt",
        minus="Don’t adopt",
    )
    stakes.panel("p", settings)
    stakes.compact(settings, "c", lambda moved: None)


def test_in_a_review_the_words_are_about_tests_and_what_is_read() -> None:
    shown = AppTest.from_function(review_page, default_timeout=SECONDS).run()
    assert not shown.exception
    assert shown.radio("p/worse").options[:2] == [
        "“Adopt” a test whose sensitivity does not exceed 90\u00a0%",
        "“Don’t adopt” a test whose sensitivity exceeds 90\u00a0%",
    ]
    assert "Abstracts" in shown.number_input("p/documents").label
    assert "prior art" not in " ".join(
        [*(box.label for box in shown.number_input), *(caption.value for caption in shown.caption)]
    )
    assert {shown.select_slider(f"{key}/fraction").label for key in "pc"} == {"Cost per title and abstract"}
    shown.session_state["stages"] = 1
    shown.run()
    assert {shown.select_slider(f"{key}/fraction").label for key in "pc"} == {"Cost per document"}
    assert "Documents" in shown.number_input("p/documents").label
