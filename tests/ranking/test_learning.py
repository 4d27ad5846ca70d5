"""What a ranker that learns makes of labels, typed words, full texts and scores from elsewhere."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tarstop_core.errors import InputProblem
from tarstop_core.ranking import learning
from tarstop_core.ranking.features import make_features
from tarstop_core.ranking.learning import (
    EVERY_LABEL,
    ITS_SCORE,
    Feedback,
    Label,
    StaticRanker,
    SVMRanker,
    due,
    parse_ranker,
    reading_order,
)

TEXTS = [
    "liver ultrasound in adults",
    "liver ultrasound in children",
    "liver biopsy in adults",
    "liver biopsy in children",
    "knee surgery in adults",
    "knee surgery in children",
    "knee braces",
    "",
]
FEATURES = make_features(TEXTS)
START = np.zeros(len(TEXTS))


def told(**labels: Label) -> Feedback:
    """Labels by position, as in ``d2=Label.RELEVANT``."""
    said = np.zeros(len(TEXTS), dtype=np.int8)
    for name, label in labels.items():
        said[int(name[1:])] = label
    return Feedback("organs", said, START)


def scores(known: Feedback, seed: int = 0) -> np.ndarray:
    return SVMRanker(presumed=0).scores(FEATURES, known, seed)


ONE_EACH = told(d0=Label.RELEVANT, d4=Label.NOT_RELEVANT)


def test_documents_like_the_relevant_ones_come_first() -> None:
    found = scores(ONE_EACH)
    assert found[1] > found[2] > found[6] > found[5]
    np.testing.assert_array_equal(found, scores(ONE_EACH))


def test_without_labels_the_list_stays_as_it_began() -> None:
    known = replace(told(), start=np.arange(8.0))
    np.testing.assert_array_equal(SVMRanker().scores(FEATURES, known, 0), known.start)
    alone = Feedback("organs", np.array([Label.NOT_RELEVANT]), np.ones(1))
    assert SVMRanker().scores(make_features([""]), alone, 0).tolist() == [1.0]


def test_typed_words_speak_for_and_against() -> None:
    plain = scores(ONE_EACH)
    for_it, against = (
        scores(replace(ONE_EACH, **{name: "biopsy"})) for name in ("words_for", "words_against")
    )
    assert for_it[2] - for_it[1] > plain[2] - plain[1] > against[2] - against[1]


def test_typed_words_count_before_any_label() -> None:
    found = SVMRanker().scores(FEATURES, replace(told(), words_for="biopsy"), 0)
    assert {*np.argsort(-found)[:2].tolist()} == {2, 3}
    against = SVMRanker().scores(FEATURES, replace(told(), question="liver", words_against="biopsy"), 0)
    assert {*np.argsort(-against)[:2].tolist()} == {0, 1}


def test_what_the_full_text_said_teaches_otherwise() -> None:
    def liver_before_knee(label: Label) -> float:
        found = scores(told(d0=Label.INCLUDED, d2=label, d4=Label.NOT_RELEVANT))
        return float(found[3] - found[5])

    assert liver_before_knee(Label.OTHER_KIND) > liver_before_knee(Label.NOT_RELEVANT)
    of_abstract, of_text = (
        scores(told(d0=Label.RELEVANT, d2=label, d4=Label.NOT_RELEVANT))
        for label in (Label.RELEVANT, Label.INCLUDED)
    )
    assert of_text[3] - of_text[1] > of_abstract[3] - of_abstract[1]


def test_scores_from_elsewhere_count_once_labels_bear_them_out() -> None:
    rng = np.random.default_rng(5)
    relevant = rng.random(200) < 0.3
    features = make_features([" ".join(rng.choice([f"w{i}" for i in range(40)], 6)) for _ in relevant])
    labels = np.where(relevant, Label.RELEVANT, Label.NOT_RELEVANT).astype(np.int8)
    labels[100:] = Label.UNREAD
    given = Feedback("w1", labels, np.zeros(200))

    def right(outside: np.ndarray | None) -> float:
        found = SVMRanker().scores(features, replace(given, outside=outside), 0)[100:]
        return float(np.mean(found[relevant[100:]][:, None] > found[~relevant[100:]]))

    telling = np.where(rng.random(200) < 0.1, np.nan, relevant + rng.normal(0, 0.3, 200))
    assert right(telling) > 0.9 > right(None)
    assert right(np.full(200, np.nan)) == right(np.ones(200)) == right(None)
    assert abs(right(rng.normal(size=200)) - right(None)) < 0.1


def test_why_names_the_words_that_weigh_most() -> None:
    said = SVMRanker(presumed=0).why(FEATURES, ONE_EACH, 5, "Knee surgery, in children", 0)
    assert [*said][-1] == "Knee surgery" and max(said, key=lambda term: said[term]) == "children"
    assert ITS_SCORE not in said and SVMRanker().why(FEATURES, told(), 0, TEXTS[0], 0) == {}


def test_what_is_said_of_a_document_adds_up_to_its_score() -> None:
    outside = np.array([0.9, 0.8, 0.9, np.nan, 0.2, 0.1, 0.1, 0.3])
    known = replace(told(d0=Label.RELEVANT, d2=Label.RELEVANT, d4=Label.NOT_RELEVANT), outside=outside)
    found = scores(known)
    for at, text in enumerate(TEXTS):
        said = SVMRanker(presumed=0).why(FEATURES, known, at, text, 0)
        assert sum(said.values()) == pytest.approx(found[at], abs=1e-6)
        assert (said[ITS_SCORE] > 0) == (outside[at] > 0.5)


def test_it_is_asked_after_each_label_and_then_every_few() -> None:
    asked = [0]
    for labels in range(1, 200):
        if due(labels, asked[-1]):
            asked.append(labels)
    assert asked[: EVERY_LABEL + 1] == [*range(EVERY_LABEL + 1)]
    after = np.array(asked[EVERY_LABEL:])
    assert (np.diff(after) == np.ceil(0.04 * after[:-1])).all()


def test_equal_scores_are_ordered_by_the_seed_alone() -> None:
    equal = np.zeros(50)
    one, other = reading_order(equal, 1), reading_order(equal, 2)
    assert one.tolist() != other.tolist() and sorted(one) == sorted(other) == list(range(50))
    equal[7] = 1
    assert reading_order(equal, 1)[0] == 7


def test_a_file_that_holds_no_ranker_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(
        "from tarstop_core.ranking.learning import Ranker\n"
        "class Mine(Ranker):\n    def scores(self, features, told, seed): ...\n",
        encoding="utf-8",
    )
    for spec, said in (
        (f"{file}:Mine", "no text 'name'"),
        (f"{file}:Other", "no class 'Other'"),
        ("x", "no ranker"),
    ):
        with pytest.raises(InputProblem, match=said):
            parse_ranker(spec)


@pytest.mark.parametrize(
    "earlier, kind", [("Told", Feedback), ("Linear", SVMRanker), ("Unmoved", StaticRanker)]
)
def test_files_of_earlier_versions_find_classes_by_their_earlier_names(earlier: str, kind: type) -> None:
    with pytest.warns(DeprecationWarning, match=f"{earlier} is now called {kind.__name__}"):
        assert getattr(learning, earlier) is kind
    with pytest.raises(AttributeError):
        getattr(learning, f"{earlier}er")


def test_a_ranker_of_an_earlier_version_is_described_by_its_own_sentence(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(
        "from tarstop_core.ranking.learning import StaticRanker\n"
        "class Mine(StaticRanker):\n    said = 'As before.'\n",
        encoding="utf-8",
    )
    with pytest.warns(DeprecationWarning, match="'said' is now called 'summary'"):
        assert parse_ranker(f"{file}:Mine").summary == "As before."
