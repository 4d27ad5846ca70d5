"""One session has one set of numbers: on every page, in every export, and on the command line."""

import csv
import io
import json
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from dashboard.screen.advising import curve_sentence
from dashboard.screen.why import options
from tarstop_core.documents.records import as_records
from tarstop_core.explore import figures, plans
from tarstop_core.explore.lists import LabelledList
from tarstop_core.presentation.numbers import amount, count_of, percent
from tarstop_core.samples.shipped import WIDTH, priors
from tarstop_core.screening.advice import ALWAYS_SHOWN, advise, stopping_outcomes
from tarstop_core.screening.advised import Advice, RecallFacts, ReviewFacts
from tarstop_core.screening.fold import replay
from tarstop_core.screening.labels import IRRELEVANT, NAMES, RELEVANT, UNSEEN, UNSURE
from tarstop_core.screening.live_check import check_sentence, live_check
from tarstop_core.screening.log import Event
from tarstop_core.screening.paths import session_paths
from tarstop_core.screening.review_settings import ReviewSettings
from tarstop_core.screening.scenarios.named import scenario_of
from tarstop_core.screening.state import State
from tarstop_core.screening.wording import (
    chances_badge,
    document_name,
    explain,
    in_brief,
    question,
    verdict,
)
from tarstop_core.sessions.compare import comparison, outcome
from tarstop_core.sessions.export import document_rows, to_ris, to_xlsx, trace_csv
from tarstop_core.sessions.file import export_session, import_session, state_of
from tarstop_core.sessions.prisma import Prisma
from tarstop_core.sessions.report import report_html
from tarstop_core.sessions.session import OpenSession
from tarstop_core.sessions.snapshot import SessionSnapshot, session_snapshot
from tarstop_core.sessions.store.store import Store
from tarstop_core.value.payoffs import Payoffs
from tests.cli.conftest import tarstop as tarstop
from tests.cli.shell import Run
from tests.session_cases import PATENT
from tests.stated import plain
from tests.ui.drawn_sessions import CALIBRATORS, IDS, Drawn, N, a_search, drawn, numbered

DIFFERS = "Changed from the session"  # what pages say of numbers that are not the session's
STORED = {"patent": 3, "review": 3, "effect": 1, "enough": 2}
KEPT = [
    pytest.param(scenario, seed, marks=pytest.mark.deep if seed and seed == sessions - 1 else ())
    for scenario, sessions in STORED.items()
    for seed in range(sessions)
]
"""Of each scenario the last session goes deep, where it is not the only one."""
PUBLISHED = {"2020", "2021", "10.1136"}  # when and where the flow diagram's form was


def in_store(store: Store, session: Drawn) -> str:
    """Keep a session, recorded event by event."""
    for calibrator in CALIBRATORS.values():
        store.save_calibrator(calibrator)
    frame = as_records({"id": IDS, "title": [f"Title {doc}" for doc in IDS]})
    collection = store.save_collection("Search", frame, [], 0)
    kept = store.create_session("Mine", collection, np.arange(N), None, session.settings, "hips", "own order")
    for event in session.events:
        store.append(kept, event, expected=event.seq - 1)
    return kept


