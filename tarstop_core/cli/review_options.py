"""Options about reviews that ``tarstop experiment`` and ``tarstop replay`` share; each is None unless given."""

from collections.abc import Callable
from functools import reduce
from typing import Any

import click

from tarstop_core.belief.engines import ENGINES
from tarstop_core.effects.measures import Measure

Command = Callable[..., Any]


def review_options(engine: str) -> Callable[[Command], Command]:
    """Return a decorator that adds the options to a command; `engine` is what the help says about --engine."""
    options = (
        click.option(
            "--truth",
            type=click.Choice(["pooled", "full_evidence"]),
            help="Reviews: what is pooled exceeds its threshold (the default), or what all studies would choose (the paper's "
            "Table 2).",
        ),
        click.option("--theta", type=float, help="Reviews: threshold on pooled sensitivity (default 0.75)."),
        click.option("--theta-sp", type=float, help="Reviews: pooled specificity must exceed this too."),
        click.option(
            "--engine",
            type=click.Choice([*ENGINES, "exact", "normal"]),
            help=f"Reviews: {engine}. Interventions: exact for OR, else normal.",
        ),
        click.option(
            "--measure", type=click.Choice(list(Measure)), help="Interventions: the measure (default OR)."
        ),
        click.option(
            "--delta",
            type=float,
            help="Interventions: smallest effect that matters, in the measure's unit; none unless given.",
        ),
        click.option(
            "--direction",
            type=click.Choice(["above", "below"]),
            help="Interventions: on which side of it an effect is good; below unless given.",
        ),
        click.option(
            "--b0",
            "b_0",
            type=float,
            help="Belief before any document; 0.5, or that of a prior, unless given.",
        ),
    )
    return lambda command: reduce(lambda decorated, option: option(decorated), reversed(options), command)
