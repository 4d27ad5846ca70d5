"""Are the chances of a list that learns true, and what are they worth: measured on real lists, written as it comes out.

Needs the folder that TARSTOP_REAL_DATA names. Writes ``docs/reranked_chances.md``, with what was said and what was so in
``docs/data/reranked_chances.csv`` and what rules came to in ``docs/data/reranking_prize.csv``; and what the Calibration page
shows of it, ``sample_data/reranked/came_out.csv``. Run again, it writes the same files.
"""

import math
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.stats import t as t_distribution

from scripts import reranking_prize as prize
from scripts.report_unread import calibrated, interval_score, table
from scripts.reranked_sessions import FINAL, INCLUSION, Session, foretold, learned, left_out, sessions
from scripts.reviews_measured import THETA
from tarstop_core.calibration.fitting import ece, reliability
from tarstop_core.calibration.live_check import AGAINST, against_forecasts
from tarstop_core.calibration.reranked import RerankedChances, ahead, forecasts
from tarstop_core.documents.tables import Floats, Tables
from tarstop_core.errors import InputProblem
from tarstop_core.evaluation.reranked_chances import READ, log_loss
from tarstop_core.places import real_data, sample_dir
from tarstop_core.policies import parse_policy
from tarstop_core.ranking.learning import DEFAULT, RANKERS
from tarstop_core.value.cumulative import CumulativePath
from tarstop_core.value.payoffs import Payoffs
from tarstop_core.value.studies import next_studies

DOCS = Path(__file__).resolve().parents[1] / "docs"
AHEAD = {"next 20": 20, "next 100": 100, "all left": None}
RULES = ("consecutive", "knee", "budget:d=100")
"""Whose stops need no tables; those of Greedy and look-ahead are those of the prize, at q* = .5 and a cost of .001."""
NO_TABLES = Tables((), *np.zeros((4, 0)))
WORDS = {INCLUSION: "by title and abstract", FINAL: "by full text"}
Models = Mapping[str, RerankedChances]


def stretched(model: RerankedChances, temper: float, ahead: float) -> RerankedChances:
    """One stretched exponential, without what recent hits say."""
    kept = [each for each in model.curves if each.family == "stretched"]
    whole = sum(each.weight for each in kept)
    curves = tuple(replace(each, weight=each.weight / whole) for each in kept)
    return replace(model, curves=curves, temper=temper, ahead=ahead, reach=0.01)


MIXTURE, PLAIN, TEMPERED = "mixture", "stretched exponential", "stretched exponential, tempered"
METHODS: dict[str, Callable[[RerankedChances], RerankedChances]] = {
    MIXTURE: lambda model: model,
    PLAIN: lambda model: stretched(model, 1.0, 1e6),
    TEMPERED: lambda model: stretched(model, model.temper, model.ahead),
}
SETTINGS = [(0.35, 20.0), (0.5, 10.0), (0.5, 20.0), (0.5, 1e6), (1.0, 1e6)]
"""Power of a session's evidence, and shape of the factor on what is ahead."""


def stops(session: Session, said: Floats) -> Iterator[tuple[str, int]]:
    """Where rules that need no tables would stop."""
    n = len(said)
    path = CumulativePath(
        said, next_studies(NO_TABLES, THETA), np.zeros(n + 1, dtype=np.intp), Payoffs.from_q_star(0.5), session.relevant
    )  # fmt: skip
    for rule in RULES:
        yield f"stop of {rule}", int(parse_policy(rule).depths(path, [0.001])[0])


def stated(
    model: RerankedChances, session: Session, at: str, read: int, ways: Sequence[str] = tuple(METHODS)
) -> Iterator[tuple[object, ...]]:
    """What is said of the documents ahead and what is so, by method and number, a row each."""
    n = len(session.relevant)
    if read >= n:
        return
    for way in ways:
        rest = ahead(METHODS[way](model), session.relevant[:read], n)
        for what, more in AHEAD.items():
            left = rest.left(more)
            true = int(session.relevant[read:][:more].sum())
            low, high = left.interval()
            chances = left.chance_of_at_most(true - 1), left.chance_of_at_most(true)
            yield (
                session.judged, session.clef, session.group, session.name, at, read, way, what,
                left.mean, low, high, true, *chances,
            )  # fmt: skip


