"""ASReview on labelled lists, in an environment that has ASReview and nothing of this programme.

``python asreview_alone.py LISTS ORDERS``: LISTS has a JSON object a line (``name``, ``question``, ``titles``, ``abstracts``,
``relevant``); a line with ``name`` and ``order``, positions as read, is appended to ORDERS for each that is not there yet.
The question is a relevant record known before; everything else is as ``asreview simulate`` has it, a fit after each label.
"""

import json
import sys
from pathlib import Path

import numpy as np
import pandas as pd
from asreview import ActiveLearningCycle, Simulate
from asreview.models.models import get_ai_config
from asreview.models.queriers import TopDown
from asreview.models.stoppers import IsFittable


def order_read(given: dict) -> list[int]:
    """Positions in the order read; after the last relevant one, those left as the last fit has them."""
    texts = pd.DataFrame(
        {"title": [*given["titles"], given["question"]], "abstract": [*given["abstracts"], ""]}
    )
    question = len(texts) - 1
    learning = ActiveLearningCycle.from_meta(get_ai_config("elas_u4")["value"])
    played = Simulate(
        texts,
        np.array([*given["relevant"], 1]),
        [ActiveLearningCycle(querier=TopDown(), stopper=IsFittable()), learning],
        print_progress=False,
    )
    played.label([question])
    played.review()
    read = [int(each) for each in played._results["record_id"] if each != question]
    rest = np.setdiff1d(np.arange(question), read)
    if len(rest):
        features = learning.transform(texts)
        labels = np.array([*given["relevant"], 1])
        known = [*read, question]
        learning.fit(features[known], labels[known])
        read += rest[learning.rank(features[rest])].tolist()
    return read


def main(lists: Path, orders: Path) -> None:
    """Play every list that has no order yet."""
    done = set()
    if orders.exists():
        done = {json.loads(line)["name"] for line in orders.read_text(encoding="utf-8").splitlines()}
    for line in lists.read_text(encoding="utf-8").splitlines():
        given = json.loads(line)
        if given["name"] in done:
            continue
        order = order_read(given)
        with orders.open("a", encoding="utf-8") as out:
            out.write(json.dumps({"name": given["name"], "order": order}) + "\n")
        print(given["name"], file=sys.stderr)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
