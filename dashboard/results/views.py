"""The tabs of the Results page."""

import json
import math
from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial

import pandas as pd
import streamlit as st

from dashboard.frame import shell
from dashboard.frame.drawing import figure, files, heading_of, note, offered, table, with_room
from dashboard.frame.widgets import bound, save_button, switch
from dashboard.results import topics
from dashboard.results.look import STAYS, Look, all_rows, errors, findings, in_words
from tarstop_core.calibration.figures import reliability_and_scores, reliability_figure
from tarstop_core.evaluation.findings import effort, figures, message, paper, reliability, signed, tables
from tarstop_core.evaluation.findings.aggregate import case_rows
from tarstop_core.evaluation.findings.paper import PAPER_NAMES
from tarstop_core.evaluation.findings.report import engine_changes, folds_words, statistics
from tarstop_core.evaluation.metrics import TARGET_RECALL
from tarstop_core.evaluation.results import Results
from tarstop_core.evaluation.tasks import TASKS, errors_of
from tarstop_core.files import table_to_csv
from tarstop_core.places import sample_dir
from tarstop_core.policies import parse_policy
from tarstop_core.presentation.numbers import percent

PRIZE = sample_dir() / "reranked" / "prize.csv"
"""Measurements of lists that learn on real reviews, with a row for each review, order, rule, q* and cost."""
TARGETS = (0.8, 0.9, TARGET_RECALL, 1.0)
WAYS = {"static, as it is": "as ranked once", "re-ranked": "learning from labels"}
MEANS = ["depth", "right", "net_utility"]


@cache
def _rows_of_every_rule() -> pd.DataFrame:
    return reliability.by_rule(reliability.shipped())


def _every_rule(look: Look) -> None:
    """Draw the tab on every rule, which shows real lists whatever benchmark is chosen."""
    rows = _rows_of_every_rule()
    spans = {"": "", "_low": " from", "_high": " to"}
    named = {f"{name}{end}": f"{name}{words}" for name in ("reached", "read") for end, words in spans.items()}
    least = {target: reliability.least_read(rows, target) for target in reliability.TARGETS}
    figure(
        "reliability",
        "How often each rule reaches its target recall",
        reliability.figure(rows, look.dark),
        message("reliability", least=least, lists=int(rows["lists"].iloc[0])),
        rows.rename(columns=named),
        "tarstop-every-rule",
    )
    table(
        [
            {"Rule": rule, "Promise": both["promise"].iloc[0]}
            | {
                f"{what} {percent(row['target'])}": f"{percent(row[name])} ({percent(row[f'{name}_low'])} to "
                f"{percent(row[f'{name}_high'])})"
                for row in both.to_dict("records")
                for what, name in (("Reached", "reached"), ("Read for", "read"))
            }
            for rule, both in rows.groupby("rule", sort=False)
        ],
        "In brackets: 95 % intervals from resampling the collections.",
        linked=False,
    )


def _learning_list(_: Look) -> None:
    """Draw the tab on lists that learn, which shows real reviews whatever benchmark is chosen."""
    measured = pd.read_csv(PRIZE)
    by = ["stages", "rule", "way"]
    means = measured[measured["way"].isin(WAYS)].groupby(by, as_index=False)[MEANS].mean()
    means = means.sort_values(by, ascending=[True, True, False])
    heading_of(f"A list that learns from labels, on {measured['topic'].nunique()} real reviews")
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
    files("Lists that learn", "tarstop-re-ranked", measured, "re-ranked")
    where = shell.guide("reranked_chances")
    st.caption(f"[Intervals, and whether chances came true on such lists]({where})")


def _table(look: Look) -> None:
    meaning = "Reliability is the share of topics on which a rule reaches it."
    targets = {value: percent(value) for value in TARGETS}
    target = switch("Target recall", targets, default=TARGET_RECALL, **bound("target"), **STAYS, help=meaning)
    rows = look.rows(target)
    task = TASKS[look.results.scenario]
    panel = tables.panel(rows, look.q_star, look.cost, task.icer_digits)
    ordered = rows.sort_values("net_utility", ascending=False, kind="stable")
    for column, name in errors_of(look.results.settings).items():
        panel[name.capitalize()] = [f"{value:,.1f}".removesuffix(".0") for value in ordered[column]]
    by_group = look.results.settings["weighed"] == "by group"
    counted = "reviews weighing equally" if by_group else "expected values for rules that draw a sample"
    caption = (
        f"In brackets: 95 % intervals, from the bootstrap except for reliability. Errors are numbers of topics, {counted}. ICER: documents for each "
        "right decision gained over Greedy, or saved for each one lost."
    )
    table(panel, caption, linked=False)
    for sentence in tables.notes(rows):
        note(sentence)
    if changes := engine_changes(rows):
        worst = changes["worst"]
        note(
            f"At the same depths the bivariate engine would have acted differently in {percent(float(changes['mean']))} "
            f"of topics on average, at most in {percent(float(worst['engine_changes']))} ({worst['approach']})."
        )

    results, every = look.results, partial(all_rows, look.subject, target)
    by_topic = partial(case_rows, results, look.q_star, look.cost)
    more = {
        "LaTeX": (".tex", lambda: tables.latex(every(), look.cost, look.caption, task.icer_digits)),
        "CSV, every q* and c": ("-all.csv", lambda: table_to_csv(in_words(every(), results))),
        "CSV, topic by topic": ("-topics.csv", lambda: table_to_csv(by_topic())),
    }
    numbers = in_words(rows.drop(columns="is_oracle"), results)
    files("Every rule in figures", look.stem, numbers, "table", more=more)
    with st.expander("What tuning chose"):
        settings = rows[["approach", "setting"]].rename(columns=str.capitalize)
        caption = "The best mean net utility on training topics; one per fold if folds differ."
        table(settings, caption, prose=True)


