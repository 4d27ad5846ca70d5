"""What moves a belief about sensitivity, by each engine; what more patients and more studies would do."""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from tarstop_core.belief.engines import ENGINES
from tarstop_core.belief.of_tables import BeliefPath, belief_path
from tarstop_core.belief.prior import Prior
from tarstop_core.belief.univariate import posterior
from tarstop_core.documents.tables import CELLS, Tables
from tarstop_core.documents.topic import Outcome
from tarstop_core.evidence.drawing import short
from tarstop_core.explore.lists import sample
from tarstop_core.presentation.figures import Figure, Rows, axis, drawn, ink, label, line, rows_of
from tarstop_core.presentation.numbers import number, percent
from tarstop_core.presentation.palette import BELIEF, POOLED, VALUE
from tarstop_core.presentation.words import TEXTS
from tarstop_core.samples.collections import published_sets, sample_reviews
from tarstop_core.teaching.ideas.shared import MARKS, idea, named, said
from tarstop_core.value.payoffs import Floats

IDEA = idea("Studies", "engines")


@dataclass(frozen=True, eq=False)
class ShownTables:
    """2×2 tables to look at."""

    title: str
    tables: Tables
    simulated: bool


@lru_cache(maxsize=1)
def evidence() -> dict[str, ShownTables]:
    """The published sets, and the sample reviews' tables in the order in which screening meets them."""
    found = {each.name: ShownTables(each.title, each.tables, False) for each in published_sets()}
    for topic, title in sample_reviews()[["topic", "title"]].itertuples(index=False):
        truth = sample(f"review:{topic}").truth
        assert isinstance(truth, Outcome)
        found[str(topic)] = ShownTables(str(title), truth.tables, True)
    return found


@lru_cache(maxsize=64)
def belief_paths(name: str, theta: float, tau: float) -> dict[str, BeliefPath]:
    """Belief after each study by each engine, with a prior of this scale of heterogeneity."""
    tables = evidence()[name].tables
    return {engine: belief_path(tables, theta, engine, Prior(tau=tau)) for engine in ENGINES}


ENGINE_LOOK = {
    "bivariate": ("exact, both margins", BELIEF, "solid", 3.5),
    "univariate": ("exact, sensitivity alone", VALUE, "dash", 2.5),
    "reml": ("REML (Reitsma)", POOLED, "dot", 2.5),
}


def engines_figure(name: str, paths: dict[str, BeliefPath], theta: float, *, dark: bool = False) -> Figure:
    """Belief after each study of the tables called `name` by each engine, one over the other."""
    shown = evidence()[name]
    last = len(shown.tables)
    labels = ["before any study", *shown.tables.study]
    data, notes = [], []
    high = np.mean([path.beliefs[-1] or 0.5 for path in paths.values()]) > 0.5
    for row, (engine, path) in enumerate(paths.items()):
        title, colour, dash, width = ENGINE_LOOK[engine]
        hover = ["" if b is None else f"{labels[n]}: {percent(b)}" for n, b in enumerate(path.beliefs)]
        trace = line(
            range(last + 1), path.beliefs, colour, width=width, dash=dash, hovertext=hover, hoverinfo="text"
        )
        trace["line"]["shape"] = "hv"
        data.append(trace)
        y = (0.28 if high else 0.98) - 0.09 * row
        notes.append(named(1, y, f"{MARKS[dash]} {title}", colour, dark))
    xaxis = axis("studies", dark, range=[-0.2, last + 0.2], nticks=12, tickformat="d")
    title = f"chance that sensitivity exceeds {percent(theta)}"
    yaxis = axis(title, dark, range=[-0.03, 1.03], tickformat=".1f")
    return drawn(data, 330, shown.simulated, dark, notes, xaxis=xaxis, yaxis=yaxis)


def engines_sentence(name: str, paths: dict[str, BeliefPath]) -> str:
    """How far single studies move the belief, and how far the engines are apart."""
    b, moves, at, later = _moves(paths)
    reml = np.abs(np.array(paths["reml"].beliefs, dtype=float) - b)
    apart = None if np.isnan(reml).all() else np.nanmax(reml)
    told = {"study": f"Study {at + 1}", "called": short(evidence()[name].tables.study[at])}
    return said("engines", **told, b=b.tolist(), moves=moves.tolist(), at=at, later=later, apart=apart)


