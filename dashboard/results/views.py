"""The tabs of the Results page."""

import json
from collections.abc import Callable
from dataclasses import replace
from functools import partial

import pandas as pd
import streamlit as st

from dashboard.frame import shell
from dashboard.frame.drawing import figure, files, heading_of, note, table
from dashboard.frame.widgets import bound, save, switch
from dashboard.results import data, paper, topics
from dashboard.results.look import STAYS, Look
from tarstop_core.calibration.figures import reliability_and_scores, reliability_figure
from tarstop_core.evaluation.findings import figures, tables
from tarstop_core.evaluation.findings.aggregate import REFERENCE, case_rows
from tarstop_core.evaluation.findings.report import engine_changes, folds_said, statistics
from tarstop_core.evaluation.findings.topics import saved_figure, saved_sentence
from tarstop_core.evaluation.metrics import TARGET_RECALL
from tarstop_core.evaluation.tasks import TASKS, errors_of
from tarstop_core.files import table_to_csv
from tarstop_core.places import sample_dir
from tarstop_core.policies import parse_policy
from tarstop_core.presentation.numbers import percent

PRIZE = sample_dir() / "reranked" / "prize.csv"
TARGETS = (0.8, 0.9, TARGET_RECALL, 1.0)
WAYS = {"static, as it is": "as ranked once", "re-ranked": "learning from labels"}
MEANS = ["depth", "right", "net_utility"]


def _learning_list(_: Look) -> None:
    """Draw the tab; it is about real reviews, whatever benchmark is chosen."""
    found = pd.read_csv(PRIZE)
    by = ["stages", "rule", "way"]
    means = found[found["way"].isin(WAYS)].groupby(by, as_index=False)[MEANS].mean()
    means = means.sort_values(by, ascending=[True, True, False])
    heading_of(f"A list that learns from labels, on {found['topic'].nunique()} real reviews")
    rows = [
        {
            "Reports read": row["stages"],
            "Rule": str(parse_policy(str(row["rule"]), files=False)),
            "List": WAYS[row["way"]],
            "Screened": f"{row['depth']:,.1f}",
            "Right": percent(row["right"]),
            "Net utility": f"{row['net_utility']:+.4f}".replace("-", "−"),
        }
        for row in means.to_dict("records")
    ]
    table(
        rows,
        "Means over reviews, outcomes, q* and costs, whichever benchmark is chosen above; not simulated.",
    )
    files("tarstop-re-ranked", found, "re-ranked")
    where = shell.guide("reranked_chances")
    st.caption(f"Intervals, and how chances came out on such lists: [measured]({where}).")


def _table(look: Look) -> None:
    said = "Reliability is the share of topics on which a rule reaches it."
    targets = {value: percent(value) for value in TARGETS}
    target = switch("Target recall", targets, default=TARGET_RECALL, **bound("target"), **STAYS, help=said)
    rows = data.rows(look.asked, look.q_star, look.cost, target)
    task = TASKS[look.results.scenario]
    shown = tables.panel(rows, look.q_star, look.cost, task.icer_digits)
    ordered = rows.sort_values("net_utility", ascending=False, kind="stable")
    for column, name in errors_of(look.results.settings).items():
        shown[name.capitalize()] = [f"{value:,.1f}".removesuffix(".0") for value in ordered[column]]
    counted = "expected ones for rules that draw a sample"
    if look.results.settings["weighed"] == "by group":
        counted = "reviews weighing equally"
    said = (
        f"In brackets: intervals of 95 %, by the bootstrap but for reliability. Errors are numbers of topics, {counted}. ICER: documents for each "
        "right decision gained over Greedy, or saved for each one lost."
    )
    table(shown, said, linked=False)
    for sentence in tables.notes(rows):
        note(sentence)
    if changes := engine_changes(rows):
        worst = changes["worst"]
        note(
            f"At the same depths the bivariate engine would have acted otherwise in {percent(float(changes['mean']))} "
            f"of topics on average, at most in {percent(float(worst['engine_changes']))} ({worst['approach']})."
        )

    def latex() -> str:
        return tables.latex(data.all_rows(look.asked, target), look.cost, look.said, task.icer_digits)

    def every() -> str:
        return table_to_csv(data.in_words(data.all_rows(look.asked, target), look.results))

    def by_topic() -> str:
        return table_to_csv(case_rows(look.results, look.q_star, look.cost))

    more = {
        "LaTeX": (".tex", latex),
        "CSV, every q* and c": ("-all.csv", every),
        "CSV, topic by topic": ("-topics.csv", by_topic),
    }
    files(look.stem, data.in_words(rows.drop(columns="is_oracle"), look.results), "table", more=more)
    with st.expander("What tuning chose"):
        settings = rows[["approach", "setting"]].rename(columns=str.capitalize)
        said = "The best mean net utility on training topics; one a fold where folds differ."
        table(settings, said, prose=True)


