"""Figures of the Learn page's ideas as plain plotly dictionaries, each with the sentence that says what it shows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tarstop_core.belief.of_tables import BeliefPath
from tarstop_core.documents.tables import Tables
from tarstop_core.evaluation.findings.drawing import style
from tarstop_core.evidence.drawing import short
from tarstop_core.policies import Policy
from tarstop_core.presentation.figures import Figure, axis, drawn_layout, ink, label, line, text_colour
from tarstop_core.presentation.numbers import amount, count_of, number, percent
from tarstop_core.presentation.palette import (
    BELIEF,
    COST,
    MINUS,
    PLUS,
    POOLED,
    STUDY,
    THRESHOLD,
    VALUE,
    VALUE_AREA,
)
from tarstop_core.screening.explain import action
from tarstop_core.teaching.ideas.numbers import (
    AHEAD,
    BELIEFS,
    FACTORS,
    MORE,
    ByMethod,
    Compared,
    Mistaken,
    OneDocument,
    Recalled,
    Widths,
    evidence,
    is_review,
)
from tarstop_core.value.decisive import DecisivePath
from tarstop_core.value.payoffs import Payoffs

Floats = NDArray[np.float64]
Rows = list[dict[str, Any]]
HALVES = ((0.56, 1.0), (0.0, 0.44))


def _dot(x: float, y: float, colour: str, **more: Any) -> dict[str, Any]:
    marker = {"color": colour, "size": 10, "symbol": more.pop("symbol", "circle")}
    return {
        "type": "scatter",
        "mode": "markers",
        "x": [x],
        "y": [y],
        "marker": marker,
        "hoverinfo": "skip",
        **more,
    }


def _rows(**columns: ArrayLike) -> Rows:
    """Columns of one length as rows."""
    plain = [np.asarray(column).tolist() for column in columns.values()]
    return [dict(zip(columns, row, strict=True)) for row in zip(*plain, strict=True)]


# --- where certainty is worth most ------------------------------------------------------------------


def peak_figure(payoffs: Payoffs, b: float, *, dark: bool = False) -> Figure:
    """What each action is expected to lose at every belief; EVPI is the lesser of the two.

    Parameters
    ----------
    payoffs : Payoffs
    b : float
        Where one stands.
    dark : bool
    """
    x = np.unique(np.append(np.linspace(0, 1, 101), (payoffs.q_star, b)))
    minus, plus = x * payoffs.wrong_minus, (1 - x) * payoffs.wrong_plus
    q_star, peak = payoffs.q_star, float(payoffs.evpi(payoffs.q_star))
    top = 1.12 * max(payoffs.wrong_minus, payoffs.wrong_plus)
    hover = "%{x:.2f}: %{y:.3~g}<extra></extra>"
    data = [
        line(x.tolist(), minus.tolist(), MINUS, hovertemplate=hover),
        line(x.tolist(), plus.tolist(), PLUS, hovertemplate=hover),
        line(x.tolist(), np.minimum(minus, plus).tolist(), VALUE, width=5, hovertemplate=hover),
        line([q_star, q_star], [0, top], THRESHOLD, dash="dash", hoverinfo="skip"),
        line([b, b], [0, float(payoffs.evpi(b))], BELIEF, width=1.5, dash="dot", hoverinfo="skip"),
        _dot(b, float(payoffs.evpi(b)), BELIEF),
    ]
    notes = [
        label(1, payoffs.wrong_minus, "lost by a wrong a⁻", ink(MINUS, dark)),
        label(0, payoffs.wrong_plus, "lost by a wrong a⁺", ink(PLUS, dark), xanchor="left"),
        label(q_star, top, f"q* = {q_star:.2f}", text_colour(dark), xanchor="center"),
        label(
            (1 + q_star) / 2,
            peak / 2,
            " EVPI",
            ink(VALUE, dark),
            xanchor="left",
            font={"color": ink(VALUE, dark), "size": 14},
        ),
        label(b, 0, " you ", ink(BELIEF, dark), xanchor="right" if b > 0.5 else "left"),
    ]
    layout = drawn_layout(
        330,
        False,
        dark,
        notes,
        xaxis=axis("chance that a⁺ is right", dark, range=[0, 1], tickformat=".1f"),
        yaxis=axis("expected loss (shares of K)", dark, range=[0, top], nticks=6),
    )
    return {"data": data, "layout": layout}


def peak_sentence(payoffs: Payoffs, b: float) -> str:
    """Why certainty is worth what it is worth here.

    Examples
    --------
    >>> peak_sentence(Payoffs.from_q_star(0.8), 0.5)
    'At a chance of 50 % the better action is a⁻, which is expected to lose 0.1; a⁺ would lose 0.4. Certainty would save the smaller of the two, so EVPI is 0.1. It is greatest, 0.16, at q* = 0.80: there both actions lose the same, and the choice is a toss-up.'
    """
    minus, plus = b * payoffs.wrong_minus, (1 - b) * payoffs.wrong_plus
    better, other = ("a⁺", "a⁻") if payoffs.chooses_plus(b) else ("a⁻", "a⁺")
    loses, rival = (plus, minus) if better == "a⁺" else (minus, plus)
    return (
        f"At a chance of {percent(b)} the better action is {better}, which is expected to lose {number(loses)}; {other} "
        f"would lose {number(rival)}. Certainty would save the smaller of the two, so EVPI is "
        f"{number(float(payoffs.evpi(b)))}. It is greatest, {number(float(payoffs.evpi(payoffs.q_star)))}, at q* = "
        f"{payoffs.q_star:.2f}: there both actions lose the same, and the choice is a toss-up."
    )


def peak_rows(payoffs: Payoffs) -> Rows:
    """The figure's numbers."""
    b = np.unique(np.append(np.linspace(0, 1, 101), payoffs.q_star))
    return _rows(
        belief=b,
        loss_of_minus=b * payoffs.wrong_minus,
        loss_of_plus=(1 - b) * payoffs.wrong_plus,
        evpi=payoffs.evpi(b),
    )


