"""How methods look in figures of an experiment."""

from tarstop_core.evaluation.findings.drawing import style
from tarstop_core.evaluation.findings.wording import share_words
from tarstop_core.policies import POLICIES


def test_rules_keep_a_look_of_their_own() -> None:
    looks = {name: style(name, family=kind.family) for name, kind in POLICIES.items()}
    assert len({(look["color"], look["symbol"]) for look in looks.values()}) == len(looks)
    assert looks["greedy"]["dash"] == "solid" and looks["budget"]["dash"] == "dash"
    assert looks["oracle"]["dash"] == "dot"
    assert style("optimal", "hazard")["symbol"].endswith("-open")
    assert style("mine") == style("mine")


def test_share_words_by_example() -> None:
    assert (share_words(0.1234), share_words(0.99999), share_words(1 - 1e-12)) == (
        "12.3 %",
        ">99.9 %",
        "100 %",
    )
