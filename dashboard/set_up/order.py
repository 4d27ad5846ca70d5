"""The list as it will be screened: its order, labels and families that came with the documents, and random draws."""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import BinaryIO, Literal, cast

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.runtime.uploaded_file_manager import UploadedFile

from dashboard.frame import shell
from dashboard.frame.drawing import save_menu
from dashboard.frame.markup import Blocks, grid
from dashboard.frame.waiting import shown, texts_read
from dashboard.frame.widgets import explained, lasting, radio, save_button, switch, upload
from dashboard.frame.work import kept
from dashboard.parts import imports, jobs
from dashboard.parts.application import Answers
from tarstop_core.calibration.calibrator import Calibrator
from tarstop_core.documents.application import Flag
from tarstop_core.documents.records import ranking_text
from tarstop_core.errors import InputProblem
from tarstop_core.files import trace_to_csv
from tarstop_core.files.source import detect_encoding, open_source
from tarstop_core.presentation.numbers import amount, number
from tarstop_core.ranking.bm25 import PAPER, WORDS, Bm25Index, Recipe, build_index
from tarstop_core.ranking.order import Order, Ranking, also_published, one_of_each, prepare, suggest_order
from tarstop_core.screening import kept_labels
from tarstop_core.screening.audit import SHARES, price_sentence, with_draws
from tarstop_core.screening.events import families_event
from tarstop_core.screening.kept_labels import FileLabels, Replayed
from tarstop_core.screening.log import Event
from tarstop_core.screening.look_back import look_back, order_read, rules_for
from tarstop_core.screening.look_back import message as back_message
from tarstop_core.screening.look_back_report import look_back_report
from tarstop_core.screening.scenarios.base import Scenario
from tarstop_core.screening.scenarios.named import scenario_of
from tarstop_core.screening.setting_aside import SetAsideFirst, set_aside_first, without
from tarstop_core.screening.settings import Settings
from tarstop_core.screening.wording import action
from tarstop_core.sessions.create import ChosenDocuments

PREFIX = "set_up"
CAME_ALONG = f"{PREFIX}/came_along"
COUNTED = f"{CAME_ALONG}/counted"
"""State: the list, the source of its labels and how many are relevant, as they were said last."""
FIRST_TITLES = 5
ORDER_WORDS: dict[Order, str] = {
    "scores": "Highest score first",
    "text": "Most like it first",
    "own": "As they stand",
}
NO_QUERY = "Say what you are looking for, so that TARstop can order the documents."
LARGE = 5_000
"""Number of documents above which reading their texts takes a moment."""
Choice = Literal["keep", "leave", "replay"]
CHOICES: dict[Choice, tuple[str, str]] = {
    "keep": (
        "Keep them as already screened",
        "They come first and count in advice and exports; you can still change each.",
    ),
    "leave": ("Leave them out", "You read every document again."),
    "replay": (
        "Replay them",
        "See below where each rule would have stopped. The session starts without labels.",
    ),
}
ASSUMED = (
    "Kept documents were not read in this order. If the list learns, they teach its order, and only what you read "
    "from here on says how much is left. Otherwise each counts with the chance from its own score or rank."
)


block = Blocks("set_up/blocks.html")


@dataclass(frozen=True, eq=False)
class Arranged:
    """The list as it will be screened, and the record of how it was ordered."""

    ranked: Ranking  # Order by relevance, with one document per family
    screened: Ranking  # The same documents in screening order: those with kept labels first
    labels: FileLabels
    choice: Choice | None  # What to do with labels from files; None if there are none
    kept: int  # Number of documents that come first with their labels
    events: tuple[Event, ...]  # First events of the session's log
    aside: SetAsideFirst | None = None
    """Documents that cannot be prior art against the application and are not read."""
    order_read: Ranking | None = None  # Documents in the order in which they were labelled, if that is known

    @property
    def every(self) -> int:
        """One document in this many is drawn at random; 0 if none is."""
        return next((int(event.payload["every"]) for event in self.events if event.kind == "audited"), 0)


