"""``tarstop belief --measure``: what is printed is what the core says."""

import math
from pathlib import Path

import pytest

from tarstop_core.documents.reports import Report, rows_of_studies
from tarstop_core.effects.beliefs import EffectTarget, belief_of_effect
from tarstop_core.effects.measures import Measure
from tarstop_core.screening.effect_settings import EffectSettings
from tarstop_core.screening.log import Event
from tarstop_core.sessions.file import export_session
from tarstop_core.sessions.store.store import Store
from tests.cli.shell import Run, refused
from tests.effects.golden import studies_of
from tests.session_cases import IDS, INCLUSION, REVIEW, N, a_collection, label, log


def table_of(name: str, header: str, folder: Path) -> str:
    studies = studies_of(name)
    rows = [
        ",".join([f'"{study}"', *map(repr, row.tolist())])
        for study, row in zip(studies.study, studies.values, strict=True)
    ]
    file = folder / f"{name}.csv"
    file.write_text(
        f"study,{header}\n" + "\n".join(rows).replace(".0,", ",").replace("nan", ""), encoding="utf-8"
    )
    return str(file)


def test_json_is_the_cores(tarstop: Run, tmp_path: Path) -> None:
    table = table_of("steurer2006_hr", "effect,low,high", tmp_path)
    said = tarstop(
        "belief",
        table,
        "--measure",
        "generic",
        "--delta",
        "0.9",
        "--direction",
        "below",
        "--prefixes",
        "--json",
    )
    here = said.json
    there = belief_of_effect(
        studies_of("steurer2006_hr"), EffectTarget(Measure.GENERIC, 0.9, above=False, ratio=True)
    )
    assert here["ratio"] and here["engine"] == "normal" and here["prefixes"] == pytest.approx(there.beliefs)
    assert here["belief"] == pytest.approx(there.beliefs[-1]) and here["prediction"] == pytest.approx(
        there.prediction
    )
    assert "log scale" in said.err
    chosen = tarstop(
        *("belief", table, "--measure", "generic", "--direction", "below", "--delta", "0.9"),
        *("--q-star", "0.5", "--option", "Trial,0.2,0.2", "--json"),
    ).json
    assert chosen["belief"] == here["belief"] and chosen["action"] in {
        row["option"] for row in chosen["options"] if row["expected"] >= 0.2
    }


def test_the_text_is_in_the_measures_own_unit(tarstop: Run, tmp_path: Path) -> None:
    table = table_of("bcg", "events_treated,n_treated,events_control,n_control", tmp_path)
    said = tarstop("belief", table, "--measure", "OR", "--delta", "0.8", "--direction", "below")
    found = belief_of_effect(studies_of("bcg"), EffectTarget(Measure.OR, 0.8, above=False, ratio=True))
    assert found.mu is not None and f"{math.exp(found.mu):.3f}" in said.out
    assert "Aronson 1948" in said.err


@pytest.mark.parametrize(
    "options, word",
    [
        (["--measure", "OR"], "--direction"),
        (["--measure", "OR", "--direction", "below", "--theta", "0.8"], "--theta"),
        (["--delta", "1"], "--measure"),
        (["--engine", "dl"], "--measure"),
        (["--measure", "MD", "--direction", "above"], "not MD"),
        (["--measure", "OR", "--direction", "above", "--ratio"], "generic"),
    ],
)
def test_options_that_do_not_fit_are_refused(
    tarstop: Run, tmp_path: Path, options: list[str], word: str
) -> None:
    table = table_of("bcg", "events_treated,n_treated,events_control,n_control", tmp_path)
    refused(tarstop("belief", table, *options), word)


def test_tables_of_another_kind_and_impossible_differences_are_named(tarstop: Run, tmp_path: Path) -> None:
    trials, accuracy = tmp_path / "trials.csv", tmp_path / "accuracy.csv"
    trials.write_text(
        "study,events_treated,n_treated,events_control,n_control\nA 1990,3,40,9,50\n", encoding="utf-8"
    )
    accuracy.write_text("study,TP,FP,FN,TN\nA 1990,60,40,40,60\n", encoding="utf-8")
    refused(tarstop("belief", trials), "--measure")
    below = ("--direction", "below")
    refused(tarstop("belief", accuracy, "--measure", "OR", *below), "2×2 tables")
    refused(tarstop("belief", trials, "--measure", "RD", "--delta", "5", *below), "0.05")


def test_a_session_file_brings_its_studies_measure_delta_engine_and_prior(
    tarstop: Run, tmp_path: Path
) -> None:
    settings = EffectSettings(
        REVIEW.payoffs,
        5.0,
        calibrator=INCLUSION.digest,
        plus="Adopt",
        minus="Don't adopt",
        delta=0.8,
        b_0=0.3,
    )
    rows = rows_of_studies(studies_of("nielweise2007"))[:3]
    file = tmp_path / "session.json"
    with Store(f"sqlite:///{tmp_path}/t.db") as store:
        of = store.create_session("Trials", a_collection(store), list(range(N)), None, settings, "x", "as is")
        for at, row in enumerate(rows):
            report = Report("data", study=row.study, rows=(row,))
            log(store, of, label(at, "relevant"), Event("report", {"doc": IDS[at], **report.to_dict()}))
        file.write_text(export_session(store, of), encoding="utf-8")
    core = belief_of_effect(studies_of("nielweise2007").only([0, 1, 2]), settings.target, "exact", 0.3)
    assert tarstop("belief", file, "--json").json["belief"] == pytest.approx(core.beliefs[-1], abs=1e-12)
    other = tarstop("belief", file, "--measure", "RR", "--b0", "0.5", "--json").json
    assert (other["delta"], other["direction"], other["engine"]) == (1, "below", "normal")
    refused(tarstop("belief", file, "--theta", "0.8"), "leave them out")
