"""The prior of the Evidence page: typed, shipped, learned or from a file."""

from dataclasses import replace
from typing import Any

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from dashboard.evidence.chosen import PREFIX, Start
from dashboard.frame import shell
from dashboard.frame.drawing import captioned, offered
from dashboard.frame.widgets import save_button, share, text_of, upload
from dashboard.frame.work import button
from tarstop_core.belief.engines import ENGINES
from tarstop_core.belief.prior import Prior, from_json
from tarstop_core.evidence.curve_figures import prior_figure, prior_sentence
from tarstop_core.evidence.summary import Evidence
from tarstop_core.samples.shipped import priors

NUMBERS = ("s", "tau", "s_fpr", "eta", "weight")
"""What widgets hold beside b_0."""


def within_slider(value: float) -> float:
    """A chance moved into the range of the slider, 1 % to 99 %."""
    return min(0.99, max(0.01, value))


def chosen_prior(theta: float, start: Start, disabled: bool, both: bool) -> Prior:
    """The prior that the widgets hold, with where it was learned where that is unchanged."""
    how: dict[str, Any] = {"bind": "query-params", "disabled": disabled}
    starting, first = f"The {shell.term('b-0', 'starting belief')} b₀.", start.prior
    b_0 = share("Chance before any study", first.b_0, key="b_0", help=starting, **how)
    with st.expander("Prior", expanded=False):
        s = st.slider("Spread of pooled sensitivity, s (logits)", 0.2, 5.0, first.s, 0.05, key="s", **how)
        scale = f"Scale of the half-normal {shell.term('prior', 'prior')} of {shell.term('heterogeneity', 'heterogeneity')}. This number matters most."
        label = "Scale of differences between studies, τ (logits)"
        tau = st.slider(label, 0.05, 3.0, first.tau, step=0.05, key="tau", help=scale, **how)
        s_fpr = st.slider(
            "Spread of the false-positive rate (logits)", 0.2, 5.0, first.s_fpr, 0.05, key="s_fpr", **how
        )
        label, shape = (
            "Shape η of the correlation’s prior",
            "LKJ prior; 1 is flat, a large value means almost no correlation.",
        )
        eta = st.number_input(
            label, 1.0, 100.0, first.eta, step=1.0, format="%g", key="eta", help=shape, **how
        )
        label = "Weight of a study, compared with one drawn at random"
        weight = share(label, first.weight, low=0.1, high=1.0, key="weight", **how)
        prior: Prior = Prior(b_0, s, tau, s_fpr, eta, weight=weight)
        taken: Prior | None = st.session_state.get(f"{PREFIX}/prior")
        as_begun = all(getattr(prior, name) == getattr(first, name) for name in NUMBERS)
        if as_begun and (first.width_alone or (theta, b_0) == (start.theta, first.b_0)):
            prior = replace(first, b_0=b_0)
        elif taken is not None and _same(prior, taken, theta):
            prior = replace(taken, b_0=b_0)  # with what it was learned from
        drawn = prior.margins[0] if both else prior
        captioned(prior_figure(drawn, theta, shell.dark()), prior_sentence(drawn, theta))
        _other_priors(prior, theta)
    return prior


def _same(prior: Prior, other: Prior, theta: float) -> bool:
    """Whether the widgets hold the other prior's numbers, its b_0 at θ and to their step."""
    numbers = all(getattr(prior, name) == getattr(other, name) for name in NUMBERS)
    return numbers and (other.width_alone or abs(prior.b_0 - other.at(theta).b_0) < 0.006)


def _other_priors(prior: Prior, theta: float) -> None:
    if (learned := prior.learned_from) is not None:
        shell.caption(
            f"Learned from {learned.studies:,} studies in {learned.reviews:,} reviews ({learned.source})."
        )
    for name, shipped in {**priors(), "weak": Prior()}.items():
        if shipped.width_alone:
            continue  # of use where a list brings studies one by one
        origin = shipped.learned_from
        label = (
            f"Use the prior learned from {origin.reviews:,} reviews" if origin else "Back to the weak prior"
        )
        how = {"disabled": _same(prior, shipped, theta), "width": "stretch"}
        button(label, _take_prior, shipped, theta, key=f"{PREFIX}/prior/{name}", **how)

    def take_in(file: UploadedFile) -> None:
        _take_prior(from_json(text_of(file, "choose a prior saved as JSON"), file.name), theta)

    upload("A prior that was saved or learned (JSON)", take_in, key=f"{PREFIX}/prior_file")
    key = f"{PREFIX}/save_prior"
    with offered("This prior", "prior"):
        save_button("JSON", prior.to_json(), "tarstop-prior.json", key=key)


def _take_prior(prior: Prior, theta: float) -> None:
    """Put a prior's numbers into the widgets; one learned at another θ keeps its distribution."""
    # What a learned prior says is of sensitivity alone.
    keeps = prior.width_alone or st.session_state.get("both")
    b_0 = st.session_state.get("b_0", prior.b_0) if keeps else round(prior.at(theta).b_0, 2)
    st.session_state[f"{PREFIX}/prior"] = prior
    put_prior(replace(prior, b_0=b_0))


def put_prior(prior: Prior) -> None:
    """Put the numbers of a prior into the widgets."""
    numbers = {name: getattr(prior, name) for name in NUMBERS}
    st.session_state.update({"b_0": within_slider(prior.b_0), **numbers})


def prior_badge(evidence: Evidence, start: Start) -> str:
    """Where the prior comes from, for a badge; empty where the engine knows none."""
    prior, learned = evidence.prior, evidence.prior.learned_from
    if not ENGINES[evidence.engine].knows_prior:
        return ""
    if learned is not None and learned.keeps_b_0:
        return f"prior as uncertain as {learned.reviews:,} past reviews show"
    if learned is not None:
        return f"prior learned from {learned.reviews} reviews"
    if prior == Prior():
        return "weak prior"
    return "the session’s own prior" if prior == start.prior else "prior chosen here"
