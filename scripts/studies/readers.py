"""Whether intervals of what all readers overlooked hold, and what following the advice on who reads next is worth."""

from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.stats import ttest_1samp

from scripts.study import Tables, cluster_t
from tarstop_core.belief.mixture import Remaining
from tarstop_core.documents.tables import Floats
from tarstop_core.places import real_data
from tarstop_core.readers import strategies
from tarstop_core.readers.agreement import agreement
from tarstop_core.readers.overlooked import Interval, overlooked
from tarstop_core.readers.played import Choice, ReadList, advised, always, play
from tarstop_core.readers.strategies import Strategy
from tarstop_core.readers.verdicts import Verdicts
from tarstop_core.screening import labels as labelled
from tarstop_core.screening.adaptive_chances import list_facts
from tarstop_core.screening.advised import RecallFacts
from tarstop_core.screening.enough_settings import EnoughSettings
from tarstop_core.screening.state import State

PAGE = "readers_measured"
READS = "two language models on four reviews in TARSTOP_REAL_DATA, and simulated readers"
TABLES = tuple(f"readers_{name}" for name in "reviews simulated recall agreement strategies".split())
REVIEWS = ("Donners_2021", "Jeyaraman_2020", "search1", "search2")
INCLUDED = 3  # Lowest score of a language model that counts as included
AUDITED = (0.05, 0.1, 0.2)
ODDS = (1.0, 3.0, 10.0, 100.0)
SENSITIVITIES = ((0.866, 0.866), (0.9, 0.6))  # Two people (Gartlehner 2020); unequal readers
RECORDS, RELEVANT, SPECIFICITY = 2000, 100, 0.95
DRAWN = 500  # Audits of each real review
SIMULATED = 400  # Simulated reviews
STOPPED = 200  # Sessions that stop half way
SPREADS = (0.01, 0.3, 1.0, 3.0, 10.0)
"""Of a beta distribution: from equally hard records to some that both find and others neither."""
COSTS = (0.01, 0.03, 0.1, 0.3, 1.0)
"""What it costs that one person reads everything, in units of finding everything."""
FOLLOW_UPS = (0.0, 5.0)  # What an included record costs further, in records read
MACHINE_PRICE, PERSONS = 0.01, 20  # Of a record, against a person's; simulated persons
LIMIT = 10.0  # Odds ratio that somebody might state as a limit
PARTS = ("missed", "reader_1", "reader_2")
Row = dict[str, object]
Drawn = Callable[[np.random.Generator], tuple[Floats, Floats]]  # Verdicts, and what is relevant


def real_verdicts(data: Path, review: str) -> tuple[Floats, Floats]:
    """What two language models included, shape (records, 2), and what is relevant."""
    table = pd.read_csv(data / "readers" / f"{review}.csv")
    return (table[["reader_1", "reader_2"]] >= INCLUDED).to_numpy(float), table["included"].to_numpy(float)


def joint(first: float, second: float, odds: float) -> Floats:
    """Chances that both, only the first, only the second and neither find a relevant record, at this odds ratio (Plackett 1965)."""
    if odds == 1:
        both = first * second
    else:
        half = 1 + (first + second) * (odds - 1)
        both = (half - (half**2 - 4 * odds * (odds - 1) * first * second) ** 0.5) / (2 * (odds - 1))
    return np.array([both, first - both, second - both, 1 - first - second + both])


def simulated(rng: np.random.Generator, first: float, second: float, odds: float) -> tuple[Floats, Floats]:
    """Verdicts of two readers on a review, and what is relevant."""
    kinds = np.array([[1, 1], [1, 0], [0, 1], [0, 0]], dtype=float)
    return among_others(rng, kinds[rng.choice(4, size=RELEVANT, p=joint(first, second, odds))])


def as_hard_for_both(rng: np.random.Generator, spread: float) -> tuple[Floats, Floats]:
    """The same where both find a relevant record with the same chance, which is another one for every record."""
    mean = strategies.SENSITIVITY
    chance = rng.beta(mean / spread, (1 - mean) / spread, RELEVANT)
    return among_others(rng, (rng.random((RELEVANT, 2)) < chance[:, None]).astype(float))


def among_others(rng: np.random.Generator, of_relevant: Floats) -> tuple[Floats, Floats]:
    """Verdicts on a review whose relevant records got these, and what is relevant."""
    others = (rng.random((RECORDS - RELEVANT, 2)) > SPECIFICITY).astype(float)
    return np.concatenate([of_relevant, others]), (np.arange(RECORDS) < RELEVANT).astype(float)


