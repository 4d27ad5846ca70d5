"""Figures that other programmes and slower methods gave, recorded once in ``golden/``; its README says by whom."""

import csv
import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np

GOLDEN = Path(__file__).parent / "golden"


def recorded(name: str) -> Any:
    """Content of a JSON file there, gzipped or not, named without its ending."""
    packed = GOLDEN / f"{name}.json.gz"
    if packed.exists():
        return json.loads(gzip.decompress(packed.read_bytes()))
    return json.loads((GOLDEN / f"{name}.json").read_text(encoding="utf-8"))


def counts(dataset: str) -> list[tuple[float, float, float, float]]:
    """TP, FP, FN and TN of each study of a published set."""
    return [(row["TP"], row["FP"], row["FN"], row["TN"]) for row in recorded(f"reitsma/{dataset}")["table"]]


def mada_summaries() -> list[dict[str, str]]:
    """mada's summary of four published sets and of 16 reviews, the latter called ``limsi:CD…``."""
    with (GOLDEN / "mada_reference.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def sequences(content: dict[str, Any]) -> dict[str, np.ndarray]:
    """Labels in ranked order of every list that a programme was run on, by its name."""
    found = {}
    for name, each in content["inputs"].items():
        found[name] = np.zeros(each["n"], dtype=bool)
        found[name][np.array(each["relevant_ranks_1based"], dtype=int) - 1] = True
    return found
