"""Calibrators are kept once and for ever, on or off the list."""

from dataclasses import replace

import pytest

from tarstop_core.calibration.calibrator import Calibrator, FittedOn
from tarstop_core.calibration.quality import Quality
from tarstop_core.errors import InputProblem
from tarstop_core.sessions.store.store import Store
from tests.session_cases import PATENT


def test_calibrators_are_kept_once(store: Store) -> None:
    seen = FittedOn("Überprüfung", 3, 300, 9, False, "somewhere", 90, 110, (1.5, 4.0), 0.1)
    quality = Quality("5-fold", 3, 300, 0.01, 0.002, ((0.05, 0.04, 290), (0.3, 0.25, 10)))
    first = Calibrator("marginal", "patent", (-1.0, 0.1 + 0.2), (0.0, 1 / 3), seen, quality=quality)
    second = replace(first, kind="frailty", frailty=2.5)
    for calibrator in (first, second, first):
        assert store.save_calibrator(calibrator) == calibrator.digest
    assert store.calibrator(first.digest) == first
    assert {found.digest for found in store.kept_calibrators()} == {first.digest, second.digest}
    assert len(store.kept_calibrators()) == 2
    with pytest.raises(InputProblem, match="no calibrator 'nowhere'"):
        store.calibrator("nowhere")


def test_a_calibrator_is_renamed_put_away_and_brought_back(store: Store) -> None:
    digest = store.save_calibrator(PATENT)
    [kept] = store.kept_calibrators()
    assert (kept.name, kept.deleted, kept.calibrator, kept.digest) == ("tests", False, PATENT, digest)
    store.rename_calibrator(digest, "Mine \0")
    store.delete_calibrator(digest)
    [kept] = store.kept_calibrators()
    assert (kept.name, kept.deleted) == ("Mine \ufffd", True)
    # What a session uses stays within its reach.
    assert store.calibrator(digest) == PATENT
    store.restore_calibrator(digest)
    [kept] = store.kept_calibrators()
    assert (kept.name, kept.deleted) == ("Mine \ufffd", False)
    for ask in (store.delete_calibrator, store.restore_calibrator):
        with pytest.raises(InputProblem, match="no calibrator 'nix'"):
            ask("nix")
