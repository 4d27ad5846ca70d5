"""The calibrator: z-scores, files, and warnings."""

import copy
import json
import math
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import ArrayLike

from tarstop_core.calibration.calibrator import KINDS, Calibrator, FittedOn, from_json, load
from tarstop_core.calibration.fitting import fit
from tarstop_core.calibration.quality import Quality, ece, quality_sentence
from tarstop_core.calibration.scores import tied_share, z_scores
from tarstop_core.errors import InputProblem
from tests.calibration.cases import SCORES, simulated, topic

# --- z-scores -------------------------------------------------------------------------------------


@given(SCORES, st.floats(0.01, 100), st.floats(-1e3, 1e3))
def test_z_scores_have_mean_0_and_sd_1_whatever_the_scale(v: list[float], a: float, shift: float) -> None:
    z = z_scores(v)
    if np.ptp(v) == 0:
        assert (z == 0).all()
        return
    assert np.isfinite(z).all()
    if np.ptp(v) > 1e-3 * np.abs(v).max():
        assert z.mean() == pytest.approx(0, abs=1e-9)
        assert z.std() == pytest.approx(1, rel=1e-9)
    if np.ptp(v) > 1:
        np.testing.assert_allclose(z_scores(a * np.array(v) + shift), z, atol=1e-5)
    order = np.argsort(v, kind="stable")
    assert (np.diff(z[order]) >= 0).all()


def test_z_scores_by_hand() -> None:
    assert z_scores([4, 2, 0]) == pytest.approx([math.sqrt(1.5), 0, -math.sqrt(1.5)])
    assert z_scores([7.0]).tolist() == [0]
    assert z_scores([]).tolist() == []
    assert z_scores([3.3] * 5).tolist() == [0] * 5


@pytest.mark.parametrize("scale", [1e-300, 1e-160, 1e160, 1e300])
def test_huge_and_tiny_scores_lose_nothing(scale: float) -> None:
    np.testing.assert_allclose(z_scores(np.array([4, 2, 0]) * scale), z_scores([4, 2, 0]), rtol=1e-12)


def test_nearly_constant_scores_stay_finite() -> None:
    assert np.isfinite(z_scores([1.0, 1.0, 1.0, math.nextafter(1, 2)])).all()
    assert np.isfinite(z_scores([5e-324, 0, 0])).all()


@pytest.mark.filterwarnings("error")
def test_scores_of_opposite_sign_near_the_largest_number() -> None:
    assert z_scores([1e308, -1e308]).tolist() == [1, -1]


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_scores_that_are_no_numbers_are_refused(bad: float) -> None:
    with pytest.raises(InputProblem):
        z_scores([1.0, bad])


def test_tied_share() -> None:
    assert tied_share([1, 1, 2, 3]) == 0.5
    assert tied_share([1, 2, 3]) == 0
    assert tied_share([]) == 0


# --- files ----------------------------------------------------------------------------------------

NUMBERS = st.floats(0, 1)
TEXTS = st.text(max_size=20)
KIND = st.tuples(st.floats(0.01, 1), st.floats(-9, 9), st.floats(0.1, 2), st.floats(0, 9))


@st.composite
def calibrators(draw: st.DrawFn) -> Calibrator:
    x = sorted(draw(st.sets(st.floats(-1e6, 1e6), min_size=1, max_size=10)))
    kind = draw(st.sampled_from(KINDS))
    count = st.integers(0, 10**9)
    bins = st.lists(st.tuples(NUMBERS, NUMBERS, count), max_size=10).map(tuple)
    quality = st.builds(
        Quality, how=TEXTS, topics=count, documents=count, brier=NUMBERS, ece=NUMBERS, reliability=bins
    )
    return Calibrator(
        kind=kind,
        scenario=draw(st.sampled_from(["patent", "review"])),
        x=tuple(x),
        y=tuple(sorted(draw(st.lists(NUMBERS, min_size=len(x), max_size=len(x))), reverse=kind == "rank")),
        fitted_on=draw(
            st.builds(
                FittedOn,
                name=TEXTS,
                topics=count,
                documents=count,
                relevant=count,
                simulated=st.booleans(),
                source=TEXTS,
                shortest_list=count,
                longest_list=count,
                top_z=st.tuples(st.floats(-1e3, 1e3), st.floats(-1e3, 1e3)),
                tied_share=NUMBERS,
            )
        ),
        frailty=draw(st.floats(1e-3, 1e6)) if kind == "frailty" else math.inf,
        list_kinds=tuple(draw(st.lists(KIND, min_size=1, max_size=5))) if kind == "rank-frailty" else (),
        lacking=draw(st.floats(0, 0.9)) if kind == "rank-frailty" else 0.0,
        quality=draw(st.one_of(st.none(), quality)),
    )


