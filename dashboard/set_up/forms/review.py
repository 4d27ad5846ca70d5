"""What Set up asks of a review of diagnostic accuracy."""

from dataclasses import replace

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from dashboard.frame.drawing import captioned, dark
from dashboard.frame.shell import caption, escape_markdown, term
from dashboard.frame.widgets import explained, hundredths, lasting, one_of, text_of, upload
from dashboard.set_up.forms.base import PREFIX, Form
from tarstop_core.belief.engines import ENGINES
from tarstop_core.belief.prior import Prior, from_json
from tarstop_core.calibration.extraction_rate import ExtractionRate
from tarstop_core.evidence.curve_figures import prior_figure, prior_sentence
from tarstop_core.presentation.numbers import amount, percent
from tarstop_core.samples import shipped
from tarstop_core.samples.shipped import WIDTH, priors
from tarstop_core.screening.settings import ReviewSettings
from tarstop_core.value.stakes import FULL_TIMES

OF_REVIEW = f"{PREFIX}/review"
TAKEN = f"{OF_REVIEW}/prior/taken"
SURENESS = 10  # reports that an expectation of one's own counts as, to begin with
STAGES = {
    2: ("Titles and abstracts first, reports later", "What a report holds is known only in full text."),
    1: ("Each document and its table at once", "As in the paper."),
}
TRUTHS = {
    "pooled": ("Pooled sensitivity", "Whether it really exceeds θ: the definition in the paper’s text."),
    "full_evidence": (
        "The whole list",
        "What screening everything would have led you to do: the one behind the paper’s tables.",
    ),
}
OTHER_PRIORS = {"weak": "Weak: hardly anything is known", "own": "My own s and τ", "file": "From a file"}


class ReviewForm(Form[ReviewSettings]):
    """A diagnostic-accuracy review, in which 2×2 tables add up.

    What stands further down the page and changes what stands above is read from the state.
    """

    @property
    def in_paper_mode(self) -> bool:
        """Whether each document is read with its table at once, and no floor holds."""
        return bool(st.session_state.get(f"{OF_REVIEW}/paper", False))

    @property
    def engine(self) -> str:
        """The engine in force: REML knows no prior."""
        return str(st.session_state.get(f"{OF_REVIEW}/engine", next(iter(ENGINES))))

    @property
    def prior(self) -> Prior | None:
        """The learned or uploaded prior in force; None for one that a person describes."""
        name = st.session_state.get(f"{OF_REVIEW}/prior", WIDTH)
        return st.session_state.get(TAKEN) if name == "file" else priors().get(name)

    def judges_abstracts(self) -> bool:
        """In two stages labels judge title and abstract."""
        return not self.in_paper_mode and st.session_state.get(f"{OF_REVIEW}/stages") in (None, 2)

    def stakes(self, start: ReviewSettings, simulated: bool, problems: list[str]) -> ReviewSettings:
        """Ask which sensitivity is enough before what is at stake."""
        theta = hundredths(
            f"“{escape_markdown(start.plus)}” if pooled sensitivity exceeds",
            75,
            **lasting(f"{OF_REVIEW}/theta"),
            help="Good enough is a test that finds more of 100 people who have the condition. θ, the "
            f"{term('theta', 'threshold')} on {term('pooled', 'sensitivity pooled')} over all studies. "
            f"{term('specificity', 'Specificity')} is shown beside it and does not decide.",
        )
        stages = 2 if self.judges_abstracts() else 1
        return super().stakes(replace(start, theta=theta / 100, stages=stages), simulated, problems)

    def beside(self, settings: ReviewSettings) -> ReviewSettings:
        """In two stages what a report costs, and the starting chance, which a prior may bring."""
        if settings.two_stages:
            settings = replace(settings, full_cost=_full_cost(settings))
        prior = self.prior
        if prior is None or prior.width_alone or not ENGINES[self.engine].knows_prior:
            return super().beside(settings)
        b_0, theta = prior.at(settings.theta).b_0, percent(settings.theta)
        st.markdown(f"Chance that sensitivity exceeds {theta}, before reading: **{percent(b_0)}**")
        st.caption(
            f"b₀ = {b_0:.2f} comes with the prior; choose another prior under More to set it yourself."
        )
        return replace(settings, b_0=b_0)

    def more(self, settings: ReviewSettings, simulated: bool) -> ReviewSettings:
        """Stages, how many reports bring data, paper mode, engine, truth, floor, prior."""
        paper = st.toggle(
            "Paper mode",
            **lasting(f"{OF_REVIEW}/paper"),
            help=f"{term('paper-mode', 'As in the published experiments')}: each document is read with its table at once, "
            "and a rule may stop at any time.",
        )
        left, right = st.columns(2, gap="large")
        with left:
            explained("How do you read?", STAGES, **lasting(f"{OF_REVIEW}/stages"), disabled=paper)
            if settings.two_stages:
                settings = replace(settings, data_share=_extraction_rate(simulated))
            engines = {name: (engine.title, engine.help) for name, engine in ENGINES.items()}
            engine = explained("Where the belief comes from", engines, **lasting(f"{OF_REVIEW}/engine"))
            truth = explained("What the right decision is", TRUTHS, **lasting(f"{OF_REVIEW}/truth"))
            floor, floor_studies = _floor(paper), _floor_studies(paper, simulated)
            studies, patients = _least(settings.plus, paper)
        with right:
            prior = self._chosen_prior(settings)
        settings = replace(
            settings,
            engine=engine,
            prior=prior,
            truth=truth,
            chances_follow=True,
            floor=floor,
            floor_studies=floor_studies,
            least_studies=studies,
            least_patients=patients,
        )
        return settings.paper_mode() if paper else settings

    def _chosen_prior(self, settings: ReviewSettings) -> Prior:
        engine = ENGINES[self.engine]
        if not engine.knows_prior:
            st.caption(f"REML knows no prior: before {engine.needs} studies the belief is b₀.")
            return Prior()
        names = sorted(priors(), key=lambda name: name != WIDTH)
        titles = {name: _title(priors()[name]) for name in names} | OTHER_PRIORS
        asked = "What is believed of sensitivity before any study"
        name = one_of(asked, titles, **lasting(f"{OF_REVIEW}/prior"))
        if name == "file":
            from_file = "A prior as JSON, as this programme writes it"
            well = upload(from_file, _take_prior, key=f"{OF_REVIEW}/prior/upload", also_none=True)
            if well and self.prior is None:
                st.caption("Until a file is given, the weak prior stands in.")
        prior = self.prior or (_own_prior() if name == "own" else Prior())
        if (learned := prior.learned_from) is not None and prior.width_alone:
            caption(
                f"Around the b₀ you give: s = {prior.s:g}, τ scale {prior.tau:g}, and a study counts {percent(prior.weight)} of one "
                f"drawn at random, since a list's first studies stray from the end. From {learned.studies:,} studies in "
                f"{learned.reviews:,} reviews. Greedy reads more with it than with the weak prior."
            )
            if self.in_paper_mode:
                st.caption("Paper mode takes the weak prior.")
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
                "studies it is surer than past reviews bear out."
            )
        drawn = replace(prior, b_0=settings.b_0)
        captioned(prior_figure(drawn, settings.theta, dark()), prior_sentence(drawn, settings.theta))
        return prior


