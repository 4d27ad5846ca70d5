"""Every branch of the sentences about results, rendered."""

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd

from tarstop_core.evaluation.findings import message
from tarstop_core.evaluation.findings.claims import MethodPair
from tarstop_core.evaluation.findings.means import Mean
from tarstop_core.evaluation.metrics import NoRatio
from tests.branches import every_branch

CELL = {"q_star": 0.2, "cost": 0.001}
BEST = {"approach": "Greedy", "net_utility": 0.4, "screened": 12.0, "effort_saved": 0.9}
BEST |= {"decision_agreement": 0.95, "decide_now": 0.5}


def claims() -> Iterator[tuple[str, dict[str, Any]]]:
    """Claims, and where a run differs from the paper."""
    yield "at", CELL
    yield "caution", {"groups": 12, "unit": "reviews", "few": 30}
    yield "utility_aware_claim", {}
    for holds in (True, False):
        yield "utility_aware", {"all_beaten": holds, "titles": ["Budget"], "parts": ["Greedy beats it"]}
        counts = {"Greedy": 23, "Batch": 24}
        yield "utility_aware_answer", {"all_beaten": holds, "counts": counts, "cells": 24}
    for behind in ("", "q* = 0.2 at 1"):
        yield "beats", {"name": "Greedy", "ahead": 3, "cells": 4, "surely": 2, "behind": behind}
    gain = Mean(*map(np.asarray, (0.1, -0.2, 0.3)))
    named = {"approach": "Optimal", "reference": "Greedy", **CELL}
    for low, high in ((0.05, 0.2), (-0.2, -0.05)):
        ends = {"difference_low": low, "difference_high": high, "difference": (low + high) / 2}
        yield "pair", {"pair": MethodPair(pd.DataFrame([named | ends]), gain)}
        for interval in ((0.1, 0.05, 0.2), (0.1, -0.2, 0.3), (-0.1, -0.2, -0.05)):
            average = Mean(*map(np.asarray, interval))
            yield "pair_answer", {"pair": MethodPair(pd.DataFrame([named | ends]), average)}
    yield "same_order", CELL
    clearest = {"ahead": "Smooth", "behind": "Budget", "gap": -0.1, "gap_low": -0.2, "gap_high": -0.01}
    for turned in (1, 2):
        values = {"order": ["Budget", "Smooth"], "pairs": 6, "turned": turned, "surely": 1}
        yield "order", {**CELL, **values, "clearest": {**clearest, "gap_paper": 0.2}}
    for yes in (True, False):
        yield "topics_differ", {"simulated": yes, "topics": 20}
        yield "grlstop", {"trained": yes}
        yield "icer_note", {"alone": yes}
    yield "draw", {"draws": 20}
    for name in ("qbcb", "knee", "further_ahead"):
        yield name, {}


def tables_and_figures() -> Iterator[tuple[str, dict[str, Any]]]:
    """Notes on tables, and what figures show."""
    for reason in NoRatio:
        yield "no_ratio", {"reason": reason.value}
    for topics in (10, 12):
        yield "recall_note", {"topics": topics, "with_relevant": 10, "target": 0.95}
    for simulated in (True, False):
        yield "recall_caption", {"title": "Mine", "simulated": simulated, "topics": 12, "target": 0.95}
    yield "recall_reached_note", {"target": 0.95}
    yield "recall_effort", {"best": BEST | {"reached": 0.9}, "target": 0.95}
    for names in (["Oracle"], ["Oracle", "Oracle at once"]):
        yield "bounds", {"names": names}
    ends = {end: {"name": end.title(), "regret": 0.1, "within": ""} for end in ("best", "worst")}
    for always in (["Greedy"], ["Greedy", "Batch"], []):
        yield "regret", {**CELL, **ends, "costs": 4, "always": always, "often": ["Greedy at 3"]}
    for names in (["Greedy"], ["Greedy", "Batch"]):
        for never in (True, False):
            yield "fewest_errors", {**CELL, "names": names, "never": never}
    for adopts, rejects, free in ((0.0, 0.0, 7), (0.1, 0.0, 1), (0.0, 0.1, 0), (0.1, 0.1, 2)):
        makers = {
            "adopts": {"names": ["Knee"], "share": adopts, "kind": "false grant"},
            "rejects": {
                "names": ["Knee", "Greedy", "Batch"][: free + 1],
                "share": rejects,
                "kind": "false reject",
            },
        }
        yield "errors", {"q_star": 0.2, **makers, "free": free, "methods": 7}
    yield "not_apart", {"q_stars": ["0.5"]}
    for cell in (None, (0.2, 0.001)):
        yield "effort", {"best": BEST, "cell": cell, "net_utility_within": "", "agreement_within": ""}
        thrifty = BEST if cell else None
        yield "saved", {"best": BEST, "cell": cell, "agreement_within": "", "now": 0.5, "thrifty": thrifty}
    for better, worse in (([], []), (["Batch"], ["Knee", "QBCB"])):
        yield "differences", {**CELL, "reference": "Greedy", "better": better, "worse": worse, "unclear": []}
    for count in (1.0, 2.5):
        yield "documents", {"count": count}
    method = SimpleNamespace(title="Greedy")
    for plus, right, omega in ((0.4, 0.4, True), (1.0, 1.0, True), (0.0, 0.0, True), (0.0, 1.0, False)):
        stop = SimpleNamespace(method=method, screened=3.0, plus=plus, right=right)
        sure = [stop] if right == 1 else []
        values = {"stops": [stop], "chosen": stop, "right": sure, "quick": stop if sure else None}
        yield "topic", {"name": "T1", "length": 900, "omega": omega, **values}


def test_every_branch_reads_as_a_sentence() -> None:
    with every_branch(message):
        message("reliability", least={0.8: {"rule": "Few left", "read": 0.6}}, lists=1_590)
        for part in (claims, tables_and_figures):
            for name, values in part():
                assert message(name, **values)
