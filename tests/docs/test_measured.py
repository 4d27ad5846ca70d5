"""What is kept of the measurements on real lists: rerun on a few, and worked out by hand."""

from itertools import islice
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.special import logit
from scipy.stats import norm
from scipy.stats import t as t_distribution

from scripts import real_lists
from scripts.studies import readers, recall, reranked_chances, reranking, reviews, unread
from scripts.study import DATA, DOCS, change, kept_tables, load, mean_change, page, signed, where
from tarstop_core.belief.of_tables import belief_path, beliefs
from tarstop_core.belief.prior import Prior
from tarstop_core.belief.question import Question
from tarstop_core.documents.records import ranking_text
from tarstop_core.documents.tables import CELLS
from tarstop_core.documents.topic import Topic
from tarstop_core.evaluation.ranking_metrics import topic_metrics
from tarstop_core.files.tables import read_tables
from tarstop_core.ranking.bm25 import PAPER, WORDS, build_index, rank_order
from tarstop_core.samples.shipped import reranked_calibration
from tarstop_core.samples.shipped import reranked_chances as shipped_chances
from tarstop_core.screening.settings import StudySettings
from tests.reference.recorded import GOLDEN


def table(study: str, name: str) -> pd.DataFrame:
    return kept_tables(load(study))[name]


# --- how pages write numbers ----------------------------------------------------------------------


def test_a_difference_is_bold_where_its_interval_leaves_out_0() -> None:
    assert signed(0.0123, 4) == "+0.0123" and signed(-0.0123, 4) == "−0.0123" and signed(0.00004, 4) == "0"
    assert change({"difference": 0.1, "low": 0.05, "high": 0.2}) == "**+0.100 [+0.050, +0.200]**"
    assert change({"difference": 0.1, "low": -0.05, "high": 0.2}) == "+0.100 [−0.050, +0.200]"


def test_an_interval_resamples_and_a_row_is_the_only_one() -> None:
    values = np.random.default_rng(3).normal(1, 2, 400)
    low, high = (mean_change(values)[end] for end in ("low", "high"))
    assert (low, high) == pytest.approx((values.mean() - 1.96 * 0.1, values.mean() + 1.96 * 0.1), abs=0.03)
    assert mean_change([2.0, 2.0]) == {"difference": 2.0, "low": 2.0, "high": 2.0}
    with pytest.raises(ValueError, match="unpack"):
        where([{"a": 1}, {"a": 1}], a=1)


def test_a_page_says_what_its_tables_say() -> None:
    study = load("reranking")
    tables = kept_tables(study)
    tables["reranking_lists"]["loss"] *= 0.5
    assert page(study, tables) != page(study, kept_tables(study))


# --- REML or exact --------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def reml_or_exact() -> pd.DataFrame:
    """Beliefs of first tests at θ = 0.75; what the page says was measured once."""
    rows = pd.read_csv(DATA / "reml_or_exact.csv")
    assert not set(CELLS) & set(rows.columns), "counts of patients stay where they are"
    return rows[(rows["set"] == "first tests") & (rows["theta"] == 0.75)].set_index("review")


def test_actions_of_first_tests_differ_as_often_as_the_page_says(reml_or_exact: pd.DataFrame) -> None:
    by_q = [(reml_or_exact["reml_single"] > q) != (reml_or_exact["exact"] > q) for q in (0.2, 0.5, 0.8)]
    said = f"| first tests, all prefixes | 16 | {len(reml_or_exact)} | {100 * np.mean(by_q):.1f} % ["
    assert said in (DOCS / "reml_or_exact.md").read_text(encoding="utf-8")


def test_a_review_of_tables_measured_again(real_data: Path, reml_or_exact: pd.DataFrame) -> None:
    kept = reml_or_exact.loc["CD010632"]
    tables = read_tables(real_data / "dta_reviews" / "CD010632.csv").tables
    ways = {"reml_single": ("reml", "single"), "reml_all": ("reml", "all"), "exact": ("bivariate", "single")}
    for name, (engine, correction) in ways.items():
        again = belief_path(tables, Question(0.75, engine), correction=correction).beliefs
        assert again[3:] == pytest.approx(kept[name].tolist(), abs=1e-5)


