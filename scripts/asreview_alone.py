"""ASReview on labelled lists, in an environment that has ASReview and nothing of this programme.

``python asreview_alone.py LISTS ORDERS WORKERS``: LISTS has a JSON object a line (``name``, ``question``, ``titles``,
``abstracts``, ``relevant``, and ``files``: orders in which the list may stand in a file, as positions). For each list and file a
line with ``name``, ``file`` and ``order``, positions as read, is appended to ORDERS unless it is there. The question is a
relevant record known before; everything else is as ``asreview simulate`` has it, a fit after each label.
"""

import json
import sys
from pathlib import Path

import joblib
import numpy as np
import pandas as pd
from asreview import ActiveLearningCycle, Simulate
from asreview.models.models import get_ai_config
from asreview.models.queriers import TopDown
from asreview.models.stoppers import IsFittable


def order_read(given: dict, file: int) -> str:
    """The line of a list in a file; after the last relevant document, the others stand as the last fit has them."""
    at = np.array(given["files"][file])
    texts = pd.DataFrame({"title": given["titles"], "abstract": given["abstracts"]}).iloc[at]
    texts.loc[len(texts)] = [given["question"], ""]
    texts, question = texts.reset_index(drop=True), len(at)
    labels = np.append(np.array(given["relevant"])[at], 1)
    np.random.seed(file)  # noqa: NPY002 (its support vector machine draws from there)
    learning = ActiveLearningCycle.from_meta(get_ai_config("elas_u4")["value"])
    cycles = [ActiveLearningCycle(querier=TopDown(), stopper=IsFittable()), learning]
    played = Simulate(texts, labels, cycles, print_progress=False)
    played.label([question])
    played.review()
    read = [int(record) for record in played._results["record_id"] if record != question]
    rest = np.setdiff1d(np.arange(question), read)
    if len(rest):
        features, known = learning.transform(texts), [*read, question]
        learning.fit(features[known], labels[known])
        read += rest[learning.rank(features[rest])].tolist()
    return json.dumps({"name": given["name"], "file": file, "order": at[read].tolist()})


def main(lists: Path, orders: Path, workers: int) -> None:
    """Play every list in every file that has no order yet."""
    kept = orders.read_text(encoding="utf-8").splitlines() if orders.exists() else []
    done = {(line["name"], line["file"]) for line in map(json.loads, kept)}
    every = [json.loads(line) for line in lists.read_text(encoding="utf-8").splitlines()]
    jobs = [(given, file) for given in every for file in range(len(given["files"]))]
    jobs = [(given, file) for given, file in jobs if (given["name"], file) not in done]
    play = joblib.Parallel(workers, return_as="generator_unordered", batch_size=1)
    with orders.open("a", encoding="utf-8") as out:
        for number, line in enumerate(play(joblib.delayed(order_read)(*job) for job in jobs), start=1):
            print(line, file=out, flush=True)
            print(f"ASReview: {number} of {len(jobs)}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]))
