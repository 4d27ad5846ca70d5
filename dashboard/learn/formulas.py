"""Learn, part "Formulas": each with its place in the paper, what is assumed, and the function that computes it."""

from pathlib import Path

import streamlit as st

from dashboard.frame import shell
from dashboard.frame.widgets import alone, bound
from tarstop_core.policies import POLICIES
from tarstop_core.teaching.methods import Formula, body, by_family, formulas, rule_body, sections

RULES = "The rules"


def show() -> None:
    """Draw the part, the text of docs/methods.md: what the address names, and below it one section."""
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
    """What each formula and rule is called, by its key; those of the section in the address first."""
    titles = {
        each.key: f"{section.title}: {each.title}" for section in sections() for each in section.formulas
    }
    titles |= {name: f"{RULES}: {rule.title}" for name, rule in POLICIES.items()}
    here = st.query_params.get("section", "")
    return dict(sorted(titles.items(), key=lambda named: not named[1].startswith(f"{here}:")))


def _named(key: str) -> str:
    """What the address names, or ""."""
    if key in formulas():
        return _formula(formulas()[key])
    return _rule(key) if key in POLICIES else ""


def _formula(formula: Formula) -> str:
    return f"#### {formula.title}\n\n{body(formula)}"


def _rule(name: str) -> str:
    return f"#### {POLICIES[name].title}\n\n{rule_body(POLICIES[name])}"
