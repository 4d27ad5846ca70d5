"""Advice after the labels so far, the paper's rule, and the value of reading on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from tarstop_core.api.given import SessionInputs, check_chance, check_stakes, session_inputs
from tarstop_core.errors import InputProblem
from tarstop_core.presentation.figures import Chart, Figure, with_unit
from tarstop_core.presentation.numbers import amount, number
from tarstop_core.presentation.palette import COST, VALUE
from tarstop_core.presentation.results import Result
from tarstop_core.screening import advice as advising
from tarstop_core.screening.advice import advice_figure
from tarstop_core.screening.advised import Advice as Advised
from tarstop_core.screening.paths import screening_path
from tarstop_core.screening.wording import verdict
from tarstop_core.value.path import limited_plans
from tarstop_core.value.payoffs import Floats, Payoffs, weigh

if TYPE_CHECKING:
    import pandas as pd

    from tarstop_core.value.stakes import Stakes

HEIGHT = 330
LONGEST_PLAN = 2000  # By default, plans read at most this many documents


def _action(option: int, payoffs: Payoffs) -> str:
    """Name of an option in results: "a-", "a+" or its own name."""
    return ("a-", "a+", *(other.name for other in payoffs.others))[option]


@dataclass(frozen=True, eq=False)
class Advice(Result):
    """Whether to read on after the labels so far, and why; amounts are in the unit of the payoffs."""

    go_on: bool  # whether the rule reads another document
    decision: str  # on stopping now: "a+", "a-" or another option; without a decision to weigh, a+ is "enough was found"
    read: int  # documents read so far
    documents: int  # documents in the list
    to_read: int  # documents that the rule would still read without a hit
    belief: float | None  # that a+ is right; it and the next four are None without a decision to weigh
    rho: float | None  # chance that the next document is a hit, or has data
    evpi: float | None  # value of certainty
    # the paper's score of the next document, ρ·EVPI, as in `decide`; None if none is left
    value: float | None
    gain: float | None  # expected gain of following the advice over stopping now
    worth: float | None  # the rate that the rule compares with the cost; None if it compares none
    cost: float  # cost of a document
    unread: tuple[float, float, float] | None
    """Relevant documents still unread: expected number and 90 % interval; None for patents."""
    details: Advised = field(repr=False)  # the full advice of a session
    inputs: SessionInputs = field(repr=False)

    @property
    def sentence(self) -> str:
        words = verdict(self.details, self.inputs.settings)
        return " ".join(filter(None, (f"{words.word}.", words.says, words.now)))

    def to_frame(self) -> pd.DataFrame:
        """Return one row, so that the rows after all labels can be concatenated."""
        import pandas as pd

        names = "go_on decision read documents to_read belief rho evpi value gain worth cost".split()
        unread = self.unread or (np.nan,) * 3
        row = {name: np.nan if (value := getattr(self, name)) is None else value for name in names}
        return pd.DataFrame([row | dict(zip(("unread", "unread_low", "unread_high"), unread, strict=True))])

    def figure(self) -> Figure:
        inputs = self.inputs
        path = screening_path(inputs.settings, inputs.calibrator, inputs.p, inputs.state)
        return advice_figure(path, inputs.settings, inputs.state, self.details)


def advise(
    chances: Any,
    labels: Any,
    stakes: Stakes | None = None,
    *,
    scenario: str = "patent",
    tables: Any = None,
    calibrator: Any = None,
    **settings: Any,
) -> Advice:
    """Advise whether to read on after the labels so far.

    This is the advice of a session with these settings; it stops where ``tarstop replay`` stops.

    Parameters
    ----------
    chances : array_like, shape (N,), or int
        Chance of each document in reading order: of being relevant if any document is ("patent"), of having data
        ("review"), of being included ("enough"). A number N means a list of N documents that learns from its labels,
        from which the chances follow (not in "patent").
    labels : array_like, shape (d,), d ≤ N
        Labels of the documents read, in this order: 1 relevant, 0 not relevant, nan or None for no verdict. Documents
        after the last label count as unread.
    stakes : Stakes, optional
        What is at stake and the cost of a document; not in "enough". In "review" and "effect" the payoffs may have further
        options (:class:`Option`), of which the best is advised.
    scenario : {"patent", "review", "effect", "enough"}
        One relevant document decides; 2×2 tables add up; effects of an intervention add up; or no decision is weighed, and
        the question is whether enough was found.
    tables : DataFrame or array_like, optional
        In "review": columns TP, FP, FN and TN, one row per study so far. A column `position` gives the document of each
        study (0 is the first); studies of unread documents do not count. Without it, each relevant document has one row.
        In "effect": events_treated, n_treated, events_control, n_control for the measures OR, RR and RD; mean_treated,
        sd_treated, n_treated, mean_control, sd_control, n_control for MD and SMD; effect with se, or with low and high,
        for generic.
    calibrator : Calibrator, optional
        The estimator that predicted the chances, if it also knows how lists vary.
    **settings
        Settings of sessions. Defaults are those of the paper; pages begin with more cautious ones. `policy` ("optimal";
        "greedy", "smooth:K=5", …; in "enough" "few-left:tau=0.95"), `b_0` (0.5, belief before any document),
        `needs_citation` (False, whether rejecting requires a document), `kappa` (1, chance that the list contains what
        exists), `s` (1, chance to recognise it); in "review" `theta` (0.75), `theta_sp` (None, a specificity to exceed
        too), `engine` ("bivariate") and `floor_studies` (0). In "effect" one adopts if the `measure` ("OR") is below `delta`
        (1; a ratio for OR and RR), or above it with ``above=True``.

    Returns
    -------
    Advice
        ``go_on``, ``decision``, ``belief``, ``evpi``, ``gain``, ``to_read`` and more.

    Raises
    ------
    InputProblem
        When an argument is unusable; the message names it.

    Examples
    --------
    >>> import tarstop_core as ts
    >>> stakes = ts.Stakes.from_q_star(0.5, cost=0.01)
    >>> chances = [0.3, 0.2, 0.1, 0.05, 0.02, 0.01]
    >>> advice = ts.advise(chances, labels=[0, 0], stakes=stakes)
    >>> advice.go_on, advice.decision, advice.to_read, round(advice.belief, 3)
    (True, 'a-', 1, 0.359)
    >>> ts.advise(chances, labels=[0, 0, 0, 0], stakes=stakes).go_on
    False
    >>> two = [[45, 5, 5, 45], [30, 2, 6, 60]]
    >>> ts.advise(chances, [1, 1, 0], stakes, scenario="review", tables=two, theta=0.7).decision
    'a+'
    """
    inputs = session_inputs(chances, labels, stakes, scenario, tables, calibrator, settings)
    full = advising.advise(inputs.settings, inputs.calibrator, inputs.p, inputs.state)
    weighs = inputs.settings.weighs
    return Advice(
        go_on=full.go_on,
        decision=_action(full.option, inputs.settings.payoffs),
        read=full.depth,
        documents=full.documents,
        to_read=full.more,
        belief=full.b if weighs else None,
        rho=full.rho if weighs else None,
        evpi=full.evpi if weighs else None,
        value=full.score if weighs else None,
        gain=full.gain if weighs else None,
        worth=full.worth,
        cost=full.cost,
        unread=getattr(full.facts, "left", None),
        details=full,
        inputs=inputs,
    )


@dataclass(frozen=True)
class Decision(Result):
    """One decision of the paper's rule; amounts are in the unit of the payoffs."""

    go_on: bool  # whether the next document is worth its cost
    decision: str  # on stopping now
    belief: float
    rho: float
    q_star: float  # belief above which a+ is better than a-
    evpi: float  # value of certainty
    value: float  # the paper's score ρ·EVPI
    cost: float
    payoffs: Payoffs = field(repr=False)

    @property
    def sentence(self) -> str:
        sign, verb = (">", "Continue") if self.go_on else ("≤", "Stop")
        return f"{verb}: ρ·EVPI = {number(self.value)} {sign} {number(self.cost)}, the cost; stopping now means {self.decision}."

    def to_frame(self) -> pd.DataFrame:
        """Return one row."""
        import pandas as pd

        return pd.DataFrame([{name: value for name, value in vars(self).items() if name != "payoffs"}])

    def figure(self) -> Figure:
        """Draw the value of the next document at every belief, with its cost."""
        chart, b = Chart(HEIGHT), np.linspace(0, 1, 201)
        chart.line(b, self.rho * self.payoffs.evpi(b), VALUE)
        chart.line([0, 1], [self.cost, self.cost], COST, dash="dash")
        chart.dot(self.belief, self.value, VALUE)
        chart.axis("xaxis", "belief")
        chart.axis("yaxis", "worth of the next document")
        return chart.figure()


