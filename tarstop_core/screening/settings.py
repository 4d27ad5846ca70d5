"""Settings of a session: everything besides the labels that changes the advice."""

import math
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from functools import cached_property
from operator import attrgetter
from typing import Any, ClassVar, Self, TypeVar

from tarstop_core.belief.decisive import check_prior
from tarstop_core.belief.prior import Prior
from tarstop_core.calibration.extraction_rate import ExtractionRate
from tarstop_core.calibration.recall_bound import ALPHA
from tarstop_core.documents.application import NOTHING_SAID
from tarstop_core.documents.reports import Report
from tarstop_core.errors import InputProblem
from tarstop_core.policies import Policy, parse_policy
from tarstop_core.screening.several_readers import ONE_READER, Readers
from tarstop_core.value.payoffs import PLUS, Payoffs
from tarstop_core.value.stakes import START, Stakes

S = TypeVar("S", bound="Settings")
DEFAULT_PRIOR, DEFAULT_EXTRACTION_RATE = Prior(), ExtractionRate()
TRUTHS, STAGES = ("pooled", "full_evidence"), (1, 2)
"""Values of `truth` and `stages` in :class:`StudySettings`."""
VERSION = 2
"""Version of saved settings. In settings without a version, "optimal" means the rule now called open-loop, except in patents."""
_OPTIMAL = re.compile(r"\boptimal\b", re.IGNORECASE)
FILE_ORDER = (
    *("payoffs", "cost", "b_0", "policy", "calibrator", "needs_citation", "confirm_hits", "kappa", "s"),
    *(
        "plus",
        "minus",
        "scenario",
        "theta",
        "engine",
        "prior",
        "truth",
        "stages",
        "full_cost",
        "data_share",
        "floor",
    ),
    *("floor_studies", "least_studies", "least_patients", "scale", "chances_follow"),
    *("learns", "words_for", "words_against", "weighs_scores"),
    "application",
    "readers",
)
"""Settings of patents and reviews in the order in which files hold them."""
LEFT_OUT = (
    *("floor_studies", "least_studies", "least_patients", "scale", "chances_follow"),
    *("learns", "words_for", "words_against", "weighs_scores", "theta_sp"),
)
"""Settings that files leave out at their defaults, because files of the first versions do not have them."""
FOREIGN: Mapping[str, object] = {
    "needs_citation": False,
    "confirm_hits": False,
    "theta": 0.75,
    "engine": "bivariate",
    "prior": DEFAULT_PRIOR.to_dict(),
    "truth": "pooled",
    "stages": 2,
    "full_cost": 0.0,
    "data_share": asdict(DEFAULT_EXTRACTION_RATE),
    "floor": 0.0,
}
"""Values that files contain for the settings of other scenarios, because files of earlier versions contain those of all."""


@dataclass(frozen=True)
class ReviewThreshold:
    """A threshold that the reviewed quantity must exceed, with what a form needs to ask for it."""

    value: float
    symbol: str  # "θ"
    asked: str  # label of the field in the form
    entry: str = "theta"  # entry in the glossary
    is_share: bool = True  # whether it is typed in per cent
    least: float | None = None  # smallest value that may be typed, if it is not a share


