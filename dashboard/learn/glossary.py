"""Learn, part "Glossary": every word of the interface, in groups, searched, and linked to its neighbours."""

from pathlib import Path

import streamlit as st

from dashboard.frame import shell
from dashboard.frame.widgets import alone, bound
from tarstop_core.policies import POLICIES
from tarstop_core.teaching.glossary import FIRST, Term, found, grouped, terms
from tarstop_core.teaching.methods import formulas


def show() -> None:
    """Draw the part: the term that the address names, and below it all, or those that a search finds."""
    st.html(Path(__file__).with_name("words.css"))
    known, groups = terms(), grouped()
    words = st.session_state.get("find", st.query_params.get("find", "")).strip()
    named = st.query_params.get("term", "")
    if shell.presenting():
        named = alone("Term", {each.key: each.name for group in groups.values() for each in group}, "term")
    first = next((group for group, within in groups.items() if named in {term.key for term in within}), FIRST)
    # The box for the search stands below; what it holds decides on what is above it.
    group = st.session_state.get("group") or st.query_params.get("group", first)
    shown = found(words) if words else groups.get(group, groups[first])
    here = set() if shell.presenting() else {term.key for term in shown}
    if named in known:
        with st.container(border=True, key="glossary-asked"):
            st.markdown(_entry(known[named], here))
    elif named:
        shell.problem_box(f"The glossary has no term {named}; look for it below.")
    if shell.presenting():
        return
    hint = "belief, q*, REML, recall …"
    st.text_input("Search", **bound("find"), placeholder=hint, icon=":material/search:")
    if not words:
        st.pills(
            "Group",
            list(groups),
            default=first,
            **bound("group"),
            required=True,
            label_visibility="collapsed",
        )
    if not shown:
        st.caption(f"Nothing is called “{shell.escape_markdown(words)}”, and no explanation has it.")
        return
    st.caption(f"{len(shown)} of {len(known)} terms")
    # One element: a hundred of them would take a second.
    entries = (f'<span id="term-{term.key}"></span>\n\n{_entry(term, here)}' for term in shown)
    with st.container(key="glossary-terms"):
        st.markdown("\n\n---\n\n".join(entries), unsafe_allow_html=True)


def _entry(term: Term, here: set[str]) -> str:
    """A term as Markdown; neighbours that are on the page are jumped to, others opened."""
    symbol = f" &nbsp; ${term.symbol}$" if term.symbol else ""
    lines = [f"**{shell.escape_markdown(term.name)}**{symbol}  \n{shell.escape_markdown(term.meaning)}"]
    if term.formula:
        lines.append(f"$$\n{term.formula}\n$$")
    known = terms()
    links = [
        f"[{shell.escape_markdown(known[key].name)}](#term-{key})" if key in here else shell.term(key)
        for key in term.related
    ]
    last = [f"*See also* {', '.join(links)}"] if links else []
    if term.idea:
        last.append(f"[in a picture]({shell.learn('ideas', idea=term.idea)})")
    if term.explained in formulas() or term.explained in POLICIES:
        what = "assumptions and code" if term.explained in formulas() else "parameters and assumptions"
        last.append(f"[{what}]({shell.learn('formulas', formula=term.explained)})")
    if term.source:
        last.insert(0, f"*Source* {shell.escape_markdown(term.source)}")
    return "\n\n".join((*lines, " · ".join(last)))
