"""Learn's ideas, formulas and glossary without a browser: what they say is what the engine says."""

from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from dashboard.learn.ideas import IDEAS
from tarstop_core.explore.lists import sample
from tarstop_core.policies import POLICIES
from tarstop_core.teaching.ideas import (
    at_stake,
    engines,
    mistaken,
    recall,
    sample_search,
    scores,
    searches,
    trials,
    value,
)
from tarstop_core.teaching.ideas.recall import CASES
from tarstop_core.teaching.reference import formulas, grouped, sections, terms
from tarstop_core.value.payoffs import Payoffs

OpenApp = Callable[..., AppTest]


def shown(app: AppTest) -> str:
    """Everything that the page says."""
    assert not app.exception and not app.error
    parts = [*app.get("html"), *app.caption, *app.markdown]
    text = " ".join(str(getattr(part, "value", "") or part.proto.body) for part in parts)
    return text.replace("\xa0", " ").replace("\u2060", "").replace("\\", "")


@pytest.fixture
def open_idea(open_app: OpenApp) -> Callable[[str], AppTest]:
    def opener(idea: str) -> AppTest:
        app = open_app("learn", part="ideas", idea=idea)
        assert IDEAS[idea].title in shown(app)
        return app

    return opener


def test_certainty_follows_its_sliders(open_idea: Callable[[str], AppTest]) -> None:
    app = open_idea("Certainty")
    assert value.peak_picture(Payoffs.from_q_star(0.5), 0.3).sentence in shown(app)
    app.slider("idea-q").set_value(0.8).run()
    app.slider("idea-b").set_value(0.9).run()
    assert value.peak_picture(Payoffs.from_q_star(0.8), 0.9).sentence in shown(app)


@pytest.mark.parametrize("name", list(CASES))
def test_recall_tells_each_case(open_idea: Callable[[str], AppTest], name: str) -> None:
    app, case = open_idea("Recall"), CASES[name]
    app.segmented_control("idea-list").set_value(name).run()
    app.slider("idea-recall").set_value(0.8).run()
    explored = sample(case.key)
    found = recall.stops(explored, at_stake(explored, case.q_star, case.cost, case.theta), 0.8)
    assert recall.recall_picture(found).sentence in shown(app)


def test_one_document_and_its_list_follow_together(open_idea: Callable[[str], AppTest]) -> None:
    app = open_idea("One document")
    app.slider("idea-q-bound").set_value(0.6).run()
    app.select_slider("idea-c-bound").set_value(0.005).run()
    said = shown(app)
    explored = sample_search("prosthetic-foot")
    rules = value.three_rules(explored, at_stake(explored, 0.6, 0.005))
    assert value.three_rules_picture(rules).sentence in said
    document = value.one_document(Payoffs.from_q_star(0.6), 0.05)
    assert value.one_document_picture(document).sentence in said
    assert len(app.get("plotly_chart")) == 2


def test_studies_follow_the_prior(open_idea: Callable[[str], AppTest]) -> None:
    app = open_idea("Studies")
    app.select_slider("idea-tau").set_value(0.1).run()
    said = shown(app)
    assert engines.engines_picture("iqcode", 0.75, 0.1).sentence in said
    assert engines.widths_picture("iqcode", 0.75, 0.1).sentence in said


def test_trials_follow_how_much_they_differ(open_idea: Callable[[str], AppTest]) -> None:
    app = open_idea("Trials")
    app.select_slider("idea-trials-tau").set_value(0.2).run()
    said = shown(app)
    assert trials.wrong_picture(0.2).sentence in said and trials.alike_picture(0.2).sentence in said


def test_wrong_chances_follow_the_factor(open_idea: Callable[[str], AppTest]) -> None:
    app = open_idea("Wrong chances")
    app.select_slider("idea-factor").set_value(4.0).run()
    found = mistaken.mistaken(at_stake(searches()[0], 0.5, 0.001))
    assert mistaken.mistaken_picture(found, 4.0).sentence in shown(app)


def test_scores_follow_the_rule_and_the_list(open_idea: Callable[[str], AppTest]) -> None:
    app = open_idea("Scores")
    assert scores.reliability_picture(scores.taken("bm25", "stretched")).sentence in shown(app)
    app.segmented_control("idea-scores").set_value("margins").run()
    app.segmented_control("idea-taken").set_value("softmax").run()
    app.selectbox("idea-review").set_value(4).run()
    said, found = shown(app), scores.taken("margins", "softmax")
    assert scores.reliability_picture(found).sentence in said
    assert scores.unread_picture(found, 4).sentence in said


def test_formulas_by_section_and_by_name(open_app: OpenApp) -> None:
    app = open_app("learn", part="formulas", formula="worth")
    said = shown(app)
    assert "value.decisive.DecisivePath.value_rate" in said and all(
        formula.title in said for formula in sections()[0].formulas
    )
    app.button_group("section").set_value("The rules").run()
    said = shown(app)
    assert all(policy.rule in said for policy in POLICIES.values())


def test_the_glossary_shows_the_asked_term_first_and_searches(open_app: OpenApp) -> None:
    app = open_app("learn", part="glossary", term="evpi")
    _, asked, every = [str(each.value) for each in app.markdown]
    term = terms()["evpi"]
    assert term.meaning in asked.replace("\\", "") and formulas()["evpi"].formula in asked
    around = grouped()["What reading is worth"]
    assert every.count("<span id=") == len(around) and f"{len(around)} of {len(terms())} terms" in shown(app)
    app.button_group("group").set_value("Tests and reviews").run()
    assert "term-reml" in str(app.markdown[-1].value)
    app.text_input("find").set_value("reml").run()
    found = str(app.markdown[-1].value)
    assert "term-reml" in found and "term-budget" not in found
    app.text_input("find").set_value("zzzz").run()
    assert "term is called “zzzz”" in shown(app)


@pytest.mark.parametrize(("part", "name"), [("glossary", "term"), ("formulas", "formula")])
def test_what_does_not_exist_is_said(open_app: OpenApp, part: str, name: str) -> None:
    app = open_app("learn", part=part, **{name: "<nothing>"})
    assert not app.exception and len(app.error) == 1
