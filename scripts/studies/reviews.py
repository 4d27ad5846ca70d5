"""What the learned prior and the rules are worth in reviews: real rankings and tables, with an invented link between them."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from itertools import chain, product

import numpy as np
import pandas as pd
from scipy.optimize import minimize
from sklearn.model_selection import GroupKFold

from scripts.real_lists import COLLECTIONS, medical, outcomes, questions_by_review, taught_by
from scripts.study import Tables, cluster_t
from tarstop_core.belief.learned_prior import learn_width
from tarstop_core.belief.of_tables import beliefs
from tarstop_core.belief.prior import Prior
from tarstop_core.belief.question import Question
from tarstop_core.belief.univariate import posterior
from tarstop_core.calibration.calibrator import Calibrator
from tarstop_core.calibration.extraction_rate import ExtractionRate, fit_question_rate, for_one_question
from tarstop_core.calibration.fitting import fit
from tarstop_core.calibration.hit_rate_model import Thinning, chances_as_read
from tarstop_core.documents.tables import Flags, Floats
from tarstop_core.documents.tables import Tables as Studies
from tarstop_core.documents.topic import Outcome
from tarstop_core.places import real_data
from tarstop_core.policies import Greedy, Optimal
from tarstop_core.policies.floors import enough_studies
from tarstop_core.presentation.figures import MARKS, Chart
from tarstop_core.presentation.palette import BELIEF, PLUS
from tarstop_core.presentation.pictures import still
from tarstop_core.value.outcomes import (
    INTERVAL_REACH,
    ReviewPath,
    chance_turned,
    is_plus,
    outcome_path,
    pooled_move,
    studies_to_come,
    tempered,
)
from tarstop_core.value.payoffs import Depths, Payoffs
from tarstop_core.value.studies import next_studies

PAGE = "reviews_measured"
READS = "the rankings and 2×2 tables of clef_dta in TARSTOP_REAL_DATA; an hour or two"
TABLES = ("reviews_beliefs", "reviews_decisions", "reviews_turned", "reviews_moved")
THETA, ENGINE, FOLDS = 0.75, "bivariate", 8
Q_STARS = (0.2, 0.5, 0.8)
COSTS = (0.000001, 0.00001, 0.0001, 0.0005, 0.001, 0.005)
STUDIES = (0, 1, 2, 3, 5, 10)  # numbers of studies after which beliefs are looked at
DEFAULT, WIDTH = "default", "width"
"""The priors: the paper's weak one, and the one whose width is learned from other reviews."""
PAIRINGS = 20  # random links of studies with documents, since the link in the data is invented
LEAST_STUDIES = {Optimal.title: (0, True)} | {f"floor {least}": (least, True) for least in (3, 5, 8)}
LEAST_STUDIES |= {"floor 5, whatever it costs": (5, False)}
"""Floors under Optimal: studies to be found first, and whether that gives way to what finding them costs."""
STAYS = "Optimal, chances that stay"
FAR = 0.05  # a pooled sensitivity that differs by more than this from that of all studies is far off
LEAST = 1e-3  # chances are held between this and 1 minus it when the power is learned
BELIEF_COLUMNS = ["review", "outcome", "prior", "studies", "belief", "omega"]
CELL = ["review", "q_star", "cost", "rule"]
DECISION_COLUMNS = [*CELL, *"read studies found right agrees far_off net_utility by_belief".split()]
TURN_COLUMNS = "review outcome prior studies q_star coming came belief turned moved".split()
Rows = list[tuple[object, ...]]


@dataclass(frozen=True)
class Fold:
    """Outcomes, and what was learned without them."""

    calibrator: Calibrator  # Its chances stay
    thinning: Thinning  # Its chances for one question follow what is found
    rate: ExtractionRate  # Of relevant reports that bring data for a question
    priors: dict[str, Prior]
    held_out: tuple[Outcome, ...]


def one_question(held_out: set[str]) -> tuple[Thinning, ExtractionRate]:
    """How documents that are relevant by full text thin out, and how many of them bring data for one question.

    Learned without the reviews that are held out.
    """
    data = real_data()
    lists = [topic for name in COLLECTIONS for topic in medical(data, name, "content")]
    labels = [np.asarray(topic.labels) for topic in lists if len(topic) and topic.name not in held_out]
    others = questions_by_review(data, "content").items()
    return taught_by(labels), fit_question_rate([own for review, own in others if review not in held_out], "")