def _effort(look: Look) -> None:
    rows = look.rows()
    simulated = look.results.simulated
    left, right = st.columns(2, gap="large")
    with left:
        figure(
            "saved",
            "Effort saved, and correct decisions",
            effort.saved_figure(rows, simulated, look.dark),
            effort.saved_sentence(rows),
            rows[["approach", "effort_saved", "decision_agreement", "decide_now", "screened"]],
            look.stem,
        )
    with right:
        figure(
            "depths",
            "Where rules stop",
            effort.effort_figure(rows, simulated, look.dark),
            effort.effort_sentence(rows),
            rows[["approach", "screened", "depth_25", "depth_50", "depth_75"]],
            look.stem,
        )


def _chances(look: Look) -> None:
    qualities = look.everything.calibration
    if not qualities:
        st.info("No document was judged, so there is nothing to compare chances with.")
        return
    task = TASKS[look.results.scenario]
    left, right = st.columns([1.2, 1], gap="large")
    with right:
        names = {name: name for name in qualities}
        variant = switch("Chances", names, key="results/variant", label_visibility="collapsed")
        rows = [
            {
                "Chances": name,
                "Brier": f"{quality.brier:.4f}",
                "ECE": f"{quality.ece:.4f}",
                "Documents": f"{quality.documents:,}",
            }
            for name, quality in qualities.items()
        ]
        if task.paper is not None:
            printed = {"Brier": f"{task.paper.brier:g}", "ECE": f"{task.paper.ece:g}"}
            rows.append({"Chances": "the paper’s", **printed, "Documents": ""})
        table(rows, "Brier score and expected calibration error on topics not fitted on.")
        note(task.about_chances)
    quality = qualities[variant]
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
    with st.spinner("Resampling topics …"):
        frame = look.findings.comparisons
    if frame is None:
        st.info("Show Greedy and at least one other method to compare them topic by topic.")
        return
    own = look.at(frame)
    figure(
        "differences",
        "Net utility compared with Greedy on the same topics",
        effort.difference_figure(own, look.results.simulated, look.dark),
        effort.difference_sentence(own),
        own,
        look.stem,
    )


def _claims(look: Look) -> None:
    with st.spinner("Comparing methods topic by topic …"):
        names = tuple(method.name for method in look.everything.methods)
        claims = findings(replace(look.subject, methods=names)).claims
    heading_of("Claims, and whether they hold here")
    if claims.empty:
        st.info("None of the claims can be checked with the methods run.")
    else:
        claims = claims.rename(columns=str.capitalize)
        caption = "Over all q* and costs, and all methods run. A cell is one q* at one cost."
        table(claims[["Claim", "Answer"]], caption, prose=True)
        with st.expander("In which cells"):
            table(claims[["Claim", "Result"]], prose=True)


def _about(look: Look) -> None:
    run = look.everything.settings
    left, right = st.columns(2, gap="large")
    with left:
        heading_of("Rankings: achieved and published")
        simulated = " Simulated to match only these figures." if look.results.simulated else ""
        frame = statistics(look.everything).rename(columns=str.capitalize)
        table(frame, f"Over topics with relevant documents.{simulated}")
        for remark in run["notes"]:
            note(remark)
    with right:
        heading_of("Settings")
        note(f"{run['provenance']}.")
        settings = [(title, str(run[name])) for name, title in SETTINGS.items() if name in run]
        settings.append(("Topics for tuning and testing", folds_words(run["folds"])))
        table(pd.DataFrame(settings, columns=["Setting", "Value"]), prose=True)
        text = partial(json.dumps, dict(run), ensure_ascii=False, indent=1)
        with offered("Settings", "settings"):
            save_button("JSON", text, f"{look.stem}-settings.json", key="results/settings")


# --- the paper --------------------------------------------------------------------------------------

recovered = cache(paper.recovered)
POLICY_OF = {title: name for name, title in PAPER_NAMES.items()}
PLACE_OF = {title: at for at, title in enumerate(PAPER_NAMES.values())}
UTILITY_ROUNDING = 2e-4
"""Largest difference that rounding explains between the printed net utility and the one computed from other figures."""


