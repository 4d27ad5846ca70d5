"""Rules on one labelled list, played as ``tarstop replay`` plays them."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Integral
from typing import Any

import numpy as np

from tarstop_core.api.given import Asked, placed
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
from tarstop_core.samples.shipped import reranked_chances
from tarstop_core.screening.effect_settings import EffectSettings
from tarstop_core.screening.review_settings import ReviewSettings

LIST = "list"
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
        Documents read and what came of it, by name.

    Raises
    ------
    InputProblem
        When the rule or a setting cannot be replayed.
    """
    policy, task = parse_policy(name), TASKS[own.settings.scenario]
    refuse_looking_ahead([policy], task.in_steps)
    if extra := [setting for setting in settings if setting not in OF_THE_PAPER]:
        raise InputProblem(
            f"{extra[0]} is no setting of a replay, which is in the paper's mode; leave it out."
        )
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
