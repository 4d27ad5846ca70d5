"""Checks of the numbers of a decision before anything is computed from them."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from tarstop_core.errors import InputProblem
from tarstop_core.value.payoffs import Floats

NAMES = ("actions", "states")  # Fields that only name things
SYMMETRY = 1e-9  # Relative asymmetry of a covariance that counts as rounding


def check_numbers(owner: object, above: Sequence[str] = (), from_0: Sequence[str] = ()) -> None:
    """Raise InputProblem for a field that is not finite or outside its range.

    Parameters
    ----------
    owner : object
        Object with these fields; a field that is None passes.
    above, from_0 : sequence of str
        Names of fields that must be above 0, and of fields that must be 0 or above.

    Raises
    ------
    InputProblem
        Naming the first such field.
    """
    for name in (*above, *from_0):
        value = getattr(owner, name)
        if value is None:
            continue
        low_enough = value > 0 if name in above else value >= 0
        if not (math.isfinite(value) and low_enough):
            raise InputProblem(
                f"{name} is {value:g}; give {'a number above 0' if name in above else '0 or more'}."
            )


def check_lengths(owner: object, first: str, *others: str, least: int = 1) -> None:
    """Raise InputProblem for lists that are too short or differ in length.

    Parameters
    ----------
    owner : object
        Object with these fields.
    first, *others : str
        Names of fields; all must be as long as the first, but names of actions and states may be missing.
    least : int
        Smallest number of entries.

    Raises
    ------
    InputProblem
        Naming the list that is too short, or both that differ.
    """
    length = len(getattr(owner, first))
    if length < least:
        raise InputProblem(f"{first} has {length} entries; give at least {least}.")
    for name in others:
        left_out = name in NAMES and not getattr(owner, name)
        if not left_out and len(getattr(owner, name)) != length:
            raise InputProblem(
                f"{name} has {len(getattr(owner, name))} entries and {first} {length}; give the same number."
            )


def check_covariance(covariance: ArrayLike, size: int, name: str) -> Floats:
    """Return a covariance as an array; it may be singular.

    Parameters
    ----------
    covariance : array_like
        The covariance, shape (size, size).
    size : int
        Number of variables.
    name : str
        Its name in messages.

    Returns
    -------
    ndarray, shape (size, size)
        The same numbers.

    Raises
    ------
    InputProblem
        When it has another shape, is not symmetric, or has a negative variance in some direction.
    """
    rows: list[object] = list(np.asarray(covariance, dtype=object))
    lengths = [len(row) if isinstance(row, (list, tuple, np.ndarray)) else 0 for row in rows]
    if lengths != [size] * size:
        raise InputProblem(
            f"{name} is not a table of {size} rows with {size} numbers; give one row per number."
        )
    array = np.array(covariance, dtype=np.float64)
    if not np.isfinite(array).all():
        raise InputProblem(f"{name} contains something that is not a number; give finite numbers.")
    largest = float(np.abs(array).max())
    if np.abs(array - array.T).max() > SYMMETRY * largest:
        raise InputProblem(f"{name} is not symmetric; give each covariance the same number twice.")
    if np.linalg.eigvalsh(array)[0] < -SYMMETRY * largest:
        raise InputProblem(f"{name} has a negative eigenvalue, so it is not a covariance matrix; correct it.")
    return array


def best_of(net_benefit: Floats, actions: Sequence[str] = ()) -> dict[str, object]:
    """Return the best action now as ``best``: its name, or its place if actions have no names; the first of equals."""
    best = int(np.argmax(net_benefit))
    return {"best": actions[best] if actions else best}