def chosen_order(chosen: ChosenDocuments) -> Order:
    look = partial(shown, chosen.name, "Looking at the order", suggest_order, chosen.frame)
    large = len(chosen.frame) > LARGE
    suggested, reason = kept(f"{PREFIX}/suggestion", chosen.key, lambda: look(large=large))
    scored = chosen.frame["score"].notna().any()
    words = {order: label for order, label in ORDER_WORDS.items() if scored or order != "scores"}
    key = f"{PREFIX}/order/{chosen.key}"
    # The list's own order is never the default: only a person knows whether it means something.
    first: Order = "text" if suggested == "own" else suggested
    order = radio("In which order?", words, first=first, horizontal=True, **lasting(key))
    if order == "own" and suggested == "text":
        st.warning(shell.escape_markdown(reason), icon=":material/warning:")
    elif not chosen.simulated:
        shell.caption(reason)
    return order


def arranged(
    chosen: ChosenDocuments,
    order: Order,
    query: str,
    scenario: Scenario,
    problems: list[str],
    asked: Answers | None,
) -> Arranged | None:
    """Put the list in this order, with labels and families from files; None while that is not possible."""
    if order == "text" and not query.strip():
        problems.append(NO_QUERY)
        st.info(NO_QUERY, icon=":material/edit:")
        return None
    try:
        ranking = _ranked(chosen, order, query if order == "text" else "")
    except InputProblem as problem:
        problems.append(str(problem))
        shell.problem_box(problem)
        return None
    result = _with_families_and_labels(chosen, ranking, {} if asked is None else asked.aside)
    if scenario.settings_class.grades and not chosen.simulated and not (chosen.frame["family"] != "").any():
        st.caption(
            "This list does not say which documents belong to one patent family: each counts separately."
        )
    return result


def _with_families_and_labels(
    chosen: ChosenDocuments, ranking: Ranking, aside: Mapping[int, Flag]
) -> Arranged:
    """Ask about families and labels, and put the list together; `aside` has the flags that bar documents, by position."""
    groups = imports.families(chosen.frame, chosen.key)
    labels = _labels(chosen, groups)
    choice = _ask(labels, chosen.key) if labels.count else None

    def put_together() -> Arranged:
        ranked = one_of_each(without(ranking, aside), groups)
        members = also_published(chosen.frame, ranked, groups) if groups else {}
        events = [families_event(members)] if members else []
        screened, ranks = ranked, list[int]()
        if choice == "keep":
            screened, ranks = kept_labels.kept_first(ranked, labels)
            events.append(kept_labels.kept_event(chosen.frame, screened, labels, ranks))
        left_out = set_aside_first(ranking, ranked, chosen.frame["id"].tolist(), aside)
        order = order_read(chosen.frame, labels) if choice == "replay" else None
        return Arranged(ranked, screened, labels, choice, len(ranks), tuple(events), left_out, order)

    wanted = (ranking, frozenset(aside.items()), tuple(map(tuple, groups)), choice)
    return kept(f"{CAME_ALONG}/held", wanted, put_together)


def announce(chosen: ChosenDocuments) -> None:
    """Say that documents came with labels, before they are in order and the person can choose what to do with them.

    Of a file with two verdicts, another one may count once another question is asked.
    """
    labels = _labels(chosen, ())
    if not labels.count:
        return
    shell.caption(
        f"{labels.sentence} They come from {labels.source}. Once the list is in order, say below whether to keep them, "
        "leave them out or replay them."
    )
    counted = chosen.name, labels.source, labels.relevant
    name, source, relevant = st.session_state.get(COUNTED, counted)
    st.session_state[COUNTED] = counted
    if name == chosen.name and source != labels.source:
        changed = f"Labels now come from {labels.source}: {labels.relevant:,} relevant, not {relevant:,}."
        st.toast(shell.escape_markdown(changed))


def _labels(chosen: ChosenDocuments, groups: Sequence[Sequence[int]]) -> FileLabels:
    def read() -> FileLabels:
        files = shell.store().collection(chosen.collection_id).files if chosen.collection_id else ()
        return kept_labels.labels_found(chosen.frame, files, groups)

    return kept(f"{CAME_ALONG}/labels/{bool(groups)}", (chosen.key, tuple(map(tuple, groups))), read)


def _ask(labels: FileLabels, key: str) -> Choice:
    everything = labels.count == len(labels.codes)
    asked, how = f"What becomes of the labels from {labels.source}?", lasting(f"{CAME_ALONG}/choice/{key}")
    choice = explained(shell.escape_label(asked), CHOICES, first="replay" if everything else "keep", **how)
    if labels.unknown:
        unknown = ", ".join(f"“{text[:40]}”" for text in labels.unknown[:5])
        shell.caption(f"Not understood and ignored: {unknown}.")
    if choice == "keep":
        everything_read = " Nothing is left to read then." if everything else ""
        st.caption(f"{ASSUMED}{everything_read}")
    return choice


