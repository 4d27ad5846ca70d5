"""Set up of a review."""

import json
import re

import pytest
from streamlit.testing.v1 import AppTest

from tarstop_core.belief.prior import Prior
from tarstop_core.samples.collections import sample_reviews
from tarstop_core.samples.shipped import WIDTH, calibrators, extraction_rate, priors
from tarstop_core.screening.fold import replay
from tarstop_core.screening.review_settings import ReviewSettings
from tarstop_core.screening.scenarios.named import read_settings
from tarstop_core.screening.scenarios.review import REVIEW
from tarstop_core.screening.settings import Settings
from tarstop_core.screening.wording import best_between
from tarstop_core.sessions.store.store import Store
from tarstop_core.value.payoffs import Payoffs
from tests.ui.set_up.cases import Open, answered, html_of, query, start, upload, words_of

WEIGH = "Weigh the scores"
ALWAYS = "whatever is believed"


class TestReview:
    """The second scenario: 2×2 tables of many studies add up."""

    ASKED = "accuracy of the test"
    RECORDS = (
        "id,title,abstract\n"
        + "\n".join(
            f"{i},Accuracy of test {i},Sensitivity and specificity in {7 * i} patients." for i in range(1, 41)
        )
    ).encode()

    @pytest.fixture
    def review(self, open_app: Open) -> AppTest:
        page = open_app("set_up", scenario="review")
        assert not page.exception
        assert not page.error
        return page

    def settings(self, page: AppTest, store: Store) -> Settings:
        assert "first-advice" in html_of(answered(page))
        start(page)
        assert not page.exception
        assert store.sessions(), words_of(page.error)
        return store.session(store.sessions()[0].id).settings

    def test_words_and_a_column_of_scores_count_beside_labels(self, review: AppTest, store: Store) -> None:
        head, *rows = self.RECORDS.decode().splitlines()
        answers = "\n".join((f"{head},Answer", *(f"{row},{at % 4}" for at, row in enumerate(rows))))
        upload(review, ("a.csv", answers.encode()))
        assert not [toggle for toggle in review.toggle if toggle.label.startswith(WEIGH)]
        next(box for box in review.selectbox if box.label == "Column").set_value("Answer").run()
        next(box for box in review.selectbox if box.label == "Read it as").set_value("score").run()
        next(button for button in review.button if button.label == "Read again").click().run()
        assert not next(t for t in review.toggle if t.label.startswith(WEIGH)).value
        review.radio(next(r.key for r in review.radio if "/order/" in r.key)).set_value("text").run()
        review.text_area(query(review)).set_value(self.ASKED).run()
        weigh = next(t for t in review.toggle if t.label.startswith(WEIGH))
        assert weigh.value, "the list is not in their order"
        next(t for t in review.text_input if t.label == "… against it").set_value(" adults ").run()
        settings = self.settings(review, store)
        assert (settings.weighs_scores, settings.words_for, settings.words_against) == (True, "", "adults")

    def test_the_choice_is_in_the_url_and_patents_are_the_other_one(self, page: AppTest) -> None:
        assert "scenario" not in page.query_params
        page.radio("set_up/scenario").set_value("review").run()
        assert page.query_params["scenario"] in ("review", ["review"])
        assert "Adopt" in words_of(page.caption)
        page.radio("set_up/scenario").set_value("patent").run()
        assert "scenario" not in page.query_params
        assert "Reject" in words_of(page.caption)

    def test_start_with_defaults_creates_a_review_in_two_stages(self, review: AppTest, store: Store) -> None:
        assert "simulated documents" in html_of(review)
        settings = self.settings(review, store)
        (session,) = store.sessions()
        row = store.session(session.id)
        sample = sample_reviews().iloc[0]
        assert (session.scenario, session.simulated, session.name) == ("review", True, sample["title"])
        assert row.query == sample["question"]
        assert (settings.scenario, settings.stages, settings.theta, settings.engine) == (
            "review",
            2,
            0.75,
            "bivariate",
        )
        assert (settings.plus, settings.minus) == ("Adopt", "Don’t adopt")
        assert (settings.b_0, settings.prior, settings.truth, settings.floor) == (
            0.5,
            priors()[WIDTH],
            "pooled",
            0,
        )
        assert (settings.least_studies, settings.least_patients) == (0, 0)
        assert settings.full_cost == pytest.approx(10 * settings.cost)
        assert settings.data_share == extraction_rate(simulated=True)
        assert store.calibrator(settings.calibrator).scenario == "inclusion"
        assert settings == read_settings(json.loads(json.dumps(settings.to_dict())))

    def test_everything_chosen_is_what_the_session_gets(self, review: AppTest, store: Store) -> None:
        review.segmented_control("set_up/review/actions").set_value("In my own words").run()
        review.text_input("set_up/review/plus").set_value("Use it").run()
        review.slider("set_up/review/theta").set_value(90).run()
        said = words_of(review.caption).replace("\u00a0", " ")
        assert "“Use it” a test" not in said
        assert re.search("“Use it” .* 50 % .* sensitivity exceeds 90 %", said)
        review.slider("set_up/review/stakes/q").set_value(0.8).run()
        review.number_input("set_up/review/times").set_value(25.0).run()
        review.slider("set_up/chances/review/b_0").set_value(40).run()
        share = next(box for box in review.selectbox if str(box.key).startswith("set_up/review/share/"))
        share.set_value("own").run()
        review.slider("set_up/review/share/mean").set_value(60).run()
        review.number_input("set_up/review/share/sure").set_value(20).run()
        review.selectbox("set_up/review/prior").set_value("own").run()
        review.slider("set_up/review/prior/s").set_value(0.8).run()
        review.slider("set_up/review/prior/tau").set_value(0.5).run()
        review.radio("set_up/review/engine").set_value("univariate").run()
        review.radio("set_up/review/truth").set_value("full_evidence").run()
        review.slider("set_up/review/floor").set_value(85).run()
        review.number_input("set_up/review/least/studies").set_value(3).run()
        review.number_input("set_up/review/least/patients").set_value(120).run()
        review.checkbox("set_up/register").set_value(True).run()
        settings = self.settings(review, store)
        row = store.session(store.sessions()[0].id)
        assert replay(settings, row.ids, store.events(row.id)).plan == settings
        assert (settings.plus, settings.theta, settings.b_0, settings.floor) == ("Use it", 0.9, 0.4, 0.85)
        assert (settings.least_studies, settings.least_patients) == (3, 120)
        assert settings.payoffs.q_star == pytest.approx(0.8)
        assert settings.full_cost == pytest.approx(25 * settings.cost)
        assert (settings.data_share.alpha, settings.data_share.beta) == pytest.approx((12, 8))
        assert (settings.prior.s, settings.prior.tau) == (0.8, 0.5)
        assert (settings.engine, settings.truth) == ("univariate", "full_evidence")

    def test_one_stage_takes_the_chance_of_data_and_no_second_cost(
        self, review: AppTest, store: Store
    ) -> None:
        assert "abstracts would cost" in words_of(review.caption)
        review.radio("set_up/review/stages").set_value(1).run()
        assert "titles and abstracts" not in words_of(review.caption)
        assert not [box for box in review.number_input if box.key == "set_up/review/times"]
        settings = self.settings(review, store)
        assert (settings.stages, settings.full_cost) == (1, 0)
        assert store.calibrator(settings.calibrator).scenario == "review"

    def test_paper_mode_reads_at_once_and_has_no_floor(self, review: AppTest, store: Store) -> None:
        review.slider("set_up/review/floor").set_value(85).run()
        review.number_input("set_up/review/least/studies").set_value(3).run()
        review.toggle("set_up/review/paper").set_value(True).run()
        settings = self.settings(review, store)
        assert settings == settings.paper_mode()
        assert (settings.least_studies, settings.prior) == (0, Prior())
        assert store.calibrator(settings.calibrator).scenario == "review"

    def test_a_learned_prior_brings_its_own_starting_chance(self, review: AppTest, store: Store) -> None:
        learned = priors()["clef-reviews"]
        review.selectbox("set_up/review/prior").set_value("clef-reviews").run()
        assert "follows from the prior" in words_of(review.caption)
        review.slider("set_up/review/theta").set_value(60).run()
        settings = self.settings(review, store)
        assert settings.prior == learned
        assert settings.b_0 > learned.b_0, "a lower bar is cleared more easily"

    def test_reml_knows_no_prior(self, review: AppTest, store: Store) -> None:
        review.selectbox("set_up/review/prior").set_value("clef-reviews").run()
        review.radio("set_up/review/engine").set_value("reml").run()
        assert "REML uses no prior" in words_of(review.caption)
        settings = self.settings(review, store)
        assert (settings.prior, settings.b_0) == (Prior(), 0.5)

    def test_a_prior_of_ones_own_is_taken_and_anything_else_refused(
        self, review: AppTest, store: Store
    ) -> None:
        review.selectbox("set_up/review/prior").set_value("file").run()
        upload = review.file_uploader("set_up/review/prior/upload")
        upload.upload("bad.json", b"{}").run()
        assert "bad.json" in words_of(review.error)
        mine = Prior(b_0=0.66, s=0.7, tau=0.4)
        upload = review.file_uploader("set_up/review/prior/upload")
        upload.set_value(("mine.json", mine.to_json().encode(), "application/json")).run()
        settings = self.settings(review, store)
        assert (settings.prior, settings.b_0) == (mine, 0.66)

    def test_only_calibrators_of_the_same_question_are_taken(self, review: AppTest) -> None:
        review.file_uploader("set_up/chances/upload").upload(
            "patents.json", calibrators()["clef-reviews"].to_json().encode()
        ).run()
        said = words_of(review.error)
        assert "title and abstract" in said
        assert "--scenario inclusion" in said

    def test_an_uploaded_list_is_set_up_for_a_review(self, review: AppTest, store: Store) -> None:
        upload(review, ("records.csv", self.RECORDS))
        next(radio for radio in review.radio if "/order/" in str(radio.key)).set_value("text").run()
        assert "review ask" in review.text_area(query(review)).label
        review.text_area(query(review)).set_value(self.ASKED).run()
        assert "first-advice" in html_of(answered(review))
        settings = self.settings(review, store)
        assert settings.reads_full_texts
        assert not store.sessions()[0].simulated
        assert settings.data_share == extraction_rate(simulated=False)
        assert settings.chances_follow

    def test_the_stakes_speak_of_tests(self, review: AppTest) -> None:
        options = [each.replace("\u00a0", " ") for each in review.radio("set_up/review/stakes/worse").options]
        settings = ReviewSettings(Payoffs.from_q_star(0.5), 0.001)
        wrongly, rightly = (
            REVIEW.message(name, settings=settings) for name in ("mistake_plus", "mistake_minus")
        )
        assert options[:2] == [f"“Adopt” {wrongly}", f"“Don’t adopt” {rightly}"]
        assert "Abstracts" in review.number_input("set_up/review/stakes/documents").label
        assert "does not)" in review.number_input("set_up/review/stakes/L_r").label

    def test_specificity_decides_too_where_that_is_asked(self, review: AppTest, store: Store) -> None:
        review.checkbox("set_up/review/both").set_value(True).run()
        review.slider("set_up/review/theta_sp").set_value(85).run()
        options = [each.replace("\u00a0", " ") for each in review.radio("set_up/review/stakes/worse").options]
        assert "does not exceed 85 %" in options[0]
        assert self.settings(review, store).theta_sp == 0.85

    def test_another_option_is_weighed_beside_the_two(self, review: AppTest, store: Store) -> None:
        key = "set_up/review/stakes"
        review.button(f"{key}/another").click().run()
        review.button(f"{key}/another").click().run()
        review.button(f"{key}/remove/1").click().run()
        first = review.number_input(f"{key}/option/0/right")
        assert first.label == "Brings if so" and "sensitivity exceeds 75 %" in first.help and first.value > 0
        review.text_input(f"{key}/option/0/name").set_value("Trial only").run()
        for name, value in (("right", 750.0), ("wrong", 500.0)):
            review.number_input(f"{key}/option/0/{name}").set_value(value).run()
        assert not review.exception
        settings = self.settings(review, store)
        (option,) = settings.payoffs.others
        assert (option.name, option.right, option.wrong) == (
            "Trial only",
            pytest.approx(750),
            pytest.approx(500),
        )
        assert best_between(settings) in words_of(review.caption).replace("\u00a0", " ")
        assert [round(end, 2) for end in settings.payoffs.ranges().ends] == [0.27, 0.78]

    def test_an_option_without_a_name_or_an_amount_is_not_taken(self, review: AppTest) -> None:
        key = "set_up/review/stakes"
        review.button(f"{key}/another").click().run()
        review.text_input(f"{key}/option/0/name").set_value(" ").run()
        assert "has no name" in words_of(review.error) + html_of(review)
        review.text_input(f"{key}/option/0/name").set_value("Trial only").run()
        review.number_input(f"{key}/option/0/right").set_value(99_000.0).run()
        review.number_input(f"{key}/option/0/wrong").set_value(99_000.0).run()
        assert ALWAYS in words_of(review.error) + html_of(review)
        review.button(f"{key}/remove/0").click().run()
        assert not review.exception
        assert ALWAYS not in words_of(review.error) + html_of(review)

    def test_an_upload_serves_either_scenario(self, page: AppTest, store: Store) -> None:
        upload(page, ("records.csv", self.RECORDS))
        page.text_area(query(page)).set_value(self.ASKED).run()
        page.radio("set_up/scenario").set_value("review").run()
        assert page.radio("set_up/documents/source").value == "upload"
        assert page.text_area(query(page)).value == self.ASKED
        assert self.settings(page, store).reads_full_texts
        assert len(store.collections()) == 1

    def test_each_scenario_keeps_its_own_stakes(self, review: AppTest) -> None:
        review.slider("set_up/review/stakes/q").set_value(0.9).run()
        review.radio("set_up/scenario").set_value("patent").run()
        assert review.slider("set_up/stakes/q").value == 0.5
        review.radio("set_up/scenario").set_value("review").run()
        assert review.slider("set_up/review/stakes/q").value == 0.9
