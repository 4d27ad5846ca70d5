"""How well documents are ranked by word stems and as in the paper, on real labelled lists."""

import sys

import pandas as pd

from scripts.real_lists import ABSTRACT, FULL, SETS, text_lists
from scripts.study import Tables, mean_change
from tarstop_core.documents.records import ranking_text
from tarstop_core.documents.topic import Topic
from tarstop_core.evaluation.ranking_metrics import topic_metrics
from tarstop_core.places import real_data
from tarstop_core.ranking.bm25 import PAPER, WORDS, build_index, rank_order

PAGE = "ranking"
READS = "the labelled lists with text in TARSTOP_REAL_DATA; a few minutes"
TABLES = ("ranking_topics",)
GROUPS = {ABSTRACT: (ABSTRACT,), FULL: (FULL,), SETS: (SETS,), "**the 25 lists**": (ABSTRACT, SETS)}
FIELDS = ("title and abstract", "title alone")
MEASURES = ("map", "recall_100")
SEED = 14  # of the resampling


def measure() -> Tables:
    """Average precision and recall at 100 of every list by either ranking."""
    rows = []
    for each in text_lists(real_data()):
        print(each.group, each.name, file=sys.stderr)
        ids = each.frame["id"].to_numpy(dtype=str)
        for field in FIELDS:
            texts = ranking_text(each.frame) if field == FIELDS[0] else each.frame["title"].tolist()
            for recipe in (PAPER, WORDS):
                scores = build_index(texts, recipe=recipe).scores(each.query)
                run = {each.name: Topic(each.name, ids[rank_order(scores)])}
                found = topic_metrics(run, {each.name: dict.fromkeys(each.relevant, 1)})[each.name]
                rows.append((each.group, each.name, field, recipe.name, *(found[name] for name in MEASURES)))
    columns = ["lists", "list", "text", "ranking", *MEASURES]
    return {"ranking_topics": pd.DataFrame(rows, columns=columns).round(6)}


def summarise(tables: Tables) -> dict[str, object]:
    """Both rankings over each group of lists, and their difference."""
    rows = []
    for field in FIELDS:
        for name, groups in GROUPS.items():
            topics = tables["ranking_topics"]
            topics = topics[(topics["text"] == field) & topics["lists"].isin(groups)]
            row: dict[str, object] = {"text": field, "lists": name}
            for measure_name in MEASURES:
                wide = topics.pivot(index=["lists", "list"], columns="ranking", values=measure_name)
                gain = wide["words"] - wide["paper"]
                row[measure_name] = mean_change(gain.to_numpy(), SEED) | wide.mean().to_dict()
                row["count"] = len(wide)
            rows.append(row)
    return {"rows": rows}
