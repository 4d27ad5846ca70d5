"""The Learn page: a lecture in the browser on the sample collections, for a class or a single person.

This module has the page and two of its parts, formulas and glossary.
"""

from collections.abc import Callable, Mapping

import streamlit as st

from dashboard.frame import classroom, people, shell
from dashboard.frame.drawing import all_figures, beside_title
from dashboard.frame.scripts import KEYS_SCRIPT, SAVE_ACTIONS_SCRIPT
from dashboard.frame.widgets import alone, bound, switch
from dashboard.frame.work import flash
from dashboard.learn import game, ideas, walk, walk_state
from tarstop_core.policies import POLICIES
from tarstop_core.teaching import reference
from tarstop_core.teaching.reference import Formula, Term, formulas, terms

LEAD = "See why TARstop says stop: follow it document by document, and try it yourself"
WITH_A_CLASS = f", or [with a class]({shell.guide('for_several', 'a-class')})"
KEY, WRITTEN = "learn/part", "learn/part/written"
RULES = "The rules"
ALONG = "learn/along"
LED = {"ideas": ("idea",), "formulas": ("section", "formula"), "glossary": ("group", "term")}
"""Parts that do not lead a class themselves, with the parameters of the address that a class follows."""


def learn_page() -> None:
    """Draw the page with the part that is open."""
    st.title("Learn")
    shell.show_lead(f"{LEAD}{WITH_A_CLASS if people.lecture() is None else ''}.")
    led = classroom.shown()
    _go_along(led)
    if led.get("part") == "walk":
        with shell.problems_shown():
            walk.show_led(led)
        return
    beside_title(present=True)
    flash()
    part = _part()
    with shell.problems_shown():
        PARTS[part][1]()
    if part in LED:
        classroom.lead({"part": part} | {name: st.query_params.get(name, "") for name in LED[part]})
    all_figures("tarstop-learn", SAVE_ACTIONS_SCRIPT)
    shell.apart(KEYS_SCRIPT, "scripts")


def _go_along(led: Mapping[str, str]) -> None:
    """Follow the lecturer to a new place once; after that, students may move freely."""
    if not led or st.session_state.get(ALONG) == led:
        return
    st.session_state[ALONG] = led
    # After a reload the address is the same already, and a game goes on.
    if any(st.query_params.get(name) != value for name, value in led.items()):
        st.query_params.from_dict(led)
        for name in LED.get(led["part"], ()):
            st.session_state.pop(name, None)
            st.session_state.update({name: led[name]} if name in led else {})


def _part() -> str:
    """Return the open part: the one in the address, else the one that was open last."""
    address, state = st.query_params, st.session_state
    named = address.get("part")
    if named in PARTS and named != state.get(WRITTEN):
        state[KEY] = named
    titles = {name: title for name, (title, _) in PARTS.items()}
    how = {"key": KEY, "label_visibility": "collapsed", "persist_state": "session"}
    part = switch("Part", titles, default=state.get(KEY, "walk"), **how)
    if part != state.get(WRITTEN, part):
        # These parameters belong to the part that was left; parameters of bound widgets go with the widgets.
        for name in {*walk_state.NAMES, *game.NAMES} & {*address}:
            del address[name]
    if named != part:
        address["part"] = part
    state[WRITTEN] = part
    return part


def _named(parameter: str, titles: Mapping[str, str]) -> str:
    """Return the entry in the address, "" for none; on a projector ask for the one that is shown alone."""
    if shell.presenting():
        return alone(parameter.capitalize(), titles, parameter)
    return st.query_params.get(parameter, "")


def _show_named(key: str, text: str, named: str, unknown: str) -> None:
    """Show the entry in the address in a box, or say that it does not exist."""
    if text:
        with st.container(border=True, key=key):
            st.markdown(text)
    elif named:
        shell.problem_box(f"{unknown} {named}; look for it below.")


def show_formulas() -> None:
    """Draw the text of docs/methods.md: the formula in the address, and below it one section."""
    named = _named("formula", _formula_titles())
    text = ""
    if named in formulas():
        text = _formula(formulas()[named])
    elif named in POLICIES:
        text = _rule(named)
    _show_named("formula-asked", text, named, "There is no formula")
    if shell.presenting():
        return
    titled = {section.title: section for section in reference.sections()}
    titles = [*titled, RULES]
    title = st.pills("Section", titles, default=titles[0], required=True, **bound("section"))
    with st.container(key="formulas"):
        if title in titled:
            section = titled[title]
            st.markdown("\n\n".join((section.intro, *map(_formula, section.formulas))))
        else:
            for family, rules in reference.by_family().items():
                st.markdown(f"### {family}")
                st.markdown("\n\n".join(_rule(rule.name) for rule in rules))
    st.caption("Names of functions are below `tarstop_core`.")


def _formula_titles() -> dict[str, str]:
    """Return titles of formulas and rules by key, first those of the section in the address."""
    by_section = {
        section.title: {formula.key: f"{section.title}: {formula.title}" for formula in section.formulas}
        for section in reference.sections()
    }
    by_section[RULES] = {name: f"{RULES}: {rule.title}" for name, rule in POLICIES.items()}
    here = by_section.get(st.query_params.get("section", ""), {})
    return here | {key: title for titles in by_section.values() for key, title in titles.items()}


def _formula(formula: Formula) -> str:
    return f"#### {formula.title}\n\n{reference.body(formula)}"


def _rule(name: str) -> str:
    return f"#### {POLICIES[name].title}\n\n{reference.rule_body(POLICIES[name])}"


def show_glossary() -> None:
    """Draw the term in the address, and below it a group of terms or the results of a search."""
    by_key, groups = terms(), reference.grouped()
    words = st.session_state.get("find", st.query_params.get("find", "")).strip()
    named = _named("term", {term.key: term.name for group in groups.values() for term in group})
    first = next((group for group, within in groups.items() if by_key.get(named) in within), reference.FIRST)
    # The search box is further down, but the term above it depends on the listed ones.
    group = st.session_state.get("group") or st.query_params.get("group", first)
    listed = reference.matching(words) if words else groups.get(group, groups[first])
    here = set() if shell.presenting() else {term.key for term in listed}
    text = _entry(by_key[named], here) if named in by_key else ""
    _show_named("glossary-asked", text, named, "The glossary has no term")
    if shell.presenting():
        return
    hint = "belief, q*, REML, recall …"
    st.text_input("Search", **bound("find"), placeholder=hint, icon=":material/search:")
    if not words:
        how = bound("group") | {"label_visibility": "collapsed"}
        st.pills("Group", list(groups), default=first, required=True, **how)
    if not listed:
        st.caption(f"No term is called “{shell.escape_markdown(words)}”, and no explanation contains it.")
        return
    st.caption(f"{len(listed)} of {len(by_key)} terms")
    # All in one element, because a hundred elements would take a second.
    entries = (f'<span id="term-{term.key}"></span>\n\n{_entry(term, here)}' for term in listed)
    with st.container(key="glossary-terms"):
        st.markdown("\n\n---\n\n".join(entries), unsafe_allow_html=True)


def _entry(term: Term, here: set[str]) -> str:
    """Return a term as Markdown; links lead to related terms on the page (`here`), or open those that are not."""
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


PARTS: dict[str, tuple[str, Callable[[], None]]] = {
    "walk": ("Walk through", walk.show),
    "call": ("Your call", game.show),
    "ideas": ("Ideas in pictures", ideas.show),
    "formulas": ("Formulas", show_formulas),
    "glossary": ("Glossary", show_glossary),
}
"""Title and drawing function of each part, by its name in the address."""