# --- recall and utility -----------------------------------------------------------------------------


def recall_figure(found: Recalled, *, dark: bool = False) -> Figure:
    """Recall and belief by depth above; below, what stopping at each depth brings."""
    depth = list(range(len(found.recall)))
    N = depth[-1]
    low, high = float(found.net_utility.min()), float(found.net_utility.max())
    room = 0.14 * (high - low or 1.0)
    bottom = {"yaxis": "y2"}
    hover = "%{x}: %{y:.3~g}<extra></extra>"
    q_star = found.settings.payoffs.q_star
    data = [
        line(depth, found.recall.tolist(), POOLED, width=2.5, hovertemplate=hover),
        line(depth, found.b.tolist(), BELIEF, hovertemplate=hover),
        line(depth, found.net_utility.tolist(), VALUE, width=3, hovertemplate=hover, **bottom),
    ]
    for trace in data:
        trace["line"]["shape"] = "hv"
    data.append(line([0, N], [q_star, q_star], THRESHOLD, dash="dash", hoverinfo="skip"))
    target_name = f"{percent(found.target)} recall" if found.relevant else "recall never says stop"
    stops = [(found.at_target, target_name, POOLED), (found.at_optimal, "Optimal", style("optimal")["color"])]
    notes = [
        label(N, q_star, "act above q*", text_colour(dark)),
        *_above(dark, ("recall", POOLED), ("chance", BELIEF)),
    ]
    for at, name, colour in stops:
        data.append(line([at, at], [0, 1.02], colour, width=1.5, dash="dot", hoverinfo="skip"))
        edges = [low - room, high + room]
        data.append(line([at, at], edges, colour, width=1.5, dash="dot", hoverinfo="skip", **bottom))
        data.append(_dot(at, float(found.net_utility[at]), colour, **bottom))
        left = at > N / 2
        notes.append(
            label(
                at,
                low - room,
                f" {name} ",
                ink(colour, dark),
                yref="y2",
                xanchor="right" if left else "left",
            )
        )
    layout = drawn_layout(
        430,
        found.explored.simulated,
        dark,
        notes,
        xaxis=axis("documents read", dark, range=[-0.01 * N, 1.01 * N], anchor="y2"),
        yaxis=axis("share, chance", dark, domain=HALVES[0], range=[-0.03, 1.06], tickformat=".1f"),
        yaxis2=axis(
            "net utility of stopping", dark, domain=HALVES[1], range=[low - room, high + room], nticks=5
        ),
    )
    return {"data": data, "layout": layout}


def _above(dark: bool, *names: tuple[str, str]) -> list[dict[str, Any]]:
    """Names of lines that lie too close to be named at their ends, above the plot: text and colour of each."""
    told = "   ".join(f'<span style="color:{ink(colour, dark)}">━━ {name}</span>' for name, colour in names)
    return [label(0, 1, told, text_colour(dark), xref="paper", yref="paper", xanchor="left", yshift=2)]


