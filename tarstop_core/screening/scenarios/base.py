"""What pages, advice and exports ask of a scenario."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from tarstop_core.calibration.calibrator import Calibrator
from tarstop_core.presentation.numbers import count_of
from tarstop_core.screening.advised import Advice
from tarstop_core.screening.labels import Label
from tarstop_core.screening.scenarios.kind import Kind
from tarstop_core.screening.settings import Settings
from tarstop_core.screening.state import State
from tarstop_core.value.path import Path
from tarstop_core.value.payoffs import Flags, Floats

LITTLE = 5
"""Documents below which a stop says that it rests on little."""


class Scenario(Kind, ABC):
    """One kind of question that documents are screened for.

    A file beside this one says what it has of its own; what it does not say is as it stands here.
    """

    # --- what it is called

    title: ClassVar[str]  # what a person screens for: "Patent prior art"
    caption: ClassVar[str]  # what decides, in a sentence
    decides: ClassVar[str]  # the same after its title
    short: ClassVar[str]  # its name on a button
    actions: ClassVar[Mapping[str, tuple[str, str]]]
    """What a⁺ and a⁻ are called, by the words for the choice; the first is where a person begins."""
    when: ClassVar[tuple[str, str]]  # when each is right: "if prior art exists"
    asked: ClassVar[tuple[str, str]] = ("What are you looking for?", "Its title, or a question in a sentence")
    """What is asked to put documents in order, and what may be answered."""
    asked_file: ClassVar[str] = "A question as plain text"
    given: ClassVar[str] = "The question"  # what that answer is called
    sample: ClassVar[str] = ""
    """What its samples are called and their keys begin with: "search"; empty where there are none."""
    belief_title: ClassVar[str]  # what the belief is, on an axis
    likely: ClassVar[str] = "be relevant"  # what documents may be half as likely to do
    find: ClassVar[str] = "be relevant"  # what is hoped of the next document
    settling: ClassVar[str] = "move the belief"  # what it would do by that
    nothing: ClassVar[str] = "nothing"
    nothing_further: ClassVar[str] = "nothing"  # What is meant by "nothing (further) turns up"
    planned: ClassVar[str] = "reading that far"  # whose outcome is expected where a plan is
    finds: ClassVar[str] = "relevant documents"  # what may turn up
    one_find: ClassVar[str] = "a relevant document"  # one of them
    thought: ClassVar[str] = "chance to be relevant"  # what the chance of a document is, in a lesson
    observed: ClassVar[str] = "document"  # what moves the belief from time to time
    frozen: ClassVar[tuple[str, str]] = ("rule, q\\*, cost, starting chance, calibrator", "")
    """Settings that a plan freezes: all of them as Set up lists them, its own as Screen does."""
    reasons: ClassVar[str] = "for example:\nanother subject\nno report of a study"
    """Reasons to exclude something, to begin with."""
    example: ClassVar[str] = ""  # how a person may come by a starting chance
    waits_for: ClassVar[str] = "confirmation"  # what a verdict may wait for until it counts
    plans_approximately: ClassVar[bool] = False
    """Whether the best plan is chosen as if nothing were learned before its end."""
    first_because: ClassVar[str] = ""  # why the first rule is that one, where its own words do not say it
    in_steps: ClassVar[bool] = False  # whether the belief stays as it is between two finds
    verdicts_tell: ClassVar[bool] = True
    """Whether verdicts alone move the belief, so that labels that came along can be replayed."""

    @property
    def first_actions(self) -> tuple[str, str]:
        """What a⁺ and a⁻ are called to begin with."""
        return next(iter(self.actions.values()))

    def belief_on_list(self, settings: Settings) -> str:
        """The same beside one's own list."""
        return self.belief_title

    @abstractmethod
    def question(self, settings: Settings) -> str:
        """What the belief is about, as a clause: "sensitivity exceeds 75 %"."""

    def not_so(self, settings: Settings) -> str:
        """The other answer, as a clause."""
        return f"it is not so that {self.question(settings)}"

    def otherwise(self, settings: Settings) -> str:
        """The other answer after the first: "none exists"."""
        return "it is not so"

    def mistakes(self, settings: Settings) -> tuple[str, str]:
        """When a⁺ and a⁻ are mistakes, in words that follow their names."""
        return f"although {self.not_so(settings)}", f"although {self.question(settings)}"

    def mistake(self, settings: Settings) -> str:
        """What a wrong a⁻ comes from, in words that stand before its name."""
        return "a wrong"

    def starting_chance(self, share: int, settings: Settings) -> str:
        """What a starting chance of `share` % says."""
        return f"of 100 cases like this one, it is so in about {share}"

    # --- chances and path

    @abstractmethod
    def chance_of(self, settings: Settings) -> str:
        """What a document's chance is a chance of, as calibrators call it."""

    def chance_words(self, settings: Settings, rho: float, p: float) -> tuple[str, float]:
        """What stands beside the next document: what may come of it, and which of its chances that is."""
        return self.find, rho

    def chance_column(self, settings: Settings) -> str:
        """What the chance of a document is, as the head of a column."""
        return f"Its chance to {self.find}"

    @abstractmethod
    def path(self, settings: Settings, calibrator: Calibrator, chances: Floats, state: State) -> Path:
        """The path that labels and settings stand for; chances are scaled already, shape (N,)."""

    def key(self, settings: Settings, state: State) -> Any:
        """What that path depends on beside the settings and which documents are relevant; it can be hashed."""
        return state.labels.tobytes()

    def recognised(self, settings: Settings) -> float:
        """Chance that a document which is what its chance is a chance of is recognised as such."""
        return 1.0

    def has_starting_chance(self, settings: Settings) -> bool:
        """Whether the belief begins with b_0."""
        return True

    def with_b_0(
        self, path: Path, settings: Settings, calibrator: Calibrator, chances: Floats, state: State
    ) -> Path:
        """The path with the starting chance of these settings, true from the present depth on."""
        return self.path(settings, calibrator, chances, state)

    # --- beside the advice

    def sure_enough(self, settings: Settings, path: Path) -> Flags | None:
        """Depths at which a person's floor on the chance of the right decision lets a rule stop; None without one."""
        return None

    def facts(self, settings: Settings, calibrator: Calibrator, path: Path, p: Floats, state: State) -> Any:
        """What else is told at this depth, as the scenario's own pieces of pages read it; None for nothing."""
        return None

    def reports_first(self, facts: Any, advice: Advice) -> bool:
        """Whether something else should be read before a further document."""
        return False

    def facts_rows(self, advice: Advice, settings: Settings) -> list[tuple[str, str]]:
        """The same as rows: name and value, in the order of the page."""
        return []

    def footing(self, advice: Advice, settings: Settings) -> dict[str, Any]:
        """What a recorded decision keeps of it."""
        return {}

    def open_question(self, advice: Advice) -> bool:
        """Whether something waits that could change the decision."""
        return False

    # --- in words

    def first_in_words(self, advice: Advice, settings: Settings, comparison: str) -> str:
        """The sentence where :meth:`reports_first`; `comparison` says what documents are worth."""
        raise NotImplementedError

    def first_in_brief(self, advice: Advice, settings: Settings) -> str:
        """The same in a few words."""
        raise NotImplementedError

    def still_changes(self, advice: Advice, settings: Settings, why: bool = False) -> str:
        """What reading everything that is left would still change, before worth and cost; `why` it may be so often."""
        return ""

    def so_few(self, advice: Advice, settings: Settings) -> str:
        """How often stopping on as little was wrong."""
        return ""

    def plan_stops(self, advice: Advice, settings: Settings) -> str:
        """That a rule which looks no further than the next documents goes on where the best plan would not."""
        return ""

    def held_back(self, advice: Advice, settings: Settings) -> str:
        """Why a⁺ is not open although the belief speaks for it."""
        return ""

    def held_up(self, advice: Advice, settings: Settings) -> str:
        """What keeps from stopping although reading on no longer pays."""
        return ""

    def right(self, advice: Advice) -> float:
        """The chance that the action on stopping now is right."""
        return advice.b if advice.plus else 1 - advice.b

    def rests_on(self, advice: Advice) -> str:
        """What the advice rests on: "17 documents"."""
        return count_of(advice.depth) if advice.depth else "your starting chance alone"

    def little(self, advice: Advice) -> bool:
        """Whether that is little to stop on."""
        return advice.depth < LITTLE

    def going_on(self, advice: Advice, settings: Settings) -> str:
        """Why to go on, beyond what the rule compares."""
        return ""

    def worth_nothing(self, settings: Settings) -> str:
        """Why further documents are worth nothing, where something else than they decides it."""
        return ""

    def rival(self, settings: Settings, state: State) -> str:
        """What another way of computing the belief would decide, where it would decide otherwise; else nothing."""
        return ""

    def not_worth_it(self, settings: Settings) -> str:
        """Why nothing that they could show is worth reading them for."""
        return "Nothing that the next documents could show would be worth reading them for."

    def read_in_words(self, advice: Advice) -> str:
        """What has been read: "12 documents"."""
        return count_of(advice.depth)

    def found_in_words(self, state: State) -> list[str]:
        """What has been found, in pieces: "5 relevant"."""
        return [f"{state.relevant:,} relevant"]

    def listed_in_words(self, state: State) -> str:
        """The same in a list of sessions, where only the log is at hand; empty for nothing."""
        return ""

    def verdicts(self, settings: Settings) -> dict[Label, tuple[str, str]]:
        """The verdicts to choose from: what the button says, and help."""
        return {"relevant": ("Relevant", ""), "irrelevant": ("Not relevant", ""), "unsure": ("Unsure", "")}

    def settings_rows(self, settings: Settings) -> list[tuple[str, str]]:
        """Its own settings: name and value, words before symbols."""
        return []

    def adjustable(self, settings: Settings) -> dict[str, str]:
        """Of these, what can be moved while screening, in short."""
        return {}

    def protocol(self, settings: Settings) -> list[str]:
        """How the belief is computed, for a protocol, a sentence each."""
        return []

    def moved_by(self, settings: Settings) -> str:
        """What moves the probability, as a protocol calls it."""
        return "document"

    def protocol_stop(self, settings: Settings) -> list[str]:
        """What else keeps a rule from stopping."""
        return []

    def protocol_limits(self, settings: Settings) -> list[str]:
        """What else holds, a clause each."""
        return []

    # --- what leaves

    def columns(self, facts: Any, final: State, ids: Sequence[str], depth: int) -> dict[str, Any]:
        """Its own columns of the trace, for a document that was advised on."""
        return self.kept_columns(final, ids, depth)

    def kept_columns(self, final: State, ids: Sequence[str], depth: int) -> dict[str, Any]:
        """Those of a document that came with its label."""
        return {}
