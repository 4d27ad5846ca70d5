"""Advice in words: figures that do not mislead, and a wording for every situation."""

import math
import re
from dataclasses import replace
from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tarstop_core.calibration.calibrator import Calibrator, FittedOn
from tarstop_core.presentation.numbers import amount, count_of, number, percent
from tarstop_core.samples.shipped import wrong_stops
from tarstop_core.screening import advice_message
from tarstop_core.screening.advice import advise
from tarstop_core.screening.advised import Advice, Assumption, Floor, Headline, ReviewFacts, Variation
from tarstop_core.screening.fold import replay
from tarstop_core.screening.log import Event
from tarstop_core.screening.patent_settings import PatentSettings
from tarstop_core.screening.review_settings import ReviewSettings
from tarstop_core.screening.scenarios.named import scenario_of
from tarstop_core.screening.wording import (
    about_documents,
    action,
    against_the_odds,
    cost_warnings,
    explain,
    question,
    stopping,
    verdict,
)
from tarstop_core.value.payoffs import MINUS, PLUS, Payoffs
from tarstop_core.value.stakes import SEARCH_EXAMPLE

SEEN = FittedOn(name="tests", topics=2, documents=100, relevant=4, simulated=True)
CALIBRATOR = Calibrator("rank", "patent", x=(0.0, 4.0), y=(0.3, 0.001), fitted_on=SEEN)
N = 60
IDS = [f"d{i}" for i in range(N)]
P = CALIBRATOR.probabilities(None, N)
START = PatentSettings(Payoffs.from_q_star(0.5), cost=0.002, calibrator=CALIBRATOR.digest)
MAGNITUDES = st.builds(lambda sign, digits, power: sign * digits * 10.0**power,
                       st.sampled_from([1, -1]), st.floats(1, 9.9999999), st.integers(-250, 14))  # fmt: skip


PLAIN = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")


def value_of(text: str) -> float:
    return float(text.replace(",", "").replace("−", "-").replace(" × 10", "e").translate(PLAIN))


def significant(text: str) -> int:
    """Digits that carry meaning: leading zeros never do, trailing ones only behind a point."""
    digits = re.sub(r" ×.*$|[^\d.]", "", text)
    return len(digits.lstrip("0.").replace(".", "")) if "." in digits else len(digits.strip("0"))


# --- numbers --------------------------------------------------------------------------------------


@given(MAGNITUDES)
def test_numbers_have_at_most_three_significant_digits_and_are_near(value: float) -> None:
    text = number(value)
    assert 1 <= significant(text) <= 3
    assert value_of(text) == pytest.approx(value, rel=0.00501)
    assert (value < 0) == text.startswith("-")


@given(st.floats(-1e15, 1e15))
def test_only_zero_is_zero_and_no_zero_trails(value: float) -> None:
    text = number(value)
    assert (text == "0") == (value == 0)
    if "." in text and "×" not in text:
        assert not text.endswith(("0", "."))


@given(st.floats(1e-4, 1e12))
def test_numbers_read_aloud_have_separators_and_no_exponent(value: float) -> None:
    text = number(value)
    assert "×" not in text
    whole = text.split(".")[0]
    assert re.fullmatch(r"\d{1,3}(,\d{3})*", whole)


@given(st.floats(0, 1e9), st.floats(0, 1e9))
def test_a_greater_number_never_reads_smaller(one: float, other: float) -> None:
    low, high = sorted((one, other))
    assert value_of(number(low)) <= value_of(number(high))


def test_numbers_without_an_end() -> None:
    assert number(math.inf) == "no limit" and number(-math.inf) == "−no limit"


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (3123.4, "£", "£3,120"),
        (-20, "€", "−€20"),
        (0, "$", "$0"),
        (1e-5, "£", "£0.00001"),
        (1.5, "hours", "1.5 hours"),
        (-2, "minutes", "−2 minutes"),
        (0.00431, "", "0.00431"),
        (-0.25, "", "−0.25"),
        (1000, "£k", "1,000 £k"),
    ],
)
def test_amounts(value: float, unit: str, text: str) -> None:
    assert amount(value, unit) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0744, "£0.07"),
        (0.996, "£0.996"),
        (-0.25, "−£0.25"),
        (0.00744, "£0.007"),
        (33.6, "£33.60"),
        (0, "£0"),
    ],
)
def test_computed_amounts_are_rounded_as_prices_are(value: float, text: str) -> None:
    assert amount(value, "£", exact=False) == text


