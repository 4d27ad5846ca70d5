"""A search for prior art, and the base class of questions that one document decides."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, cast

import numpy as np

from tarstop_core.calibration import calibrator as calibration
from tarstop_core.calibration.calibrator import Calibrator
from tarstop_core.documents.application import members
from tarstop_core.documents.records import date_words
from tarstop_core.presentation.messages import Messages
from tarstop_core.presentation.numbers import percent
from tarstop_core.screening.advised import RecallFacts, ReviewFacts
from tarstop_core.screening.labels import GRADES, RELEVANT, Label
from tarstop_core.screening.patent_settings import PatentSettings
from tarstop_core.screening.scenarios.base import Scenario
from tarstop_core.screening.settings import S
from tarstop_core.screening.state import State
from tarstop_core.value.decisive import DecisivePath
from tarstop_core.value.path import ListPath
from tarstop_core.value.payoffs import Floats


class DecisiveScenario(Scenario[S]):
    """Base class of scenarios in which one relevant document decides the question."""

    def chance_of(self, settings: S) -> str:
        """The chance of being relevant, given that any document is."""
        return calibration.PATENT

    def path(self, settings: S, calibrator: Calibrator, chances: Floats, state: State) -> ListPath:
        # The path has the belief after each depth if nothing is found, and the hit if there is one.
        return DecisivePath(
            curve=calibrator.curve(
                chances, state.ranked, kappa=settings.kappa, s=settings.s, uninformative=state.uninformative
            ),
            b_0=settings.b_0,
            payoffs=settings.payoffs,
            hit=state.hit,
            needs_citation=settings.needs_citation,
            labels=np.asarray(state.labels == RELEVANT),
            p=chances,
        )

    def key(self, settings: S, state: State) -> tuple[bytes, int | None]:
        """Key without the depth: the path has the belief at all depths, so another miss does not change it."""
        return state.uninformative.tobytes(), state.hit

    def with_b_0(
        self, path: ListPath, settings: S, calibrator: Calibrator, chances: Floats, state: State
    ) -> ListPath:
        # The curve of hits does not depend on the starting chance.
        return replace(cast(DecisivePath, path), b_0=settings.b_0)


class Patent(DecisiveScenario[PatentSettings]):
    """Whether there is prior art: one relevant document decides, and must be cited."""

    message = Messages("screening/messages/patent.jinja", date_words=date_words)
    settings_class = PatentSettings
    title = "Whether there is prior art"
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
    belief_title = "chance of prior art"
    reasons = "for example:\nanother technical field\nlacks the hinge"
    example = "If about one in three applications like this fails, say 33 %."

    # --- rows and names

    def counted(self, state: State) -> list[str]:
        """Numbers of relevant documents, and of those graded Y and A if there are any, as phrases.

        A hit that waits for confirmation does not count as relevant yet.
        """
        waiting = len(state.pending)
        others = [f"{waiting:,} to be confirmed"] if waiting else []
        graded = ((state.combination, "Y"), (state.background, "A"))
        others += [f"{len(documents):,} {grade}" for documents, grade in graded if len(documents)]
        return [f"{state.relevant - waiting:,} relevant{' (X)' if others else ''}", *others]

    def verdicts(self, settings: PatentSettings) -> dict[Label, tuple[str, str]]:
        """Grades of a search report; the help says how the belief counts them."""
        taken = "The chance counts it as read but not settling."
        return {
            "relevant": ("Settles it", "X: settles the question alone, once you confirm it."),
            "irrelevant": ("Not relevant", ""),
            "unsure": ("Unsure", ""),
            "combination": ("In combination", f"Y: settles it only together with another document. {taken}"),
            "background": ("Background", f"A: background. {taken}"),
        }

    def settings_rows(self, settings: PatentSettings) -> list[tuple[str, str]]:
        """Rows on what list and reading may miss, citation, confirmation, and the application."""
        mine = settings.application
        rows = [
            ("Chance that a deciding document is in the list (κ)", percent(settings.kappa)),
            ("Chance of recognising a relevant document (s)", percent(settings.s)),
            (f"“{settings.plus}” needs a document to cite", "yes" if settings.needs_citation else "no"),
            ("Hits count once confirmed", "yes" if settings.confirm_hits else "no"),
            ("Application", mine.number),
            ("Family of the application", ", ".join(members(mine.family))),
            ("Applicant", mine.applicant),
            ("Prior art must precede", date_words(mine.priority)),
            ("Flagged documents left out of the list", f"{mine.left_out:,}" if mine.left_out else ""),
        ]
        return [row for row in rows if row[1]]

    # --- exports

    def columns(
        self, facts: ReviewFacts | RecallFacts | None, final: State, ids: Sequence[str], depth: int
    ) -> dict[str, Any]:
        # Column `together_with` names the other document, graded Y, with which this one settles the question.
        first = final.together.get(depth)
        return {
            "settles": bool(final.labels[depth] == RELEVANT and not final.uninformative[depth]),
            "grade": GRADES.get(int(final.labels[depth]), ""),
            "together_with": "" if first is None else ids[first],
        }


PATENT = Patent()
