"""In which order the documents are read: as they stand, by their scores, or by a text."""

from __future__ import annotations

import html
from typing import BinaryIO, cast

import streamlit as st

from dashboard.frame import shell
from dashboard.parts import merging
from dashboard.parts.application import Asked
from dashboard.set_up import came_along
from dashboard.set_up.came_along import Arranged
from tarstop_core.documents.records import ranking_text
from tarstop_core.errors import InputProblem
from tarstop_core.files.source import detect_encoding, open_source
from tarstop_core.ranking.bm25 import Bm25Index, build_index
from tarstop_core.ranking.order import Order, Ranking, prepare, suggest_order
from tarstop_core.screening.scenarios.base import Scenario
from tarstop_core.sessions.create import Documents

PREFIX = "set_up"
FIRST_TITLES = 5
ORDER_WORDS: dict[Order, str] = {
    "text": "No: put the documents most like what I am looking for first",
    "own": "Yes: keep the list's own order",
    "scores": "It has scores: put the highest first",
}
NO_QUERY = "Say what you are looking for, so that the documents can be put in order."
LARGE = 5_000  # documents from which reading their texts takes a moment


# --- order --------------------------------------------------------------------------------------


def chosen_order(chosen: Documents) -> Order:
    suggested, reason = _suggestion(chosen)
    possible: list[Order] = ["text", "own"]
    if chosen.frame["score"].notna().any():
        possible.insert(0, "scores")
    order = st.radio(
        "Is this list in order of relevance?",
        possible,
        index=possible.index(suggested),
        format_func=ORDER_WORDS.__getitem__,
        key=f"{PREFIX}/order/{chosen.key}",
        persist_state="session",
    )
    if order == "own" and suggested == "text":
        st.warning(shell.escape_markdown(reason), icon=":material/warning:")
    else:
        st.caption(shell.escape_markdown(reason))
    return order


def _ranking(
    chosen: Documents, order: Order, scenario: Scenario, problems: list[str], asked: Asked | None
) -> tuple[Arranged | None, str]:
    query = _query(chosen, scenario) if order == "text" else ""
    if order == "text" and not query.strip():
        problems.append(NO_QUERY)
        st.info(NO_QUERY, icon=":material/edit:")
        return None, query
    try:
        ranking = _ranked(chosen, order, query)
        if asked is not None:
            ranking = asked.kept(ranking)
    except InputProblem as problem:
        problems.append(str(problem))
        shell.problem_box(problem)
        return None, query
    arranged = came_along.arrange(chosen, ranking)
    if scenario.grades and not chosen.simulated:
        merging.say_where_no_families(chosen.frame)
    _first_titles(chosen, arranged)
    return arranged, query


def _suggestion(chosen: Documents) -> tuple[Order, str]:
    held = st.session_state.get(f"{PREFIX}/suggestion")
    if held is None or held[0] != chosen.key:
        held = (chosen.key, suggest_order(chosen.frame))
        st.session_state[f"{PREFIX}/suggestion"] = held
    suggestion: tuple[Order, str] = held[1]
    return suggestion


def _query(chosen: Documents, scenario: Scenario) -> str:
    key = f"{PREFIX}/query/{chosen.key}"
    if key not in st.session_state:
        st.session_state[key] = st.session_state.get(f"{key}/kept", chosen.query)
    query = st.text_area(
        scenario.asked[0],
        key=key,
        height=132,
        placeholder=scenario.asked[1],
    )
    st.session_state[f"{key}/kept"] = query
    with st.expander("Take it from a text file"):
        st.file_uploader(
            scenario.asked_file,
            type=["txt"],
            key=f"{key}/file",
            on_change=_take_query,
            args=(key,),
        )
        problem = st.session_state.get(f"{key}/problem")
        if problem:
            shell.problem_box(problem)
    return query


def _take_query(key: str) -> None:
    state = st.session_state
    state.pop(f"{key}/problem", None)
    file = state[f"{key}/file"]
    if file is None:
        return
    try:
        state[key] = read_text(cast(BinaryIO, file), file.name)
    except InputProblem as problem:
        state[f"{key}/problem"] = str(problem)


def read_text(handle: BinaryIO, name: str) -> str:
    """A plain text file, whatever its encoding.

    Raises
    ------
    InputProblem
        When it is empty or no text.

    Examples
    --------
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
    wanted = (chosen.key, order, query)
    held: tuple[tuple[str, str, str], Ranking] | None = st.session_state.get(f"{PREFIX}/ranking")
    if held is None or held[0] != wanted:
        index = _index(chosen) if order == "text" else None
        held = (wanted, prepare(chosen.frame, order, query, index=index))
        st.session_state[f"{PREFIX}/ranking"] = held
    return held[1]


def _index(chosen: Documents) -> Bm25Index:
    held: tuple[str, Bm25Index] | None = st.session_state.get(f"{PREFIX}/index")
    if held is None or held[0] != chosen.key:
        bar = st.progress(0.0, text="Reading the texts") if len(chosen.frame) > LARGE else None

        def progress(done: int, total: int) -> None:
            if bar is not None:
                bar.progress(done / total, text=f"Read the texts of {done:,} of {total:,} documents")

        held = (chosen.key, build_index(ranking_text(chosen.frame), progress))
        if bar is not None:
            bar.empty()
        st.session_state[f"{PREFIX}/index"] = held
    return held[1]


def _first_titles(chosen: Documents, arranged: Arranged) -> None:
    ranking, kept = arranged.screened, arranged.kept
    first = chosen.frame.iloc[ranking.order[kept : kept + FIRST_TITLES]]
    if first.empty:
        return
    items = []
    for at, (_, row) in enumerate(first.iterrows(), start=kept):
        facts = [str(row["date"]), str(row["publication_number"] or row["id"])]
        if ranking.scores is not None:
            facts.append(f"score {ranking.scores[at]:.3g}")
        words = html.escape(str(row["title"] or row["abstract"][:100] or row["id"]))
        items.append(
            f'<li>{words} <span class="tar-meta">{html.escape(" · ".join(filter(None, facts)))}</span></li>'
        )
    after = f", after {kept:,} kept with their labels" if kept else ""
    st.markdown(f"You would read these first, of {len(ranking):,}{after}:")
    st.html(f'<ol class="tar-first" data-testid="first-titles">{"".join(items)}</ol>')
