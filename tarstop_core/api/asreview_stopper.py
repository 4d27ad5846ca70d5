"""A stopper for ASReview, which stops where ``tarstop replay --scenario enough`` stops.

ASReview finds it as "tarstop" through the entry point ``asreview.models.stoppers``; this module does not import ASReview.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator

from tarstop_core.api.screening import advise

if TYPE_CHECKING:
    import pandas as pd


class Stopper(BaseEstimator):  # type: ignore[misc]
    """Stop when a rule of TARstop decides that enough was found.

    Parameters
    ----------
    policy : str
        A rule about recall with its parameters, such as "few-left:tau=0.95" or "hypergeometric".

    Examples
    --------
    >>> import pandas as pd
    >>> labels = [1, 1, 0, 1] + [0] * 146
    >>> Stopper().stop(pd.DataFrame({"label": labels[:4]}), labels)
    False
    >>> Stopper("few-left:tau=0.5").stop(pd.DataFrame({"label": labels[:140]}), labels)
    True
    """

    name = "tarstop"
    label = "TARstop"

    def __init__(self, policy: str = "few-left") -> None:
        self.policy = policy

    def stop(self, results: pd.DataFrame, data: Any) -> bool:
        """Decide whether to stop after these labels.

        Parameters
        ----------
        results : DataFrame
            Records labelled so far, in this order, with the column `label` and perhaps `training_set`. Records without a
            training set are prior knowledge, which is no evidence.
        data : sequence
            All records.

        Returns
        -------
        bool
        """
        labels = results["label"]
        prior = (
            results["training_set"].isna() if "training_set" in results else np.zeros(len(labels), dtype=bool)
        )
        documents = len(data) - int(prior.sum())
        if not documents:
            return True
        return not advise(documents, labels[~prior].tolist(), scenario="enough", policy=self.policy).go_on
