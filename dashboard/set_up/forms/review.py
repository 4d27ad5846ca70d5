"""The questions of Set up for a review of diagnostic accuracy."""

from dataclasses import replace

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from dashboard.frame.drawing import captioned
from dashboard.frame.shell import caption, dark, escape_markdown, term
from dashboard.frame.widgets import explained, lasting, one_of, text_of, upload, whole_percent
from dashboard.set_up.forms.base import PREFIX
from dashboard.set_up.forms.studies import StudyForm
from tarstop_core.belief.engines import ENGINES
from tarstop_core.belief.prior import Prior, from_json
from tarstop_core.evidence.curve_figures import prior_figure, prior_sentence
from tarstop_core.presentation.numbers import percent
from tarstop_core.samples.shipped import WIDTH, priors
from tarstop_core.screening.review_settings import ReviewSettings
from tarstop_core.value.stakes import REVIEW_EXAMPLE

OF_REVIEW = f"{PREFIX}/review"
TAKEN = f"{OF_REVIEW}/prior/taken"
TRUTHS = {
    "pooled": ("Pooled sensitivity", "Whether it really exceeds θ: the definition in the paper’s text."),
    "full_evidence": (
        "The whole list",
        "What you would have done after screening everything: the truth behind the paper’s tables.",
    ),
}
OTHER_PRIORS = {"weak": "Weak: almost nothing is known", "own": "My own s and τ", "file": "From a file"}


class ReviewForm(StudyForm[ReviewSettings]):
    """A diagnostic-accuracy review, in which 2×2 tables add up."""

    rests_on = StudyForm.rests_on | {"patients": ("patients with the condition", 100_000, 10)}
    truths, brought = TRUTHS, "a 2×2 table"

    @property
    def engine(self) -> str:
        """The engine that is chosen."""
        return str(st.session_state.get(f"{OF_REVIEW}/engine", next(iter(ENGINES))))

    @property
    def prior(self) -> Prior | None:
        """The learned or uploaded prior that is chosen; None if the person describes one, or for the weak one."""
        name = st.session_state.get(f"{OF_REVIEW}/prior", WIDTH)
        return st.session_state.get(TAKEN) if name == "file" else priors().get(name)

    def stakes(self, start: ReviewSettings, simulated: bool, problems: list[str]) -> ReviewSettings:
        """Ask which sensitivity is enough, then for the stakes; a sample has amounts in pounds, as in the demo."""
        if simulated:
            start = replace(start, payoffs=REVIEW_EXAMPLE.payoffs, cost=REVIEW_EXAMPLE.cost)
        left, right = st.columns([1.6, 1], vertical_alignment="center")
        theta = whole_percent(
            f"“{escape_markdown(start.plus)}” if pooled sensitivity exceeds",
            75,
            at=left,
            **lasting(f"{OF_REVIEW}/theta"),
            help="A test is good enough if it finds more of 100 people who have the condition. θ, the "
            f"{term('theta', 'threshold')} on {term('pooled', 'sensitivity pooled')} over all studies.",
        )
        with right:
            theta_sp = _specificity_asked()
        start = replace(start, theta=theta / 100, theta_sp=theta_sp)
        stages = 2 if self.judges_abstracts() else 1
        return super().stakes(replace(start, stages=stages), simulated, problems)

    def beside(self, settings: ReviewSettings) -> ReviewSettings:
        """Ask for the starting chance, unless it follows from a learned prior."""
        prior = self.prior
        if (
            prior is None
            or prior.width_alone
            or settings.theta_sp is not None
            or not ENGINES[self.engine].knows_prior
        ):
            return super().beside(settings)
        if settings.two_stages:
            settings = replace(settings, full_cost=self.full_cost(settings))
        b_0, theta = prior.at(settings.theta).b_0, percent(settings.theta)
        st.markdown(f"Chance that sensitivity exceeds {theta}, before reading: **{percent(b_0)}**")
        st.caption("This follows from the prior; choose another prior under More to set it yourself.")
        return replace(settings, b_0=b_0)

    def more(self, settings: ReviewSettings, simulated: bool) -> ReviewSettings:
        """Ask for paper mode, stages, the share of reports with data, engine, truth, floors and prior."""
        paper = self.paper_mode_asked()
        left, right = st.columns(2, gap="large")
        with left:
            settings = self.reading(settings, simulated)
            engines = {name: (engine.title, engine.help) for name, engine in ENGINES.items()}
            engine = explained("Where the belief comes from", engines, **lasting(f"{OF_REVIEW}/engine"))
            settings = self.stopping(settings, simulated)
            settings = self.least(settings)
        with right:
            prior = self._chosen_prior(settings)
        settings = replace(settings, engine=engine, prior=prior)
        return settings.paper_mode() if paper else settings

    def _chosen_prior(self, settings: ReviewSettings) -> Prior:
        engine = ENGINES[self.engine]
        if not engine.knows_prior:
            st.caption(f"REML uses no prior: before {engine.needs} studies the belief is b₀.")
            return Prior()
        names = sorted(priors(), key=lambda name: name != WIDTH)
        titles = {name: _title(priors()[name]) for name in names} | OTHER_PRIORS
        asked = "What you believe about sensitivity before any study"
        name = one_of(asked, titles, **lasting(f"{OF_REVIEW}/prior"))
        if name == "file":
            from_file = "A prior as JSON, as TARstop writes it"
            well = upload(from_file, _take_prior, key=f"{OF_REVIEW}/prior/upload", also_none=True)
            if well and self.prior is None:
                st.caption("Until you give a file, the weak prior is used.")
        prior = self.prior or (_own_prior() if name == "own" else Prior())
        if (learned := prior.learned_from) is not None and prior.width_alone:
            caption(
                f"Around the b₀ you give: s = {prior.s:g}, τ scale {prior.tau:g}, and a study counts {percent(prior.weight)} of one drawn at random, because a list's first studies "
                f"differ from its later ones. From {learned.studies:,} studies in "
                f"{learned.reviews:,} reviews. Greedy reads more with it than with the weak prior."
            )
            if self.in_paper_mode:
                st.caption("Paper mode uses the weak prior.")
                prior = Prior()
        elif learned is not None:
            at = (
                "" if learned.theta == settings.theta else f" at θ = {learned.theta:g}, carried over to yours"
            )
            caption(
                f"Learned from {learned.studies:,} studies in {learned.reviews:,} reviews ({learned.source}){at}."
            )
        elif name == "weak":
            st.caption(
                "s = 1.5, τ scale 1, as MetaBayesDTA has them, around the b₀ you give. Greedy reads less with it; after one or two "
                "studies it is surer than past reviews justify."
            )
        drawn = replace(prior, b_0=settings.b_0)
        if settings.theta_sp is not None:
            drawn = drawn.margins[0]
        captioned(prior_figure(drawn, settings.theta, dark()), prior_sentence(drawn, settings.theta))
        return prior


