"""What a person reads first: a word, what to read and what for, and what stopping now would mean."""

from dataclasses import replace

import pytest

from tarstop_core.screening import advice_message
from tarstop_core.screening.advised import Assumption, Floor, RecallFacts, Variation
from tarstop_core.screening.enough_settings import EnoughSettings
from tarstop_core.screening.scenarios.enough import ENOUGH
from tarstop_core.screening.wording import (
    MOODS,
    SIGNS,
    against_the_odds,
    chance_in_words,
    document_name,
    explain,
    in_brief,
    verdict,
)
from tarstop_core.value.payoffs import MINUS, Payoffs
from tests.screening.test_explain import REVIEW, START, TOLD, situation


def test_every_mood_has_a_sign_of_its_own() -> None:
    assert set(SIGNS) == set(MOODS.values()) and len(set(SIGNS.values())) == len(SIGNS)


def test_worth_is_a_multiple_of_its_cost_in_documents_or_in_money() -> None:
    said = verdict(situation("continue"), START)
    word, *_, brief = in_brief(situation("continue"), START)
    assert word == said.word == "GO ON" and "2.1 ×" in brief and "6 more" in brief
    assert "6 more" in said.says and "2.1 times" in said.says
    pounds = replace(START, payoffs=START.payoffs.scaled(20_000, "£"), cost=40.0)
    money = situation("continue", worth=86.0, cost=40.0)
    assert "2.1 times their cost (£86 against £40" in verdict(money, pounds).says
    free = verdict(situation("continue", cost=0.0), replace(START, cost=0.0))
    assert free.says.endswith("could still show something.")


@pytest.mark.parametrize("ratio", [0.9999, 1.0001])
def test_what_does_not_pay_never_reads_as_if_it_did(ratio: float) -> None:
    headline = "continue" if ratio > 1 else "stop"
    said = verdict(situation(headline, worth=ratio * START.cost), START).says
    assert ("1.01 times" if ratio > 1 else "would be worth 0.99 times") in said


def test_stopping_now_says_how_likely_it_is_right_and_on_what_it_rests() -> None:
    said = verdict(situation("stop"), START)
    assert "“Grant”, 70 % likely right" in said.now and "cite" not in said.now
    assert said.rests == "5 documents read."
    assert verdict(situation("stop", depth=2), START).rests == "Only 2 documents read."
    uncited = situation("stop", b=0.7)
    now = verdict(uncited, START).now
    assert "“Grant”, 30 % likely right" in now and "“Reject” needs a document" in now
    assert "document to cite" in chance_in_words(uncited, START)
    assert chance_in_words(situation("stop"), START).endswith("“Reject” pays.")


def test_assumptions_that_matter_are_named_among_the_reasons() -> None:
    other = Variation(Assumption(chance_factor=0.5), go_on=True, more=9, option=MINUS)
    same = Variation(Assumption(chance_factor=2), go_on=False, more=0, option=MINUS)
    said = verdict(situation("stop", variations=(other, same)), START)
    assert said.word == "STOP"
    assert said.rests.endswith("Assumptions matter: see Why.")
    (doubt,) = explain(situation("stop", variations=(other, same)), START).robustness
    assert "half as likely" in doubt and "9 more" in doubt
    alike = situation("stop", variations=(same,))
    assert "Assumptions" not in verdict(alike, START).rests
    assert explain(alike, START).robustness == (advice_message("robust", advice=alike),)


def test_a_review_rests_on_studies_and_says_what_is_unread() -> None:
    said = verdict(situation("stop", facts=TOLD), REVIEW)
    assert "“Don’t adopt”, 75 % likely right" in said.now
    assert said.rests.startswith("4 studies, about 12 (3 to 25)")
    early = verdict(situation("stop", facts=replace(TOLD, relevant=6)), REVIEW)
    assert early.rests == "4 studies so far.", "four times 6 is less than 25"
    moves = verdict(situation("stop", facts=replace(TOLD, waiting=0, pooled_range=(0.64, 0.83))), REVIEW)
    assert "About 12" in moves.rests and "64 % to 83 %" in moves.rests
    reports = verdict(situation("reports", facts=TOLD), REVIEW)
    assert reports.word == "READ THE REPORTS"
    assert "2 of the 3 waiting" in reports.says and "worth 2 times" in reports.says


