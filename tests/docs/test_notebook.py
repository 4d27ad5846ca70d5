"""The notebook runs, and what it shows is what it gives today."""

import ast
import json
from pathlib import Path
from typing import Any

import pytest

NOTEBOOK = Path(__file__).resolve().parents[2] / "docs" / "advice_from_python.ipynb"
PLOT = "application/vnd.plotly.v1+json"


def ran(source: str, names: dict[str, Any]) -> Any:
    """Run a cell; the value of its last line, where that is an expression."""
    *lines, last = ast.parse(source).body
    if not isinstance(last, ast.Expr):
        lines, last = [*lines, last], ast.Expr(ast.Constant(None))
    exec(compile(ast.Module(lines, []), str(NOTEBOOK), "exec"), names)
    return eval(compile(ast.Expression(last.value), str(NOTEBOOK), "eval"), names)


def test_every_cell_gives_what_it_shows(capsys: pytest.CaptureFixture[str]) -> None:
    cells = [
        cell
        for cell in json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
        if cell["cell_type"] == "code"
    ]
    names: dict[str, Any] = {}
    for number, cell in enumerate(cells, start=1):
        value, printed = ran("".join(cell["source"]), names), capsys.readouterr().out
        assert cell["execution_count"] == number
        shown = {
            kind: "".join(text)
            for one in cell["outputs"]
            for kind, text in one.get("data", {}).items()
            if kind != PLOT
        }
        assert printed == "".join(text for one in cell["outputs"] for text in one.get("text", ()))
        if "text/html" in shown:
            assert value._repr_html_() == shown["text/html"]
        elif value is not None:
            (figure,) = (one["data"][PLOT] for one in cell["outputs"] if PLOT in one.get("data", {}))
            assert len(figure["data"]) == len(value.data) > 0
    assert len(cells) >= 8 and names["steps"][-1].decision == "a+"
