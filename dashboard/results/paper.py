"""The paper's tables beside a run, what differs, and what the paper's own figures imply."""

from dataclasses import replace
from typing import Any

import pandas as pd
import streamlit as st

from dashboard.frame.drawing import figure, files, heading_of, note, table, with_room
from dashboard.results import data
from dashboard.results.look import Look
from tarstop_core.evaluation.findings import claims, figures, paper, signed
from tarstop_core.evaluation.findings.aggregate import PAPER_NAMES
from tarstop_core.evaluation.findings.tables import icer_note, shown_icer
from tarstop_core.evaluation.results import Results
from tarstop_core.evaluation.tasks import TASKS, errors_of

POLICIES = {title: name for name, title in PAPER_NAMES.items()}
UTILITY_ROUNDING = 2e-4
"""How far net utility from rounded figures may lie from what is printed."""
TABLES = {name: task.paper.table for name, task in TASKS.items() if task.paper is not None}


def draw(look: Look) -> None:
    """Draw the tab, for all of the paper's methods that were run."""
    results = look.everything
    run = tuple(method.name for method in results.methods if method.name in PAPER_NAMES)
    both = replace(look.asked, methods=run, share=None)
    heading_of(f"The paper’s {TABLES[results.scenario]} and this run")
    beside, said = data.beside_paper(both) if run else (pd.DataFrame(), [])
    digits = TASKS[results.scenario].icer_digits
    if beside.empty:
        st.info("None of the paper’s methods was run here at a q* and cost of its tables.")
    else:
        table(_side_by_side(beside, digits), f"{results.settings['title']} beside {paper.SOURCE}.")
        files("tarstop-paper-and-run", data.in_words(beside, results), "beside")
        for sentence in (*icer_note(beside), *said):
            note(sentence)
    heading_of("What differs")
    items = "".join(f"<li>{each}</li>" for each in claims.differences(results))
    st.html(f"<ul class='tar-notes'>{items}</ul>")
    _decomposition(both, results, look.dark)
    _arithmetic()


def _side_by_side(beside: pd.DataFrame, digits: int) -> pd.DataFrame:
    shown: dict[str, Any] = {
        "q*": beside["q_star"].map("{:g}".format),
        "Approach": beside["approach"],
        "Place, here / paper": beside["rank"].astype(str) + " / " + beside["rank_paper"].astype(str),
    }
    for column, title, form in (
        ("net_utility", "Net utility", signed),
        ("screened", "Screened", "{:,.1f}".format),
        ("decision_agreement", "Agreement", "{:.4f}".format),
        ("recall", "Recall", "{:.4f}".format),
    ):
        shown[f"{title}, here"] = beside[column].map(form)
        shown[f"{title}, paper"] = beside[f"{column}_paper"].map(form)
    shown["ICER, here"] = [shown_icer(value, digits) for value in beside["icer"]]
    shown["ICER, paper"] = beside["icer_paper"]
    shown["Differs by"] = beside["differs_by"]
    return pd.DataFrame(shown)


def _decomposition(both: data.Asked, results: Results, dark: bool) -> None:
    recovered = data.recovered()
    order = {name: at for at, name in enumerate(PAPER_NAMES.values())}
    own = recovered[recovered["scenario"] == results.scenario]
    published = paper.as_shares(own.sort_values("approach", key=lambda names: names.map(order)), POLICIES)
    frames = [("paper-errors", "Wrong decisions, recovered from the paper’s tables", published, False)]
    said = TASKS[results.scenario].paper
    if both.methods and said is not None and said.cost in results.costs:
        cost = said.cost
        frame = data.errors(both, cost)
        frame = frame.assign(approach=[PAPER_NAMES[name] for name in frame["method"]])
        frame = frame.sort_values("approach", key=lambda names: names.map(order), kind="stable")
        frames.append(("run-errors", f"Wrong decisions in this run (c = {cost:g})", frame, results.simulated))
    called = errors_of(results.settings)
    top = 1.1 * max(float((each["false_adopt"] + each["false_reject"]).max()) for _, _, each, _ in frames)
    for column, (name, heading, frame, simulated) in zip(st.columns(2, gap="large"), frames, strict=False):
        drawing = with_room(figures.error_figure(frame, called, simulated, dark))
        for key in [key for key in drawing["layout"] if key.startswith("xaxis")]:
            drawing["layout"][key]["range"] = [0, top or 1]
        with column:
            said_, leaves = figures.error_sentence(frame, called), data.in_words(frame, results)
            figure(name, heading, drawing, said_, leaves, f"tarstop-{name}")


def _arithmetic() -> None:
    recovered = data.recovered()
    gaps = (recovered["net_utility_again"] - recovered["net_utility"]).abs()
    near, agree = int((gaps <= UTILITY_ROUNDING).sum()), int(recovered["icer_agrees"].sum())
    n = len(recovered)
    with st.expander(f"The paper’s {n} rows, recomputed from what they imply"):
        note(
            f"From error counts, screened, cost and q* this programme’s own functions give {near} of {n} net utilities "
            f"within {UTILITY_ROUNDING:.4f} (at most {gaps.max():.5f} apart) and {agree} of {n} ICERs within the rounding "
            "of what they are computed from. Error counts follow from net utilities; at q* = 0.5 both errors cost the "
            "same and cannot be told apart."
        )
        table(_recomputed(recovered), paper.SOURCE + ".")
        # Of both tasks, which call their errors differently.
        wrong = {"false_adopt": "wrong_a_plus", "false_reject": "wrong_a_minus"}
        files("tarstop-paper-recomputed", recovered.rename(columns=wrong), "recovered")


def _recomputed(recovered: pd.DataFrame) -> list[dict[str, str]]:
    return [
        {
            "Task": row["scenario"],
            "q*": f"{row['q_star']:g}",
            "Approach": row["approach"],
            "Wrong a⁺": _count(row["false_adopt"]),
            "Wrong a⁻": _count(row["false_reject"]),
            "Net utility, printed": signed(row["net_utility"]),
            "Net utility, recomputed": signed(row["net_utility_again"]),
            "ICER, printed": row["icer"],
            "ICER, recomputed": shown_icer(row["icer_again"], TASKS[row["scenario"]].icer_digits),
            "Agrees": "yes" if row["icer_agrees"] else "no",
        }
        for row in recovered.to_dict("records")
    ]


def _count(value: float) -> str:
    return "not told apart" if value != value else f"{value:g}"