def test_what_is_left_to_gain_is_a_price_under_why() -> None:
    pounds = replace(START, payoffs=START.payoffs.scaled(20_000, "£"), cost=0.075)
    told = explain(situation("stop", worth=0.0744, cost=0.075, evpi=0.0744), pounds)
    assert "£0.07 each" in told.sentence and "£0.075 each" in told.sentence and "£0.07 on" in told.stopping


@given(MAGNITUDES, st.sampled_from(["", "£", "$", "hours", "utility points"]))
def test_amounts_carry_number_unit_and_sign(value: float, unit: str) -> None:
    text = amount(value, unit)
    assert number(abs(value)) in text and unit in text
    assert text.startswith("−") == (value < 0) and text == text.strip()


# --- probabilities --------------------------------------------------------------------------------

CHANCES = st.one_of(
    st.floats(0, 1, exclude_min=True, exclude_max=True),
    st.floats(0, 1e-3, exclude_min=True),
    st.floats(0, 1e-3, exclude_min=True).map(lambda q: 1 - q).filter(lambda p: p < 1),
    st.sampled_from(
        [5e-324, 0.00005, 0.0001, 0.00995, 0.01, 0.0995, 0.1, 0.985, 0.99, 0.995, 0.999, 1 - 2**-53]
    ),
)


@given(CHANCES)
def test_a_chance_is_never_rounded_to_certainty(chance: float) -> None:
    text = percent(chance)
    assert text.endswith(" %")
    said = float(re.sub(r"[^\d.]", "", text))
    assert 0 < said < 100
    assert significant(text) <= 3
    if text.startswith("under "):
        assert 100 * chance < said
    elif text.startswith("over "):
        assert 100 * chance > said
    else:
        assert said == pytest.approx(100 * chance, abs=0.5 if said >= 10 else 0.05 if said >= 1 else 0.005)


def test_certainty_is_said_as_such() -> None:
    assert percent(0.0) == "0 %" and percent(1.0) == "100 %"
    assert percent(float(np.float64(1))) == "100 %"


@given(CHANCES, CHANCES)
def test_a_greater_chance_never_reads_smaller(one: float, other: float) -> None:
    def key(text: str) -> float:
        said = float(re.sub(r"[^\d.]", "", text))
        return said - 1e-6 if text.startswith("under") else said + 1e-6 if text.startswith("over") else said

    low, high = sorted((one, other))
    assert key(percent(low)) <= key(percent(high))


def test_documents_are_counted() -> None:
    assert [count_of(n) for n in (0, 1, 2, 1234)] == [
        "0 documents",
        "1 document",
        "2 documents",
        "1,234 documents",
    ]


# --- headlines ------------------------------------------------------------------------------------

WORDS = {
    "continue": "GO ON",
    "stop": "STOP",
    "found": "FOUND",
    "confirm": "CONFIRM IT",
    "prior alone": "NOTHING READ YET",
    "all read": "ALL READ",
    "reports": "READ THE REPORTS",
}
TOLD = ReviewFacts(
    4, 3, 0.02, 0.01, 2, 0.3, 0.2, 0.25, 15, (0.4, 0.1, 0.8), left=(12.4, 3.0, 25.0), relevant=9
)


def situation(headline: Headline, **changes: object) -> Advice:
    """Advice under this headline."""
    go_on = headline in ("continue", "reports")
    plain = Advice(
        headline=headline,
        go_on=go_on,
        depth=0 if headline == "prior alone" else N if headline == "all read" else 5,
        documents=N,
        b=0.3,
        rho=0.01,
        evpi=0.15,
        score=None if headline == "all read" else 0.0015,
        worth=None if headline == "all read" else 0.0043 if go_on else 0.0003,
        cost=START.cost,
        more=6 if go_on else 0,
        option=MINUS,
        utility=0.15,
        facts=TOLD if headline == "reports" else None,
    )
    return replace(plain, **changes)  # type: ignore[arg-type]


def test_every_headline_is_known_here() -> None:
    assert set(WORDS) == set(get_args(Headline))