@pytest.mark.parametrize(("scenario", "seed"), KEPT)
def test_exports_report_and_file_say_what_screen_says(
    scenario: str, seed: int, store: Store, tmp_path: Path
) -> None:
    session = drawn(np.random.default_rng(100 + seed), scenario)
    kept, at = in_store(store, session), session.at(session.state)
    settings, state = at[0], at[3]
    advice = advise(*at)
    opened, whole = OpenSession.load(store, kept), session_snapshot(store, kept)
    assert same(opened.advice(settings, at_other_costs=True), advice) and same(whole.advice_now, advice)
    trace = list(csv.DictReader(io.StringIO(trace_csv(opened))))
    assert len(trace) == state.depth
    logs, rows = before_each_label(session), document_rows(whole)
    assert len(logs) == state.depth
    for row, exported, log in list(zip(trace, rows, logs, strict=False))[::4]:
        the_row(row, advise(*session.at(replay(session.settings, IDS, log))))
        told = [name for name in ("b", "worth", "cost", "recall", "headline") if name in row]
        assert {name: str(exported[name]) for name in told} == {name: row[name] for name in told}
    sheets = pd.read_excel(io.BytesIO(to_xlsx(whole)), sheet_name=None, keep_default_na=False)
    in_book = next(iter(sheets.values()))
    assert len(in_book) == len(rows)
    if trace:
        assert in_book["headline"].tolist()[: len(trace)] == [row["headline"] for row in trace]
    the_boxes(whole.prisma, at)
    the_tagged_file(to_ris(whole), state)
    known, report = numbers_of(at, whole), report_html(whole)
    first = " ".join(re.findall(r'<section id="s[01]">(.*?)</section>', report, re.DOTALL))
    assert numbers(first) <= known, numbers(first) - known
    assert f"{state.depth:,} of {N:,} documents" in plain(report)
    told = explain(advice, settings, names_of(state))
    for sentence in (f"{told.word}. {told.sentence} {told.stopping}", *told.robustness):
        assert plain(sentence) in plain(first)
    assert f"{', '.join(scenario_of(settings).counted(state))}, {len(state.unsure)} unsure, of " in plain(
        first
    )
    compared = dict(comparison([whole]))
    assert compared["Read"] == [f"{state.depth:,}"]
    if settings.weighs:
        assert f"that {question(settings)} is now {percent(advice.b)}." in plain(report)
        assert f"Reading a document costs {amount(settings.cost, settings.payoffs.unit)}" in plain(report)
        assert compared["Chance now"] == [percent(advice.b)]
    if isinstance(advice.facts, ReviewFacts):
        assert compared["Studies with data"] == [str(advice.facts.studies)]
    text = export_session(store, kept)
    assert same(advise(*session.at(state_of(text))), advice)
    with Store(f"sqlite:///{tmp_path}/other.db") as other:
        there = session_snapshot(other, import_session(other, text))
        assert same(there.advice_now, advice)


def names_of(state: State) -> list[str]:
    """The documents that a verdict names, as the report does."""
    return [document_name(at, "", f"Title {IDS[at]}") for at in state.in_question]


def the_boxes(boxes: Prisma, at: Any) -> None:
    """The flow diagram against the labels and the studies that count."""
    settings, state = at[0], at[3]
    facts, labels = advise(*at).facts, Counter(state.labels[: state.depth].tolist())
    assert (boxes.screened, boxes.excluded, boxes.unsure) == (state.depth, labels[IRRELEVANT], labels[UNSURE])
    if settings.two_stages:
        assert isinstance(facts, ReviewFacts)
        assert (boxes.sought, boxes.waiting, boxes.with_data) == (
            labels[RELEVANT],
            facts.waiting,
            facts.studies,
        )


def the_tagged_file(text: str, state: State) -> None:
    """Every record of an RIS file: its verdict, its place, and what became of its report."""
    for rank, record in enumerate(text.split("\nER  -")[:N], start=1):
        label = int(state.labels[rank - 1])
        verdict = "not read" if label == UNSEEN else NAMES[label]
        assert re.search(rf"^ID  - {IDS[rank - 1]}$", record, re.MULTILINE)
        assert re.search(rf"^N1  - TARstop: (\w, )?{verdict}, rank {rank}$", record, re.MULTILINE), record
        report = state.read_in_full.get(rank - 1)
        assert ("TARstop full text: " in record) == (report is not None)
        assert report is None or f"TARstop full text: {report.outcome}" in record


NUMBER = re.compile(r"(?<![\w#.,-])−?£?\d[\d,]*(?:\.\d+)?(?: %)?(?!\w)")
FIGURES = re.compile(r"<(style|script|svg)\b.*?</\1>|<div class=\"tar-fluid\".*?</div>", re.DOTALL)


def numbers(text: str) -> set[str]:
    """Every number that a text says, as it says it; figures, which draw others on their axes, are left out."""
    said = re.sub(r"<[^<>]*>", " ", plain(FIGURES.sub(" ", text)))
    return {number.strip(",") for number in NUMBER.findall(said)}


