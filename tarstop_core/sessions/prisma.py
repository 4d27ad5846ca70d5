"""The numbers of a PRISMA 2020 flow diagram, from a session as it stands.

Page and others (2021), doi 10.1136/bmj.n71. What the diagram has no box for, because it assumes that all
records are screened, is said in one of its own: records left unscreened, and why screening stopped before them.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from textwrap import shorten
from typing import Any

from tarstop_core.documents.reports import Report
from tarstop_core.screening.labels import IRRELEVANT, RELEVANT, UNSURE
from tarstop_core.screening.state import State

LEFT_OUT = "Records set aside before screening: too late, or the application's family"
NO_REASON = "no reason recorded"
NOT_YET = "Records not screened yet"
UNSCREENED = "Records not screened"
BY_THE_RULE = f"{UNSCREENED} because the stopping rule advised to stop"
WHY_UNSCREENED: dict[str, str] = {
    "stop": BY_THE_RULE,
    "prior alone": BY_THE_RULE,
    "found": f"{UNSCREENED} because a document settled the question",
}
"""By the headline of the advice that was followed."""
OVERRIDDEN: dict[str, str] = {
    "continue": f"{UNSCREENED} although the stopping rule advised to go on",
    "reports": f"{UNSCREENED} although the advice was to read the waiting reports first",
    "confirm": f"{UNSCREENED} although a hit was still to be confirmed",
}
"""By the headline of the advice that was not followed."""
LONGEST_REASON = 120
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
    studies: int = 0  # Studies included: eligible, with extractable data or without
    with_data: int = 0  # Studies among them that bring data
    reports: int = 0  # Reports of included studies
    left_out: int = 0
    """Records that were set aside unread: those of a patent session that cannot be held against the application."""
    excluded_for: tuple[tuple[str, int], ...] = ()
    """Records by reason given, the most frequent first, then those without one; empty where none has a reason."""
    graded: tuple[tuple[str, int], ...] = ()
    """Patents: of the records screened, those graded Y and A, where there are any."""
    families: int = 0  # Records that are not in the list because another member of their patent family is
    full_text: bool = True  # Whether reports are read in full
    unscreened_because: str = NOT_YET  # The name of the box of records left: why they are

    @property
    def removed(self) -> list[tuple[str, int]]:
        """What left before screening."""
        others = ((LEFT_OUT, self.left_out), (FAMILIES, self.families))
        duplicates = ("Duplicate records removed before screening", self.duplicates)
        return [duplicates, *(row for row in others if row[1])]

    @property
    def unread(self) -> tuple[str, int]:
        """What is unread, and why."""
        return self.unscreened_because, self.unscreened

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
            ("Studies included", self.studies),
            ("Included studies with extractable data", self.with_data),
            ("Included studies without extractable data", self.studies - self.with_data),
            ("Reports of included studies", self.reports),
        ]


def origin(file: Mapping[str, Any]) -> str:
    """Where the records of a file were identified: in the database that a person named, else in the file."""
    return str(file.get("database") or file["source"])


def _unscreened_because(state: State) -> str:
    """The name of the box of records left unread: why they are, by the advice when screening stopped.

    Where the advice was not followed, the reason that was recorded with the decision stands in it.
    """
    if not state.stopped:
        return NOT_YET
    if state.advice_at_stop not in OVERRIDDEN:
        return WHY_UNSCREENED.get(state.advice_at_stop, UNSCREENED)
    if state.decision is None:
        return OVERRIDDEN[state.advice_at_stop]  # A reason is asked for with the decision.
    given = shorten(state.decision.footing.reason, LONGEST_REASON, placeholder=" …")
    why = f"reason given: “{given}”" if given else "no reason given"
    return f"{OVERRIDDEN[state.advice_at_stop]}; {why}"


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
        full_text=state.settings.reads_full_texts,
        unscreened_because=_unscreened_because(state),
    )
    if not of_abstracts.full_text:
        return of_abstracts
    reports = list(state.read_in_full.values())
    outcomes = Counter(report.outcome for report in reports)
    of_full_texts = Counter(report.reason.strip() for report in reports if report.outcome == "excluded")
    with_data = [report for report in reports if report.outcome == "data"]
    eligible = [*with_data, *(report for report in reports if report.outcome == "no data")]
    return replace(
        of_abstracts,
        not_retrieved=outcomes["not retrieved"],
        waiting=len(state.waiting),
        assessed=sum(report.was_read for report in reports),
        excluded_full=_by_frequency(of_full_texts),
        studies=_studies(eligible),
        with_data=_studies(with_data),
        reports=len(eligible),
    )


def _studies(reports: Sequence[Report]) -> int:
    """How many studies reports are of: those with one name are of one study, those without are of one each."""
    names = [(report.study or "".join(row.study for row in report.rows[:1])).strip() for report in reports]
    return len({name.casefold() for name in names if name}) + names.count("")


def _by_frequency(reasons: Counter[str]) -> tuple[tuple[str, int], ...]:
    return tuple(sorted(reasons.items(), key=lambda each: (-each[1], each[0])))
