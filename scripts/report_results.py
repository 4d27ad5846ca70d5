"""What the shipped experiments say, in words and in the paper's tables: writes ``docs/results.md``.

Reads ``sample_data/results`` (made by ``scripts/make_results.py`` and ``scripts/make_variations.py``) and nothing else.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from tarstop_core.evaluation.findings import variations
from tarstop_core.evaluation.findings.aggregate import PAPER_NAMES, beside_paper, pairs, rows
from tarstop_core.evaluation.findings.claims import caution, ordering_sentences, reasons, verdicts
from tarstop_core.evaluation.findings.shipped import Listed, shipped
from tarstop_core.evaluation.findings.tables import headline_cost, icer_note, notes, panel, shown_icer, signed
from tarstop_core.evaluation.results import Results, load
from tarstop_core.evaluation.tasks.named import TASKS
from tarstop_core.policies import POLICIES

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
    found = beside_paper(results).assign(differs_by=reasons(results))
    digits = TASKS[results.scenario].icer_digits
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
                "ICER": [shown_icer(v, digits) for v in own["icer"]],
                "paper   ": own["icer_paper"],
                "differs by": own["differs_by"],
            }
        )
        parts.append(f"q* = {q_star:g}, a document costs {cost:g}:\n\n{table(shown)}")
    return "\n\n".join([*parts, *icer_note(found)])


def pair_by_pair(results: Results) -> str:
    """Every two methods of the paper's tables, whether they stand here as they do there, and in how many draws they do."""
    found = pairs(results)
    names = {title: name for name, title in PAPER_NAMES.items()}
    drawn = variations.of(str(results.settings["benchmark"]), "seed")
    shown: dict[tuple[str, str], dict[str, str]] = {}
    for pair in found.to_dict("records"):
        two = tuple(sorted((pair["ahead"], pair["behind"]), key=list(names).index))
        sign = 1 if two[0] == pair["ahead"] else -1
        low, high = sorted((sign * pair["gap_low"], sign * pair["gap_high"]))
        text = f"{signed(sign * pair['gap_paper'])}; {signed(sign * pair['gap'])} ({signed(low)} to {signed(high)})"
        if len(drawn):
            at = drawn[(drawn["q_star"] == pair["q_star"]) & (drawn["cost"] == pair["cost"])]
            table_of = at.pivot(index="value", columns="method", values="net_utility")
            ahead = table_of[names[pair["ahead"]]] > table_of[names[pair["behind"]]]
            text += f"; {int(ahead.sum())}/{len(ahead)}"
        mark = "**" if pair["order"].startswith("other") else ""
        shown.setdefault(two, {})[f"q* = {pair['q_star']:g}"] = f"{mark}{text}{mark}"
    frame = pd.DataFrame([{"pair": " − ".join(two), **cells} for two, cells in shown.items()])
    return (
        "Pair by pair, net utility of the first less the second: in the paper; here, with its 95 % interval"
        + ("; of how many other draws of the data stand as the paper does" if len(drawn) else "")
        + f". Bold where it is the other way round.\n\n{table(frame)}"
    )


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
        lines.append(pair_by_pair(results))
        lines += otherwise(results)
    else:
        cost = headline_cost(results.scenario, results.costs)
        lines.append(f"At q* = 0.5 and a cost of {cost:g} a document:")
        own = rows(results, q_stars=[0.5], costs=[cost])
        lines += [table(panel(own, 0.5, cost)), *notes(own)]
    return _joined(lines)


def otherwise(results: Results) -> list[str]:
    """What the comparison would say had other choices been made, as far as that was measured."""
    name, scenario = str(results.settings["benchmark"]), results.scenario
    cost = headline_cost(scenario, results.costs)
    own = rows(results, costs=[cost], draws=0).set_index(["q_star", "method"])
    paper = beside_paper(results).set_index(["q_star", "method"])
    lines = []
    drawn = variations.spread(name)
    if len(drawn):
        lines += [
            f"### {drawn['draws'].max()} other draws of the data",
            f"Seeds 1 to {drawn['draws'].max()}, none of them chosen; net utility at a cost of {cost:g}. {OF_DRAWS[scenario]}",
            table(
                pd.DataFrame(
                    {
                        "q*": f"{row['q_star']:g}",
                        "approach": PAPER_NAMES[row["method"]],
                        "mean": signed(row["net_utility_mean"]),
                        "sd": f"{row['net_utility_std']:.4f}",
                        "least to most": f"{signed(row['net_utility_min'])} to {signed(row['net_utility_max'])}",
                        "draw above": signed(own.loc[(row["q_star"], row["method"]), "net_utility"]),
                        "paper": signed(paper.loc[(row["q_star"], row["method"]), "net_utility_paper"]),
                    }
                    for row in drawn.to_dict("records")
                )
            ),
        ]
    readings = variations.of(name, "reading")
    if len(readings):
        lines += [
            "### Other readings of Kneedle",
            "What ρ_min, β, cap and f mean the paper does not say; [the readings](methods.md) P (taken above), Q and R, each "
            "with cap also where nothing was found and without, tuned anew. Net utility (documents read) at a cost of "
            f"{cost:g}:",
            table(_by_q(readings, paper["net_utility_paper"].xs("knee", level="method"), paper)),
        ]
    samples = variations.of(name, "samples")
    if len(samples):
        lines += ["### QBCB by 50 samples", samples_sentence(samples, cost, paper)]
    return lines


