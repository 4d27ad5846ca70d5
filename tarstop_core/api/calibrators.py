"""A scikit-learn estimator of chances from scores or ranks."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.exceptions import NotFittedError
from sklearn.utils import Tags

from tarstop_core.calibration import calibrator as calibration
from tarstop_core.calibration.fitting import fit
from tarstop_core.documents.tables import Floats
from tarstop_core.documents.topic import Topic
from tarstop_core.errors import InputProblem
from tarstop_core.samples.shipped import calibrators


class NotFitted(InputProblem, NotFittedError):  # type: ignore[misc]
    """Raised when a calibrator is used before it was fitted."""


class Calibrator(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """The chance of each document of a ranked list, learned from labelled lists.

    It fits what ``tarstop calibrate`` fits.

    Parameters
    ----------
    kind : {"marginal", "hazard", "frailty", "rank", "rank-frailty"}
        How chances follow from scores; the last two look at ranks alone.
    scenario : {"patent", "review", "inclusion"}
        What they are chances of: being relevant if anything is, bringing data, being included by title and abstract.
    pseudo : float
        Imagined documents on every step of the isotonic regression; 0 is the paper's.

    Attributes
    ----------
    calibrator_ : tarstop_core.calibration.calibrator.Calibrator
        The fitted calibrator, with what it was fitted on.

    Examples
    --------
    >>> import tarstop_core as ts
    >>> scores = [9, 7, 4, 2, 1, 8, 6, 5, 3, 1]
    >>> relevant = [1, 0, 1, 0, 0, 1, 0, 0, 0, 0]
    >>> lists = [1, 1, 1, 1, 1, 2, 2, 2, 2, 2]
    >>> fitted = ts.Calibrator().fit(scores, relevant, groups=lists)
    >>> fitted.predict([9, 6, 3, 1]).round(2).tolist()
    [0.99, 0.25, 0.05, 0.0]
    """

    def __init__(self, kind: str = "marginal", scenario: str = "patent", pseudo: float = 0.0) -> None:
        self.kind = kind
        self.scenario = scenario
        self.pseudo = pseudo

    def __sklearn_tags__(self) -> Tags:
        """Tell scikit-learn that X is one column, as for its isotonic regression."""
        tags = super().__sklearn_tags__()
        tags.input_tags.one_d_array = True
        tags.input_tags.two_d_array = False
        return tags

    def fit(self, X: Any, y: Any, groups: Any = None) -> Calibrator:
        """Fit on labelled lists.

        Parameters
        ----------
        X : array_like, shape (n,) or (n, 1)
            Scores of the documents; within a list in its order, best first.
        y : array_like, shape (n,)
            1 relevant, 0 not relevant, nan unlabelled.
        groups : array_like, shape (n,), optional
            The list of each document; all documents form one list by default.

        Returns
        -------
        Calibrator
            Itself.

        Raises
        ------
        InputProblem
            When the arguments do not fit together, or there is nothing to learn from.
        """
        scores, labels = _scores(X), np.asarray(y, dtype=float)
        lists = np.zeros(len(scores)) if groups is None else np.asarray(groups)
        for name, column in (("y", labels), ("groups", lists)):
            if column.shape != scores.shape:
                raise InputProblem(
                    f"{name} has the shape {column.shape}, X {scores.shape}; give one value per document."
                )
        if not np.isin(labels[~np.isnan(labels)], (0, 1)).all():
            raise InputProblem("y contains values other than 0, 1 and nan; give 1 for a relevant document.")
        topics = []
        for name in dict.fromkeys(lists.tolist()):
            in_list = lists == name
            ids, own = np.flatnonzero(in_list).astype(str), labels[in_list]
            relevant = own == 1
            topics.append(
                Topic(str(name), ids, scores[in_list], relevant, int(relevant.sum()), ~np.isnan(own))
            )
        self.calibrator_ = fit(topics, kind=self.kind, scenario=self.scenario, pseudo=self.pseudo)
        return self

    def predict(self, X: Any) -> Floats:
        """Return the chance of each document of one list.

        Parameters
        ----------
        X : array_like, shape (n,) or (n, 1), or int
            Scores of the list in its order. Kinds that use ranks also take the number of documents; their scores must
            not rise.

        Returns
        -------
        ndarray, shape (n,)

        Raises
        ------
        InputProblem
            When this kind needs scores and gets none, or it was not fitted (also a NotFittedError of scikit-learn).
        """
        fitted = self._fitted()
        if np.ndim(X) == 0:
            return fitted.probabilities(None, int(X))
        scores = _scores(X)
        if (rises := np.flatnonzero(np.diff(scores) > 0)).size:
            higher = f"X[{rises[0] + 1}] is higher than the score before it"
            if fitted.by_rank:
                raise InputProblem(
                    f"{higher}, but this calibrator uses ranks; sort the documents best first, or give their number."
                )
            warnings.warn(f"{higher}; lists are usually read best first.", stacklevel=2)
        return fitted.probabilities(scores)

    @classmethod
    def load(cls, name: str | Path) -> Calibrator:
        """Load a shipped calibrator, or one from a file.

        Parameters
        ----------
        name : str or Path
            Name of a shipped calibrator, such as "clef-reviews-rank-frailty", or a file that ``save`` or ``tarstop
            calibrate`` wrote.

        Returns
        -------
        Calibrator
            Fitted.

        Raises
        ------
        InputProblem
            When there is no such calibrator, or the file is damaged.
        """
        shipped = calibrators()
        if str(name) in shipped:
            fitted = shipped[str(name)]
        elif Path(name).is_file():
            fitted = calibration.load(name)
        else:
            raise InputProblem(f"There is no calibrator {name}; give a file, or one of {', '.join(shipped)}.")
        own = cls(fitted.kind, fitted.scenario)
        own.calibrator_ = fitted
        return own

    def save(self, path: str | Path) -> None:
        """Write the fitted calibrator as a small JSON file, which the command line and the pages read."""
        Path(path).write_text(self._fitted().to_json(), encoding="utf-8")

    def _fitted(self) -> calibration.Calibrator:
        if not hasattr(self, "calibrator_"):
            raise NotFitted("This calibrator was not fitted; call fit, or take one with Calibrator.load.")
        return self.calibrator_


def _scores(given: Any) -> Floats:
    """Convert scores to an array of shape (n,); InputProblem when they are not a column of finite numbers."""
    try:
        scores = np.asarray(given, dtype=float)
    except (TypeError, ValueError):
        raise InputProblem(
            "X contains something that is not a number; give the score of each document."
        ) from None
    if scores.ndim == 2 and scores.shape[1] == 1:
        scores = scores[:, 0]
    if scores.ndim != 1 or not np.isfinite(scores).all():
        raise InputProblem(
            "X is not a column of finite scores; give one number per document, shape (n,) or (n, 1)."
        )
    return scores