def test_final_beliefs_under_the_correction_all_are_madas(reml_or_exact: pd.DataFrame) -> None:
    mada = pd.read_csv(GOLDEN / "mada_reference.csv")
    mada = mada.assign(review=mada["dataset"].str.partition(":")[2]).set_index("review")
    both = reml_or_exact[reml_or_exact["final"]].join(mada, how="inner")
    assert len(both) == 16
    expected = norm.cdf((both["tsens"] - logit(0.75)) / both["se_tsens"])
    assert both["reml_all"].to_numpy() == pytest.approx(expected, abs=2e-3)


# --- reviews --------------------------------------------------------------------------------------


@pytest.mark.parametrize("studies", reviews.STUDIES)
def test_log_losses_follow_from_the_beliefs(studies: int) -> None:
    rows = table("reviews", "reviews_beliefs")
    found = reviews.belief_rows(rows).set_index("studies").loc[studies]
    for prior in (reviews.DEFAULT, reviews.WIDTH):
        losses: dict[str, list[float]] = {}
        for row in rows[(rows["prior"] == prior) & (rows["studies"] == studies)].itertuples():
            losses.setdefault(row.review, []).append(-np.log(row.belief if row.omega else 1 - row.belief))
        assert found[prior] == pytest.approx(np.mean([np.mean(each) for each in losses.values()]))


def test_the_default_rule_and_its_floor_rest_on_what_was_measured() -> None:
    rows = {
        (row["cost"], row["rule"]): row for row in reviews.rule_rows(table("reviews", "reviews_decisions"))
    }
    assert len(rows) == 8 * len(reviews.COSTS)
    for cost in reviews.COSTS:
        optimal, floor = (
            rows[cost, rule] for rule in ("Optimal", f"floor {StudySettings.first_floor_studies}")
        )
        for own in (optimal, rows[cost, "floor 3"], floor):
            assert own["net_utility against Greedy"]["high"] > 0, "Greedy is never clearly better"
            assert own["net_utility against Greedy"]["difference"] > 0 or cost > 1e-3
        assert abs(floor["net_utility against Optimal"]["difference"]) < 0.005
        assert floor["agrees"] >= optimal["agrees"] and floor["found"] >= optimal["found"]
    strict = rows[0.005, "floor 5, whatever it costs"]
    assert strict["net_utility against Greedy"]["high"] < 0
    floors = reviews.summarise(kept_tables(load("reviews")))["floors"]
    assert all(row["net_utility"]["low"] <= 0 for row in floors), "no other floor is clearly better"


def test_what_a_rule_changes_is_told_by_review() -> None:
    values = {("A", "x"): 0.5, ("A", "y"): 0.2, ("B", "x"): 0.1, ("B", "y"): 0.4}
    rows = pd.DataFrame([
        {"review": review, "q_star": q, "cost": 1.0, "rule": rule, "net_utility": value + q, "by_belief": q}
        for (review, rule), value in values.items() for q in (0.2, 0.8)
    ])  # fmt: skip
    (row,) = reviews.changes(rows, "x", "y", [1.0])
    assert row["net_utility"] == pytest.approx(reviews.cluster_t(pd.Series([0.3, -0.3])))
    assert row["by_belief"]["difference"] == 0


def test_an_interval_by_students_t_is_that_of_scipy() -> None:
    values = pd.Series([0.1, -0.2, 0.05, 0.3])
    low, high = t_distribution.interval(0.95, 3, values.mean(), values.sem())
    assert reviews.cluster_t(values) == pytest.approx({"difference": values.mean(), "low": low, "high": high})


def test_no_decision_is_said_to_turn_oftener_than_studies_come() -> None:
    turned = table("reviews", "reviews_turned")
    assert (turned["said"] <= turned["coming"] + 1e-6).all()
    assert (turned["said"] <= np.maximum(turned["belief"], 0.5) + 1e-6).all()
    for row in reviews.turn_rows(turned):
        assert row["low"] <= 0 <= row["high"], "what is shown fits"


def test_what_is_shown_of_a_turn_is_learned_on_the_other_reviews() -> None:
    turned = table("reviews", "reviews_turned")
    own = turned[turned["prior"] == reviews.WIDTH]
    names = own["review"].unique().tolist()
    again = reviews.with_correction(own.drop(columns="said"), [set(names[:8]), set(names[8:])])
    power = reviews.tempering(own[own["review"].isin(names[8:])])
    first = own["review"].isin(names[:8])
    assert again.loc[first, "said"].to_numpy() == pytest.approx(reviews.corrected(own[first], power))


