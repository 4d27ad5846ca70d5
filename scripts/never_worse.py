"""Whether a rule is never worse than Greedy in reviews: on real and simulated reviews, and where what it was told is wrong.

:func:`measured` plays the rules, :func:`of_never_worse` writes the section of ``docs/reviews_measured.md`` on it.
"""

from collections.abc import Sequence
from concurrent.futures import Executor, Future
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from scipy.special import logit

from scripts.by_review import by_review, interval, signed, table
from scripts.reviews_measured import (
    COSTS,
    DECIDED,
    DOCUMENTS,
    KINDS,
    Q_STARS,
    REVIEWS,
    SEED,
    THETA,
    Fold,
    decided,
    document_chances,
    drawn,
    played,
)
from tarstop_core.belief.prior import Prior
from tarstop_core.policies import Greedy, OpenLoop, Optimal, Policy
from tarstop_core.value.cumulative import CumulativePath, studies_after
from tarstop_core.value.payoffs import Payoffs
from tarstop_core.value.studies import next_studies

LOOPS: tuple[Policy, ...] = (OpenLoop(), Optimal())
RULES: tuple[Policy, ...] = (Greedy(), *LOOPS)
PRIORS = ("width", "default")
REAL, SIMULATED = "real", "simulated"
PARTS = 8
MARGIN = 0.005
"""A rule may come out so much below Greedy."""


@dataclass(frozen=True)
class World:
    """How what a rule believes differs from what is so."""

    name: str
    tau: float = 1.0
    """True τ, times that of the reviews as they are."""
    b_0: float = 0.0
    """Added to the person's belief before any study."""
    told: float = 1.0
    """Chances that the rule is told, times those learned or true."""

    def believed(self, prior: Prior) -> Prior:
        """With the person's b_0."""
        return replace(prior, b_0=prior.b_0 + self.b_0)


AS_IT_IS = World("as it is")
STRESS = (
    World("τ × 1.5", tau=1.5),
    World("b₀ − 0.2", b_0=-0.2),
    World("b₀ + 0.2", b_0=0.2),
    World("chances × 2", told=2.0),
    World("chances ÷ 2", told=0.5),
)
WORLDS = (AS_IT_IS, *STRESS)
ROWS = ["where", "world", "prior", "review", "cost", "rule", "depth", "right", "net_utility"]


def begun(pool: Executor, folds: Sequence[Fold], width: Prior) -> list[Future[pd.DataFrame]]:
    """What the rules come to under stress and on simulated reviews, in jobs; as it is they were :func:`decided` before."""
    jobs = [pool.submit(simulated, kind, width, part, PARTS) for kind in KINDS for part in range(PARTS)]
    return jobs + [pool.submit(real, fold, world) for world in STRESS for fold in folds]


def real(fold: Fold, world: World) -> pd.DataFrame:
    """What the rules come to on outcomes held out. Their τ is what it is, so the prior's is divided."""
    prior = world.believed(fold.priors[PRIORS[0]])
    priors = {PRIORS[0]: replace(prior, tau=prior.tau / world.tau)}
    return of_real(pd.DataFrame(decided(fold, priors, RULES, world.told), columns=DECIDED), world)


def of_real(frame: pd.DataFrame, world: World = AS_IT_IS) -> pd.DataFrame:
    """Rows of what was decided, as :func:`against_greedy` asks for them."""
    held = frame["prior"].isin(PRIORS) & frame["policy"].isin([rule.spec for rule in RULES])
    right = (frame["action"] == "a+") == frame["omega"]
    named = frame.assign(right=right, where=REAL, world=world.name).rename(columns={"policy": "rule"})
    return named[held][ROWS]