def decide(belief: float, rho: float, stakes: Stakes) -> Decision:
    """Decide by the paper's rule whether the next document is worth its cost.

    Parameters
    ----------
    belief : float
        Belief in ω⁺ now, in [0, 1].
    rho : float
        Chance that the next document is a hit, in [0, 1].
    stakes : Stakes
        What is at stake and the cost of a document.

    Returns
    -------
    Decision

    Raises
    ------
    InputProblem
        When a chance is outside [0, 1].

    Examples
    --------
    >>> import tarstop_core as ts
    >>> print(ts.decide(belief=0.4, rho=0.02, stakes=ts.Stakes.from_q_star(0.5, cost=0.001)))
    Continue: ρ·EVPI = 0.004 > 0.001, the cost; stopping now means a-.
    """
    check_chance(belief, "belief")
    check_chance(rho, "rho")
    check_stakes(stakes)
    weighed = weigh(stakes.payoffs, belief, rho, stakes.cost)
    return Decision(
        go_on=weighed.go_on,
        decision=_action(weighed.option, stakes.payoffs),
        belief=belief,
        rho=rho,
        q_star=weighed.q_star,
        evpi=weighed.evpi,
        value=weighed.value,
        cost=stakes.cost,
        payoffs=stakes.payoffs,
    )


