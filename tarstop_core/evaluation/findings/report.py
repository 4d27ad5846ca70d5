"""Everything an experiment found, on disk: tables, figures, and one page that needs no network."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

import pandas as pd

from tarstop_core.calibration.figures import reliability_and_scores, reliability_figure
from tarstop_core.errors import InputProblem
from tarstop_core.evaluation.findings import aggregate, claims, effort, figures, paper, tables
from tarstop_core.evaluation.findings.means import DRAWS
from tarstop_core.evaluation.metrics import TARGET_RECALL
from tarstop_core.evaluation.results import Results, save
from tarstop_core.evaluation.tasks import TASKS, errors_of
from tarstop_core.files import without_formulas
from tarstop_core.presentation.figures import Figure
from tarstop_core.presentation.html import page

STATISTICS = {
    "n_relevant": "relevant documents a topic",
    "map": "MAP",
    "ndcg": "NDCG",
    "recall_100": "Recall@100",
    "hit_within_31": "topics with a hit within 31",
    "hit_within_100": "topics with a hit within 100",
}
PICTURES = ("svg", "png")
NO_FIGURES = (
    "The report has no figures: they need plotly, which is not installed; run: pip install 'tarstop[app]'."
)


Section = Literal["regret", "errors", "effort", "differences", "reliability"]
"""Where a figure stands in the report."""


@dataclass(frozen=True, eq=False)
class Drawn:
    """A figure with its name, heading and sentence; `draw` takes "is the page dark?"."""

    section: Section
    name: str
    heading: str
    draw: Callable[[bool], Figure]
    sentence: str


@dataclass(frozen=True, eq=False)
class Findings:
    """Frames and figures of an experiment, computed once."""

    results: Results
    share: float | None = None
    """Share of ω⁺ topics to weigh to; as they are unless given."""
    draws: int = DRAWS
    """Bootstrap samples."""
    target: float = TARGET_RECALL
    """The recall whose reliability is said."""

    @cached_property
    def rows(self) -> pd.DataFrame:
        """One row a method, q* and cost."""
        return aggregate.rows(self.results, share=self.share, draws=self.draws, target=self.target)

    @property
    def settings(self) -> Mapping[str, Any]:
        """Everything that changes a number."""
        return self.results.settings

    @property
    def notes(self) -> list[str]:
        """What has to be known to read the tables, which are of one cost."""
        return tables.notes(self.rows[self.rows["cost"] == self.cost])

    @cached_property
    def comparisons(self) -> pd.DataFrame | None:
        """Every method against Greedy on the same topics; None where Greedy was not run or is alone."""
        names = [method.name for method in self.results.methods]
        if aggregate.REFERENCE not in names or len(names) < 2:
            return None
        return aggregate.compare(self.results, share=self.share, draws=self.draws)

    @cached_property
    def cost(self) -> float:
        """Cost of a document in the tables."""
        return tables.headline_cost(self.results.scenario, self.results.costs)

    @cached_property
    def regret(self) -> dict[float, pd.DataFrame]:
        """Mean regret by cost, for each q*, against the best of all methods run, as in :attr:`rows`."""
        return {
            q_star: aggregate.regret_by_cost(self.results, q_star, self.share, self.draws)
            for q_star in self.results.q_stars
        }

    @cached_property
    def errors(self) -> pd.DataFrame:
        """Errors of each kind at the tables' cost."""
        return aggregate.errors(self.results, self.cost, self.share)

    @cached_property
    def claims(self) -> pd.DataFrame:
        """Every claim that the methods allow to be looked at, with what was found."""
        return claims.verdicts(self.results, self.share, self.draws)

    @cached_property
    def beside_paper(self) -> pd.DataFrame:
        """Rows of this run beside the paper's, with what they differ by; empty where there are none."""
        return paper.beside_paper(self.results).assign(differs_by=paper.reasons(self.results))

    @cached_property
    def ordering(self) -> list[str]:
        """Where the order of methods differs from the paper's, a sentence for each panel."""
        return paper.ordering_sentences(self.results)

    def panels(self) -> list[tuple[str, pd.DataFrame]]:
        """The tables of the page, each after its caption."""
        digits = TASKS[self.results.scenario].icer_digits
        return [
            (f"q* = {q_star:g}. {self.caption}.", tables.panel(self.rows, q_star, self.cost, digits))
            for q_star in sorted(self.results.q_stars, reverse=True)
        ]

    def chosen(self) -> pd.DataFrame:
        """The settings that tuning chose."""
        by = ["approach", "q_star"]
        settings = self.rows.pivot_table(
            index=by, columns="cost", values="setting", aggfunc="first", sort=False
        )
        return settings.reset_index()

    def engine_changes(self) -> dict[str, Any] | None:
        """How often the slower engine would have acted otherwise; None where it was not asked."""
        return engine_changes(self.rows[self.rows["cost"] == self.cost])

    def frames(self) -> dict[str, pd.DataFrame]:
        """The tables to be written, by the name of their file."""
        regrets = (frame.assign(q_star=q_star) for q_star, frame in self.regret.items())
        frames = {
            "rows.csv": self.rows,
            "topics.csv.gz": aggregate.case_rows(self.results),
            "regret.csv": pd.concat(regrets, ignore_index=True),
            "errors.csv": self.errors.assign(cost=self.cost),
        }
        return frames if self.comparisons is None else frames | {"comparisons.csv": self.comparisons}

    def latex(self) -> str:
        """The tables of the page for LaTeX."""
        digits = TASKS[self.results.scenario].icer_digits
        return tables.latex(self.rows, self.cost, self.caption, digits)

    @property
    def caption(self) -> str:
        """What every table says of itself."""
        settings = self.results.settings
        simulated = "simulated; " if self.results.simulated else ""
        weighed = f"; weighed to {self.share:.0%} ω⁺" if self.share is not None else ""
        return (
            f"{settings['title']} ({simulated}{len(self.results.cases)} {TASKS[self.results.scenario].cases}), cost of a document {self.cost:g}; "
            f"truth: {settings['truth']}; engine: {settings['engine']}{weighed}"
        )

    def figures(self) -> Iterator[Drawn]:
        """All figures."""
        results, simulated = self.results, self.results.simulated
        bounds = [method.title for method in results.methods if method.is_oracle]
        for q_star, frame in self.regret.items():
            if frame.empty:
                continue  # nothing but Oracles was run
            yield Drawn(
                "regret",
                f"regret_q{q_star:g}",
                f"Regret against the best of the {frame['method'].nunique()} methods compared, by cost of a document, q* = {q_star:g}",
                partial(figures.regret_figure, frame, simulated),
                figures.regret_sentence(frame, q_star, self.cost, bounds),
            )
        yield Drawn(
            "errors",
            "errors",
            f"Wrong decisions of both kinds, cost {self.cost:g}",
            partial(figures.error_figure, self.errors, errors_of(results.settings), simulated),
            figures.error_sentence(self.errors, errors_of(results.settings)),
        )
        for q_star in results.q_stars:
            own = self.rows[(self.rows["q_star"] == q_star) & (self.rows["cost"] == self.cost)]
            yield Drawn(
                "effort",
                f"effort_q{q_star:g}",
                f"Documents read, q* = {q_star:g}, cost {self.cost:g}",
                partial(effort.effort_figure, own, simulated),
                effort.effort_sentence(own),
            )
            if self.comparisons is not None:
                table = self.comparisons
                paired = table[(table["q_star"] == q_star) & (table["cost"] == self.cost)]
                yield Drawn(
                    "differences",
                    f"differences_q{q_star:g}",
                    f"Net utility against Greedy on the same topics, q* = {q_star:g}, cost {self.cost:g}",
                    partial(effort.difference_figure, paired, simulated),
                    effort.difference_sentence(paired),
                )
        yield from self.reliability_figures()

    def reliability_figures(self) -> Iterator[Drawn]:
        """Whether the chances came true, a figure for each variant."""
        for variant, quality in self.results.calibration.items():
            yield Drawn(
                "reliability",
                f"reliability_{variant}",
                f"Reliability of chances ({variant}), {quality.how}",
                partial(reliability_figure, quality.reliability, self.results.simulated),
                reliability_and_scores(quality),
            )


