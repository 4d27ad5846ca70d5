"""The readable reviews: every report says what becomes of it, and its full text holds the numbers."""

import re
from collections import Counter

import pytest

from scripts.make_samples.diagnostic import (
    OVERLAPPING,
    QUESTIONS,
    SHARES,
    WORDS,
    WRONG_POPULATION,
    WRONG_REFERENCE,
    Question,
    Report,
    Review,
    simulate_reviews,
)
from scripts.make_samples.readme import depths, tables_of
from tarstop_core.belief.bivariate import bivariate_belief
from tarstop_core.documents.reports import OUTCOMES

SIGNS = ("TP", "FP", "FN", "TN")


@pytest.fixture(scope="module")
def reviews() -> list[Review]:
    return simulate_reviews()


def extracted(text: str) -> tuple[int, int, int, int] | None:
    """The table that a reader takes from a full text."""
    if found := re.search(
        r"There were (\d+) true positives, (\d+) false positives, (\d+) false negatives and (\d+) true", text
    ):
        TP, FP, FN, TN = map(int, found.groups())
        return TP, FP, FN, TN
    if found := re.search(
        r"Of (\d+) patients with .+, (\d+) had a positive test; of (\d+) without it, (\d+)", text
    ):
        n1, TP, n2, FP = map(int, found.groups())
        return TP, FP, n1 - TP, n2 - FP
    if found := re.search(
        r"was positive in (\d+) patients, .+ in (\d+) of these; among the (\d+) .+ found in (\d+)\.", text
    ):
        positive, TP, negative, FN = map(int, found.groups())
        return TP, positive - TP, FN, negative - FN
    if found := re.search(
        r"per cent \((\d+) of (\d+)\) and specificity \d+ per cent \((\d+) of (\d+)\)", text
    ):
        TP, n1, TN, n2 = map(int, found.groups())
        return TP, n2 - TN, n1 - TP, TN
    if found := re.search(r"missed (\d+) of (\d+) cases .+ positive in (\d+) of (\d+) patients", text):
        FN, n1, FP, n2 = map(int, found.groups())
        return n1 - FN, FP, FN, n2 - FP
    return None


def included(review: Review) -> list[Report]:
    return [report for report in review.reports if report.included]


def test_ten_reviews_five_of_tests_that_are_sensitive_enough(reviews: list[Review]) -> None:
    beliefs = [bivariate_belief(tables_of(review), 0.75) for review in reviews]
    assert Counter(belief > 0.5 for belief in beliefs) == {True: 5, False: 5}
    assert any(0.1 < belief < 0.9 for belief in beliefs)


def test_pools_are_as_planned(reviews: list[Review]) -> None:
    for review in reviews:
        plan = review.question.plan
        status = Counter(report.status for report in included(review))
        assert status == {
            "data": plan.data,
            "no data": plan.no_data + 1,
            "excluded": plan.excluded,
            "not retrieved": plan.not_retrieved,
        }
        assert len(review.reports) == plan.documents and 120 <= plan.documents <= 250
        assert 6 <= len(review.studies) <= 14


def test_a_reader_finds_exactly_the_numbers(reviews: list[Review]) -> None:
    ways = set()
    for report in (report for review in reviews for report in included(review)):
        assert extracted(report.full_text) == report.counts, report.full_text
        if report.counts:
            ways.add(re.sub(r"\d+", "#", report.full_text.split(".")[-2])[:12])
    assert len(ways) >= 4


def test_abstracts_agree_with_the_full_texts(reviews: list[Review]) -> None:
    told = 0
    for report in (report for review in reviews for report in review.studies):
        TP, FP, FN, TN = report.counts
        if found := re.search(
            r"(?:Sensitivity was|test found) (\d+) per cent.+?(?:specificity|in) (\d+) per cent",
            report.abstract,
        ):
            assert int(found[1]) == round(100 * TP / (TP + FN))
            assert int(found[2]) == round(100 * TN / (FP + TN))
            told += 1
        if found := re.search(r"Of (\d+) participants, (\d+) had", report.abstract):
            assert (int(found[1]), int(found[2])) == (TP + FP + FN + TN, TP + FN)
    assert told > 10


def test_abstracts_do_not_give_away_what_becomes_of_a_report(reviews: list[Review]) -> None:
    for review in reviews:
        for report in included(review):
            seen = f"{report.title} {report.abstract}"
            assert not any(wrong in seen for wrong in review.question.wrong_references)
            assert not any(wrong in seen for wrong in review.question.wrong_patients)
            assert "prototype" not in seen and "not be obtained" not in seen


