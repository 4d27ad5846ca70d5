"""Questions on the source of a list's chances, the starting belief and the rule, and figures of these chances."""

from collections.abc import Mapping
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from dashboard.frame import shell
from dashboard.frame.drawing import captioned, figure, note
from dashboard.frame.markup import badges
from dashboard.frame.widgets import lasting, one_of, text_of, upload, whole_percent
from tarstop_core.calibration import figures
from tarstop_core.calibration.calibrator import PATENT, Calibrator, from_json
from tarstop_core.calibration.figures import reliability_figure, reliability_sentence
from tarstop_core.calibration.first_hit import PastCase
from tarstop_core.calibration.quality import Quality, quality_sentence
from tarstop_core.errors import InputProblem
from tarstop_core.policies import POLICIES, LookAhead, OpenLoop, Parameter, Policy, Value
from tarstop_core.policies.registry import about, advising_rules, titled
from tarstop_core.ranking.order import Ranking
from tarstop_core.samples import shipped
from tarstop_core.samples.shipped import default_calibrator
from tarstop_core.screening.scenarios.named import FIRST, scenario_of
from tarstop_core.screening.settings import Settings
from tarstop_core.sessions.calibrator_library import (
    CHANCE_OF,
    ListedCalibrator,
    fitting_calibrators,
    keep,
    title,
    updated_by_own,
)

PREFIX = "set_up/chances"
APPROXIMATE = (
    " In a review this is approximate: the best plan is chosen now, as if you learned nothing before its end."
)


def own_prefix(prefix: str, scenario: str) -> str:
    """Prefix of the keys of each scenario's own questions; the first scenario's keys do not have its name."""
    return prefix if scenario == FIRST else f"{prefix}/{scenario}"


def starting_chance(settings: Settings) -> float:
    """Ask for b_0, the belief before anything was read."""
    scenario = scenario_of(settings)
    key = f"{own_prefix(PREFIX, scenario.name)}/b_0"
    explained = f"The {shell.term('b-0', 'starting belief')} b₀. {scenario.example}"
    asked = f"Chance that {scenario.message('question', settings=settings)}, before reading"
    share = whole_percent(asked, 50, **lasting(key), help=explained)
    means = scenario.message("starting_chance", share=share, settings=settings)
    note(f"{means[0].upper()}{means[1:]}")
    return share / 100


def calibrator(
    ranking: Ranking | None, has_scores: bool, sample: bool, scenario: str = PATENT, merged: bool = False
) -> Calibrator | None:
    """Ask for the source of the documents' chances.

    Parameters
    ----------
    ranking
        The list; None while it cannot be put in order.
    has_scores
        Whether the list has scores.
    sample
        Whether the list comes with the program.
    scenario
        What a chance is a chance of.
    merged
        Whether the list was merged from several rankings.

    Returns
    -------
    Calibrator or None
        None if no calibrator here fits the list.
    """
    choices = fitting_calibrators(shell.store(), scenario, has_scores)
    key = f"{PREFIX}/calibrator/{'scores' if has_scores else 'ranks'}/{'sample' if sample else 'own'}"
    if scenario != PATENT:
        key += f"/{scenario}"
    chosen = None
    if choices:
        usual = default_calibrator(has_scores, sample, scenario)
        if scenario == PATENT and not sample:
            shipped_default = usual
            usual = next((name for name, entry in choices.items() if updated_by_own(entry)), usual)
            # For a merged list another one is the default, unless the person chose or fitted a calibrator.
            if merged and usual == st.session_state.get(key, usual) == shipped_default:
                key, usual = f"{key}/merged", shipped.FOR_MERGED_LISTS
        calibrator = which("Where the chances come from", choices, usual, **lasting(key)).calibrator
        _quality(calibrator)
        chosen = calibrator if _fits(calibrator, ranking, scenario, sample) else None
    else:
        lacking = f"gives the chance {CHANCE_OF[scenario]}; upload one that was fitted with “--scenario {scenario}”."
        if not has_scores:
            lacking = "fits a list without scores; upload a rank-based one."
        st.info(f"No calibrator here {lacking}", icon=":material/info:")
    with st.expander("Use your own calibrator"):
        st.page_link(shell.CALIBRATION, label="Fit one: from labelled lists, finished sessions or memory")
        words = "A JSON file that “tarstop calibrate” or the Calibration page wrote"
        upload(words, partial(_take_in, has_scores, key, scenario), key=f"{PREFIX}/upload")
    return chosen


def _fits(calibrator: Calibrator, ranking: Ranking | None, scenario: str, sample: bool) -> bool:
    """Whether the calibrator can be used on this list; show reasons against it."""
    if ranking is None:
        return True
    if refused := "" if sample or scenario != PATENT else calibrator.refusal(ranking.scores):
        shell.problem_box(refused)
        return False
    for remark in calibrator.mismatch(ranking.scores, len(ranking)):
        st.warning(shell.escape_markdown(remark), icon=":material/warning:")
    return True