OF_DRAWS = {
    "patent": "GRLStop is one agent throughout, trained on the draw above.",
    "review": "GRLStop is trained anew on each.",
}


def _by_q(found: pd.DataFrame, printed: pd.Series, paper: pd.DataFrame) -> pd.DataFrame:
    read = paper["screened_paper"].xs("knee", level="method")
    shown = [
        {"reading": value}
        | {
            f"q* = {row['q_star']:g}": f"{signed(row['net_utility'])} ({row['screened']:.1f})"
            for row in own.to_dict("records")
        }
        for value, own in found.groupby("value", sort=False)
    ]
    shown.append(
        {"reading": "the paper"} | {f"q* = {q:g}": f"{signed(u)} ({read[q]:.1f})" for q, u in printed.items()}
    )
    return pd.DataFrame(shown)


def samples_sentence(found: pd.DataFrame, cost: float, paper: pd.DataFrame) -> str:
    """QBCB's expectation beside experiments of 50 samples a topic."""
    exact, drawn = found[found["value"] == "expectation"], found[found["value"] != "expectation"]
    parts = []
    for row in exact.to_dict("records"):
        own = drawn[drawn["q_star"] == row["q_star"]]["net_utility"]
        parts.append(
            f"at q* = {row['q_star']:g} {signed(row['net_utility'])} in expectation, {signed(own.mean())} on average over "
            f"{len(own)} experiments ({signed(own.min())} to {signed(own.max())}), in the paper "
            f"{signed(paper.loc[(row['q_star'], 'qbcb'), 'net_utility_paper'])}"
        )
    return (
        f"Net utility at a cost of {cost:g} with 50 samples a topic, as in the paper, tuned by them too: {'; '.join(parts)}. "
        "What these samples leave open is what arithmetic can explain; the rest is data."
    )


def tuning() -> str:
    """What tuning on cases that calibrators were fitted on is worth, a row a benchmark and rule."""
    found = variations.variations()
    found = found[found["variation"] == "tuning"]
    titles = {each.benchmark: each.title for each in shipped()}
    return table(
        pd.DataFrame(
            {
                "benchmark": titles[benchmark],
                "rule": POLICIES[method].title,
                "mean difference": signed(own["difference"].mean(), 5),
                "least": _cell(own.loc[own["difference"].idxmin()]),
                "most": _cell(own.loc[own["difference"].idxmax()]),
                "worse, better for sure": f"{(own['high'] < 0).sum()}, {(own['low'] > 0).sum()} of {len(own)}",
            }
            for (benchmark, method), own in found.groupby(["benchmark", "method"], sort=False)
        )
    )


def _cell(row: pd.Series) -> str:
    where = f"q* = {row['q_star']:g}, cost {row['cost']:g}"
    return f"{signed(row['difference'])} ({signed(row['low'])} to {signed(row['high'])}; {where})"


def _truth(results: Results) -> str:
    return "" if not TASKS[results.scenario].truths else f", truth: {results.settings['truth']}"


def _joined(lines: Sequence[str]) -> str:
    text = ""
    for line in lines:
        text += (
            "\n" if line.startswith("- ") and text.rstrip().rsplit("\n", 1)[-1].startswith("- ") else "\n\n"
        ) + line
    return text.strip()


TUNING = """## Tuned on cases that calibrators were fitted without

Above, as in the paper, a rule's settings are chosen on the very cases that its chances were fitted on. Chosen in five parts
instead, each played by chances fitted on the other four, net utility on the test cases changes by (the 24 cells of q* and
cost; 95 % intervals of paired differences):"""


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
come near these, so twenty draws that nobody chose stand beside them. Its Table 2 can only come from "the action that full
evidence would choose" as truth, so it is compared under that truth. And [GRLStop](grlstop.md) is a re-implementation,
trained here on each benchmark's own training cases; where it stands depends on how long, which the paper does not say.

Beside the paper's tables a last column says what a difference is due to: **data** (other topics; *the draw alone* where the
paper's net utility lies within those of the twenty draws), **agent** (GRLStop's), **definition** (Kneedle's parameters),
**arithmetic** (an expectation where the paper averages 50 samples, or a figure that the paper's others contradict).
Under the other truth, which the Results page offers, it is **truth** as well.

"""
        + "\n\n".join(section(each) for each in shipped())
        + f"\n\n{TUNING}\n\n{tuning()}\n"
    )


def main() -> int:
    """Write the page."""
    (Path(__file__).resolve().parents[1] / "docs" / "results.md").write_text(page(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