def numbers_of(at: Any, whole: SessionSnapshot) -> set[str]:
    """Every number that may be said of a session: those of its one advice, its counts and its settings."""
    settings, calibrator, p, state = at
    paths, scenario = session_paths(*at), scenario_of(settings)
    advice = advise(*at, paths)
    texts = [
        str(part)
        for told in (explain(advice, settings), verdict(advice, settings))
        for part in vars(told).values()
    ]
    texts += in_brief(advice, settings)
    pairs = scenario.rows(advice, settings) + scenario.settings_rows(settings) + whole.in_words(settings)
    texts += [f"{name}: {value}" for name, value in pairs]
    texts += [check_sentence(live_check(settings, calibrator, p, state, whole.others), settings, state)]
    texts += [*scenario.counted(state), scenario.pooled(settings, state), chances_badge(calibrator, settings)]
    texts += [
        *scenario.badges(settings),
        question(settings),
        f"{state.depth} of {N}",
        *(f"{value}" for _, value in whole.prisma.rows()),
    ]
    if settings.weighs:
        texts += [cell for option in options(advice, settings, paths.path) for cell in option]
        texts += [amount(state.spent, settings.payoffs.unit, exact=False)]
    else:
        texts += ["90 %"]  # the level of the intervals beside recall
    return set().union(*map(numbers, texts))


def before_each_label(session: Drawn) -> list[list[Event]]:
    """The log as it was before each document that was read."""
    return [session.events[:at] for at, event in enumerate(session.events) if event.kind == "label"]


def the_row(row: dict[str, str], advice: Advice) -> None:
    """A line of the trace against the advice of its time."""
    facts, numbers = advice.facts, {"more_if_nothing": advice.more}
    if isinstance(facts, RecallFacts):
        open_ended = facts.left_is_open  # then the page has no number, and neither has the line
        unseen, _, most = (None,) * 3 if open_ended else facts.left
        numbers |= {"found": facts.relevant, "unseen_expected": unseen, "unseen_high": most}
        recall = (None,) * 3 if open_ended else facts.recall
        numbers |= dict(zip(("recall", "recall_low", "recall_high"), recall, strict=True))
    else:
        numbers |= {"b": advice.b, "rho": advice.rho, "evpi": advice.evpi, "rho_evpi": advice.score}
        numbers |= {"worth": advice.worth, "cost": advice.cost}
    if isinstance(facts, ReviewFacts):
        numbers |= {"studies": facts.studies, "reports_waiting": facts.waiting}
        numbers["chance_otherwise"] = facts.otherwise
        numbers["unseen_expected"] = None if facts.left_is_open else facts.left[0]
    for name, number in numbers.items():
        assert (row[name] == "") if number is None else float(row[name]) == pytest.approx(number, rel=1e-9)
    assert row["headline"] == advice.headline
    assert row["advice"] == ("continue" if advice.go_on else "stop")


def same(one: Advice, other: Advice) -> bool:
    """Whether two pieces of advice are one to the last digit that anybody sees."""
    kept = [json.dumps(rounded(vars(each)), default=str) for each in (one, other)]
    return kept[0] == kept[1]


def rounded(value: Any) -> Any:
    """Numbers with twelve digits, and what holds them."""
    if isinstance(value, float):
        return float(f"{value:.12g}")
    if isinstance(value, dict):
        return {name: rounded(each) for name, each in value.items()}
    if isinstance(value, tuple):
        return [rounded(each) for each in value]
    return rounded(vars(value)) if hasattr(value, "__dataclass_fields__") else value


def with_tables(engine: str, seed: int, **changed: Any) -> Drawn:
    """Draw a review with a few tables, under an engine."""
    rng = np.random.default_rng(seed)
    while True:
        session = drawn(rng, "review")
        if 3 <= len(session.state.evidence.tables) <= 6 and not session.state.plan:
            settings = replace(session.settings, engine=engine, **changed)
            return Drawn(settings, numbered(event for event in session.events if event.kind != "settings"))