def recall_sentence(found: Recalled) -> str:
    """What waiting for a recall did here."""
    N, settings = len(found.b) - 1, found.settings
    what = "reports to include" if is_review(found.explored) else "relevant documents"
    act, best = (action(bool(found.plus[at]), settings) for at in (found.at_target, found.at_optimal))

    def verdict(at: int) -> str:
        return "rightly" if bool(found.plus[at]) == found.omega else "wrongly"

    def brings(at: int) -> str:
        return f"net utility {amount(float(found.net_utility[at]), '')}"

    optimal = (
        f"Optimal stops after {count_of(found.at_optimal)} and chooses “{best}”, {verdict(found.at_optimal)}: "
        f"{brings(found.at_optimal)}."
    )
    if not found.relevant:
        return (
            f"Nothing on this list is relevant, so no recall is ever reached: a recall rule reads all {N} documents for "
            f"the answer “{act}”, {brings(N)}. {optimal} Whether there is anything to find is the question, and recall "
            "does not ask it."
        )
    reached = float(found.recall[found.at_target])
    said = (
        f"{percent(reached)} of the {found.relevant} {what} are read after {count_of(found.at_target)}: “{act}”, "
        f"{verdict(found.at_target)}, {brings(found.at_target)}."
    )
    if found.settled > found.at_target:
        after = action(bool(found.plus[-1]), settings)
        return (
            f"{said} What was left out decides: from document {found.settled} on the chance is {percent(float(found.b[found.settled]))}"
            f", beyond q* = {settings.payoffs.q_star:.2f}, and the answer is “{after}”; reading everything brings "
            f"{amount(float(found.net_utility[-1]), '')}. {optimal}"
        )
    read_on = found.at_target - found.settled
    return (
        f"{said} The answer never changed after document {found.settled}: {count_of(read_on)} were read for recall alone. "
        f"{optimal}"
    )


def recall_rows(found: Recalled) -> Rows:
    """The figure's numbers, a row a depth."""
    return _rows(
        depth=np.arange(len(found.b)),
        recall=found.recall,
        belief=found.b,
        action=np.where(found.plus, "a+", "a-"),
        net_utility=found.net_utility,
    )


NAMED = ("optimal", "greedy", "budget", "qbcb", "screen-everything", "decide-now")
"""Rules whose points are named; the others are named where one points."""


def by_method_figure(found: ByMethod, *, dark: bool = False) -> Figure:
    """Net utility against recall, a point a rule: those that are named filled and above the others, in grey."""
    data, notes = [], []
    low, high = float(found.rows["net_utility"].min()), float(found.rows["net_utility"].max())
    most = float(found.rows["recall"].max())
    # What is drawn later lies above: Optimal last.
    for each in sorted(by_method_rows(found), key=lambda row: (_is_named(row), row["policy"] == "optimal")):
        look = style(each["policy"], each["variant"], each["family"])
        x, y, name = each["recall"], each["net_utility"], each["approach"]
        named = _is_named(each)
        point = _dot(
            x, y, look["color"] if named else STUDY, symbol=look["symbol"] if named else "circle-open"
        )
        data.append(point | {"hoverinfo": "text", "hovertext": f"{name}: {x:.2f}, {amount(y, '')}"})
        if named:
            right = x < 0.75 * most
            # They lie close to each other: one is named above its point, one below.
            yanchor = {"optimal": "bottom", "greedy": "top"}.get(each["policy"], "middle")
            notes.append(
                label(
                    x,
                    y,
                    name,
                    ink(look["color"], dark),
                    xanchor="left" if right else "right",
                    yanchor=yanchor,
                    xshift=8 if right else -8,
                    yshift={"bottom": 4, "top": -2}.get(yanchor, 0),
                )
            )
    room = 0.1 * (high - low or 1.0)
    others = "○ the other rules (point at one for its name)"
    notes.append(label(0, 1, others, text_colour(dark), xref="paper", yref="paper", xanchor="left", yshift=2))
    layout = drawn_layout(
        330,
        False,
        dark,
        notes,
        xaxis=axis(
            "mean recall (0 where nothing is relevant)", dark, range=[-0.03, 1.12 * most], tickformat=".1f"
        ),
        yaxis=axis("mean net utility", dark, range=[low - room, high + 1.5 * room], nticks=6),
    )
    return {"data": data, "layout": layout}


def _is_named(row: dict[str, Any]) -> bool:
    return row["policy"] in NAMED and "," not in row["approach"]


def by_method_sentence(found: ByMethod) -> str:
    """Whether the rules that find most also bring most."""
    ordered = found.rows.sort_values("net_utility")
    best = ordered.iloc[-1]
    most = found.rows.sort_values("recall").iloc[-1]
    together = found.together
    verdict = (
        "the more a rule finds, the less it brings"
        if together < -0.3
        else "the more a rule finds, the more it brings"
        if together > 0.3
        else "what a rule finds says little about what it brings"
    )
    return (
        f"{found.title}, {found.cases} lists, {found.with_something} of them with something to find, at q* = {found.q_star:g} and a cost of {number(found.cost)}: {best['approach']} brings "
        f"most, {amount(best['net_utility'], '')}, with a recall of {best['recall']:.2f}; {most['approach']} finds most, "
        f"{most['recall']:.2f}, and brings {amount(most['net_utility'], '')}. Over all {len(ordered)} rules {verdict} "
        f"(rank correlation {amount(round(together, 2), '')})."
    )


