"""``tarstop calibrate``."""

from pathlib import Path

import pytest

from tarstop_core.calibration.calibrator import KINDS, load
from tarstop_core.calibration.fitting import assess, fit
from tarstop_core.files import label_topics, read_qrels, read_run
from tests.cli.shell import Run, refused


@pytest.mark.parametrize("kind", KINDS)
def test_calibrate_judges_by_cross_validation_and_writes(tarstop: Run, folder: Path, kind: str) -> None:
    out = folder / "cal.json"
    arguments = ("calibrate", folder / "a.run", folder / "a.qrels", "--scenario", "patent", "--kind", kind)
    found = tarstop(*arguments, "--out", out, "--json").json
    assert list(found) == ["brier", "ece", "topics", "documents"]
    assert 0 < found["brier"] < 1 and 0 <= found["ece"] <= 1 and found["topics"] == 4
    written = load(out)
    assert written.kind == kind and written.scenario == "patent" and written.fitted_on.name == "a"
    assert written.quality is not None and written.quality.brier == found["brier"]
    assert "cross-validation" in written.quality.how
    told = tarstop(*arguments, "--out", out, "--name", "my searches")
    assert "4 topics with 160 documents" in told.out and "my searches" in load(out).fitted_on.badge


def test_calibrate_judges_on_a_test_run(tarstop: Run, folder: Path) -> None:
    out = folder / "cal.json"
    lines = (folder / "a.run").read_text(encoding="utf-8").splitlines()
    (folder / "train.run").write_text("\n".join(line for line in lines if line < "T2"), encoding="utf-8")
    (folder / "test.run").write_text("\n".join(line for line in lines if line >= "T2"), encoding="utf-8")
    found = tarstop(
        *("calibrate", folder / "train.run", folder / "a.qrels", "--scenario", "patent", "--out", out),
        *("--test-run", folder / "test.run", "--test-qrels", folder / "a.qrels", "--json"),
    )
    train, test = (
        list(label_topics(read_run(folder / name), read_qrels(folder / "a.qrels"))[0].values())
        for name in ("train.run", "test.run")
    )
    expected = assess(fit(train), test, "")
    assert found.json["brier"] == expected.brier and found.json["ece"] == expected.ece
    assert found.json["topics"] == 2 and found.json["documents"] == 80
    assert "T2, T3, T4, T5" in found.err
    assert load(out).fitted_on.topics == 2


def test_several_collections_teach_how_far_they_lie_apart_and_own_lists_update(
    tarstop: Run, folder: Path
) -> None:
    lines = (folder / "a.run").read_text(encoding="utf-8").splitlines()
    halves = [[line for line in lines if (line < "T2") == first] for first in (True, False)]
    for name, half in zip(("one.run", "two.run"), halves, strict=True):
        (folder / name).write_text("\n".join(half), encoding="utf-8")
    qrels, kind = folder / "a.qrels", ("--scenario", "patent", "--kind", "rank-frailty")
    apart, mine = folder / "apart.json", folder / "mine.json"
    also = ("--also", folder / "two.run", qrels)
    tarstop("calibrate", folder / "one.run", qrels, *kind, *also, "--out", apart, "--json")
    written = load(apart)
    assert written.fitted_on.topics == 4 and written.quality is not None
    assert "leaving each collection" in written.quality.how and written.quality.topics == 4
    tarstop("calibrate", folder / "one.run", qrels, *kind, "--start", apart, "--out", mine, "--json")
    topics = list(label_topics(read_run(folder / "one.run"), read_qrels(qrels))[0].values())
    assert (
        load(mine).list_kinds
        == fit(topics, kind="rank-frailty", start=written).list_kinds
        != written.list_kinds
    )
    refused(
        tarstop("calibrate", folder / "one.run", qrels, *kind, *also, "--start", apart, "--out", mine),
        "--also",
    )
    plain = ("--scenario", "patent", "--out", mine)
    refused(tarstop("calibrate", folder / "one.run", qrels, *plain, *also), "rank-frailty")


def test_calibrate_reviews_use_every_topic(tarstop: Run, folder: Path) -> None:
    out = folder / "cal.json"
    arguments = ("calibrate", folder / "a.run", folder / "a.qrels", "--scenario", "review", "--out", out)
    assert tarstop(*arguments, "--json").json["topics"] == 6
    assert load(out).scenario == "review"


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["none.run", "a.qrels", "--scenario", "patent"], "none.run"),
        (["a.run", "a.run", "--scenario", "patent"], "looks like a run"),
        (["a.run", "other.qrels", "--scenario", "patent"], "share no topic"),
        (["a.run", "a.qrels"], "--scenario"),
        (["a.run", "a.qrels", "--scenario", "court"], "court"),
        (["a.run", "a.qrels", "--scenario", "patent", "--kind", "magic"], "magic"),
        (["a.run", "a.qrels", "--scenario", "patent", "--test-run", "a.run"], "together"),
        (["a.run", "a.qrels", "--scenario", "patent", "--test-qrels", "a.qrels"], "together"),
        (
            [
                "a.run",
                "a.qrels",
                "--scenario",
                "patent",
                "--test-run",
                "a.run",
                "--test-qrels",
                "other.qrels",
            ],
            "share no topic",
        ),
        (["a.run", "none.relevant", "--scenario", "patent"], "No list has a relevant document"),
        (["a.run", "one.relevant", "--scenario", "patent"], "only one usable topic"),
        (["a.run", "unranked", "--scenario", "patent"], "No relevant document is ranked"),
    ],
)
def test_calibrate_refuses_and_writes_nothing(
    tarstop: Run, folder: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], word: str
) -> None:
    monkeypatch.chdir(folder)
    Path("none.relevant").write_text("T0 0 d0_1 0\n", encoding="utf-8")
    Path("one.relevant").write_text("T0 0 d0_1 1\n", encoding="utf-8")
    Path("unranked").write_text("T0 0 zz 1\nT1 0 zz 1\n", encoding="utf-8")
    refused(tarstop("calibrate", *arguments, "--out", "cal.json", "--json"), word)
    assert not Path("cal.json").exists()


def test_a_failure_after_odd_input_is_still_one_line(tarstop: Run, folder: Path, calibrator: Path) -> None:
    # Notes on files (here: topics that are judged but not ranked) are for work that was done.
    (folder / "more.qrels").write_text("T0 0 zz 1\nT9 0 d 1\n", encoding="utf-8")
    refused(
        tarstop(
            "calibrate",
            folder / "a.run",
            folder / "more.qrels",
            "--scenario",
            "patent",
            "--out",
            folder / "x",
        ),
        "No relevant document is ranked",
    )