def _specificity_asked() -> float | None:
    """Ask whether specificity decides too, and which one is enough."""
    hint = f"Else {term('specificity', 'specificity')} is shown beside sensitivity but does not decide."
    if not st.checkbox("Specificity decides too", **lasting(f"{OF_REVIEW}/both"), help=hint):
        return None
    return whole_percent("and pooled specificity exceeds", 80, **lasting(f"{OF_REVIEW}/theta_sp")) / 100


def _title(prior: Prior) -> str:
    """Title of a prior that comes with the program."""
    learned = prior.learned_from
    if not learned:
        return "A prior that comes with TARstop"
    if prior.width_alone:
        return f"As uncertain as {learned.reviews:,} past reviews show (default)"
    return f"Learned from {learned.reviews:,} reviews"


def _own_prior() -> Prior:
    left, right = st.columns(2, gap="medium")
    words = "s: spread of pooled sensitivity, logits"
    s = left.slider(words, 0.2, 5.0, 1.5, 0.1, **lasting(f"{OF_REVIEW}/prior/s"))
    words = "τ: scale of the differences between studies, logits"
    tau = right.slider(words, 0.05, 3.0, 1.0, 0.05, **lasting(f"{OF_REVIEW}/prior/tau"))
    return Prior(s=s, tau=tau)


def _take_prior(file: UploadedFile | None) -> None:
    st.session_state.pop(TAKEN, None)
    if file is not None:
        st.session_state[TAKEN] = from_json(text_of(file, "give a prior as JSON"), file.name)