def by_method_rows(found: ByMethod) -> Rows:
    """The figure's numbers, a row a rule."""
    return [{str(key): value for key, value in row.items()} for row in found.rows.to_dict("records")]


# --- what one document is worth -----------------------------------------------------------------------


def one_document_figure(found: OneDocument, *, dark: bool = False) -> Figure:
    """The paper's score, the exact worth, its bound and the best plan's, against belief; shaded where the score is less."""
    x, q_star = BELIEFS.tolist(), found.payoffs.q_star
    lines = (
        (found.bound, THRESHOLD, "dash", "p·EVPI"),
        (found.worth, BELIEF, "solid", f"in the best plan of {AHEAD}"),
        (found.evsi, VALUE, "solid", "exact, one document"),
        (found.score, PLUS, "solid", "the paper’s ρ·EVPI"),
    )
    top = 1.3 * float(max(found.bound.max(), found.worth.max()))
    hover = "%{x:.2f}: %{y:.3~g}<extra></extra>"
    more = np.maximum(found.score, found.evsi)
    data = [
        line(x, found.score.tolist(), PLUS, width=0, hoverinfo="skip"),
        line(
            x,
            more.tolist(),
            VALUE,
            width=0,
            hoverinfo="skip",
            fill="tonexty",
            fillcolor=VALUE_AREA,
        ),
    ]
    notes = [
        label(
            q_star,
            top,
            f" q* = {q_star:.2f} ",
            text_colour(dark),
            yanchor="top",
            xanchor="right" if q_star > 0.5 else "left",
        )
    ]
    for row, (values, colour, dash, name) in enumerate(lines):
        data.append(
            line(x, values.tolist(), colour, width=2 if dash == "dash" else 3, dash=dash, hovertemplate=hover)
        )
        notes.append(
            label(
                0.0 if q_star > 0.5 else 1.0,
                0.98 - 0.085 * row - 0.1,
                f"{'╌╌' if dash == 'dash' else '━━'} {name}",
                ink(colour, dark),
                yref="paper",
                xref="paper",
                xanchor="left" if q_star > 0.5 else "right",
                yanchor="top",
            )
        )
    data.append(line([q_star, q_star], [0, top], THRESHOLD, dash="dot", hoverinfo="skip"))
    layout = drawn_layout(
        370,
        False,
        dark,
        notes,
        xaxis=axis("chance that it exists", dark, range=[0, 1], tickformat=".1f"),
        yaxis=axis(
            "worth of the next document (shares of K)", dark, range=[0, top], nticks=6, exponentformat="none"
        ),
    )
    return {"data": data, "layout": layout}


def one_document_sentence(found: OneDocument) -> str:
    """Where the paper's score is no bound."""
    exceeds = found.evsi > found.score + 1e-12
    last = float(BELIEFS[np.flatnonzero(exceeds)[-1]])
    half = int(np.argmin(np.abs(BELIEFS - found.payoffs.q_star / 2)))
    trap = (found.evsi <= 1e-12) & (found.worth > found.bound.max() / 1000)
    said = (
        f"Up to a chance of {percent(last)} (shaded) one document is worth more than the paper’s score: at "
        f"{percent(float(BELIEFS[half]))} it is worth {number(float(found.evsi[half]))}, 1/b = "
        f"{number(float(found.evsi[half] / found.score[half]))} times ρ·EVPI = {number(float(found.score[half]))}. It never "
        "exceeds p·EVPI."
    )
    if not trap.any():
        return said
    first, end = (float(BELIEFS[np.flatnonzero(trap)[at]]) for at in (0, -1))
    return (
        f"{said} From {percent(first)} to {percent(end)} a single document is worth nothing, because one miss would not "
        f"change the action, yet several would: the best plan over {AHEAD} still pays."
    )


def one_document_rows(found: OneDocument) -> Rows:
    """The figure's numbers, a row a belief."""
    return _rows(
        belief=BELIEFS, score=found.score, evsi=found.evsi, bound=found.bound, worth_of_best_plan=found.worth
    )


