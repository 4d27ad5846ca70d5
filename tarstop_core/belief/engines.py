"""The engines that compute a belief from 2×2 tables, with the words that describe them."""

from dataclasses import dataclass

from tarstop_core.errors import InputProblem


@dataclass(frozen=True)
class Engine:
    """A way to compute the belief from 2×2 tables."""

    name: str  # Its name in files and on the command line
    title: str  # Its name where a person chooses it
    help: str  # The explanation next to the title
    badge: str  # Names the engine next to a belief that it computed
    method: str  # Its description in a protocol
    needs: int = 0  # Number of studies it needs before it gives a belief
    knows_prior: bool = True  # Whether it uses a prior


ENGINES = {
    each.name: each
    for each in (
        Engine(
            "bivariate",
            "Exact counts, both groups",
            "The default: diseased and healthy together, no correction.",
            "belief from exact counts of both groups",
            "exact binomial likelihood of sensitivity and false-positive rate",
        ),
        Engine(
            "univariate",
            "Exact counts, each group separately",
            "A quick preview; if specificity does not decide, it needs no FP and TN.",
            "belief from exact counts of each group separately",
            "exact binomial likelihood, each group of patients separately",
        ),
        Engine(
            "reml",
            "Reitsma model by REML",
            "What meta-analysis software prints; it uses no prior and needs at least 3 studies.",
            "belief by the Reitsma model",
            "Reitsma model, restricted maximum likelihood",
            needs=3,
            knows_prior=False,
        ),
    )
}
"""Engines by name; the first is the default."""


def check_engine(name: str) -> str:
    """Return the name; raise InputProblem if no engine has it."""
    if name not in ENGINES:
        raise InputProblem(f"There is no engine '{name}'; choose one of {', '.join(ENGINES)}.")
    return name