@pytest.mark.parametrize("headline", get_args(Headline))
def test_every_headline_is_worded(headline: Headline) -> None:
    advice = situation(headline, if_fails=situation("continue"))
    told = explain(advice, REVIEW if headline == "reports" else START)
    assert told.word == WORDS[headline]
    for text in (told.sentence, told.stopping):
        assert text[0].isupper() and text.endswith(".") and "  " not in text
        assert not re.search(r"nan|inf\b|None|\{|\}", text)


REVIEW = ReviewSettings(
    START.payoffs,
    START.cost,
    policy="optimal",
    calibrator=START.calibrator,
    plus="Adopt",
    minus="Don’t adopt",
    full_cost=0.01,
)


def glance(advice: Advice) -> str:
    return verdict(advice, REVIEW).says


def test_reports_and_abstracts_are_compared() -> None:
    told = explain(situation("reports"), REVIEW)
    both, beside = (
        "Screening more documents pays too, but",
        "would also pay by itself, but not after the reports.",
    )
    assert TOLD.plan and both in told.sentence and beside not in told.sentence
    none = explain(situation("reports", facts=replace(TOLD, plan=0)), REVIEW)
    assert none.sentence.endswith(beside) and both not in none.sentence
    for part in ("20 of 100", "2 of the 3", "worth 2 times the cost", "worth 0.0043 each and cost 0.002"):
        assert part in told.sentence


def test_a_turn_that_is_likely_at_the_threshold_is_explained_under_why_alone() -> None:
    near = situation("continue", b=REVIEW.payoffs.q_star + 0.02, facts=replace(TOLD, otherwise=0.64))
    assert re.search("64 of 100.*so many because", explain(near, REVIEW).sentence)
    assert "so many because" not in glance(near)
    for other in (replace(near, b=0.9), replace(near, facts=replace(TOLD, otherwise=0.1))):
        assert "so many because" not in explain(other, REVIEW).sentence


def test_a_turn_that_is_likelier_than_a_mistake_now_says_why_both_can_be() -> None:
    facts = replace(TOLD, otherwise=0.34, disagreement=0.23)
    one = situation("continue", b=0.9, facts=facts)
    assert "about 23 of 100" in explain(one, REVIEW).sentence
    # Whoever decides reads both numbers beside each other.
    assert "about 23 of 100" in scenario_of(REVIEW).message("how_right", advice=one, settings=REVIEW)
    assert "Not every such" not in glance(one)
    assert "Not every such" not in explain(replace(one, facts=replace(facts, otherwise=0.2)), REVIEW).sentence


@pytest.mark.parametrize(("plus", "chosen"), [(True, "Adopt"), (False, "Don’t adopt")])
def test_a_turn_that_is_likelier_than_not_is_set_beside_what_is_advised(plus: bool, chosen: str) -> None:
    """It can be so on one side of one half alone, where the mistake that the action may be is the cheaper one."""
    likely = situation("continue", option=int(plus), facts=replace(TOLD, otherwise=0.64))
    assert re.search(f"“{chosen}” is still the better", explain(likely, REVIEW).sentence)
    assert "still the better choice" not in glance(likely)
    assert "still the better choice" not in explain(replace(likely, facts=TOLD), REVIEW).sentence


def test_a_turn_that_waits_for_more_studies_is_explained_by_them_alone() -> None:
    few = replace(REVIEW, least_studies=20)
    held = situation("continue", option=MINUS, b=0.55, facts=replace(TOLD, otherwise=0.64, needed=18))
    told = explain(held, few)
    assert "64 of 100" in told.sentence and "before 20 studies" in told.sentence + told.stopping
    assert "so many because" not in told.sentence and "still the better choice" not in told.sentence


def test_a_stop_on_little_says_how_often_that_was_wrong() -> None:
    past = wrong_stops(2, REVIEW.theta, REVIEW.payoffs.q_star)
    assert past is not None
    few = replace(TOLD, studies=2, otherwise=0.004, past=past)
    told = explain(situation("stop", facts=few), REVIEW)
    assert "fewer than 1 of 100" in told.sentence
    assert f"{past.questions} past questions ({past.reviews} reviews), {past.wrong}" in told.sentence
    assert told.sentence.endswith("after 2 studies.")
    many = explain(situation("stop", facts=replace(few, studies=99, past=None)), REVIEW)
    assert "past questions" not in many.sentence