def compared_figure(found: Compared, *, dark: bool = False) -> Figure:
    """What three rules compare with the cost along a list, and where each stops."""
    cost = found.settings.cost
    last = _drawn_to(found)
    shown = [_positive(worth[:last]) for worth in found.worth]
    high = max(float(np.nanmax(each)) for each in shown if np.isfinite(each).any())
    names = ("the paper’s score (Greedy)", "one document, exact (dashed)", "best plan (Optimal)")
    colours = (style("greedy")["color"], VALUE, style("optimal")["color"])
    data = [line([0, last], [cost, cost], COST, dash="dash", hoverinfo="skip")]
    floor = math.log10(cost) - 1.2
    notes = [label(last, math.log10(cost), "cost of one document", ink(COST, dark))]
    each = list(enumerate(zip(shown, colours, names, found.depth, strict=True)))
    # Where two lines lie on each other, the dashed one has to be above.
    for row, (values, colour, name, depth) in (each[2], each[1], each[0]):
        y = [None if math.isnan(each) else each for each in values.tolist()]
        data.append(
            line(
                list(range(last)),
                y,
                colour,
                width=(3, 2, 5)[row],
                dash="dash" if row == 1 else "solid",
                hovertemplate="%{x}: %{y:.3~g}<extra></extra>",
            )
        )
        data.append(_dot(depth, cost, colour, symbol=("square", "diamond", "circle")[row]))
        notes.append(
            label(
                1,
                1 - 0.085 * row,
                f"{'■◆●'[row]} {name}: stops at {depth}",
                ink(colour, dark),
                xref="paper",
                yref="paper",
                yanchor="top",
            )
        )
    layout = drawn_layout(
        350,
        found.explored.simulated,
        dark,
        notes,
        xaxis=axis("documents read without a hit", dark, range=[-0.5, last]),
        yaxis=axis(
            "worth of the next document, log scale",
            dark,
            type="log",
            dtick=1,
            exponentformat="power",
            range=[floor, math.log10(high) + 0.75],
        ),
    )
    return {"data": data, "layout": layout}


def _drawn_to(found: Compared) -> int:
    """Depth to which :func:`compared_figure` draws."""
    return min(len(found.path), max(20, int(1.5 * max(found.depth))))


def _positive(values: Floats) -> Floats:
    """A log axis has no place for zero."""
    return np.where(values > 0, values, np.nan)


def compared_sentence(found: Compared) -> str:
    """Where each stops, and what lies between."""
    greedy, single, optimal = found.depth
    path, cost = found.path, found.settings.cost
    gain = float(path.plan_value(cost)[optimal] - path.plan_value(cost)[greedy])
    said = (
        f"If nothing turns up, the paper’s score falls to the cost after {count_of(greedy)}; the best plan goes to "
        f"{count_of(optimal)}."
    )
    if single == 0 < optimal:
        said += " The exact worth of one document stops before the first: looking one step ahead is a trap."
    elif single != optimal:
        said += f" Looking one step ahead stops at {single}."
    return (
        f"{said}{_hidden_lines(found)} Going with Optimal instead of Greedy is expected to bring {number(gain)} more, if the "
        "chances are right."
    )


def _hidden_lines(found: Compared) -> str:
    """Where one document's exact worth cannot be seen: a log axis has no 0, and lines may lie on each other."""
    _, single, best = (worth[: _drawn_to(found)] for worth in found.worth)
    zero, same = single <= 0, (single > 0) & np.isclose(single, best, rtol=0.02)
    told = []
    if zero.all():
        told.append(
            "The line of one document is not seen: it alone is worth 0 all along, and a log scale has no 0."
        )
    elif zero[0]:
        told.append(
            f"The line of one document begins after {count_of(int(np.argmin(zero)))}: before, it is 0, and a log scale has no 0."
        )
    if same.sum() > len(same) / 4:
        told.append(
            "Where the lines of one document and of the best plan lie on each other, the dashed one is above."
        )
    return "".join(f" {each}" for each in told)


def compared_rows(found: Compared) -> Rows:
    """The figure's numbers, a row a depth."""
    names = ("score", "evsi", "worth_of_best_plan")
    return _rows(
        depth=np.arange(len(found.path)),
        belief=found.path.b[:-1],
        rho=found.path.rho,
        **dict(zip(names, found.worth, strict=True)),
    )


# --- what moves a belief about sensitivity --------------------------------------------------------------

ENGINE_LOOK = {
    "bivariate": ("exact, both margins", BELIEF, "solid", 3.5),
    "univariate": ("exact, sensitivity alone", VALUE, "dash", 2.5),
    "reml": ("REML (Reitsma)", POOLED, "dot", 2.5),
}


