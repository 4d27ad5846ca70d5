"""Beliefs about the state of the world after screening so far; called as a function, the belief after 2×2 tables."""

import sys
from types import ModuleType
from typing import Any


class _Callable(ModuleType):
    """The package, which can also be called as ``ts.belief``, because both have the same name."""

    def __call__(self, *tables: Any, **options: Any) -> Any:
        """Return the belief after 2×2 tables; see :func:`tarstop_core.belief.after.belief`."""
        from tarstop_core.belief.after import belief

        return belief(*tables, **options)


sys.modules[__name__].__class__ = _Callable
