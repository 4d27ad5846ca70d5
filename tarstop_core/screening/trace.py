"""The trace of a session: what was believed, advised and labelled, document by document."""

from collections.abc import Mapping, Sequence
from typing import Any

from tarstop_core.calibration.calibrator import Calibrator
from tarstop_core.screening.advice import advice_in_short
from tarstop_core.screening.advised import Advice
from tarstop_core.screening.fold import LogReplay, replay
from tarstop_core.screening.labels import NAMES, REJECTED
from tarstop_core.screening.log import Event, calibrators_in, standing
from tarstop_core.screening.paths import Paths, PathsKey, chances, paths_key, session_paths
from tarstop_core.screening.provenance import provenance
from tarstop_core.screening.scenarios.named import scenario_of
from tarstop_core.screening.settings import Settings
from tarstop_core.screening.state import State
from tarstop_core.value.payoffs import Floats


def calibrators_named(settings: Settings, events: Sequence[Event]) -> set[str]:
    """Digests of the calibrators that a session ever named: in its settings at the start and since, and in its plan."""
    return {settings.calibrator, *calibrators_in(events)}


def trace(
    settings: Settings,
    calibrators: Mapping[str, Calibrator],
    ids: Sequence[str],
    scores: Floats | None,
    events: Sequence[Event],
) -> list[dict[str, Any]]:
    """Rows of the documents read, in the order of reading: what was believed, advised and labelled at the time.

    Each row has the numbers that were on the screen just before the document was labelled, under the settings in force
    and with the labels known at that time; `label` is the present verdict. Documents that came with labels were never
    on the screen, so their rows have no advice, and column `kept_from` says where the labels come from.

    Parameters
    ----------
    settings : Settings
        Settings at the start of the session.
    calibrators : mapping of str to Calibrator
        All calibrators of :func:`calibrators_named`, by digest.
    ids, scores : sequence of str, ndarray or None
        Documents and scores of the list as it was stored.
    events : sequence of Event
        The log.

    Returns
    -------
    list of dict
        Value by column.
    """
    final, origins = replay(settings, ids, events), provenance(events)
    fold, stored = LogReplay(settings, ids), scores
    ids, scores = final.ids_as_read(ids), final.scores_as_read(scores)
    computed: dict[PathsKey, tuple[Calibrator, Floats, Paths]] = {}
    rows = []
    for event in standing(events):
        if event.kind == "label":
            state = fold.state
            depth, now = state.depth, state.settings
            key = paths_key(now, state)
            if key not in computed:
                calibrator = calibrators[now.calibrator]
                p = chances(now, calibrator, stored, state)
                computed[key] = (calibrator, p, session_paths(now, calibrator, p, state))
            calibrator, p, paths = computed[key]
            advice = advice_in_short(now, calibrator, p, state, paths)
            fit = {} if not final.reordered else {"fit": event.payload.get("fit", "")}
            rows.append(
                {
                    **_verdict_columns(final, ids, scores, depth),
                    **fit,
                    "time": event.time,
                    "reviewer": event.reviewer,
                    **origins.columns(event),
                    "p": float(paths.path.p[depth]),
                    **(_weighed_columns(advice, now, paths) if now.weighs else {}),
                    "policy": now.policy,
                    "headline": advice.headline,
                    "advice": "continue" if advice.go_on else "stop",
                    "more_if_nothing": advice.more,
                    **_note_columns(final, ids, depth),
                    **scenario_of(now).columns(advice.facts, final, ids, depth),
                }
            )
        fold.apply(event)
        if event.kind == "kept":
            rows += [
                {
                    **_verdict_columns(final, ids, scores, depth),
                    "time": event.time,
                    "reviewer": "",
                    **origins.columns(event),
                    "kept_from": final.kept_from,
                    **_note_columns(final, ids, depth),
                    **scenario_of(final.settings).columns(None, final, ids, depth),
                }
                for depth in range(final.kept)
            ]
    return rows


def _verdict_columns(final: State, ids: Sequence[str], scores: Floats | None, depth: int) -> dict[str, Any]:
    """Columns on which document was read after `depth` others, and its present verdict."""
    score = None if scores is None else float(scores[depth])
    rejected = " (hit not confirmed)" if final.confirmed[depth] == REJECTED else ""
    row = {
        "rank": depth + 1,
        "id": ids[depth],
        "score": score,
        "label": f"{NAMES[int(final.labels[depth])]}{rejected}",
    }
    if final.reordered and final.ranks is not None:
        row["rank_in_list"] = int(final.ranks[depth])
    if final.drawn is not None:
        row["drawn"] = "at random" if final.drawn[depth] else ""
    return row


def _weighed_columns(advice: Advice, settings: Settings, paths: Paths) -> dict[str, Any]:
    """Columns on the belief, and on the worth of reading on, before a document."""
    return {
        "h": float(paths.path.chances[advice.depth]),
        "b": advice.b,
        "rho": advice.rho,
        "evpi": advice.evpi,
        "rho_evpi": advice.score,
        "worth": advice.worth,
        "cost": advice.cost,
        "unit": settings.payoffs.unit,
        "q_star": settings.payoffs.q_star,
    }


def _note_columns(final: State, ids: Sequence[str], depth: int) -> dict[str, str]:
    """Columns with the note on a document and the reason given with its verdict."""
    return {"note": final.notes.get(ids[depth], ""), "excluded_for": final.excluded_for.get(depth, "")}