def folds(cases: Sequence[Outcome]) -> Iterator[Fold]:
    """Eight folds, by review."""
    reviews = [case.review for case in cases]
    for train, test in GroupKFold(FOLDS).split(reviews, groups=reviews):
        taught = [cases[i] for i in train]
        tables, names = [case.tables for case in taught], [case.review for case in taught]
        width = learn_width(tables, names, THETA, "the other reviews")
        topics = [case.topic for case in taught]
        calibrator = fit(topics, kind="marginal", scenario="review", name="other reviews")
        held_out = tuple(cases[i] for i in test)
        thinning, rate = one_question({case.review for case in held_out})
        follows = for_one_question(thinning, rate)
        yield Fold(calibrator, follows, rate, {DEFAULT: Prior(), WIDTH: width}, held_out)


def believed(fold: Fold) -> Rows:
    """Belief after each study."""
    return [
        (case.review, case.name, name, n, belief, is_plus(case.tables, THETA, "pooled", 0.5))
        for name, prior in fold.priors.items()
        for case in fold.held_out
        for n, belief in enumerate(beliefs(case.tables, Question(THETA, ENGINE, prior)))
    ]


def paired(case: Outcome, pairing: int) -> Outcome:
    """The outcome with its studies linked to its documents in a random order; the order in the data for pairing 0."""
    order = np.arange(len(case.tables))
    if pairing:
        order = np.random.default_rng([pairing, *case.name.encode()]).permutation(len(order))
    names = tuple(case.tables.study[i] for i in order)
    cells = (case.tables.TP, case.tables.FP, case.tables.FN, case.tables.TN)
    return replace(case, tables=Studies(names, *(cell[order] for cell in cells)))


@dataclass(frozen=True, eq=False)
class Reader:
    """Somebody who reads the list of a question and asks anew after every document, with chances that follow what was found."""

    fold: Fold
    case: Outcome
    _chances: dict[int, Floats] = field(default_factory=dict, init=False)
    _stops: dict[tuple[float, ...], Flags] = field(default_factory=dict, init=False)

    @cached_property
    def labels(self) -> Flags:
        """Which documents bring data for the question, shape (N,): the same however studies are linked to them."""
        return np.isin(np.arange(len(self.case.topic)), self.case.positions)

    def chances(self, depth: int) -> Floats:
        """Chance of each document once so many are read, shape (N,)."""
        if depth not in self._chances:
            read = np.arange(len(self.labels)) < depth
            self._chances[depth] = chances_as_read(self.fold.thinning, read, self.labels & read, ~read)
        return self._chances[depth]

    def stops_at(self, path: ReviewPath, depth: int) -> Flags:
        """Whether Optimal, with each of the floors, stops at a depth for each cost, shape (floors, costs)."""
        if depth == len(path):
            return np.ones((len(LEAST_STUDIES), len(COSTS)), dtype=bool)
        known = int(path.studies[depth])
        state = path.states[known]
        key = (path.payoffs.q_star, known, state.b, state.n_0, depth)
        if key not in self._stops:
            now = replace(path, p=self.chances(depth), studies=np.minimum(path.studies, known))
            stops = Optimal().depths(now, COSTS, depth) == depth
            self._stops[key] = np.array([
                [
                    stop and (known >= least or enough_studies(now, least, cost if gives_way else 0.0)[depth])
                    for stop, cost in zip(stops, COSTS, strict=True)
                ]
                for least, gives_way in LEAST_STUDIES.values()
            ])  # fmt: skip
        return self._stops[key]

    def first_stops(self, path: ReviewPath) -> Depths:
        """Where Optimal with each of the floors stops, shape (floors, costs).

        Until the next study chances only fall. So a rule that has stopped would not go on again, and its stop is found by
        halving, to within 2 % of its depth.
        """
        stops = np.full((len(LEAST_STUDIES), len(COSTS)), len(path))
        going, begin = np.ones_like(stops, dtype=bool), 0
        while going.any():
            end = int(np.searchsorted(path.studies, path.studies[begin], side="right")) - 1
            here = going & self.stops_at(path, end)
            if here.any():
                at_once = here & self.stops_at(path, begin)
                stops[at_once] = begin
                self._halve(path, begin, end, here & ~at_once, stops)
            going, begin = going & ~here, end + 1
        return stops

    def _halve(self, path: ReviewPath, low: int, high: int, cells: Flags, stops: Depths) -> None:
        """Fill in the first stops of cells that go on after `low` documents and stop after `high`."""
        if not cells.any():
            return
        if high <= low + 1 + high // 50:
            stops[cells] = high
            return
        middle = (low + high) // 2
        early = self.stops_at(path, middle)
        self._halve(path, low, middle, cells & early, stops)
        self._halve(path, middle, high, cells & ~early, stops)


