"""The built wheel serves every page, without the checkout."""

import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


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
    app = installed / "tarstop_app"
    for name in (
        "app.py",
        ".streamlit/config.toml",
        "sample_data/patents/topics.csv",
        "dashboard/frame/look.css",
        "docs/guide.md",
        "docs/images/screen.png",
    ):
        assert (app / name).is_file(), name
    pages = {path.name for path in (ROOT / "pages").glob("*.py")}
    assert {path.name for path in (app / "pages").glob("*.py")} == pages
    assert list((app / "sample_data" / "calibrators").glob("*.json"))


def test_it_holds_what_the_core_reads_beside_its_modules(installed: Path) -> None:
    core = ROOT / "tarstop_core"
    files = {path.relative_to(ROOT) for path in core.rglob("*") if path.is_file() and path.suffix != ".pyc"}
    assert Path("tarstop_core/sessions/report.html") in files
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
