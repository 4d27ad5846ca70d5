"""The samples as the files that `tarstop replay` reads, so that pages can be held against what it prints."""

from pathlib import Path
from typing import Any

import pandas as pd

from tarstop_core.documents.tables import CELLS
from tarstop_core.documents.topic import Outcome
from tarstop_core.explore.lists import LabelledList
from tests.explore.test_explore import printed, write_run


def replayed(explored: LabelledList, folder: Path, *stakes: str) -> dict[str, Any]:
    """The one topic that `tarstop replay` prints for a sample.

    Parameters
    ----------
    explored : LabelledList
        With its truth.
    folder : Path
        Where its files go.
    stakes : str
        Options: policy, payoffs, cost.
    """
    truth = explored.truth
    topic = truth.topic if isinstance(truth, Outcome) else truth
    assert topic is not None
    folder.mkdir(exist_ok=True)
    run, qrels = write_run(topic, folder)
    calibrator = folder / "calibrator.json"
    calibrator.write_text(explored.calibrator.to_json(), encoding="utf-8")
    options = [str(run), str(qrels), f"--calibrator={calibrator}", *stakes]
    if isinstance(truth, Outcome):
        tables = folder / "tables.csv"
        studies = {"topic": topic.name, "study": truth.tables.study, "docid": topic.ids[truth.positions]}
        counts = {cell: getattr(truth.tables, cell).astype(int) for cell in CELLS}
        pd.DataFrame(studies | counts).to_csv(tables, index=False)
        options += ["--scenario=review", f"--tables={tables}"]
    (found,) = printed("replay", *options)["topics"]  # type: ignore[misc]
    return dict(found)


def decided(belief: float, rho: float, *stakes: str) -> dict[str, object]:
    """What `tarstop decide` prints for these."""
    return printed("decide", f"--belief={belief!r}", f"--rho={rho!r}", *stakes)
