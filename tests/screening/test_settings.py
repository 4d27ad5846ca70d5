"""Saved settings of this version and before."""

from dataclasses import asdict, replace

import pytest

from tarstop_core.errors import InputProblem
from tarstop_core.screening.patent_settings import PatentSettings
from tarstop_core.screening.review_settings import ReviewSettings
from tarstop_core.screening.scenarios.named import read_settings
from tarstop_core.screening.settings import Settings
from tarstop_core.value.payoffs import Payoffs

PATENT = PatentSettings(Payoffs.from_q_star(0.5), 0.001)
REVIEW = ReviewSettings(PATENT.payoffs, PATENT.cost, policy="optimal")


def of_before(settings: Settings) -> dict[str, object]:
    """As a programme wrote it that named no version."""
    content = asdict(settings) | {"scenario": settings.scenario}
    del content["scale"]
    content.pop("application", None)
    return content


@pytest.mark.parametrize(
    ("then", "today"),
    [
        ("optimal", "open-loop"),
        ("either(optimal;budget:d=100)", "either(open-loop;budget:d=100)"),
        ("look-ahead:m=20", "look-ahead:m=20"),
    ],
)
def test_the_optimal_rule_of_before_is_the_open_loop_of_a_review(then: str, today: str) -> None:
    taken = read_settings(of_before(replace(REVIEW, policy=then)))
    assert taken == replace(REVIEW, policy=today)
    assert read_settings(taken.to_dict()) == taken and "version" not in taken.to_dict()


def test_where_one_document_decides_the_optimal_rule_stays_what_it_was() -> None:
    assert read_settings(of_before(PATENT)) == PATENT
    assert "version" not in PATENT.to_dict()


def test_the_optimal_rule_of_a_review_is_kept() -> None:
    content = REVIEW.to_dict()
    assert content["version"] == 2 and read_settings(content) == REVIEW


def test_settings_of_a_later_version_are_refused() -> None:
    with pytest.raises(InputProblem, match="settings have version 3; this program reads versions up to 2"):
        read_settings({**REVIEW.to_dict(), "version": 3})


def test_each_scenario_begins_with_its_own_rule_and_files_keep_the_rule_and_the_floors_they_name() -> None:
    begun = ReviewSettings(PATENT.payoffs, 0.001)
    assert (PATENT.policy, begun.policy, begun.floor_studies) == ("optimal", "optimal", 0)
    earlier = {**REVIEW.to_dict(), "policy": "greedy"}
    assert "floor_studies" not in earlier and read_settings(earlier).floor_studies == 0
    held = replace(begun, floor_studies=5, least_studies=3, least_patients=50)
    assert read_settings(held.to_dict()) == held
    paper = held.paper_mode()
    assert (paper.floor_studies, paper.least_studies, paper.least_patients) == (0, 0, 0)


@pytest.mark.parametrize("rule", ["qbcb", "audit:every=3", "target", "oracle"])
@pytest.mark.parametrize("settings", [PATENT, REVIEW])
def test_a_rule_that_cannot_advise_is_no_rule_of_a_session(settings: Settings, rule: str) -> None:
    with pytest.raises(InputProblem, match=f"cannot advise a session; choose .* {settings.first_rule}"):
        replace(settings, policy=rule)
    with pytest.raises(InputProblem, match="cannot advise a session"):
        read_settings({**settings.to_dict(), "policy": rule})


def test_a_specificity_to_exceed_is_kept_and_leaves_files_of_others_as_they_were() -> None:
    assert "theta_sp" not in REVIEW.to_dict()
    both = replace(REVIEW, theta_sp=0.8)
    assert read_settings(both.to_dict()) == both and read_settings(REVIEW.to_dict()).theta_sp is None
    with pytest.raises(InputProblem):
        replace(REVIEW, theta_sp=1.0)