def looked_for(chosen: ChosenDocuments, scenario: Scenario, more: DeltaGenerator) -> str:
    """Ask for the question or claim that documents are compared with."""
    key = f"{PREFIX}/query/{chosen.key}"
    if key not in st.session_state:
        st.session_state[key] = chosen.query
    label, example = scenario.asked

    def take(file: UploadedFile) -> None:
        st.session_state[key] = read_text(cast(BinaryIO, file), file.name)

    with more:
        upload(scenario.asked_file, take, kinds="txt", key=f"{key}/file")
    return st.text_area(label, **lasting(key), height=102, placeholder=example)


def read_text(handle: BinaryIO, name: str) -> str:
    """Read a plain text file in any encoding; InputProblem when it is empty or not text.

    >>> import io
    >>> read_text(io.BytesIO("Ein Gerät".encode("cp1252")), "claims.txt")
    'Ein Gerät'
    """
    with open_source(handle, name) as source:
        encoding, _ = detect_encoding(source)
        with source.text(encoding) as lines:
            return lines.read().strip()


def _ranked(chosen: ChosenDocuments, order: Order, query: str) -> Ranking:
    """The ranking, which is cached until something changes that it depends on."""
    # The paper's recipe in paper mode, and for samples, whose chances were learned with it.
    recipe = PAPER if chosen.simulated or st.session_state.get(f"{PREFIX}/paper", False) else WORDS

    def ranked() -> Ranking:
        key = (chosen.key, recipe.name)
        index = kept(f"{PREFIX}/index", key, lambda: _index(chosen, recipe)) if order == "text" else None
        return prepare(chosen.frame, order, query, recipe=recipe, index=index)

    return kept(f"{PREFIX}/ranking", (chosen.key, order, query, recipe.name), ranked)


def _index(chosen: ChosenDocuments, recipe: Recipe) -> Bm25Index:
    if len(chosen.frame) <= LARGE:
        return build_index(ranking_text(chosen.frame), recipe=recipe)
    job = (jobs.index_of, chosen.frame, recipe)
    return shown(chosen.name, "Reading the texts", *job, in_words=texts_read)


def first_titles(chosen: ChosenDocuments, arranged: Arranged, asked: Answers | None) -> None:
    """Show the documents that come first, with their flags."""
    ranking, labelled = arranged.screened, arranged.kept
    first = chosen.frame.iloc[ranking.order[labelled : labelled + FIRST_TITLES]]
    if first.empty:
        return
    documents = []
    for at, (row, record) in enumerate(first.iterrows(), start=labelled):
        facts = [str(record["date"]), str(record["publication_number"] or record["id"])]
        if ranking.scores is not None:
            facts.append(f"score {number(ranking.scores[at])}")
        title = record["title"] or record["abstract"][:100] or record["id"]
        flags = () if asked is None else asked.flags[cast(int, row)]
        documents.append((title, " · ".join(filter(None, facts)), flags))
    after = f", after {labelled:,} kept with their labels" if labelled else ""
    st.markdown(f"**Read first**, of {len(ranking):,}{after}")
    st.html(block("first_titles", documents))


def show_replay(arranged: Arranged, settings: Settings, calibrator: Calibrator) -> None:
    """Show where each rule would have stopped on the labels from files, in the order of labelling if that is known."""
    if arranged.order_read is not None and calibrator.by_rank:
        _show_look_back(arranged, arranged.order_read, settings, calibrator)
        return
    try:
        stops = _replayed(arranged, settings, calibrator)
    except InputProblem as problem:
        shell.problem_box(problem)
        return
    labels, own = arranged.labels, stops[0]
    st.markdown("**Where each rule would have stopped on these labels**")
    then = "" if own.plus is None else f" and chosen “{action(own.plus, settings)}”"
    share = (
        f"{own.relevant_read:,} of the {labels.relevant:,} relevant" if labels.relevant else "no relevant one"
    )
    sentence = (
        f"In the order shown above {own.policy.title} would have stopped after {own.depth:,} of {labels.count:,}{then}, "
        f"with {share} read."
    )
    if settings.learns:
        sentence += " A list that learns from its labels, as yours will, is read in another order."
    tells = scenario_of(settings).verdicts_tell
    if not tells:
        yours = f", {settings.rule.brief} among them," if settings.rule.acts_on_belief else ""
        sentence = (
            f"Rules that weigh value against cost{yours} are not shown: labels contain no 2×2 tables, and without "
            f"tables the belief does not change. {sentence}"
        )
    shell.caption(sentence)
    head, rows = ["rule", "stops after", "relevant by then"], []
    if tells and settings.weighs:
        head.append("and chooses")
    for stop in stops:
        cells = [stop.policy.brief, f"{stop.depth:,}", f"{stop.relevant_read:,} of {labels.relevant:,}"]
        rows.append(cells if stop.plus is None else [*cells, action(stop.plus, settings)])
    st.html(f'<div class="tar-others" data-testid="replayed">{grid(head, rows)}</div>')


