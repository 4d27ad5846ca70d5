"""Check the arguments of the Python interface, and convert them to the objects of a session."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from difflib import get_close_matches
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

import numpy as np

from tarstop_core.calibration.calibrator import Calibrator, FittedOn
from tarstop_core.documents.reports import Report, StudyRow
from tarstop_core.documents.tables import Flags, Floats, Ints
from tarstop_core.errors import InputProblem
from tarstop_core.samples.shipped import default_calibrator
from tarstop_core.screening.labels import CONFIRMED, IRRELEVANT, PENDING, RELEVANT, UNSEEN, UNSURE
from tarstop_core.screening.paths import chances as chances_of
from tarstop_core.screening.scenarios.named import SCENARIOS, scenario_of
from tarstop_core.screening.scenarios.studies import StudyScenario
from tarstop_core.screening.settings import Settings
from tarstop_core.screening.state import State
from tarstop_core.value.stakes import Stakes

if TYPE_CHECKING:
    from tarstop_core.api.calibrators import Calibrator as Estimator

GIVEN_AS_NUMBERS = FittedOn("chances given as numbers", topics=0, documents=0, relevant=0, simulated=False)
OTHER_ARGUMENTS = ("payoffs", "cost", "full_cost", "calibrator", "scenario")
"""Settings that are given by arguments of another name or form."""
ACCEPTED_TYPES: dict[type[Any], Any] = {float: Real, int: Integral, type(None): Real}
"""Accepted types of a setting, by the type of its default."""


@dataclass(frozen=True, eq=False)
class SessionInputs:
    """Settings, calibrator, chances and state of a session that has the same arguments."""

    settings: Settings
    calibrator: Calibrator
    p: Floats  # Chance of each document after these labels, shape (N,)
    state: State


def session_inputs(
    chances: Any,
    labels: Any,
    stakes: Stakes | None,
    scenario: str,
    tables: Any,
    calibrator: Estimator | None,
    changes: Mapping[str, Any],
) -> SessionInputs:
    """Convert the arguments of :func:`~tarstop_core.api.screening.advise` to the objects of a session.

    Parameters
    ----------
    chances, labels, stakes, scenario, tables, calibrator
        As for :func:`~tarstop_core.api.screening.advise`.
    changes : mapping
        Settings that differ from the default, by name.

    Returns
    -------
    SessionInputs

    Raises
    ------
    InputProblem
        When an argument is unusable.
    """
    learns = isinstance(chances, Integral)  # only a number of documents is given
    settings = as_settings(stakes, scenario, changes, learns)
    chance = scenario_of(settings).chance_of(settings)
    if learns and chances < 1:
        raise InputProblem(f"chances is {chances}; give the number of documents, or the chance of each.")
    p = np.zeros(int(chances)) if learns else as_chances(chances)
    state = as_state(settings, len(p), as_labels(labels), tables)
    fitted = as_calibrator(p, chance, calibrator)
    return SessionInputs(settings, fitted, chances_of(settings, fitted, None, state), state)


def as_settings(stakes: Stakes | None, scenario: str, changes: Mapping[str, Any], learns: bool) -> Settings:
    """Make the settings of a session in paper mode, with changes by the user.

    Parameters
    ----------
    stakes : Stakes or None
        None if the scenario weighs no decision.
    scenario : str
        Name of the scenario.
    changes : mapping
        Settings that differ from the default, by name.
    learns : bool
        Whether the list learns from labels what to read next.

    Returns
    -------
    Settings

    Raises
    ------
    InputProblem
        When there is no such scenario or setting, or a value is unusable.
    """
    if scenario not in SCENARIOS:
        raise InputProblem(f"scenario is '{scenario}'; choose one of {', '.join(SCENARIOS)}.")
    start = SCENARIOS[scenario].settings_class.beginning().paper_mode()
    if start.weighs:  # the names of the two actions in this scenario
        plus, minus = SCENARIOS[scenario].first_actions
        start = replace(start, plus=plus, minus=minus)
    if not start.weighs and stakes is not None:
        raise InputProblem(f"stakes is given, but the scenario {scenario} weighs no decision; leave it out.")
    if start.weighs:
        check_stakes(stakes)
    if learns and start.one_decides:
        raise InputProblem(
            f"chances is a number of documents, but in the scenario {scenario} no list learns; give the chance of each document."
        )
    offered = {field.name: getattr(start, field.name) for field in fields(start)}
    for name, value in changes.items():
        if name not in offered or name in OTHER_ARGUMENTS:
            names = [name for name in offered if name not in OTHER_ARGUMENTS]
            if near := get_close_matches(name, names, 1):
                raise InputProblem(
                    f"There is no setting {name} in the scenario {scenario}; {near[0]} is one."
                )
            raise InputProblem(
                f"There is no setting {name} in the scenario {scenario}; choose from {', '.join(names)}."
            )
        if not isinstance(value, ACCEPTED_TYPES.get(type(offered[name]), type(offered[name]))):
            raise InputProblem(f"{name} is {value!r}; give a value of the kind of {offered[name]!r}.")
    weighed = start if stakes is None else start.with_stakes(stakes)
    return replace(weighed, **{"learns": learns, **changes})


def as_chances(given: Any) -> Floats:
    """Convert chances to an array of shape (N,); InputProblem when one is not from 0 to 1."""
    try:
        p = np.asarray(given, dtype=float)
    except (TypeError, ValueError):
        raise InputProblem(
            "chances contains something that is not a number; give one from 0 to 1 for each document."
        ) from None
    if p.ndim != 1 or not len(p):
        raise InputProblem(f"chances has the shape {p.shape}; give one number for each document, shape (N,).")
    bad = np.flatnonzero(~((p >= 0) & (p <= 1)))
    if len(bad):
        raise InputProblem(f"chances[{bad[0]}] is {p[bad[0]]:g}; give a number from 0 to 1.")
    return p


def as_labels(given: Any) -> Floats:
    """Convert labels to 1, 0 and nan, without missing ones after the last label; InputProblem for any other value."""
    import pandas as pd

    if isinstance(given, str) or not isinstance(given, Iterable):
        raise InputProblem(f"labels is {given!r}; give a label for each document read, in this order.")
    values = pd.Series(list(given), dtype=object)
    labels = np.full(len(values), np.nan)
    for at in np.flatnonzero(values.notna().to_numpy()):
        if values[at] not in (0, 1):
            raise InputProblem(
                f"labels[{at}] is {values[at]!r}; give 1 for relevant, 0 for not relevant, nan for no verdict."
            )
        labels[at] = values[at]
    given_at = np.flatnonzero(~np.isnan(labels))
    read = labels[: given_at[-1] + 1 if len(given_at) else 0]
    if len(read) > 2 * len(given_at):
        warnings.warn(
            f"labels has {len(read) - len(given_at):,} missing ones before its last; these documents count as read "
            "without a verdict, and labels must be in the order of reading.",
            stacklevel=4,
        )
    return read


def fully_labelled(labels: Floats) -> Flags:
    """Whether each document is relevant, shape (N,); InputProblem when one has no label."""
    missing = np.flatnonzero(np.isnan(labels))
    if len(missing):
        raise InputProblem(
            f"labels[{missing[0]}] is missing; a replay needs the label of each document. With fewer, ask "
            "advise(chances, labels[:n], …) for n = 0, 1, 2, …: a rule stops at the first n without go_on."
        )
    return np.asarray(labels == 1)


def check_stakes(given: object) -> None:
    """Raise InputProblem unless the value is a Stakes."""
    if not isinstance(given, Stakes):
        example = "ts.Stakes.from_q_star(0.5, cost=0.001)"
        raise InputProblem(f"stakes is {given!r}; give what is at stake, such as {example}.")


def check_chance(value: float, name: str) -> None:
    """Raise InputProblem unless a value lies in [0, 1]; `name` is that of the argument."""
    if not (isinstance(value, Real) and 0 <= value <= 1):
        raise InputProblem(f"{name} is {value}; give a number from 0 to 1.")


def as_calibrator(p: Floats, chance: str, estimator: Estimator | None) -> Calibrator:
    """Make a calibrator that gives each rank its chance, with the variation between lists of a fitted one.

    Parameters
    ----------
    p : ndarray, shape (N,)
        Chances in the order of reading.
    chance : str
        What the chances are chances of ("patent", "review" or "inclusion").
    estimator : Calibrator, optional
        Predicted the chances.

    Returns
    -------
    Calibrator

    Raises
    ------
    InputProblem
        When the estimator is not fitted, or its chances are of something else.
    """
    x, y = tuple(np.log(np.arange(1, len(p) + 1)).tolist()), tuple(p.tolist())
    if estimator is None:
        return Calibrator("rank", chance, x, y, GIVEN_AS_NUMBERS)
    fitted = getattr(estimator, "calibrator_", None)
    shipped = default_calibrator(has_scores=False, scenario=chance)
    if not isinstance(fitted, Calibrator):
        raise InputProblem(
            f"calibrator is {estimator!r}; give a fitted one, such as ts.Calibrator.load('{shipped}')."
        )
    if fitted.scenario != chance:
        raise InputProblem(
            f"calibrator gives chances of '{fitted.scenario}', but chances of '{chance}' are needed; use "
            f"ts.Calibrator.load('{shipped}'), or fit one with scenario='{chance}'."
        )
    if fitted.kind == "rank-frailty" and p.any() and not np.allclose(p, fitted.probabilities(None, len(p))):
        raise InputProblem(
            "chances are not those of calibrator, which depend only on the length of a list; give "
            f"calibrator.predict({len(p)}), or leave calibrator out."
        )
    return replace(fitted, kind=fitted.kind if fitted.by_rank else "rank", band=(), x=x, y=y)


def as_state(settings: Settings, documents: int, labels: Floats, tables: Any) -> State:
    """Make the state of a session after these labels and tables.

    Parameters
    ----------
    settings : Settings
        Settings of the session.
    documents : int
        Number of documents in the list.
    labels : ndarray, shape (d,)
        Labels from :func:`as_labels`.
    tables : DataFrame, array_like or None
        2×2 tables or effects so far.

    Returns
    -------
    State

    Raises
    ------
    InputProblem
        When there are more labels than documents, or a table belongs to no relevant document.
    """
    if len(labels) > documents:
        raise InputProblem(
            f"labels has {len(labels):,} labels for {documents:,} documents; give at most one for each."
        )
    codes = np.full(documents, UNSEEN, dtype=np.int8)
    codes[: len(labels)] = np.select([labels == 1, labels == 0], [RELEVANT, IRRELEVANT], UNSURE)
    confirmed = np.where(codes == RELEVANT, CONFIRMED, PENDING).astype(np.int8)
    reports: dict[int, Report] = {}
    if settings.reads_full_texts:
        relevant = np.flatnonzero(codes == RELEVANT)
        if tables is None and len(relevant):
            warnings.warn(
                f"tables is not given, so the {len(relevant):,} relevant documents count as without data; give "
                "tables=[] if they are.",
                stacklevel=4,
            )
        if not settings.two_stages:
            # Full texts are read at once, so relevant documents without a table have no data.
            reports = {int(at): Report("no data") for at in relevant}
        studies, positions = placed(settings, tables, relevant)
        for at in np.unique(positions[positions < len(labels)]).tolist():
            if codes[at] != RELEVANT:
                raise InputProblem(
                    f"tables names position {at}, a document that labels does not call relevant."
                )
            rows = tuple(studies[study] for study in np.flatnonzero(positions == at).tolist())
            reports[at] = Report("data", rows=rows)
    elif tables is not None:
        raise InputProblem("tables is for the scenario review, or effect; leave it out.")
    return State(settings, codes, confirmed, reports=reports)


def placed(settings: Settings, given: Any, relevant: Ints | Sequence[int]) -> tuple[list[StudyRow], Ints]:
    """Convert studies and find the position of the document that brought each, sorted by position.

    Parameters
    ----------
    settings : Settings
        Settings of a scenario with studies.
    given : DataFrame, Tables, array_like or None
        2×2 tables or effects, perhaps with a column `position`.
    relevant : sequence of int
        Positions of the relevant documents; without that column, each has one study.

    Returns
    -------
    list of StudyRow
        The studies.
    ndarray of int, shape (studies,)
        Their positions.

    Raises
    ------
    InputProblem
        When studies and documents do not fit together.
    """
    scenario = scenario_of(settings)
    assert isinstance(scenario, StudyScenario), "studies add up"
    studies = scenario.rows_given([] if given is None else given, settings)
    if "position" in getattr(given, "columns", ()):
        positions = np.asarray(given["position"])
        if not (np.issubdtype(positions.dtype, np.integer) and (positions >= 0).all()):
            raise InputProblem(
                "tables has a position that is not a whole number, 0 or more; 0 is the first document."
            )
        order = np.argsort(positions, kind="stable")
        return [studies[at] for at in order.tolist()], positions[order].astype(np.int64)
    if studies and len(studies) != len(relevant):
        raise InputProblem(
            f"tables has {len(studies):,} rows and labels {len(relevant):,} relevant documents; give a row for each, or say "
            "in a column position which document brought it (0 is the first)."
        )
    return studies, np.asarray(relevant, dtype=np.int64)[: len(studies)]
