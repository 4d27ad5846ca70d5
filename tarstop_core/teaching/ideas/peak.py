"""Where certainty is worth most."""

import numpy as np

from tarstop_core.explore.figures import beliefs_drawn
from tarstop_core.presentation import figures as fig
from tarstop_core.presentation.palette import BELIEF, MINUS, PLUS, THRESHOLD, VALUE
from tarstop_core.teaching.ideas.shared import dot, idea, said
from tarstop_core.value.payoffs import Payoffs

IDEA = idea("Certainty", "peak")


def peak_figure(payoffs: Payoffs, b: float, *, dark: bool = False) -> fig.Figure:
    """What each action is expected to lose at every belief; EVPI is the lesser of the two. One stands at `b`."""
    x = beliefs_drawn(payoffs, b)
    minus, plus = x * payoffs.wrong_minus, (1 - x) * payoffs.wrong_plus
    q_star, peak = payoffs.q_star, float(payoffs.evpi(payoffs.q_star))
    top = 1.12 * max(payoffs.wrong_minus, payoffs.wrong_plus)
    hover, green = "%{x:.2f}: %{y:.3~g}<extra></extra>", fig.ink(VALUE, dark)
    data = [
        fig.line(x.tolist(), minus.tolist(), MINUS, hovertemplate=hover),
        fig.line(x.tolist(), plus.tolist(), PLUS, hovertemplate=hover),
        fig.line(x.tolist(), np.minimum(minus, plus).tolist(), VALUE, width=5, hovertemplate=hover),
        fig.rise(q_star, [0, top], THRESHOLD, dash="dash"),
        fig.rise(b, [0, float(payoffs.evpi(b))], BELIEF, width=1.5, dash="dot"),
        dot(b, float(payoffs.evpi(b)), BELIEF),
    ]
    notes = [
        fig.label(1, payoffs.wrong_minus, "lost by a wrong a⁻", fig.ink(MINUS, dark)),
        fig.label(0, payoffs.wrong_plus, "lost by a wrong a⁺", fig.ink(PLUS, dark), xanchor="left"),
        fig.label(q_star, top, f"q* = {q_star:.2f}", fig.text_colour(dark), xanchor="center"),
        fig.label(
            (1 + q_star) / 2, peak / 2, " EVPI", green, xanchor="left", font={"color": green, "size": 14}
        ),
        fig.label(b, 0, " you ", fig.ink(BELIEF, dark), xanchor="right" if b > 0.5 else "left"),
    ]
    xaxis = fig.axis("chance that a⁺ is right", dark, range=[0, 1], tickformat=".1f")
    yaxis = fig.axis("expected loss (shares of K)", dark, range=[0, top], nticks=6)
    return fig.drawn(data, 330, False, dark, notes, xaxis=xaxis, yaxis=yaxis)


def peak_sentence(payoffs: Payoffs, b: float) -> str:
    """Why certainty is worth what it is worth here."""
    minus, plus = b * payoffs.wrong_minus, (1 - b) * payoffs.wrong_plus
    better, other = ("a⁺", "a⁻") if payoffs.chooses_plus(b) else ("a⁻", "a⁺")
    loses, rival = (plus, minus) if better == "a⁺" else (minus, plus)
    return said("peak", b=b, payoffs=payoffs, better=better, other=other, loses=loses, rival=rival)


def peak_rows(payoffs: Payoffs) -> fig.Rows:
    """The figure's numbers."""
    b = beliefs_drawn(payoffs)
    minus, plus = b * payoffs.wrong_minus, (1 - b) * payoffs.wrong_plus
    return fig.rows_of(belief=b, loss_of_minus=minus, loss_of_plus=plus, evpi=payoffs.evpi(b))