@pytest.mark.parametrize(
    ("engine", "seed", "theta_sp"),
    [("bivariate", 1, None), ("univariate", 2, None), ("reml", 3, None), ("bivariate", 1, 0.8)],
)
def test_the_command_line_says_what_screen_says(
    engine: str, seed: int, theta_sp: float | None, store: Store, tmp_path: Path, tarstop: Run
) -> None:
    session = with_tables(engine, seed, prior=priors()[WIDTH], theta_sp=theta_sp)
    at = session.at(session.state)
    settings, state, advice = at[0], at[3], advise(*at)
    assert isinstance(settings, ReviewSettings)
    file, tables, prior = (tmp_path / name for name in ("s.json", "t.csv", "p.json"))
    file.write_text(export_session(store, in_store(store, session)), encoding="utf-8")
    told = tarstop("belief", file, "--json").json
    assert told["belief"] == pytest.approx(advice.b, abs=1e-12) and told["theta"] == settings.theta
    assert told["engine"] == engine and told["studies"] == len(state.evidence.tables)
    assert f"is {percent(advice.b)} ({engine})" in tarstop("belief", file).out.replace("\xa0", " ")
    if engine == "reml":
        assert told["prior"] is None
        return
    assert told["prior"] == settings.belief_prior.to_dict()
    cells = zip(*(getattr(state.evidence.tables, cell) for cell in ("TP", "FP", "FN", "TN")), strict=True)
    lines = [f"S{at},{','.join(f'{count:.0f}' for count in row)}" for at, row in enumerate(cells)]
    tables.write_text("\n".join(("study,TP,FP,FN,TN", *lines)), encoding="utf-8")
    prior.write_text(settings.belief_prior.to_json(), encoding="utf-8")
    how = [f"--theta={settings.theta}", f"--engine={engine}", "--json"]
    how += [f"--theta-sp={theta_sp}"] if theta_sp else []
    for given in (("--prior", prior), ("--prior", WIDTH, f"--b0={settings.b_0!r}")):
        alike = tarstop("belief", tables, *given, *how).json
        assert alike["belief"] == told["belief"] and alike["prior"] == told["prior"]


@pytest.mark.parametrize("rule", ["optimal", "greedy", "smooth:K=5"])
def test_replay_stops_where_sessions_says(rule: str, store: Store, tmp_path: Path, tarstop: Run) -> None:
    begun = replace(a_search(np.random.default_rng(8)), b_0=0.5, policy=rule).paper_mode()
    settings = replace(begun, payoffs=Payoffs.from_q_star(0.5), cost=1e-3)
    labels = np.isin(np.arange(N), (17, 40))
    verdicts = np.where(labels, "relevant", "irrelevant").tolist()
    read = (
        Event("label", {"doc": doc, "label": verdict}) for doc, verdict in zip(IDS, verdicts, strict=True)
    )
    stopped = outcome(session_snapshot(store, in_store(store, Drawn(settings, numbered(read)))), settings)
    run, qrels, calibrator = (tmp_path / name for name in ("a.run", "a.qrels", "c.json"))
    run.write_text("".join(f"T Q0 {doc} {at + 1} {-at} x\n" for at, doc in enumerate(IDS)), encoding="utf-8")
    judged = zip(IDS, labels.astype(int), strict=True)
    qrels.write_text("".join(f"T 0 {doc} {label}\n" for doc, label in judged), encoding="utf-8")
    calibrator.write_text(PATENT.to_json(), encoding="utf-8")
    payoffs = settings.payoffs
    amounts = ",".join(map(repr, (payoffs.B, payoffs.L_r, payoffs.L_g, payoffs.G)))
    (topic,) = tarstop(
        *("replay", run, qrels, "--calibrator", calibrator, f"--policy={rule}", f"--payoffs={amounts}"),
        *(f"--cost={settings.cost!r}", f"--b0={settings.b_0!r}", "--json"),
    ).json["topics"]
    assert topic["depth"] == stopped.depth > 0


def test_decide_says_what_screen_says_of_the_papers_score(tarstop: Run) -> None:
    rng, asked = np.random.default_rng(5), 0
    while asked < 6:
        session = drawn(rng, "patent")
        settings = replace(session.settings, needs_citation=False)
        at = Drawn(settings, session.events).at(replay(settings, IDS, session.events))
        advice = advise(*at)
        if not advice.rho or at[0] != settings:
            continue
        asked += 1
        payoffs = settings.payoffs
        amounts = ",".join(map(repr, (payoffs.B, payoffs.L_r, payoffs.L_g, payoffs.G)))
        told = tarstop(
            *("decide", f"--payoffs={amounts}", f"--belief={advice.b!r}", f"--rho={advice.rho!r}"),
            *(f"--cost={settings.cost!r}", "--json"),
        ).json
        assert (told["evpi"], told["value"]) == (pytest.approx(advice.evpi), pytest.approx(advice.score))


OpenApp = Callable[..., AppTest]


