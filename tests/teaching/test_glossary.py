"""The glossary: complete, linked, without a second text for what has one."""

import ast
import dataclasses
import re
import tomllib
from collections import Counter
from pathlib import Path

import pytest

from dashboard.learn import ideas as learn_ideas
from tarstop_core.policies import POLICIES
from tarstop_core.teaching.reference import FIRST, Term, formulas, grouped, matching, named, terms

ROOT = Path(__file__).resolve().parents[2]
DASHBOARD = ROOT / "dashboard"
THEMES = [
    tomllib.loads(file.read_text("utf-8")) for file in ROOT.glob("tarstop_core/teaching/glossary/*.toml")
]
# What the issue asks for, by its words.
WANTED = """screening ranking qrels run recall payoff consequences cost q* belief evpi evsi worth look-ahead optimal greedy
smooth batch oracle regret icer calibration calibrator brier ece reliability frailty sensitivity specificity sroc reitsma
reml prior prisma deviation plan censored""".split()
PHRASES = (
    "the paper's score",
    "net utility",
    "decision agreement",
    "false adopt",
    "false reject",
    "2×2 table",
    "forest plot",
    "prediction region",
    "two stages",
    "patent family",
    "priority date",
    "first-hit model",
    "grade",
)


def test_every_wanted_word_is_found_by_its_name() -> None:
    for word in (*WANTED, *PHRASES):
        first = matching(word)[0]
        names = " ".join((first.name, *first.also, first.key)).casefold()
        assert word.casefold() in names, word


def test_a_theme_is_written_as_its_loader_needs_it() -> None:
    known = {field.name for field in dataclasses.fields(Term)} - {"key"}
    for key, fields in (entry for theme in THEMES for entry in theme.items()):
        assert {"name", "meaning"} <= set(fields) <= known, key
        for name, said in fields.items():
            assert isinstance(said, list if name in ("also", "related") else str), (key, name)
            for text in [said] if isinstance(said, str) else said:
                assert isinstance(text, str) and text == text.strip() != "", (key, name)


def test_no_two_terms_share_a_key_or_a_name() -> None:
    keys = Counter([*POLICIES, *(key for theme in THEMES for key in theme)])
    names = Counter(term.name.casefold() for term in terms().values())
    assert set(keys.values()) == set(names.values()) == {1}
    assert set(keys) == set(terms())


def test_every_term_is_in_one_group_and_newcomers_have_theirs() -> None:
    begin, *others = grouped().items()
    assert begin[0] == FIRST and {"belief", "prevalence", "likelihood-ratios"} <= {
        each.key for each in begin[1]
    }
    assert sorted(each.key for _, group in others for each in group) == sorted(terms())
    assert all(group for _, group in others)


def test_terms_lead_to_terms_formulas_and_ideas_that_exist() -> None:
    known = terms()
    for term in known.values():
        assert term.meaning and term.meaning[-1] in ".”", term.key
        assert len(re.findall(r"[.?]”?(?: |$)", term.meaning)) <= 3, term.key
        assert set(term.related) <= set(known) - {term.key}, term.key
        assert term.explained in ("", *formulas(), *POLICIES), term.key
        assert term.idea in ("", *learn_ideas.IDEAS), term.key


def test_a_rule_is_described_by_itself() -> None:
    for name, policy in POLICIES.items():
        term = terms()[name]
        assert (term.name, term.meaning, term.source) == (policy.title, policy.rule, policy.source)
        assert term.formula == policy.formula


def test_formula_and_source_come_from_the_methods() -> None:
    term = terms()["evpi"]
    assert term.formula == formulas()["evpi"].formula and term.source == formulas()["evpi"].source
    assert terms()["screening"].formula == "" and terms()["run"].source == "TREC"


def test_every_idea_has_its_words() -> None:
    shown = {term.idea for term in terms().values()}
    assert set(learn_ideas.IDEAS) <= shown


@pytest.mark.parametrize("words", ["", "   ", "zzzz", "q*", "((", "\\"])
def test_a_search_takes_anything(words: str) -> None:
    assert len(matching(words)) in range(len(terms()) + 1)


def test_a_search_needs_every_word_and_puts_names_first() -> None:
    assert matching("calibration error")[0].key == "ece"
    assert all("table" in " ".join((t.name, t.meaning, t.key, *t.also)).casefold() for t in matching("table"))
    assert matching("recall")[0].name.casefold().startswith(("recall", "map")) and not matching("recall zzzz")


def links_in(file: Path) -> list[str]:
    """Keys that a page asks `term` for."""
    calls = [
        node for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))) if isinstance(node, ast.Call)
    ]
    asked = [node for node in calls if ast.unparse(node.func) in ("shell.term", "term") and node.args]
    return [node.args[0].value for node in asked if isinstance(node.args[0], ast.Constant)]


def test_pages_link_to_terms_that_exist() -> None:
    linked = {file.relative_to(DASHBOARD): links_in(file) for file in DASHBOARD.rglob("*.py")}
    assert any(linked.values())
    for page, keys in linked.items():
        assert set(keys) <= set(terms()), page


def test_named_by_example() -> None:
    keys = {"Net utility": "net-utility", "Batch(10)": "batch", "How sure before you act, q*": "q-star"}
    keys |= {"Chance that sensitivity exceeds 75 %": "belief", "Mast": None}
    assert {words: term and term.key for words, term in zip(keys, map(named, keys), strict=True)} == keys


def test_a_meaning_is_plain_text() -> None:
    """It is shown as it is written: signs of Markdown would be read aloud."""
    assert not [term.key for term in terms().values() if "*" in term.meaning.replace("q*", "")]
