"""What more studies are worth to everyone concerned, and after their price, against the amounts of one person."""

import numpy as np
import pytest

from tarstop_core.evidence import words
from tarstop_core.evidence.curve_figures import value_of_more
from tarstop_core.evidence.everyone import NOBODY, Everyone
from tarstop_core.evidence.report import value_rows
from tarstop_core.evidence.summary import Evidence
from tarstop_core.presentation.palette import COST
from tarstop_core.value.actions.population import Concerned
from tarstop_core.value.payoffs import Payoffs
from tests.evidence.test_words import FOUR, reviewed
from tests.spoken import spoken

MONEY = Payoffs.from_q_star(0.5, 300.0, "£")
PEOPLE = Concerned(annual_population=2000, years=10, rate=0.035).people("start_of_year")


@pytest.fixture(scope="module")
def evidence() -> Evidence:
    return reviewed(*FOUR, engine="univariate", theta=0.8)


def test_the_worth_to_everyone_is_that_of_one_times_the_discounted_people(evidence: Evidence) -> None:
    assert pytest.approx(sum(2000 / 1.035**year for year in range(10))) == PEOPLE
    more = evidence.more_studies(MONEY)
    assert more is not None
    of_all = Everyone(PEOPLE).worth(more)
    belief = float(evidence.belief or 0)
    assert of_all.evpi == pytest.approx(
        PEOPLE * 150 * min(belief, 1 - belief)
    )  # either mistake costs one £150
    assert of_all.evsi == pytest.approx(PEOPLE * more.evsi) and NOBODY.worth(more).evpi == more.evpi
    row = value_rows(evidence, MONEY, Everyone(PEOPLE, 500.0))[3]
    assert row["evpi_everyone"] == pytest.approx(of_all.evpi) and row["evsi_everyone"] == pytest.approx(
        of_all.evsi[3]
    )
    assert row["price"] == 500 * row["more_studies"] and row["evsi"] == pytest.approx(more.evsi[3])
    assert not {"evpi_everyone", "price"} & value_rows(evidence, MONEY)[0].keys()


def test_the_best_number_of_studies_is_the_one_that_brings_most(evidence: Evidence) -> None:
    more = evidence.more_studies(MONEY)
    assert more is not None
    for price in (10.0, 1000.0, 20_000.0, 1e9):
        net = [PEOPLE * worth - price * k for k, worth in zip(more.k, more.evsi, strict=True)]
        best = int(np.argmax(net))
        expected = (more.k[best], pytest.approx(net[best])) if net[best] > 0 else (0, 0.0)
        assert Everyone(PEOPLE, price).best(more) == expected
    assert Everyone(PEOPLE, 1e9).best(more) == (0, 0.0)
    assert Everyone(PEOPLE, 1000.0).best(more)[0] > Everyone(PEOPLE, 20_000.0).best(more)[0] > 0


def test_sentences_and_figure_follow(evidence: Evidence) -> None:
    alone = words.value_sentence(evidence, MONEY)
    for everyone in (Everyone(PEOPLE), Everyone(0.0, 1.0), Everyone(PEOPLE, 1000.0), Everyone(PEOPLE, 1e9)):
        name, values = spoken(words.message, words.value_sentence, evidence, MONEY, everyone)
        assert name == "for_everyone" and values["everyone"] is everyone
        assert words.value_sentence(evidence, MONEY, everyone).startswith(alone)
    drawn = value_of_more(evidence, MONEY, Everyone(PEOPLE, 1000.0))
    plain = value_of_more(evidence, MONEY)
    assert drawn["data"][0]["y"][0] == pytest.approx(PEOPLE * plain["data"][0]["y"][0])
    assert "£" in drawn["layout"]["yaxis"]["title"]["text"]
    lines = [one for one in drawn["data"] if one.get("line", {}).get("color") == COST]
    assert len(lines) == 1 and lines[0]["y"] == [1000.0 * k for k in lines[0]["x"]]


def test_without_an_amount_people_and_prices_are_not_counted_and_the_amount_is_asked_for(
    evidence: Evidence,
) -> None:
    bare, everyone = Payoffs.from_q_star(0.5), Everyone(PEOPLE, 5000.0)
    alone = words.value_sentence(evidence, bare)
    said = words.value_sentence(evidence, bare, everyone).removeprefix(alone)
    assert said.strip() and not any(letter.isdigit() for letter in said)
    assert value_of_more(evidence, bare, everyone) == value_of_more(evidence, bare)
    assert value_rows(evidence, bare, everyone) == value_rows(evidence, bare)
