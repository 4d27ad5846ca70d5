"""Settings of a search for prior art, where one document decides."""

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

from tarstop_core.documents.application import NOTHING_SAID, Application
from tarstop_core.screening.settings import Settings


@dataclass(frozen=True)
class PatentSettings(Settings):
    """Settings of a search for prior art, where one document decides."""

    needs_citation: bool = True  # a⁺ is open only with a confirmed document to cite
    confirm_hits: bool = True  # a hit counts only once it is confirmed
    application: Application = NOTHING_SAID
    """The application that prior art is sought against; it decides which documents cannot be prior art."""

    scenario: ClassVar[str] = "patent"
    one_decides: ClassVar[bool] = True
    grades: ClassVar[bool] = True

    def read_at_once(self) -> Self:
        return replace(self, confirm_hits=False)

    def paper_mode(self) -> Self:
        return replace(super().paper_mode(), needs_citation=False)

    def to_dict(self) -> dict[str, Any]:
        content = super().to_dict()
        if self.application == NOTHING_SAID:
            del content["application"]
        elif not self.application.applicant:
            del content["application"]["applicant"]
        return content
