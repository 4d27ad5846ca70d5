"""What is said at the end of a session."""

from tarstop_core.screening import advice_message
from tarstop_core.screening.state import RecordedDecision
from tarstop_core.screening.wording import ending
from tests.session_cases import START

BASIS = {
    "plus": False,
    "action": "Grant",
    "advised": False,
    "advice": "stop",
    "depth": 24,
    "belief": 0.032,
    "spent": 120.0,
    "reason": "Enough",
}


def overridden(stopped: bool, otherwise: bool) -> str:
    return advice_message("overridden", chosen="Reject", stopped=stopped, otherwise=otherwise)


def test_a_decision_says_on_what_and_what_the_advice_was() -> None:
    said = ending(RecordedDecision(False, "", BASIS), START)
    assert said.action == "Grant" and said.reason == "Enough"
    assert "24 documents" in said.on and "£120" in said.on and "3.2 %" in said.on
    assert "STOP, “Grant”." in said.advice and not said.overridden
    review = ending(RecordedDecision(False, "", {**BASIS, "studies": 5}), START)
    assert "24 documents and 5 studies" in review.on and "studies" not in said.on


def test_a_decision_against_the_advice_says_how() -> None:
    stopped = ending(RecordedDecision(False, "", {**BASIS, "advice": "continue"}), START)
    assert "GO ON, “Grant” if" in stopped.advice
    assert stopped.overridden == overridden(stopped=True, otherwise=False)
    other = ending(RecordedDecision(True, "", {**BASIS, "action": "Reject"}), START)
    assert other.overridden == "Overridden: you chose “Reject”."
    both = ending(RecordedDecision(True, "", {**BASIS, "action": "Reject", "advice": "reports"}), START)
    assert both.overridden == overridden(stopped=True, otherwise=True) and "“Reject”" in both.overridden


def test_the_end_names_the_document_that_settles_the_question() -> None:
    said = ending(RecordedDecision(True, "", BASIS), START, ["#12 EP1234567A1 “A hinge”"])
    assert said.settled.startswith("#12 EP1234567A1 “A hinge” settles")
    assert not ending(RecordedDecision(True, "", BASIS), START).settled


def test_a_decision_of_an_earlier_version_says_what_it_holds() -> None:
    said = ending(RecordedDecision(True, "", {"plus": True, "advice": "depends"}), START)
    assert (said.action, said.on) == ("Reject", "")
    assert "DEPENDS ON ASSUMPTIONS" in said.advice and not said.overridden