def test_every_report_without_data_says_why(reviews: list[Review]) -> None:
    reasons: Counter[str] = Counter()
    for review in reviews:
        for report in included(review):
            assert report.status in OUTCOMES and report.full_text.endswith(".")
            if report.status in ("excluded", "no data"):
                assert report.reason
                reasons[report.reason] += 1
            elif report.status == "not retrieved":
                assert "could not be obtained" in report.full_text
            if report.reason == "wrong reference standard":
                assert f"{review.question.reference} was not done" in report.full_text
            if report.reason == "overlapping population":
                other = re.search(r"part of those of (.+ \d{4}), as", report.full_text)
                assert other and other[1] in {study.study for study in review.studies}
    assert {*WORDS["excluded"], *WORDS["without_data"]} <= set(reasons)


def test_one_study_of_each_review_has_two_reports(reviews: list[Review]) -> None:
    for review in reviews:
        names = Counter(report.study for report in included(review))
        assert sorted(names.values())[-2:] == [1, 2]
        (name,) = (study for study, count in names.items() if count == 2)
        first, second = sorted(
            (report for report in included(review) if report.study == name), key=lambda report: report.status
        )
        assert (first.status, second.status) == ("data", "no data")
        assert first.authors == second.authors and name in second.full_text


def test_studies_are_called_by_surname_and_year(reviews: list[Review]) -> None:
    for report in (report for review in reviews for report in review.studies):
        assert report.study == f"{report.authors.split(' ')[0]} {report.year}"


def test_only_what_title_and_abstract_let_through_has_a_full_text(reviews: list[Review]) -> None:
    for report in (report for review in reviews for report in review.reports if not report.included):
        assert (report.full_text, report.status, report.study, report.counts) == ("", "", "", None)
    kinds = Counter(report.kind for report in reviews[0].reports)
    assert len(kinds) == 8 and kinds["other field"] > 10


def test_reports_are_marked_as_simulated_and_unique(reviews: list[Review]) -> None:
    reports = [report for review in reviews for report in review.reports]
    assert all(re.fullmatch(r"SIM-\d{6}", report.id) for report in reports)
    assert len({report.id for report in reports}) == len(reports)
    assert len({report.abstract for report in reports}) == len(reports)
    for review in reviews:
        assert len({report.title for report in review.reports}) == len(review.reports)
        ids = [report.id for report in review.reports]
        assert ids == sorted(ids)


def test_texts_read_as_sentences(reviews: list[Review]) -> None:
    for report in (report for review in reviews for report in review.reports):
        assert 25 <= len(report.abstract.split()) <= 130, report.abstract
        assert report.title[0].isupper() and 1990 < report.year < 2026
        for text in (report.title, report.abstract, report.full_text):
            assert not re.search(r"[{}|]|  |\ba [aeio](?!n?e\b)|\.\.|\bthe the\b|\ba the\b", text), text
        for text in filter(None, (report.abstract, report.full_text)):
            sentences = re.split(r"(?<=[^\d]\.) ", text)
            assert all(sentence[0].isupper() or sentence[0].isdigit() for sentence in sentences), text
            assert len(set(sentences)) == len(sentences), text


def test_the_words_have_the_names_that_the_grammar_knows() -> None:
    assert {OVERLAPPING, WRONG_POPULATION, WRONG_REFERENCE} <= WORDS["excluded"].keys()
    assert {*WORDS["other_titles"], "opinion"} == set(SHARES)
    assert set(WORDS["other_sentences"]) == set(SHARES) - {"other test", "other disease"}


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.topic)
def test_questions_speak_their_own_words(question: Question) -> None:
    asked = question.question.lower()
    assert any(test.removeprefix("the ") in question.question for test in question.test)
    assert any(condition in question.question for condition in question.condition)
    for far in (*question.test_far, *question.condition_far):
        assert far.lower() not in asked
    assert question.criteria[0].islower() and question.criteria.endswith(".")
    assert question.reference.split()[0] in question.criteria or "panel" in question.criteria


def test_studies_lie_at_varied_depths(reviews: list[Review]) -> None:
    by_review = [depths(review.ranked()) for review in reviews]
    assert sum(own[0] <= 3 for own in by_review) >= 3
    assert sum(own[0] >= 5 for own in by_review) >= 2
    early = [
        sum(depth <= len(r.reports) / 4 for depth in own) / len(own)
        for own, r in zip(by_review, reviews, strict=True)
    ]
    assert 0.5 < sum(early) / len(early) < 0.9, "better than chance, and no gift"


def test_equal_seeds_give_equal_reviews(reviews: list[Review]) -> None:
    assert simulate_reviews() == reviews
    assert simulate_reviews(seed=7) != reviews
