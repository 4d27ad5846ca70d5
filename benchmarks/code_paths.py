"""How much code a person's action passes: files, functions, and changes from one file to another.

Run as ``python -m benchmarks.code_paths [--list]``; with ``--list`` the files of each action are named. Pages are run
without a browser, in the threads that Streamlit gives them. ``tests/ui/test_code_paths.py`` holds the limits.
"""

import os
import sys
import tempfile
import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path
from types import CodeType, FrameType
from unittest.mock import patch

from streamlit.runtime.context import ContextProxy
from streamlit.runtime.scriptrunner_utils.script_requests import RerunData
from streamlit.testing.v1 import AppTest, local_script_runner

from tarstop_core.sessions.demo import start_demo
from tarstop_core.sessions.store.store import Store

ROOT = Path(__file__).resolve().parents[1]
OWN = tuple(str(ROOT / name) for name in ("tarstop_core", "dashboard", "pages", "app.py"))
SECONDS = 120  # that a page may take on a busy machine
ROWS = 40


@dataclass(frozen=True)
class CodePath:
    """The calls of our own functions, in their order."""

    calls: tuple[CodeType, ...]

    @property
    def files(self) -> list[str]:
        """The files that were passed, from the root of the project."""
        return sorted({os.path.relpath(code.co_filename, ROOT) for code in self.calls})

    @property
    def functions(self) -> int:
        """How many functions were called, lambdas and comprehensions included."""
        return len(set(self.calls))

    @property
    def changes(self) -> int:
        """How often a call was in another file than the call before it."""
        files = [code.co_filename for code in self.calls]
        return sum(file != before for before, file in pairwise(files))


def record(action: Callable[[], object]) -> CodePath:
    """Every call of our own functions during an action, in whichever thread."""
    calls: list[CodeType] = []

    def note(frame: FrameType, event: str, argument: object) -> None:
        file = frame.f_code.co_filename
        # A template that words a result is text, not code that a reader has to follow.
        if event == "call" and file.startswith(OWN) and file.endswith(".py"):
            calls.append(frame.f_code)

    # Streamlit runs a page in a thread of its own.
    threading.setprofile(note)
    sys.setprofile(note)
    try:
        action()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    return CodePath(tuple(calls))


def open_page(page: str, **query: str) -> AppTest:
    """A page that has been drawn once."""
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=SECONDS)
    for name, value in query.items():
        app.query_params[name] = value
    app.switch_page(f"pages/{page}.py")
    return run(app)


def run(app: AppTest) -> AppTest:
    """Run the page again, without an exception."""
    app.run()
    assert not app.exception, app.exception
    return app


def of_fragment(app: AppTest, action: Callable[[], object]) -> CodePath:
    """Record an action that in a browser runs its fragment again and nothing else of the page; AppTest has to be told."""
    (fragment,) = app._fragment_storage._fragments
    with patch.object(local_script_runner, "RerunData", partial(RerunData, fragment_id=fragment)):
        return record(action)


def label_press(store: Store) -> CodePath:
    """*Not relevant* on Screen, after two presses that fill the caches."""
    app = open_page("screen", session=start_demo(store, "Ada"))

    def press() -> None:
        next(button for button in app.button if button.label.startswith("Not relevant")).click()
        run(app)

    press()
    press()
    return of_fragment(app, press)


def upload() -> CodePath:
    """A CSV of 40 patents on Set up, from its bytes to the preview."""
    app = open_page("set_up")
    app.radio("set_up/documents/source").set_value("upload")
    run(app)
    rows = (
        f"EP-10000{at:02d}-A1,Foldable mast {at},A mast with hinge {at}.,1999-01-02" for at in range(ROWS)
    )
    content = "\n".join(["id,title,abstract,publication date", *rows]).encode()

    def give() -> None:
        app.file_uploader("set_up/documents/files/0").upload("patents.csv", content)
        run(app)

    return record(give)


def slider() -> CodePath:
    """A slider on Explore, after one move that fills the caches."""
    app = open_page("explore")

    def move() -> None:
        app.slider[0].set_value(app.slider[0].value + 1)
        run(app)

    move()
    return of_fragment(app, move)


def measure(store: Store) -> dict[str, CodePath]:
    """The code path of each action; the store is the one that the pages use."""
    with patch.object(ContextProxy, "cookies", {"tarstop_reviewer": "Rita"}):
        return {"label": label_press(store), "upload": upload(), "slider": slider()}


def main() -> int:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["TARSTOP_DATABASE_URL"] = f"sqlite:///{folder}/t.db"
        with Store(os.environ["TARSTOP_DATABASE_URL"]) as store:
            paths = measure(store)
    for action, path in paths.items():
        print(
            f"{action}: {len(path.files)} files, {path.functions} functions, {path.changes} changes of file"
        )
        if "--list" in sys.argv:
            print(*(f"    {file}" for file in path.files), sep="\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
