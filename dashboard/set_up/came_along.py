"""Set-up: what came along with the documents (patent families, labels somebody gave before), and draws for an audit."""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dashboard.frame import shell
from dashboard.frame.markup import grid
from dashboard.frame.widgets import explained, lasting, switch
from dashboard.frame.work import kept
from dashboard.parts import merging
from tarstop_core.calibration.calibrator import Calibrator
from tarstop_core.documents.application import Flag
from tarstop_core.errors import InputProblem
from tarstop_core.policies import POLICIES
from tarstop_core.ranking.families import also_published, one_of_each
from tarstop_core.ranking.order import Ranking
from tarstop_core.screening import kept_labels
from tarstop_core.screening.audit import SHARES, price_sentence, with_draws
from tarstop_core.screening.events import families_event
from tarstop_core.screening.kept_labels import FileLabels, Replayed
from tarstop_core.screening.log import Event
from tarstop_core.screening.scenarios.named import scenario_of
from tarstop_core.screening.setting_aside import SetAside, set_aside_first, without
from tarstop_core.screening.settings import Settings
from tarstop_core.screening.wording import action
from tarstop_core.sessions.create import Documents

PREFIX = "set_up/came_along"
Choice = Literal["keep", "leave", "replay"]
CHOICES: dict[Choice, tuple[str, str]] = {
    "keep": (
        "Keep them as already screened",
        "They stand first and count in belief, advice and exports; each can still be changed.",
    ),
    "leave": ("Leave them out", "You read every document anew."),
    "replay": (
        "Replay them in rank order",
        "For teaching: see below where each rule would have stopped. The session begins unlabelled.",
    ),
}
ASSUMED = (
    "Kept documents were not read in this order. Each counts with the chance that its own score or rank gives it; how "
    "it came to be read does not matter for the belief."
)


@dataclass(frozen=True, eq=False)
class Arranged:
    """The list as it will be screened, and what is recorded of how it came to be."""

    ranked: Ranking  # By relevance, one document a family
    screened: Ranking  # The same documents in screening order: those with kept labels first
    labels: FileLabels
    choice: Choice | None  # None where there are no labels
    kept: int  # How many documents stand first with their labels
    events: tuple[Event, ...]  # What the session's log begins with
    aside: SetAside | None = None  # What is not read, because it cannot be held against the application


def arrange(chosen: Documents, ranking: Ranking, aside: Mapping[int, Flag]) -> Arranged:
    """Ask about families and labels, and put the list together; `aside` is what bars documents, by position."""
    groups = merging.families(chosen.frame, chosen.key)
    labels = _labels(chosen, groups)
    choice = _ask(labels, chosen.key) if labels.count else None
    wanted = (ranking, frozenset(aside.items()), tuple(map(tuple, groups)), choice)

    def held() -> Arranged:
        arranged = _arranged(chosen, without(ranking, aside), groups, labels, choice)
        ids = chosen.frame["id"].tolist()
        return replace(arranged, aside=set_aside_first(ranking, arranged.ranked, ids, aside))

    return kept(f"{PREFIX}/held", wanted, held)


def announce(chosen: Documents) -> None:
    """Say that documents carry labels before they are in order and the question can be asked."""
    labels = _labels(chosen, ())
    if labels.count:
        st.caption(f"{labels.sentence} Below you say whether they are kept, left out or replayed.")


def _arranged(
    chosen: Documents,
    ranking: Ranking,
    groups: Sequence[Sequence[int]],
    labels: FileLabels,
    choice: Choice | None,
) -> Arranged:
    ranked = one_of_each(ranking, groups)
    members = also_published(chosen.frame, ranked, groups) if groups else {}
    events = [families_event(members)] if members else []
    if choice != "keep":
        return Arranged(ranked, ranked, labels, choice, 0, tuple(events))
    screened, ranks = kept_labels.kept_first(ranked, labels)
    events.append(kept_labels.kept_event(chosen.frame, screened, labels, ranks))
    return Arranged(ranked, screened, labels, choice, len(ranks), tuple(events))


