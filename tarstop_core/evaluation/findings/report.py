"""The report of an experiment: tables, figures, and one page that needs no network."""

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
"""Section of the report in which a figure stands."""


@dataclass(frozen=True, eq=False)
class Drawn:
    """A figure with its heading and its sentence."""

    section: Section
    name: str  # Name of its files
    heading: str
    draw: Callable[[bool], Figure]  # Takes whether the page is dark
    sentence: str


@dataclass(frozen=True, eq=False)
class Findings:
    """Frames and figures of an experiment, computed once."""

    results: Results
    share: float | None = None  # Share of ω⁺ topics to weigh to; None weighs to none
    target: float = TARGET_RECALL  # Recall whose reliability is reported

    @cached_property
    def rows(self) -> pd.DataFrame:
        """One row for each method, q* and cost."""
        return aggregate.rows(self.results, share=self.share, target=self.target)

    @property
    def settings(self) -> Mapping[str, Any]:
        """Everything that changes a number."""
        return self.results.settings

    @property
    def notes(self) -> list[str]:
        """Sentences that explain the tables, which have one cost."""
        return tables.notes(self.rows[self.rows["cost"] == self.cost])

    @cached_property
    def comparisons(self) -> pd.DataFrame | None:
        """Every method compared with Greedy on the same topics; None if Greedy or any other method was not run."""
        names = [method.name for method in self.results.methods]
        if aggregate.REFERENCE not in names or len(names) < 2:
            return None
        return aggregate.compare(self.results, share=self.share)

    @cached_property
    def cost(self) -> float:
        """Cost of a document in the tables."""
        return tables.headline_cost(self.results.scenario, self.results.costs)

    @cached_property
    def regret(self) -> dict[float, pd.DataFrame]:
        """Mean regret by cost for each q*, against the best of the methods run."""
        by_cost = partial(aggregate.regret_by_cost, self.results, share=self.share)
        return {q_star: by_cost(q_star) for q_star in self.results.q_stars}

    @cached_property
    def errors(self) -> pd.DataFrame:
        """Errors of both kinds at the cost of the tables."""
        return aggregate.errors(self.results, self.cost, self.share)

    @cached_property
    def claims(self) -> pd.DataFrame:
        """Every claim whose methods were run, with its result."""
        return claims.check_claims(self.results, self.share)

    @cached_property
    def beside_paper(self) -> pd.DataFrame:
        """Rows of this run beside the paper's, with the causes of differences; empty if there are none."""
        return paper.beside_paper(self.results).assign(differs_by=paper.reasons(self.results))

    @cached_property
    def ordering(self) -> list[str]:
        """For each panel a sentence on where the order of methods differs from the paper's."""
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
        return self.rows.pivot_table("setting", by, "cost", aggfunc="first", sort=False).reset_index()

    def engine_changes(self) -> dict[str, Any] | None:
        """How often the slower engine would change the action (:func:`engine_changes`); None if it was not used."""
        return engine_changes(self.rows[self.rows["cost"] == self.cost])

    def frames(self) -> dict[str, pd.DataFrame]:
        """The tables of the report by the names of their files."""
        regrets = (frame.assign(q_star=q_star) for q_star, frame in self.regret.items())
        frames = {
            "rows.csv": self.rows,
            "topics.csv.gz": aggregate.case_rows(self.results),
            "regret.csv": pd.concat(regrets, ignore_index=True),
            "errors.csv": self.errors.assign(cost=self.cost),
        }
        return frames if self.comparisons is None else frames | {"comparisons.csv": self.comparisons}

    def latex(self) -> str:
        """The tables of the page in LaTeX."""
        digits = TASKS[self.results.scenario].icer_digits
        return tables.latex(self.rows, self.cost, self.caption, digits)

    @property
    def caption(self) -> str:
        """Caption of every table."""
        settings = self.results.settings
        simulated = "simulated; " if self.results.simulated else ""
        weighed = f"; weighed to {self.share:.0%} ω⁺" if self.share is not None else ""
        return (
            f"{settings['title']} ({simulated}{len(self.results.cases)} {TASKS[self.results.scenario].cases}), cost of a document {self.cost:g}; "
            f"truth: {settings['truth']}; engine: {settings['engine']}{weighed}"
        )

    def figures(self) -> Iterator[Drawn]:
        """The figures of the report."""
        results, simulated = self.results, self.results.simulated
        bounds = [method.title for method in results.methods if method.is_oracle]
        for q_star, frame in self.regret.items():
            if frame.empty:
                continue  # Only Oracles were run
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
        """Figures of the reliability of the chances, one for each variant."""
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
    """The files of a report that was written."""

    files: tuple[str, ...]
    missing: tuple[str, ...]  # Sentences on what could not be written


