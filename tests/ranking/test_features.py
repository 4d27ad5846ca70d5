"""Features of a collection: weights by their formula, hashes that need no vocabulary, files beside the collection."""

from collections import Counter
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tarstop_core.errors import InputProblem
from tarstop_core.ranking.features import Features, load_features, make_features
from tarstop_core.ranking.words import WORD_TOKENS

SOME = st.sampled_from(["mast", "Masts", "hinge,", "fold", "a", "the", "x-ray", "0", "kettle"])
TEXTS = st.lists(st.lists(SOME, max_size=12).map(" ".join), min_size=2, max_size=9)


def likeness(texts: list[str]) -> np.ndarray:
    """How alike each two documents are, term by term."""
    counts = []
    for text in texts:
        words = WORD_TOKENS(text)
        counts.append(Counter([*words, *pairwise(words)]))
    held_by = Counter(term for each in counts for term in each)
    rows = []
    for each in counts:
        row = {
            term: (1 + np.log(times)) * (1 + np.log((1 + len(texts)) / (1 + held_by[term])))
            for term, times in each.items()
        }
        length = np.sqrt(sum(weight**2 for weight in row.values())) or 1.0
        rows.append({term: weight / length for term, weight in row.items() if held_by[term] > 1})
    return np.array([[sum(one[term] * other.get(term, 0) for term in one) for other in rows] for one in rows])


@given(TEXTS)
def test_weights_are_those_of_the_formula(texts: list[str]) -> None:
    matrix = make_features(texts).matrix
    assert matrix.dtype == np.float32
    np.testing.assert_allclose((matrix @ matrix.T).toarray(), likeness(texts), atol=1e-5)


def test_a_text_of_the_collection_is_weighed_as_there() -> None:
    features = make_features(["a folding steel mast", "folded steel", "mast", "steel mast", ""])
    again = features.of("Steel masts").toarray()
    np.testing.assert_allclose(again, features.matrix[[3]].toarray(), atol=1e-6)
    assert features.of("nothing of it").nnz == features.of("").nnz == 0
    assert features.matrix[[4]].nnz == 0


def test_features_are_kept_beside_the_collection(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    features = make_features(["a mast", "the mast folds", "folds"])
    file = tmp_path / "features.npz"
    assert load_features(file) is None
    features.save(file)
    kept = load_features(file)
    assert isinstance(kept, Features) and len(kept) == 3
    np.testing.assert_array_equal(kept.matrix.toarray(), features.matrix.toarray())
    np.testing.assert_array_equal(kept.of("mast").toarray(), features.of("mast").toarray())
    whole = file.read_bytes()
    file.write_bytes(whole[: len(whole) // 2])
    assert load_features(file) is None
    file.write_bytes(whole)
    monkeypatch.setattr("tarstop_core.ranking.features.VERSION", 99)
    assert load_features(file) is None


@pytest.mark.parametrize("frequent", [0, 3, 65_536])
def test_scores_and_rows_are_those_of_one_matrix(
    frequent: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(0)
    texts = [" ".join(rng.choice([f"word{at}" for at in range(40)], 12)) for _ in range(60)]
    matrix = make_features(texts).matrix
    monkeypatch.setattr("tarstop_core.ranking.features.FREQUENT", frequent)
    features, file = make_features(texts), tmp_path / "features.npz"
    features.save(file)
    kept, read = load_features(file), np.array([7, 3, 59])
    weights = rng.normal(size=matrix.shape[1]).astype(np.float32)
    weights[matrix.shape[1] // 5 :: 2] = 0  # terms of no labelled document
    assert kept is not None
    for each in (features, kept):
        assert each.times(weights).tobytes() == (matrix @ weights).tobytes()
        assert (each.rows(read) != matrix[read]).nnz == (each.matrix != matrix).nnz == 0


def test_progress_is_reported_and_no_document_refused() -> None:
    told: list[tuple[int, int]] = []
    make_features(["mast"] * 3_000, progress=lambda done, N: told.append((done, N)))
    assert told == [(2048, 3000), (3000, 3000)]
    with pytest.raises(InputProblem, match="no document"):
        make_features([])