def engines_figure(name: str, paths: dict[str, BeliefPath], theta: float, *, dark: bool = False) -> Figure:
    """Belief after each study by each engine, one over the other.

    Parameters
    ----------
    name : str
        Of :func:`~tarstop_core.teaching.ideas.numbers.evidence`.
    paths : dict of str to BeliefPath
    theta : float
    dark : bool
    """
    shown = evidence()[name]
    last = len(shown.tables)
    labels = ["before any study", *shown.tables.study]
    data, notes = [], []
    high = np.mean([path.beliefs[-1] or 0.5 for path in paths.values()]) > 0.5
    for row, (engine, path) in enumerate(paths.items()):
        title, colour, dash, width = ENGINE_LOOK[engine]
        trace = line(
            list(range(last + 1)),
            list(path.beliefs),
            colour,
            width=width,
            dash=dash,
            hovertext=[
                f"{labels[n]}: {percent(b)}" if b is not None else "" for n, b in enumerate(path.beliefs)
            ],
            hoverinfo="text",
        )
        trace["line"]["shape"] = "hv"
        data.append(trace)
        mark = {"solid": "━━", "dash": "╌╌", "dot": "┈┈"}[dash]
        y = (0.28 if high else 0.98) - 0.09 * row
        notes.append(
            label(1, y, f"{mark} {title}", ink(colour, dark), xref="paper", yref="paper", yanchor="top")
        )
    layout = drawn_layout(
        330,
        shown.simulated,
        dark,
        notes,
        xaxis=axis("studies", dark, range=[-0.2, last + 0.2], nticks=12, tickformat="d"),
        yaxis=axis(
            f"chance that sensitivity exceeds {percent(theta)}", dark, range=[-0.03, 1.03], tickformat=".1f"
        ),
    )
    return {"data": data, "layout": layout}


def engines_sentence(name: str, paths: dict[str, BeliefPath]) -> str:
    """How far single studies move the belief, and how far the engines are apart."""
    tables = evidence()[name].tables
    b = np.array(list(paths["bivariate"].beliefs), dtype=float)
    moves = np.abs(np.diff(b))
    at = int(np.argmax(moves))
    later = len(moves) // 2
    reml = [
        (abs(float(r) - float(e)), n)
        for n, (r, e) in enumerate(zip(paths["reml"].beliefs, paths["bivariate"].beliefs, strict=True))
        if r is not None and e is not None
    ]
    apart = (
        f" REML says nothing before three studies, and then differs by up to {_points(max(reml)[0])}."
        if reml
        else ""
    )
    return (
        f"{_study(tables, at)} moves the chance by {_points(moves[at])}, from {percent(float(b[at]))} to "
        f"{percent(float(b[at + 1]))}; the last {len(moves) - later} studies together move it from {percent(float(b[later]))} to "
        f"{percent(float(b[-1]))}, none of them by more than {_points(moves[later:].max())}.{apart}"
    )


def _points(difference: float) -> str:
    """A difference of chances."""
    return f"{number(round(100 * float(difference), 1))} points"


def _study(tables: Tables, at: int) -> str:
    """A study by its place, and by its name where it has one."""
    name = short(tables.study[at])
    return f"Study {at + 1}" if name == f"Study {at + 1}" else f"Study {at + 1} ({name})"


def engines_heading(paths: dict[str, BeliefPath]) -> str:
    """What the figure finds."""
    moves = np.abs(np.diff(np.array(paths["bivariate"].beliefs, dtype=float)))
    at, later = int(np.argmax(moves)), len(moves) // 2
    return f"One study moves the chance by {_points(moves[at])}, the last {len(moves) - later} by {_points(moves[later:].max())} at most"


def engines_rows(name: str, paths: dict[str, BeliefPath]) -> Rows:
    """The figure's numbers, a row a study."""
    studies = ["", *evidence()[name].tables.study]
    beliefs = {engine: np.array(path.beliefs, dtype=float) for engine, path in paths.items()}
    return _rows(studies=np.arange(len(studies)), study=studies, **beliefs)


def widths_figure(found: Widths, simulated: bool, *, dark: bool = False) -> Figure:
    """Width of the interval with more patients in each study, and with more studies."""
    x = [math.log2(each) for each in MORE]
    lines = (
        (found.patients, "more patients in each study", POOLED),
        (found.studies, "more studies alike", BELIEF),
    )
    data, notes = [], []
    for widths, name, colour in lines:
        y = [100 * width for width in widths]
        data.append(
            line(
                x,
                y,
                colour,
                width=3,
                mode="lines+markers",
                marker={"size": 9, "color": colour},
                hovertemplate="%{y:.1f} points<extra></extra>",
            )
        )
        above = widths[-1] >= max(each[0][-1] for each in lines)
        notes.append(
            label(
                x[-1],
                y[-1],
                name,
                ink(colour, dark),
                yanchor="bottom" if above else "top",
                yshift=6 if above else -6,
            )
        )
    top = 100 * max(*found.patients, *found.studies)
    layout = drawn_layout(
        290,
        simulated,
        dark,
        notes,
        xaxis=axis(
            "times as many",
            dark,
            tickvals=x,
            ticktext=[f"×{each}" for each in MORE],
            range=[-0.1, x[-1] + 0.15],
        ),
        yaxis=axis("width of the 95 % interval (points)", dark, range=[0, 1.3 * top], nticks=6),
    )
    return {"data": data, "layout": layout}