def test_beliefs_are_computed_again(real_data: Path) -> None:
    rows = table("reviews", "reviews_beliefs")
    case = real_lists.outcomes(real_data)[0]
    kept = rows[(rows["outcome"] == case.name) & (rows["prior"] == reviews.DEFAULT)]
    path = beliefs(case.tables, Question(0.75, "bivariate", Prior()))
    assert kept.sort_values("studies")["belief"].to_numpy() == pytest.approx(path, abs=2e-5)


# --- chances from elsewhere -----------------------------------------------------------------------


def test_the_difference_follows_from_the_lists() -> None:
    parts = pd.read_csv(DATA / "calibrators_travel.csv").set_index("lists_of")
    topics = pd.read_csv(DATA / "calibrators_travel_topics.csv")
    wide = topics.pivot(index=["collection", "judged", "review"], columns="chances", values="utility")
    gain = wide["rank-frailty"] - wide["marginal"]
    assert len(gain) == parts.loc["all medical reviews", "lists"] == 161
    assert parts.loc["all medical reviews", "difference"] == pytest.approx(gain.mean(), abs=2e-5)
    for (collection, judged), own in gain.groupby(level=[0, 1]):
        row = parts.loc[f"{collection}, {judged}"]
        assert row["difference"] == pytest.approx(own.mean(), abs=2e-5) and row["low"] < row["high"]


def test_no_review_is_on_both_sides(real_data: Path) -> None:
    for tested in real_lists.COLLECTIONS:
        topics, names = real_lists.elsewhere(real_data, tested)
        here = {
            topic.name
            for judged in real_lists.JUDGED
            for topic in real_lists.medical(real_data, tested, judged)
        }
        assert not here & {topic.name for topic in topics} and len(set(names)) == 6
        collections = real_lists.read_collections(real_data, "content")
        assert not {topic.name for topic in collections[tested]} & {
            topic.name for topic in real_lists.others(collections, tested)
        }


# --- still unread, recall, lists that learn ---------------------------------------------------------


@pytest.mark.parametrize("judgments", unread.JUDGMENTS)
def test_what_the_guide_claims_of_what_is_unread(judgments: str) -> None:
    rows = table("unread", "still_unread").query("judgments == @judgments")
    found = unread.coverage(rows)
    assert found["high"] >= 0.9 and 0.88 <= found["covered"] <= 0.95 and found["above"] <= 0.07
    by_collection = [unread.coverage(part) for _, part in rows.groupby("collection")]
    assert len(by_collection) == 6 and all(part["high"] >= 0.75 for part in by_collection)


@pytest.mark.deep
def test_a_statement_is_made_again(real_data: Path) -> None:
    wanted = ("abs", "clef2019 dta")
    lists, thinning, sharp = next(part[2:] for part in unread.left_out(real_data) if part[:2] == wanted)
    rows = table("unread", "still_unread").query("judgments == 'abs' and at == '10 %'")
    rows = rows[rows["collection"] == "clef2019 dta"].set_index("review")
    for name, labels in lists.items():
        row = rows.loc[name]
        mean, low, high, true, _ = unread.statement(thinning, sharp, labels, int(row["read"]))
        assert true == row["true"]
        assert np.allclose((mean, low, high), (row["mean"], row["low"], row["high"]), rtol=1e-3, atol=1.01)


def test_chances_that_are_right_are_seldom_warned_of() -> None:
    power, last = table("unread", "still_unread_power"), "after 80"
    right = power.query("level == 1 and tilt == 1")
    assert len(right) == 2 and (right[last] <= 0.05).all()
    assert (power.query("level == 4 or level == 0.25")[last] > 0.5).all()


def test_what_is_said_of_recall_is_seldom_wrong() -> None:
    false = table("recall", "recall_false")
    assert (false.drop(columns=["list", "kind", "every"]) <= 0.05).all(axis=None)
    assert false.groupby("kind")["list"].nunique().to_dict() == {
        recall.CONSTRUCTED: len(recall.constructed()),
        recall.SET: 12,
        recall.REVIEW: 13,
    }
    assert (false.groupby("list")["every"].nunique() == len(recall.EVERY)).all()


def test_what_is_said_of_unread_documents_is_not_rejected() -> None:
    kept = load("recall").summarise(kept_tables(load("recall")))
    told = {row["part"]: row["rows"] for row in kept["coverage"]}
    for part in ("at looks", "at looks, with draws", "where *Few left* stops"):
        assert all(of_kind["p"] > 0.05 for of_kind in told[part]), part