def _labels(chosen: Documents, groups: Sequence[Sequence[int]]) -> FileLabels:
    def found() -> FileLabels:
        files = shell.store().collection(chosen.collection_id).files if chosen.collection_id else ()
        return kept_labels.labels_found(chosen.frame, files, groups)

    return kept(f"{PREFIX}/labels/{bool(groups)}", (chosen.key, tuple(map(tuple, groups))), found)


def _ask(labels: FileLabels, key: str) -> Choice:
    everything = labels.count == len(labels.codes)
    said, how = f"{labels.sentence} They come from {labels.source}.", lasting(f"{PREFIX}/choice/{key}")
    choice = explained(shell.escape_label(said), CHOICES, first="replay" if everything else "keep", **how)
    if labels.unknown:
        unknown = ", ".join(f"“{text[:40]}”" for text in labels.unknown[:5])
        shell.caption(f"Not understood, and passed over: {unknown}.")
    if choice == "keep":
        everything_read = " Nothing is left to read then." if everything else ""
        st.caption(f"{ASSUMED}{everything_read}")
    return choice


def show_replay(arranged: Arranged, settings: Settings, calibrator: Calibrator) -> None:
    """Where each rule would have stopped on the labels that came along."""
    try:
        found = _replayed(arranged, settings, calibrator)
    except InputProblem as problem:
        shell.problem_box(problem)
        return
    labels, own = arranged.labels, found[0]
    st.markdown("**Where each rule would have stopped on these labels**")
    then = "" if own.plus is None else f" and chosen “{action(own.plus, settings)}”"
    share = f"{own.found:,} of the {labels.relevant:,} relevant" if labels.relevant else "no relevant one"
    said = (
        f"{own.policy} would have stopped after {own.depth:,} of {labels.count:,}{then}, with {share} read."
    )
    tells = scenario_of(settings).verdicts_tell
    if not tells:
        yours = f", {settings.rule} among them," if settings.rule.acts_on_belief else ""
        said = (
            f"Rules that weigh value against cost{yours} are not shown: labels hold no 2×2 tables, and without tables "
            f"the belief would not move. {said}"
        )
    shell.caption(said)
    head = ["rule", "stops after", "relevant by then", *(["and chooses"] if tells else [])]
    rows = []
    for each in found:
        cells = [str(each.policy), f"{each.depth:,}", f"{each.found:,} of {labels.relevant:,}"]
        rows.append(cells if each.plus is None else [*cells, action(each.plus, settings)])
    st.html(f'<div class="tar-others" data-testid="replayed">{grid(head, rows)}</div>')


def _replayed(arranged: Arranged, settings: Settings, calibrator: Calibrator) -> list[Replayed]:
    """The rule chosen, then all others, as far as these labels suffice; asked again only when something changes."""

    def asked() -> list[Replayed]:
        others = (kind() for kind in POLICIES.values() if kind is not type(settings.rule))
        rules = [settings.rule, *(each for each in others if not (each.is_oracle or each.needs_labels))]
        if not scenario_of(settings).verdicts_tell:
            rules = [each for each in rules if not each.acts_on_belief]
        return kept_labels.replayed(arranged.ranked, arranged.labels, settings, calibrator, rules)

    return kept(f"{PREFIX}/replayed", (arranged, settings), asked)


def with_audit(arranged: Arranged, more: DeltaGenerator) -> Arranged:
    """The list as it will be screened, with the draws that are asked for."""
    unread = len(arranged.screened) - arranged.kept
    if not unread:
        return arranged
    with more:
        options = {0: "no draws"} | {every: f"one in {every}" for every in SHARES}
        every = switch("Must you report recall? Draws for an audit", options, **lasting("set_up/audit/every"))
        st.caption(
            f"[A bound on recall at every stop]({shell.guide('recall_statement')}) needs documents drawn at random. "
            f"{price_sentence(unread)}"
        )
        if every:
            st.caption(f"One document in {every} will not be the next of the order above but a drawn one.")
    if not every:
        return arranged
    seed = kept("set_up/audit/seed", arranged.screened, lambda: secrets.randbelow(2**32))

    def drawn() -> Arranged:
        ranks = next((event.payload["ranks"] for event in arranged.events if event.kind == "kept"), ())
        screened, event = with_draws(arranged.screened, ranks, every, seed)
        return replace(arranged, screened=screened, events=(*arranged.events, event))

    return kept("set_up/audit/held", (arranged, every), drawn)
