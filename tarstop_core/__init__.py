"""Decision-theoretic stopping for document screening.

By convention ``import tarstop_core as ts``. The names of :data:`__all__` are imported when they are first used, so
that the package itself loads in a moment.

>>> import tarstop_core as ts
>>> stakes = ts.Stakes.from_q_star(0.5, cost=0.001)
>>> ts.advise([0.3, 0.2, 0.1, 0.05], labels=[0, 0], stakes=stakes).go_on
True
"""

from importlib import import_module
from typing import Any

__version__ = "0.3.0"
_HOMES = {
    "Calibrator": "tarstop_core.api.calibrators",
    "InputProblem": "tarstop_core.errors",
    "Option": "tarstop_core.value.payoffs",
    "Payoffs": "tarstop_core.value.payoffs",
    "Stakes": "tarstop_core.value.stakes",
    "advise": "tarstop_core.api.screening",
    "decide": "tarstop_core.api.screening",
    "evsi": "tarstop_core.api.screening",
    "experiment": "tarstop_core.api.lists",
    "rank": "tarstop_core.api.lists",
    "read_records": "tarstop_core.files",
    "replay": "tarstop_core.api.replaying",
}
"""Where each name of the root is defined; ``__init__.pyi`` tells type checkers the same."""
__all__ = [*_HOMES, "belief"]  # noqa: F822


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        value = getattr(import_module(_HOMES[name]), name)
    elif name == "belief":
        # The package is a function too: `ts.belief(tables)`.
        value = import_module("tarstop_core.belief")
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