def stops_by_rule(reader: Reader, path: ReviewPath) -> dict[str, Depths]:
    """Where each rule stops at each cost; `path` has chances that stay."""
    end = len(path)
    as_they_came = replace(path, p=reader.chances(end))
    with_floors = dict(zip(LEAST_STUDIES, reader.first_stops(path), strict=True))
    return {
        "at once": np.zeros(len(COSTS), dtype=int),
        Greedy.title: Greedy().depths(as_they_came, COSTS),
        **with_floors,
        STAYS: Optimal().depths(path, COSTS),
    }


def decided(fold: Fold) -> Rows:
    """What each rule reads, finds and decides on each outcome in each pairing, with the prior of learned width."""
    readers = [Reader(fold, case) for case in fold.held_out]
    return [row for reader in readers for pairing in range(PAIRINGS) for row in decided_on(reader, pairing)]


def decided_on(reader: Reader, pairing: int) -> Iterator[tuple[object, ...]]:
    """The rows of one outcome in one pairing."""
    prior, case = reader.fold.priors[WIDTH], paired(reader.case, pairing)
    p = reader.fold.calibrator.probabilities(case.topic.scores, len(case.topic))
    omega = is_plus(case.tables, THETA, "pooled", 0.5)
    final = float(beliefs(case.tables, Question(THETA, ENGINE, prior))[-1])

    @cache
    def pooled(studies: int) -> float:
        return posterior(case.tables.first(studies), THETA, prior).quantile(0.5)

    for q_star in Q_STARS:
        path = outcome_path(case, p, Payoffs.from_q_star(q_star), Question(THETA, ENGINE, prior))
        for rule, depths in stops_by_rule(reader, path).items():
            for cost, depth in zip(COSTS, depths.tolist(), strict=True):
                plus, studies = path.chooses_plus(depth), int(path.studies[depth])
                gain = {truth: path.payoffs.outcome(plus, truth) for truth in (True, False)}
                yield (
                    case.review, q_star, cost, rule, depth, studies, studies / len(case.tables),
                    plus == omega, plus == (final > q_star),
                    abs(pooled(studies) - pooled(len(case.tables))) > FAR,
                    gain[omega] - cost * depth,
                    final * gain[True] + (1 - final) * gain[False] - cost * depth,
                )  # fmt: skip


def turned(fold: Fold) -> Rows:
    """The chance by belief that the decision turns with all that is left read, and whether it did."""
    rows: Rows = []
    for name, prior in fold.priors.items():
        for case in fold.held_out:
            p = fold.calibrator.probabilities(case.topic.scores, len(case.topic))
            labels = np.asarray(case.topic.labels)
            path = beliefs(case.tables, Question(THETA, ENGINE, prior))
            states = next_studies(case.tables, THETA, prior, beliefs=path)
            ranked = case.positions[case.positions < len(p)]
            for n in (number for number in STUDIES if number < len(ranked)):
                depth = ranked[n - 1] + 1 if n else 0
                read = np.arange(len(p)) < depth
                to_come = studies_to_come(fold.calibrator.left(p, read, read & labels, ~read).chance)
                coming, came = float(to_come[1:].sum()), n < len(ranked)
                last, now = states[-1].pooled, states[n].pooled
                moved = (last[0] - now[0]) / pooled_move(states[n], to_come) if last and now else np.nan
                for q_star in Q_STARS:
                    belief = chance_turned(states[n], to_come, Payoffs.from_q_star(q_star))
                    turns = (states[n].b > q_star) != (states[-1].b > q_star)
                    rows.append((case.review, case.name, name, n, q_star, coming, came, belief, turns, moved))
    return rows