def policy(
    first: str,
    approximately: bool = False,
    because: str = "",
    titles: Mapping[str, str] | None = None,
    given: Mapping[str, Value] | None = None,
) -> Policy:
    """Ask which rule advises, with its parameters.

    Parameters
    ----------
    first : str
        Name of the default rule.
    approximately : bool
        Whether the scenario values plans only approximately.
    because : str
        Sentence on why that rule is the default.
    titles : mapping of str to str, optional
        Titles of the rules on offer, by name; by default all that can advise a person.
    given : mapping, optional
        Parameters that are asked elsewhere, by name.

    Returns
    -------
    Policy
    """
    titles = titles or {name: titled(name) for name in advising_rules()}
    titles = {name: titles[name] for name in sorted(titles, key=lambda name: name != first)}
    given = given or {}
    # A scenario with another default rule has its own widget.
    key = f"{PREFIX}/policy" if first == "optimal" else f"{PREFIX}/policy/{first}"
    kind = POLICIES[one_of("Stopping rule", titles, **lasting(key))]
    approximate = approximately and kind in (OpenLoop, LookAhead)
    st.caption(shell.escape_markdown(about(kind)) + (APPROXIMATE if approximate else ""))
    if because and kind.name == first:
        st.caption(because)
    start = kind().settings
    values = {
        each.name: given[each.name] if each.name in given else _parameter(kind.name, each, start[each.name])
        for each in kind.parameters
    }
    return kind(**values)


def _parameter(policy: str, parameter: Parameter, start: Value) -> Value:
    label, key = parameter.label, f"{PREFIX}/{policy}/{parameter.name}"
    if parameter.kind == "choice":
        options = {name: name for name in parameter.choices}
        return one_of(label, options, first=str(start), **lasting(key))
    if parameter.kind == "float":
        low, high = float(parameter.low), float(parameter.high)
        step = float(f"{(high - low) / 100:.1g}")
        return st.number_input(label, low, high, float(start), step=step, format="%g", **lasting(key))
    return st.number_input(label, int(parameter.low), int(parameter.high), int(start), **lasting(key))


def _quality(calibrator: Calibrator) -> None:
    st.html(badges(calibrator.fitted_on.badge))
    quality, simulated = calibrator.quality, calibrator.fitted_on.simulated
    if quality is None:
        st.caption("It says nothing about how well it did on topics it had not seen.")
        return
    shell.caption(quality_sentence(quality))
    if quality.reliability:
        with st.expander(
            "Did the chances come true?", key=f"{PREFIX}/came_true", on_change="rerun"
        ) as folded:
            if folded.open:
                drawn = reliability_figure(quality.reliability, simulated, shell.dark(), quality.intervals)
                captioned(drawn, reliability_sentence(quality.reliability))


def _take_in(has_scores: bool, key: str, scenario: str, file: UploadedFile) -> None:
    """Keep an uploaded calibrator in the store, and choose it."""
    taken = read(file)
    if taken.scenario != scenario:
        raise InputProblem(
            f"{file.name} gives the chance {CHANCE_OF[taken.scenario]}, and this session needs the chance "
            f"{CHANCE_OF[scenario]}; choose one that was fitted with '--scenario {scenario}'."
        )
    if not has_scores and not taken.by_rank:
        raise InputProblem(
            f"{file.name} reads scores and this list has none; choose a rank-based one, or order the "
            "documents by what you are looking for."
        )
    st.session_state[key] = keep(shell.store(), taken)


def which(
    label: str, offered: Mapping[str, ListedCalibrator], usual: str, *, key: str, **more: Any
) -> ListedCalibrator:
    """Ask for one of these calibrators; `usual` is the default if it is among them."""
    if st.session_state.get(key) not in offered:
        st.session_state[key] = usual if usual in offered else next(iter(offered))
    titles = {name: title(entry) for name, entry in offered.items()}
    return offered[one_of(label, titles, first=st.session_state[key], key=key, **more)]


def read(file: UploadedFile) -> Calibrator:
    """Return the calibrator in a file; raise InputProblem if it contains none."""
    text = text_of(file, "give a file that 'tarstop calibrate' or the Calibration page wrote")
    return from_json(text, file.name)


def first_hits(name: str, calibrator: Calibrator, file_stem: str, cases: tuple[PastCase, ...] = ()) -> None:
    """Draw when the first hit comes, by a calibrator that learned this from past cases."""
    at, come, low, high = figures.come_by_rank(calibrator)
    figure(
        name,
        "When the first hit comes",
        figures.first_hit_figure(calibrator, cases, shell.dark(), calibrator.fitted_on.simulated),
        figures.first_hit_sentence(calibrator),
        {"rank": at, "first_hit_has_come": come, "low_95": low, "high_95": high},
        file_stem,
    )


def reliability_rows(quality: Quality) -> pd.DataFrame:
    return pd.DataFrame(quality.reliability, columns=["mean_chance", "share_relevant", "documents"])


def reliability(name: str, quality: Quality, simulated: bool, file_stem: str) -> None:
    """Draw the reliability of a calibrator's chances on lists that it was not fitted on."""
    if quality.reliability:
        figure(
            name,
            "Did the chances come true?",
            figures.reliability_figure(quality.reliability, simulated, shell.dark(), quality.intervals),
            figures.reliability_sentence(quality.reliability),
            reliability_rows(quality),
            file_stem,
            at_once=True,
        )
    note(quality_sentence(quality))
