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

    A file beside this one says what it has of its own; what it does not say is as it stands here.
    """

    settings_class: ClassVar[type[Settings]]  # What it sets, and what reading is like
    message: ClassVar[Messages]
    """Its sentences and clauses, a macro each: ``message("question", settings=settings)``."""

    # --- names on pages

    title: ClassVar[str]  # what is decided: "Whether there is prior art"
    caption: ClassVar[str]  # what decides, in a sentence
    decides: ClassVar[str]  # the caption after the title
    belongs: ClassVar[str] = ""  # which questions belong to it, where that is easily mistaken, in a sentence
    short: ClassVar[str]  # its name on a button
    actions: ClassVar[Mapping[str, tuple[str, str]]]
    """Names of a⁺ and a⁻, by what the choice between them is called; a person begins with the first."""
    when: ClassVar[tuple[str, str]]  # when each of them is right: "if prior art exists"
    asked: ClassVar[tuple[str, str]] = ("What are you looking for?", "Its title, or a question in a sentence")
    """The question that puts documents in order, and what may be answered."""
    asked_file: ClassVar[str] = "A question as plain text"
    given: ClassVar[str] = "The question"  # what that answer is called
    sample: ClassVar[str] = ""
    """What its samples are called and their keys begin with: "search"; empty where there are none."""
    find: ClassVar[str] = "data"  # what a report brings that moves the belief: "a 2×2 table"
    finds: ClassVar[tuple[str, str]] = ("study", "studies")  # what reports bring, on buttons: one and many
    sheet: ClassVar[str] = ""  # sheet of a workbook that holds it; empty where no report is read in full
    belief_title: ClassVar[str]  # the belief, on an axis
    frozen: ClassVar[tuple[str, str]] = (
        "rule, q\\*, cost, starting chance, calibrator",
        "rule, q*, cost, starting chance, calibrator",
    )
    """Settings that a plan freezes, as Set up lists them and as Screen does."""
    reasons: ClassVar[str] = "for example:\nanother subject\nno report of a study"
    """Examples of reasons to exclude something."""
    example: ClassVar[str] = ""  # how a person may come by a starting chance
    first_because: ClassVar[str] = ""  # why the first rule is that one, where its own words do not say it

    # --- what it is like

    plans_approximately: ClassVar[bool] = False
    """Whether the best plan is chosen as if nothing were learned before its end."""
    in_steps: ClassVar[bool] = False  # whether the belief stays as it is between two finds
    verdicts_tell: ClassVar[bool] = True
    """Whether verdicts alone move the belief, so that labels that came along can be replayed."""

    @property
    def name(self) -> str:
        """What sessions and files call it."""
        return self.settings_class.scenario

    @property
    def first_actions(self) -> tuple[str, str]:
        """Default names of a⁺ and a⁻."""
        return next(iter(self.actions.values()))

    def beginning(self, **own: Any) -> S:
        """Return the default settings of a session; `own` are given already."""
        return cast(S, self.settings_class.beginning(**own))

    # --- chances and path

    @abstractmethod
    def chance_of(self, settings: S) -> str:
        """What a document's chance is a chance of, as calibrators call it."""

    @abstractmethod
    def path(self, settings: S, calibrator: Calibrator, chances: Floats, state: State) -> ListPath:
        """Compute the path that labels and settings stand for.

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
            True from the present depth on; depths before it may be missing.
        """
        return self.path(settings, calibrator, chances, state)

    def key(self, settings: S, state: State) -> Any:
        """What the path depends on beside the settings and which documents are relevant; it can be hashed."""
        return state.labels.tobytes()

    def threshold_in_words(self, settings: S) -> str:
        """What is to be exceeded, as a clause; empty where nothing is."""
        return ""

    def badges(self, settings: S) -> list[str]:
        """Where the belief comes from and what it is compared with, a few words each."""
        return []

    def has_starting_chance(self, settings: S) -> bool:
        """Whether the belief begins with b_0."""
        return True

    def entry(self, settings: S) -> Typed:
        """What a report read in full may bring, as typed: nothing yet."""
        return TypedTable()

    # --- beside the advice

    def floors(self, settings: S, path: ListPath) -> Mapping[Floor, Flags]:
        """Return the depths that each floor allows a rule to stop at, shape (N + 1,)."""
        return {}

    def stopping_depths(
        self, settings: S, policy: Policy, path: ListPath, costs: ArrayLike, start: int
    ) -> Depths:
        """First depth ≥ `start` at which the policy stops and the person's floors allow it, for each cost.

        Parameters
        ----------
        settings : Settings
            Those in force, which have the floors.
        policy : Policy
            Any rule.
        path : ListPath
            What is believed along the list.
        costs : array_like, shape (C,)
            Of a document, in the payoffs' unit, instead of the settings' own.
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
        """Whether the floors allow to stop at a depth.

        Parameters
        ----------
        settings, path, depth
            As for :meth:`stopping_depths`.
        cost : float
            Of a document, instead of the settings' own.

        Returns
        -------
        bool
            True where there is no floor.
        """
        return bool(self._allowed(settings, path, cost)[depth])

    def _allowed(self, settings: S, path: ListPath, cost: float) -> Flags:
        """Whether every floor allows to stop after 0 … N documents, shape (N + 1,)."""
        allowed = np.ones(len(path) + 1, dtype=bool)
        for depths in self.floors(replace(settings, cost=cost), path).values():
            allowed &= depths
        return allowed

    def facts(
        self, settings: S, calibrator: Calibrator, path: ListPath, p: Floats, state: State
    ) -> ReviewFacts | RecallFacts | None:
        """Compute what belongs to the advice beside worth and cost.

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
            None where worth and cost say everything.
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
        """The chance above which a⁺ is taken; of several options the chances between which each is the best one."""
        if not settings.payoffs.others:
            return [("How sure before you act, q*", percent(settings.payoffs.q_star))]
        between = map(settings.payoffs.ranges().of, range(len(settings.actions)))
        return [
            (f"“{name}” is best", f"from {percent(ends[0])} to {percent(ends[1])}" if ends else "never")
            for name, ends in zip(settings.actions, between, strict=True)
        ]

    def figure(self, advice: Advice, state: State, dark: bool = False) -> Figure | None:
        """What is drawn instead of belief and worth.

        Parameters
        ----------
        advice, state
            The advice and the session it is for.
        dark
            Whether the page is dark.

        Returns
        -------
        Figure or None
            None where belief and worth are drawn.
        """
        return None

    def footing(self, advice: Advice, settings: S, option: int, spent: float) -> dict[str, Any]:
        """What a recorded decision keeps of the advice.

        Parameters
        ----------
        advice : Advice
            At that time.
        settings : Settings
            Those in force.
        option : int
            Which one is chosen.
        spent : float
            What reading cost, in the payoffs' unit.

        Returns
        -------
        dict
            JSON values by name.
        """
        utility = float(settings.payoffs.utility_of(option, advice.b))
        return {"belief": advice.b, "utility": utility, "spent": spent}

    def evidence(self, settings: S, state: State) -> Evidence | EffectEvidence | None:
        """What the studies of a session show; None where none are read."""
        return None

    def true_belief(self, settings: S, studies: Collected) -> float:
        """The belief by all studies of a sample, which its truth is; the starting chance where none are read."""
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
            SVG, each with its sentence; none where none are read.
        """
        return []

    def pooled(self, settings: S, state: State) -> str:
        """What the studies of a session pool to, in words; empty where nothing is pooled."""
        return ""

    def notes(self, settings: S, state: State) -> Sequence[str]:
        """Return the doubts about its studies, one sentence each."""
        return ()

    def lacking(self, settings: S, state: State) -> str:
        """What the studies lack before a⁺ may be taken, in words; empty where they lack nothing."""
        return ""

    def rival(self, settings: S, state: State) -> str:
        """What another way of computing the belief would decide, where it would decide otherwise; else nothing."""
        return ""

    # --- rows and names

    def counted(self, state: State) -> list[str]:
        """How many documents of each kind there are, in pieces: "5 relevant"."""
        return [f"{state.relevant:,} relevant"]

    def incomplete(self, advice: Advice, settings: S) -> str:
        """What stopping left unread means for what was pooled; empty where nothing is pooled."""
        return ""

    def brings(self, number: int) -> str:
        """Name of this many finds: "2×2 table", "3 2×2 tables"."""
        return self.finds[0] if number == 1 else f"{number:,} {self.finds[1]}"

    def verdicts(self, settings: S) -> dict[Label, tuple[str, str]]:
        """The verdicts to choose from: what the button says, and help."""
        return {"relevant": ("Relevant", ""), "irrelevant": ("Not relevant", ""), "unsure": ("Unsure", "")}

    def settings_rows(self, settings: S) -> list[tuple[str, str]]:
        """Its own settings: name and value, words before symbols."""
        return []

    def adjustable(self, settings: S) -> dict[str, str]:
        """Its own settings that can be moved while screening, in short."""
        return {}

    # --- what leaves

    def columns(
        self, facts: ReviewFacts | RecallFacts | None, final: State, ids: Sequence[str], depth: int
    ) -> dict[str, Any]:
        """Its own columns of the trace, for a document that was advised on.

        Parameters
        ----------
        facts : ReviewFacts, RecallFacts or None
            Of the advice at that time.
        final : State
            Where the session stands in the end.
        ids : sequence of str
            Its documents in the order of reading.
        depth : int
            Place of the document in that order.

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
    """What several readers overlooked, as a row beside the advice; none where there is one reader."""
    if facts.overlooked is None:
        return []
    name = "Relevant documents that all readers excluded, not found yet"
    return [(name, record_message("not_found", found=facts.overlooked))]


def outlook(path: ListPath, depth: int) -> Outlook:
    """Return what every page, export and command says of a depth."""
    b, left = path.belief_at(depth), depth < len(path)
    if path.settled(depth):
        return Outlook(b, 0.0, 0.0, 0.0 if left else None)
    evpi = float(path.evpi[depth])
    if not left:
        return Outlook(b, 0.0, evpi, None)
    return Outlook(b, float(path.rho[depth]), evpi, float(path.score(1)[depth]))
