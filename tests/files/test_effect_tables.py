"""Studies of an intervention from files."""

import pickle
from io import BytesIO
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tarstop_core.documents.topic import Topic
from tarstop_core.effects.studies import Form
from tarstop_core.errors import InputProblem
from tarstop_core.files import UnrecognisedColumns, read_effect_outcomes, read_effects
from tarstop_core.files.effect_tables import as_effects, effects_of_cells

EVENTS = "study,events_treated,n_treated,events_control,n_control\n"


@pytest.mark.parametrize(
    "text, form",
    [
        (EVENTS + "Ray 2001,3,40,9,50\nLee 2003,1,20,2,22\n", Form.EVENTS),
        ("Study\tEvents treatment\tN treatment\tEvents control\tN control\nRay\t3\t40\t9\t50\n", Form.EVENTS),
        (
            "study,mean_treated,sd_treated,n_treated,mean_control,sd_control,n_control\nRay,1,2,30,3,2,28\n",
            Form.MEANS,
        ),
        ("study,HR,lower,upper\nRay,0.8,0.6,1.1\n", Form.LIMITS),
        ("study,yi,sei\nRay,−0.2,0.1\n", Form.ERRORS),
        ("study,o_minus_e,v\nRay,-1.8,14.5\n", Form.LOGRANK),
    ],
)
def test_each_form_is_known_by_its_columns(text: str, form: Form) -> None:
    studies, _ = read_effects(BytesIO(text.encode()), "studies.csv" if "," in text else "studies.tsv")
    assert studies.form is form and studies.study[0].startswith("Ray")
    assert np.isfinite(studies.values).all()


def test_a_missing_number_leaves_its_study_out_and_names_are_made_up() -> None:
    studies, _ = read_effects(BytesIO(b"effect,se\n0.1,NA\n0.2,0.1\n"), "studies.csv")
    assert studies.study == ("study 1", "study 2")
    assert np.isnan(studies.values[0, 1])


@pytest.mark.parametrize(
    "text, words",
    [
        (EVENTS + "Ray,30%,40,9,50\n", "line 2: events_treated is '30%'.*percentage"),
        (EVENTS + "Ray,3.5,40,9,50\n", "line 2: events_treated is '3.5'"),
        (EVENTS + "Ray,41,40,9,50\n", r"studies.csv: Ray has more events"),
        ("study,effect,se\nRay,about 1,0.2\n", "line 2: effect is 'about 1'"),
        ("study,TP,FP,FN,TN\nRay,1,2,3,4\n", "TP and FN are counts"),
        (EVENTS.replace("\n", ",n_control\n") + "Ray,3,40,9,50,50\n", "two columns"),
        (EVENTS, "contains no studies"),
    ],
)
def test_what_is_wrong_is_named_with_its_place(text: str, words: str) -> None:
    with pytest.raises(InputProblem, match=words):
        read_effects(BytesIO(text.encode()), "studies.csv")


TRIALS = ((3, 40, 9, 50), (1, 20, 2, 22), (5, 60, 7, 61))


def lines(*more: str, rows: tuple[tuple[int, ...], ...] = TRIALS) -> str:
    """Three trials, and more lines below them."""
    trials = [f"T{at} 2001,{','.join(map(str, row))}" for at, row in enumerate(rows, 1)]
    return "\n".join([*trials, *more, ""])


def read(text: str, columns: dict[str, str] | None = None) -> tuple[list[list[float]], str]:
    studies, notes = read_effects(BytesIO(text.encode()), "studies.csv", columns)
    assert studies.form is Form.EVENTS
    return studies.values.tolist(), " ".join(notes)


AS_READ = [list(map(float, row)) for row in TRIALS]


@pytest.mark.parametrize(
    "row",
    [
        "Total,9,120,18,133",
        "Subtotal,9,120,18,133",
        "Total (95% CI),,120,,133",
        "Total events,9,,18,",
        "All studies,9,120,18,133",
        "Zusammen,9,120,18,133",
        ",9,120,18,133",
        '"Heterogeneity: Tau² = 0.01; Chi² = 15.1, df = 11 (P = 0.18)",,,,',
        "Test for overall effect: Z = 3.30 (P = 0.001),,,,",
        "I² = 27%,,,,",
    ],
)
def test_a_row_of_totals_is_no_study_and_is_named(row: str) -> None:
    values, notes = read(EVENTS + lines(row))
    assert values == AS_READ and "(line 5" in notes
    assert row.split(",")[0].strip('"')[:12] in notes or "without a name" in notes