def _full_cost(settings: ReviewSettings) -> float:
    """Ask what reading a report in full costs; in the payoffs' unit."""
    asked, how = "One report in full costs as much as how many abstracts?", lasting(f"{OF_REVIEW}/times")
    times = st.number_input(asked, 0.0, 10_000.0, FULL_TIMES, step=1.0, format="%g", **how)
    cost, unit = times * settings.cost, settings.payoffs.unit
    sentences = [f"A report in full costs {amount(cost, unit)}."] if unit else []
    if times == FULL_TIMES:
        sentences.append(f"{FULL_TIMES:g} is an example; say what your reports cost.")
    if not settings.cost:
        sentences = [
            "A title and abstract costs nothing, so neither does a report; give the first a small cost to weigh both."
        ]
    caption(" ".join(sentences))
    return cost


def _extraction_rate(simulated: bool) -> ExtractionRate:
    """Ask how many included reports bring a table: P(data | included), with its spread."""
    learned = shipped.extraction_rate(simulated=simulated)
    choices = {
        "learned": f"As in {learned.topics:,} {'simulated ' if simulated else ''}reviews",
        "own": "My own expectation",
        "open": "I do not know",
    }
    asked = "How many of the included reports bring a 2×2 table?"
    chosen = one_of(asked, choices, **lasting(f"{OF_REVIEW}/share/{learned.source}"))
    share = learned if chosen == "learned" else ExtractionRate()
    if chosen == "own":
        left, right = st.columns(2, gap="medium")
        mean = hundredths("Expected share", 50, at=left, **lasting(f"{OF_REVIEW}/share/mean"))
        words, how = "As sure as after reading … reports", lasting(f"{OF_REVIEW}/share/sure")
        sure = right.number_input(words, 1, 1000, SURENESS, **how)
        share = ExtractionRate(sure * mean / 100, sure * (1 - mean / 100))
    low, high = share.interval()
    source = f" Learned from {share.source}." if share.topics else ""
    caption(
        f"{percent(share.mean)} expected, {percent(low)} to {percent(high)} with 90 % probability; every report "
        f"you read in full corrects it.{source}"
    )
    return share


def _floor(paper: bool) -> float:
    floor = hundredths(
        "Never say stop while the chance of the right decision is below",
        0,
        low=0,
        disabled=paper,
        **lasting(f"{OF_REVIEW}/floor"),
        help="A rule that weighs consequences may stop while it is quite unsure, where more certainty is not worth its "
        f"cost. This {term('floor', 'minimum')} overrules it.",
    )
    until = f"Screening goes on until you are {floor} % sure of the right decision, or the list ends."
    st.caption(until if floor else "0 %: the rule alone decides.")
    return floor / 100


def _floor_studies(paper: bool, simulated: bool) -> int:
    """A sample begins without a floor, so that it ends soon."""
    first = 0 if simulated else ReviewSettings.first_floor_studies
    how = lasting(f"{OF_REVIEW}/floor/{'sample' if simulated else 'studies'}")
    studies = st.number_input(
        "Never say stop before … studies with data are in", 0, 100, first, disabled=paper, **how
    )
    st.caption(
        "0: the rule alone decides. This minimum gives way where the list probably holds fewer, or where finding them would cost more than certainty "
        "is worth."
    )
    return int(studies)


def _least(plus: str, paper: bool) -> tuple[int, int]:
    """Ask on how many studies and patients the first action needs to rest."""
    st.markdown(escape_markdown(f"Never choose “{plus}” on fewer than"))
    left, right = st.columns(2, gap="medium")
    key = f"{OF_REVIEW}/least"
    studies = left.number_input("studies", 0, 100, 0, **lasting(f"{key}/studies"), disabled=paper)
    words, how = "patients with the condition", lasting(f"{key}/patients")
    patients = right.number_input(words, 0, 100_000, 0, step=10, **how, disabled=paper)
    return (0, 0) if paper else (int(studies), int(patients))


def _title(prior: Prior) -> str:
    """What a prior that comes with the programme is called."""
    learned = prior.learned_from
    if not learned:
        return "A prior that comes with the programme"
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
