"""What pages, advice and exports ask of a scenario."""

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
from tarstop_core.screening import record_message
from tarstop_core.screening.advised import Advice, Floor, ListFacts, Outlook, RecallFacts, ReviewFacts
from tarstop_core.screening.labels import Label
from tarstop_core.screening.settings import S, Settings
from tarstop_core.screening.state import State
from tarstop_core.screening.typed_numbers import Typed, TypedTable
from tarstop_core.value.path import ListPath
from tarstop_core.value.payoffs import Depths, Flags, Floats


class Scenario(ABC, Generic[S]):
    """One kind of question that documents are screened for.

    A file next to this one overrides what is different in its scenario; everything else is as here. Every scenario gives
    the attributes that have no value here, :meth:`chance_of` and :meth:`path`.
    """

    settings_class: ClassVar[type[Settings]]  # Its settings, and what reading is like
    message: ClassVar[Messages]
    """Its sentences and clauses, a macro each: ``message("question", settings=settings)``."""

    # --- names on pages

    title: ClassVar[str]  # what is decided: "Whether there is prior art"
    belongs: ClassVar[str] = ""  # a sentence on which questions belong to it, if that is easily mistaken
    short: ClassVar[str]  # its name on a button
    actions: ClassVar[Mapping[str, tuple[str, str]]]
    """Names of a⁺ and a⁻, by the name of the choice between them; the first is the default."""
    when: ClassVar[tuple[str, str]]  # when each of them is right: "if prior art exists"
    asked: ClassVar[tuple[str, str]] = ("What are you looking for?", "Its title, or a question in a sentence")
    """Label and hint of the field on Set up whose text puts the documents in order."""
    asked_file: ClassVar[str] = "A question as plain text"  # label for uploading that text
    given: ClassVar[str] = "The question"  # what Learn calls that text
    sample: ClassVar[str] = ""
    """The word for its samples, with which their keys begin: "search"; empty if there are none."""
    find: ClassVar[str] = "data"  # what a report brings that moves the belief: "a 2×2 table"
    finds: ClassVar[tuple[str, str]] = ("study", "studies")  # the same on buttons, singular and plural
    sheet: ClassVar[str] = (
        ""  # title of the sheet with these data in a workbook; empty if no report is read in full
    )
    belief_title: ClassVar[str]  # the title of an axis for the belief
    frozen: ClassVar[tuple[str, str]] = (
        "rule, q\\*, cost, starting chance, calibrator",
        "rule, q*, cost, starting chance, calibrator",
    )
    """Settings that a plan freezes, in Markdown for Set up and as plain text for Screen."""
    reasons: ClassVar[str] = "for example:\nanother subject\nno report of a study"
    """Examples of reasons to exclude something."""
    example: ClassVar[str] = ""  # an example of how to choose a starting chance
    # why the default rule is the default, if its description does not say so
    first_because: ClassVar[str] = ""

    # --- what it is like

    plans_approximately: ClassVar[bool] = False
    """Whether the best plan is chosen as if nothing could be learned before its end."""
    in_steps: ClassVar[bool] = False  # whether the belief does not change between two finds
    verdicts_tell: ClassVar[bool] = True
    """Whether verdicts alone move the belief, so that labels that came with a list can be replayed."""

    @property
    def name(self) -> str:
        """Its name in sessions and files."""
        return self.settings_class.scenario

    @property
    def first_actions(self) -> tuple[str, str]:
        """Default names of a⁺ and a⁻."""
        return next(iter(self.actions.values()))

    def beginning(self, **own: Any) -> S:
        """Return the default settings of a session, with `own` in place of some of them."""
        return cast(S, self.settings_class.beginning(**own))

    # --- chances and path

    @abstractmethod
    def chance_of(self, settings: S) -> str:
        """What a document's chance is a chance of, in the terms of calibrators."""

    @abstractmethod
    def path(self, settings: S, calibrator: Calibrator, chances: Floats, state: State) -> ListPath:
        """Compute the path from settings and labels.

        Parameters
        ----------
        settings : Settings
            Those in force, or of a what-if.
        calibrator : Calibrator
            Where the chances come from.
        chances : array of shape (N,)
            Chance of each document in the order of reading, already multiplied by the scale.
        state : State
            The labels.

        Returns
        -------
        ListPath
            What policies are asked about.
        """

    def with_b_0(
        self, path: ListPath, settings: S, calibrator: Calibrator, chances: Floats, state: State
    ) -> ListPath:
        """Change the starting chance of a path to that of the settings, from the present depth on.

        Parameters
        ----------
        path : ListPath
            The path with another starting chance.
        settings, calibrator, chances, state
            As for :meth:`path`.

        Returns
        -------
        ListPath
            Valid from the present depth on; depths before it may be missing.
        """
        return self.path(settings, calibrator, chances, state)

    def key(self, settings: S, state: State) -> Any:
        """What the path depends on apart from the settings and the relevant documents; hashable."""
        return state.labels.tobytes()

    def threshold_in_words(self, settings: S) -> str:
        """The threshold to be exceeded, as a clause; empty if there is none."""
        return ""

    def badges(self, settings: S) -> list[str]:
        """The source of the belief and what it is compared with, in a few words each."""
        return []

    def has_starting_chance(self, settings: S) -> bool:
        """Whether the belief begins with b_0."""
        return True

    def entry(self, settings: S) -> Typed:
        """The form for what a report read in full brings; empty at first."""
        return TypedTable()

    # --- beside the advice

    def floors(self, settings: S, path: ListPath) -> Mapping[Floor, Flags]:
        """Return the depths that each floor allows a rule to stop at, shape (N + 1,)."""
        return {}

    def stopping_depths(
        self, settings: S, policy: Policy, path: ListPath, costs: ArrayLike, start: int
    ) -> Depths:
        """First depth ≥ `start` at which the policy stops and the person's floors allow that, for each cost.

        Parameters
        ----------
        settings : Settings
            The settings in force, with the floors.
        policy : Policy
            Any rule.
        path : ListPath
            The belief along the list.
        costs : array_like, shape (C,)
            Costs of a document, in the payoffs' unit, in place of that of the settings.
        start : int
            Documents read.

        Returns
        -------
        ndarray of int, shape (C,)
            The number of documents where it never stops.
        """
        asked = np.atleast_1d(np.asarray(costs, dtype=float))
        if not self.floors(settings, path):
            return policy.depths(path, asked, start)
        allowed = np.stack([self._allowed(settings, path, cost) for cost in asked.tolist()])
        return first_allowed_stops(policy, path, asked, allowed, start)

    def may_stop(self, settings: S, path: ListPath, cost: float, depth: int) -> bool:
        """Whether the floors allow a stop at a depth.

        Parameters
        ----------
        settings, path, depth
            As for :meth:`stopping_depths`.
        cost : float
            Cost of a document, in place of that of the settings.

        Returns
        -------
        bool
            True where there is no floor.
        """
        return bool(self._allowed(settings, path, cost)[depth])

    def _allowed(self, settings: S, path: ListPath, cost: float) -> Flags:
        """Whether all floors allow a stop after 0 … N documents, shape (N + 1,)."""
        allowed = np.ones(len(path) + 1, dtype=bool)
        for depths in self.floors(replace(settings, cost=cost), path).values():
            allowed &= depths
        return allowed

    def facts(
        self, settings: S, calibrator: Calibrator, path: ListPath, p: Floats, state: State
    ) -> ReviewFacts | RecallFacts | None:
        """Compute what the advice shows besides worth and cost.

        Parameters
        ----------
        settings : Settings
            Those in force.
        calibrator : Calibrator
            Where the chances come from.
        path : ListPath
            The path of the session.
        p : array of shape (N,)
            Chance of each document as the calibrator gives it, in the order of reading.
        state : State
            Where the session stands.

        Returns
        -------
        ReviewFacts, RecallFacts or None
            None if worth and cost say everything.
        """
        return None

    def reports_first(self, advice: Advice) -> bool:
        """Whether reports that wait should be read before a further document."""
        return False

    def rows(self, advice: Advice, settings: S) -> list[tuple[str, str]]:
        """Rows of a table beside the advice: name and value, first what the session is about."""
        question = self.message("question", settings=settings)
        return [
            (f"Chance that {question}", percent(advice.b)),
            *self.thresholds(settings),
            (
                "The most certainty could be worth now",
                amount_or_documents(advice.evpi, settings.payoffs.unit, advice.cost),
            ),
        ]

    def thresholds(self, settings: S) -> list[tuple[str, str]]:
        """The chance above which a⁺ is taken or, with further options, the range of chances in which each is the best."""
        if not settings.payoffs.others:
            return [("How sure before you act, q*", percent(settings.payoffs.q_star))]
        between = map(settings.payoffs.ranges().of, range(len(settings.actions)))
        return [
            (f"“{name}” is best", f"from {percent(ends[0])} to {percent(ends[1])}" if ends else "never")
            for name, ends in zip(settings.actions, between, strict=True)
        ]

    def figure(self, advice: Advice, state: State, dark: bool = False) -> Figure | None:
        """Draw a figure instead of belief and worth.

        Parameters
        ----------
        advice, state
            The advice and the session it is for.
        dark
            Whether the page is dark.

        Returns
        -------
        Figure or None
            None if belief and worth are drawn.
        """
        return None

    def footing(self, advice: Advice, settings: S, option: int, spent: float) -> dict[str, Any]:
        """The part of the advice that a recorded decision keeps.

        Parameters
        ----------
        advice : Advice
            At that time.
        settings : Settings
            Those in force.
        option : int
            The chosen option.
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
        """What the studies of a session show; None if no studies are read."""
        return None

    def true_belief(self, settings: S, studies: Collected) -> float:
        """The belief given all studies of a sample, which counts as its truth; the starting chance if no studies are read."""
        return settings.b_0

    def drawn(self, settings: S, state: State, simulated: bool) -> list[tuple[str, str]]:
        """Draw the studies of a session.

        Parameters
        ----------
        settings, state : Settings, State
            Those of the session.
        simulated : bool
            Whether its documents are made up.

        Returns
        -------
        list of (str, str)
            SVGs with their sentences; none if no studies are read.
        """
        return []

    def pooled(self, settings: S, state: State) -> str:
        """The pooled result of a session's studies, in words; empty if nothing is pooled."""
        return ""

    def notes(self, settings: S, state: State) -> Sequence[str]:
        """Return the doubts about its studies, one sentence each."""
        return ()

    def lacking(self, settings: S, state: State) -> str:
        """What the studies lack before a⁺ may be taken, in words; empty if they lack nothing."""
        return ""

    def second_opinion(self, settings: S, state: State) -> str:
        """What the other way of computing the belief would decide; empty if it decides the same."""
        return ""

    # --- rows and names

    def counted(self, state: State) -> list[str]:
        """How many documents of each kind there are, in pieces: "5 relevant"."""
        return [f"{state.relevant:,} relevant"]

    def incomplete(self, advice: Advice, settings: S) -> str:
        """What the unread documents mean for the pooled result; empty if nothing is pooled."""
        return ""

    def brings(self, number: int) -> str:
        """What reports brought, with its number if it is not 1: "2×2 table", "3 2×2 tables"."""
        return self.finds[0] if number == 1 else f"{number:,} {self.finds[1]}"

    def verdicts(self, settings: S) -> dict[Label, tuple[str, str]]:
        """The verdicts to choose from, with the label of each button and its help."""
        return {"relevant": ("Relevant", ""), "irrelevant": ("Not relevant", ""), "unsure": ("Unsure", "")}

    def settings_rows(self, settings: S) -> list[tuple[str, str]]:
        """Its own settings: name and value, words before symbols."""
        return []

    def adjustable(self, settings: S) -> dict[str, str]:
        """Its own settings that can be changed while screening, with short names."""
        return {}

    # --- what leaves

    def columns(
        self, facts: ReviewFacts | RecallFacts | None, final: State, ids: Sequence[str], depth: int
    ) -> dict[str, Any]:
        """Its own columns of the trace, for a document with advice.

        Parameters
        ----------
        facts : ReviewFacts, RecallFacts or None
            From the advice at that time.
        final : State
            The state of the session at the end.
        ids : sequence of str
            Its documents in the order of reading.
        depth : int
            Its place in that order.

        Returns
        -------
        dict
            Value by column.
        """
        return self.kept_columns(final, ids, depth)

    def kept_columns(self, final: State, ids: Sequence[str], depth: int) -> dict[str, Any]:
        """Its own columns of the trace, for a document that came with its label.

        Parameters
        ----------
        final, ids, depth
            As for :meth:`columns`.

        Returns
        -------
        dict
            Value by column.
        """
        return {}


def overlooked_row(facts: ListFacts) -> list[tuple[str, str]]:
    """What several readers overlooked, as a row beside the advice; no row with one reader."""
    if facts.overlooked is None:
        return []
    name = "Relevant documents that all readers excluded, not found yet"
    return [(name, record_message("not_found", found=facts.overlooked))]


def outlook(path: ListPath, depth: int) -> Outlook:
    """Return the numbers at a depth that every page, export and command shows."""
    b, left = path.belief_at(depth), depth < len(path)
    if path.settled(depth):
        return Outlook(b, 0.0, 0.0, 0.0 if left else None)
    evpi = float(path.evpi[depth])
    if not left:
        return Outlook(b, 0.0, evpi, None)
    return Outlook(b, float(path.rho[depth]), evpi, float(path.score(1)[depth]))