def test_amounts_are_examples_where_a_demo_gave_them() -> None:
    demo, own = (
        PatentSettings(payoffs, 10) for payoffs in (SEARCH_EXAMPLE.payoffs, Payoffs(0, 9000, 4000, 0, "£"))
    )
    assert about_documents(True, demo) == ["simulated documents, example amounts"]
    assert about_documents(True, own) == ["simulated documents"]
    assert about_documents(False, own) == []


def test_a_least_number_of_studies_holds_an_action_back() -> None:
    least = replace(REVIEW, least_studies=5, least_patients=100)
    held = explain(situation("stop", facts=replace(TOLD, needed=2), b=0.9, option=MINUS), least)
    assert re.search("not available .* 5 studies .*100 patients", held.stopping)
    for facts, b in ((TOLD, 0.9), (replace(TOLD, needed=2), 0.1)):
        assert "not available" not in explain(situation("stop", facts=facts, b=b), least).stopping


def test_a_stop_names_the_reports_that_are_left_unread() -> None:
    left = replace(TOLD, reports_to_read=0, waiting=1, pooled_range=(0.64, 0.83))
    stop = situation("stop", facts=left)
    assert scenario_of(REVIEW).message("left_waiting", facts=left) in explain(stop, REVIEW).sentence
    assert "1 report unread" in verdict(stop, REVIEW).rests


def test_a_review_speaks_of_studies_not_hits() -> None:
    told = explain(situation("continue", facts=TOLD), REVIEW)
    assert scenario_of(REVIEW).message("nothing") in told.sentence
    held = explain(situation("continue", facts=TOLD, held_by=Floor.RIGHT), replace(REVIEW, floor=0.9))
    assert "at least 90 %" in held.sentence and "90 %" not in told.sentence
    assert question(REVIEW) == "sensitivity exceeds 75 %" and question(START) == "prior art exists"
    assert re.match(
        "5 documents and 4 studies",
        scenario_of(REVIEW).message("read", advice=situation("continue", facts=TOLD)),
    )
    assert scenario_of(START).message("read", advice=situation("continue")) == "5 documents"
    review, advice = scenario_of(REVIEW), situation("continue", facts=TOLD)
    rows = dict(review.rows(advice, REVIEW))
    assert {"12 (3 to 25)", "75 %"} <= set(rows.values())
    assert len(review.rows(advice, replace(REVIEW, stages=1))) == len(rows) - 1
    assert "not available until" not in explain(situation("stop", facts=TOLD, b=0.9), REVIEW).stopping


def test_continue_has_its_numbers() -> None:
    told = explain(situation("continue"), START)
    assert "worth 0.0043 each and cost 0.002" in told.sentence and "about 6 more." in told.sentence
    assert "75 documents" in told.stopping


def test_each_rule_is_compared_in_its_own_words() -> None:
    greedy = explain(situation("continue"), replace(START, policy="greedy")).sentence
    assert re.match(r"The paper's score .* 0\.0043\b.* 0\.002\b", greedy)
    budget = replace(START, policy="budget:d=100")
    assert explain(situation("continue", worth=None), budget).sentence.startswith(budget.rule.rule)


def test_money_and_free_reading() -> None:
    pounds = replace(START, payoffs=START.payoffs.scaled(20_000, "£"), cost=0.0)
    told = explain(situation("continue", worth=86.0, cost=0.0, evpi=3120.0), pounds)
    assert "worth £86 each and cost nothing" in told.sentence
    assert "£3,120" in told.stopping and "together cost" not in told.stopping
    four = replace(START, payoffs=Payoffs(2, 1, 3, 4))
    assert "75 documents" in stopping(situation("stop"), four)
    assert "together cost 10." in stopping(situation("stop", cost=0.0), four)
    sure = stopping(situation("stop", evpi=0.0, b=0.0), START)
    assert "“Grant”." in sure and "loses" not in sure


def test_reading_to_the_end_is_said() -> None:
    told = explain(situation("continue", depth=50, more=10), START)
    assert "all 10 documents" in told.sentence


def test_a_stop_says_why() -> None:
    assert "worth 0.0003 each and cost 0.002" in explain(situation("stop"), START).sentence
    worthless = explain(situation("stop", worth=0.0), START).sentence
    assert worthless == advice_message("not_worth_it")