def simulated(kind: str, width: Prior, part: int, parts: int) -> pd.DataFrame:
    """The same of simulated reviews, each with one q*, every other cost and, once more, one kind of stress, in turn."""
    rows: list[tuple[object, ...]] = []
    for number in range(part, REVIEWS, parts):
        payoffs = Payoffs.from_q_star(Q_STARS[number % len(Q_STARS)])
        costs = COSTS[number % 2 :: 2]
        for world in (AS_IT_IS, STRESS[number % len(STRESS)]):
            rng = np.random.default_rng((SEED, KINDS.index(kind), number))
            p = document_chances()
            labels = rng.random(DOCUMENTS) < p
            mu, tables = drawn(rng, kind, int(labels.sum()), world.tau)
            omega = bool(mu > logit(THETA))
            known = studies_after(np.flatnonzero(labels), DOCUMENTS)
            for name, prior in (("width", width), ("default", Prior())):
                if name == "default" and (world != AS_IT_IS or number >= REVIEWS // 4):
                    continue
                states = next_studies(tables, THETA, world.believed(prior))
                path = CumulativePath(np.minimum(1.0, world.told * p), states, known, payoffs, labels)
                for cost, rule, depth, action, _, utility in played(path, omega, RULES, costs):
                    right = (action == "a+") == omega
                    rows.append(
                        (SIMULATED, world.name, name, f"{kind} {number}", cost, rule, depth, right, utility)
                    )
    return pd.DataFrame(rows, columns=ROWS)


def against_greedy(rows: pd.DataFrame) -> pd.DataFrame:
    """Rules against Greedy with the same prior, reviews weighing equally, intervals by review."""
    found = []
    for (where, world, prior, cost), cell in rows.groupby(["where", "world", "prior", "cost"], sort=False):
        of = {
            rule: {name: by_review(each[name].astype(float), each["review"]) for name in ROWS[-3:]}
            for rule, each in cell.groupby("rule")
        }
        greedy = of[Greedy().spec]
        for loop in LOOPS:
            one = of[loop.spec]
            change = one["net_utility"] - greedy["net_utility"]
            low, high = interval(change.to_numpy())
            means = [each[name].mean() for name in ("right", "depth") for each in (one, greedy)]
            found.append(
                (where, world, prior, cost, loop.spec, len(change), change.mean(), low, high, *means)
            )
    names = ["where", "world", "prior", "cost", "rule", "reviews", "difference", "low", "high"]
    numbers = [*names[-3:], "right", "greedy_right", "read", "greedy_read"]
    frame = pd.DataFrame(found, columns=[*names[:-3], *numbers]).round(dict.fromkeys(numbers, 5))
    frame["not_below"] = frame["low"] >= -MARGIN
    frame["not_less_right"] = frame["right"] >= frame["greedy_right"]
    return frame


def against_first(decided: pd.DataFrame) -> pd.DataFrame:
    """Every rule with either prior against Greedy with the default one, on real reviews as they are."""
    found = []
    for cost, cell in of_real(decided).groupby("cost", sort=False):
        of = {
            pair: {name: by_review(each[name].astype(float), each["review"]) for name in ROWS[-3:]}
            for pair, each in cell.groupby(["rule", "prior"])
        }
        first = of.pop((Greedy().spec, "default"))
        for (rule, prior), one in of.items():
            change = one["net_utility"] - first["net_utility"]
            low, high = interval(change.to_numpy())
            means = [each[name].mean() for name in ("right", "depth") for each in (one, first)]
            found.append((cost, rule, prior, len(change), change.mean(), low, high, *means))
    names = ["cost", "rule", "prior", "reviews", "difference", "low", "high"]
    numbers = [*names[-3:], "right", "greedy_right", "read", "greedy_read"]
    return pd.DataFrame(found, columns=[*names[:-3], *numbers]).round(dict.fromkeys(numbers, 5))


def qualifying(
    found: pd.DataFrame, prior: str = "width", *, under_stress: bool = True
) -> dict[float, list[str]]:
    """By cost the rules that will do on real and simulated reviews, as they are and, unless only means have to under stress,
    there too.
    """
    frame = found[found["prior"] == prior]
    fits = frame["not_below"] & frame["not_less_right"]
    if not under_stress:
        fits = fits.where(frame["world"] == AS_IT_IS.name, frame["difference"] >= -MARGIN)
    everywhere = fits.groupby([frame["cost"], frame["rule"]]).all()
    return {cost: [rule.spec for rule in LOOPS if everywhere[cost, rule.spec]] for cost in COSTS}


# --- the section --------------------------------------------------------------------------------------


def of_never_worse(found: pd.DataFrame) -> str:
    """Verdicts by cost, and all that they rest on."""
    width = found[found["prior"] == "width"]
    cells = [
        [where, world.name, f"{cost:g}", *(text for loop in LOOPS for text in _cell(width, where, world, cost, loop))]
        for where in (REAL, SIMULATED)
        for world in WORLDS
        for cost in COSTS
    ]  # fmt: skip
    beside = [
        [where, f"{cost:g}", *(text for loop in LOOPS for text in _cell(of_default, where, AS_IT_IS, cost, loop))]
        for of_default in (found[found["prior"] == "default"],)
        for where in (REAL, SIMULATED)
        for cost in COSTS
    ]  # fmt: skip
    header = [text for loop in LOOPS for text in (f"{loop.title} − Greedy", "% right", "will do")]
    chosen, milder = qualifying(found), qualifying(found, under_stress=False)
    bands = []
    for cost in COSTS:
        line = [f"{cost:g}"]
        for loop in LOOPS:
            frame = width[(width["cost"] == cost) & (width["rule"] == loop.spec)]
            line += [_of(frame["not_below"]), _of(frame["not_less_right"])]
        bands.append([*line, *(", ".join(each[cost]) or Greedy().spec for each in (milder, chosen))])
    so = "At other costs" if any(chosen.values()) else "So at any cost"
    said = (
        f"In every line: {_which(chosen)}. {so} Greedy advises in new sessions of reviews, until a person chooses another rule. "
        f"On reviews as they are, with means alone under stress: {_which(milder)}."
    )
    counts = width.drop_duplicates(["where", "world", "cost"]).groupby(["where", "world"])["reviews"].sum()
    as_is, least = (
        counts[SIMULATED, AS_IT_IS.name],
        min(counts[SIMULATED, world.name] for world in STRESS),
    )
    return f"""## Is any rule never worse than Greedy?

A rule may be the default at a cost only where the lower end of its 95 % interval against Greedy is at least −{MARGIN:g} and it is
right no less often: on real reviews and on simulated ones, as they are and where what it was told is wrong. Both rules have the same
prior. Costs are of a document as a share of K, what both kinds of error cost together. *Open loop* reads every plan to its end, *Optimal* looks again after every document.

*τ × 1.5*: studies differ 1.5 times as much as supposed (simulated: the true τ is stretched; real: the scale that the prior has
is divided). *b₀ ± 0.2*: the person's belief before any study. *Chances × 2, ÷ 2*: what the rule is told, against what was
learned or is true. Real: over the three q*. Simulated: {REVIEWS * len(KINDS):,} reviews of the four kinds [below](#simulated-reviews), each with one q* and three of the
six costs in turn ({as_is // len(COSTS):,} reviews a line), and once more under one kind of stress in turn ({least // len(COSTS)} a line or more), because
a closed loop takes time.

Lines, of {2 * len(WORLDS)} a cost, in which a rule is not below Greedy by more than that, and in which it is not less often right; prior *width*.
*As it is*: the rule that will do on reviews as they are, and whose mean is not below by more than that under any stress.

{table(["cost", *(text for loop in LOOPS for text in (f"{loop.title}: not below", "not less right")), "as it is", "may be the default"], bands)}

{said} {_why(width)}

{table(["reviews", "world", "cost", *header], cells)}

With the default prior, as it is (simulated: a quarter of the reviews):

{table(["reviews", "cost", *header], beside)}
"""


def of_combinations(found: pd.DataFrame) -> str:
    """Rules with either prior against Greedy with the default one, and at how many costs each is never worse."""
    pairs = [(rule, prior) for rule in RULES for prior in reversed(PRIORS)][1:]
    cells = found.set_index(["cost", "rule", "prior"])
    lines = [
        [f"{cost:g}", *(_against(cells.loc[cost, rule.spec, prior]) for rule, prior in pairs)]
        for cost in COSTS
    ]
    held = []
    for rule, prior in pairs:
        frame = found[(found["rule"] == rule.spec) & (found["prior"] == prior)]
        above, right = frame["low"] >= -MARGIN, frame["right"] >= frame["greedy_right"]
        held.append(f"| {rule.title}, {prior} | {_of(above)} | {_of(right)} | {_of(above & right)} |")
    return f"""## Which rule with which prior?

The rules above have the prior of the Greedy that they are held against. Against the paper's own, *Greedy with the default prior*, on
real reviews as they are, over the three q*: net utility, difference, and % right, of each / of that.

{table(["cost", *(f"{rule.title}, {prior}" for rule, prior in pairs)], lines)}

Costs at which each is not below by more than {MARGIN:g}, not less often right, and both:

| rule, prior | not below | not less right | both |
| --- | ---: | ---: | ---: |
{chr(10).join(held)}

No combination is never worse by both. With *width* Greedy reads more, since its score takes every study for as good as certainty: that costs
net utility, and at some costs it is right more often for it. A new review begins with Greedy and *width* all the same: after one or two studies the default prior
is sure of what all of them contradict ([above](#does-the-belief-come-true)), and what is said of a review has to be so
before what is read of it is little. Who would rather read less chooses the weak prior in Set up, which says so.
"""


def _against(row: pd.Series) -> str:
    text = f"{signed(row['difference'])} [{signed(row['low'])}, {signed(row['high'])}]"
    text = f"**{text}**" if row["low"] > 0 or row["high"] < 0 else text
    return f"{text}, {100 * row['right']:.1f} / {100 * row['greedy_right']:.1f}"


def _cell(frame: pd.DataFrame, where: str, world: World, cost: float, loop: Policy) -> tuple[str, str, str]:
    row = frame[
        (frame["where"] == where)
        & (frame["world"] == world.name)
        & (frame["cost"] == cost)
        & (frame["rule"] == loop.spec)
    ].iloc[0]
    text = f"{signed(row['difference'])} [{signed(row['low'])}, {signed(row['high'])}]"
    if row["low"] > 0 or row["high"] < 0:
        text = f"**{text}**"
    if row["not_below"] and row["not_less_right"]:
        verdict = "yes"
    else:
        fails = (("below", row["not_below"]), ("less right", row["not_less_right"]))
        verdict = "no: " + ", ".join(word for word, met in fails if not met)
    return text, f"{100 * row['right']:.1f} / {100 * row['greedy_right']:.1f}", verdict


def _of(flags: pd.Series) -> str:
    return f"{int(flags.sum())} of {len(flags)}"


def _which(chosen: dict[float, list[str]]) -> str:
    """'optimal at 1e-06', or that there is none."""
    some = [f"{' and '.join(rules)} at {cost:g}" for cost, rules in chosen.items() if rules]
    return ", ".join(some) or "none but Greedy at any cost"


def _why(width: pd.DataFrame) -> str:
    """What stands in the way, in words that follow from the numbers."""
    parts = []
    for loop in LOOPS:
        frame = width[width["rule"] == loop.spec]
        gains = [f"{cost:g}" for cost in COSTS if frame[frame["cost"] == cost]["not_below"].all()]
        fewer = frame["greedy_right"] - frame["right"]
        never = f"at {' and '.join(gains)}" if gains else "at no cost"
        parts.append(
            f"By net utility alone {loop.title} would do {never}; because it reads less it is right in up to "
            f"{100 * fewer.max():.0f} of 100 cases fewer."
        )
    return " ".join(parts)
