"""What a list that learns from labels brings the rules, beside the list as it was ranked once."""

import pandas as pd
import streamlit as st

from dashboard.frame import shell
from dashboard.parts.panels import files, heading_of, table
from dashboard.results.look import Look
from tarstop_core.policies import parse_policy
from tarstop_core.presentation.numbers import percent

FILE = shell.ROOT / "docs" / "data" / "reranking_prize.csv"
WAYS = {"static, as it is": "as ranked once", "re-ranked": "learning from labels"}
MEANS = ["depth", "right", "net_utility"]


def draw(_: Look) -> None:
    """Draw the tab; it is about real reviews, whatever benchmark is chosen."""
    if not FILE.is_file():
        st.info("This was not measured yet: scripts/measure_reranked_chances.py does it.")
        return
    found = pd.read_csv(FILE)
    means = found[found["way"].isin(WAYS)].groupby(["stages", "rule", "way"], as_index=False)[MEANS].mean()
    heading_of(f"A list that learns from labels, on {found['review'].nunique()} real reviews")
    rows = [
        {
            "Reports read": row["stages"],
            "Rule": str(parse_policy(str(row["rule"]), files=False)),
            "List": WAYS[row["way"]],
            "Screened": f"{row['depth']:,.1f}",
            "Right": percent(row["right"]),
            "Net utility": f"{row['net_utility']:+.4f}".replace("-", "−"),
        }
        for row in means.sort_values(["stages", "rule", "way"], ascending=[True, True, False]).to_dict(
            "records"
        )
    ]
    table(
        rows,
        "Means over reviews, outcomes, q* and costs, whichever benchmark is chosen above; not simulated.",
    )
    files("tarstop-re-ranked", found, "re-ranked")
    st.caption(
        f"Intervals, and how chances came out on such lists: [measured]({shell.guide('reranked_chances')})."
    )