def test_nothing_read_is_said_before_anything_else() -> None:
    told = explain(situation("prior alone"), START)
    assert told.sentence.startswith(advice_message("alone", advice=situation("prior alone")))
    assert not advice_message("alone", advice=situation("stop"))


def test_assumptions_are_named_the_assumption_and_what_would_follow() -> None:
    variations = (
        Variation(Assumption(chance_factor=0.5), go_on=True, more=9, option=MINUS),
        Variation(Assumption(chance_factor=2), go_on=False, more=0, option=PLUS),
        Variation(Assumption(b_0=0.3), go_on=False, more=0, option=MINUS),
    )
    told = explain(situation("stop", worth=0.001, variations=variations), START)
    assert told.word == "STOP", "what is assumed does not turn the headline"
    half, twice = told.robustness
    assert "half as likely" in half and "about 9 more" in half and "“Reject”" not in half
    assert "twice as likely" in twice and "choose “Reject”" in twice
    assert explain(situation("stop"), START).robustness == ()


@pytest.mark.parametrize("go_on", [True, False])
def test_a_hit_that_waits_shows_both_worlds(go_on: bool) -> None:
    fails = situation("continue", b=0.213) if go_on else situation("stop", b=0.213)
    sentence = explain(situation("confirm", if_fails=fails), START).sentence
    assert "choose “Reject”" in sentence and "21 %" in sentence
    assert ("about 6 more" in sentence) == go_on
    assert ("choose “Grant”" in sentence) == (not go_on)


def test_actions_go_by_the_names_they_were_given() -> None:
    named = replace(START, plus="Don't file", minus="File")
    assert action(True, named) == "Don't file" and "“File”" in stopping(situation("stop"), named)


def test_what_follows_from_costs_at_their_limits() -> None:
    paper = START.paper_mode()
    assert cost_warnings(paper) == []
    (free,) = cost_warnings(replace(paper, cost=0.0))
    assert free.startswith("Reading costs nothing")
    (dear,) = cost_warnings(replace(paper, cost=0.25))  # the EVPI is at most a quarter at q* = 1/2
    assert "costs 0.25" in dear and "never worth more than 0.25" in dear
    assert cost_warnings(replace(paper, cost=0.2499)) == []
    # With a citation needed, EVPI is b(B + L_g) and its most is B + L_g = a half.
    assert (
        cost_warnings(replace(START, cost=0.49)) == [] and len(cost_warnings(replace(START, cost=0.5))) == 1
    )


def test_live_advice_of_a_session_snapshot_is_worded() -> None:
    seen = set()
    for rule in ("optimal", "greedy", "batch:K=10", "budget:d=30"):
        settings = replace(START, policy=rule)
        events = [Event("label", {"doc": IDS[i], "label": "irrelevant"}, i + 1) for i in range(N)]
        events[40] = Event("label", {"doc": IDS[40], "label": "relevant"}, 41)
        for depth in range(N + 1):
            advice = advise(settings, CALIBRATOR, P, replay(settings, IDS, events[:depth]))
            told = explain(advice, settings)
            seen.add(advice.headline)
            assert told.word == WORDS[advice.headline] and told.sentence.endswith(".")
    assert {"continue", "confirm"} <= seen


@pytest.mark.parametrize(
    ("q_star", "b_0", "says"),
    [
        (0.8, 0.67, "It is more likely than not that prior art exists, but a wrong “a+” is so much worse that 67 % is not enough: it pays above 80 %."),
        (0.2, 0.3, "It is less likely than not that prior art exists, but a wrong “a-” is so much worse that 30 % is enough: “a+” pays above 20 %."),
        (0.5, 0.3, ""),
        (0.5, 0.7, ""),
    ],
)  # fmt: skip
def test_an_action_against_the_odds_says_why(q_star: float, b_0: float, says: str) -> None:
    settings = replace(
        START, payoffs=Payoffs.from_q_star(q_star), b_0=b_0, plus="a+", minus="a-", needs_citation=False
    )
    advice = advise(settings, CALIBRATOR, P, replay(settings, IDS, []))
    assert against_the_odds(advice, settings) == says
    cited = replace(settings, needs_citation=True)
    advice = advise(cited, CALIBRATOR, P, replay(cited, IDS, []))
    assert not advice.plus and against_the_odds(advice, cited) == (says if b_0 < q_star else "")
