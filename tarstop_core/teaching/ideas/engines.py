"""Idea: how studies move the belief of each engine, and what more patients or more studies would change."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from tarstop_core.belief.engines import ENGINES
from tarstop_core.belief.of_tables import BeliefPath, belief_path
from tarstop_core.belief.prior import Prior
from tarstop_core.belief.question import Question
from tarstop_core.belief.univariate import posterior
from tarstop_core.documents.tables import CELLS, Tables
from tarstop_core.documents.topic import Outcome
from tarstop_core.evidence.curve_figures import short
from tarstop_core.explore.lists import sample
from tarstop_core.presentation.figures import MARKS, Chart, Figure, rows_of
from tarstop_core.presentation.numbers import percent
from tarstop_core.presentation.palette import BELIEF, POOLED, VALUE
from tarstop_core.samples.collections import published_sets, sample_reviews
from tarstop_core.teaching.ideas import Idea, Picture, message

IDEA = Idea("Studies", message("engines_title"), message("engines_lead"))
ENGINE_LOOK = {
    "bivariate": ("exact, both margins", BELIEF, "solid", 3.5),
    "univariate": ("exact, sensitivity alone", VALUE, "dash", 2.5),
    "reml": ("REML (Reitsma)", POOLED, "dot", 2.5),
}
"""Title, colour, dash and width of each engine's line."""
MORE = (1, 2, 4)
"""Factors on the patients in each study, or on the number of studies."""


@dataclass(frozen=True, eq=False)
class TableSet:
    """A collection of 2×2 tables."""

    title: str
    tables: Tables
    simulated: bool


@lru_cache(maxsize=1)
def table_sets() -> dict[str, TableSet]:
    """Return the published sets, and the tables of the sample reviews in the order of their lists."""
    sets = {
        published.name: TableSet(published.title, published.tables, False) for published in published_sets()
    }
    for topic, title in sample_reviews()[["topic", "title"]].itertuples(index=False):
        truth = sample(f"review:{topic}").truth
        assert isinstance(truth, Outcome)
        sets[str(topic)] = TableSet(str(title), truth.tables, True)
    return sets


@lru_cache(maxsize=64)
def belief_paths(name: str, theta: float, tau: float) -> dict[str, BeliefPath]:
    """Return the belief after each study, by engine.

    Parameters
    ----------
    name
        Name of one of :func:`table_sets`.
    theta
        Sensitivity to exceed.
    tau
        Scale of the prior of heterogeneity.

    Returns
    -------
    dict
        Paths by the names of the engines.
    """
    tables = table_sets()[name].tables
    return {engine: belief_path(tables, Question(theta, engine, Prior(tau=tau))) for engine in ENGINES}


def engines_picture(name: str, theta: float, tau: float, *, dark: bool = False) -> Picture:
    """Show the belief after each study by each engine.

    Parameters
    ----------
    name, theta, tau
        As for :func:`belief_paths`.
    dark
        Whether the page is dark.

    Returns
    -------
    Picture
        Its sentence says how far single studies move the belief, and how much the engines differ.
    """
    paths, tables = belief_paths(name, theta, tau), table_sets()[name].tables
    beliefs = {engine: np.array(path.beliefs, dtype=float) for engine, path in paths.items()}
    b = beliefs["bivariate"]
    moves = np.abs(np.diff(b))
    largest, middle = int(np.argmax(moves)), len(moves) // 2
    differences = np.abs(beliefs["reml"] - b)
    study = short(tables.study[largest])
    return Picture(
        "idea-engines",
        message(
            "engines_heading",
            largest=float(moves[largest]),
            later=len(moves) - middle,
            largest_later=float(moves[middle:].max()),
        ),
        _engines_figure(name, paths, theta, dark),
        message(
            "engines",
            number_of_study=largest + 1,
            name="" if study == f"Study {largest + 1}" else study,
            moves=moves.tolist(),
            at=largest,
            b=b.tolist(),
            middle=middle,
            apart=None if np.isnan(differences).all() else float(np.nanmax(differences)),
        ),
        rows_of(studies=np.arange(len(b)), study=["", *tables.study], **beliefs),
    )


