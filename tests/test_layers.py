"""The core stands without the dashboard."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

CORE = Path(__file__).resolve().parents[1] / "tarstop_core"


def test_importing_the_core_loads_neither_streamlit_nor_plotly() -> None:
    modules = sorted(
        "tarstop_core" + "".join(f".{part}" for part in path.relative_to(CORE).with_suffix("").parts)
        for path in CORE.rglob("*.py")
        if path.name not in ("__main__.py", "__init__.py")
    )
    script = (
        f"import importlib, sys; [importlib.import_module(name) for name in {modules!r}]; "
        "print([name for name in ('streamlit', 'plotly') if name in sys.modules])"
    )
    answer = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, encoding="utf-8"
    )
    assert len(modules) > 40 and answer.stdout.strip() == "[]"
