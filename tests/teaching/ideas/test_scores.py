"""Scores taken for chances: what is said of them is so, and nothing is judged on what it was learned from."""

import numpy as np
import pytest

from tarstop_core.calibration.calibrator import INCLUSION
from tarstop_core.calibration.fitting import fit
from tarstop_core.samples.collections import labelled_inclusions, sample_reviews
from tarstop_core.teaching.ideas import message, scores
from tests.spoken import spoken


@pytest.mark.parametrize("of", scores.SCORES)
@pytest.mark.parametrize("rule", scores.RULES)
def test_learned_chances_come_true_and_scores_do_not(of: str, rule: str) -> None:
    found = scores.taken(of, rule)
    assert found.learned.ece < 0.02 < found.naive.ece
    relevant = sum(int(labels.sum()) for labels, *_ in found.lists)
    promised, learned = (sum(float(each[at].sum()) for each in found.lists) for at in (1, 2))
    assert abs(learned - relevant) < 0.05 * relevant
    assert not 0.5 * relevant < promised < 2 * relevant
    picture = scores.reliability_picture(found, dark=True)
    said = picture.sentence
    assert f"{relevant}" in said and f"promise {promised:,.0f};" in said
    assert {f"{promised:,.0f}", f"{relevant}"} <= set(picture.heading.split())
    assert "simulated" in {note["text"] for note in picture.drawing["layout"]["annotations"]}
    assert len(picture.rows) == sum(len(each.reliability) for each in (found.naive, found.learned))


def test_chances_are_learned_on_the_other_lists() -> None:
    topics = [labelled_inclusions(name) for name in sample_reviews()["topic"]]
    for at in (0, 7):
        others = fit(topics[:at] + topics[at + 1 :], scenario=INCLUSION, pseudo=1.0)
        _, naive, learned = scores.taken("bm25", "stretched").lists[at]
        np.testing.assert_allclose(learned, others.probabilities(topics[at].scores, len(naive)))
        assert (naive.min(), naive.max()) == (0, 1) and (np.diff(naive) <= 0).all()


def test_margins_are_those_of_documents_whose_labels_were_not_told() -> None:
    for (labels, *_), name in zip(
        scores.taken("margins", "softmax").lists, sample_reviews()["topic"], strict=True
    ):
        rest = np.asarray(labelled_inclusions(name).labels)[scores.LABELLED :]
        assert (len(labels), labels.sum()) == (len(rest), rest.sum())


def test_what_is_left_is_said_of_one_list() -> None:
    found = scores.taken("bm25", "logistic")
    picture = scores.unread_picture(found, 3)
    rows = picture.rows
    labels, naive, _ = found.lists[3]
    assert (rows[0]["unread"], rows[-1]["unread"]) == (labels.sum(), 0)
    assert rows[0]["by_the_rule"] == pytest.approx(naive.sum())
    row = rows[len(labels) // 4]
    kind, values = spoken(message, scores.unread_picture, found, 3)
    assert (kind, values["depth"], values["unread"]) == ("scores_unread", row["depth"], row["unread"])
    assert (values["naive"], values["learned"]) == (row["by_the_rule"], row["learned"])
    assert len(picture.drawing["data"]) == 3