def corrected(rows: pd.DataFrame, power: float) -> Floats:
    """The chance of a turn that is shown: the odds, if more studies come, raised to a power."""
    share = np.clip(rows["belief"] / rows["coming"], 0.0, 1.0).to_numpy()
    return np.asarray(rows["coming"].to_numpy() * tempered(share, power))


def tempering(rows: pd.DataFrame) -> float:
    """The power that makes the turns after the first study likeliest; reviews and numbers of studies weigh equally."""
    rows = rows[rows["studies"] > 0]
    weight = 1 / rows.groupby(["review", "studies"])["belief"].transform("size")

    def loss(log_power: Floats) -> float:
        chance = np.clip(corrected(rows, float(np.exp(log_power[0]))), LEAST, 1 - LEAST)
        return float(weight @ -np.log(np.where(rows["turned"], chance, 1 - chance)))

    found = minimize(loss, [0.0], method="Nelder-Mead", options={"xatol": 1e-6, "fatol": 1e-9})
    return float(np.exp(found.x[0]))


def widening(rows: pd.DataFrame) -> float:
    """The factor on the expected move that 90 % of the moves lie within; reviews and numbers of studies weigh equally."""
    rows = rows[rows["studies"] > 0]
    rows = rows.assign(far=rows["moved"].abs() / INTERVAL_REACH).sort_values("far")
    weight = 1 / rows.groupby(["review", "studies"])["far"].transform("size")
    return float(rows["far"].iloc[int(np.searchsorted(weight.cumsum() / weight.sum(), 0.9))])


def within(rows: pd.DataFrame, held_out: Sequence[set[str]]) -> pd.DataFrame:
    """One row a stop of the learned width after 1, 2, … studies, and whether pooled sensitivity ended within the range shown."""
    rows = rows[(rows["prior"] == WIDTH) & (rows["studies"] > 0)].drop_duplicates(["outcome", "studies"])
    far, tested = rows["moved"].abs() / INTERVAL_REACH, [rows["review"].isin(reviews) for reviews in held_out]
    return pd.concat(rows[own].assign(within=far[own] <= widening(rows[~own])) for own in tested)


def with_correction(rows: pd.DataFrame, held_out: Sequence[set[str]]) -> pd.DataFrame:
    """The chance that would be shown, in the column `said`, by the power that the other folds teach."""
    rows = rows.assign(said=0.0)
    for reviews, prior in product(held_out, rows["prior"].unique()):
        own, tested = rows["prior"] == prior, rows["review"].isin(reviews)
        power = tempering(rows[own & ~tested])
        rows.loc[own & tested, "said"] = corrected(rows[own & tested], power)
    return rows


def measure() -> Tables:
    """Beliefs and turns on all outcomes, and decisions by review over all pairings."""
    parts = list(folds(outcomes(real_data())))
    jobs = ((believed, BELIEF_COLUMNS), (decided, DECISION_COLUMNS), (turned, TURN_COLUMNS))
    with ProcessPoolExecutor(2) as pool:
        rows = [(chain.from_iterable(pool.map(job, parts)), columns) for job, columns in jobs]
        seen, decisions, turns = (pd.DataFrame(found, columns=columns) for found, columns in rows)
    held_out = [{case.review for case in fold.held_out} for fold in parts]
    moved = within(turns, held_out)[["review", "outcome", "studies", "moved", "within"]]
    return {
        "reviews_beliefs": seen.round({"belief": 5}),
        "reviews_decisions": decisions.groupby(CELL, sort=False).mean().reset_index().round(6),
        "reviews_turned": with_correction(turns, held_out).drop(columns="moved").round(6),
        "reviews_moved": moved.round(6),
    }


