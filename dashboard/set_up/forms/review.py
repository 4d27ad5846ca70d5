"""What a diagnostic-accuracy review asks of a person beside what every session asks."""

from dataclasses import replace

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from dashboard.frame import shell
from dashboard.frame.drawing import captioned, dark
from dashboard.frame.widgets import explained, hundredths, lasting, one_of, text_of, upload
from dashboard.parts import chances
from dashboard.set_up.forms.base import Form
from tarstop_core.belief.engines import ENGINES
from tarstop_core.belief.prior import Prior, from_json
from tarstop_core.calibration.extraction_rate import ExtractionRate
from tarstop_core.evidence.prior_figure import prior_figure, prior_sentence
from tarstop_core.presentation.numbers import amount, percent
from tarstop_core.samples import shipped
from tarstop_core.samples.shipped import WIDTH, priors
from tarstop_core.screening.settings import Settings
from tarstop_core.value.stakes import FULL_TIMES

PREFIX = "set_up/review"
TAKEN = f"{PREFIX}/prior/taken"
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


def in_paper_mode() -> bool:
    """As it stands further down the page: it decides the stages."""
    return bool(st.session_state.get(f"{PREFIX}/paper", False))


def theta(plus: str) -> float:
    """Ask which sensitivity is enough."""
    said = (
        f"Good enough is a test that finds more of 100 people who have the condition. θ, the {shell.term('theta', 'threshold')} on {shell.term('pooled', 'sensitivity pooled')} over all studies. "
        f"{shell.term('specificity', 'Specificity')} is shown beside it and does not decide."
    )
    asked = f"“{shell.escape_markdown(plus)}” if pooled sensitivity exceeds"
    return hundredths(asked, 75, **lasting(f"{PREFIX}/theta"), help=said) / 100


def full_cost(settings: Settings) -> float:
    """Ask what reading a report in full costs; in the payoffs' unit."""
    asked, how = "One report in full costs as much as how many abstracts?", lasting(f"{PREFIX}/times")
    times = st.number_input(asked, 0.0, 10_000.0, FULL_TIMES, step=1.0, format="%g", **how)
    cost, unit = times * settings.cost, settings.payoffs.unit
    said = [f"A report in full costs {amount(cost, unit)}."] if unit else []
    if times == FULL_TIMES:
        said.append(f"{FULL_TIMES:g} is only a place to start from.")
    if not settings.cost:
        said = [
            "A title and abstract costs nothing, so neither does a report; give the first a small cost to weigh both."
        ]
    shell.caption(" ".join(said))
    return cost


def starting_chance(settings: Settings) -> float:
    """Ask for b_0, or say what the chosen prior makes it."""
    prior = chosen_prior()
    if prior is None or prior.width_alone or not ENGINES[chosen_engine()].knows_prior:
        return chances.starting_chance(settings)
    b_0, theta = prior.at(settings.theta).b_0, percent(settings.theta)
    st.markdown(f"Chance that sensitivity exceeds {theta}, before reading: **{percent(b_0)}**")
    st.caption(f"b₀ = {b_0:.2f} comes with the prior; choose another prior under More to set it yourself.")
    return b_0


def extraction_rate(learned: ExtractionRate, simulated: bool) -> ExtractionRate:
    """Ask how many included reports bring a table: P(data | included), with its spread."""
    choices = {
        "learned": f"As in {learned.topics:,} {'simulated ' if simulated else ''}reviews",
        "own": "My own expectation",
        "open": "I do not know",
    }
    asked = "How many of the included reports bring a 2×2 table?"
    chosen = one_of(asked, choices, **lasting(f"{PREFIX}/share/{learned.source}"))
    share = learned if chosen == "learned" else ExtractionRate()
    if chosen == "own":
        left, right = st.columns(2, gap="medium")
        mean = hundredths("Expected share", 50, at=left, **lasting(f"{PREFIX}/share/mean"))
        words, how = "As sure as after reading … reports", lasting(f"{PREFIX}/share/sure")
        sure = right.number_input(words, 1, 1000, SURENESS, **how)
        share = ExtractionRate(sure * mean / 100, sure * (1 - mean / 100))
    low, high = share.interval()
    source = f" Learned from {share.source}." if share.topics else ""
    shell.caption(
        f"{percent(share.mean)} expected, {percent(low)} to {percent(high)} with 90 % probability; every report "
        f"you read in full corrects it.{source}"
    )
    return share


def chosen_engine() -> str:
    """As it stands further down the page: REML knows no prior."""
    return str(st.session_state.get(f"{PREFIX}/engine", next(iter(ENGINES))))


def _floor(paper: bool) -> float:
    said = (
        "A rule that weighs consequences may stop while it is quite unsure, where more certainty is not worth its "
        f"cost. A {shell.term('floor', 'floor')} overrules it."
    )
    how = lasting(f"{PREFIX}/floor") | {"low": 0, "disabled": paper, "help": said}
    floor = hundredths("Never say stop while the chance of the right decision is below", 0, **how)
    until = f"Screening goes on until you are {floor} % sure of the right decision, or the list ends."
    st.caption(until if floor else "0 %: off. The rule alone decides.")
    return floor / 100


def _least(plus: str, paper: bool) -> tuple[int, int]:
    st.markdown(shell.escape_markdown(f"Never choose “{plus}” on fewer than"))
    left, right = st.columns(2, gap="medium")
    studies = left.number_input("studies", 0, 100, 0, **lasting(f"{PREFIX}/least/studies"), disabled=paper)
    words, how = "patients with the condition", lasting(f"{PREFIX}/least/patients")
    patients = right.number_input(words, 0, 100_000, 0, step=10, **how, disabled=paper)
    return (0, 0) if paper else (int(studies), int(patients))