@dataclass(frozen=True, eq=False, repr=False)
class Plans(Result):
    """Value of M plans to read some more documents and then decide, in the unit of the payoffs; arrays of shape (M,)."""

    documents: np.ndarray[Any, np.dtype[np.intp]]  # most to read; fewer once the question is settled
    evsi: Floats  # expected value of the information
    cost: Floats  # expected cost of reading
    unit: str = ""

    @property
    def gain(self) -> Floats:
        """Value minus cost."""
        return self.evsi - self.cost

    @property
    def best(self) -> int:
        """Number of documents of the plan with the highest gain; 0 if no plan gains."""
        if not (self.gain > 0).any():
            return 0
        return int(self.documents[np.argmax(self.gain)])

    @property
    def sentence(self) -> str:
        if not self.best:
            return "No plan to read on gains anything."
        most = amount(float(self.gain.max()), self.unit)
        return f"Of these plans, to read {self.best:,} more gains the most: {most}."

    def to_frame(self) -> pd.DataFrame:
        """Return one row per plan."""
        import pandas as pd

        return pd.DataFrame(
            {"documents": self.documents, "evsi": self.evsi, "cost": self.cost, "gain": self.gain}
        )

    def figure(self) -> Figure:
        chart = Chart(HEIGHT)
        for values, colour, name, y in ((self.evsi, VALUE, "value", 1.0), (self.cost, COST, "cost", 0.93)):
            chart.line(self.documents, values, colour)
            chart.name(name, colour, y, x=0.1)
        chart.axis("xaxis", "more documents")
        chart.axis("yaxis", with_unit("expected", self.unit))
        return chart.figure()


def evsi(
    chances: Any,
    labels: Any,
    stakes: Stakes,
    documents: Sequence[int] | None = None,
    *,
    scenario: str = "patent",
    tables: Any = None,
    calibrator: Any = None,
    **settings: Any,
) -> Plans:
    """Expected value of sample information: the value of reading more documents and then deciding.

    Parameters
    ----------
    chances, labels, stakes, scenario, tables, calibrator, **settings
        As for :func:`advise`.
    documents : sequence of int, optional
        Numbers of further documents to consider; by default 1, 2, 5, 10, … and all that are left.

    Returns
    -------
    Plans
        Value and expected cost of each plan.

    Raises
    ------
    InputProblem
        When an argument is unusable; the message names it.

    Examples
    --------
    >>> import tarstop_core as ts
    >>> plans = ts.evsi([0.3, 0.2, 0.1, 0.05], [0], ts.Stakes.from_q_star(0.5, cost=0.01))
    >>> plans.to_frame().round(4).values.tolist()
    [[1.0, 0.0412, 0.01, 0.0312], [2.0, 0.0576, 0.0192, 0.0385], [3.0, 0.0651, 0.028, 0.037]]
    """
    inputs = session_inputs(chances, labels, stakes, scenario, tables, calibrator, settings)
    if not inputs.settings.weighs:
        raise InputProblem(f"scenario is '{scenario}', which weighs no decision; choose patent or review.")
    depth, left = inputs.state.depth, len(inputs.p) - inputs.state.depth
    if documents is None:
        documents = [m for m in limited_plans(min(left, LONGEST_PLAN)) if m] if left else []
    plans = np.array(documents)
    if plans.ndim != 1 or (len(plans) and not np.issubdtype(plans.dtype, np.integer)):
        raise InputProblem(f"documents is {documents!r}; give whole numbers of documents to read.")
    plans = plans.astype(np.intp)
    if len(plans) and not (plans.min() >= 1 and plans.max() <= left):
        raise InputProblem(
            f"documents has {plans.min()} to {plans.max()}; {left} are left, give 1 to {left}."
        )
    path = screening_path(inputs.settings, inputs.calibrator, inputs.p, inputs.state)
    costs = np.full(len(plans), inputs.settings.cost)

    def utility(depths: Any, costs: Floats) -> Floats:
        return path.expected_utility(depths, costs, depth, acts_on_belief=True, looks_every=1)

    free = utility(depth + plans, np.zeros_like(costs))
    now = utility(np.array([depth]), np.zeros(1))
    return Plans(plans, free - now[0], free - utility(depth + plans, costs), inputs.settings.payoffs.unit)
