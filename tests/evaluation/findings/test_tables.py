"""Tables as the paper lays them out."""

from tarstop_core.evaluation.findings import aggregate, message, signed, tables
from tarstop_core.evaluation.findings.tables import shown_icer
from tarstop_core.evaluation.metrics import NoRatio
from tarstop_core.evaluation.results import Results


def test_a_panel_is_the_papers(results: Results) -> None:
    rows = aggregate.rows(results, draws=0)
    panel = tables.panel(rows, 0.8, 0.001)
    own = rows[(rows["q_star"] == 0.8) & (rows["cost"] == 0.001)].sort_values("net_utility", ascending=False)
    assert panel["Approach"].tolist() == own["approach"].tolist()
    budget = panel[panel["Approach"] == "Budget"].iloc[0]
    assert budget["Screened"] == "100.0" and budget["Decide now"] == "0.5000"
    assert (panel["ICER"] == "Ref.").sum() == 1
    assert all(len(cell.lstrip("−").partition(".")[2]) == 4 for cell in panel["Net utility"])


def test_intervals_stand_beside_their_means(results: Results) -> None:
    panel = tables.panel(aggregate.rows(results, draws=20), 0.8, 0.001)
    assert panel["Net utility"].str.match(r"−?\d\.\d{4} \(−?\d\.\d{4} to −?\d\.\d{4}\)$").all()


def test_latex_has_every_panel_and_escapes(results: Results) -> None:
    text = tables.latex(aggregate.rows(results, draws=20), 0.001, "50 % of ω⁺ & more; truth: full_evidence")
    assert text.count(r"\midrule") == 3 and text.count(r"$q^* = ") == 3
    assert r"\caption{50 \% of $\omega^+$ \& more; truth: full\_evidence}" in text
    lines = [line for line in text.splitlines() if line.endswith(r"\\") and "multicolumn" not in line]
    assert len(lines) == 1 + 3 * len(results.methods)
    assert {line.replace(r"\&", "").count("&") for line in lines} == {len(tables.HEADINGS) - 1}
    assert "−" not in text
    defined = sum("not defined" not in line for line in lines[1:])
    assert text.count(" to ") == defined > 0, "Wilson's interval of reliability, and no bootstrap interval"


def test_no_ratio_is_explained_wherever_it_stands(results: Results) -> None:
    rows = aggregate.rows(results, draws=0)
    neither = rows["icer"] == "--"
    assert neither.any() and not neither.all()
    words = {reason: message("no_ratio", reason=reason.value) for reason in NoRatio}
    assert set(rows["icer_note"][neither]) <= {words[NoRatio.SAME_DOCUMENTS], words[NoRatio.SAME_AGREEMENT]}
    assert set(rows["icer_note"][~neither]) == {""}
    for row in rows[neither].to_dict("records"):
        greedy = rows[
            (rows["method"] == "greedy") & (rows["q_star"] == row["q_star"]) & (rows["cost"] == row["cost"])
        ]
        same_documents = row["icer_note"] == words[NoRatio.SAME_DOCUMENTS]
        figure, near = ("screened", 0.1) if same_documents else ("decision_agreement", 1e-4)
        assert abs(greedy[figure].item() - row[figure]) < near
    assert tables.icer_note(rows) == [message("icer_note", alone=False)]
    assert not tables.icer_note(rows[~neither])
    alone = aggregate.rows(results.only(["budget"]), draws=0)
    assert set(alone["icer_note"]) == {words[NoRatio.ALONE]}
    assert words[NoRatio.ALONE] in tables.latex(alone, 0.001, "B")
    assert "ICER ``--''" in tables.latex(rows, 0.001, "B")


def test_recall_is_said_with_what_it_is_over(results: Results) -> None:
    rows = aggregate.rows(results, draws=0, target=0.8)
    (recall_note,) = tables.notes(rows[rows["icer"] != "--"])
    assert recall_note == message("recall_note", topics=24, with_relevant=12, target=0.8)
    panel = tables.panel(rows, 0.8, 0.001)
    assert panel["Reliability"].str.match(r"\d\.\d{4} \(\d\.\d{4} to \d\.\d{4}\)$").all()


def test_signs() -> None:
    assert [tables.signed(value) for value in (-0.00004, -0.00006, 1.0)] == ["0.0000", "−0.0001", "1.0000"]


def test_the_cost_of_the_tables() -> None:
    assert tables.headline_cost("patent", (0.0001, 0.001, 1.0)) == 0.001
    assert tables.headline_cost("review", (0.0001, 0.001)) == 0.0001
    assert tables.headline_cost("review", (0.5, 0.1, 0.3)) == 0.3


def test_signed_by_example() -> None:
    assert (signed(-1.25), signed(-0.00001)) == ("−1.2500", "0.0000")


def test_shown_icer_by_example() -> None:
    assert (shown_icer("Ref."), shown_icer(503.636)) == ("Ref.", "503.6")
