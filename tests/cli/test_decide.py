"""``tarstop decide``."""

import pytest

from tests.cli.shell import Run, refused

DECIDE = ("decide", "--q-star", "0.8", "--belief", "0.5", "--rho", "0.02", "--cost", "0.001")


def test_decide_prints_the_contract(tarstop: Run) -> None:
    found = tarstop(*DECIDE, "--json").json
    assert list(found) == ["q_star", "evpi", "value", "action", "continue"]
    assert found["q_star"] == pytest.approx(0.8)
    assert found["evpi"] == pytest.approx(0.1)  # min(.5 × .2, .5 × .8)
    assert found["value"] == pytest.approx(0.002)
    assert found["action"] == "a-" and found["continue"] is True


def test_decide_counts_in_the_payoffs_own_unit(tarstop: Run) -> None:
    found = tarstop(
        *(
            "decide",
            "--payoffs",
            "4000,1000,4000,1000",
            "--belief",
            "0.5",
            "--rho",
            "0.02",
            "--cost",
            "21",
            "--json",
        )
    ).json
    assert found["q_star"] == pytest.approx(0.2) and found["evpi"] == pytest.approx(1000)
    assert found["value"] == pytest.approx(20)
    assert found["action"] == "a+" and found["continue"] is False


def test_decide_at_the_threshold_rejects_and_stops_when_worth_equals_cost(tarstop: Run) -> None:
    found = tarstop(
        *(
            "decide",
            "--q-star",
            "0.5",
            "--belief",
            "0.5000000000000001",
            "--rho",
            "0.1",
            "--cost",
            "0.025",
            "--json",
        )
    ).json
    assert found["action"] == "a-" and found["continue"] is False


def test_decide_explains_in_words(tarstop: Run) -> None:
    told = tarstop(*DECIDE)
    assert told.code == 0 and told.err == ""
    assert told.out.startswith("Continue: ") and "0.02 × 0.1 = 0.002 > 0.001" in told.out
    assert "Stopping now means a-" in told.out


@pytest.mark.parametrize(
    ("changes", "word"),
    [
        ({"--q-star": "1"}, "q*"),
        ({"--q-star": "0"}, "q*"),
        ({"--q-star": "nan"}, "q*"),
        ({"--q-star": "much"}, "--q-star"),
        ({"--q-star": None}, "either --q-star or --payoffs"),
        ({"--payoffs": "1,1,1,1"}, "either --q-star or --payoffs"),
        ({"--q-star": None, "--payoffs": "1,2,3"}, "four numbers"),
        ({"--q-star": None, "--payoffs": "1,2,3,x"}, "four numbers"),
        ({"--q-star": None, "--payoffs": "1,2,3,-4"}, "payoff G"),
        ({"--q-star": None, "--payoffs": "1,0,3,0"}, "G + L_r"),
        ({"--q-star": None, "--payoffs": "inf,1,1,1"}, "payoff B"),
        ({"--belief": "1.1"}, "--belief"),
        ({"--belief": "nan"}, "--belief"),
        ({"--rho": "-0.1"}, "--rho"),
        ({"--cost": "-1"}, "cost"),
        ({"--cost": "nan"}, "cost"),
        ({"--cost": None}, "--cost"),
    ],
)
@pytest.mark.parametrize("form", [[], ["--json"]])
def test_decide_refuses(tarstop: Run, changes: dict[str, str | None], word: str, form: list[str]) -> None:
    given = dict(zip(DECIDE[1::2], DECIDE[2::2], strict=True)) | changes
    options = [part for name, value in given.items() if value is not None for part in (name, value)]
    refused(tarstop("decide", *options, *form), word)