NAMES = [
    "judged", "clef", "review", "set", "at", "read", "method", "what", "mean", "low", "high", "true", "below", "upto",
]  # fmt: skip


def statements(played: Sequence[Session], models: Models, decided: pd.DataFrame) -> pd.DataFrame:
    """Everything that is said after so many documents, and where rules stop."""
    rows: list[tuple[object, ...]] = []
    for session in played:
        model = models[session.group].of(session.judged)
        p = forecasts(model, session.relevant, len(session.relevant))[:-1]
        for read in READ:
            rows += stated(model, session, f"{read} read", read)
        for at, read in stops(session, p):
            rows += stated(model, session, at, read, (MIXTURE,))
        if session.clef and session.judged == INCLUSION:
            here = decided[
                (decided["topic"] == session.name)
                & (decided["way"] == prize.RERANKED)
                & (decided["stages"] == prize.TWO)
            ]
            here = here[(here["q_star"] == 0.5) & (here["cost"] == 0.001)]
            for stop in here.itertuples():
                rows += stated(model, session, f"stop of {stop.rule}", int(stop.depth), (MIXTURE,))
        print(session.judged, session.name, file=sys.stderr)
    return pd.DataFrame(rows, columns=NAMES)


def by_set(rows: pd.DataFrame) -> pd.DataFrame:
    """What ships with the programme: the mixture of hit curves after so many documents."""
    kept = rows[(rows["method"] == MIXTURE) & rows["at"].str.endswith(" read")]
    return kept[["judged", "set", "read", "what", "mean", "low", "high", "true"]].round({"mean": 2})


# --- the tables -----------------------------------------------------------------------------------


def of_next(played: Sequence[Session], models: Models, elsewhere: Models) -> str:
    """Log-loss and ECE of the next document."""
    ways: dict[str, Models] = {
        "without a shift": {name: replace(each, shift=0.0) for name, each in models.items()},
        "**with it**": models,
        "with it, all of CLEF left out": elsewhere,
    }
    rows = []
    for judged, words in WORDS.items():
        for clef, lists in ((True, "CLEF"), (False, "others")):
            of = [each for each in played if each.judged == judged and each.clef == clef]
            rest = [each.relevant for each in played if each.judged == judged and each.clef != clef]
            usual = float(np.mean([each.mean() for each in rest]))
            constant = [(np.full(len(each.relevant), usual), each.relevant) for each in of]
            cells = [f"{lists}, {words}", str(len(of)), _scores(constant)]
            cells += [
                _scores(foretold(of, way)) if clef or way is not elsewhere else "" for way in ways.values()
            ]
            rows.append(cells)
    return table(["sessions", "number", "constant", *ways], rows)


def _scores(of: Sequence[tuple[Floats, Floats]]) -> str:
    """'.144 / .012 (.150)': pooled over documents, and the mean log-loss of a session."""
    p, came = (np.concatenate(each) for each in zip(*of, strict=True))
    by_session = np.mean([log_loss(*each) for each in of])
    return f"{log_loss(p, came):.3f} / {ece(reliability(p, came)):.3f} ({by_session:.3f})"


def line(name: str, frame: pd.DataFrame) -> list[str]:
    """Covered, above, tests and scores of one part of what was said."""
    cells = [name, f"{frame['review'].nunique()} / {len(frame)}", *covered(frame)]
    p = calibrated(frame)[1]
    cells.append("" if math.isnan(p) else _p(p))
    ratio = (frame["mean"] + 0.5) / (frame["true"] + 0.5)
    return [*cells, f"{interval_score(frame).mean():.1f}", f"{100 * ratio.between(0.8, 1.25).mean():.0f} %"]


def covered(frame: pd.DataFrame) -> list[str]:
    """Share inside with those above, and p of a test that sets cover nine in ten on average."""
    inside = (frame["true"] >= frame["low"]) & (frame["true"] <= frame["high"])
    by_set = inside.groupby(frame["review"]).mean()
    error = float(by_set.std() / math.sqrt(len(by_set)))
    p = 2 * float(t_distribution.sf(abs(by_set.mean() - 0.9) / error, len(by_set) - 1)) if error else math.nan
    return [f"{100 * inside.mean():.0f} % / {100 * (frame['true'] > frame['high']).mean():.0f} %", _p(p)]


