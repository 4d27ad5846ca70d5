"""Set-up, step 4: what is believed at the start, where the chances come from, and which rule advises."""

from __future__ import annotations

import html

import streamlit as st

from dashboard import shell
from tarstop_core.calibration import Calibrator, from_json
from tarstop_core.errors import InputProblem
from tarstop_core.explain import number
from tarstop_core.figures import reliability_figure, reliability_sentence
from tarstop_core.policies import POLICIES, Policy
from tarstop_core.prepare import Ranking
from tarstop_core.shipped import calibrators, default_calibrator

PREFIX = "set_up/chances"
KIND_WORDS = {
    "marginal": "from scores",
    "hazard": "from scores, until the first hit",
    "frailty": "from scores, misses go together",
    "rank": "from ranks",
}


def starting_chance() -> float:
    """Ask for b_0, before anything was read."""
    share = st.slider(
        "Chance that prior art exists, before reading",
        1,
        99,
        50,
        format="%d %%",
        key=f"{PREFIX}/b_0",
        persist_state="session",
        help="The starting belief b₀. If about one application in three like this one fails, say 33 %.",
    )
    st.caption(f"b₀ = {share / 100:.2f}: of 100 cases like this one, prior art exists in about {share}.")
    return share / 100


def calibrator(ranking: Ranking | None, has_scores: bool, sample: bool) -> Calibrator | None:
    """Ask where the chances of the documents come from.

    Parameters
    ----------
    ranking : Ranking or None
        None while the list cannot be put in order.
    has_scores : bool
        Whether the list has scores, or will have them.
    sample : bool
        Whether it is one of the sample searches.

    Returns
    -------
    Calibrator or None
        None when there is nothing to choose.
    """
    own: dict[str, Calibrator] = {
        f"own-{each.digest}": each
        for each in shell.store().calibrators()
        if each.digest not in _shipped_digests()
    }
    choices = {
        name: each
        for name, each in {**own, **calibrators()}.items()
        if each.scenario == "patent" and (has_scores or each.kind == "rank")
    }
    key = f"{PREFIX}/calibrator/{'scores' if has_scores else 'ranks'}/{'sample' if sample else 'own'}"
    if choices:
        names, default = list(choices), default_calibrator(has_scores, sample)
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
        ]
        _quality(chosen)
        for remark in chosen.mismatch(ranking.scores, len(ranking)) if ranking is not None else []:
            st.warning(shell.escape_markdown(remark), icon=":material/warning:")
    else:
        chosen = None
        st.info("No calibrator fits a list without scores; upload a rank-based one.", icon=":material/info:")
    with st.expander("Use a calibrator of your own"):
        st.file_uploader(
            "A JSON file that “tarstop calibrate” wrote",
            type=["json"],
            key=f"{PREFIX}/upload",
            on_change=_take_in,
            args=(has_scores, key),
        )
        problem = st.session_state.get(f"{PREFIX}/upload_problem")
        if problem:
            shell.problem_box(problem)
    return chosen


def title(calibrator: Calibrator) -> str:
    """What a calibrator is called in a list."""
    return f"{calibrator.fitted_on.name} ({KIND_WORDS[calibrator.kind]})"


def policy() -> Policy:
    """Ask which rule advises, with its parameters."""
    kind = POLICIES[
        st.selectbox(
            "Stopping rule",
            list(POLICIES),
            format_func=lambda name: POLICIES[name].title,
            key=f"{PREFIX}/policy",
            persist_state="session",
        )
    ]
    st.caption(shell.escape_markdown(kind.rule))
    values = {}
    for parameter in kind.parameters:
        values[parameter.name] = st.number_input(
            f"{parameter.name}: {parameter.meaning}",
            parameter.low,
            parameter.high,
            int(getattr(kind(), parameter.name)),
            key=f"{PREFIX}/{kind.name}/{parameter.name}",
            persist_state="session",
        )
    return kind(**values)


def _quality(calibrator: Calibrator) -> None:
    st.html(f'<span class="tar-badge">{html.escape(calibrator.fitted_on.badge)}</span>')
    quality = calibrator.quality
    if quality is None:
        st.caption("It says nothing about how well it did on topics it had not seen.")
        return
    st.caption(
        shell.escape_markdown(
            f"Brier score {number(quality.brier)}, calibration error (ECE) {number(quality.ece)} "
            f"on {quality.how}; 0 is best for both."
        )
    )
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


def _shipped_digests() -> set[str]:
    return {each.digest for each in calibrators().values()}


def _take_in(has_scores: bool, key: str) -> None:
    """Keep an uploaded calibrator in the store, and choose it."""
    state = st.session_state
    state.pop(f"{PREFIX}/upload_problem", None)
    file = state[f"{PREFIX}/upload"]
    if file is None:
        return
    try:
        try:
            text = file.getvalue().decode("utf-8-sig")
        except UnicodeDecodeError:
            raise InputProblem(
                f"{file.name} is not text; give a file that 'tarstop calibrate' wrote."
            ) from None
        taken = from_json(text, file.name)
        if taken.scenario != "patent":
            raise InputProblem(
                f"{file.name} was fitted for reviews with 2×2 tables; choose one that was fitted with "
                "'--scenario patent'."
            )
        if not has_scores and taken.kind != "rank":
            raise InputProblem(
                f"{file.name} reads scores and this list has none; choose a rank-based one, or order the "
                "documents by what you are looking for."
            )
        digest = shell.store().save_calibrator(taken)
    except InputProblem as problem:
        state[f"{PREFIX}/upload_problem"] = str(problem)
        return
    shipped = {each.digest: name for name, each in calibrators().items()}
    state[key] = shipped.get(digest, f"own-{digest}")
