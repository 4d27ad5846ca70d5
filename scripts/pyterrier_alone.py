"""GRLStop of pyterrier-tar, in an environment that has it and nothing of this programme.

``python pyterrier_alone.py LISTS CHOICES SEED``: LISTS is JSON with ``targets`` and with ``train`` and ``test``, each a list of
objects ``name``, ``scores`` and ``relevant`` (0 or 1), best first. An agent is trained on one half for so many choices. For each
list of the other and each target, a line of CSV says after how many documents it stops.
"""

import json
import sys
from pathlib import Path

import pandas as pd
from pyterrier_tar.grl import GRLStop


def frame(lists: list[dict]) -> pd.DataFrame:
    """The lists as that package has them: a row a document."""
    parts = [
        pd.DataFrame({"qid": each["name"], "score": each["scores"], "label": each["relevant"]})
        for each in lists
    ]
    table = pd.concat(parts).rename_axis("rank").reset_index()
    return table.assign(docno=table["qid"] + "-" + table["rank"].astype(str))


def main(lists: Path, choices: int, seed: int) -> None:
    """Train on one half and say where it stops on the other."""
    given = json.loads(lists.read_text(encoding="utf-8"))
    targets, test = given["targets"], frame(given["test"])
    agent = GRLStop(targets[0], targets, total_timesteps=choices, random_state=seed)
    agent.fit(frame(given["train"]))
    reports = []
    for target in targets:
        agent.target_recall = target
        reports.append(agent.stop_report(test)[["qid", "stop"]].assign(target=target))
    pd.concat(reports).to_csv(sys.stdout, index=False)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