@given(calibrators())
def test_json_round_trip_is_exact(fitted: Calibrator) -> None:
    again = from_json(fitted.to_json())
    assert again == fitted
    assert again.to_json() == fitted.to_json()
    assert again.digest == fitted.digest
    json.loads(fitted.to_json(), parse_constant=lambda word: pytest.fail(f"{word} is not JSON"))


def test_load_reads_what_was_written(tmp_path: Path) -> None:
    fitted = fit(simulated(20, 30, seed=9), kind="frailty", name="Æther", source="β")
    (tmp_path / "c.json").write_text(fitted.to_json(), encoding="utf-8")
    assert load(tmp_path / "c.json") == fitted


def test_the_digest_tells_calibrators_apart() -> None:
    first, second = fit(simulated(20, 30, seed=9)), fit(simulated(20, 30, seed=10))
    assert len({first.digest, second.digest, fit(simulated(20, 30, seed=9)).digest}) == 2


def test_unreadable_files_are_named(tmp_path: Path) -> None:
    (tmp_path / "binary.json").write_bytes(b"\xff\xfe\x00\x81")
    for path in (tmp_path / "missing.json", tmp_path, tmp_path / "binary.json"):
        with pytest.raises(InputProblem, match=str(path)):
            load(path)


GOOD = json.loads(
    Calibrator(
        "frailty",
        "patent",
        (0.0, 1.0),
        (0.1, 0.2),
        FittedOn("n", 2, 20, 3, False, top_z=(1.0, 2.0)),
        2.0,
        Quality("how", 2, 20, 0.1, 0.1, ((0.1, 0.2, 3),)),
    ).to_json()
)


def usable(fitted: Calibrator) -> None:
    """Everything the program asks of a calibrator that it has accepted."""
    assert fitted.scenario in ("patent", "review")
    p = fitted.probabilities([3.0, 2.0, 1.0])
    assert fitted.curve(p).log_M[-1] <= 0
    assert fitted.fitted_on.badge
    assert all(isinstance(remark, str) for remark in fitted.mismatch([3.0, 2.0, 1.0]))
    if fitted.quality is not None:
        assert fitted.quality.brier + fitted.quality.ece >= 0
        assert ece(fitted.quality.reliability or ((0, 0, 1),)) >= 0
    from_json(fitted.to_json())


@pytest.mark.parametrize(
    "text",
    [
        "",
        "null",
        "[]",
        "3",
        '"x"',
        "{}",
        "{",
        "not json",
        "[" * 100_000,
        '{"format": "tarstop-calibrator"}',
        '{"format": "tarstop-calibrator", "version": 1}',
        '{"format": "tarstop-calibrator", "version": 99}',
        '{"format": "something else", "version": 1}',
    ],
    ids=lambda text: text[:40],
)
def test_other_texts_are_not_calibrators(text: str) -> None:
    with pytest.raises(InputProblem) as problem:
        from_json(text)
    assert str(problem.value).endswith(".")


FIELDS = [*GOOD, *(f"{part}.{key}" for part in ("fitted_on", "quality") for key in GOOD[part])]
ODD_VALUES: list[Any] = [
    None, True, -1, 0.5, 10**400, math.nan, math.inf, "", "12", [], [[]], [1], [1, "a"], [2, 1], ["0", "1"], {}, {"a": 1}
]  # fmt: skip


def calibrator_or_refusal(text: str) -> Calibrator | str:
    try:
        return from_json(text)
    except InputProblem as problem:
        return str(problem)


@pytest.mark.parametrize("field", FIELDS)
def test_a_damaged_field_is_refused_or_harmless(field: str) -> None:
    *parents, key = field.split(".")
    for value in [*ODD_VALUES, "missing", "extra"]:
        content = copy.deepcopy(GOOD)
        part = content[parents[0]] if parents else content
        if value == "missing":
            del part[key]
        elif value == "extra":
            part[key + "_"] = 1
        else:
            part[key] = value
        read = calibrator_or_refusal(json.dumps(content))
        if isinstance(read, Calibrator):
            usable(read)
        else:
            assert read.endswith(".")
            assert "\n" not in read


