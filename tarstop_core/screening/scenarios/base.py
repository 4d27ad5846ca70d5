"""Base class of the scenarios: everything that differs between the questions that people screen for."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Generic, cast

import numpy as np
from numpy.typing import ArrayLike

from tarstop_core.calibration.calibrator import Calibrator
from tarstop_core.documents.reports import Collected
from tarstop_core.evidence.effects import EffectEvidence
from tarstop_core.evidence.summary import Evidence
from tarstop_core.policies import Policy
from tarstop_core.policies.floors import first_allowed_stops
from tarstop_core.presentation.figures import Figure
from tarstop_core.presentation.messages import Messages
from tarstop_core.presentation.numbers import amount_or_documents, percent
from tarstop_core.screening.advised import Advice, Floor, Outlook, RecallFacts, ReviewFacts
from tarstop_core.screening.labels import Label
from tarstop_core.screening.settings import S, Settings
from tarstop_core.screening.state import State
from tarstop_core.screening.typed_numbers import Typed, TypedTable
from tarstop_core.value.path import ListPath
from tarstop_core.value.payoffs import Depths, Flags, Floats


class Scenario(ABC, Generic[S]):
    """One kind of question that documents are screened for.

    Each scenario has a file beside this one, which overrides what differs from the defaults here. It must give the
    attributes that have no value here, :meth:`chance_of` and :meth:`path`.
    """

    settings_class: ClassVar[type[Settings]]  # its settings, which also say how documents are read
    message: ClassVar[Messages]
    """Its sentences and clauses, a macro each: ``message("question", settings=settings)``."""

    # --- names on pages

    title: ClassVar[str]  # what is decided: "Whether there is prior art"
    belongs: ClassVar[str] = ""  # sentence on which questions belong to it, if the title is not clear enough
    short: ClassVar[str]  # its name on a button
    actions: ClassVar[Mapping[str, tuple[str, str]]]
    """Names of a⁺ and a⁻ by the name of each pair; the first pair is the default."""
    when: ClassVar[tuple[str, str]]  # when a⁺ and a⁻ are right: "if prior art exists", "if none exists"
    asked: ClassVar[tuple[str, str]] = ("What are you looking for?", "Its title, or a question in a sentence")
    """Label and hint of the field on Set up whose text puts the documents in order."""
    asked_file: ClassVar[str] = "A question as plain text"  # label for uploading that text
    given: ClassVar[str] = "The question"  # what Learn calls that text
    sample: ClassVar[str] = ""
    """Word for its samples, with which their keys begin: "search"; empty if there are none."""
    find: ClassVar[str] = "data"  # what a report brings that moves the belief: "a 2×2 table"
    finds: ClassVar[tuple[str, str]] = ("study", "studies")  # its name on buttons, singular and plural
    sheet: ClassVar[str] = ""
    """Title of the sheet with these data in a workbook; empty if no report is read in full."""
    belief_title: ClassVar[str]  # title of an axis for the belief
    frozen: ClassVar[tuple[str, str]] = (
        "rule, q\\*, cost, starting chance, calibrator",
        "rule, q*, cost, starting chance, calibrator",
    )
    """Settings that a plan freezes, in Markdown for Set up and as plain text for Screen."""
    reasons: ClassVar[str] = "for example:\nanother subject\nno report of a study"
    """Examples of reasons to exclude a document."""
    example: ClassVar[str] = ""  # example of how to choose a starting chance
    first_because: ClassVar[str] = ""
    """Sentences on why the default rule is the default, if its own description does not say so."""

    # --- properties

    plans_approximately: ClassVar[bool] = False
    """Whether the best plan is computed as if nothing were learned before its end."""
    in_steps: ClassVar[bool] = False  # whether the belief changes only with a find
    verdicts_tell: ClassVar[bool] = True
    """Whether labels alone move the belief, so that labels that came with a list can be replayed."""

    @property
    def name(self) -> str:
        """Name of the scenario in sessions and files."""
        return self.settings_class.scenario

    @property
    def first_actions(self) -> tuple[str, str]:
        """Default names of a⁺ and a⁻."""
        return next(iter(self.actions.values()))

    def beginning(self, **own: Any) -> S:
        """Default settings of a session, with `own` in place of some of them."""
        return cast(S, self.settings_class.beginning(**own))

    # --- chances and path

    @abstractmethod
    def chance_of(self, settings: S) -> str:
        """What the chance of a document is a chance of: the `scenario` of its calibrators."""

    @abstractmethod
    def path(self, settings: S, calibrator: Calibrator, chances: Floats, state: State) -> ListPath:
        """The path of a session, computed from settings and labels.

        Parameters
        ----------
        settings : Settings
            Settings in force, or those of a what-if.
        calibrator : Calibrator
            Where the chances come from.
        chances : array of shape (N,)
            Chance of each document in the order of reading, already multiplied by the scale.
        state : State
            The labels.

        Returns
        -------
        ListPath
            What stopping rules are applied to.
        """

    def with_b_0(
        self, path: ListPath, settings: S, calibrator: Calibrator, chances: Floats, state: State
    ) -> ListPath:
        """A path with the starting chance of the settings, valid from the present depth on.

        Parameters
        ----------
        path : ListPath
            The path with another starting chance.
        settings, calibrator, chances, state
            As for :meth:`path`.

        Returns
        -------
        ListPath
            The new path; depths before the present one may be missing.
        """
        return self.path(settings, calibrator, chances, state)

    def key(self, settings: S, state: State) -> Any:
        """Hashable key of what the path depends on besides the settings and the relevant documents."""
        return state.labels.tobytes()

    def threshold_in_words(self, settings: S) -> str:
        """Clause on the threshold that must be exceeded; empty if there is none."""
        return ""

    def badges(self, settings: S) -> list[str]:
        """Badges on where the belief comes from and what makes a decision right, a few words each."""
        return []

    def has_starting_chance(self, settings: S) -> bool:
        """Whether the belief starts from b_0."""
        return True

    def entry(self, settings: S) -> Typed:
        """An empty form for the numbers of a report read in full."""
        return TypedTable()

    # --- beside the advice

    def floors(self, settings: S, path: ListPath) -> Mapping[Floor, Flags]:
        """Flags of the depths at which each floor lets a rule stop, shape (N + 1,)."""
        return {}

    def stopping_depths(
        self, settings: S, policy: Policy, path: ListPath, costs: ArrayLike, start: int
    ) -> Depths:
        """First depth ≥ `start` at which a rule stops and the person's floors allow it, for each cost.

        Parameters
        ----------
        settings : Settings
            Settings in force, with the floors.
        policy : Policy
            The rule.
        path : ListPath
            The belief along the list.
        costs : array_like, shape (C,)
            Costs of a document in the payoffs' unit, in place of that of the settings.
        start : int
            Number of documents read.

        Returns
        -------
        ndarray of int, shape (C,)
            Number of documents read at the stop; N if the rule never stops.
        """
        asked = np.atleast_1d(np.asarray(costs, dtype=float))
        if not self.floors(settings, path):
            return policy.depths(path, asked, start)
        allowed = np.stack([self.may_stop(settings, path, cost) for cost in asked.tolist()])
        return first_allowed_stops(policy, path, asked, allowed, start)

    def may_stop(self, settings: S, path: ListPath, cost: float) -> Flags:
        """Whether all floors allow a rule to stop at each depth.

        Parameters
        ----------
        settings, path
            As for :meth:`stopping_depths`.
        cost : float
            Cost of a document, in place of that of the settings.

        Returns
        -------
        ndarray of bool, shape (N + 1,)
            All true if there is no floor.
        """
        allowed = np.ones(len(path) + 1, dtype=bool)
        for depths in self.floors(replace(settings, cost=cost), path).values():
            allowed &= depths
        return allowed

    def facts(
        self, settings: S, calibrator: Calibrator, path: ListPath, p: Floats, state: State
    ) -> ReviewFacts | RecallFacts | None:
        """Facts that are shown beside the advice, besides worth and cost.

        Parameters
        ----------
        settings, calibrator, state
            As for :meth:`path`.
        path : ListPath
            The path of the session.
        p : array of shape (N,)
            Chance of each document from the calibrator, in the order of reading.

        Returns
        -------
        ReviewFacts, RecallFacts or None
            None if there is nothing to show besides worth and cost.
        """
        return None

    def rows(self, advice: Advice, settings: S) -> list[tuple[str, str]]:
        """Rows of name and value for a table beside the advice, beginning with the question."""
        question, payoffs = self.message("question", settings=settings), settings.payoffs
        thresholds = [("How sure before you act, q*", percent(payoffs.q_star))]
        if payoffs.others:
            between = map(payoffs.ranges().of, range(len(settings.actions)))
            thresholds = [
                (f"“{name}” is best", f"from {percent(ends[0])} to {percent(ends[1])}" if ends else "never")
                for name, ends in zip(settings.actions, between, strict=True)
            ]
        most = amount_or_documents(advice.evpi, payoffs.unit, advice.cost)
        return [
            (f"Chance that {question}", percent(advice.b)),
            *thresholds,
            ("The most certainty could be worth now", most),
        ]

    def figure(self, advice: Advice, state: State, dark: bool = False) -> Figure | None:
        """Figure that the scenario shows in place of belief and worth.

        Parameters
        ----------
        advice, state
            The advice, and the state of the session.
        dark
            Whether the page is dark.

        Returns
        -------
        Figure or None
            None if belief and worth are drawn.
        """
        return None

    def decision_basis(self, advice: Advice, settings: S, option: int, spent: float) -> dict[str, Any]:
        """The part of the advice that is recorded with a decision.

        Parameters
        ----------
        advice, settings : Advice, Settings
            The advice at that time, and the settings in force.
        option : int
            The option that was chosen.
        spent : float
            Cost of reading so far, in the payoffs' unit.

        Returns
        -------
        dict
            JSON values by name.
        """
        utility = float(settings.payoffs.utility_of(option, advice.b))
        return {"belief": advice.b, "utility": utility, "spent": spent}

    def evidence(self, settings: S, state: State) -> Evidence | EffectEvidence | None:
        """What the studies of a session show together; None if no studies are read."""
        return None

    def true_belief(self, settings: S, studies: Collected) -> float:
        """Belief given all studies of a sample, which counts as its truth; the starting chance if no studies are read."""
        return settings.b_0

    def drawn(self, settings: S, state: State, simulated: bool) -> list[tuple[str, str]]:
        """Pictures of the studies of a session.

        Parameters
        ----------
        settings, state : Settings, State
            Settings and state of the session.
        simulated : bool
            Whether its documents are invented.

        Returns
        -------
        list of (str, str)
            SVGs, each with its description; none if no studies are read.
        """
        return []

    def pooled(self, settings: S, state: State) -> str:
        """Sentences on the pooled result of the studies of a session; empty if nothing is pooled."""
        return ""

    def notes(self, settings: S, state: State) -> Sequence[str]:
        """Sentences on what is doubtful about the studies."""
        return ()

    def lacking(self, settings: S, state: State) -> str:
        """Clause on what the studies lack before a⁺ may be taken; empty if they lack nothing."""
        return ""

    def second_opinion(self, settings: S, state: State) -> str:
        """What the other way of computing the belief would decide; empty if it decides the same."""
        return ""

    # --- rows and names

    def counted(self, state: State) -> list[str]:
        """Numbers of documents of each kind, as phrases: "5 relevant"."""
        return [f"{state.relevant:,} relevant"]

    def incomplete(self, advice: Advice, settings: S) -> str:
        """Sentence on what unread documents mean for the result; empty if nothing is pooled or counted."""
        return ""

    def brings(self, number: int) -> str:
        """Name of a number of finds, for a button: "2×2 table", "3 tables"."""
        return self.finds[0] if number == 1 else f"{number:,} {self.finds[1]}"

    def verdicts(self, settings: S) -> dict[Label, tuple[str, str]]:
        """Verdicts to choose from, each with the label and help of its button."""
        return {"relevant": ("Relevant", ""), "irrelevant": ("Not relevant", ""), "unsure": ("Unsure", "")}

    def settings_rows(self, settings: S) -> list[tuple[str, str]]:
        """Rows of name and value for the scenario's own settings; words come before symbols."""
        return []

    def adjustable(self, settings: S) -> dict[str, str]:
        """Values of the scenario's own settings that can be changed while screening, by short name."""
        return {}

    # --- exports

    def columns(
        self, facts: ReviewFacts | RecallFacts | None, final: State, ids: Sequence[str], depth: int
    ) -> dict[str, Any]:
        """The scenario's own columns of the trace.

        Parameters
        ----------
        facts : ReviewFacts, RecallFacts or None
            Facts of the advice at that time; None for a document that came with its label.
        final : State
            Present state of the session.
        ids : sequence of str
            Documents in the order of reading.
        depth : int
            Position of the document in that order, from 0 on.

        Returns
        -------
        dict
            Value by column.
        """
        return {}


def outlook(path: ListPath, depth: int) -> Outlook:
    """Belief and worth at a depth, as every page, export and command shows them."""
    b, left = path.belief_at(depth), depth < len(path)
    if path.settled(depth):
        return Outlook(b, 0.0, 0.0, 0.0 if left else None)
    evpi = float(path.evpi[depth])
    if not left:
        return Outlook(b, 0.0, evpi, None)
    return Outlook(b, float(path.rho[depth]), evpi, float(path.score(1)[depth]))