def chosen_prior() -> Prior | None:
    """The learned or uploaded prior in force; None for one that a person describes."""
    name = st.session_state.get(f"{PREFIX}/prior", WIDTH)
    return st.session_state.get(TAKEN) if name == "file" else priors().get(name)


def _prior(settings: Settings) -> Prior:
    if not ENGINES[chosen_engine()].knows_prior:
        st.caption(f"REML knows no prior: before {ENGINES[chosen_engine()].needs} studies the belief is b₀.")
        return Prior()
    words = {}
    for name, prior in sorted(priors().items(), key=lambda item: item[0] != WIDTH):
        learned = prior.learned_from
        if not learned:
            words[name] = "A prior that comes with the programme"
        elif prior.width_alone:
            words[name] = f"As wide as {learned.reviews:,} past reviews ask for (default)"
        else:
            words[name] = f"Learned from {learned.reviews:,} reviews"
    asked = "What is believed of sensitivity before any study"
    name = one_of(asked, words | OTHER_PRIORS, **lasting(f"{PREFIX}/prior"))
    if name == "file":
        from_file = "A prior as JSON, as this programme writes it"
        well = upload(from_file, _take_prior, key=f"{PREFIX}/prior/upload", also_none=True)
        if well and chosen_prior() is None:
            st.caption("Until a file is given, the weak prior stands in.")
    prior = chosen_prior() or (_own() if name == "own" else Prior())
    if (learned := prior.learned_from) is not None and prior.width_alone:
        shell.caption(
            f"Around the b₀ you give: s = {prior.s:g}, τ scale {prior.tau:g}, and a study counts {percent(prior.weight)} of one "
            f"drawn at random, since a list's first studies stray from the end. From {learned.studies:,} studies in "
            f"{learned.reviews:,} reviews. Greedy reads more with it than with the weak prior."
        )
        if in_paper_mode():
            st.caption("Paper mode takes the weak prior.")
            prior = Prior()
    elif learned is not None:
        at = "" if learned.theta == settings.theta else f" at θ = {learned.theta:g}, carried over to yours"
        shell.caption(
            f"Learned from {learned.studies:,} studies in {learned.reviews:,} reviews ({learned.source}){at}."
        )
    elif name == "weak":
        st.caption(
            "s = 1.5, τ scale 1, as MetaBayesDTA has them, around the b₀ you give. Greedy reads less with it; after one or two "
            "studies it is surer than past reviews bear out."
        )
    shown = replace(prior, b_0=settings.b_0)
    drawn, said = prior_figure(shown, settings.theta, dark()), prior_sentence(shown, settings.theta)
    captioned(drawn, said)
    return prior


def _own() -> Prior:
    left, right = st.columns(2, gap="medium")
    words = "s: spread of pooled sensitivity, logits"
    s = left.slider(words, 0.2, 5.0, 1.5, 0.1, **lasting(f"{PREFIX}/prior/s"))
    words = "τ: scale of the differences between studies, logits"
    tau = right.slider(words, 0.05, 3.0, 1.0, 0.05, **lasting(f"{PREFIX}/prior/tau"))
    return Prior(s=s, tau=tau)


def _take_prior(file: UploadedFile | None) -> None:
    st.session_state.pop(TAKEN, None)
    if file is not None:
        st.session_state[TAKEN] = from_json(text_of(file, "give a prior as JSON"), file.name)


class ReviewForm(Form):
    """2×2 tables add up."""

    def judges_abstracts(self) -> bool:
        """In two stages, as chosen further down the page."""
        return not in_paper_mode() and st.session_state.get(f"{PREFIX}/stages") in (None, 2)

    def stakes(self, start: Settings, problems: list[str]) -> Settings:
        """The threshold first."""
        start = replace(start, theta=theta(start.plus), stages=2 if self.judges_abstracts() else 1)
        return super().stakes(start, problems)

    def beside(self, settings: Settings) -> Settings:
        """In two stages what a report costs, and the starting chance, which a prior may bring."""
        if settings.two_stages:
            settings = replace(settings, full_cost=full_cost(settings))
        return replace(settings, b_0=starting_chance(settings))

    def more(self, settings: Settings, simulated: bool) -> Settings:
        """Stages, how many reports bring data, paper mode, engine, truth, floor, prior."""
        published = shell.term("paper-mode", "As in the published experiments")
        said = f"{published}: each document is read with its table at once, and no floor keeps a rule from stopping."
        paper = st.toggle("Paper mode", **lasting(f"{PREFIX}/paper"), help=said)
        left, right = st.columns(2, gap="large")
        with left:
            explained("How do you read?", STAGES, **lasting(f"{PREFIX}/stages"), disabled=paper)
            if settings.two_stages:
                learned = shipped.extraction_rate(simulated=simulated)
                settings = replace(settings, data_share=extraction_rate(learned, simulated=simulated))
            words = {name: (engine.title, engine.help) for name, engine in ENGINES.items()}
            engine = explained("Where the belief comes from", words, **lasting(f"{PREFIX}/engine"))
            truth = explained("What the right decision is", TRUTHS, **lasting(f"{PREFIX}/truth"))
            floor = _floor(paper)
            studies, patients = _least(settings.plus, paper)
        with right:
            prior = _prior(settings)
        settings = replace(settings, engine=engine, prior=prior, truth=truth, floor=floor)
        settings = replace(settings, least_studies=studies, least_patients=patients)
        return settings.paper_mode() if paper else settings
