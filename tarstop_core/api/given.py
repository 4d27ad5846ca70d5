"""Arrays and tables that a Python user gives, checked and put into the terms of a session."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from difflib import get_close_matches
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

import numpy as np

from tarstop_core.calibration.calibrator import Calibrator, FittedOn
from tarstop_core.documents.reports import EffectRow, Report, Row
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

OWN = FittedOn("chances given as numbers", topics=0, documents=0, relevant=0, simulated=False)
GIVEN_APART = ("payoffs", "cost", "full_cost", "calibrator", "scenario")
"""Settings that other arguments give."""
USUAL: dict[type[Any], Any] = {float: Real, int: Integral, type(None): Real}
"""What is given for a number."""


@dataclass(frozen=True, eq=False)
class Asked:
    """What is asked of the engine: a session's settings, calibrator, chances and state."""

    settings: Settings
    calibrator: Calibrator
    p: Floats  # Chance of each document as the session has it after these labels, shape (N,)
    state: State


def asked(
    chances: Any,
    labels: Any,
    stakes: Stakes | None,
    scenario: str,
    tables: Any,
    calibrator: Estimator | None,
    own: Mapping[str, Any],
) -> Asked:
    """Put the arguments of :func:`~tarstop_core.api.screening.advise` into the terms of a session.

    Parameters
    ----------
    chances, labels, stakes, scenario, tables, calibrator
        As there.
    own : mapping
        Settings by name.

    Returns
    -------
    Asked

    Raises
    ------
    InputProblem
        When an argument cannot be used.
    """
    learns = isinstance(chances, Integral)
    settings = as_settings(stakes, scenario, own, learns)
    chance = scenario_of(settings).chance_of(settings)
    if learns and chances < 1:
        raise InputProblem(f"chances is {chances}; give the number of documents, or the chance of each.")
    p = np.zeros(int(chances)) if learns else as_chances(chances)
    state = as_state(settings, len(p), as_labels(labels), tables)
    source = as_calibrator(p, chance, calibrator)
    return Asked(settings, source, chances_of(settings, source, None, state), state)


def as_settings(stakes: Stakes | None, scenario: str, own: Mapping[str, Any], learns: bool) -> Settings:
    """Make the settings of a session in the paper's mode, with what a person changes.

    Parameters
    ----------
    stakes : Stakes or None
        None where nothing is weighed.
    scenario : str
        One of the scenarios' names.
    own : mapping
        Settings by name.
    learns : bool
        Whether labels decide what is read next.

    Returns
    -------
    Settings

    Raises
    ------
    InputProblem
        When there is no such scenario or setting, or a value cannot be used.
    """
    if scenario not in SCENARIOS:
        raise InputProblem(f"scenario is '{scenario}'; choose one of {', '.join(SCENARIOS)}.")
    start = SCENARIOS[scenario].settings_class.beginning().paper_mode()
    if start.weighs:  # what the two actions are called in this question
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
    for name, value in own.items():
        if name not in offered or name in GIVEN_APART:
            names = [name for name in offered if name not in GIVEN_APART]
            if near := get_close_matches(name, names, 1):
                raise InputProblem(
                    f"There is no setting {name} in the scenario {scenario}; {near[0]} is one."
                )
            raise InputProblem(
                f"There is no setting {name} in the scenario {scenario}; choose from {', '.join(names)}."
            )
        if not isinstance(value, USUAL.get(type(offered[name]), type(offered[name]))):
            raise InputProblem(f"{name} is {value!r}; give a value of the kind of {offered[name]!r}.")
    weighed = start if stakes is None else start.with_stakes(stakes)
    return replace(weighed, **{"learns": learns, **own})


def as_chances(given: Any) -> Floats:
    """Return chances as an array of shape (N,); InputProblem when one is no chance."""
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
    """Return labels as 1, 0 and nan, without the missing ones behind the last; InputProblem when one is something else."""
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
    """Whether each document is relevant; InputProblem when one has no label."""
    missing = np.flatnonzero(np.isnan(labels))
    if len(missing):
        raise InputProblem(
            f"labels[{missing[0]}] is missing; a replay needs the label of each document. With fewer, ask "
            "advise(chances, labels[:n], …) for n = 0, 1, 2, …: a rule stops at the first n without go_on."
        )
    return np.asarray(labels == 1)