@dataclass(frozen=True)
class Written:
    """Files written, and what could not be, a sentence each."""

    files: tuple[str, ...]
    missing: tuple[str, ...]


def write(report: Findings, folder: Path, *, pictures: bool = True) -> Written:
    """Write tables, figures, settings and the page into a folder.

    ``rows.csv``, ``topics.csv.gz`` (topic by topic), ``comparisons.csv``, ``regret.csv``, ``errors.csv``,
    ``tables.tex``, ``settings.json``, ``results.npz`` (reads back with :func:`~tarstop_core.evaluation.results.load`),
    ``report.html``, and ``figures/`` as SVG and PNG where there is a Chromium.

    Parameters
    ----------
    report, folder : Findings, Path
        What is written, and where.
    pictures : bool
        Whether figures are written as SVG and PNG too.

    Returns
    -------
    Written

    Raises
    ------
    InputProblem
        When the folder cannot be written to.
    """
    results = report.results
    try:
        folder.mkdir(parents=True, exist_ok=True)
        frames = report.frames()
        for name, frame in frames.items():
            # Without a time stamp inside, equal tables are equal files.
            packed = {"method": "gzip", "mtime": 1} if name.endswith(".gz") else None
            table = without_formulas(frame)
            table.to_csv(folder / name, index=False, compression=packed, lineterminator="\n")
        texts = {
            "tables.tex": report.latex(),
            "settings.json": json.dumps(report.settings, indent=1, ensure_ascii=False) + "\n",
            "report.html": html(report),
        }
        for name, text in texts.items():
            (folder / name).write_text(text, encoding="utf-8")
        save(results, folder / "results.npz")
        files = [*frames, *texts, "results.npz"]
        drawn, missing = _pictures(report, folder / "figures") if pictures and can_draw() else ([], [])
        missing += [] if can_draw() else [NO_FIGURES]
    except OSError as problem:
        raise InputProblem(f"The report cannot be written to {folder}: {problem.strerror}.") from None
    return Written((*files, *drawn), tuple(missing))


