"""Beliefs in ω⁺ after the documents read so far. Called as a function, the package gives the belief after 2×2 tables."""

import sys
from types import ModuleType
from typing import Any


class _Callable(ModuleType):
    """A module that can be called: ``ts.belief(…)`` is a function, and ``ts.belief`` is also this package."""

    def __call__(self, *tables: Any, **options: Any) -> Any:
        """Return the belief after 2×2 tables; see :func:`tarstop_core.belief.after.belief`."""
        from tarstop_core.belief.after import belief

        return belief(*tables, **options)


sys.modules[__name__].__class__ = _Callable
