"""What the shipped experiments say, in words and in the paper's tables: writes ``docs/results.md``.

Reads ``sample_data/results`` (made by ``scripts/make_results.py``) and nothing else.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from tarstop_core.evaluation.findings.aggregate import beside_paper, rows
from tarstop_core.evaluation.findings.claims import caution, ordering_sentences, verdicts
from tarstop_core.evaluation.findings.shipped import Listed, shipped
from tarstop_core.evaluation.findings.tables import headline_cost, panel, signed
from tarstop_core.evaluation.results import Results, load
from tarstop_core.evaluation.tasks.named import TASKS

STATISTICS = {
    "n_relevant": "relevant documents a topic",
    "map": "MAP",
    "ndcg": "NDCG",
    "recall_100": "Recall@100",
    "hit_within_31": "first relevant within 31",
    "hit_within_100": "first relevant within 100",
}


def table(frame: pd.DataFrame) -> str:
    """A Markdown table, the first column left."""
    header = [str(name) for name in frame.columns]
    lines = [header, ["---", *["---:"] * (len(header) - 1)]]
    lines += [[str(value) for value in row] for row in frame.itertuples(index=False)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def compared(results: Results) -> str:
    """The paper's rows and this run's, a panel each q*."""
    found = beside_paper(results)
    parts = []
    for (q_star, cost), own in found.groupby(["q_star", "cost"], sort=False):
        shown = pd.DataFrame(
            {
                "approach": own["approach"],
                "net utility": [signed(v) for v in own["net_utility"]],
                "paper": [signed(v) for v in own["net_utility_paper"]],
                "screened": [f"{v:.1f}" for v in own["screened"]],
                "paper ": [f"{v:.1f}" for v in own["screened_paper"]],
                "same decision": [f"{v:.4f}" for v in own["decision_agreement"]],
                "paper  ": [f"{v:.4f}" for v in own["decision_agreement_paper"]],
            }
        )
        parts.append(f"q* = {q_star:g}, a document costs {cost:g}:\n\n{table(shown)}")
    return "\n\n".join(parts)


def section(listed: Listed) -> str:
    """One benchmark."""
    results = load(listed.path)
    settings = results.settings
    engine = (
        ""
        if not TASKS[results.scenario].truths
        else f" Truth: {settings['truth']}; belief engine {settings['engine']}."
    )
    lines = [
        f"## {settings['title']}{' (simulated)' if results.simulated else ''}{_truth(results)}",
        f"{len(results.cases):,} test cases in {len(set(results.groups)):,} groups. {settings['provenance']}.{engine}",
    ]
    if settings["statistics"]:
        stats = pd.DataFrame(
            [
                (STATISTICS.get(name, name), f"{pair[0]:.3f}", f"{pair[1]:.3f}")
                for name, pair in settings["statistics"].items()
                if pair[0] is not None and pair[1] is not None
            ],
            columns=["ranking statistic", "achieved", "published"],
        )
        if len(stats):
            lines.append(table(stats))
    lines += [f"- **{each.claim}.** {each.found}" for each in verdicts(results)]
    if careful := caution(results):
        lines.append(careful)
    if results.simulated and "pooled" not in str(settings["truth"]):
        lines.append("### Beside the paper's table")
        lines.append(compared(results))
        lines += [f"- {sentence}" for sentence in ordering_sentences(results)]
    else:
        cost = headline_cost(results.scenario, results.costs)
        lines.append(f"At q* = 0.5 and a cost of {cost:g} a document:")
        lines.append(table(panel(rows(results), 0.5, cost)))
    return _joined(lines)


def _truth(results: Results) -> str:
    return "" if not TASKS[results.scenario].truths else f", truth: {results.settings['truth']}"


def _joined(lines: Sequence[str]) -> str:
    text = ""
    for line in lines:
        text += (
            "\n" if line.startswith("- ") and text.rstrip().rsplit("\n", 1)[-1].startswith("- ") else "\n\n"
        ) + line
    return text.strip()


def page() -> str:
    """The whole page."""
    return (
        """# What the experiments say

Every rule is tuned on training cases by grid search for mean net utility, anew for every q* and cost, and judged on
test cases; payoffs add up to 1. A cell is one of 3 q* times 8 costs. Intervals are 95 % bootstrap intervals of paired
differences (over topics in patents, reviews in reviews), with tuning and calibrators taken as given and no correction
for the number of comparisons. `scripts/make_results.py` runs the experiments and `scripts/report_results.py` writes this page
from the figures in `sample_data/results`; the Results page of the dashboard shows all of it with its controls.

Three differences from the paper are by construction. Its collections are not public, so the simulated ones match its
published ranking statistics and nothing else; the seed of the simulated reviews was chosen because both of their halves
come near these. Its Table 2 can only come from "the action that full evidence would choose" as truth, so it is compared
under that truth. And [GRLStop](grlstop.md) is a re-implementation, trained here.

"""
        + "\n\n".join(section(each) for each in shipped())
        + "\n"
    )


def main() -> int:
    """Write the page."""
    (Path(__file__).resolve().parents[1] / "docs" / "results.md").write_text(page(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
