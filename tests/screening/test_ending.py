"""What is said at the end of a session."""

from tarstop_core.screening.state import Decision
from tarstop_core.screening.wording import ending
from tests.session_cases import START

FOOTING = {
    "plus": False,
    "action": "Grant",
    "advised": False,
    "advice": "stop",
    "depth": 24,
    "belief": 0.032,
    "spent": 120.0,
    "reason": "Enough",
}


def test_a_decision_says_on_what_and_what_the_advice_was() -> None:
    said = ending(Decision(False, "", FOOTING), START)
    assert said.action == "Grant" and said.reason == "Enough"
    assert said.on == "After 24 documents, at a cost of £120. The chance that prior art exists was 3.2 %."
    assert said.advice == "The advice then: STOP, “Grant”." and not said.overridden
    review = ending(Decision(False, "", {**FOOTING, "studies": 5}), START)
    assert review.on.startswith("After 24 documents and 5 studies with data, at")


def test_a_decision_against_the_advice_says_how() -> None:
    stopped = ending(Decision(False, "", {**FOOTING, "advice": "continue"}), START)
    assert stopped.advice == "The advice then: GO ON, “Grant” if you stopped."
    assert stopped.overridden == "Overridden: you stopped all the same."
    other = ending(Decision(True, "", {**FOOTING, "action": "Reject"}), START)
    assert other.overridden == "Overridden: you chose “Reject”."
    both = ending(Decision(True, "", {**FOOTING, "action": "Reject", "advice": "reports"}), START)
    assert both.overridden == "Overridden: you stopped all the same and you chose “Reject”."


def test_the_end_names_the_document_that_settles_the_question() -> None:
    said = ending(Decision(True, "", FOOTING), START, ["#12 EP1234567A1 “A hinge”"])
    assert said.settled == "#12 EP1234567A1 “A hinge” settles the question."
    assert not ending(Decision(True, "", FOOTING), START).settled


def test_a_decision_of_an_earlier_version_says_what_it_holds() -> None:
    said = ending(Decision(True, "", {"plus": True, "advice": "depends"}), START)
    assert (said.action, said.on) == ("Reject", "")
    assert said.advice == "The advice then: DEPENDS ON ASSUMPTIONS." and not said.overridden
