"""In which order the documents are read: as they stand, by their scores, or by a text."""

import html
from functools import partial
from typing import BinaryIO, cast

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.runtime.uploaded_file_manager import UploadedFile

from dashboard.frame import shell
from dashboard.frame.waiting import shown, texts_read
from dashboard.frame.widgets import lasting, radio, upload
from dashboard.frame.work import kept
from dashboard.parts import jobs
from dashboard.parts.application import Asked
from dashboard.set_up import came_along
from dashboard.set_up.came_along import Arranged
from tarstop_core.documents.records import ranking_text
from tarstop_core.errors import InputProblem
from tarstop_core.files.source import detect_encoding, open_source
from tarstop_core.presentation.numbers import number
from tarstop_core.ranking.bm25 import PAPER, WORDS, Bm25Index, Recipe, build_index
from tarstop_core.ranking.order import Order, Ranking, prepare, suggest_order
from tarstop_core.screening.scenarios.base import Scenario
from tarstop_core.sessions.create import Documents

PREFIX = "set_up"
FIRST_TITLES = 5
ORDER_WORDS: dict[Order, str] = {
    "scores": "Highest score first",
    "text": "Most like it first",
    "own": "As they stand",
}
NO_QUERY = "Say what you are looking for, so that the documents can be put in order."
LARGE = 5_000  # documents from which reading their texts takes a moment


def chosen_order(chosen: Documents) -> Order:
    look = partial(shown, chosen.name, "Looking at the order", suggest_order, chosen.frame)
    large = len(chosen.frame) > LARGE
    suggested, reason = kept(f"{PREFIX}/suggestion", chosen.key, lambda: look(large=large))
    scored = chosen.frame["score"].notna().any()
    words = {order: said for order, said in ORDER_WORDS.items() if scored or order != "scores"}
    key = f"{PREFIX}/order/{chosen.key}"
    order = radio("In which order?", words, first=suggested, horizontal=True, **lasting(key))
    if order == "own" and suggested == "text":
        st.warning(shell.escape_markdown(reason), icon=":material/warning:")
    elif not chosen.simulated and (order, suggested) != ("text", "own"):  # no reason for what was chosen
        shell.caption(reason)
    return order


def arranged(
    chosen: Documents, order: Order, query: str, scenario: Scenario, problems: list[str], asked: Asked | None
) -> Arranged | None:
    """The list in this order with what came along; None while it cannot be put so."""
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
    found = came_along.arrange(chosen, ranking, {} if asked is None else asked.aside)
    if scenario.grades and not chosen.simulated and not (chosen.frame["family"] != "").any():
        st.caption(
            "This list does not say which documents belong to one patent family: each counts by itself."
        )
    return found


def looked_for(chosen: Documents, scenario: Scenario, more: DeltaGenerator) -> str:
    """Ask what documents are compared with, whatever their order."""
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
    """A plain text file, whatever its encoding; InputProblem when it is empty or no text.

    >>> import io
    >>> read_text(io.BytesIO("Ein Gerät".encode("cp1252")), "claims.txt")
    'Ein Gerät'
    """
    with open_source(handle, name) as source:
        encoding, _ = detect_encoding(source)
        with source.text(encoding) as lines:
            return lines.read().strip()


def _ranked(chosen: Documents, order: Order, query: str) -> Ranking:
    """The ranking, made again only when something it depends on has changed."""
    # The paper's in paper mode, and for samples: their chances were learned on it.
    recipe = PAPER if chosen.simulated or st.session_state.get(f"{PREFIX}/paper", False) else WORDS

    def ranked() -> Ranking:
        made_of = (chosen.key, recipe.name)
        index = kept(f"{PREFIX}/index", made_of, lambda: _index(chosen, recipe)) if order == "text" else None
        return prepare(chosen.frame, order, query, recipe=recipe, index=index)

    return kept(f"{PREFIX}/ranking", (chosen.key, order, query, recipe.name), ranked)


def _index(chosen: Documents, recipe: Recipe) -> Bm25Index:
    if len(chosen.frame) <= LARGE:
        return build_index(ranking_text(chosen.frame), recipe=recipe)
    job = (jobs.index_of, chosen.frame, recipe)
    return shown(chosen.name, "Reading the texts", *job, said=texts_read)


def first_titles(chosen: Documents, arranged: Arranged, asked: Asked | None) -> None:
    """What would be read first, with what speaks against it."""
    ranking, labelled = arranged.screened, arranged.kept
    first = chosen.frame.iloc[ranking.order[labelled : labelled + FIRST_TITLES]]
    if first.empty:
        return
    items = []
    flags = [() if asked is None else asked.flags[row] for row in first.index.tolist()]
    for at, ((_, row), own) in enumerate(zip(first.iterrows(), flags, strict=True), start=labelled):
        facts = [str(row["date"]), str(row["publication_number"] or row["id"])]
        if ranking.scores is not None:
            facts.append(f"score {number(ranking.scores[at])}")
        words = html.escape(str(row["title"] or row["abstract"][:100] or row["id"]))
        told = html.escape(" · ".join(filter(None, facts)))
        why = "".join(f'<div class="tar-meta">⚑ {html.escape(flag.words)}</div>' for flag in own)
        items.append(f'<li>{words} <span class="tar-meta">{told}</span>{why}</li>')
    after = f", after {labelled:,} kept with their labels" if labelled else ""
    st.markdown(f"**Read first**, of {len(ranking):,}{after}")
    st.html(f'<ol class="tar-first" data-testid="first-titles">{"".join(items)}</ol>')