def _engines_figure(name: str, paths: dict[str, BeliefPath], theta: float, dark: bool) -> Figure:
    tables = table_sets()[name]
    last = len(tables.tables)
    labels = ["before any study", *tables.tables.study]
    chart = Chart(330, dark=dark, simulated=tables.simulated)
    high = np.mean([path.beliefs[-1] or 0.5 for path in paths.values()]) > 0.5
    for row, (engine, path) in enumerate(paths.items()):
        title, colour, dash, width = ENGINE_LOOK[engine]
        hover = ["" if b is None else f"{labels[n]}: {percent(b)}" for n, b in enumerate(path.beliefs)]
        look = {"width": width, "dash": dash, "hovertext": hover, "hoverinfo": "text"}
        chart.line(range(last + 1), path.beliefs, colour, **look)
        chart.traces[-1]["line"]["shape"] = "hv"
        chart.name(f"{MARKS[dash]} {title}", colour, (0.28 if high else 0.98) - 0.09 * row)
    chart.axis("xaxis", "studies", range=[-0.2, last + 0.2], nticks=12, tickformat="d")
    belief = f"chance that sensitivity exceeds {percent(theta)}"
    chart.axis("yaxis", belief, range=[-0.03, 1.03], tickformat=".0%")
    return chart.figure()


@lru_cache(maxsize=64)
def widths(name: str, theta: float, tau: float) -> dict[str, tuple[float, ...]]:
    """Return how wide the interval of pooled sensitivity would be with more patients or more studies.

    The exact engine of sensitivity alone computes it.

    Parameters
    ----------
    name, theta, tau
        As for :func:`belief_paths`.

    Returns
    -------
    dict
        Widths of the 95 % interval at each of :data:`MORE`: "patients" multiplies the patients in each study at the
        same rates, "studies" the number of studies with the same tables.
    """
    tables, prior = table_sets()[name].tables, Prior(tau=tau)

    def width(times: int, studies: int) -> float:
        cells = (np.tile(getattr(tables, cell) * times, studies) for cell in CELLS)
        pooled = posterior(Tables(tables.study * studies, *cells), theta, prior)
        return pooled.quantile(0.975) - pooled.quantile(0.025)

    return {
        "patients": tuple(width(times, 1) for times in MORE),
        "studies": tuple(width(1, times) for times in MORE),
    }


def widths_picture(name: str, theta: float, tau: float, *, dark: bool = False) -> Picture:
    """Show the width of the interval with more patients in each study, and with more studies.

    Parameters
    ----------
    name, theta, tau
        As for :func:`belief_paths`.
    dark
        Whether the page is dark.

    Returns
    -------
    Picture
        Two lines over :data:`MORE`.
    """
    patients, studies = widths(name, theta, tau).values()
    now, more_patients, more_studies = (100 * width for width in (patients[0], patients[-1], studies[-1]))
    return Picture(
        "idea-widths",
        message("widths_heading", patients_help=patients[-1] < 0.9 * patients[0]),
        _widths_figure(patients, studies, table_sets()[name].simulated, dark),
        message("widths", now=now, patients=more_patients, studies=more_studies, times=MORE[-1]),
        rows_of(times=MORE, width_with_more_patients=patients, width_with_more_studies=studies),
    )


def _widths_figure(
    patients: Sequence[float], studies: Sequence[float], simulated: bool, dark: bool
) -> Figure:
    chart = Chart(290, dark=dark, simulated=simulated)
    x = [math.log2(times) for times in MORE]
    widest_at_end = max(patients[-1], studies[-1])
    for values, name, colour in (
        (patients, "more patients in each study", POOLED),
        (studies, "more studies alike", BELIEF),
    ):
        y = [100 * width for width in values]
        look = {"mode": "lines+markers", "marker": {"size": 9, "color": colour}}
        chart.line(x, y, colour, width=3, **look, hovertemplate="%{y:.1f} points<extra></extra>")
        yanchor, yshift = ("bottom", 6) if values[-1] >= widest_at_end else ("top", -6)
        chart.label(x[-1], y[-1], name, colour, yanchor=yanchor, yshift=yshift)
    top = 100 * max(*patients, *studies)
    ticks = {"tickvals": x, "ticktext": [f"×{times}" for times in MORE]}
    chart.axis("xaxis", "times as many", **ticks, range=[-0.1, x[-1] + 0.15])
    chart.axis("yaxis", "width of the 95 % interval (points)", range=[0, 1.3 * top], nticks=6)
    return chart.figure()
