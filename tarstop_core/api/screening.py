"""Advice after the labels so far, what reading on is worth, and where rules would have stopped."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from tarstop_core.api.given import Asked, asked, chance_of, check_stakes
from tarstop_core.errors import InputProblem
from tarstop_core.presentation.figures import Chart, Figure, with_unit
from tarstop_core.presentation.numbers import amount, number
from tarstop_core.presentation.palette import COST, VALUE
from tarstop_core.presentation.results import Result
from tarstop_core.screening import advice as advising
from tarstop_core.screening.advice_figure import advice_figure
from tarstop_core.screening.advised import Advice as Advised
from tarstop_core.screening.paths import screening_path
from tarstop_core.screening.wording import verdict
from tarstop_core.value.path import limited_plans
from tarstop_core.value.payoffs import Floats, Payoffs, weigh

if TYPE_CHECKING:
    import pandas as pd

    from tarstop_core.value.stakes import Stakes

HEIGHT = 330
LONGEST_PLAN = 2000  # Documents ahead that are weighed unless others are named


def _action(option: int, payoffs: Payoffs) -> str:
    """What an option is called here: "a-", "a+" or by its name."""
    return ("a-", "a+", *(other.name for other in payoffs.others))[option]


@dataclass(frozen=True, eq=False)
class Advice(Result):
    """Whether to go on after the labels so far, and what that rests on; amounts are in the payoffs' unit."""

    go_on: bool  # whether the rule reads another document
    decision: str  # "a+", "a-" or the name of another option, on stopping now; where nothing is weighed, a+ is "enough was found"
    read: int  # documents read so far
    documents: int  # documents of the list
    to_read: int  # documents that the rule would still read if nothing turned up
    belief: float | None  # that a+ would be right; None where nothing is weighed, as for the next four
    rho: float | None  # chance that the next document is a hit, or brings data
    evpi: float | None  # what certainty would be worth
    # the paper's score of the next document, ρ·EVPI, as `decide` has it; None where none is left
    value: float | None
    gain: float | None  # what going on as advised is expected to gain over stopping now
    worth: float | None  # the rate that the rule compares with the cost; None where it compares none
    cost: float  # of a document
    unread: tuple[float, float, float] | None
    """Relevant documents probably still unread: expected number, and an interval of 90 %; None for patents."""
    details: Advised = field(repr=False)  # everything that a session says beside it
    asked: Asked = field(repr=False)

    @property
    def sentence(self) -> str:
        words = verdict(self.details, self.asked.settings)
        return " ".join(filter(None, (f"{words.word}.", words.says, words.now)))

    def to_frame(self) -> pd.DataFrame:
        """Return one row, so that the advice after each label can be put below each other."""
        import pandas as pd

        names = "go_on decision read documents to_read belief rho evpi value gain worth cost".split()
        unread = self.unread or (np.nan,) * 3
        row = {name: np.nan if (value := getattr(self, name)) is None else value for name in names}
        return pd.DataFrame([row | dict(zip(("unread", "unread_low", "unread_high"), unread, strict=True))])

    def figure(self) -> Figure:
        own = self.asked
        path = screening_path(own.settings, own.calibrator, own.p, own.state)
        return advice_figure(path, own.settings, own.state, self.details)


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
    """Advise whether to read on, after the labels so far.

    It is the advice of a session with these settings, and stops where ``tarstop replay`` stops.

    Parameters
    ----------
    chances : array_like, shape (N,), or int
        Chance of each document in the order of reading: of being relevant if anything is ("patent"), of bringing data
        ("review"), of being included ("enough"). A number N instead: a list of N documents that learns from its labels,
        whose chances follow from these (not in "patent").
    labels : array_like, shape (d,), d ≤ N
        Of the documents read, in this order: 1 relevant, 0 not relevant, nan or None for no verdict. Missing values behind
        the last label are documents that nobody read.
    stakes : Stakes, optional
        What is at stake and what a document costs; not in "enough". In "review" and "effect" its payoffs may have further
        options (:class:`Option`), of which the best is advised.
    scenario : {"patent", "review", "effect", "enough"}
        One relevant document decides; 2×2 tables add up; effects of an intervention do; or nothing is weighed, and the
        question is whether enough was found.
    tables : DataFrame or array_like, optional
        In "review": columns TP, FP, FN and TN, one row per study so far. A column `position` says which document brought it
        (0 is the first), and those of documents not read yet do not count; without it the rows are those of the relevant
        documents, one each. In "effect": events_treated, n_treated, events_control, n_control for the measures OR, RR and
        RD; mean_treated, sd_treated, n_treated and the same of the control group for MD and SMD; effect with se, or with
        low and high, for generic.
    calibrator : Calibrator, optional
        What the chances were predicted by, where it knows more than they say, such as how lists vary.
    **settings
        As sessions have them. Unless given they are the paper's, where pages begin with more careful ones: `policy`
        ("optimal"; "greedy", "smooth:K=5", … and in "enough" "few-left:tau=0.95"), `b_0` (belief before any document, 0.5),
        `needs_citation` (False: whether only a document found lets one reject), `kappa` (1, chance that the list holds what
        exists), `s` (1, chance to recognise it), in "review" `theta` (0.75), `theta_sp` (None: a specificity to
        exceed too), `engine` ("bivariate") and `floor_studies` (0).
        In "effect" one adopts if the `measure` ("OR") is below `delta` (1; a ratio for OR and RR), or above it with
        ``above=True``.

    Returns
    -------
    Advice
        ``go_on``, ``decision``, ``belief``, ``evpi``, ``gain``, ``to_read`` and more.

    Raises
    ------
    InputProblem
        When an argument cannot be used; the message names it.

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
    own = asked(chances, labels, stakes, scenario, tables, calibrator, settings)
    full = advising.advise(own.settings, own.calibrator, own.p, own.state)
    weighs, left = own.settings.weighs, getattr(full.facts, "left", None)
    return Advice(
        go_on=full.go_on,
        decision=_action(full.option, own.settings.payoffs),
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
        unread=left,
        details=full,
        asked=own,
    )


@dataclass(frozen=True)
class Decision(Result):
    """One decision of the paper's rule; amounts are in the payoffs' unit."""

    go_on: bool  # whether the next document is worth its cost
    decision: str  # on stopping now
    belief: float
    rho: float
    q_star: float  # belief above which a+ is better than a-
    evpi: float  # what certainty would be worth
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
        """Draw what the next document is worth at every belief, beside its cost."""
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
    belief, rho : float
        Belief in ω⁺ now, and chance that the next document is a hit; in [0, 1].
    stakes : Stakes
        What is at stake and what a document costs.

    Returns
    -------
    Decision

    Raises
    ------
    InputProblem
        When a chance lies outside [0, 1].

    Examples
    --------
    >>> import tarstop_core as ts
    >>> print(ts.decide(belief=0.4, rho=0.02, stakes=ts.Stakes.from_q_star(0.5, cost=0.001)))
    Continue: ρ·EVPI = 0.004 > 0.001, the cost; stopping now means a-.
    """
    chance_of(belief, "belief")
    chance_of(rho, "rho")
    check_stakes(stakes)
    one = weigh(stakes.payoffs, belief, rho, stakes.cost)
    return Decision(
        one.go_on,
        _action(one.option, stakes.payoffs),
        belief,
        rho,
        one.q_star,
        one.evpi,
        one.value,
        stakes.cost,
        stakes.payoffs,
    )


