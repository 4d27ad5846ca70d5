"""Which calibrators a person is offered, and what becomes of one that they bring."""

from dataclasses import replace

import pytest

from tarstop_core.calibration.calibrator import KINDS, SCENARIOS
from tarstop_core.samples.shipped import FORMER, calibrators
from tarstop_core.sessions.calibrator_library import (
    CHANCE_OF,
    KIND_WORDS,
    NAMES,
    all_calibrators,
    fitting_calibrators,
    keep,
    title,
)
from tarstop_core.sessions.store.store import Store
from tests.session_cases import INCLUSION, PATENT

BY_SCORE = replace(PATENT, kind="marginal")


def test_a_persons_own_come_first_and_those_put_away_stand_apart(store: Store) -> None:
    own, gone = keep(store, PATENT), keep(store, INCLUSION)
    store.delete_calibrator(INCLUSION.digest)
    assert list(all_calibrators(store)) == [own, *calibrators()]
    assert list(all_calibrators(store, deleted=True)) == [gone]
    store.rename_calibrator(PATENT.digest, "Mine")
    assert title(all_calibrators(store)[own]) == "Mine (from ranks) · yours"
    assert all(
        not title(each).endswith("yours") for key, each in all_calibrators(store).items() if key != own
    )


def test_one_that_is_included_is_not_listed_twice(store: Store) -> None:
    key, calibrator = next(iter(calibrators().items()))
    assert keep(store, calibrator) == key
    assert list(all_calibrators(store)) == list(calibrators())


def test_one_that_was_included_in_other_words_is_not_listed_as_ones_own(store: Store) -> None:
    (digest, key), now = next(iter(FORMER.items())), calibrators()
    source = now[key].fitted_on.source.partition("Four collections hardly")[0]
    before = replace(
        now[key],
        fitted_on=replace(
            now[key].fitted_on,
            source=f"{source}How far the next collection may lie is hardly known from four: with half or twice its prior "
            "spread a first hit comes by rank 50 in 83% or 82%",
        ),
    )
    assert before.digest == digest and keep(store, before) == key
    assert list(all_calibrators(store)) == list(now)


def test_keeping_one_that_was_put_away_brings_it_back(store: Store) -> None:
    key = keep(store, PATENT)
    store.delete_calibrator(PATENT.digest)
    assert keep(store, PATENT) == key and key in all_calibrators(store)


@pytest.mark.parametrize("scenario", CHANCE_OF)
def test_only_those_that_give_the_chances_a_list_needs_are_offered(store: Store, scenario: str) -> None:
    kept = {keep(store, each): each for each in (PATENT, INCLUSION, BY_SCORE)}
    there, by_rank = (
        fitting_calibrators(store, scenario),
        fitting_calibrators(store, scenario, has_scores=False),
    )
    assert {each.calibrator.scenario for each in there.values()} == {scenario}
    assert [key for key in there if key in kept] == [key for key in kept if kept[key].scenario == scenario]
    assert by_rank == {key: each for key, each in there.items() if each.calibrator.by_rank}
    assert keep(store, BY_SCORE) not in by_rank


def test_every_kind_and_scenario_has_words() -> None:
    assert set(KIND_WORDS) == {*KINDS, "first-hit"}
    assert set(CHANCE_OF) == set(NAMES) == set(SCENARIOS)


def test_the_names_of_what_is_included_have_the_apostrophes_of_print(store: Store) -> None:
    included = all_calibrators(store).values()
    assert any("’" in entry.name for entry in included)
    assert not any("'" in entry.name + entry.calibrator.fitted_on.badge for entry in included)
