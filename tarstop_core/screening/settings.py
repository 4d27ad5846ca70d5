"""Everything that changes advice, apart from the labels."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from tarstop_core.belief.decisive import check_prior
from tarstop_core.belief.engines import check_engine
from tarstop_core.belief.prior import Prior, check_theta
from tarstop_core.calibration.extraction_rate import ExtractionRate
from tarstop_core.documents.application import NOTHING_SAID, Application
from tarstop_core.envelope import validated
from tarstop_core.errors import InputProblem
from tarstop_core.policies import Policy, parse_policy
from tarstop_core.screening.scenarios.kind import Kind, kinds
from tarstop_core.value.payoffs import Payoffs
from tarstop_core.value.stakes import Stakes

DEFAULT_PRIOR, NOTHING_KNOWN = Prior(), ExtractionRate()
TRUTHS, STAGES = ("pooled", "full_evidence"), (1, 2)
VERSION = 2
"""Of saved settings. In those that name none, where evidence adds up "optimal" stands for the rule called open-loop today."""
ADDED = (
    *("scale", "least_studies", "least_patients"),
    *("learns", "words_for", "words_against", "weighs_scores"),
)
"""Settings that the first sessions did not have."""
_OPTIMAL = re.compile(r"\boptimal\b", re.IGNORECASE)


@dataclass(frozen=True)
class Settings:
    """Everything that changes advice, apart from the labels."""

    payoffs: Payoffs
    cost: float  # per document, in the payoffs' unit
    b_0: float = 0.5  # belief before any document, in (0, 1)
    policy: str = ""
    """As :func:`tarstop_core.policies.parse_policy` reads it; without one that of the scenario."""
    calibrator: str = ""  # digest of the calibrator
    needs_citation: bool = True  # a⁺ is open only with a confirmed document to cite
    confirm_hits: bool = True  # a hit counts only once it is confirmed
    kappa: float = 1.0  # chance that a deciding document, if it exists, is in this list
    s: float = 1.0  # chance of recognising a relevant document on reading it
    plus: str = "Reject"
    minus: str = "Grant"
    """What the two actions are called."""
    scenario: str = "patent"
    """What is screened for: one of :data:`~tarstop_core.screening.scenarios.named.SCENARIOS`."""
    theta: float = 0.75  # reviews: ω⁺ is a pooled sensitivity above this, in (0, 1)
    engine: str = "bivariate"
    """Reviews: one of :data:`~tarstop_core.belief.engines.ENGINES`; the same for a whole session."""
    prior: Prior = DEFAULT_PRIOR  # reviews: everything of it but its b_0, for which `b_0` stands
    truth: str = "pooled"
    """Reviews: what the decision is held against, "pooled" or "full_evidence": whether pooled sensitivity exceeds θ, or
    what all documents of the list would have led to.
    """
    stages: int = 2
    """Reviews, 1 or 2 stages: a document and its table are read at once (the paper's), or reports are included by title and
    abstract and read in full later.
    """
    full_cost: float = 0.0  # Reviews in two stages: cost of reading a report in full, in the payoffs' unit
    data_share: ExtractionRate = NOTHING_KNOWN
    """Reviews: how many included reports bring data, before any was read in full."""
    floor: float = 0.0
    """Reviews: no rule says stop while the chance of the right decision is below this; 0 for none."""
    least_studies: int = 0
    least_patients: int = 0
    """Reviews: a⁺ is not open before so many studies, and patients with the condition in them, are in; 0 for neither."""
    scale: float = 1.0
    """Every chance of the calibrator is multiplied by this (and is at most 1): what a live check found."""
    learns: bool = False  # Whether what comes next is put in order by what the labels say of it
    words_for: str = ""
    words_against: str = ""
    """Where the list learns: what speaks for a document, or against it, as a person typed it."""
    weighs_scores: bool = False
    """Where the list learns: whether scores that the documents came with are weighed by what the labels show them to be worth."""
    application: Application = NOTHING_SAID
    """Patents: what prior art is sought for; says which documents cannot be held against it."""

    def __post_init__(self) -> None:
        _ = self.stakes  # refuses costs that are none
        check_prior(self.b_0)
        for name, value in (("κ (coverage of the list)", self.kappa), ("s (reading sensitivity)", self.s)):
            if not 0 < value <= 1:
                raise InputProblem(f"{name} is {value:g}; give a number above 0, at most 1.")
        for what, chosen, allowed in (
            ("scenario", self.scenario, kinds()),
            ("truth", self.truth, TRUTHS),
            ("number of stages", self.stages, STAGES),
        ):
            if chosen not in allowed:
                raise InputProblem(f"The {what} is '{chosen}'; choose {' or '.join(map(str, allowed))}.")
        if not self.policy:
            object.__setattr__(self, "policy", self.kind.first_rule)
        rule = parse_policy(self.policy, files=False)
        if rule.needs_labels:
            raise InputProblem(
                f"The rule {rule.title} needs labels of the whole list or a random sample of it, so it cannot advise a "
                f"session; choose another one, such as {self.kind.first_rule}."
            )
        check_theta(self.theta)
        check_engine(self.engine)
        if not 0 < self.scale < math.inf:
            raise InputProblem(f"The chances are multiplied by {self.scale:g}; give a number above 0.")
        for name, least in (("studies", self.least_studies), ("patients", self.least_patients)):
            if least < 0:
                raise InputProblem(f"The least number of {name} is {least}; give a whole number from 0 on.")
        if not 0 <= self.floor < 1:
            raise InputProblem(
                f"The floor on the chance of the right decision is {self.floor:g}; give a number from 0 to below 1."
            )

    @property
    def stakes(self) -> Stakes:
        """Everything that is counted in the payoffs' unit."""
        return Stakes(self.payoffs, self.cost, self.full_cost)

    def with_stakes(self, stakes: Stakes) -> Settings:
        """Other payoffs and costs; whoever changes the unit of one changes that of all."""
        return replace(self, payoffs=stakes.payoffs, cost=stakes.cost, full_cost=stakes.full_cost)

    @property
    def kind(self) -> Kind:
        """What screening for this is like."""
        return kinds()[self.scenario]

    @property
    def two_stages(self) -> bool:
        """Whether titles and abstracts are judged first, and reports read later."""
        return self.kind.reads_full_texts and self.stages == 2

    @property
    def foretold(self) -> bool:
        """Whether chances follow from what was found so far, and not from a calibrator: where the list learns and hits add up."""
        return self.learns and not self.kind.one_decides

    def lacks_citation(self, plus: bool, b: float) -> bool:
        """Whether only the lack of a document to cite keeps from a⁺ at this belief."""
        return self.citation_needed and not plus and bool(self.payoffs.chooses_plus(b))

    @property
    def citation_needed(self) -> bool:
        """Whether a⁺ waits for a document to cite: only where one decides."""
        return self.needs_citation and self.kind.one_decides

    @property
    def belief_prior(self) -> Prior:
        """The prior with this session's b_0."""
        return replace(self.prior, b_0=self.b_0)

    @property
    def rule(self) -> Policy:
        """The policy as an object."""
        return parse_policy(self.policy, files=False)

    def paper_mode(self) -> Settings:
        """The paper's setting: everything that a person's session adds is off."""
        return replace(
            self,
            needs_citation=False,
            confirm_hits=False,
            kappa=1.0,
            s=1.0,
            stages=1,
            full_cost=0.0,
            floor=0.0,
            least_studies=0,
            least_patients=0,
            # What was learned of how wide a prior has to be is not the paper's.
            prior=DEFAULT_PRIOR if self.prior.width_alone else self.prior,
            scale=1.0,
            learns=False,
            words_for="",
            words_against="",
            weighs_scores=False,
        )

    def to_dict(self) -> dict[str, Any]:
        """JSON values; :meth:`from_dict` reads them back."""
        content = asdict(self) | {"prior": self.prior.to_dict()}
        if _OPTIMAL.search(self.policy) and not self.kind.one_decides:
            content["version"] = VERSION
        # So that sessions older than these leave as they came.
        for name in ADDED:
            if content[name] == getattr(Settings, name):
                del content[name]
        if self.application == NOTHING_SAID:
            del content["application"]
        elif not self.application.applicant:
            del content["application"]["applicant"]
        return content

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Settings:
        """Settings from their JSON values, of this version or before; InputProblem when one is missing or unusable."""
        values = of_this_version(content)
        return validated(cls, values, "The saved settings", "restore the session from a file or a backup")


def of_this_version(content: Any) -> Any:
    """JSON values of settings as they are written today, still to be checked; InputProblem when they are of a later version."""
    if not isinstance(content, Mapping):
        return content
    values = {name: value for name, value in content.items() if name != "version"}
    version = content.get("version", 1)
    if version not in (1, VERSION):
        raise InputProblem(
            f"The settings have version {str(version)[:40]}; this program reads versions up to {VERSION}: open them with a "
            "newer one."
        )
    kind, policy = kinds().get(str(values.get("scenario", ""))), values.get("policy")
    if version == 1 and kind is not None and not kind.one_decides and isinstance(policy, str):
        values["policy"] = _OPTIMAL.sub("open-loop", policy)
    return values
