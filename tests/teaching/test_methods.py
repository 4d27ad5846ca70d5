"""The methods: complete, true to the code they name, and written in what both GitHub and Streamlit can show."""

import importlib
import inspect
import re
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tarstop_core.policies import POLICIES
from tarstop_core.policies.registry import message
from tarstop_core.teaching.reference import body, by_family, details, document, formulas, rule_body, sections

ROOT = Path(__file__).resolve().parents[2]
# Modules whose public functions compute something with a formula, and those of them that do not.
OF_FORMULAS = {
    "value.payoffs": {"check_cost"},
    "belief.decisive": {"check_prior"},
    "belief.of_tables": set(),
    "belief.univariate": {"notes"},
    "belief.bivariate": set(),
    "belief.learned_prior": set(),
    "belief.normal_fit": set(),
    "belief.reitsma": {"usable"},
    "belief.sroc": set(),
    "value.studies": set(),
    "calibration.hit_rate_fit": {"fit_curve", "fit_distribution"},
    "calibration.hit_rate_model": {
        "grid",
        "less_sure",
        "shape_nodes",
        "share_among",
        "share_at",
        "share_of",
    },
    "calibration.extraction_rate": {"from_json", "load"},
    "calibration.calibrator": {"from_json", "load"},
    "calibration.scores": {"tied_share"},
    "calibration.fitting": {"has_label", "usable", "predicted"},
    "calibration.quality": {"in_bins", "quality_sentence"},
    "value.cumulative": set(),
    "evaluation.metrics": set(),
    "evaluation.ranking_metrics": set(),
    "evaluation.replay": {
        "reliability",
        "replay_enough",
        "still_unread",
        "summary",
        "with_left",
    },
    "explore.lists": {"collection", "first_settings", "in_own_order", "unread"},
    "explore.plans": {"actions", "cell_of", "decide", "plans_by_cost", "plans_to", "rules_of"},
    "explore.maps": {"fractions_around"},
    "explore.sensitivity": {"goes_on"},
    "belief.mixture": {"power_exposure", "weighted_quantiles"},
    "calibration.rank_frailty": {"cases_of", "grid", "learned_by", "with_learned"},
    "calibration.first_hit": {"in_words", "provenance", "ranks", "read_cases"},
    "screening.live_check": {"check_sentence", "evidence_so_far", "rescaled", "scale_before"},
    "sessions.prisma": {"origin", "flow_diagram", "flow_picture"},
}


def resolved(name: str) -> Any:
    """What a dotted name below the core stands for."""
    parts = name.split(".")
    for count in range(len(parts) - 1, 0, -1):
        try:
            found: Any = importlib.import_module(".".join(("tarstop_core", *parts[:count])))
        except ModuleNotFoundError:
            continue
        for part in parts[count:]:
            found = getattr(found, part)
        return found
    raise LookupError(name)


def public_functions(module: ModuleType) -> set[str]:
    return {
        name
        for name, each in inspect.getmembers(module, inspect.isfunction)
        if not name.startswith("_") and each.__module__ == module.__name__
    }


def test_the_document_is_what_the_module_writes() -> None:
    written = (ROOT / "docs" / "methods.md").read_text(encoding="utf-8")
    assert written == document(), "run: python -m tarstop_core.teaching.reference > docs/methods.md"


@pytest.mark.parametrize("key", list(formulas()))
def test_what_is_named_exists(key: str) -> None:
    formula = formulas()[key]
    assert formula.computed_by and formula.source and formula.text
    for name in formula.computed_by:
        assert resolved(name) is not None


@pytest.mark.parametrize("name", list(OF_FORMULAS))
def test_every_function_with_a_formula_is_named(name: str) -> None:
    public = public_functions(importlib.import_module(f"tarstop_core.{name}"))
    named = {each for formula in formulas().values() for each in formula.computed_by}
    # Exceptions that are no longer there would hide new functions of their names.
    assert OF_FORMULAS[name] <= public
    missing = [each for each in public - OF_FORMULAS[name] if f"{name}.{each}" not in named]
    assert not missing, (
        f"name these in tarstop_core/teaching/methods/, or above if they have no formula: {missing}"
    )


def test_every_rule_has_its_words_its_formula_and_its_parameters() -> None:
    whole = document()
    for policy in POLICIES.values():
        assert f"#### {policy.title}\n\n{policy.rule}" in whole
        assert policy.source in whole and f"$$\n{policy.formula}\n$$" in whole
        for parameter in policy.parameters:
            assert f"`{parameter.name}`: {parameter.meaning} (" in whole
        assert f"{message('needs', kind=policy)} Promise: {policy.promise.value}." in rule_body(policy)
    families = [policy for rules in by_family().values() for policy in rules]
    assert sorted(each.name for each in families) == sorted(POLICIES)


def test_keys_and_titles_are_given_once() -> None:
    every = [formula for section in sections() for formula in section.formulas]
    assert len({each.key for each in every}) == len({each.title for each in every}) == len(every)
    assert not {each.key for each in every} & set(POLICIES)
    assert len({section.place for section in sections()}) == len(sections())


def maths(text: str) -> list[str]:
    """Formulas between dollars."""
    displayed = re.findall(r"\$\$\n(.*?)\n\$\$", text, flags=re.DOTALL)
    return displayed + re.findall(r"\$([^$\n]+)\$", re.sub(r"\$\$.*?\$\$", "", text, flags=re.DOTALL))


def test_formulas_can_be_shown_on_github_and_in_the_app() -> None:
    text = document()
    found = maths(text)
    assert len(found) > 200 and text.count("$") % 2 == 0
    for formula in found:
        # GitHub refuses \operatorname, takes * for emphasis and < for a tag, and eats backslashes before signs.
        assert not re.search(r"\\operatorname|\\[^a-zA-Z ]|[*<>]", formula), formula
        assert formula.count("{") == formula.count("}"), formula
        assert len(re.findall(r"\\left\b", formula)) == len(re.findall(r"\\right\b", formula)), formula
    # A dollar that opens has no space behind it, one that closes no digit.
    for inline in re.findall(r"(?<!\$)\$(?!\$)([^$\n]+)\$(?!\$)(.?)", text):
        assert inline[0].strip() == inline[0] and not inline[1].isdigit(), inline


def test_a_rule_is_shown_as_it_documents_itself() -> None:
    said = details(POLICIES["smooth"])
    assert "$ρ_{d+j}$ uses the current $b_{d}$" in said
    assert "Parameters" not in details(POLICIES["grlstop"])
    assert "*Assumed.*" in body(formulas()["q-star"]) and "*Assumed.*" not in body(formulas()["evpi"])
