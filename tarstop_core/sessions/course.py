"""Figures of belief and worth during a session, for its report."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from tarstop_core.documents.tables import Floats
from tarstop_core.presentation.figures import Chart, Figure, or_none, plain, thinned, with_unit
from tarstop_core.presentation.palette import BELIEF, COST, THRESHOLD, VALUE
from tarstop_core.presentation.pictures import still
from tarstop_core.screening.fold import replay
from tarstop_core.screening.paths import screening_path
from tarstop_core.screening.scenarios.named import scenario_of
from tarstop_core.screening.wording import limits_of, pays, question
from tarstop_core.sessions import message
from tarstop_core.sessions.snapshot import SessionSnapshot

Limits = Sequence[tuple[str, Any, str]]
"""A limit for a curve: its name, its height (one number, or one a depth) and its colour."""

LETTER, LINE = 0.011, 0.09
"""Width of a letter and height of a line of text, as shares of the plot's width and height."""


def advised(session: SessionSnapshot) -> list[dict[str, Any]]:
    """Rows of the trace for documents read in this session; those that came with labels got no advice and are left out."""
    return session.steps[session.state.kept :]


def curves(session: SessionSnapshot) -> list[tuple[str, str]]:
    """Pictures (SVG) of a session's course, each with its description; none if nothing was read.

    They show belief and worth, unless the scenario draws a figure of its own instead.
    """
    state, now, steps = session.state, session.advice_now, advised(session)
    if not state.depth:
        return []
    settings = state.settings
    if (own := scenario_of(settings).figure(now, state)) is not None:
        says = scenario_of(settings).message("found", advice=now)
        return [(still(own, says), says)]
    kept = _before_kept(session)
    last = {"b": now.b, "q_star": settings.payoffs.q_star, "cost": now.cost, "worth": now.worth}
    # The values shown before each document and after the last.
    before = pd.DataFrame([*kept, *steps, last], columns=list(last)).astype(float)
    drawn = before.iloc[thinned(len(before), len(before) - 1)]
    scenario, simulated = scenario_of(settings), session.collection.simulated

    def draw(column: str, colour: str, limits: Limits, says: str, **axis: Any) -> tuple[str, str]:
        figure = _drawn(drawn, column, colour, limits, Chart(250, simulated=simulated), **axis)
        figure["data"][0]["line"]["shape"] = "hv" if scenario.in_steps else "linear"
        return still(figure, says), says

    says = message(
        "belief_curve",
        question=question(settings),
        first=before["b"].iloc[0],
        last=now.b,
        depth=state.depth,
        pays=pays(settings),
        kept=len(kept),
        studies=len(state.evidence) > 0,
        hit=state.hit is not None,
    )
    limits: Limits = [(name, end, THRESHOLD) for end, name in limits_of(settings)]
    if not settings.payoffs.others:  # The threshold may have changed on the way
        limits = [(f"{plain(settings.plus, 24)} above", drawn["q_star"], THRESHOLD)]
    shares = {"title": "chance", "range": [0.0, 1.0], "dtick": 0.2, "tickformat": ".0%"}
    pictures = [draw("b", BELIEF, limits, says, **shares)]
    if (before["worth"] > 0).any():
        positive = before[["worth", "cost"]].where(before > 0)
        low, high = np.floor(np.log10(positive.min().min())), np.ceil(np.log10(positive.max().max()))
        # A curve of the rule over many decades would hide the crossing that matters.
        low = max(low, np.floor(np.log10(positive.max().max())) - 6)
        axis = {
            "title": with_unit("worth", settings.payoffs.unit),
            "type": "log",
            "range": [low, max(high, low + 1)],
        }
        limits = [("cost of one document", drawn["cost"], COST)]
        pictures.append(draw("worth", VALUE, limits, message("worth_curve"), **axis))
    return pictures


def _drawn(
    course: pd.DataFrame, column: str, colour: str, limits: Limits, chart: Chart, **axis: Any
) -> Figure:
    """Figure of one column of the course with its limits, each with its name."""
    depths, log = course.index.astype(float), "type" in axis
    low, high = 10 ** np.array(axis["range"]) if log else axis["range"]

    def line(values: Any, colour: str, **look: Any) -> Any:
        values = pd.Series(values, course.index)
        seen = (values.where(values > 0) if log else values).clip(low, high)
        chart.line(depths, or_none(seen), colour, **look)
        return seen

    curve = line(course[column], colour, width=2.5)
    end = curve.dropna().tail(1)
    chart.points(end.index, end, colour, 8)
    for name, values, limit_colour in limits:
        at = line(values, limit_colour, dash="dash").iloc[-1]
        chart.traces[-1]["line"]["shape"] = "hv"
        if np.isnan(at):
            continue  # a cost of 0, which a logarithmic axis cannot show
        scaled, ends = (np.log10(curve), np.log10([low, high])) if log else (curve, [low, high])
        height = float(np.log10(at) if log else at)
        shares = (np.append(scaled, height) - ends[0]) / (ends[1] - ends[0])
        at_left, below = free_side((depths / depths[-1]).to_numpy(), shares[:-1], float(shares[-1]), name)
        place: dict[str, Any] = {"yanchor": "top", "yshift": -4} if below else {"yshift": 2}
        end, side = (0.0, "left") if at_left else (depths[-1], "right")
        chart.label(end, height, name, limit_colour, xanchor=side, **place)
    whole = {"dtick": 1} if depths[-1] <= 5 else {}
    chart.axis("xaxis", "documents read", range=[0.0, depths[-1]], **whole)
    chart.axis("yaxis", **axis)
    return chart.figure()


def free_side(x: Floats, y: Floats, limit: float, name: str) -> tuple[bool, bool]:
    """Where to write the name of a limit so that the curve crosses no letter.

    Parameters
    ----------
    x, y : ndarray, shape (N,)
        The curve, as shares of the plot's width and height; NaN where it is not drawn.
    limit : float
        Height of the limit, as a share.
    name : str
        What is written.

    Returns
    -------
    at_left, below : bool
        Whether it stands at the left end of the limit, and whether below it.
    """
    drawn, along = ~np.isnan(y), np.linspace(0.0, 1.0, 401)
    if not drawn.any():
        return False, False
    curve = np.interp(along, x[drawn], y[drawn], right=np.nan)
    near_end = curve[(along > 0.8) & ~np.isnan(curve)]
    mostly_above = bool(len(near_end) and np.median(near_end) > limit)
    for at_left in (False, True):
        ends = along < LETTER * len(name) if at_left else along > 1 - LETTER * len(name)
        for below in (mostly_above, not mostly_above):
            low = limit - LINE if below else limit
            if low >= 0 and not ((curve[ends] > low) & (curve[ends] < low + LINE)).any():
                return at_left, below
    return False, mostly_above


def _before_kept(session: SessionSnapshot) -> list[dict[str, Any]]:
    """Belief and worth before each document that came with its label, under the settings at the start."""
    at = next((at for at, event in enumerate(session.events) if event.kind == "kept"), None)
    if at is None:
        return []
    stored = session.stored
    state = replay(stored.settings, stored.ids, session.events[: at + 1])
    settings = state.settings
    path = screening_path(settings, *session.chances(settings, state), state)
    worth = settings.rule.worth(path)
    fixed = {"q_star": settings.payoffs.q_star, "cost": settings.cost}
    return [
        {"b": path.b[depth], "worth": None if worth is None else worth[depth], **fixed}
        for depth in range(state.kept)
    ]