def _moves(paths: dict[str, BeliefPath]) -> tuple[Floats, Floats, int, int]:
    """The exact belief, how far each study moves it, which moves it most, and where the second half begins."""
    b = np.array(paths["bivariate"].beliefs, dtype=float)
    moves = np.abs(np.diff(b))
    return b, moves, int(np.argmax(moves)), len(moves) // 2


def _points(difference: float) -> str:
    """A difference of chances."""
    return f"{number(round(100 * float(difference), 1))} points"


TEXTS.filters["points"] = _points


def engines_heading(paths: dict[str, BeliefPath]) -> str:
    """What the figure finds."""
    _, moves, at, later = _moves(paths)
    return f"One study moves the chance by {_points(moves[at])}, the last {len(moves) - later} by {_points(moves[later:].max())} at most"


def engines_rows(name: str, paths: dict[str, BeliefPath]) -> Rows:
    """The figure's numbers, a row a study."""
    studies = ["", *evidence()[name].tables.study]
    beliefs = {engine: np.array(path.beliefs, dtype=float) for engine, path in paths.items()}
    return rows_of(studies=np.arange(len(studies)), study=studies, **beliefs)


MORE = (1, 2, 4)
"""Times as many patients in each study, or as many studies alike."""


@dataclass(frozen=True)
class Widths:
    """How wide the 95 % interval of pooled sensitivity is, at each of :data:`MORE`."""

    patients: tuple[float, ...]  # With so many times as many patients in each study, at the same rates
    studies: tuple[float, ...]  # With so many times as many studies alike


@lru_cache(maxsize=64)
def widths(name: str, theta: float, tau: float) -> Widths:
    """What more patients and what more studies would do, exactly (sensitivity alone)."""
    tables, prior = evidence()[name].tables, Prior(tau=tau)

    def width(changed: Tables) -> float:
        found = posterior(changed, theta, prior)
        return found.quantile(0.975) - found.quantile(0.025)

    def with_cells(times: int, studies: int) -> Tables:
        cells = (np.tile(getattr(tables, cell) * times, studies) for cell in CELLS)
        return Tables(tables.study * studies, *cells)

    patients = tuple(width(with_cells(times, 1)) for times in MORE)
    return Widths(patients, tuple(width(with_cells(1, times)) for times in MORE))


def widths_figure(found: Widths, simulated: bool, *, dark: bool = False) -> Figure:
    """Width of the interval with more patients in each study, and with more studies."""
    x = [math.log2(each) for each in MORE]
    patients = (found.patients, "more patients in each study", POOLED)
    lines = (patients, (found.studies, "more studies alike", BELIEF))
    data, notes = [], []
    for widths, name, colour in lines:
        y = [100 * width for width in widths]
        how = {"mode": "lines+markers", "marker": {"size": 9, "color": colour}}
        data.append(line(x, y, colour, width=3, **how, hovertemplate="%{y:.1f} points<extra></extra>"))
        above = widths[-1] >= max(each[0][-1] for each in lines)
        yanchor, yshift = ("bottom", 6) if above else ("top", -6)
        notes.append(label(x[-1], y[-1], name, ink(colour, dark), yanchor=yanchor, yshift=yshift))
    top = 100 * max(*found.patients, *found.studies)
    ticks = {"tickvals": x, "ticktext": [f"×{each}" for each in MORE]}
    xaxis = axis("times as many", dark, **ticks, range=[-0.1, x[-1] + 0.15])
    yaxis = axis("width of the 95 % interval (points)", dark, range=[0, 1.3 * top], nticks=6)
    return drawn(data, 290, simulated, dark, notes, xaxis=xaxis, yaxis=yaxis)


def widths_sentence(found: Widths) -> str:
    """What more patients and more studies would do."""
    now, patients, studies = (
        100 * each for each in (found.patients[0], found.patients[-1], found.studies[-1])
    )
    return said("widths", now=now, patients=patients, studies=studies, times=MORE[-1])


def widths_heading(found: Widths) -> str:
    """What the figure finds."""
    helped = found.patients[-1] < 0.9 * found.patients[0]
    return f"More patients {'help a little' if helped else 'do not help'}; more studies do"


def widths_rows(found: Widths) -> Rows:
    """The figure's numbers."""
    return rows_of(times=MORE, width_with_more_patients=found.patients, width_with_more_studies=found.studies)
