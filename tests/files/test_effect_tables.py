"""Studies of an intervention from files."""

from io import BytesIO
from pathlib import Path

import numpy as np
import pytest

from tarstop_core.documents.topic import Topic
from tarstop_core.effects.studies import Form
from tarstop_core.errors import InputProblem
from tarstop_core.files import read_effect_outcomes, read_effects

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
        (EVENTS + "Ray,41,40,9,50\n", r"studies.csv: Study 1 \(Ray\) has more events"),
        ("study,effect,se\nRay,about 1,0.2\n", "line 2: effect is 'about 1'"),
        ("study,TP,FP,FN,TN\nRay,1,2,3,4\n", "no columns of studies"),
        (EVENTS.replace("\n", ",n_control\n") + "Ray,3,40,9,50,50\n", "two columns"),
        (EVENTS, "holds no studies"),
    ],
)
def test_what_is_wrong_is_named_with_its_place(text: str, words: str) -> None:
    with pytest.raises(InputProblem, match=words):
        read_effects(BytesIO(text.encode()), "studies.csv")


def test_studies_without_a_document_are_relevant_ones_that_nobody_listed(tmp_path: Path) -> None:
    (tmp_path / "T.csv").write_text(
        "study,docid,effect,se\nOne,b,0.1,0.2\nTwo,,0.2,0.2\nThree,,0.3,0.2\nFour,elsewhere,0.4,0.2\n",
        encoding="utf-8",
    )
    run = {"T": Topic("T", np.array(["a", "b"]))}
    ((outcome,), _) = read_effect_outcomes(tmp_path / "T.csv", run)
    assert outcome.studies.study[0] == "One" and outcome.positions.tolist() == [1, 2, 2, 2]
    assert outcome.topic.n_relevant == 4