def widths_sentence(found: Widths) -> str:
    """What more patients and more studies would do."""
    now, patients, studies = (
        100 * each for each in (found.patients[0], found.patients[-1], found.studies[-1])
    )
    change = patients - now
    verb = (
        "would leave it at"
        if abs(change) < 0.5
        else "would even widen it to"
        if change > 0
        else "would narrow it to"
    )
    why = "Patients tell a study’s own sensitivity better; how far studies differ from each other only more studies can average out."
    return (
        f"All studies together fix pooled sensitivity to an interval {now:.1f} percentage points wide. {MORE[-1]} times as many "
        f"patients in each study {verb} {patients:.1f}; {MORE[-1]} times as many studies would narrow it to {studies:.1f}. {why}"
    )


def widths_heading(found: Widths) -> str:
    """What the figure finds."""
    helped = found.patients[-1] < 0.9 * found.patients[0]
    return f"More patients {'help a little' if helped else 'do not help'}; more studies do"


def widths_rows(found: Widths) -> Rows:
    """The figure's numbers."""
    return _rows(times=MORE, width_with_more_patients=found.patients, width_with_more_studies=found.studies)


# --- miscalibration ---------------------------------------------------------------------------------------


def factor_name(factor: float) -> str:
    """A factor in figures.

    Examples
    --------
    >>> [factor_name(each) for each in (0.25, 0.5 ** 0.5, 1.0, 4.0)]
    ['× 1/4', '× 0.71', '× 1', '× 4']
    """
    inverse = round(1 / factor)
    if factor < 1 and abs(1 / factor - inverse) < 1e-9:
        return f"× 1/{inverse}"
    return f"× {factor:.3g}" if factor >= 1 else f"× {factor:.2f}"


def mistaken_path_figure(
    right: DecisivePath,
    believed: DecisivePath,
    policy: Policy,
    cost: float,
    factor: float,
    *,
    dark: bool = False,
) -> Figure:
    """Belief along one list with the chances as they are and scaled, and where the rule then stops."""
    stops = [int(policy.depths(path, [cost])[0]) for path in (right, believed)]
    last = min(len(right), max(30, int(1.4 * max(stops))))
    x = list(range(last + 1))
    hover = "%{x}: %{y:.2f}<extra></extra>"
    data, notes = [], []
    name = f"chances {factor_name(factor)}"
    both = (
        (right, stops[0], STUDY, "dash", "chances as they are"),
        (believed, stops[1], BELIEF, "solid", name),
    )
    for row, (path, stop, colour, dash, words) in enumerate(both if factor != 1 else both[1:]):
        data.append(line(x, path.b[: last + 1].tolist(), colour, width=3, dash=dash, hovertemplate=hover))
        data.append(_dot(stop, float(path.b[stop]), colour))
        mark = "╌╌" if dash == "dash" else "━━"
        notes.append(
            label(
                1,
                0.98 - 0.1 * row,
                f"{mark} {words}: stops at {stop}",
                ink(colour, dark),
                xref="paper",
                yref="paper",
                yanchor="top",
            )
        )
    q_star = right.payoffs.q_star
    data.append(line([0, last], [q_star, q_star], THRESHOLD, dash="dot", width=1.5, hoverinfo="skip"))
    notes.append(label(last, q_star, "q*", text_colour(dark)))
    layout = drawn_layout(
        300,
        True,
        dark,
        notes,
        xaxis=axis("documents read without a hit", dark, range=[-0.5, last]),
        yaxis=axis("chance that it exists", dark, range=[-0.03, 1.05], tickformat=".1f"),
    )
    return {"data": data, "layout": layout}


