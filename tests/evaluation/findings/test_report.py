"""The report: files that are whole, a page that needs no network, pictures where they can be drawn."""

import gzip
import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pandas as pd
import pytest
from markupsafe import escape

from tarstop_core.errors import InputProblem
from tarstop_core.evaluation.cases import Benchmark
from tarstop_core.evaluation.findings.report import Findings, folds_words, html, write
from tarstop_core.evaluation.methods import parse_methods
from tarstop_core.evaluation.protocol import run
from tarstop_core.evaluation.results import Results, load
from tarstop_core.evaluation.tasks.decisive import DecisiveTask
from tests.evaluation.own_benchmark import own_rules


@pytest.fixture(scope="module")
def report(results: Results) -> Findings:
    return Findings(results)


@pytest.fixture(scope="module")
def page(report: Findings) -> str:
    return html(report)


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.outside: list[str] = []
        self.wrong: list[str] = []
        self.scripts = 0
        self.handlers: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.scripts += tag == "script"
        self.outside += [value or "" for name, value in attrs if name in ("src", "href")]
        self.handlers += [name for name, _ in attrs if name.startswith("on")]
        if tag not in ("meta", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.wrong.append(tag)


def test_the_page_is_whole_and_needs_no_network(page: str) -> None:
    tags = Tags()
    tags.feed(page)
    assert not tags.open and not tags.wrong and not tags.outside
    assert page.count("<h1>") == 1 and page.count("plotly.js v") == 1


def test_every_figure_is_in_the_page_twice_and_has_its_sentence(page: str, report: Findings) -> None:
    names = [drawn.name for drawn in report.figures()]
    assert len(names) == len(set(names)) and {"errors", "regret_q0.5", "reliability_marginal"} <= set(names)
    for drawn in report.figures():
        found = re.search(
            rf'<script type="application/json" id="{re.escape(drawn.name)}-data">(.*?)</script>', page
        )
        assert found
        both = json.loads(found[1])
        assert both["light"]["data"] and both["dark"]["layout"] != both["light"]["layout"]
        assert drawn.sentence.endswith(".")


def test_what_is_simulated_says_so(page: str, report: Findings) -> None:
    assert "Simulated: nothing here was observed" in page
    for drawn in report.figures():
        assert "simulated" in json.dumps(drawn.draw(False)["layout"]["annotations"])
    assert "simulated" in report.caption and "truth: a relevant document exists" in report.caption
    assert "engine: decisive" in report.caption


def test_the_page_shows_achieved_against_published(page: str) -> None:
    for text in ("MAP", "0.353", "Beside the paper", "0.0018", "Claims, and whether they hold"):
        assert text in page


def test_regret_is_the_same_wherever_it_is_written(report: Findings) -> None:
    rows = report.rows.set_index(["method", "q_star", "cost"])["regret"].dropna()
    for q_star, frame in report.regret.items():
        by_cost = frame.set_index(["method", "cost"])["regret"]
        own = rows.xs(q_star, level="q_star")
        assert own.loc[by_cost.index].to_numpy() == pytest.approx(by_cost.to_numpy()) and len(own) == len(
            by_cost
        )
    heading = next(drawn.heading for drawn in report.figures() if drawn.name == "regret_q0.5")
    assert "the best of the 6 methods compared" in heading


def test_every_method_that_ran_is_in_every_figure_table_and_sentence(
    patents: Benchmark, tmp_path: Path
) -> None:
    own = f"{own_rules(tmp_path)}:NIrrelevant"
    methods = parse_methods(["greedy", "optimal", "budget", "consecutive", own], "patent")
    found = run(patents, DecisiveTask(), methods, q_stars=(0.2, 0.8), costs=(0.001, 0.05))
    titles = {method.title for method in found.methods}
    assert len(titles) == 5 and "NIrrelevant" in titles
    report = Findings(found)
    for drawn in report.figures():
        if drawn.name.startswith("reliability"):
            continue
        shown = json.dumps(drawn.draw(False), ensure_ascii=False)
        wanted = titles - {"Greedy"} if drawn.name.startswith("differences") else titles
        assert {title for title in wanted if f'"{title}"' in shown} == wanted, drawn.name
        if not drawn.name.startswith("regret"):
            continue
        q_star = float(drawn.name.removeprefix("regret_q"))
        at = report.rows[(report.rows["q_star"] == q_star) & (report.rows["cost"] == report.cost)]
        best, worst = (at.loc[index, "approach"] for index in (at["regret"].idxmin(), at["regret"].idxmax()))
        assert f"{best} gives up least" in drawn.sentence and f"{worst} most" in drawn.sentence
    write(report, tmp_path / "out", pictures=False)
    for name in ("rows.csv", "regret.csv", "errors.csv", "topics.csv.gz"):
        assert set(pd.read_csv(tmp_path / "out" / name)["approach"]) == titles, name
    page = re.sub(
        r"<script.*?</script>", "", (tmp_path / "out" / "report.html").read_text("utf-8"), flags=re.DOTALL
    )
    tex = (tmp_path / "out" / "tables.tex").read_text("utf-8")
    assert all(tex.count(f"\n{title} &") == 2 for title in titles)
    tables = page.partition("Tables as the paper")[2].partition("</section>")[0]
    assert all(tables.count(f">{title}<") == 2 for title in titles)


def test_nothing_but_oracles_makes_a_report(patents: Benchmark) -> None:
    alone = run(patents, DecisiveTask(), parse_methods(["oracle"], "patent"), q_stars=(0.5,), costs=(0.001,))
    assert "Oracle" in html(Findings(alone))


def test_files_say_the_same(report: Findings, results: Results, tmp_path: Path) -> None:
    written = write(report, tmp_path / "out", pictures=False)
    folder = tmp_path / "out"
    assert sorted(path.name for path in folder.iterdir()) == sorted(written.files) and not written.missing
    rows = pd.read_csv(folder / "rows.csv")
    assert len(rows) == len(report.rows)
    with gzip.open(folder / "topics.csv.gz", "rt", encoding="utf-8") as file:
        cases = pd.read_csv(file)
    own = cases[(cases["method"] == "greedy") & (cases["q_star"] == 0.5) & (cases["cost"] == 0.001)]
    mean = rows[(rows["method"] == "greedy") & (rows["q_star"] == 0.5) & (rows["cost"] == 0.001)]
    assert own["net_utility"].mean() == pytest.approx(mean["net_utility"].item())
    assert json.loads((folder / "settings.json").read_text(encoding="utf-8"))["engine"] == "decisive"
    assert load(folder / "results.npz").cases == results.cases
    # Written again, the same bytes.
    again = tmp_path / "again"
    write(report, again, pictures=False)
    for name in written.files:
        if name != "results.npz":
            assert (again / name).read_bytes() == (folder / name).read_bytes(), name


def test_missing_pictures_are_named_with_what_they_need(
    report: Findings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import plotly.io

    def fails(*args: object, **more: object) -> None:
        raise RuntimeError("no browser here\nand much more")

    monkeypatch.setattr(plotly.io, "write_images", fails)
    (missing,) = write(report, tmp_path).missing
    assert "needs Chromium" in missing
    assert missing.endswith("found no Chromium that works (no browser here).")
    assert (tmp_path / "report.html").is_file()


def test_pictures_are_drawn(patents: Benchmark, tmp_path: Path) -> None:
    few = run(
        patents,
        DecisiveTask(),
        parse_methods(["greedy", "optimal"], "patent"),
        q_stars=(0.5,),
        costs=(0.001,),
    )
    written = write(Findings(few), tmp_path)
    if written.missing:
        pytest.skip(written.missing[0])
    assert (tmp_path / "figures" / "errors.svg").read_text(encoding="utf-8").startswith("<svg")
    assert (tmp_path / "figures" / "errors.png").read_bytes().startswith(b"\x89PNG")


def test_a_place_that_cannot_be_written_is_named(report: Findings, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(InputProblem, match="cannot be written"):
        write(report, tmp_path / "file")


def test_weighing_is_part_of_every_caption(results: Results) -> None:
    assert "weighed to 10% ω⁺" in Findings(results, share=0.1).caption


def test_names_from_files_do_not_become_markup(results: Results) -> None:
    nasty = "</script><script>alert(1)</script><img src=x onerror=alert('2')>\" onload=\""
    known = results.settings | dict.fromkeys(("title", "provenance", "truth", "engine", "benchmark"), nasty)
    known |= {"notes": [nasty], "statistics": {nasty: [0.5, None]}}
    methods = tuple(replace(method, title=f"{method.title}{nasty}") for method in results.methods)
    nastier = replace(results, settings=known, methods=methods)
    page = html(Findings(nastier))
    tags = Tags()
    tags.feed(page)
    plain = Tags()
    plain.feed(html(Findings(results)))
    assert not tags.open and not tags.wrong and not tags.outside and tags.scripts == plain.scripts
    assert "<img src=x" not in page and not tags.handlers
    assert page.count(escape(nasty)) > 10


def test_folds_are_said_in_words() -> None:
    assert folds_words([[1000, 1000]]) == "1,000 and 1,000"
    assert folds_words([[38, 10], [40, 8]]) == "2 folds, 38 to 40 and 8 to 10"
