"""Patent prior art: one document decides."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, cast

import numpy as np

from tarstop_core.calibration import calibrator as calibration
from tarstop_core.calibration.calibrator import Calibrator
from tarstop_core.documents.dates import date_words
from tarstop_core.screening.grades import grades_in_words
from tarstop_core.screening.labels import GRADES, RELEVANT, Label
from tarstop_core.screening.scenarios.base import Scenario
from tarstop_core.screening.settings import Settings
from tarstop_core.screening.state import State
from tarstop_core.value.decisive import DecisivePath
from tarstop_core.value.path import Path
from tarstop_core.value.payoffs import Floats


class Patent(Scenario):
    """One relevant document decides, and has to be cited."""

    name = "patent"
    one_decides = True
    grades = True
    title = "Patent prior art"
    caption = "One document decides."
    decides = "one document decides."
    short = "Prior art"
    actions: ClassVar[Mapping[str, tuple[str, str]]] = {
        "Examiner: Reject or Grant": ("Reject", "Grant"),
        "Applicant: Don’t file or File": ("Don’t file", "File"),
    }
    when = ("if prior art exists", "if none exists")
    asked = ("What are you looking for?", "A sentence, the claims, or a whole description")
    asked_file = "A description or claims as plain text"
    given = "The claim"
    sample = "search"
    belief_title = "chance it exists"
    find = "be a hit"
    settling = "settle it"
    planned = "following it"
    finds = one_find = "prior art"
    reasons = "for example:\nanother technical field\nlacks the hinge"
    thought = "chance if prior art exists"
    example = "If about one application in three like this one fails, say 33 %."

    def question(self, settings: Settings) -> str:
        return "prior art exists"

    def not_so(self, settings: Settings) -> str:
        return "no prior art exists"

    def otherwise(self, settings: Settings) -> str:
        return "none exists"

    def mistake(self, settings: Settings) -> str:
        return "a missed prior-art document, that is a wrong"

    def starting_chance(self, share: int, settings: Settings) -> str:
        return f"of 100 cases like this one, prior art exists in about {share}."

    # --- chances and path

    def chance_of(self, settings: Settings) -> str:
        """Relevant, where there is something to be found."""
        return calibration.PATENT

    def chance_column(self, settings: Settings) -> str:
        """In a search the Screen page says the chance of a hit, which is less: p · b."""
        return f"Its chance, if {self.question(settings)}"

    def recognised(self, settings: Settings) -> float:
        """The sensitivity of one reading."""
        return settings.s

    def path(self, settings: Settings, calibrator: Calibrator, chances: Floats, state: State) -> Path:
        """Under "no hit so far", and the hit if there is one."""
        return DecisivePath(
            curve=calibrator.curve(
                chances, state.ranked, kappa=settings.kappa, s=settings.s, silent=state.silent
            ),
            b_0=settings.b_0,
            payoffs=settings.payoffs,
            hit=state.hit,
            needs_citation=settings.citation_needed,
            labels=np.asarray(state.labels == RELEVANT),
            p=chances,
        )

    def key(self, settings: Settings, state: State) -> tuple[bytes, int | None]:
        """Not the depth: a miss leaves the path as it is."""
        return state.silent.tobytes(), state.hit

    def with_b_0(
        self, path: Path, settings: Settings, calibrator: Calibrator, chances: Floats, state: State
    ) -> Path:
        """The same curve of hits."""
        return replace(cast(DecisivePath, path), b_0=settings.b_0)

    # --- in words

    def found_in_words(self, state: State) -> list[str]:
        """X, Y and A."""
        return [grades_in_words(state)]

    def verdicts(self, settings: Settings) -> dict[Label, tuple[str, str]]:
        """As a search report grades; the help says what the belief makes of it."""
        taken = "The chance takes it as read and not settling."
        return {
            "relevant": ("Settles it", "X: settles the question alone, once you confirm it."),
            "irrelevant": ("Not relevant", ""),
            "unsure": ("Unsure", ""),
            "combination": ("In combination", f"Y: settles it only with another document. {taken}"),
            "background": ("Background", f"A: background. {taken}"),
        }

    def settings_rows(self, settings: Settings) -> list[tuple[str, str]]:
        """Citation, confirmation, and what was said of the application."""
        mine = settings.application
        rows = [
            (f"“{settings.plus}” needs a document to cite", "yes" if settings.needs_citation else "no"),
            ("Hits count once confirmed", "yes" if settings.confirm_hits else "no"),
            ("Application", mine.number),
            ("Family of the application", mine.family),
            ("Applicant", mine.applicant),
            ("Prior art must precede", date_words(mine.priority)),
            ("Flagged documents left out of the list", f"{mine.left_out:,}" if mine.left_out else ""),
        ]
        return [row for row in rows if row[1]]

    def protocol_limits(self, settings: Settings) -> list[str]:
        """Citation, confirmation, and from when prior art has to be."""
        said = [f"“{settings.plus}” needs a confirmed document to cite"] if settings.citation_needed else []
        if settings.confirm_hits:
            said.append("a relevant document counts once it is confirmed")
        if settings.application.priority:
            before = date_words(settings.application.priority)
            said.append(f"prior art must have been published before {before}")
        return said

    # --- what leaves

    def kept_columns(self, final: State, ids: Sequence[str], depth: int) -> dict[str, Any]:
        """Whether it settles the question, its grade, and the Y that it settles the question together with."""
        first = final.together.get(depth)
        return {
            "settles": bool(final.labels[depth] == RELEVANT and not final.silent[depth]),
            "grade": GRADES.get(int(final.labels[depth]), ""),
            "together_with": "" if first is None else ids[first],
        }


PATENT = Patent()