@dataclass(frozen=True, eq=False, repr=False)
class Plans(Result):
    """What reading some more documents and then deciding is worth, in the payoffs' unit; arrays of shape (M,)."""

    documents: np.ndarray[Any, np.dtype[np.intp]]  # read at most; earlier where the question settles
    evsi: Floats  # expected value of what they show
    cost: Floats  # expected cost of reading them
    unit: str = ""

    @property
    def gain(self) -> Floats:
        """Value less cost."""
        return self.evsi - self.cost

    @property
    def best(self) -> int:
        """The number of documents with the highest gain; 0 where none gains."""
        at = int(np.argmax(self.gain)) if len(self.documents) else 0
        return int(self.documents[at]) if len(self.documents) and self.gain[at] > 0 else 0

    @property
    def sentence(self) -> str:
        if not self.best:
            return "No plan to read on gains anything."
        most = amount(float(self.gain.max()), self.unit)
        return f"Of these plans, to read {self.best:,} more gains the most: {most}."

    def to_frame(self) -> pd.DataFrame:
        """Return a row for each plan."""
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
    """Return the expected value of sample information: what reading more documents and then deciding is worth.

    Parameters
    ----------
    chances, labels, stakes, scenario, tables, calibrator, **settings
        As of :func:`advise`.
    documents : sequence of int, optional
        How many more documents to consider; 1, 2, 5, 10, … and all that are left unless given.

    Returns
    -------
    Plans
        Value and expected cost of each plan.

    Raises
    ------
    InputProblem
        When an argument cannot be used; the message names it.

    Examples
    --------
    >>> import tarstop_core as ts
    >>> plans = ts.evsi([0.3, 0.2, 0.1, 0.05], [0], ts.Stakes.from_q_star(0.5, cost=0.01))
    >>> plans.to_frame().round(4).values.tolist()
    [[1.0, 0.0412, 0.01, 0.0312], [2.0, 0.0576, 0.0192, 0.0385], [3.0, 0.0651, 0.028, 0.037]]
    """
    own = asked(chances, labels, stakes, scenario, tables, calibrator, settings)
    if not own.settings.weighs:
        raise InputProblem(f"scenario is '{scenario}', which weighs no decision; choose patent or review.")
    depth, left = own.state.depth, len(own.p) - own.state.depth
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
    path = screening_path(own.settings, own.calibrator, own.p, own.state)
    costs = np.full(len(plans), own.settings.cost)
    free, dear = (
        path.expected_utility(depth + plans, each, depth, acts_on_belief=True, looks_every=1)
        for each in (np.zeros_like(costs), costs)
    )
    now = path.expected_utility(np.array([depth]), np.zeros(1), depth, acts_on_belief=True, looks_every=1)
    return Plans(plans, free - now[0], free - dear, own.settings.payoffs.unit)