def _show_look_back(arranged: Arranged, ranking: Ranking, settings: Settings, calibrator: Calibrator) -> None:
    """Show stops in the order of labelling: what they would have missed, chances, and a paragraph for a report."""
    asked = partial(look_back, ranking, arranged.labels, settings, calibrator, rules_for(settings))
    try:
        back = kept(f"{CAME_ALONG}/look_back", (arranged, settings, calibrator.digest), asked)
    except InputProblem as problem:
        shell.problem_box(problem)
        return
    st.markdown("**Where each rule would have stopped, in the order read**")
    shell.caption(back_message("facts", back=back))
    unit = settings.payoffs.unit
    head = ["rule", "stops after", "relevant by then", "missed"]
    rows = [
        [
            stop.policy.brief,
            "not yet" if stop.depth is None else f"{stop.depth:,}",
            f"{stop.relevant_read:,}",
            f"{stop.missed:,}",
        ]
        for stop in back.stops
    ]
    if settings.weighs:
        head.append("reading on pays if one is worth")
        for row, stop in zip(rows, back.stops, strict=True):
            row.append("–" if stop.worth is None else amount(stop.worth, unit, exact=False))
    st.html(f'<div class="tar-others" data-testid="replayed">{grid(head, rows)}</div>')
    if back.left:
        shell.caption(back_message("chances", back=back))
    source = arranged.labels.source
    methods = back_message("methods", back=back, stop=back.stops[0], unit=unit, source=source)
    table = [dict(zip(head, row, strict=True)) for row in rows]
    with st.expander("For the methods section", key=f"{CAME_ALONG}/methods"):
        st.code(methods, language=None, wrap_lines=True)
        key = f"{CAME_ALONG}/look_back/save"
        report = look_back_report(back, source, source, unit)
        with save_menu():
            save_button("Report (HTML)", report, "tarstop-look-back.html", key=f"{key}/report")
            save_button("All rules (CSV)", trace_to_csv(table), "tarstop-look-back.csv", key=key)
    shell.caption("To continue from here, keep the labels as already screened.")


def _replayed(arranged: Arranged, settings: Settings, calibrator: Calibrator) -> list[Replayed]:
    """The stops of the rules, which are cached until something changes."""
    rules = rules_for(settings)
    asked = partial(kept_labels.replayed, arranged.ranked, arranged.labels, settings, calibrator, rules)
    return kept(f"{CAME_ALONG}/replayed", (arranged, settings), asked)


def with_audit(arranged: Arranged, more: DeltaGenerator) -> Arranged:
    """Ask whether documents are drawn at random for an audit, and return the list with the draws."""
    unread = len(arranged.screened) - arranged.kept
    if not unread:
        return arranged
    with more:
        options = {0: "no draws"} | {every: f"one in {every}" for every in SHARES}
        every = switch("Must you report recall? Draws for an audit", options, **lasting("set_up/audit/every"))
        st.caption(
            f"[A bound on recall at every stop]({shell.guide('recall_statement')}) needs documents drawn at random. "
            f"{price_sentence(unread, every)}"
        )
        if every:
            st.caption(
                f"One document in {every} will be drawn at random instead of following the order above."
            )
    if not every:
        return arranged
    seed = kept("set_up/audit/seed", arranged.screened, lambda: secrets.randbelow(2**32))

    def drawn() -> Arranged:
        ranks = next((event.payload["ranks"] for event in arranged.events if event.kind == "kept"), ())
        screened, event = with_draws(arranged.screened, ranks, every, seed)
        return replace(arranged, screened=screened, events=(*arranged.events, event))

    return kept("set_up/audit/held", (arranged, every), drawn)