@pytest.mark.parametrize(
    "name", ["Totally 1998", "Total 1998", "Overallston 2010", "Sumner", "Allen", "Pooley 2004"]
)
def test_a_study_whose_name_only_sounds_like_a_total_stays(name: str) -> None:
    values, notes = read(EVENTS + lines(f"{name},4,30,6,31"))
    assert values == [*AS_READ, [4, 30, 6, 31]] and not notes


def test_a_row_without_a_name_that_is_no_sum_stays() -> None:
    values, notes = read(EVENTS + lines(",9,121,18,133"))
    assert values == [*AS_READ, [9, 121, 18, 133]] and not notes


@pytest.mark.parametrize("titles", [EVENTS.strip(), "study,yi,sei"])
def test_a_header_alone_holds_no_studies(titles: str) -> None:
    with pytest.raises(InputProblem, match="contains no studies"):
        effects_of_cells("t", [titles.split(",")])


def test_totals_of_subgroups_are_left_out_and_a_study_of_that_size_stays() -> None:
    more = (
        "Subtotal A,9,120,18,133",
        "U1 2003,2,30,3,30",
        "U2 2004,2,35,4,35",
        "Both,4,65,7,65",
        "Total,13,185,25,198",
    )
    values, notes = read(EVENTS + lines(*more))
    assert values == [*AS_READ, [2, 30, 3, 30], [2, 35, 4, 35]]
    assert all(name in notes for name in ("Subtotal A", "Both", "Total"))
    values, notes = read(EVENTS + lines("Big 2009,9,120,18,133"))
    assert values == [*AS_READ, [9, 120, 18, 133]] and not notes


TITLES = {
    "RevMan": "Study or Subgroup,Experimental Events,Experimental Total,Control Events,Control Total",
    "RevMan, other arms": "Study or Subgroup,Aspirin Events,Aspirin Total,Dipyridamole Events,Dipyridamole Total",
    "events and totals twice": "Study,Events,Total,Events,Total",
    "two lines": ",Experimental,,Control,\nStudy or Subgroup,Events,Total,Events,Total",
    "two lines below a title": "Table 2,,,,\n,Aspirin,,Dipyridamole,\nStudy,Events,Total,Events,Total",
    "Covidence": "Study ID,Intervention Number of events,Intervention Total,Comparator Number of events,Comparator Total",
    "metafor": "slab,ai,n1i,ci,n2i",
    "meta": "studlab,event.e,n.e,event.c,n.c",
    "Stata": "study,tcases,ntreat,ccases,ncon",
    "numbers": "study,e1,n1,e0,n0",
    "words behind": "Trial,Events (treatment),N (treatment),Events (placebo),N (placebo)",
}


UNNAMED = {"RevMan, other arms", "events and totals twice", "two lines below a title"}
"""Whose titles say not which arm is the control: the page says how they were read."""


@pytest.mark.parametrize("of", TITLES)
def test_columns_are_known_as_tools_name_them(of: str) -> None:
    values, notes = read(TITLES[of] + "\n" + lines())
    assert values == AS_READ
    assert bool(notes) is (of in UNNAMED)


def test_groups_that_say_which_is_the_control_decide_whatever_their_order() -> None:
    for titles in (
        ",Control,,Experimental,\nStudy,Events,Total,Events,Total",
        "Study,Placebo events,Placebo n,Aspirin events,Aspirin n",
    ):
        values, _ = read(titles + "\n" + lines())
        assert values == [[c, n, a, m] for a, m, c, n in AS_READ]


def test_an_interval_is_no_column_of_events_and_weights_are_passed_over() -> None:
    text = "Study,Events,Total,Events,Total,Weight,CI,RoB\n" + lines().replace("\n", ",8.3%,0.6 to 1.1,+\n")
    values, _ = read(text)
    assert values == AS_READ


@pytest.mark.parametrize(
    "events",
    ["115", "115 (5.7%)", "115 (5.7)", "115 (5·7 %)", "115/2002", "115 / 2,002", "115/2002 (5.7%)"],
)
def test_counts_are_read_as_reviews_print_them(events: str) -> None:
    values, _ = read(EVENTS + f'Ray,"{events}","2,002",1 184,1996\nLee,1,20,2,22\n')
    assert values == [[115, 2002, 1184, 1996], [1, 20, 2, 22]]