def shown(app: AppTest) -> str:
    """Everything that a page says in HTML, captions and boxes."""
    assert not app.exception
    parts = [*app.get("html"), *app.caption, *app.info, *app.warning, *app.error]
    return plain(" ".join(str(getattr(part, "value", "") or part.proto.body) for part in parts)).replace(
        "\\", ""
    )


@pytest.mark.parametrize(("scenario", "seed"), KEPT)
def test_screen_and_sessions_say_no_number_of_their_own(
    scenario: str, seed: int, open_app: OpenApp, store: Store
) -> None:
    session = drawn(np.random.default_rng(100 + seed), scenario)
    at, kept = session.at(session.state), in_store(store, session)
    settings, state = at[0], at[3]
    known = numbers_of(at, session_snapshot(store, kept))
    rules = [settings.rule, *(rule for rule in ALWAYS_SHOWN if settings.may_follow(type(rule)))]
    depths = " ".join(f"{depth}" for depth, _ in stopping_outcomes(*at, rules))
    advice, path = advise(*at), session_paths(*at).path
    drawing = curve_sentence(state, settings, advice)
    following = percent(path.p[state.depth] if settings.judges_abstracts and state.depth < N else advice.rho)
    app = open_app("screen", session=kept)
    app.session_state["why"] = True
    names = names_of(state)
    on_screen, in_sessions = shown(app.run()), shown(open_app("sessions", session=kept))
    judged = int(np.isin(state.labels, (RELEVANT, IRRELEVANT)).sum())  # of them the order is learned
    also = numbers(f"{depths} {drawing} {following} {judged} {' '.join(map(str, rules))}")
    advised, told = verdict(advice, settings, names), explain(advice, settings, names)
    for sentence in (
        advised.says,
        advised.now,
        advised.rests,
        told.sentence,
        told.stopping,
        *told.robustness,
    ):
        assert plain(sentence) in on_screen, sentence
    unspaced = re.sub(r"<[^<>]*>|\s", "", on_screen)
    for name, value in scenario_of(settings).rows(advice, settings):
        assert re.sub(r"\s", "", f"{name}{value}") in unspaced, name
    for said, more in ((on_screen, also), (in_sessions, PUBLISHED)):
        others = numbers(re.sub(r"\d\d:\d\d", "", said)) - known - more
        assert not others, others
    if settings.weighs:
        assert percent(advice.b) in on_screen and percent(advice.b) in in_sessions


@pytest.mark.parametrize("scenario", ["patent", "review"])
def test_pages_say_what_screen_says(scenario: str, open_app: OpenApp, store: Store) -> None:
    rules = {"policy": "greedy", "least_studies": 0, "least_patients": 0} if scenario == "review" else {}
    session = (
        with_tables("univariate", 4, **rules, prior=priors()[WIDTH], learns=True)
        if scenario == "review"
        else drawn(np.random.default_rng(21), scenario)
    )
    at, kept = session.at(session.state), in_store(store, session)
    settings, calibrator, p, state = at
    advice, listing = advise(*at), LabelledList("Mine", settings, at[1], p, state)
    app = open_app("screen", session=kept)
    assert verdict(advice, settings).word in shown(app)
    app.session_state["why"] = True
    assert percent(advice.b) in shown(app.run()) and chances_badge(calibrator, settings) in shown(app)
    app.switch_page("pages/explore.py").run()
    said, now = shown(app), plans.decide(listing.planned(settings), state.depth, settings.cost)
    plan = plans.cell_of(listing, settings, settings.rule, "planned")
    assert figures.stakes_sentence(now, settings, plan) in said
    in_documents = f"what {count_of(round(now.evpi / settings.cost))} cost"
    assert (
        amount(now.evpi, settings.payoffs.unit, exact=False) if settings.payoffs.unit else in_documents
    ) in said
    assert plain(figures.plan_sentence(plan, listing)) in said and DIFFERS not in said
    assert chances_badge(calibrator, settings) in said and "payoffs" not in app.query_params
    if isinstance(settings, ReviewSettings):
        app.switch_page("pages/evidence.py").run()
        said = shown(app)
        assert f"exceeds {percent(settings.theta)} is {percent(advice.b)}." in said
        assert f"now you would choose “{settings.plus if advice.plus else settings.minus}”" in said
        assert app.query_params["session"] == kept and DIFFERS not in said
    assert percent(advice.b) in shown(open_app("sessions", session=kept))
