"""Every branch of Explore's sentences, rendered."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from types import SimpleNamespace
from typing import Any

from tarstop_core.explore import message
from tarstop_core.policies import Greedy, Optimal
from tarstop_core.screening.scenarios.patent import PATENT
from tarstop_core.value.payoffs import Option, Payoffs
from tarstop_core.value.stakes import PAYOFF_NAMES, Stakes
from tests.branches import every_branch

ACTIONS = {"plus": "Reject", "minus": "Grant"}
ASKED = "prior art exists"
MAP = {"rule": Optimal(), "high": "£40", "at_high": "a threshold of 50 % and £1 a document"}


def cell(**changed: Any) -> SimpleNamespace:
    """A cell of a map of which 7 documents are read, as sentences ask for it."""
    path = SimpleNamespace(hit=5, full_cost=2.0, reports_waiting=3.0, payoffs=Payoffs(1, 1, 1, 1, "£"))
    path.best_reports = lambda waiting: (2, 1.0)
    usual = {"path": path, "policy": Greedy(), "world": "planned", "cost": 0.5, "start": 7, "depth": 12}
    usual |= {"net_utility": 20.0, "unit": "£", "q_star": 0.5, "belief": 0.3, "settled": False, "right": True}
    return SimpleNamespace(**usual | changed)


def sentences() -> Iterator[tuple[str, dict[str, Any]]]:
    """A macro and its values, for every branch."""
    for changed in (
        {"settled": True},
        {"unit": "", "net_utility": 3.0},
        {"unit": "", "net_utility": -3.0, "start": 0},
        {"world": "played"},
        {"world": "played", "right": False},
    ):
        yield "path", {"cell": cell(**changed), "action": "Reject", "scenario": PATENT, "asked": ASKED}
    for depth, confirmed in ((5, True), (12, False), (7, False)):
        yield "plan_settled", {"cell": cell(depth=depth), "confirmed": confirmed}
    for to_read, waiting in ((0, 0), (0, 2), (1, 1), (1, 3), (2, 3), (3, 3)):
        changed, reports = cell(depth=waiting, start=waiting), {"to_read": to_read, "waiting": waiting}
        yield "plan_of_none", {"cell": changed, **reports}
        yield "worth_of_plan", {"cell": changed, "scenario": PATENT, "utility_now": 4.0}
    for to_read, unit, cost in ((2, "£", 0.5), (0, "", 0.5), (0, "", 0.0)):
        chosen = cell(unit=unit, cost=cost)
        yield "choice", {"cell": chosen, "action": "Reject", "asked": ASKED, "to_read": to_read, **ACTIONS}
    yield "other_rule", {"rule": Greedy(), "policy": Optimal()}
    for start, to_read in ((0, 0), (5, 2)):
        reports = {"to_read": to_read, "waiting": 2, "documents": 90}
        for finds, depth in product((True, False), (12, 90)):
            planned = cell(start=start, depth=depth)
            yield "plan", {"cell": planned, "scenario": PATENT, **reports, "finds": finds}
        worth = {"scenario": PATENT, "utility_now": 0.01}
        yield "worth_of_plan", {"cell": cell(start=start, depth=12), **worth}
    for reports, best in ((0.2, 0), (3.0, 2), (3.0, 0)):
        path = cell().path
        path.reports_waiting, path.best_reports = reports, lambda waiting, best=best: (best, 0.0)
        yield "full_cost", {"path": path, "cost": 0.2 if reports < 1 else 0.0}
    for plus, rho, b, go_on, plus_open, reads_on in (
        (True, 0.0, 0.6, False, True, False),
        (False, 0.2, 0.4, True, True, True),
        (False, 0.2, 0.6, False, True, True),
        (False, 0.2, 0.6, False, True, False),
        (False, 0.2, 0.6, True, False, False),
    ):
        at = {"b": b, "evpi": 0.4, "rho": rho, "value": 0.08, "cost": 1.0}
        now = SimpleNamespace(**at, option=int(plus), go_on=go_on, plus_open=plus_open)
        staked = {"settles": "settle it", "in_full": go_on, "rule": Optimal(), "reads_on": reads_on}
        two = Payoffs(1, 1, 1, 1, "£" if go_on else "")
        four = replace(two, others=(Option("Trial only", 0.2, 0.2), Option("Wait", 0.1, 0.3)))
        for payoffs, between, worth in ((two, "", None), (four, "“Adopt” above 60 %", 0.5)):
            staked |= {"payoffs": payoffs, "between": between, "worth": worth}
            yield "stakes", {**ACTIONS, "now": now, **staked}
    for cost in (0.0, 1e-9, 0.1):
        yield "check", {**ACTIONS, "stakes": Stakes(Payoffs(1, 1, 1, 1, "£"), cost)}
    for name in (*PAYOFF_NAMES, "cost", "b_0", "p"):
        yield "factor", {"name": name, **ACTIONS}
    for alike, low, settled in ((0, 3, True), (1, 3, False), (2, 3, False), (6, 9, False)):
        found = SimpleNamespace(depth=9, net_utility=4.0, settled=settled, from_0=settled)
        depth = {"name": "cost of a document (c)", "low": low, "high": 9, "alike": alike}
        for unit in ("£", ""):
            yield (
                "tornado",
                {"tornado": found, "depth": depth, "utility": depth, "unit": unit, "cost": 0.5},
            )
    for at, name in enumerate((*PAYOFF_NAMES, "cost", "b_0")):
        values = {"name": name, "now": at < 2, "begun": at % 2 == 0, "action": "Grant", "more": at > 2}
        for now in ("£3", "£9"):
            for to_read in (0, 2):
                for back in ("", "£90"):
                    turned = {**values, **ACTIONS, "to_read": to_read, "at": "£9", "value": now}
                    turned |= {"back": back, "missed": "a wrong"}
                    yield "turn", {**turned, "in_documents": at % 2 == 0}
    for now, begun, to_read in ((True, False, 0), (False, True, 0), (False, True, 2), (False, False, 0)):
        yield (
            "never",
            {"names": ["the cost of a document (c)"], "now": now, "begun": begun, "to_read": to_read},
        )
    for unit in ("£", ""):
        yield "place", {"q_star": 0.5, "cost": 2.0, "unit": unit}
    yield (
        "mean_difference",
        {"lists": 8, "difference": "Greedy and Optimal give the same result in every cell."},
    )
    yield "mean_same", {"lists": 8, "rule": Optimal(), "what": "regret", "high": "£0"}
    yield (
        "mean_agreement",
        {"lists": 8, "rule": Optimal(), "least": 0.4, "most": 0.9, "at_high": MAP["at_high"]},
    )
    yield (
        "mean",
        {"lists": 8, **MAP, "what": "regret", "low": "£0", "at_low": "a threshold of 20 % and £1 a document"},
    )
    yield "settled_map", {"rule": Optimal(), "depth": 5, "plus": "Reject"}
    for wrong, others in ((None, []), (0.2, []), (None, [("Trial only", 0.2)])):
        ends = {"up": 0.4, "wrong": wrong, "others": others}
        yield "decision_map", {"rule": Optimal(), **ends, "plus": "Reject", "minus": "Grant"}
    yield "agreement_map", {"rule": Optimal(), "right": 0.4}
    yield "same_map", {"rule": Optimal(), "what": "regret", "high": "£0"}
    for planned in (True, False):
        yield "depth_map", {**MAP, "planned": planned, "low": 0, "share": 0.5}
        yield "net_utility_map", {**MAP, "planned": planned, "low": "£0", "at_low": MAP["at_high"]}
    yield "regret_map", {**MAP, "share": 0.5}
    both = {"first": Greedy(), "second": Optimal()}
    yield "difference_of_none", both
    yield "difference_of_decisions", {**both, "same": 0.5}
    for measure in ("depth", "net_utility", "regret", "agreement"):
        shares = {
            "more": 0.2,
            "less": 0.3,
            "same": 0.5,
            "size": "£4",
            "larger": Greedy(),
            "at": MAP["at_high"],
        }
        yield "difference", {**both, **shares, "measure": measure}
    depths = {"tables": [1, 3, 7], "learned": [4, 9, 1200], "listed": [7, 30, 1500]}
    yield "order_heading", depths
    for right in (True, False):
        ends = {"by_finds": SimpleNamespace(depth=90, right=right)}
        ends["by_score"] = SimpleNamespace(depth=80, right=not right)
        yield "orders", {**depths, **ends, "rule": Optimal()}


def test_every_branch_reads_as_a_sentence() -> None:
    with every_branch(message):
        for name, values in sentences():
            assert message(name, **values)
