"""Rules on one labelled list, played as ``tarstop replay`` plays them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from numbers import Integral
from typing import Any

import numpy as np
import pandas as pd

from tarstop_core.api.given import Asked, as_labels, asked, fully_labelled, placed
from tarstop_core.calibration.calibrator import INCLUSION, REVIEW
from tarstop_core.documents.reports import studies_of, tables_of
from tarstop_core.documents.tables import Flags
from tarstop_core.documents.topic import EffectOutcome, Outcome, Topic
from tarstop_core.effects.studies import forms_of
from tarstop_core.errors import InputProblem
from tarstop_core.evaluation import replay as replaying
from tarstop_core.evaluation.reranking import adaptive_chances
from tarstop_core.evaluation.tasks import TASKS
from tarstop_core.evaluation.tasks.effect import EffectTask
from tarstop_core.evaluation.tasks.review import ReviewTask
from tarstop_core.policies import parse_policy
from tarstop_core.policies.check import refuse_looking_ahead
from tarstop_core.presentation.figures import Chart, Figure
from tarstop_core.presentation.palette import GREY, SERIES
from tarstop_core.presentation.results import Result
from tarstop_core.samples.shipped import reranked_chances
from tarstop_core.screening.effect_settings import EffectSettings
from tarstop_core.screening.review_settings import ReviewSettings
from tarstop_core.value.stakes import Stakes

LIST = "list"
HEIGHT = 330
OF_THE_PAPER = (
    *("b_0", "scale", "theta", "theta_sp", "truth", "engine", "prior"),
    *("measure", "ratio", "delta", "above", "outcome"),
)
"""Settings that a replay knows."""


def played(
    own: Asked,
    chances: Any,
    tables: Any,
    relevant: Flags,
    name: str,
    target: float,
    settings: Mapping[str, Any],
) -> dict[str, Any]:
    """Play one rule on a labelled list.

    Parameters
    ----------
    own : Asked
        The question, with every label.
    chances, tables : object
        As the person gave them.
    relevant : ndarray of bool, shape (N,)
        The labels.
    name : str
        The rule.
    target : float
        Recall that is wanted where nothing is weighed.
    settings : mapping
        Settings that the person gave.

    Returns
    -------
    dict
        Documents read and what became of it, by name.

    Raises
    ------
    InputProblem
        When the rule or a setting cannot be replayed.
    """
    policy, task = parse_policy(name), TASKS[own.settings.scenario]
    refuse_looking_ahead([policy], task.in_steps)
    if extra := [setting for setting in settings if setting not in OF_THE_PAPER]:
        raise InputProblem(f"{extra[0]} is not a setting of a replay, which uses paper mode; leave it out.")
    if len(relevant) != len(own.p):
        raise InputProblem(
            f"labels has {len(relevant):,} labels for {len(own.p):,} documents; give one for each."
        )
    topic = Topic(LIST, np.arange(len(own.p)).astype(str), None, relevant, int(relevant.sum()))
    asked, source = own.settings, own.calibrator
    by: Any = source
    if isinstance(chances, Integral):
        model = reranked_chances(INCLUSION if asked.judges_abstracts else REVIEW)
        by = {LIST: adaptive_chances(model, topic.ids, relevant)["chance"].to_numpy()}
    if not task.weighs:
        if not 0 < target <= 1:
            raise InputProblem(f"target is {target}; give a number above 0, at most 1.")
        (enough,) = replaying.replay_enough([topic], by, policy, target, asked.scale)
        return {"policy": name, "read": enough.depth, "share": enough.share, "recall": enough.recall} | {
            "reached": bool(enough.reached)
        }
    if isinstance(asked, EffectSettings):
        rows, positions = placed(asked, tables, np.flatnonzero(relevant))
        effects = EffectOutcome(
            topic,
            LIST,
            studies_of(rows, forms_of(asked.kind)[0], asked.is_ratio),
            np.asarray(positions, dtype=np.int64),
        )
        of_effects = EffectTask(
            target=asked.target,
            truth_is=asked.truth,
            engine=asked.used_engine,
            b_0=asked.b_0,
            scale=asked.scale,
        )
        (came,) = replaying.replay_reviews([effects], by, policy, asked.payoffs, asked.cost, of_effects)
    elif isinstance(asked, ReviewSettings):
        rows, positions = placed(asked, tables, np.flatnonzero(relevant))
        outcome = Outcome(topic, LIST, tables_of(rows), np.asarray(positions, dtype=np.int64))
        how = asked.payoffs, asked.cost, ReviewTask.asked(vars(asked)), asked.belief_prior
        (came,) = replaying.replay_reviews([outcome], by, policy, *how)
    else:
        (came,) = replaying.replay([topic], source, policy, asked.payoffs, asked.cost, asked.b_0, asked.scale)
    return {
        "policy": name,
        "read": came.depth,
        "decision": came.action,
        "right": came.right,
        "net_utility": came.net_utility,
        "recall": came.recall,
    }


@dataclass(frozen=True, eq=False, repr=False)
class Replay(Result):
    """Where rules stop on a labelled list, and what became of it: one row per rule."""

    rows: pd.DataFrame  # one row per rule, as `to_frame()` returns them
    relevant: Flags  # The labels of the list, shape (N,)

    @cached_property
    def depth(self) -> float:
        """Documents that the first rule reads."""
        return float(self.rows["read"].iloc[0])

    def to_frame(self) -> pd.DataFrame:
        """Return a row for each rule: documents read, decision, net utility and recall."""
        return self.rows.copy()

    def figure(self) -> Figure:
        """Draw the relevant documents found along the list, and where each rule stops."""
        chart, gain = Chart(HEIGHT), np.append(0, np.cumsum(self.relevant))
        chart.line(np.arange(len(gain)), gain, GREY)
        for at, (policy, read) in enumerate(zip(self.rows["policy"], self.rows["read"], strict=True)):
            colour = SERIES[at % len(SERIES)]
            chart.dot(read, float(np.interp(read, np.arange(len(gain)), gain)), colour, hovertext=str(policy))
            chart.name(str(policy), colour, 0.06 * (len(self.rows) - at), x=1)
        chart.axis("xaxis", "documents read")
        chart.axis("yaxis", "relevant documents found")
        return chart.figure()


def replay(
    chances: Any,
    labels: Any,
    stakes: Stakes | None = None,
    policies: str | Sequence[str] | None = None,
    *,
    scenario: str = "patent",
    tables: Any = None,
    calibrator: Any = None,
    target: float = 0.95,
    **settings: Any,
) -> Replay:
    """Stop on a labelled list as rules say, as ``tarstop replay`` does.

    Parameters
    ----------
    chances, stakes, scenario, calibrator
        As of :func:`~tarstop_core.advise`.
    labels : array_like, shape (N,)
        Whether each document is relevant: 1 or 0.
    policies : str or sequence of str, optional
        Rules, such as "optimal", "greedy", "budget:d=100", "knee"; the one that a new session begins with unless given.
    tables : DataFrame or array_like, optional
        In "review" and "effect": the tables of all studies, as of :func:`~tarstop_core.advise`.
    target : float
        In "enough": the recall that ``reached`` asks for. A rule's own aim is its parameter, as in "few-left:tau=0.8".
    **settings
        Of :func:`~tarstop_core.advise`, those that the paper has: `b_0`, `scale` and, in "review", `theta`, `theta_sp`, `truth`, `engine`,
        `prior`; in "effect" also `measure`, `delta`, `above`.

    Returns
    -------
    Replay
        ``to_frame()`` has one row per rule.

    Raises
    ------
    InputProblem
        When an argument cannot be used; the message names it.

    Examples
    --------
    >>> import tarstop_core as ts
    >>> stakes = ts.Stakes.from_q_star(0.5, cost=0.01)
    >>> stops = ts.replay([0.3, 0.2, 0.1, 0.05], [0, 0, 0, 1], stakes, ["optimal", "greedy", "budget:d=2"])
    >>> stops.to_frame()[["policy", "read", "decision", "recall"]].values.tolist()
    [['optimal', 3, 'a-', 0.0], ['greedy', 2, 'a-', 0.0], ['budget:d=2', 2, 'a-', 0.0]]
    """
    relevant = fully_labelled(as_labels(labels))
    own = asked(chances, labels, stakes, scenario, tables, calibrator, settings)
    policies = own.settings.policy if policies is None else policies
    names = [policies] if isinstance(policies, str) else [str(name) for name in policies]
    rows = [played(own, chances, tables, relevant, name, target, settings) for name in names]
    return Replay(pd.DataFrame(rows), relevant)