@dataclass(frozen=True)
class Settings:
    """Settings that every scenario has; a subclass adds those of one scenario."""

    payoffs: Payoffs
    cost: float  # per document, in the payoffs' unit
    b_0: float = 0.5  # belief before any document, in (0, 1)
    policy: str = ""
    """Spec of the stopping rule (:func:`tarstop_core.policies.parse_policy`); the scenario's default if empty."""
    calibrator: str = ""  # digest of the calibrator
    kappa: float = 1.0  # chance that a deciding document, if it exists, is in this list
    s: float = 1.0  # chance of recognising a relevant document on reading it
    plus: str = "Reject"
    minus: str = "Grant"
    """`plus` and `minus`: names of the two actions."""
    scale: float = 1.0
    """Factor on every chance of the calibrator, as a live check may offer; the products are at most 1."""
    chances_follow: bool = False
    """Whether the chances of a list in its given order adapt to the finds; False in sessions of earlier versions."""
    learns: bool = False  # Whether labels decide what comes next
    words_for: str = ""
    words_against: str = ""
    """If the list learns: words in favour of a document, and words against it, as a person typed them."""
    weighs_scores: bool = False
    """If the list learns: whether the documents' own scores are used too, with weights that follow from the labels."""
    readers: Readers = ONE_READER
    """The readers, if several screen independently; they cannot change during a session."""

    scenario: ClassVar[str]  # Name of the scenario in sessions and files
    first_rule: ClassVar[str] = "optimal"  # The default rule
    one_decides: ClassVar[bool] = False
    """Whether one relevant document settles the question: a hit, which may have to be confirmed and cited."""
    grades: ClassVar[bool] = False
    """Whether documents are graded X, Y and A and compared with an application."""
    learns_first: ClassVar[bool] = False
    """Whether a list learns by default, as in scenarios in which a gain was measured."""
    reads_full_texts: ClassVar[bool] = False
    """Whether included reports are read in full and bring studies."""
    weighs: ClassVar[bool] = True
    """Whether a decision is weighed, with payoffs, costs and a belief; otherwise only whether enough was found counts."""
    unfit: ClassVar[str] = "needs labels of the whole list or of a random sample"
    """Why some rules cannot be followed in this scenario, as the end of a clause."""
    threshold_field: ClassVar[str] = ""
    """Name of the field with the threshold; empty if there is none."""
    # These have no type and so are no fields; a scenario may turn one into a field.
    needs_citation = False  # whether a⁺ waits for a document to cite
    confirm_hits = False  # whether a hit counts only once it is confirmed
    application = NOTHING_SAID  # the application that documents are compared with

    def __post_init__(self) -> None:
        _ = self.stakes  # refuses impossible costs
        check_prior(self.b_0)
        for name, value in (("κ (coverage of the list)", self.kappa), ("s (reading sensitivity)", self.s)):
            if not 0 < value <= 1:
                raise InputProblem(f"{name} is {value:g}; give a number above 0, at most 1.")
        if not self.policy:
            object.__setattr__(self, "policy", self.first_rule)
        if not self.may_follow(type(self.rule)):
            raise InputProblem(
                f"The rule {self.rule.title} {self.unfit}, so it cannot advise a session; choose another one, such as "
                f"{self.first_rule}."
            )
        if self.payoffs.others and self.one_decides:
            raise InputProblem(
                "A search that one document decides is between two actions; leave the other options out."
            )
        if self.readers.names and self.one_decides:
            raise InputProblem(
                "A search that one document decides has one reader; leave out the names of others."
            )
        if not 0 < self.scale < math.inf:
            raise InputProblem(f"The chances are multiplied by {self.scale:g}; give a number above 0.")

    @classmethod
    def beginning(cls, **own: Any) -> Self:
        """Default settings with `own` in place of some; if a decision is weighed, with the default stakes."""
        return cls(START.payoffs, START.cost, **own)

    @classmethod
    def may_follow(cls, rule: type[Policy]) -> bool:
        """Whether a rule can advise a session with such settings."""
        return not rule.needs_labels

    @cached_property
    def stakes(self) -> Stakes:
        """Payoffs and costs together; refuses impossible ones."""
        return Stakes(self.payoffs, self.cost)

    def with_stakes(self, stakes: Stakes) -> Self:
        """These settings with other payoffs and costs."""
        return replace(self, payoffs=stakes.payoffs, cost=stakes.cost)

    @property
    def threshold(self) -> ReviewThreshold | None:
        """The threshold that the reviewed quantity must exceed; None if there is none."""
        return None

    @property
    def fingerprints(self) -> dict[str, str]:
        """Hashes that a protocol names besides those of list and calibrator, by what they are of."""
        return {}

    def with_threshold(self, value: float, *, keeps_b_0: bool = True) -> Self:
        """These settings with another threshold; unless `keeps_b_0`, the starting chance follows a learned prior."""
        changed: dict[str, Any] = {self.threshold_field: value}
        return replace(self, **changed)

    @property
    def actions(self) -> tuple[str, ...]:
        """Names of the options: :data:`~tarstop_core.value.payoffs.MINUS`, ``PLUS``, then the others."""
        return self.minus, self.plus, *map(attrgetter("name"), self.payoffs.others)

    @cached_property
    def rule(self) -> Policy:
        """The stopping rule as an object."""
        return parse_policy(self.policy, files=False)

    @property
    def two_stages(self) -> bool:
        """Whether titles and abstracts are judged first, and reports are read in full later."""
        return False

    @property
    def judges_abstracts(self) -> bool:
        """Whether the chance of a document is that of being included by title and abstract."""
        return self.two_stages

    @property
    def cost_in_full(self) -> float:
        """Cost of reading an included report in full later, in the payoffs' unit; 0 if nothing is read later."""
        return 0.0

    @property
    def adapts_chances(self) -> bool:
        """Whether chances follow from the labels so far instead of a calibrator: if the list learns and no document decides alone."""
        return self.learns and not self.one_decides

    @property
    def chances_from(self) -> tuple[str, float, bool]:
        """What the chances come from; sessions with the same source are evidence about the same chances."""
        if self.adapts_chances:
            return "", 1.0, self.judges_abstracts
        return self.calibrator, self.scale, self.judges_abstracts

    @property
    def forecast_basis(self) -> tuple[object, ...]:
        """Everything in these settings that determines the forecast of later labels."""
        return *self.chances_from, self.kappa, self.s, self.b_0

    @property
    def recall_confidence(self) -> float:
        """Confidence of bounds on recall from audit draws."""
        return 1 - ALPHA

    def lacks_citation(self, option: int, b: float) -> bool:
        """Whether `option` is not a⁺ only because there is no document to cite, at belief `b`."""
        return self.needs_citation and option != PLUS and bool(self.payoffs.chooses_plus(b))

    def counts(self, report: Report) -> bool:
        """Whether a report that was read in full has data on the question of this session; one of a duplicated session may not."""
        return True

    def read_at_once(self) -> Self:
        """These settings for replaying labels, which count at once: nothing waits for confirmation or full text."""
        return self

    def paper_mode(self) -> Self:
        """These settings as in the paper, without everything that sessions add."""
        return replace(
            self.read_at_once(),
            kappa=1.0,
            s=1.0,
            scale=1.0,
            chances_follow=False,
            learns=False,
            words_for="",
            words_against="",
            weighs_scores=False,
            readers=ONE_READER,
        )

    def to_dict(self) -> dict[str, Any]:
        """JSON values for files; :func:`~tarstop_core.screening.scenarios.named.read_settings` reads them back."""
        own = asdict(self)
        if not self.payoffs.others:
            del own["payoffs"]["others"]
        content = {**FOREIGN, **own, "scenario": self.scenario}
        if not self.readers.names:
            del content["readers"]
        elif not self.readers.full_texts:
            del content["readers"]["full_texts"]
        for name in LEFT_OUT:
            if name in own and own[name] == getattr(type(self), name):
                del content[name]
        if _OPTIMAL.search(self.policy) and not self.one_decides:
            content["version"] = VERSION
        return {name: content[name] for name in FILE_ORDER if name in content} | content

    @classmethod
    def own_values(cls, content: Mapping[str, Any]) -> dict[str, Any]:
        """Values for the fields of this scenario from a file of any version, still to be checked.

        Raises
        ------
        InputProblem
            If a later version wrote the file.
        """
        version = content.get("version", 1)
        if version not in (1, VERSION):
            raise InputProblem(
                f"The settings have version {str(version)[:40]}; this program reads versions up to {VERSION}: open them with a "
                "newer version."
            )
        foreign = {"version", *FILE_ORDER} - {field.name for field in fields(cls)}
        values = {name: value for name, value in content.items() if name not in foreign}
        if version == 1 and not cls.one_decides and isinstance(values.get("policy"), str):
            values["policy"] = _OPTIMAL.sub("open-loop", values["policy"])
        return values