def audited(included: Floats, relevant: Floats, share: float, rng: np.random.Generator) -> Verdicts:
    """The same with all disagreements resolved and a share of what both excluded drawn at random."""
    excluded = np.flatnonzero((included == 0).all(axis=1))
    order = rng.permutation(excluded)[: round(share * len(excluded))]
    known = np.where((included == 0).all(axis=1), np.nan, relevant)
    places = np.zeros(len(relevant), dtype=int)
    known[order], places[order] = relevant[order], np.arange(1, len(order) + 1)
    return Verdicts(included, known, places)


def intervals(verdicts: Verdicts) -> dict[str, tuple[Interval, ...]]:
    """Intervals of the missed records and of both sensitivities: by the audit, by independence, by a stated limit."""
    said = overlooked(verdicts, LIMIT)
    assert said.within is not None
    finds = (verdicts.included[verdicts.relevant == 1] == 1).sum(axis=0)
    ways = {"audit": (said.missed, *(reader.sensitivity for reader in said.readers))}
    for way, missed in (("independence", said.within.independent), ("limit", said.within.missed)):
        low, high = (said.relevant_found - said.hits + end for end in missed)
        ways[way] = missed, *(Interval(found / high, found / low) for found in finds)
    return ways


def checked(included: Floats, relevant: Floats, share: float, rng: np.random.Generator) -> Row:
    """Whether each interval holds, and its width."""
    verdicts = audited(included, relevant, share, rng)
    is_relevant = relevant == 1
    missed = int((is_relevant & (included == 0).all(axis=1)).sum())
    truth = (missed, *included[is_relevant].mean(axis=0))
    row: Row = {}
    for way, stated in intervals(verdicts).items():
        for part, interval, true in zip(PARTS, stated, truth, strict=True):
            row[f"{way}_{part}_held"] = interval.low - 1e-9 <= true <= interval.high + 1e-9
            row[f"{way}_{part}_width"] = interval.high - interval.low
    return row


def repeated(times: int, check: Callable[..., Row], drawn: Drawn, share: float) -> dict[str, float]:
    """Share of intervals that hold and mean widths, of verdicts and audits drawn anew."""
    rng = np.random.default_rng(1)
    rows = [check(*drawn(rng), share, rng) for _ in range(times)]
    return pd.DataFrame(rows).astype(float).mean().round(4).to_dict()


def of_reviews(data: Path) -> Iterator[Row]:
    """Every review by share audited: coverage and widths over audits drawn anew."""
    for review, share in product(REVIEWS, AUDITED):
        included, relevant = real = real_verdicts(data, review)
        missed = int(relevant[(included == 0).all(axis=1)].sum())
        held = repeated(DRAWN, checked, lambda _, real=real: real, share)
        yield {"review": review, "audited": share, "missed": missed} | held


def of_simulations() -> Iterator[Row]:
    """Simulated reviews by dependence and share audited."""
    for (first, second), odds, share in product(SENSITIVITIES, ODDS, AUDITED):
        drawn = partial(simulated, first=first, second=second, odds=odds)
        held = repeated(SIMULATED, checked, drawn, share)
        yield {"first": first, "second": second, "odds_ratio": odds, "audited": share} | held


def stopped_half_way(included: Floats, relevant: Floats, share: float, rng: np.random.Generator) -> Row:
    """Whether the recall that a session says holds, with what all overlooked and without, when half a list in random order is read."""
    order, half = rng.permutation(len(relevant)), len(relevant) // 2
    included, relevant = included[order], relevant[order]
    verdicts = audited(included[:half], relevant[:half], share, rng)
    found = (relevant[:half] == 1) & ((included[:half] == 1).any(axis=1) | (verdicts.drawn > 0))
    labels = np.full(len(relevant), labelled.UNSEEN, dtype=np.int8)
    labels[:half] = np.where(found, labelled.RELEVANT, labelled.CODES["irrelevant"])
    unread, number = len(relevant) - half, np.array([found.sum() + 0.5])
    left = Remaining(np.ones(1), number, number * unread / half, unread)
    row: Row = {}
    for name, missed in (("counted", overlooked(verdicts)), ("left_out", None)):
        state = State(EnoughSettings(), labels, np.zeros_like(labels), overlooked=missed)
        mean, low, high = RecallFacts(**list_facts(left, state)).recall
        truth = found.sum() / relevant.sum()
        row |= {f"{name}_held": low - 1e-9 <= truth <= high + 1e-9, f"{name}_width": high - low}
        row[f"{name}_above"] = mean - truth
    return row


