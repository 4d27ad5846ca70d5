"""Set-up, step 4: what is believed at the start, where the chances come from, and which rule advises."""

from __future__ import annotations

import html

import streamlit as st

from dashboard.frame import shell
from tarstop_core.calibration.calibrator import PATENT, Calibrator
from tarstop_core.calibration.figures import quality_sentence, reliability_figure, reliability_sentence
from tarstop_core.errors import InputProblem
from tarstop_core.policies import POLICIES, LookAhead, Optimal, Parameter, Policy, Value
from tarstop_core.policies.registry import followed, titled
from tarstop_core.ranking.order import Ranking
from tarstop_core.samples.shipped import default_calibrator
from tarstop_core.screening.explain import question
from tarstop_core.screening.scenarios.named import scenario_of
from tarstop_core.screening.settings import Settings
from tarstop_core.sessions.shelf import CHANCE_OF, fitting, keep, read, title

PREFIX = "set_up/chances"
APPROXIMATE = (
    " In a review an approximation: the best plan is chosen now, as if nothing were learned before its end."
)


def own_prefix(prefix: str, scenario: str) -> str:
    """Begins the keys of what each scenario asks for itself; the first has those without its name."""
    return prefix if scenario == Settings.scenario else f"{prefix}/{scenario}"


def starting_chance(settings: Settings) -> float:
    """Ask for b_0, before anything was read."""
    scenario = scenario_of(settings)
    share = st.slider(
        f"Chance that {question(settings)}, before reading",
        1,
        99,
        50,
        format="%d %%",
        key=f"{own_prefix(PREFIX, scenario.name)}/b_0",
        persist_state="session",
        help=f"The {shell.term('b-0', 'starting belief')} b₀. {scenario.example}".rstrip(),
    )
    st.caption(f"b₀ = {share / 100:.2f}: {scenario.starting_chance(share, settings)}")
    return share / 100


def calibrator(
    ranking: Ranking | None, has_scores: bool, sample: bool, scenario: str = PATENT
) -> Calibrator | None:
    """Ask where the chances of the documents come from.

    Parameters
    ----------
    ranking : Ranking or None
        None while the list cannot be put in order.
    has_scores : bool
        Whether the list has scores, or will have them.
    sample : bool
        Whether it comes with the programme.
    scenario : str
        What has to be predicted: one of :data:`CHANCE_OF`.

    Returns
    -------
    Calibrator or None
        None when there is nothing to choose.
    """
    choices = fitting(shell.store(), scenario, has_scores)
    key = f"{PREFIX}/calibrator/{'scores' if has_scores else 'ranks'}/{'sample' if sample else 'own'}"
    if scenario != PATENT:
        key += f"/{scenario}"
    if choices:
        names, default = list(choices), default_calibrator(has_scores, sample, scenario)
        if st.session_state.get(key) not in names:
            st.session_state[key] = default if default in names else names[0]
        chosen = choices[
            st.selectbox(
                "Where the chances come from",
                names,
                index=names.index(st.session_state[key]),
                format_func=lambda name: title(choices[name]),
                key=key,
            )
        ].calibrator
        _quality(chosen)
        for remark in chosen.mismatch(ranking.scores, len(ranking)) if ranking is not None else []:
            st.warning(shell.escape_markdown(remark), icon=":material/warning:")
    else:
        chosen = None
        st.info(f"No calibrator here {_lacking(has_scores, scenario)}", icon=":material/info:")
    with st.expander("Use a calibrator of your own"):
        st.page_link(shell.CALIBRATION, label="Fit one: from labelled lists, finished sessions or memory")
        st.file_uploader(
            "A JSON file that “tarstop calibrate” or the Calibration page wrote",
            type=["json"],
            key=f"{PREFIX}/upload",
            on_change=_take_in,
            args=(has_scores, key, scenario),
        )
        problem = st.session_state.get(f"{PREFIX}/upload_problem")
        if problem:
            shell.problem_box(problem)
    return chosen


def _lacking(has_scores: bool, scenario: str) -> str:
    if not has_scores:
        return "fits a list without scores; upload a rank-based one."
    return f"gives the chance {CHANCE_OF[scenario]}; upload one that was fitted with “--scenario {scenario}”."


def policy(approximately: bool = False) -> Policy:
    """Ask which rule advises, with its parameters.

    Parameters
    ----------
    approximately : bool
        Whether plans are valued approximately.
    """
    kind = POLICIES[
        st.selectbox(
            "Stopping rule",
            followed(),
            format_func=titled,
            key=f"{PREFIX}/policy",
            persist_state="session",
        )
    ]
    approximate = approximately and kind in (Optimal, LookAhead)
    st.caption(shell.escape_markdown(kind.rule) + (APPROXIMATE if approximate else ""))
    start = kind()
    return kind(
        **{
            parameter.name: _parameter(kind.name, parameter, getattr(start, parameter.name))
            for parameter in kind.parameters
        }
    )


def _parameter(policy: str, parameter: Parameter, start: Value) -> Value:
    label, key = f"{parameter.name}: {parameter.meaning}", f"{PREFIX}/{policy}/{parameter.name}"
    if parameter.kind == "choice":
        options = list(parameter.choices)
        return str(
            st.selectbox(label, options, index=options.index(str(start)), key=key, persist_state="session")
        )
    if parameter.kind == "float":
        return st.number_input(
            label,
            float(parameter.low),
            float(parameter.high),
            float(start),
            step=float(f"{(parameter.high - parameter.low) / 100:.1g}"),
            format="%g",
            key=key,
            persist_state="session",
        )
    return st.number_input(
        label, int(parameter.low), int(parameter.high), int(start), key=key, persist_state="session"
    )


def _quality(calibrator: Calibrator) -> None:
    st.html(f'<span class="tar-badge">{html.escape(calibrator.fitted_on.badge)}</span>')
    quality = calibrator.quality
    if quality is None:
        st.caption("It says nothing about how well it did on topics it had not seen.")
        return
    st.caption(shell.escape_markdown(quality_sentence(quality)))
    if quality.reliability:
        with st.expander("Did the chances come true?"):
            said = reliability_sentence(quality.reliability)
            st.plotly_chart(
                reliability_figure(
                    quality.reliability, calibrator.fitted_on.simulated, st.context.theme.type == "dark"
                ),
                config={"staticPlot": True},
                alt=said,
                key=f"{PREFIX}/reliability",
            )
            st.caption(shell.escape_markdown(said))


def _take_in(has_scores: bool, key: str, scenario: str) -> None:
    """Keep an uploaded calibrator in the store, and choose it."""
    state = st.session_state
    state.pop(f"{PREFIX}/upload_problem", None)
    file = state[f"{PREFIX}/upload"]
    if file is None:
        return
    try:
        taken = read(file.name, file.getvalue())
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
        chosen = keep(shell.store(), taken)
    except InputProblem as problem:
        state[f"{PREFIX}/upload_problem"] = str(problem)
        return
    state[key] = chosen