def _p(p: float) -> str:
    return "" if math.isnan(p) else "< .01" if p < 0.01 else f"{p:.2f}"


HEADER = ["", "sets / statements", "covered / above", "p, covered", "p, spread", "score", "within a quarter"]


def of_statements(rows: pd.DataFrame) -> str:
    """How true they were."""
    at_depths = rows["at"].str.endswith(" read")
    lines = []
    for method in METHODS:
        lines.append(line(f"**{method}**", rows[at_depths & (rows["method"] == method)]))
        for judged, words in WORDS.items():
            here = rows[at_depths & (rows["method"] == method) & (rows["judged"] == judged)]
            lines.append(line(words, here))
            lines += [line(f"{words}, {what}", here[here["what"] == what]) for what in AHEAD]
    return table(HEADER, lines)


def of_parts(rows: pd.DataFrame) -> str:
    """The mixture by depth, collection and stop."""
    rows = rows[rows["method"] == MIXTURE]
    at_depths = rows["at"].str.endswith(" read")
    lines = [line(f"{read} read", rows[rows["at"] == f"{read} read"]) for read in READ]
    lines += [
        line(name, rows[at_depths & (rows["clef"] == clef)])
        for name, clef in (("CLEF", True), ("others", False))
    ]
    lines += [line(at, rows[rows["at"] == at]) for at in rows.loc[~at_depths, "at"].unique()]
    lines.append(line("everything", rows))
    return table(HEADER, lines)


def of_settings(played: Sequence[Session], models: Models) -> str:
    """What other widening would have come to."""
    lines = []
    for temper, factor in SETTINGS:
        rows = pd.DataFrame(
            [
                row
                for each in played
                for read in READ
                for row in stated(
                    replace(models[each.group].of(each.judged), temper=temper, ahead=factor),
                    each,
                    "",
                    read,
                    (MIXTURE,),
                )
            ],
            columns=NAMES,
        )
        cells = line(f"{temper:g}, {'no factor' if factor > 1e5 else f'{factor:g}'}", rows)
        lines.append([*cells[:-1], f"{100 * always(rows):.0f} %"])
    return table([*HEADER[:-1], "sessions always inside"], lines)


def always(rows: pd.DataFrame) -> float:
    """Share of sessions whose every statement holds: the worst residual lies inside."""
    inside = (rows["true"] >= rows["low"]) & (rows["true"] <= rows["high"])
    return float(inside.groupby([rows["judged"], rows["set"]]).all().mean())


def warned(played: Sequence[Session], models: Models) -> str:
    """How many sessions the live check would ever warn."""
    count = 0
    for p, came in foretold(played, models):
        looks = np.unique(np.geomspace(1, len(p), 50).astype(int))
        count += any(against_forecasts(p[:d], came[:d]) >= AGAINST for d in looks)
    return f"{count} of {len(played)}"


def main() -> None:
    data = real_data()
    if data is None:
        raise InputProblem("Set TARSTOP_REAL_DATA to the folder with the real rankings.")
    played = sessions(data)
    models = left_out(played)
    no_clef = learned([each for each in played if not each.clef])
    elsewhere = {each.group: no_clef for each in played if each.clef}
    decided = prize.measure(data, played, models)
    rows = statements(played, models, decided)
    by_topic = (
        decided.groupby(prize.CELL, sort=False)[["depth", "right", "net_utility"]]
        .mean()
        .round(6)
        .reset_index()
    )
    of_clef = [each for each in played if each.clef]
    apart = statements(of_clef, elsewhere, decided.iloc[:0])
    at_depths = apart["at"].str.endswith(" read") & (apart["method"] == MIXTURE)
    page = PAGE.format(
        ranker=f"`{DEFAULT}`, version {RANKERS[DEFAULT].version}",
        next=of_next(played, models, elsewhere),
        statements=of_statements(rows),
        parts=of_parts(rows),
        apart=table(
            HEADER,
            [line(words, apart[at_depths & (apart["judged"] == judged)]) for judged, words in WORDS.items()],
        ),
        settings=of_settings(played, models),
        always=f"{100 * always(rows[(rows['method'] == MIXTURE) & rows['at'].str.endswith(' read')]):.0f}",
        warned=warned(played, models),
        warned_apart=warned(of_clef, elsewhere),
        two=table(prize.HEADER, prize.lines(by_topic, prize.TWO)),
        one=table(prize.HEADER, prize.lines(by_topic, prize.ONE)),
        topics=decided["topic"].nunique(),
        outcomes=decided["outcome"].nunique(),
    )
    (DOCS / "reranked_chances.md").write_text(page, encoding="utf-8")
    rows.round(5).to_csv(DOCS / "data" / "reranked_chances.csv", index=False)
    by_topic.to_csv(DOCS / "data" / "reranking_prize.csv", index=False)
    by_set(rows).to_csv(sample_dir() / "reranked" / "came_out.csv", index=False)


