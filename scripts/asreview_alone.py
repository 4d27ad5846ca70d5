"""ASReview on labelled lists, in an environment that has ASReview and nothing of this programme.

``python asreview_alone.py LISTS ORDERS WORKERS``: LISTS has a JSON object a line (``name``, ``question``, ``titles``,
``abstracts``, ``relevant``, and ``files``: in what order the list may stand in a file, as positions, one or several); a line
with ``name``, ``file`` (its number among them) and ``order``, positions as read, is appended to ORDERS for each that is not
there yet. The question is a relevant record known before; everything else is as ``asreview simulate`` has it, a fit after
each label.
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


def order_read(given: dict, file: int) -> list[int]:
    """Positions in the order read; after the last relevant one, those left as the last fit has them."""
    at = np.array(given["files"][file])
    texts = pd.DataFrame({"title": given["titles"], "abstract": given["abstracts"]}).iloc[at]
    texts.loc[len(texts)] = [given["question"], ""]
    texts = texts.reset_index(drop=True)
    labels = np.append(np.array(given["relevant"])[at], 1)
    question = len(at)
    np.random.seed(file)  # noqa: NPY002 (its support vector machine draws from there)
    learning = ActiveLearningCycle.from_meta(get_ai_config("elas_u4")["value"])
    played = Simulate(
        texts,
        labels,
        [ActiveLearningCycle(querier=TopDown(), stopper=IsFittable()), learning],
        print_progress=False,
    )
    played.label([question])
    played.review()
    read = [int(each) for each in played._results["record_id"] if each != question]
    rest = np.setdiff1d(np.arange(question), read)
    if len(rest):
        features = learning.transform(texts)
        known = [*read, question]
        learning.fit(features[known], labels[known])
        read += rest[learning.rank(features[rest])].tolist()
    return at[read].tolist()


def line_of(given: dict, file: int) -> str:
    """What is kept of one."""
    return json.dumps({"name": given["name"], "file": file, "order": order_read(given, file)})


def main(lists: Path, orders: Path, workers: int) -> None:
    """Play every list, as it stands in every file, that has no order yet."""
    done = set()
    if orders.exists():
        kept = map(json.loads, orders.read_text(encoding="utf-8").splitlines())
        done = {(each["name"], each["file"]) for each in kept}
    every = [json.loads(line) for line in lists.read_text(encoding="utf-8").splitlines()]
    wanted = [
        (given, file)
        for file in range(max(len(each["files"]) for each in every))
        for given in every
        if file < len(given["files"]) and (given["name"], file) not in done
    ]
    play = joblib.Parallel(workers, return_as="generator_unordered", batch_size=1)
    with orders.open("a", encoding="utf-8") as out:
        for number, line in enumerate(play(joblib.delayed(line_of)(*each) for each in wanted), start=1):
            out.write(line + "\n")
            out.flush()
            print(f"ASReview: {number} of {len(wanted)}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]))