@dataclass(frozen=True)
class StudySettings(Settings):
    """Settings of a review whose reports bring studies that add up."""

    truth: str = "pooled"
    """What makes a decision right. "pooled": whether the quantity that studies estimate lies beyond the threshold;
    "full_evidence": what all documents of the list would have led to.
    """
    stages: int = 2
    """1: a document and its study are read at once, as in the paper. 2: documents are included by title and abstract, and
    their reports are read in full later.
    """
    full_cost: float = 0.0  # In two stages: cost of reading a report in full, in the payoffs' unit
    data_share: ExtractionRate = DEFAULT_EXTRACTION_RATE
    """Chance that an included report brings data, before any was read in full."""
    floor: float = 0.0
    """No rule may stop while the chance of the right decision is below this; 0 for no floor. It does not apply with
    further options, because the best option now may be right in neither case.
    """
    floor_studies: int = 0
    """No rule may stop before this many studies are read, unless the list probably does not have as many or finding them
    would cost more than certainty is worth; 0 for no floor.
    """
    least_studies: int = 0
    least_patients: int = 0
    """`least_studies` and `least_patients`: a⁺ may not be taken before this many studies, and people with the condition in
    them, are read; 0 for no condition.
    """

    first_floor_studies: ClassVar[int] = 5
    """`floor_studies` of a new session, chosen in docs/reviews_measured.md."""
    learns_first: ClassVar[bool] = True
    reads_full_texts: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        for what, chosen, allowed in (
            ("truth", self.truth, TRUTHS),
            ("number of stages", self.stages, STAGES),
        ):
            if chosen not in allowed:
                raise InputProblem(f"The {what} is '{chosen}'; choose {' or '.join(map(str, allowed))}.")
        for name, least in (
            ("least number of studies", self.least_studies),
            ("least number of patients", self.least_patients),
            ("floor on the number of studies", self.floor_studies),
        ):
            if least < 0:
                raise InputProblem(f"The {name} is {least}; give a whole number, 0 or more.")
        if not 0 <= self.floor < 1:
            raise InputProblem(
                f"The floor on the chance of the right decision is {self.floor:g}; give a number from 0 to below 1."
            )

    @cached_property
    def stakes(self) -> Stakes:
        return Stakes(self.payoffs, self.cost, self.full_cost)

    def with_stakes(self, stakes: Stakes) -> Self:
        return replace(super().with_stakes(stakes), full_cost=stakes.full_cost)

    @property
    def two_stages(self) -> bool:
        return self.stages == 2

    @property
    def cost_in_full(self) -> float:
        return self.full_cost if self.two_stages else 0.0

    def read_at_once(self) -> Self:
        return replace(self, stages=1, full_cost=0.0, floor=0.0, floor_studies=0)

    def paper_mode(self) -> Self:
        return replace(super().paper_mode(), least_studies=0, least_patients=0)