def test_statements_on_a_constructed_list_are_false_as_often_again() -> None:
    labels = recall.constructed()["clustered"]
    rows = table("recall", "recall_false").set_index(["list", "every"])
    again = recall.false_stops(labels, 20, recall.REDRAWS)
    assert again == pytest.approx(rows.loc[("clustered", 20), list(again)].to_dict())


def test_intervals_of_a_list_that_learns_hold() -> None:
    rows = table("reranked_chances", "reranked_chances").query("way == 'learned'")
    found = reranked_chances.coverage(rows)
    assert found["covered"] >= 0.9 and found["high"] >= 0.9
    quality = shipped_chances().quality
    assert quality is not None and quality.topics == 47 and quality.ece < 0.02


def test_statements_of_a_list_that_learns_are_made_again() -> None:
    session = reranked_chances.Session("a", "review", False, np.arange(60) % 7 == 2)
    said = [*reranked_chances.statements([session], {session.group: shipped_chances()})]
    assert len(said) == 2 * len(reranked_chances.AHEAD) and all(len(row) == 12 for row in said)
    assert [row[9] for row in said[:3]] == [3, 6, 6]


def test_what_ships_for_the_calibration_page_is_what_was_measured() -> None:
    rows = table("reranked_chances", "reranked_chances").query("way == 'learned'")
    kept = rows[reranked_chances.SHIPPED].round({"mean": 2}).reset_index(drop=True)
    pd.testing.assert_frame_equal(reranked_calibration(), kept)
    assert kept["set"].nunique() == 25 and not kept.duplicated(["judged", "set", "read", "what"]).any()


# --- orders -----------------------------------------------------------------------------------------


def test_words_are_no_worse_in_any_group() -> None:
    topics = pd.read_csv(DATA / "ranking_topics.csv")
    assert topics.groupby("lists")["list"].nunique().sort_values().tolist() == [12, 13, 13]
    for _, own in topics.groupby(["lists", "text"]):
        means = own.groupby("ranking")[["map", "recall_100"]].mean()
        assert (means.loc["words"] > means.loc["paper"]).all()


def test_lists_are_ranked_again_alike(real_data: Path) -> None:
    given = next(each for each in real_lists.text_lists(real_data) if each.name == "CD010705")
    kept = pd.read_csv(DATA / "ranking_topics.csv").query(
        "list == 'CD010705' and lists.str.endswith('by title and abstract') and text == 'title and abstract'"
    )
    ids, texts = given.frame["id"].to_numpy(dtype=str), ranking_text(given.frame)
    for recipe in (PAPER, WORDS):
        run = {"it": Topic("it", ids[rank_order(build_index(texts, recipe=recipe).scores(given.query))])}
        found = topic_metrics(run, {"it": dict.fromkeys(ids[given.relevant], 1)})["it"]
        row = kept.set_index("ranking").loc[recipe.name]
        assert (found["map"], found["recall_100"]) == pytest.approx((row["map"], row["recall_100"]), abs=1e-4)


def test_a_list_that_learns_is_no_worse_than_asreview() -> None:
    rows = pd.concat(kept_tables(load("reranking")).values())
    assert set(rows.groupby(["ranker", "list"])["file"].nunique()) == {reranking.FILES}
    assert reranking.gain_over_asreview(rows, "loss")["high"] <= 0.005
    assert reranking.gain_over_asreview(rows, "recall_10")["low"] >= -0.005


@pytest.mark.parametrize("file", [pytest.param(0, marks=pytest.mark.deep), 3])
def test_a_list_is_read_again_alike(real_data: Path, file: int, monkeypatch: pytest.MonkeyPatch) -> None:
    small = [each for each in islice(real_lists.text_lists(real_data), 26) if each.name == "CD008760"]
    monkeypatch.setattr(reranking, "text_lists", lambda _: small)
    (given,) = reranking.labelled_lists(real_data)
    _, _, _, *measured = reranking.played(reranking.OURS, given, file)
    rows = table("reranking", "reranking_lists").set_index(["ranker", "list", "file"])
    kept = rows.loc[(reranking.OURS, "CD008760", file), list(reranking.MEASURES)]
    assert measured == pytest.approx(kept.tolist(), abs=1e-4)


def test_files_hold_the_same_documents_otherwise_ordered() -> None:
    assert reranking.standing(5, 0).tolist() == [0, 1, 2, 3, 4]
    orders = {tuple(reranking.standing(50, file).tolist()) for file in range(reranking.FILES)}
    assert len(orders) == reranking.FILES and all(sorted(each) == [*range(50)] for each in orders)