def write(report: Findings, folder: Path, *, pictures: bool = True) -> Written:
    """Write tables, figures, settings and the page into a folder.

    Files are ``rows.csv``, ``topics.csv.gz`` (topic by topic), ``comparisons.csv``, ``regret.csv``, ``errors.csv``,
    ``tables.tex``, ``settings.json``, ``results.npz`` (:func:`~tarstop_core.evaluation.results.load` reads it),
    ``report.html``, and ``figures/`` as SVG and PNG if there is a Chromium.

    Parameters
    ----------
    report, folder : Findings, Path
        Findings of the experiment, and the folder.
    pictures : bool
        Whether to write figures as SVG and PNG too.

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
            # With a fixed time stamp, equal tables give equal files.
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
    """Write figures as SVG and PNG; return the names of the files, or a sentence that says why there are none."""
    import plotly.io

    folder.mkdir(exist_ok=True)
    figures_by_name = {drawn.name: drawn.draw(False) for drawn in report.figures()}
    for figure in figures_by_name.values():
        figure["layout"] |= {"paper_bgcolor": "white", "plot_bgcolor": "white"}
    pictures = [figure for figure in figures_by_name.values() for _ in PICTURES]
    places = [folder / f"{name}.{kind}" for name in figures_by_name for kind in PICTURES]
    try:
        # In one call, so that one browser draws all of them.
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
    """Make the report as one page with interactive figures, which needs no network."""
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
        draws=DRAWS,
        chosen=report.chosen(),
        settings=pd.DataFrame(texts.items(), columns=["setting", "value"]),
        plotly_js=plotly_js,
    )


def engine_changes(rows: pd.DataFrame) -> dict[str, Any] | None:
    """How often the slower engine would change the action: the `mean` share of topics, and the `worst` row; else None."""
    compared = rows.dropna(subset="engine_changes") if "engine_changes" in rows else rows.iloc[:0]
    if compared.empty:
        return None
    changes = compared["engine_changes"]
    return {"mean": changes.mean(), "worst": compared.iloc[int(changes.to_numpy().argmax())]}


def _calibration(results: Results) -> pd.DataFrame:
    """The quality of the chances by variant, beside the paper's."""
    paper = TASKS[results.scenario].paper
    rows: list[tuple[Any, ...]] = [
        (name, q.how, f"{q.brier:.4f}", f"{q.ece:.4f}", q.topics) for name, q in results.calibration.items()
    ]
    if paper is not None:
        rows.append(("paper", "its test topics", f"{paper.brier:g}", f"{paper.ece:g}", ""))
    return pd.DataFrame(rows, columns=["chances", "judged on", "Brier", "ECE", "topics"])


def statistics(results: Results) -> pd.DataFrame:
    """Tabulate the statistics of the rankings beside the paper's: ``figure, achieved, paper``."""
    by_name: Mapping[str, Sequence[float | None]] = results.settings["statistics"]
    rows = [
        (STATISTICS.get(name, name), f"{achieved:.3f}", "" if aimed is None else f"{aimed:.3f}")
        for name, (achieved, aimed) in by_name.items()
        if achieved is not None
    ]
    return pd.DataFrame(rows, columns=["figure", "achieved", "paper"])


def folds_words(folds: Sequence[Sequence[int]]) -> str:
    """Word the numbers of topics for tuning and for testing; `folds` holds both numbers of each fold."""
    if len(folds) == 1:
        return f"{folds[0][0]:,} and {folds[0][1]:,}"
    train, test = zip(*folds, strict=True)
    return f"{len(folds)} folds, {min(train):,} to {max(train):,} and {min(test):,} to {max(test):,}"