def check_stakes(given: object) -> None:
    """Refuse a value that is not Stakes."""
    if not isinstance(given, Stakes):
        example = "ts.Stakes.from_q_star(0.5, cost=0.001)"
        raise InputProblem(f"stakes is {given!r}; give what is at stake, such as {example}.")


def chance_of(value: float, name: str) -> float:
    """Return a chance; InputProblem when it lies outside [0, 1]."""
    if not (isinstance(value, Real) and 0 <= value <= 1):
        raise InputProblem(f"{name} is {value}; give a number from 0 to 1.")
    return float(value)


def as_calibrator(p: Floats, chance: str, fitted: Estimator | None) -> Calibrator:
    """Make a calibrator that gives each rank its chance, and varies lists as the one does that was fitted.

    Parameters
    ----------
    p : ndarray, shape (N,)
        Chances in the order of reading.
    chance : str
        What they are chances of.
    fitted : Calibrator, optional
        Where they come from.

    Returns
    -------
    Calibrator

    Raises
    ------
    InputProblem
        When the chances of that calibrator are of something else.
    """
    x, y = tuple(np.log(np.arange(1, len(p) + 1)).tolist()), tuple(p.tolist())
    if fitted is None:
        return Calibrator("rank", chance, x, y, OWN)
    own = getattr(fitted, "calibrator_", None)
    shipped = default_calibrator(has_scores=False, scenario=chance)
    if not isinstance(own, Calibrator):
        raise InputProblem(
            f"calibrator is {fitted!r}; give a fitted one, such as ts.Calibrator.load('{shipped}')."
        )
    if own.scenario != chance:
        raise InputProblem(
            f"calibrator gives chances of '{own.scenario}', but chances of '{chance}' are needed; use "
            f"ts.Calibrator.load('{shipped}'), or fit one with scenario='{chance}'."
        )
    if own.kind == "rank-frailty" and p.any() and not np.allclose(p, own.probabilities(None, len(p))):
        raise InputProblem(
            "chances are not those of calibrator, which depend only on the length of a list; give "
            f"calibrator.predict({len(p)}), or leave calibrator out."
        )
    return replace(own, kind=own.kind if own.by_rank else "rank", band=(), x=x, y=y)


def as_state(settings: Settings, documents: int, labels: Floats, tables: Any) -> State:
    """Return the state of a session after these labels and tables.

    Parameters
    ----------
    settings : Settings
        Those of the session.
    documents : int
        Documents of the list.
    labels : ndarray, shape (d,)
        As :func:`as_labels` gives them.
    tables : DataFrame, array_like or None
        2×2 tables so far.

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
            # Read at once: what is relevant and brings no table has no data.
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


def placed(
    settings: Settings, given: Any, relevant: Ints | Sequence[int]
) -> tuple[list[Row | EffectRow], Ints]:
    """Return studies and the position of the document that brought each, rising.

    Parameters
    ----------
    settings : Settings
        Those of a session in which studies add up.
    given : DataFrame, Tables, array_like or None
        2×2 tables or effects, perhaps with a column `position`.
    relevant : sequence of int
        Positions of the relevant documents, which brought one each unless that column says otherwise.

    Returns
    -------
    list of Row or EffectRow, ndarray of int

    Raises
    ------
    InputProblem
        When studies and documents do not go together.
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
        return [studies[at] for at in order.tolist()], positions[order]
    if studies and len(studies) != len(relevant):
        raise InputProblem(
            f"tables has {len(studies):,} rows and labels {len(relevant):,} relevant documents; give a row for each, or say "
            "in a column position which document brought it (0 is the first)."
        )
    return studies, np.asarray(relevant, dtype=np.int64)[: len(studies)]
