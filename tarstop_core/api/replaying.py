"""Replay rules on a labelled list, as ``tarstop replay`` does."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from numbers import Integral
from typing import Any

import numpy as np
import pandas as pd

from tarstop_core.api.given import SessionInputs, as_labels, fully_labelled, placed, session_inputs
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
"""Settings that a replay accepts."""


def played(
    inputs: SessionInputs,
    chances: Any,
    tables: Any,
    relevant: Flags,
    name: str,
    target: float,
    settings: Mapping[str, Any],
) -> dict[str, Any]:
    """Replay one rule on a labelled list.

    Parameters
    ----------
    inputs : SessionInputs
        Settings, chances and state after all labels.
    chances, tables : object
        Arguments of :func:`replay`.
    relevant : ndarray of bool, shape (N,)
        Whether each document is relevant.
    name : str
        The rule with its parameters.
    target : float
        Recall to reach if the scenario weighs no decision.
    settings : mapping
        Further arguments of :func:`replay`.

    Returns
    -------
    dict
        A row of the result: documents read, decision and so on, by column.

    Raises
    ------
    InputProblem
        When the rule or a setting cannot be replayed.
    """
    policy, task = parse_policy(name), TASKS[inputs.settings.scenario]
    refuse_looking_ahead([policy], task.in_steps)
    if extra := [setting for setting in settings if setting not in OF_THE_PAPER]:
        raise InputProblem(f"{extra[0]} is not a setting of a replay, which uses paper mode; leave it out.")
    if len(relevant) != len(inputs.p):
        raise InputProblem(
            f"labels has {len(relevant):,} labels for {len(inputs.p):,} documents; give one for each."
        )
    topic = Topic(LIST, np.arange(len(inputs.p)).astype(str), None, relevant, int(relevant.sum()))
    asked = inputs.settings
    by: Any = inputs.calibrator
    if isinstance(chances, Integral):
        model = reranked_chances(INCLUSION if asked.judges_abstracts else REVIEW)
        by = {LIST: adaptive_chances(model, topic.ids, relevant)["chance"].to_numpy()}
    if not task.weighs:
        if not 0 < target <= 1:
            raise InputProblem(f"target is {target}; give a number above 0, at most 1.")
        (enough,) = replaying.replay_enough([topic], by, policy, target, asked.scale)
        return {
            "policy": name,
            "read": enough.depth,
            "share": enough.share,
            "recall": enough.recall,
            "reached": bool(enough.reached),
        }
    if isinstance(asked, EffectSettings):
        rows, positions = placed(asked, tables, np.flatnonzero(relevant))
        studies = studies_of(rows, forms_of(asked.kind)[0], asked.is_ratio)
        effects = EffectOutcome(topic, LIST, studies, positions)
        of_effects = EffectTask(
            target=asked.target,
            truth_is=asked.truth,
            engine=asked.used_engine,
            b_0=asked.b_0,
            scale=asked.scale,
        )
        (result,) = replaying.replay_reviews([effects], by, policy, asked.payoffs, asked.cost, of_effects)
    elif isinstance(asked, ReviewSettings):
        rows, positions = placed(asked, tables, np.flatnonzero(relevant))
        outcome = Outcome(topic, LIST, tables_of(rows), positions)
        of_review = ReviewTask.asked(vars(asked))
        (result,) = replaying.replay_reviews(
            [outcome], by, policy, asked.payoffs, asked.cost, of_review, asked.belief_prior
        )
    else:
        (result,) = replaying.replay(
            [topic], inputs.calibrator, policy, asked.payoffs, asked.cost, asked.b_0, asked.scale
        )
    return {
        "policy": name,
        "read": result.depth,
        "decision": result.action,
        "right": result.right,
        "net_utility": result.net_utility,
        "recall": result.recall,
    }


@dataclass(frozen=True, eq=False, repr=False)
class Replay(Result):
    """Where rules stop on a labelled list, and with what result: one row per rule."""

    rows: pd.DataFrame  # one row per rule, as `to_frame()` returns them
    relevant: Flags  # whether each document is relevant, shape (N,)

    @cached_property
    def depth(self) -> float:
        """Number of documents that the first rule reads."""
        return float(self.rows["read"].iloc[0])

    def to_frame(self) -> pd.DataFrame:
        """Return one row per rule: documents read, decision, net utility and recall."""
        return self.rows.copy()

    def figure(self) -> Figure:
        """Draw the relevant documents found along the list, with a dot where each rule stops."""
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
    """Replay rules on a labelled list, as ``tarstop replay`` does.

    Parameters
    ----------
    chances, stakes, scenario, calibrator
        As for :func:`~tarstop_core.advise`.
    labels : array_like, shape (N,)
        Whether each document is relevant: 1 or 0.
    policies : str or sequence of str, optional
        Rules, such as "optimal", "greedy", "budget:d=100" or "knee"; by default the one of a new session.
    tables : DataFrame or array_like, optional
        In "review" and "effect": the tables of all studies, as for :func:`~tarstop_core.advise`.
    target : float
        In "enough": the recall for the column ``reached``. The aim of a rule is its parameter, as in "few-left:tau=0.8".
    **settings
        Settings of :func:`~tarstop_core.advise` that the paper has: `b_0`, `scale`; in "review" also `theta`, `theta_sp`,
        `truth`, `engine`, `prior`; in "effect" also `measure`, `delta`, `above`.

    Returns
    -------
    Replay
        ``to_frame()`` has one row per rule.

    Raises
    ------
    InputProblem
        When an argument is unusable; the message names it.

    Examples
    --------
    >>> import tarstop_core as ts
    >>> stakes = ts.Stakes.from_q_star(0.5, cost=0.01)
    >>> stops = ts.replay([0.3, 0.2, 0.1, 0.05], [0, 0, 0, 1], stakes, ["optimal", "greedy", "budget:d=2"])
    >>> stops.to_frame()[["policy", "read", "decision", "recall"]].values.tolist()
    [['optimal', 3, 'a-', 0.0], ['greedy', 2, 'a-', 0.0], ['budget:d=2', 2, 'a-', 0.0]]
    """
    relevant = fully_labelled(as_labels(labels))
    inputs = session_inputs(chances, labels, stakes, scenario, tables, calibrator, settings)
    policies = inputs.settings.policy if policies is None else policies
    names = [policies] if isinstance(policies, str) else [str(name) for name in policies]
    rows = [played(inputs, chances, tables, relevant, name, target, settings) for name in names]
    return Replay(pd.DataFrame(rows), relevant)