def mistaken_path_sentence(
    right: DecisivePath, believed: DecisivePath, policy: Policy, cost: float, factor: float
) -> str:
    """What the rule believes on one list, and what that makes it do."""
    stop, stops = (int(policy.depths(path, [cost])[0]) for path in (right, believed))
    if factor == 1:
        return (
            f"With the chances as they are {policy} stops after {count_of(stop)} without a hit, at a chance of "
            f"{percent(right.belief_at(stop))}; move the factor."
        )
    verb = "falls faster" if factor > 1 else "falls more slowly"
    compare = "as deep" if stops == stop else "less deep" if stops < stop else "deeper"
    return (
        f"With all chances {factor_name(factor)} the belief {verb} with every miss: {policy} stops after {count_of(stops)} "
        f"instead of {stop:,}, {compare}, and takes the chance for {percent(believed.belief_at(stops))} where it is "
        f"{percent(right.belief_at(stops))}."
    )


def mistaken_path_rows(right: DecisivePath, believed: DecisivePath) -> Rows:
    """The figure's numbers, a row a depth."""
    return _rows(depth=np.arange(len(right.b)), belief=right.b, belief_with_scaled_chances=believed.b)


def mistaken_figure(found: Sequence[Mistaken], factor: float, *, dark: bool = False) -> Figure:
    """Stopping depth and net utility lost against the factor, a line a rule."""
    x = [math.log2(each) for each in FACTORS]
    data, notes = [], []
    lost_most = max(float(each.lost.max()) for each in found)
    deepest = max(float(each.depth.max()) for each in found)
    for row, each in enumerate(found):
        look = style(each.policy.name, family=each.policy.family)
        how = {
            "mode": "lines+markers",
            "marker": {"symbol": look["symbol"], "size": 8, "color": look["color"]},
            "hovertemplate": f"{each.policy}: %{{y:.3~g}}<extra></extra>",
        }
        data.append(line(x, each.depth.tolist(), look["color"], width=2.5, **how))
        data.append(line(x, each.lost.tolist(), look["color"], width=2.5, yaxis="y2", **how))
        mark = {"circle": "●", "square": "■"}.get(look["symbol"], "◆")
        notes.append(
            label(
                1,
                1 - 0.07 * row,
                f"{mark} {each.policy}",
                ink(look["color"], dark),
                xref="paper",
                yref="paper",
                yanchor="top",
            )
        )
    here = math.log2(factor)
    for edges, more in (((0, 1.15 * deepest), {}), ((0, 1.15 * lost_most), {"yaxis": "y2"})):
        data.append(line([here, here], edges, THRESHOLD, dash="dot", hoverinfo="skip", **more))
    layout = drawn_layout(
        430,
        True,
        dark,
        notes,
        xaxis=axis(
            "all chances times",
            dark,
            anchor="y2",
            tickvals=[math.log2(each) for each in FACTORS[::2]],
            ticktext=[factor_name(each).removeprefix("× ") for each in FACTORS[::2]],
            range=[x[0] - 0.1, x[-1] + 0.1],
        ),
        yaxis=axis("documents read", dark, domain=HALVES[0], range=[0, 1.15 * deepest], nticks=5),
        yaxis2=axis("net utility lost", dark, domain=HALVES[1], range=[0, 1.15 * lost_most], nticks=5),
    )
    return {"data": data, "layout": layout}


def mistaken_sentence(found: Sequence[Mistaken], factor: float, searches: int) -> str:
    """What the factor does to each rule."""
    at, even = FACTORS.index(factor), FACTORS.index(1.0)
    direction = "as they are" if factor == 1 else f"{factor_name(factor)}"
    parts = [
        f"{each.policy} reads {number(float(each.depth[at]))} documents instead of {number(float(each.depth[even]))} and loses "
        f"{number(float(each.lost[at]))} a search ({number(float(each.lost[even]))} with the right chances)"
        if factor != 1
        else f"{each.policy} reads {number(float(each.depth[at]))} documents and loses {number(float(each.lost[at]))} a search"
        for each in found
    ]
    optimal = found[0].lost
    low, high = float(optimal[0]), float(optimal[-1])
    worse, better = (FACTORS[-1], FACTORS[0]) if high > low else (FACTORS[0], FACTORS[-1])
    side = (
        "hits that were promised and did not come make belief fall too fast"
        if high > low
        else "hits that nobody expects are not looked for"
    )
    return (
        f"With the chances {direction}, on average over {searches} simulated searches: {'; '.join(parts)}. Against the best plan, "
        f"Optimal loses {number(max(low, high))} at {factor_name(worse)} and {number(min(low, high))} at {factor_name(better)}: {side}."
    )


def mistaken_rows(found: Sequence[Mistaken]) -> Rows:
    """The figure's numbers, a row a rule and factor."""
    return [
        {"policy": each.policy.spec, **row}
        for each in found
        for row in _rows(
            factor=FACTORS, depth=each.depth, expected_net_utility=each.net_utility, lost=each.lost
        )
    ]