@pytest.mark.parametrize(
    ("row", "words"),
    [
        (
            "115 (9.9%),2002",
            "line 2: events_treated is '115 .9.9%.', and 115 of 2002 is 5.7 %; give the count of events alone",
        ),
        ("115/2003,2002", "the number of people is 2002; give the count"),
        ("5.7%,2002", "not a percentage"),
        ("115,2.002", "n_treated is '2.002'; give a whole number, 0 or more, such as 1525"),
    ],
)
def test_a_count_that_could_mean_two_things_says_how_to_write_it(row: str, words: str) -> None:
    with pytest.raises(InputProblem, match=words):
        read(f"{EVENTS}Ray,{row},184,1996\n")


def test_events_with_the_people_they_are_of_need_no_column_of_people() -> None:
    text = "Study,Experimental n/N,Control n/N\nRay,3/40,9/50\nLee,1/20 (5%),2/22\nTotal,4/60,11/72\n"
    values, _ = read(text)
    assert values == [[3, 40, 9, 50], [1, 20, 2, 22]]


def test_what_is_not_known_is_asked_with_what_is() -> None:
    with pytest.raises(UnrecognisedColumns) as problem:
        read("Study,Who knows,Total,Total,Control Events\n" + lines())
    assert problem.value.columns == [
        "Study",
        "Who knows",
        "Total (column 3)",
        "Total (column 4)",
        "Control Events",
    ]
    assert problem.value.recognised == {
        "study": "Study",
        "events_control": "Control Events",
    }
    assert not problem.value.preview.columns.has_duplicates
    chosen = dict(zip(problem.value.columns[1:], Form.EVENTS.columns, strict=True))
    again = pickle.loads(pickle.dumps(problem.value))
    assert (again.columns, again.recognised) == (problem.value.columns, problem.value.recognised)
    assert read("Study,Who knows,Total,Total,Control Events\n" + lines(), chosen)[0] == AS_READ


def test_a_frame_with_a_row_of_totals_is_refused() -> None:
    frame = pd.DataFrame(
        [(f"T{at}", *row) for at, row in enumerate(TRIALS)], columns=EVENTS.strip().split(",")
    )
    frame.loc[3] = ("Total", 9, 120, 18, 133)
    with pytest.raises(InputProblem, match=r"not a study \(Total\); leave it out"):
        as_effects(frame)
    assert as_effects(frame.iloc[:3]).values.tolist() == AS_READ


def test_a_row_of_totals_moves_no_study_to_another_document(tmp_path: Path) -> None:
    text = "study,docid,events_treated,n_treated,events_control,n_control\nOne,b,3,40,9,50\nTotal,,3,40,9,50\nTwo,a,1,20,2,22\n"
    (tmp_path / "T.csv").write_text(text, encoding="utf-8")
    ((outcome,), notes) = read_effect_outcomes(tmp_path / "T.csv", {"T": Topic("T", np.array(["a", "b"]))})
    assert outcome.studies.study == ("Two", "One") and outcome.positions.tolist() == [0, 1]
    assert "“Total” (line 3)" in notes[0]


def test_studies_without_a_document_are_relevant_ones_that_nobody_listed(tmp_path: Path) -> None:
    (tmp_path / "T.csv").write_text(
        "study,docid,effect,se\nOne,b,0.1,0.2\nTwo,,0.2,0.2\nThree,,0.3,0.2\nFour,elsewhere,0.4,0.2\n",
        encoding="utf-8",
    )
    run = {"T": Topic("T", np.array(["a", "b"]))}
    ((outcome,), _) = read_effect_outcomes(tmp_path / "T.csv", run)
    assert outcome.studies.study[0] == "One" and outcome.positions.tolist() == [1, 2, 2, 2]
    assert outcome.topic.n_relevant == 4


def test_domains_of_rob_2_are_no_deaths_and_deaths_are_no_domains() -> None:
    domains = "study,e1,n1,e0,n0,D1,D2,D3,D4,D5\n"
    studies, _ = read_effects(
        BytesIO((domains + "Lee 2004,1,9,2,9,Low,Some concerns,Low,Low,Low\n").encode()), "t.csv"
    )
    assert [risk.value for risk in studies.bias if risk] == ["some"]
    deaths, _ = read_effects(BytesIO(b"study,D1,n1,D0,n0\nLee 2004,1,9,2,9\n"), "t.csv")
    assert deaths.values.tolist() == [[1, 9, 2, 9]] and not deaths.bias
