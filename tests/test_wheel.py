"""The built wheel serves every page, without the checkout."""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
import tomllib
import urllib.error
import urllib.request
import zipfile
from collections.abc import Iterable
from email import message_from_string
from pathlib import Path

import pytest
import yaml

from tarstop_core.cli.launch import app
from tests.docs.test_readme import ELSEWHERE, LINES

NOT_IN_THE_CORE = ("streamlit", "plotly", "kaleido", "pyarrow", "altair", "starlette", "uvicorn", "tornado")
ROOT = Path(__file__).resolve().parents[1]
HIDE = """
from importlib.machinery import PathFinder

find = PathFinder.find_spec
PathFinder.find_spec = lambda name, *more: None if name.split(".")[0] in HIDDEN else find(name, *more)
"""


ONE_BY_ONE = """
import shlex, sys
from tarstop_core.cli.commands import main
for line in sys.stdin:
    sys.argv = ["tarstop", *shlex.split(line)]
    try:
        main()
    except SystemExit as left:
        print(left.code or 0, file=sys.stderr)
"""
"""Lines of the command line, run in one process, which imports everything once; prints each exit code."""


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from the checkout and unpacked as an installer lays it out."""
    built = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(built), str(ROOT)]
    subprocess.run(build, check=True, capture_output=True)
    (wheel,) = built.glob("*.whl")
    place = tmp_path_factory.mktemp("site")
    with zipfile.ZipFile(wheel) as packed:
        packed.extractall(place)
    return place


def run(*arguments: str) -> list[str]:
    return [sys.executable, "-P", "-m", "tarstop_core", *arguments]


def environment(installed: Path, folder: Path) -> dict[str, str]:
    # PYTHONPATH comes before the checkout's own installation.
    return {
        **os.environ,
        "PYTHONPATH": str(installed),
        "TARSTOP_DATABASE_URL": f"sqlite:///{folder}/t.db",
    }


def test_it_holds_the_whole_dashboard(installed: Path) -> None:
    place = installed / "tarstop_app"
    for name in (
        "app.py",
        ".streamlit/config.toml",
        "sample_data/patents/topics.csv",
        "dashboard/frame/look.css",
        "docs/guide.md",
        "docs/images/screen.png",
    ):
        assert (place / name).is_file(), name
    pages = {path.name for path in (ROOT / "pages").glob("*.py")}
    assert {path.name for path in (place / "pages").glob("*.py")} == pages
    assert list((place / "sample_data" / "calibrators").glob("*.json"))


def test_it_holds_what_the_core_reads_beside_its_modules(installed: Path) -> None:
    core = ROOT / "tarstop_core"
    files = {path.relative_to(ROOT) for path in core.rglob("*") if path.is_file() and path.suffix != ".pyc"}
    assert {Path("tarstop_core/sessions/report.html"), Path("tarstop_core/py.typed")} <= files
    assert not {path for path in files if not (installed / path).is_file()}
    told = subprocess.run(
        [
            sys.executable,
            "-P",
            "-c",
            "from tarstop_core.presentation.html import TEMPLATES as t; print(*t.list_templates())",
        ],
        cwd=installed.parent,
        env=environment(installed, installed.parent),
        capture_output=True,
        text=True,
        check=True,
        encoding="utf-8",
    ).stdout.split()
    assert {
        "sessions/report.html",
        "evaluation/findings/report.html",
        "presentation/templates/page.css",
    } <= set(told)


@pytest.fixture
def core_only(installed: Path, tmp_path: Path) -> dict[str, str]:
    """An environment without what only the dashboard needs."""
    place = tmp_path / "without"
    place.mkdir()
    (place / "sitecustomize.py").write_text(f"HIDDEN = {NOT_IN_THE_CORE!r}\n{HIDE}", encoding="utf-8")
    its = environment(installed, tmp_path)
    return {
        **its,
        "PYTHONPATH": os.pathsep.join((str(place), its["PYTHONPATH"])),
        "PYTHONIOENCODING": "utf-8",
    }


def test_the_command_line_needs_nothing_of_the_dashboard(core_only: dict[str, str], tmp_path: Path) -> None:
    def python(*arguments: str, given: str = "") -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-P", *arguments],
            cwd=tmp_path,
            env=core_only,
            input=given,
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
        )

    def tarstop(*arguments: str) -> subprocess.CompletedProcess[str]:
        return python("-m", "tarstop_core", *arguments)

    lines = [line for line in LINES if not line.startswith(ELSEWHERE)]
    done = python("-c", ONE_BY_ONE, given="\n".join(lines))
    assert done.returncode == 0 and done.stderr.split() == ["0"] * len(lines), done.stderr
    (tmp_path / "mine").mkdir()
    for name in ("my.run", "my.qrels"):
        shutil.copy(tmp_path / name, tmp_path / "mine")
    done = tarstop("experiment", "mine", "--out", "out", "--methods", "greedy,decide-now", "--workers", "1")
    assert done.returncode == 0 and "pip install" in done.stderr
    assert 'data-figure="' not in (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    refused = tarstop("app")
    assert refused.returncode == 2 and refused.stderr.count("\n") == 1 and "[app]" in refused.stderr


def named(lines: Iterable[str]) -> set[str]:
    """Names of packages, in one spelling, from requirements with versions or extras."""
    names = (re.match(r"[\w.-]+", line) for line in lines)
    return {re.sub(r"[-_.]+", "-", name[0]).lower() for name in names if name}


def test_the_core_asks_for_no_package_of_the_dashboard(installed: Path) -> None:
    (metadata,) = installed.glob("*.dist-info/METADATA")
    said = message_from_string(metadata.read_text(encoding="utf-8"))
    required = said.get_all("Requires-Dist")
    assert not named(line for line in required if "extra ==" not in line) & set(NOT_IN_THE_CORE)
    assert {"streamlit", "plotly", "kaleido"} <= named(line for line in required if "extra == 'app'" in line)
    (entries,) = installed.glob("*.dist-info/entry_points.txt")
    assert (
        "[asreview.models.stoppers]\ntarstop = tarstop_core.api.asreview_stopper:Stopper"
        in entries.read_text("utf-8")
    )
    assert said["Keywords"] and said["License-Expression"] == "MIT"


def test_all_that_is_asked_for_is_pinned() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    pins = {
        name: named((ROOT / f"{name}.txt").read_text(encoding="utf-8").splitlines())
        for name in ("requirements", "requirements-dev")
    }
    assert named([*project["dependencies"], *extras["app"]]) <= pins["requirements"]
    others = {"tarstop", *pins["requirements"], *pins["requirements-dev"]}
    assert named(line for name in ("postgres", "dask", "test") for line in extras[name]) <= others


def test_the_container_starts_the_dashboard_as_the_command_allows() -> None:
    command = re.search(r"^CMD (\[.+\])$", (ROOT / "Dockerfile").read_text(encoding="utf-8"), re.MULTILINE)
    assert command
    name, *arguments = json.loads(command[1])[1:]
    assert app.name == name and app.make_context(name, arguments).params["address"] == "0.0.0.0"
    services = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))["services"]
    environment = services["tarstop"]["environment"]
    assert "ports" not in services["tarstop"], "nobody reaches it but by the proxy"
    assert services["proxy"]["networks"]["inside"]["ipv4_address"] == environment["TARSTOP_PROXY_ADDRESS"]
    header = environment["TARSTOP_PROXY_HEADER"]
    assert f"header_up {header} {{http.auth.user.id}}" in (ROOT / "deploy/Caddyfile").read_text(
        encoding="utf-8"
    )
    assert environment["TARSTOP_DATABASE_URL"].endswith("@database/tarstop")
    assert all(service["read_only"] for service in services.values())


def test_samples_calibrators_and_texts_are_its_own(installed: Path, tmp_path: Path) -> None:
    script = (
        "from tarstop_core.places import sample_dir; from tarstop_core.samples import collections, shipped; from tarstop_core.teaching.reference import sections; "
        "print(sample_dir()); print(len(collections.sample_topics()), len(shipped.calibrators())); print(len(sections()))"
    )
    answer = subprocess.run(
        [sys.executable, "-P", "-c", script],
        cwd=tmp_path,
        env=environment(installed, tmp_path),
        capture_output=True,
        text=True,
        check=True,
        encoding="utf-8",
    ).stdout.split("\n")
    assert answer[0].startswith(str(installed))
    assert int(answer[1].split()[0]) >= 16 and int(answer[1].split()[1]) >= 6
    assert int(answer[2]) >= 9


def test_words_and_templates_travel_along(installed: Path) -> None:
    core = ROOT / "tarstop_core"
    words = {path.relative_to(ROOT) for suffix in ("toml", "jinja") for path in core.rglob(f"*.{suffix}")}
    assert len(words) > 20 and all((installed / name).is_file() for name in words)


def test_its_app_serves_all_pages(installed: Path, tmp_path: Path) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    server = subprocess.Popen(
        run("app", "--port", str(port), "--headless"),
        cwd=tmp_path,
        env=environment(installed, tmp_path),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    try:
        deadline = time.monotonic() + 120
        while True:
            assert server.poll() is None, server.stdout.read().decode()  # type: ignore[union-attr]
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=10)
                break
            except (urllib.error.URLError, OSError):
                assert time.monotonic() < deadline, "the server did not start"
                time.sleep(0.2)
        for page in ("", "set_up", "screen"):
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/{page}", timeout=60) as answer:
                assert answer.status == 200 and answer.headers["X-Content-Type-Options"] == "nosniff"
        command = Path(f"/proc/{server.pid}/cmdline")
        if command.exists():
            assert str(installed / "tarstop_app") in command.read_bytes().decode()
    finally:
        server.kill()
        server.wait()
