"""The numbers of a PRISMA 2020 flow diagram, from a session as it stands.

Page and others (2021), doi 10.1136/bmj.n71. What the diagram has no box for, because it assumes that all
records are screened, is said in one of its own: records left unscreened because of the stopping rule.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tarstop_core.screening.labels import IRRELEVANT, RELEVANT, UNSURE
from tarstop_core.screening.state import State

LEFT_OUT = "Records left out before screening: too late, or the application's family"
NO_REASON = "no reason recorded"
UNSCREENED = "Records not screened because of the stopping rule"
NOT_YET = "Records not screened yet"
FAMILIES = "Records for which another of their patent family stands"


@dataclass(frozen=True)
class Prisma:
    """Counts, from top to bottom of the diagram."""

    identified: tuple[tuple[str, int], ...]  # Records by source
    duplicates: int  # Records removed before screening
    screened: int  # Records read by title and abstract
    excluded: int
    unsure: int
    unscreened: int  # Records left because screening stopped
    sought: int  # Reports wanted in full
    not_retrieved: int = 0
    waiting: int = 0  # Reports not read yet
    assessed: int = 0  # Reports read in full
    excluded_full: tuple[tuple[str, int], ...] = ()  # Reports by reason, the most frequent first
    without_data: int = 0  # Eligible reports without extractable data
    reports: int = 0  # Reports that brought data
    studies: int = 0
    left_out: int = 0
    """Records that were left out of the list before screening: flagged ones of a patent session."""
    excluded_for: tuple[tuple[str, int], ...] = ()
    """Records by reason given, the most frequent first, then those without one; empty where none has a reason."""
    graded: tuple[tuple[str, int], ...] = ()
    """Patents: of the records screened, those graded Y and A, where there are any."""
    families: int = 0  # Records that are not in the list because another member of their patent family is
    full_text: bool = True  # Whether reports are read in full
    stopped: bool = True  # Whether screening has; until then, what is unread is only not screened yet

    @property
    def removed(self) -> list[tuple[str, int]]:
        """What left before screening."""
        others = ((LEFT_OUT, self.left_out), (FAMILIES, self.families))
        duplicates = ("Duplicate records removed before screening", self.duplicates)
        return [duplicates, *(row for row in others if row[1])]

    @property
    def unread(self) -> tuple[str, int]:
        """What is unread, and why."""
        return UNSCREENED if self.stopped else NOT_YET, self.unscreened

    @property
    def found(self) -> list[tuple[str, int]]:
        """Patents: what was found, by grade where grades other than X were given."""
        name = "Relevant documents (X)" if self.graded else "Relevant documents"
        return [(name, self.sought), *((f"Documents graded {grade}", count) for grade, count in self.graded)]

    def rows(self) -> list[tuple[str, int]]:
        """Box and number, in order: the table that stands beside the diagram."""
        of_abstracts = [
            *((f"Records identified: {source}", count) for source, count in self.identified),
            *self.removed,
            ("Records screened", self.screened),
            ("Records excluded", self.excluded),
            *((f"Records excluded: {reason}", count) for reason, count in self.excluded_for),
            ("Records still unsure", self.unsure),
            self.unread,
        ]
        if not self.full_text:
            return [*of_abstracts, *self.found]
        return [
            *of_abstracts,
            ("Reports sought for retrieval", self.sought),
            ("Reports not retrieved", self.not_retrieved),
            ("Reports not assessed yet", self.waiting),
            ("Reports assessed for eligibility", self.assessed),
            *((f"Reports excluded: {reason}", count) for reason, count in self.excluded_full),
            ("Eligible reports without extractable data", self.without_data),
            ("Studies included", self.studies),
            ("Reports of included studies", self.reports),
        ]


def origin(file: Mapping[str, Any]) -> str:
    """Where the records of a file were identified: in the database that a person named, else in the file."""
    return str(file.get("database") or file["source"])


def prisma(
    files: Sequence[Mapping[str, Any]], duplicates: int, state: State, left_out: int = 0, families: int = 0
) -> Prisma:
    """Count a session; `files` are what was imported, with `source`, `records` and perhaps `database`, as
    the store keeps it.

    In a patent session there is no full text: relevant documents (X) are the included ones, those graded Y and A are
    counted by themselves.
    """
    labels, n = state.labels, len(state.labels)
    included = int((labels == RELEVANT).sum())
    excluded = int((labels == IRRELEVANT).sum())
    graded = (("in combination (Y)", len(state.combination)), ("background (A)", len(state.background)))
    by_origin: Counter[str] = Counter()
    for file in files:
        by_origin[origin(file)] += int(file["records"])
    identified = tuple(by_origin.items()) or (("the collection", n + duplicates + left_out + families),)
    reasons = Counter(reason for at, reason in state.excluded_for.items() if labels[at] == IRRELEVANT)
    rest = excluded - reasons.total()
    of_abstracts = Prisma(
        identified=identified,
        duplicates=duplicates,
        screened=state.depth,
        excluded=excluded,
        unsure=int((labels == UNSURE).sum()),
        unscreened=n - state.depth,
        sought=included,
        assessed=included,
        reports=included,
        studies=included,
        left_out=left_out,
        families=families,
        excluded_for=(*_by_frequency(reasons), *([(NO_REASON, rest)] if reasons and rest else [])),
        graded=tuple((name, count) for name, count in graded if count),
        full_text=state.settings.kind.reads_full_texts,
        stopped=state.stopped,
    )
    if not of_abstracts.full_text:
        return of_abstracts
    reports = list(state.read_in_full.values())
    outcomes = Counter(report.outcome for report in reports)
    of_full_texts = Counter(report.reason.strip() for report in reports if report.outcome == "excluded")
    with_data = [report for report in reports if report.outcome == "data"]
    names = [(report.study or report.rows[0].study).strip().casefold() for report in with_data]
    return replace(
        of_abstracts,
        not_retrieved=outcomes["not retrieved"],
        waiting=len(state.waiting),
        assessed=sum(report.was_read for report in reports),
        excluded_full=_by_frequency(of_full_texts),
        without_data=outcomes["no data"],
        reports=len(with_data),
        studies=len(set(names) - {""}) + names.count(""),
    )


def _by_frequency(reasons: Counter[str]) -> tuple[tuple[str, int], ...]:
    return tuple(sorted(reasons.items(), key=lambda each: (-each[1], each[0])))