def _beside_paper(look: Look) -> None:
    """Draw the tab with the paper's figures and this run's, for all of the paper's methods that were run."""
    results = look.everything
    task = TASKS[results.scenario]
    run = tuple(method.name for method in results.methods if method.name in PAPER_NAMES)
    subject = replace(look.subject, methods=run, share=None)
    frame = findings(subject).beside_paper if run else pd.DataFrame()
    if task.paper is not None:
        heading_of(f"The paper’s {task.paper.table} and this run")
    if frame.empty:
        st.info("No method of the paper was run here at a q* and cost of its tables.")
    else:
        laid_out = tables.beside_paper(frame, task.icer_digits, places=True)
        table(laid_out, f"{results.settings['title']} beside {paper.SOURCE}.")
        files("Beside the paper", "tarstop-paper-and-run", in_words(frame, results), "beside")
        for sentence in (*tables.icer_note(frame), *findings(subject).ordering):
            note(sentence)
    heading_of("What differs")
    items = "".join(f"<li>{sentence}</li>" for sentence in paper.differences(results))
    st.html(f"<ul class='tar-notes'>{items}</ul>")
    own = recovered()[recovered()["scenario"] == results.scenario]
    published = paper.as_shares(_in_papers_order(own), POLICY_OF)
    drawings = [("paper-errors", "Wrong decisions, recovered from the paper’s tables", published, False)]
    if run and task.paper is not None and task.paper.cost in results.costs:
        cost = task.paper.cost
        here = errors(subject, cost)
        here = _in_papers_order(here.assign(approach=here["method"].map(PAPER_NAMES)))
        title = f"Wrong decisions in this run (c = {cost:g})"
        drawings.append(("run-errors", title, here, results.simulated))
    _errors_side_by_side(drawings, results, look.dark)
    _arithmetic()


def _in_papers_order(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.sort_values("approach", key=lambda names: names.map(PLACE_OF), kind="stable")


def _errors_side_by_side(
    drawings: list[tuple[str, str, pd.DataFrame, bool]], results: Results, dark: bool
) -> None:
    """Draw figures of errors with the same scale; `drawings` has name, heading, frame, and whether it is simulated."""
    called = errors_of(results.settings)
    top = 1.1 * max(
        float((frame["false_adopt"] + frame["false_reject"]).max()) for _, _, frame, _ in drawings
    )
    for column, (name, heading, frame, simulated) in zip(st.columns(2, gap="large"), drawings, strict=False):
        drawing = with_room(figures.error_figure(frame, called, simulated, dark))
        for key in [key for key in drawing["layout"] if key.startswith("xaxis")]:
            drawing["layout"][key]["range"] = [0, top or 1]
        with column:
            sentence, numbers = figures.error_sentence(frame, called), in_words(frame, results)
            figure(name, heading, drawing, sentence, numbers, f"tarstop-{name}")


def _arithmetic() -> None:
    rows = recovered()
    gaps = (rows["net_utility_again"] - rows["net_utility"]).abs()
    near, agree, n = int((gaps <= UTILITY_ROUNDING).sum()), int(rows["icer_agrees"].sum()), len(rows)
    with st.expander(f"The paper’s {n} rows, recomputed from what they imply"):
        note(
            f"From error counts, screened, cost and q* TARstop’s own functions give {near} of {n} net utilities "
            f"within {UTILITY_ROUNDING:.4f} (at most {gaps.max():.5f} apart) and {agree} of {n} ICERs within the rounding "
            "of what they are computed from. Error counts follow from net utilities; at q* = 0.5 both errors cost the "
            "same and cannot be told apart."
        )
        table(_recomputed(rows), paper.SOURCE + ".")
        # The file has patents and reviews, which use different names for the errors.
        wrong = {"false_adopt": "wrong_a_plus", "false_reject": "wrong_a_minus"}
        files(
            "The paper’s rows, recomputed",
            "tarstop-paper-recomputed",
            rows.rename(columns=wrong),
            "recovered",
        )


def _recomputed(rows: pd.DataFrame) -> list[dict[str, str]]:
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
            "ICER, recomputed": tables.shown_icer(row["icer_again"], TASKS[row["scenario"]].icer_digits),
            "Agrees": "yes" if row["icer_agrees"] else "no",
        }
        for row in rows.to_dict("records")
    ]


def _count(value: float) -> str:
    return "not told apart" if math.isnan(value) else f"{value:g}"


# --- all tabs ---------------------------------------------------------------------------------------

SETTINGS = {
    "scenario": "Scenario",
    "truth": "Truth",
    "engine": "Belief engine",
    "theta": "Threshold on sensitivity, θ",
    "theta_sp": "Threshold on specificity",
    "b_0": "Belief before any document, b₀",
    "replications": "Random samples of QBCB and Target",
    "seed": "Seed of random samples",
    "weighed": "Weighting of means",
    "version": "TARstop",
}
TOPICS = "Topics"
VIEWS: dict[str, Callable[[Look], None]] = {
    "Table": _table,
    "Effort": _effort,
    "Chances": _chances,
    "Every rule": _every_rule,
    "Same topics": _paired,
    TOPICS: topics.draw,
    "Paper and this run": _beside_paper,
    "Learning list": _learning_list,
    "Claims": _claims,
    "About": _about,
}
FIRST = {title: VIEWS[title] for title in ("Effort", "Every rule", "Claims")}
"""The views that are always shown."""