def of_sessions(data: Path) -> Iterator[Row]:
    """The recall that is said, in reviews and where records are as hard for both readers, by share audited."""
    sources = {f"spread {spread:g}": partial(as_hard_for_both, spread=spread) for spread in SPREADS}
    reviews = ((name, real_verdicts(data, name)) for name in REVIEWS)
    sources |= {name: lambda _, real=real: real for name, real in reviews}
    for share, (name, drawn) in product(AUDITED, sources.items()):
        yield {"review": name, "audited": share} | repeated(STOPPED, stopped_half_way, drawn, share)


def facts(data: Path) -> Iterator[Row]:
    """Agreement in each review, and how many draws would show that at most 5 % are missed."""
    for review in REVIEWS:
        included, relevant = real_verdicts(data, review)
        known = np.where((included == 0).all(axis=1), np.nan, relevant)
        said = overlooked(Verdicts(included, known, np.zeros(len(known), dtype=int)))
        agree = agreement(included)
        assert agree.cohen is not None
        row: Row = {"review": review, "records": len(relevant), "relevant": int(relevant.sum())}
        row |= {"excluded": said.excluded, "draws_needed": said.draws_needed}
        yield row | {"agree": agree.per_cent.value, "kappa": agree.cohen.value, "ac1": agree.ac1.value}


def of_strategies(data: Path) -> Iterator[Row]:
    """Utility of following the advice and of every fixed way, by review, machine and price."""
    choices: dict[str, Choice] = {"advice": advised} | {way.name: always(way) for way in Strategy}
    for machine, cost, follow_up, review in product((0, 1), COSTS, FOLLOW_UPS, REVIEWS):
        included, truth = real_verdicts(data, review)
        relevant, price = truth == 1, cost / len(truth)
        prices = strategies.Prices(price, MACHINE_PRICE * price, follow_up * price)
        chance = np.where(relevant, strategies.SENSITIVITY, strategies.FALSE_INCLUSIONS)
        persons = [np.random.default_rng(seed).random(len(truth)) < chance for seed in range(PERSONS)]
        lists = [ReadList(included[:, machine] == 1, person, relevant) for person in persons]
        means = {
            name: np.mean([play(choose, whole, prices, at).utility for at, whole in enumerate(lists)])
            for name, choose in choices.items()
        }
        yield {"machine": machine + 1, "cost": cost, "follow_up": follow_up, "review": review} | means


def with_best_elsewhere(rows: pd.DataFrame) -> pd.DataFrame:
    """Beside every review the fixed way that was best on average over the others at the same price, and the regret against it."""
    ways = [way.name for way in Strategy]
    settings = rows.groupby(["machine", "cost", "follow_up"])[ways]
    elsewhere = settings.transform("sum") - rows[ways]
    best = elsewhere.idxmax(axis=1)
    utility = np.array([rows.at[at, name] for at, name in best.items()])
    regret, hindsight = utility - rows["advice"], rows[ways].max(axis=1) - rows["advice"]
    return rows.assign(best_elsewhere=best, regret=regret, hindsight=hindsight)


def measure() -> Tables:
    """Coverage and widths on real and simulated reviews, and what following the advice is worth."""
    data = real_data()
    return {
        "readers_reviews": pd.DataFrame(of_reviews(data)),
        "readers_simulated": pd.DataFrame(of_simulations()),
        "readers_recall": pd.DataFrame(of_sessions(data)),
        "readers_agreement": pd.DataFrame(facts(data)).round(4),
        "readers_strategies": with_best_elsewhere(pd.DataFrame(of_strategies(data))).round(5),
    }


def not_below(rows: pd.DataFrame, column: str) -> float:
    """The p value of a t-test over reviews against coverage below 90 %."""
    by_review = rows.groupby("review")[column].mean()
    return 1.0 if by_review.std() == 0 else float(ttest_1samp(by_review, 0.9, alternative="less").pvalue)


def summarise(tables: Tables) -> Row:
    """Coverage and width by share audited and by dependence, and what following the advice gains."""
    reviews, drawn, recall, agree, played = (tables[name] for name in TABLES)
    by_review = played.drop(columns="best_elsewhere").groupby("review").mean()
    return {
        "reviews": reviews,
        "simulated": drawn,
        **{
            name: {"least": recall[f"{name}_held"].min(), "most": recall[f"{name}_held"].max()}
            for name in ("counted", "left_out")
        },
        "facts": agree,
        "p": {f"{part}_audit": not_below(reviews, f"audit_{part}_held") for part in PARTS},
        "gains": {way.name: cluster_t(by_review["advice"] - by_review[way.name]) for way in Strategy},
        "regret": cluster_t(by_review["regret"]),
        "worst": by_review["regret"].max(),
    }
