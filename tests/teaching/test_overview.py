"""The picture on Home: one search, and where reading on no longer pays."""

from pathlib import Path

import pytest

from tarstop_core.presentation.numbers import amount, percent
from tarstop_core.sessions.demo import start_demo
from tarstop_core.sessions.session import OpenSession
from tarstop_core.sessions.store.store import Store
from tarstop_core.teaching.overview import COSTS, MISTAKES, Overview


@pytest.mark.parametrize("mistake", MISTAKES)
@pytest.mark.parametrize("cost", COSTS)
def test_it_stops_where_the_next_documents_are_worth_less_than_they_cost(mistake: float, cost: float) -> None:
    idea = Overview(mistake, cost)
    worth = idea.settings.rule.value_rate(idea.path)
    assert worth is not None and (worth[: idea.stop] > cost).all() and worth[idea.stop] <= cost
    sentences = [idea.sentence(depth) for depth in range(idea.stop + 1)]
    assert all(each.endswith("read on.") for each in sentences[:-1]) and sentences[-1].endswith("stop.")
    assert f"is {percent(float(idea.path.b[idea.stop]))}." in sentences[-1]
    assert f"worth {amount(float(worth[idea.stop]), '£', exact=False)} each" in sentences[-1]


def test_it_stops_where_the_demo_does(tmp_path: Path) -> None:
    with Store(f"sqlite:///{tmp_path}/t.db") as store:
        session = OpenSession.load(store, start_demo(store))
        settings, first = session.state.settings, session.advice(session.state.settings)
    idea = Overview(settings.payoffs.wrong_minus, settings.cost)
    assert idea.stop == first.more
    assert amount(first.worth or 0, "£", exact=False) in idea.sentence(0)


def test_the_dearer_a_mistake_and_the_cheaper_a_document_the_longer_one_reads() -> None:
    stops = [Overview(mistake, 10.0).stop for mistake in MISTAKES]
    assert stops == sorted(stops) and stops[0] < stops[-1]
    stops = [Overview(5_000.0, cost).stop for cost in COSTS]
    assert stops == sorted(stops, reverse=True) and stops[0] > stops[-1]


def test_the_picture_is_solid_up_to_what_was_read() -> None:
    idea = Overview(5_000.0, 10.0)
    read, all_read = (idea.figure(depth)["data"] for depth in (5, idea.stop))
    assert read != all_read
