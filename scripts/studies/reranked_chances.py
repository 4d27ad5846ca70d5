"""Whether the chances of a list that learns are true, on sessions played over labelled lists."""

import sys
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pandas as pd

from scripts.make_reranked_chances import Session, learned, left_out, next_chances, sessions
from scripts.studies.unread import coverage
from scripts.study import Study, Tables
from tarstop_core.calibration.calibrator import INCLUSION, REVIEW
from tarstop_core.calibration.quality import ece, reliability
from tarstop_core.calibration.reranked import RerankedChances, ahead
from tarstop_core.evaluation.reranking import READ, mean_log_loss
from tarstop_core.places import real_data, sample_dir

AHEAD = {"next 20": 20, "next 100": 100, "all left": None}
STATED = ["judged", "clef", "review", "set", "read", "what", "mean", "low", "high", "true", "below", "upto"]
SHIPPED = ["judged", "set", "read", "what", "mean", "low", "high", "true"]
Models = Mapping[str, RerankedChances]


def statements(played: Sequence[Session], models: Models) -> Iterator[tuple[object, ...]]:
    """What is said of the documents ahead after some numbers of documents, and what is so."""
    for session in played:
        print(session.judged, session.name, file=sys.stderr)
        documents = len(session.relevant)
        for read in (depth for depth in READ if depth < documents):
            rest = ahead(models[session.group].of(session.judged), session.relevant[:read], documents)
            for what, more in AHEAD.items():
                left = rest.left(more)
                true = int(session.relevant[read:][:more].sum())
                chances = left.chance_of_at_most(true - 1), left.chance_of_at_most(true)
                where = session.judged, session.clef, session.group, session.name
                yield (*where, read, what, left.mean, *left.interval(), true, *chances)


def next_document(
    played: Sequence[Session], models: Models, elsewhere: Models
) -> Iterator[dict[str, object]]:
    """Log-loss and calibration error of the next document, beside the mean share of the other lists."""
    for judged in (INCLUSION, REVIEW):
        for clef in (True, False):
            own = [each for each in played if each.judged == judged and each.clef == clef]
            others = [each.relevant for each in played if each.judged == judged and each.clef != clef]
            usual = float(np.mean([labels.mean() for labels in others]))
            constant = [(np.full(len(each.relevant), usual), each.relevant) for each in own]
            ways = {"constant": constant, "learned": next_chances(own, models)}
            if clef:
                ways["without CLEF"] = next_chances(own, elsewhere)
            for way, pairs in ways.items():
                p, labels = (np.concatenate(part) for part in zip(*pairs, strict=True))
                row = {"judged": judged, "clef": clef, "sessions": len(own), "way": way}
                yield row | {"log_loss": mean_log_loss(p, labels), "ece": ece(reliability(p, labels))}


def measure() -> Tables:
    """What was said and what was so, in sessions whose list was learned without; also what the Calibration page shows."""
    played = sessions(real_data())
    models = left_out(played)
    no_clef = learned([each for each in played if not each.clef])
    clef = [each for each in played if each.clef]
    elsewhere = {each.group: no_clef for each in clef}
    rows = pd.DataFrame(statements(played, models), columns=STATED)
    away = pd.DataFrame(statements(clef, elsewhere), columns=STATED)
    rows[SHIPPED].round({"mean": 2}).to_csv(sample_dir() / "reranked" / "came_out.csv", index=False)
    return {
        "reranked_chances": pd.concat([rows.assign(way="learned"), away.assign(way="without CLEF")]).round(5),
        "reranked_chances_next": pd.DataFrame(next_document(played, models, elsewhere)).round(6),
    }


def summarise(tables: Tables) -> dict[str, object]:
    """Coverage by judgment, by what is ahead and by depth."""
    every = tables["reranked_chances"]
    rows, away = (every[every["way"] == way] for way in ("learned", "without CLEF"))
    words = {INCLUSION: "by title and abstract", REVIEW: "by full text"}
    parts = {"all": rows}
    parts |= {
        f"{words[judged]}, {what}": rows[(rows["judged"] == judged) & (rows["what"] == what)]
        for judged in words
        for what in AHEAD
    }
    parts |= {f"after {READ[0]} documents": rows[rows["read"] == READ[0]]}
    parts |= {f"{words[judged]}, learned without CLEF": away[away["judged"] == judged] for judged in words}
    return {
        "parts": [{"part": name} | coverage(part) for name, part in parts.items()],
        "next": tables["reranked_chances_next"],
        "words": words,
    }


STUDY = Study(
    page="reranked_chances",
    reads="the labelled lists with text in TARSTOP_REAL_DATA; some minutes to play every session",
    tables=("reranked_chances", "reranked_chances_next"),
    measure=measure,
    summarise=summarise,
)