def test_a_hit_that_waits_says_what_either_answer_leads_to() -> None:
    said = verdict(situation("confirm", if_fails=situation("continue")), START)
    assert said.word == "CONFIRM IT" and "“Reject”. If not: go on" in said.now


def test_what_was_found_is_named() -> None:
    one, other = document_name(11, "EP1234567A1", "A hinge"), document_name(2, "", "A mast")
    assert verdict(situation("found"), START, [one]).says.startswith("#12 EP1234567A1 “A hinge” settles")
    assert verdict(situation("found"), START, [other, one]).says.startswith("#3 “A mast” and #12 EP1234567A1")
    assert explain(situation("found"), START, [one]).sentence.startswith(
        f"{one} settles the question; nothing"
    )
    waits = situation("confirm", if_fails=situation("continue"))
    assert verdict(waits, START, [one]).says.startswith(f"{one} may settle the question")
    assert verdict(waits, START, [one, other, one]).says.startswith(f"{one} and 2 others may settle")


def test_going_on_that_is_expected_to_lose_is_said_to_differ_from_the_best_plan() -> None:
    greedy = replace(REVIEW, policy="greedy")
    loses = situation("continue", facts=TOLD, gain=-60.0)
    assert "cost of 30,000 documents" in verdict(loses, greedy).says
    assert "would stop" in explain(loses, greedy).sentence
    assert "would read less" in verdict(replace(loses, plan_pays=True), greedy).says
    held = replace(loses, held_by=Floor.STUDIES)
    assert "rule alone would stop" in verdict(held, replace(greedy, floor_studies=5)).says
    assert "expected loss" not in verdict(replace(loses, gain=0.0), greedy).says


@pytest.mark.parametrize(("unread", "explained"), [(0.5, True), (30.0, False)])
def test_going_on_although_the_best_guess_is_high_enough_is_explained(unread: float, explained: bool) -> None:
    facts = RecallFacts(left=(unread, 0.0, 2 * unread + 10), relevant=100)
    going, stopped = (
        ENOUGH.message("so_far", facts=facts, settings=EnoughSettings(), go_on=go_on)
        for go_on in (True, False)
    )
    assert (going != stopped) == explained


@pytest.mark.parametrize(
    ("most", "says"), [(53, "(94.97 % to 100 %)"), (52, "Few left is not sure"), (0, "Few left is")]
)
def test_no_end_of_an_interval_is_rounded_across_the_recall_to_reach(most: int, says: str) -> None:
    facts, settings = RecallFacts(left=(most / 3, 0.0, most), relevant=1000), EnoughSettings()
    so_far = ENOUGH.message("so_far", facts=facts, settings=settings, go_on=True)
    assert says in so_far and ("certain" in so_far) == (most == 53)


def test_what_was_asked_for_and_what_is_reached_are_not_rounded_to_one_number() -> None:
    asked = replace(REVIEW, floor=0.75, theta=0.64)
    told = replace(TOLD, disagreement=0.2503, waiting=0, pooled_range=(0.6396, 0.83))
    held = situation("continue", facts=told, held_by=Floor.RIGHT)
    assert "74.97 % likely right" in verdict(held, asked).now
    assert "63.96 % to 83 %" in verdict(situation("stop", facts=told), asked).rests
    odds = replace(START, payoffs=Payoffs.from_q_star(0.7))
    assert "69.98 % is not enough" in against_the_odds(situation("stop", b=0.6998), odds)