def _effort(look: Look) -> None:
    rows = data.rows(look.asked, look.q_star, look.cost)
    simulated = look.results.simulated
    left, right = st.columns(2, gap="large")
    with left:
        figure(
            "saved",
            "Effort saved, and what becomes of decisions",
            saved_figure(rows, simulated, look.dark),
            saved_sentence(rows),
            rows[["approach", "effort_saved", "decision_agreement", "decide_now", "screened"]],
            look.stem,
        )
    with right:
        figure(
            "depths",
            "Where rules stop",
            figures.effort_figure(rows, simulated, look.dark),
            figures.effort_sentence(rows),
            rows[["approach", "screened", "depth_25", "depth_50", "depth_75"]],
            look.stem,
        )


def _chances(look: Look) -> None:
    known = look.everything.calibration
    if not known:
        st.info("No document was judged, so there is nothing to compare chances with.")
        return
    task = TASKS[look.results.scenario]
    left, right = st.columns([1.2, 1], gap="large")
    with right:
        names = {name: name for name in known}
        variant = switch("Chances", names, key="results/variant", label_visibility="collapsed")
        rows = [
            {
                "Chances": name,
                "Brier": f"{each.brier:.4f}",
                "ECE": f"{each.ece:.4f}",
                "Documents": f"{each.documents:,}",
            }
            for name, each in known.items()
        ]
        if task.paper is not None:
            said = {"Brier": f"{task.paper.brier:g}", "ECE": f"{task.paper.ece:g}"}
            rows.append({"Chances": "the paper’s", **said, "Documents": ""})
        table(rows, "Brier score and expected calibration error on topics not fitted on.")
        note(task.about_chances)
    quality = known[variant]
    bins = pd.DataFrame(quality.reliability, columns=["chance", "found", "documents"])
    with left:
        figure(
            "reliability",
            f"Chances and what was found ({variant}, {quality.how})",
            reliability_figure(quality.reliability, look.results.simulated, look.dark),
            reliability_and_scores(quality),
            bins,
            look.stem,
        )


def _paired(look: Look) -> None:
    if REFERENCE not in look.asked.methods or len(look.asked.methods) < 2:
        st.info("Show Greedy and at least one other method to compare them topic by topic.")
        return
    with st.spinner("Resampling topics …"):
        frame = data.compared(look.asked)
    own = frame[(frame["q_star"] == look.q_star) & (frame["cost"] == look.cost)]
    figure(
        "differences",
        "Net utility against Greedy on the same topics",
        figures.difference_figure(own, look.results.simulated, look.dark),
        figures.difference_sentence(own),
        own,
        look.stem,
    )


def _claims(look: Look) -> None:
    with st.spinner("Comparing methods topic by topic …"):
        every = tuple(method.name for method in look.everything.methods)
        found = data.verdicts(replace(look.asked, methods=every))
    heading_of("Claims, whichever way they come out here")
    rows = [{"Claim": each.claim, "Found": each.found} for each in found]
    if not rows:
        st.info("The methods that were run do not allow any of the claims to be looked at.")
    else:
        said = "Over all q* and costs, and all methods that were run. In doubt: the interval holds 0."
        table(rows, said, prose=True)


def _about(look: Look) -> None:
    known = look.everything.settings
    left, right = st.columns(2, gap="large")
    with left:
        heading_of("Rankings: achieved and published")
        said = " Simulated to match these figures and nothing else." if look.results.simulated else ""
        frame = statistics(look.everything).rename(columns=str.capitalize)
        table(frame, f"Over topics with relevant documents.{said}")
        for remark in known["notes"]:
            note(remark)
    with right:
        heading_of("Settings")
        note(f"{known['provenance']}.")
        settings = [(said, str(known[name])) for name, said in SETTINGS.items() if name in known]
        settings.append(("Topics to tune and to test on", folds_said(known["folds"])))
        table(pd.DataFrame(settings, columns=["Setting", "Value"]), prose=True)
        text = partial(json.dumps, dict(known), ensure_ascii=False, indent=1)
        save("All settings as JSON", text, f"{look.stem}-settings.json", key="results/settings")


SETTINGS = {
    "scenario": "Scenario",
    "truth": "Truth",
    "engine": "Belief engine",
    "theta": "Threshold on sensitivity, θ",
    "b_0": "Belief before any document, b₀",
    "replications": "Random samples of QBCB and Target",
    "seed": "Seed of random samples",
    "weighed": "Means are weighed",
    "version": "TARstop",
}
TOPICS = "Topics"
VIEWS: dict[str, Callable[[Look], None]] = {
    "Table": _table,
    "Effort": _effort,
    "Chances": _chances,
    "Same topics": _paired,
    TOPICS: topics.draw,
    "Paper and this run": paper.draw,
    "Learning list": _learning_list,
    "Claims": _claims,
    "About": _about,
}
FIRST = {title: VIEWS[title] for title in ("Effort", "Claims")}
"""What everybody is shown."""