# --- readers ----------------------------------------------------------------------------------------


def test_intervals_of_what_readers_overlooked_hold_and_independence_fails() -> None:
    tables = kept_tables(load("readers"))
    reviews, drawn = tables["readers_reviews"], tables["readers_simulated"]
    assert reviews.groupby("audited")["review"].nunique().to_dict() == {0.05: 4, 0.1: 4, 0.2: 4}
    for part in readers.PARTS:
        assert readers.not_below(reviews, f"audit_{part}_held") > 0.05
        assert (drawn[f"audit_{part}_held"] >= 0.9).all(), "from no to strong dependence"
    strong = drawn[drawn["odds_ratio"] == 100]
    assert (strong["independence_missed_held"] < 0.05).all()
    assert (drawn.loc[drawn["odds_ratio"] <= readers.LIMIT, "limit_missed_held"] >= 0.9).all()


def test_the_recall_that_sessions_say_holds_whatever_readers_have_in_common() -> None:
    kept = table("readers", "readers_recall")
    assert kept.groupby("audited")["review"].nunique().to_dict() == {0.05: 9, 0.1: 9, 0.2: 9}
    assert (kept["counted_held"] >= 0.9).all()
    shared = kept[kept["review"].isin(("spread 10", "Jeyaraman_2020", "search2"))]
    assert (shared["left_out_held"] < 0.8).all(), "what all overlooked is not to be left out"
    assert (kept["counted_above"] < kept["left_out_above"]).all(), "nor is the mean too high by it"


def test_following_the_advice_is_no_worse_than_what_was_best_elsewhere() -> None:
    kept = table("readers", "readers_strategies")
    found = load("readers").summarise(kept_tables(load("readers")))
    assert found["regret"]["difference"] <= 0.01 and found["worst"] <= 0.01
    again = readers.with_best_elsewhere(kept.drop(columns=["best_elsewhere", "regret", "hindsight"]))
    assert again["best_elsewhere"].tolist() == kept["best_elsewhere"].tolist()
    row = kept.iloc[3]
    at_price = kept[
        (kept["machine"] == row["machine"])
        & (kept["cost"] == row["cost"])
        & (kept["follow_up"] == row["follow_up"])
    ]
    others = at_price[at_price["review"] != row["review"]]
    assert others[[way.name for way in readers.Strategy]].mean().idxmax() == row["best_elsewhere"]


@pytest.mark.parametrize(
    "spreads", [(), pytest.param((1.0,), marks=pytest.mark.deep)], ids=["real", "drawn too"]
)
def test_readers_are_measured_again_alike(
    real_data: Path, spreads: tuple[float, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(readers, "REVIEWS", ("Donners_2021",))
    monkeypatch.setattr(readers, "AUDITED", (0.2,))
    (again,) = readers.of_reviews(real_data)
    kept = table("readers", "readers_reviews").query("review == 'Donners_2021' and audited == 0.2").iloc[0]
    assert {name: kept[name] for name in again} == again
    assert next(iter(readers.facts(real_data)))["draws_needed"] == 121
    monkeypatch.setattr(readers, "SPREADS", spreads)
    kept = table("readers", "readers_recall").query("audited == 0.2").set_index("review")
    for again in readers.of_sessions(real_data):
        values = [name for name in again if name not in ("review", "audited")]
        assert {name: again[name] for name in values} == kept.loc[str(again["review"]), values].to_dict()
    monkeypatch.setattr(readers, "COSTS", (0.1,))
    monkeypatch.setattr(readers, "FOLLOW_UPS", (5.0,))
    for row in readers.of_strategies(real_data):
        same = table("readers", "readers_strategies").query(
            f"review == 'Donners_2021' and cost == 0.1 and follow_up == 5 and machine == {row['machine']}"
        )
        assert same["advice"].item() == pytest.approx(row["advice"], abs=1e-5)


def test_simulated_readers_have_the_odds_ratio_and_sensitivities_that_they_should() -> None:
    both, first, second, neither = readers.joint(0.9, 0.6, 10)
    assert both * neither / (first * second) == pytest.approx(10)
    assert (both + first, both + second) == pytest.approx((0.9, 0.6))
    assert readers.joint(0.9, 0.6, 1)[0] == pytest.approx(0.54)