@pytest.mark.parametrize(
    "changes",
    [
        {"x": [0.0, 0.0]},
        {"x": [1.0, 0.0]},
        {"x": [0.0]},
        {"x": [], "y": []},
        {"y": [0.1, 1.1]},
        {"y": [-0.1, 0.1]},
        {"y": [math.nan, 0.1]},
        {"x": [math.nan], "y": [0.5]},
        {"kind": "magic"},
        {"scenario": "magic"},
        {"frailty": 0},
        {"frailty": -2},
        {"frailty": math.nan},
        {"dispersion": 0},
        {"dispersion": math.nan},
        {"dispersion": None},
        {"fitted_on": {}},
    ],
    ids=str,
)
def test_damage_that_would_change_probabilities_is_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(InputProblem):
        from_json(json.dumps({**GOOD, **changes}))


def test_a_file_without_dispersion_is_read_and_keeps_its_fingerprint() -> None:
    old = {key: value for key, value in GOOD.items() if key != "dispersion"}
    read = from_json(json.dumps(old))
    assert math.isinf(read.dispersion)
    assert json.loads(read.to_json()) == old
    assert from_json(replace(read, dispersion=2.5).to_json()).dispersion == 2.5


# --- warnings -------------------------------------------------------------------------------------


def remarks(fitted: Calibrator, scores: ArrayLike | None, n: int | None = None) -> str:
    return " ".join(fitted.mismatch(scores, n))


def test_a_list_like_the_training_lists_gives_no_warning() -> None:
    training = simulated(50, 100, seed=11)
    fitted = fit(training)
    for one in simulated(5, 100, seed=12):
        assert fitted.mismatch(one.scores) == []
    assert fitted.mismatch(training[0].scores[:60]) == []


def test_mismatches_are_said() -> None:
    fitted = fit(simulated(50, 100, seed=11))
    like = fitted_scores = np.asarray(simulated(1, 100, seed=12)[0].scores)
    assert "300 documents" in remarks(fitted, np.linspace(9, 1, 300))
    assert "documents" in remarks(fitted, fitted_scores[:20])
    assert "same" in remarks(fitted, np.ones(100))
    assert "tied" in remarks(fitted, np.round(like / np.ptp(like) * 3))
    tied_alike = fit(simulated(50, 100, seed=11, ties=True))
    assert "tied" not in remarks(tied_alike, simulated(1, 100, seed=12, ties=True)[0].scores)
    quarter = replace(fitted, fitted_on=replace(fitted.fitted_on, tied_share=0.25))
    for scores, said in (([9, 9, 8, 8, 7, 6, 5, 4], False), ([9, 9, 8, 8, 8, 6, 5, 4], True)):
        assert ("tied" in remarks(quarter, scores)) == said


def test_a_best_score_that_stands_out_otherwise_is_said() -> None:
    rng = np.random.default_rng(1)
    fitted = fit([topic(np.sort(rng.normal(0, 1, 100))[::-1], [True] + [False] * 99) for _ in range(50)])
    assert fitted.mismatch(np.sort(rng.normal(5, 3, 100))[::-1]) == []
    outlier = np.r_[1000.0, np.linspace(1, 0, 99)]
    assert "best score" in remarks(fitted, outlier)
    assert "best score" in remarks(fitted, np.r_[np.linspace(1.001, 1, 90), np.linspace(0.01, 0, 10)])
    once = replace(fitted, fitted_on=replace(fitted.fitted_on, top_z=(2.5, 2.5)))
    assert once.mismatch(outlier) == [], "one training list says nothing of how far best scores lie apart"


@pytest.mark.parametrize(("off", "said"), [(0.0, "0.0"), (0.0004, "0.04"), (0.001, "0.1"), (0.12, "12.0")])
def test_how_far_chances_were_off_is_never_rounded_away(off: float, said: str) -> None:
    sentence = quality_sentence(Quality("held-out lists", 2, 100, 0.08, off, ((0.1, 0.1, 100),)))
    assert re.findall(r"off by (\S+) percentage", sentence) == [said]


def test_a_rank_calibrator_looks_at_the_length_only() -> None:
    fitted = fit(simulated(50, 100, seed=11), kind="rank")
    assert fitted.mismatch(None, 100) == []
    assert fitted.mismatch(np.ones(100)) == []
    assert "2,000 documents" in remarks(fitted, None, 2000)


@pytest.mark.parametrize("scores", [[], [5.0]])
def test_the_shortest_lists_raise_no_error(scores: list[float]) -> None:
    assert len(fit(simulated(10, 100, seed=1)).mismatch(scores)) <= 2


def test_the_badge_says_whether_topics_were_real() -> None:
    topics = simulated(30, 20, seed=2)
    assert "30 real topics (mine)" in fit(topics, name="mine").fitted_on.badge
    assert "simulated" in fit(topics, name="mine", simulated=True).fitted_on.badge