PAGE = """# Chances of a list that learns: are they true, and what are they worth?

`scripts/measure_reranked_chances.py` writes this page, [what was said and what was so](data/reranked_chances.csv) and
[what rules came to](data/reranking_prize.csv). Sessions are played by `scripts/reranked_sessions.py` over 25 labelled lists by the
ranker {ranker}; 22 lists are judged by title and abstract, and all by full text. What judges a set was learned without it; the two sets that share papers are
left out together.

## The next document

Log-loss / expected calibration error over all documents (and the mean log-loss of a session). *Constant* is the mean
share of the other lists.

{next}

## How many are ahead

After 20, 50, 100 and 500 documents: relevant ones among the next 20, the next 100 and all that are left. *Covered* is the share of
90 % intervals that hold the true number, *above* of those where more is found than the upper end. *p, covered* is of a t test, over
sets, that nine in ten are covered; *p, spread* of a test, over sets, that true numbers spread over fifths of what was
predicted. *Score* is the mean interval score, lower is better. *Stretched exponential* has a prior across sessions, regressed on log
length, and the posterior of this session as it is; *tempered* is widened as the mixture is.

{statements}

### By depth, collection, and where rules stop

{parts}

### All of CLEF left out

What other collections teach of the CLEF topics, after so many documents:

{apart}

### How it was widened

The evidence of one session is tempered (first number, a power), and what is ahead varies by a gamma factor (second, its
shape) that all documents ahead share. Sessions are exchangeable, states of one session are not: beside each setting stands the share of
sessions whose every statement holds, so that the worst residual of a session lies inside. The shipped setting is 0.5 with 20, of
whose sessions {always} % are always inside; it was chosen among these on the same sessions, so expect somewhat less elsewhere.

{settings}

## The live check

A ratio holds what was said of each document when it was next against other levels and spreads of the odds. It would warn {warned} sessions;
with all of CLEF left out, {warned_apart} of those on its topics.

## What it is worth

{outcomes} outcomes of {topics} topics with text, q* of .2, .5 and .8, costs of .0001, .0005, .001 and .005: 12 cells. The list learns from
what is included by title and abstract; included reports are read at once, at no cost of their own, and P(data | included) is updated by
them. Everything is learned on other topics. *Static, as it is*: chances by rank from four collections, and the learned width of the
prior, which the re-ranked list has too. *As in 2451d50*: chances by score from the other topics of the collection, and the
default prior; its default rule was what is now called Open loop, while a review now begins with Greedy. The difference is that of net
utility, re-ranked minus static, topics weighing equally, with a 95 % interval by resampling topics. The order of the static list is
the collection's (`rank_bm25`), that of the re-ranked one begins with word stems.

In two stages, as sessions begin: chances of being included, times P(data | included) of reviews, where full-text relevance stands for data.

{two}

In one stage: static chances are those of bringing data (*as it is* of full-text relevance, *as in 2451d50* of a table for the outcome),
those of the re-ranked list as above with the P(data | included) of other topics' outcomes.

{one}
"""


if __name__ == "__main__":
    try:
        main()
    except InputProblem as problem:
        sys.exit(str(problem))
