"""Learn, parts "Formulas" and "Glossary": every formula with its place in the paper, and every word of the interface."""

from pathlib import Path

import streamlit as st

from dashboard.frame import shell
from dashboard.frame.widgets import alone, bound
from tarstop_core.policies import POLICIES
from tarstop_core.teaching.glossary import FIRST, Term, grouped, matching, terms
from tarstop_core.teaching.methods import Formula, body, by_family, formulas, rule_body, sections

RULES = "The rules"


def show_formulas() -> None:
    """Draw the text of docs/methods.md: the formula that the address names, and below it one section."""
    st.html(Path(__file__).with_name("words.css"))
    named = st.query_params.get("formula", "")
    if shell.presenting():
        named = alone("Formula", _titles(), "formula")
    if text := _named(named):
        with st.container(border=True, key="formula-asked"):
            st.markdown(text)
    elif named:
        shell.problem_box(f"There is no formula {named}; look for it below.")
    if shell.presenting():
        return
    titled = {section.title: section for section in sections()}
    titles = [*titled, RULES]
    title = st.pills("Section", titles, default=titles[0], required=True, **bound("section"))
    with st.container(key="formulas"):
        if title in titled:
            section = titled[title]
            st.markdown("\n\n".join((section.intro, *map(_formula, section.formulas))))
        else:
            for family, rules in by_family().items():
                st.markdown(f"### {family}")
                st.markdown("\n\n".join(_rule(rule.name) for rule in rules))
    st.caption("Names of functions are below `tarstop_core`.")


def _titles() -> dict[str, str]:
    """Return titles of formulas and rules by key; those of the section in the address first."""
    by_section = {
        section.title: {formula.key: f"{section.title}: {formula.title}" for formula in section.formulas}
        for section in sections()
    }
    by_section[RULES] = {name: f"{RULES}: {rule.title}" for name, rule in POLICIES.items()}
    here = by_section.get(st.query_params.get("section", ""), {})
    return here | {key: title for titles in by_section.values() for key, title in titles.items()}


def _named(key: str) -> str:
    """Return what the address names as Markdown, or ""."""
    if key in formulas():
        return _formula(formulas()[key])
    return _rule(key) if key in POLICIES else ""


def _formula(formula: Formula) -> str:
    return f"#### {formula.title}\n\n{body(formula)}"


def _rule(name: str) -> str:
    return f"#### {POLICIES[name].title}\n\n{rule_body(POLICIES[name])}"


def show_glossary() -> None:
    """Draw the term that the address names, and below it a group of terms, or those that a search finds."""
    st.html(Path(__file__).with_name("words.css"))
    every, groups = terms(), grouped()
    words = st.session_state.get("find", st.query_params.get("find", "")).strip()
    named = st.query_params.get("term", "")
    if shell.presenting():
        named = alone("Term", {term.key: term.name for group in groups.values() for term in group}, "term")
    first = next((group for group, within in groups.items() if named in {term.key for term in within}), FIRST)
    # The box for the search stands below; what it holds decides on what is above it.
    group = st.session_state.get("group") or st.query_params.get("group", first)
    listed = matching(words) if words else groups.get(group, groups[first])
    here = set() if shell.presenting() else {term.key for term in listed}
    if named in every:
        with st.container(border=True, key="glossary-asked"):
            st.markdown(_entry(every[named], here))
    elif named:
        shell.problem_box(f"The glossary has no term {named}; look for it below.")
    if shell.presenting():
        return
    hint = "belief, q*, REML, recall …"
    st.text_input("Search", **bound("find"), placeholder=hint, icon=":material/search:")
    if not words:
        how = bound("group") | {"label_visibility": "collapsed"}
        st.pills("Group", list(groups), default=first, required=True, **how)
    if not listed:
        st.caption(f"Nothing is called “{shell.escape_markdown(words)}”, and no explanation has it.")
        return
    st.caption(f"{len(listed)} of {len(every)} terms")
    # One element: a hundred of them would take a second.
    entries = (f'<span id="term-{term.key}"></span>\n\n{_entry(term, here)}' for term in listed)
    with st.container(key="glossary-terms"):
        st.markdown("\n\n---\n\n".join(entries), unsafe_allow_html=True)


def _entry(term: Term, here: set[str]) -> str:
    """Return a term as Markdown; neighbours that are on the page are jumped to, others opened."""
    symbol = f" &nbsp; ${term.symbol}$" if term.symbol else ""
    lines = [f"**{shell.escape_markdown(term.name)}**{symbol}  \n{shell.escape_markdown(term.meaning)}"]
    if term.formula:
        lines.append(f"$$\n{term.formula}\n$$")
    links = [
        f"[{shell.escape_markdown(terms()[key].name)}](#term-{key})" if key in here else shell.term(key)
        for key in term.related
    ]
    last = [f"*Source* {shell.escape_markdown(term.source)}"] if term.source else []
    last += [f"*See also* {', '.join(links)}"] if links else []
    if term.idea:
        last.append(f"[in a picture]({shell.learn('ideas', idea=term.idea)})")
    if term.explained in formulas() or term.explained in POLICIES:
        title = "assumptions and code" if term.explained in formulas() else "parameters and assumptions"
        last.append(f"[{title}]({shell.learn('formulas', formula=term.explained)})")
    return "\n\n".join((*lines, " · ".join(last)))
