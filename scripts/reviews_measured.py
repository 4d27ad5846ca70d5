"""What is measured for ``docs/reviews_measured.md``: beliefs, decisions and what is said of the end, on real and simulated reviews.

Of real reviews, calibrator and whatever was learned have not seen the review that they are judged on.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.special import expit, logit
from scipy.stats import gamma
from sklearn.model_selection import GroupKFold

from scripts import report_unread, unread_engine
from tarstop_core.belief.learned_prior import TAU, S, learn_prior, learn_width, strayed_from_end
from tarstop_core.belief.of_tables import beliefs
from tarstop_core.belief.prior import Prior
from tarstop_core.belief.univariate import lattice_for, study_likelihood
from tarstop_core.calibration.calibrator import Calibrator
from tarstop_core.calibration.fitting import fit
from tarstop_core.documents.tables import CELLS, Tables
from tarstop_core.documents.topic import Outcome
from tarstop_core.policies import Greedy, LookAhead, OpenLoop, Optimal, Policy
from tarstop_core.value.closed_loop import SAME, Richness
from tarstop_core.value.cumulative import CumulativePath, studies_after
from tarstop_core.value.exhaustive import chance_turned, studies_to_come
from tarstop_core.value.outcomes import is_plus, outcome_path
from tarstop_core.value.payoffs import Floats, Payoffs
from tarstop_core.value.studies import next_studies

THETA, ENGINE = 0.75, "bivariate"
FOLDS = 8
POLICIES: tuple[Policy, ...] = (Greedy(), LookAhead(2000), OpenLoop(), Optimal())
Q_STARS = (0.2, 0.5, 0.8)
COSTS = (0.000001, 0.00001, 0.0001, 0.0005, 0.001, 0.005)
AFTER = (0, 1, 2, 3, 5, 10)
PRIORS = ("default", "learned", "width")
DECIDED = [
    "review", "outcome", "prior", "q_star", "cost", "policy", "depth", "action", "omega", "net_utility",
]  # fmt: skip
SHARES = (0.5, 0.8, 0.9, 0.95, 0.99)
TURNED = ["review", "outcome", "prior", "at", "studies", "q_star", "coming", "came", "belief", "turned"]
SEED = 1


@dataclass(frozen=True)
class Fold:
    """What was learned without the outcomes it is judged on."""

    calibrator: Calibrator
    priors: dict[str, Prior]
    held_out: tuple[Outcome, ...]


def folds(outcomes: Sequence[Outcome]) -> Iterator[Fold]:
    """Eight, by review."""
    reviews = [each.review for each in outcomes]
    for train, test in GroupKFold(FOLDS).split(reviews, groups=reviews):
        taught = [outcomes[i] for i in train]
        tables, names = [each.tables for each in taught], [each.review for each in taught]
        yield Fold(
            fit([each.topic for each in taught], kind="marginal", scenario="review", name="other reviews"),
            {
                "default": Prior(),
                "learned": learn_prior(tables, names, THETA, "the other reviews"),
                "width": learn_width(tables, names, THETA, "the other reviews"),
            },
            tuple(outcomes[i] for i in test),
        )


def believed(fold: Fold) -> list[tuple[object, ...]]:
    """Belief after each study."""
    return [
        (each.review, each.name, name, n, b, is_plus(each.tables, THETA, "pooled", 0.5))
        for name, prior in fold.priors.items()
        for each in fold.held_out
        for n, b in enumerate(beliefs(each.tables, THETA, ENGINE, prior))
    ]


def decided(
    fold: Fold, priors: Mapping[str, Prior], policies: Sequence[Policy] = POLICIES, told: float = 1.0
) -> list[tuple[object, ...]]:
    """What each rule came to on each outcome, where the chances that it is told are so many times those learned."""
    rows: list[tuple[object, ...]] = []
    for name, prior in priors.items():
        for each in fold.held_out:
            p = fold.calibrator.probabilities(each.topic.scores, len(each.topic))
            p = np.minimum(1.0, told * p)
            omega = is_plus(each.tables, THETA, "pooled", 0.5)
            for q_star in Q_STARS:
                path = outcome_path(each, p, Payoffs.from_q_star(q_star), THETA, ENGINE, prior)
                for row in played(path, omega, policies, COSTS):
                    rows.append((each.review, each.name, name, q_star, *row))
    return rows


def played(
    path: CumulativePath, omega: bool, policies: Sequence[Policy], costs: Sequence[float]
) -> Iterator[tuple[object, ...]]:
    """Cost, rule, depth, action, truth and net utility, a row each."""
    for policy in policies:
        for cost, depth in zip(costs, policy.depths(path, costs).tolist(), strict=True):
            plus = path.chooses_plus(depth)
            utility = path.payoffs.outcome(plus, omega) - cost * depth
            yield cost, policy.spec, depth, "a+" if plus else "a-", omega, utility


def turned(fold: Fold) -> list[tuple[object, ...]]:
    """What belief says, when the n-th study was just read and at shares of the list, of the decision with all that is left, and
    what was so.
    """
    rows: list[tuple[object, ...]] = []
    for name in ("default", "width"):
        for each in fold.held_out:
            p = fold.calibrator.probabilities(each.topic.scores, len(each.topic))
            labels = np.asarray(each.topic.labels)
            states = next_studies(
                each.tables, THETA, fold.priors[name],
                beliefs=beliefs(each.tables, THETA, ENGINE, fold.priors[name]),
            )  # fmt: skip
            ranked = each.positions[each.positions < len(p)]
            whens = [("study", n, ranked[n - 1] + 1 if n else 0) for n in AFTER if n < len(ranked)]
            depths = [math.ceil(share * len(p)) for share in SHARES]
            whens += [
                (f"{share:g}", int((ranked < depth).sum()), depth)
                for share, depth in zip(SHARES, depths, strict=True)
                if depth < len(p)
            ]
            for at, n, depth in whens:
                read = np.arange(len(p)) < depth
                to_come = studies_to_come(fold.calibrator.left(p, read, read & labels, ~read).chance)
                for q_star in Q_STARS:
                    belief = chance_turned(states[n].b, states[n].n_0, to_come, q_star)
                    so = (states[n].b > q_star) != (states[-1].b > q_star)
                    coming = float(to_come[1:].sum()), n < len(ranked)
                    rows.append((each.review, each.name, name, at, n, q_star, *coming, belief, so))
    return rows


Rows = list[tuple[object, ...]]


def of_fold(fold: Fold) -> tuple[Rows, Rows, Rows]:
    """Beliefs, decisions and turns on its outcomes; the closed loop with the two priors that are held against each other."""
    held = {name: fold.priors[name] for name in ("default", "width")}
    learned = decided(fold, {"learned": fold.priors["learned"]}, POLICIES[:-1])
    return believed(fold), [*decided(fold, held), *learned], turned(fold)


def together(
    parts: Sequence[tuple[Rows, Rows, Rows]],
) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """Of all folds."""
    keys = ["review", "outcome", "prior"]
    columns = [*keys, "studies", "belief", "omega"], DECIDED, TURNED
    frames = [
        pd.DataFrame([row for part in parts for row in part[at]], columns=names)
        for at, names in enumerate(columns)
    ]
    return frames[0], frames[1], frames[2]


# --- why early beliefs are over-confident ------------------------------------------------------------


def strayed(outcomes: Sequence[Outcome], shuffles: int = 200) -> tuple[pd.Series, Floats]:
    """How far the first studies stray from the end by review, as the list has them and in random orders (means)."""
    reviews = np.array([each.review for each in outcomes])

    def by_review(orders: Sequence[Floats]) -> pd.Series:
        far = [strayed_from_end(taken(each.tables, at)) for each, at in zip(outcomes, orders, strict=True)]
        return pd.Series(far, dtype=float).groupby(reviews).mean()

    rng = np.random.default_rng(SEED)
    shuffled = []
    for _ in range(shuffles):
        place: dict[tuple[str, str], float] = {}
        # One order of a review's studies, whichever of its outcomes they belong to.
        orders = [
            np.argsort([place.setdefault((each.review, study), rng.random()) for study in each.tables.study])
            for each in outcomes
        ]
        shuffled.append(by_review(orders).mean())
    return by_review([np.arange(len(each.tables)) for each in outcomes]), np.array(shuffled)


def taken(tables: Tables, at: Floats) -> Tables:
    names = np.array(tables.study, dtype=object)[at]
    return Tables(tuple(names), *(getattr(tables, cell)[at] for cell in CELLS))


TAILS = (None, 10.0, 3.0, 1.0)
"""Degrees of freedom of a half-t prior of τ in place of the half-normal."""


def tails(outcomes: Sequence[Outcome]) -> dict[str, Floats]:
    """Log evidence by review of the best (s, scale of τ) with each tail, b_0 = ½, up to a constant; shape (tails,)."""
    found: dict[str, list[Floats]] = {}
    grid = [(s, tau) for s in S for tau in TAU]
    for each in outcomes:
        lattice = lattice_for(each.tables, THETA, Prior(s=max(S)))
        rows, _ = study_likelihood(each.tables, THETA, lattice)
        logs = np.log(np.maximum(rows, 1e-300)).sum(axis=0).reshape(len(lattice.tau), len(lattice.mu))
        likelihood = np.exp(logs - logs.max())
        of_mu = lattice.mu_prior(np.zeros(len(grid)), [s for s, _ in grid])
        log = []
        for tail in TAILS:
            square = np.array([(lattice.tau / tau) ** 2 for _, tau in grid])
            density = -square / 2 if tail is None else -(tail + 1) / 2 * np.log1p(square / tail)
            of_tau = lattice.tau_weight * np.exp(density)
            of_tau /= of_tau.sum(axis=1, keepdims=True)
            log.append(np.log(((of_tau @ likelihood) * of_mu).sum(axis=1)))
        found.setdefault(each.review, []).append(np.array(log))
    by_review = {review: np.mean(each, axis=0) for review, each in found.items()}
    best = np.mean(list(by_review.values()), axis=0).argmax(axis=1)
    return {review: each[np.arange(len(TAILS)), best] for review, each in by_review.items()}


# --- chances that follow what was found --------------------------------------------------------------

WAYS = ("as it is", "gamma", "curves")
SHAPE = 3.0
"""Of the gamma factor of a list; 1 came to the same."""
RULES: tuple[Policy, ...] = (Greedy(), OpenLoop())


def rich_or_poor(shape: float, kinds: int = 7) -> Richness:
    """A gamma factor of this shape and mean 1 as kinds of lists that are as likely."""
    ends = gamma.cdf(gamma.ppf(np.arange(kinds + 1) / kinds, shape), shape + 1)
    return Richness(kinds * np.diff(ends), np.full(kinds, 1 / kinds))


def with_frailty(folder: Path, outcomes: Sequence[Outcome], prior: Prior) -> pd.DataFrame:
    """What rules come to by review where chances are updated by what the list brought: by one gamma factor, or by curves."""
    collections = {name: report_unread.read_collections(folder, name) for name in report_unread.JUDGMENTS}
    taught = {name: report_unread.others(each, report_unread.TESTED) for name, each in collections.items()}
    rows = []
    for learned, outcome, calibrator, told, share in unread_engine.learned_elsewhere(
        outcomes, collections["abs"], taught
    ):
        assert calibrator.thinning is not None
        p = calibrator.probabilities(outcome.topic.scores, len(outcome.topic))
        so_far, found = np.append(0.0, np.cumsum(p)), np.append(0, np.cumsum(told))
        factor = (SHAPE + found) / (SHAPE + so_far)
        ahead = (so_far, factor[:, None] * so_far, unread_engine.foreseen(calibrator.thinning, told))
        omega = is_plus(outcome.tables, THETA, "pooled", 0.5)
        for q_star in Q_STARS:
            path = outcome_path(outcome, p, Payoffs.from_q_star(q_star), THETA, "univariate", prior)
            found: list[tuple[str, tuple[object, ...]]] = []
            for way, included in zip(WAYS, ahead, strict=True):
                moved = unread_engine.moving(path, share[:, None] * included)
                found += [(way, row) for row in played(moved, omega, RULES, COSTS)]
            if learned != unread_engine.STAGES:
                for way, richness in zip(WAYS, (SAME, rich_or_poor(SHAPE)), strict=False):
                    moved = replace(path, richness=richness)
                    found += [(way, row) for row in played(moved, omega, POLICIES[-1:], COSTS)]
            for way, (cost, rule, depth, action, _, utility) in found:
                right = (action == "a+") == omega
                rows.append((learned, outcome.review, rule, way, cost, utility, right, depth))
    keys = ["learned", "review", "rule", "way", "cost"]
    frame = pd.DataFrame(rows, columns=[*keys, "net_utility", "right", "depth"])
    return frame.groupby(keys, sort=False).mean().round(6).reset_index()


# --- simulated reviews --------------------------------------------------------------------------------

KINDS = ("as the default prior has it", "like these reviews", "heavy tails", "neighbours alike")
REVIEWS, DOCUMENTS = 500, 300
SIMULATED_COSTS = (0.00001, 0.0001, 0.001)
ALIKE = 0.5


def simulated(prior: Prior) -> pd.DataFrame:
    """Log-losses and net utilities by kind of review and prior, a row for each of 2,000 simulated reviews."""
    rng = np.random.default_rng(SEED)
    p = document_chances()
    payoffs = Payoffs.from_q_star(0.5)
    rows = []
    for kind in KINDS:
        for number in range(REVIEWS):
            labels = rng.random(DOCUMENTS) < p
            mu, tables = drawn(rng, kind, int(labels.sum()))
            omega = bool(mu > logit(THETA))
            known = studies_after(np.flatnonzero(labels), DOCUMENTS)
            for name, used in (("default", Prior()), ("width", prior)):
                states = next_studies(tables, THETA, used)
                path = CumulativePath(p, states, known, payoffs, labels)
                b = np.array([state.b for state in states])
                for n in AFTER[1:]:
                    if n < len(b):
                        given = b[n] if omega else 1 - b[n]
                        rows.append((kind, number, name, "log-loss", n, -np.log(max(given, 1e-12))))
                for cost, rule, _, _, _, utility in played(path, omega, RULES, SIMULATED_COSTS):
                    rows.append((kind, number, name, rule, cost, utility))
    return pd.DataFrame(rows, columns=["kind", "review", "prior", "what", "at", "value"])


def in_short(rows: pd.DataFrame) -> pd.DataFrame:
    """Means and standard errors of simulated reviews."""
    cells = rows.groupby(["kind", "what", "at", "prior"], sort=False)["value"]
    return cells.agg(mean="mean", error="sem", reviews="size").round(5).reset_index()


def document_chances() -> Floats:
    """Of each document of a simulated review to bring a study."""
    return np.asarray(0.25 * np.exp(-np.arange(DOCUMENTS) / 30) + 0.01)


def drawn(rng: np.random.Generator, kind: str, studies: int, stretched: float = 1.0) -> tuple[float, Tables]:
    """Pooled logit sensitivity, and tables of 2 to some hundred patients with the condition; τ is stretched."""
    wide = kind == KINDS[0]
    mu = float(logit(THETA) + (rng.normal(0, 1.5) if wide else rng.normal(0.5, 0.8)))
    tau = stretched * abs(rng.normal(0, 1.0 if wide else 0.8))
    off = rng.standard_t(3, studies) / np.sqrt(3) if kind == KINDS[2] else rng.standard_normal(studies)
    if kind == KINDS[3]:
        for i in range(1, studies):
            off[i] = ALIKE * off[i - 1] + np.sqrt(1 - ALIKE**2) * off[i]
    n1 = np.maximum(2, np.round(np.exp(rng.normal(np.log(30), 0.9, studies))))
    TP = rng.binomial(n1.astype(int), expit(mu + tau * off)).astype(float)
    empty = np.full(studies, np.nan)
    return mu, Tables(("",) * studies, TP, empty, n1 - TP, empty)