def belief_rows(rows: pd.DataFrame) -> pd.DataFrame:
    """Log-loss of either prior after some numbers of studies; reviews weigh equally."""
    given = np.where(rows["omega"], rows["belief"], 1 - rows["belief"])
    rows = rows.assign(loss=-np.log(np.maximum(given, 1e-12)))
    loss = rows.groupby(["studies", "review", "prior"])["loss"].mean().unstack()
    loss = loss.assign(gain=loss[WIDTH] - loss[DEFAULT])
    of = ((n, loss.loc[n]) for n in STUDIES)
    return pd.DataFrame({"studies": n} | own.mean().to_dict() | cluster_t(own["gain"]) for n, own in of)


def rule_rows(rows: pd.DataFrame) -> list[dict[str, object]]:
    """Every rule by cost, against Greedy and against Optimal without a floor; reviews and values of q* weigh equally."""
    means = rows.groupby(["cost", "rule", "review"]).mean(numeric_only=True).drop(columns="q_star")
    found = []
    for cost, rule in product(COSTS, dict.fromkeys(rows["rule"])):
        own = means.loc[cost, rule]
        row = {"cost": cost, "rule": rule} | own.mean().to_dict()
        for other, measured in product((Greedy.title, Optimal.title), ("net_utility", "by_belief")):
            gain = own[measured] - means.loc[cost, other][measured]
            row[f"{measured} against {other}"] = cluster_t(gain)
        found.append(row)
    return found


def changes(rows: pd.DataFrame, rule: str, other: str, costs: Sequence[float]) -> list[dict[str, object]]:
    """What a rule changes against another at each cost; reviews weigh equally."""
    means = rows.groupby(["cost", "rule", "review"]).mean(numeric_only=True).drop(columns="q_star")
    found = []
    for cost in costs:
        own = means.loc[cost, rule] - means.loc[cost, other]
        found.append({"cost": cost, "rule": rule} | {name: cluster_t(own[name]) for name in own})
    return found


def turn_rows(rows: pd.DataFrame) -> list[dict[str, object]]:
    """What is shown of a turn when the n-th study was just read, and what happened."""
    means = rows[rows["prior"] == WIDTH].groupby(["studies", "review"])[["belief", "said", "turned"]].mean()
    by_n = means.groupby("studies")
    return [{"studies": n} | own.mean().to_dict() | cluster_t(own["turned"] - own["said"]) for n, own in by_n]


def summarise(tables: Tables) -> dict[str, object]:
    """What the page shows."""
    seen, decisions, turns, moved = (tables[name] for name in TABLES)
    truth = seen.drop_duplicates("outcome")
    first = seen[(seen["studies"] == 1) & (seen["belief"] < 0.1)]
    late = turns.query("studies > 0 and prior == 'width'").groupby("review").mean(numeric_only=True)
    return {
        "outcomes": len(truth),
        "pairings": PAIRINGS,
        "reviews": truth["review"].nunique(),
        "plus": truth.groupby("review")["omega"].mean().mean(),
        "beliefs": belief_rows(seen),
        "sure": first.groupby("prior").size().to_dict(),
        "rules": rule_rows(decisions),
        "floors": [
            row
            for other in (Optimal.title, "floor 3")
            for row in changes(decisions, other, "floor 5", (1e-5, 1e-4, 1e-3))
        ],
        "turns": turn_rows(turns),
        "stops": len(moved),
        "within": cluster_t(moved.groupby("review")["within"].mean()),
        "by_belief": cluster_t(late["turned"] - late["belief"]),
        "as_shown": cluster_t(late["turned"] - late["said"]),
    }


def figure(tables: Tables) -> str:
    """Log-loss of either prior by number of studies."""
    rows, chart = belief_rows(tables["reviews_beliefs"]), Chart(250)
    lines = (WIDTH, "learned width", PLUS, 1.0), (DEFAULT, "default prior", BELIEF, 0.92)
    for (prior, name, colour, height), dash in zip(lines, MARKS, strict=False):
        chart.line(rows["studies"], rows[prior], colour, width=2.5, dash=dash)
        chart.name(f"{MARKS[dash]} {name}", colour, height)
    chart.axis("xaxis", "studies read", range=[0, STUDIES[-1]])
    chart.axis("yaxis", "log-loss", range=[0.3, 0.9])
    says = "Log-loss of the belief after each number of studies, with the default prior and with the learned width."
    return still(chart.figure(), says)
