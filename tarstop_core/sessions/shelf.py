"""The calibrators there are: a person's own, which they may rename and put away, and those that are included."""

from dataclasses import dataclass

from tarstop_core.calibration.calibrator import INCLUSION, PATENT, REVIEW, Calibrator
from tarstop_core.samples import shipped
from tarstop_core.sessions.store.store import Store

KIND_WORDS = {
    "marginal": "from scores",
    "hazard": "from scores, until the first hit",
    "frailty": "from scores, misses go together",
    "rank": "from ranks",
    "first-hit": "from ranks, until the first hit",
    "rank-frailty": "by rank, for lists from elsewhere",
}
CHANCE_OF = {
    PATENT: "of being relevant in a patent search",
    INCLUSION: "of being included by title and abstract",
    REVIEW: "of bringing a 2×2 table",
}
"""What the chances of a calibrator are chances of, by its scenario."""
NAMES = {PATENT: "Patents", INCLUSION: "Inclusion", REVIEW: "2×2 tables"}
"""The same, for a button."""


@dataclass(frozen=True)
class Listed:
    """One calibrator on a list."""

    key: str  # Short name of a shipped one, else "own-" and its digest
    calibrator: Calibrator
    name: str
    own: bool = False
    created: str = ""  # When it was stored here (ISO 8601); empty for shipped ones


def listed(store: Store, deleted: bool = False) -> dict[str, Listed]:
    """All calibrators by key, a person's own first; or those of their own that were taken off the list."""
    own = [
        Listed(f"own-{kept.digest}", kept.calibrator, kept.name, True, kept.created)
        for kept in store.kept_calibrators()
        if kept.deleted == deleted and kept.digest not in shipped.digests()
    ]
    included = [Listed(key, each, each.fitted_on.name) for key, each in shipped.calibrators().items()]
    return {each.key: each for each in (own if deleted else [*own, *included])}


def fitting(store: Store, scenario: str, has_scores: bool = True) -> dict[str, Listed]:
    """Those that give the chances (one of :data:`CHANCE_OF`) that a list with or without scores needs."""
    there = ((key, each, each.calibrator) for key, each in listed(store).items())
    return {key: each for key, each, of in there if of.scenario == scenario and (has_scores or of.by_rank)}


def title(each: Listed) -> str:
    """What a calibrator is called in a list."""
    return f"{each.name} ({KIND_WORDS[each.calibrator.kind]}){' · yours' if each.own else ''}"


def updated_by_own(each: Listed) -> bool:
    """Whether it is what is included, updated by a person's own real lists: then it is the first to be offered."""
    seen = each.calibrator.fitted_on
    return each.own and each.calibrator.kind == "rank-frailty" and bool(seen.own) and not seen.simulated


def keep(store: Store, calibrator: Calibrator) -> str:
    """Store a calibrator, back on the list if it had been put away; its key."""
    digest = store.save_calibrator(calibrator)
    if digest in shipped.digests():
        return shipped.digests()[digest]
    if any(kept.deleted and kept.digest == digest for kept in store.kept_calibrators()):
        store.restore_calibrator(digest)
    return f"own-{digest}"