def can_draw() -> bool:
    """Whether plotly is installed."""
    return find_spec("plotly") is not None


def _pictures(report: Findings, folder: Path) -> tuple[list[str], list[str]]:
    """Figures as SVG and PNG, or a sentence that says why not."""
    import plotly.io

    folder.mkdir(exist_ok=True)
    drawn = [(each.name, each.draw(False)) for each in report.figures()]
    for _, figure in drawn:
        figure["layout"] |= {"paper_bgcolor": "white", "plot_bgcolor": "white"}
    pictures = [figure for _, figure in drawn for _ in PICTURES]
    places = [folder / f"{name}.{kind}" for name, _ in drawn for kind in PICTURES]
    try:
        # All at once, so that one browser draws them.
        heights = [figure["layout"]["height"] for figure in pictures]
        plotly.io.write_images(pictures, places, width=900, height=heights, scale=2)
    except Exception as problem:
        first = (str(problem).strip().splitlines() or [type(problem).__name__])[0]
        return [], [
            "Figures were not written as SVG and PNG, which needs Chromium (plotly_get_chrome fetches one): "
            f"kaleido found no Chromium that works ({first[:150]})."
        ]
    return [f"{folder.name}/{place.name}" for place in places], []


def html(report: Findings) -> str:
    """The report as one page: figures that can be looked into, without a network."""
    plotly_js = ""
    if can_draw():
        import plotly.offline

        plotly_js = plotly.offline.get_plotlyjs()
    results, settings = report.results, report.settings
    task = TASKS[results.scenario]
    texts = {name: json.dumps(value, ensure_ascii=False) for name, value in settings.items()}
    texts |= {name: value for name, value in settings.items() if isinstance(value, str)}
    return page(
        __name__,
        title=f"{settings['title']}: stopping rules compared",
        known=settings,
        report=report,
        results=results,
        task=task,
        caution=claims.caution(results),
        engine=report.engine_changes(),
        beside=tables.beside_paper(report.beside_paper, task.icer_digits, errors_of(settings)),
        beside_note=tables.icer_note(report.beside_paper),
        other_truth=task.paper is not None and settings["truth"] != task.paper.truth,
        figures=[
            {**vars(drawn), "light": drawn.draw(False), "dark": drawn.draw(True)}
            for drawn in report.figures()
        ]
        if plotly_js
        else [],
        calibration=_calibration(results),
        statistics=statistics(results),
        chosen=report.chosen(),
        settings=pd.DataFrame(texts.items(), columns=["setting", "value"]),
        plotly_js=plotly_js,
    )


def engine_changes(rows: pd.DataFrame) -> dict[str, Any] | None:
    """How often the slower engine would have acted otherwise: the `mean` share of topics, and the `worst` row."""
    asked = rows.dropna(subset="engine_changes") if "engine_changes" in rows else rows.iloc[:0]
    if asked.empty:
        return None
    changes = asked["engine_changes"]
    return {"mean": changes.mean(), "worst": asked.iloc[int(changes.to_numpy().argmax())]}


def _calibration(results: Results) -> pd.DataFrame:
    paper = TASKS[results.scenario].paper
    rows: list[tuple[Any, ...]] = [
        (name, q.how, f"{q.brier:.4f}", f"{q.ece:.4f}", q.topics) for name, q in results.calibration.items()
    ]
    if paper is not None:
        rows.append(("paper", "its test topics", f"{paper.brier:g}", f"{paper.ece:g}", ""))
    return pd.DataFrame(rows, columns=["chances", "judged on", "Brier", "ECE", "topics"])


def statistics(results: Results) -> pd.DataFrame:
    """What the rankings are like, beside the paper's: ``figure, achieved, paper``."""
    by_name: Mapping[str, Sequence[float | None]] = results.settings["statistics"]
    rows = [
        (STATISTICS.get(name, name), f"{achieved:.3f}", "" if aimed is None else f"{aimed:.3f}")
        for name, (achieved, aimed) in by_name.items()
        if achieved is not None
    ]
    return pd.DataFrame(rows, columns=["figure", "achieved", "paper"])


def folds_words(folds: Sequence[Sequence[int]]) -> str:
    """Word how many topics were tuned and tested on."""
    if len(folds) == 1:
        return f"{folds[0][0]:,} and {folds[0][1]:,}"
    train, test = zip(*folds, strict=True)
    return f"{len(folds)} folds, {min(train):,} to {max(train):,} and {min(test):,} to {max(test):,}"
