"""What Evidence asks of worth: what mistakes cost and in which unit, whom they concern, and the price of a study."""

from urllib.parse import urlencode

import streamlit as st

from dashboard.evidence.chosen import PREFIX
from dashboard.frame import shell
from dashboard.frame.widgets import bound
from dashboard.parts.everyone import NAMED, concerned, number_asked
from tarstop_core.evidence.everyone import Everyone
from tarstop_core.value.payoffs import Payoffs
from tarstop_core.value.stakes import Stakes


def ask_amounts(first: Payoffs, q_star: float) -> tuple[Payoffs, Everyone]:
    """Ask for amounts.

    Parameters
    ----------
    first
        What was at stake to begin with.
    q_star
        How sure one wants to be.

    Returns
    -------
    payoffs : Payoffs
        With this q*; those of before where no amount is given.
    everyone : Everyone
        Whom they concern, and what a study costs.
    """
    payoffs = first if q_star == first.q_star else Stakes(first, 0.0).with_q_star(q_star).payoffs
    how = "0 keeps the earlier stakes. If you count people below, the amount is per person."
    worst = number_asked("Cost of the worse mistake", 0.0, "worst", help=how)
    unit = st.text_input("Unit", first.unit or "£", max_chars=12, **bound("unit")).strip()
    if worst:
        payoffs = Payoffs.from_q_star(q_star, worst / max(q_star, 1 - q_star), unit)
    everyone = concerned(PREFIX)
    price = number_asked("Price of one more study", 0.0, "price")
    return payoffs, Everyone(everyone.people("start_of_year") if everyone else 0.0, price)


def link_to_decisions(**asked: str) -> None:
    """Lead to Decisions with what is asked there, and with whom the address says that the decision concerns."""
    if not shell.presenting():
        here = st.query_params
        concerning = {name: here[name] for name in NAMED if name in here}
        st.caption(f"More than two options? [Decisions](decisions?{urlencode(concerning | asked)}).")
