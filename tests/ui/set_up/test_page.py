"""The Set up page: from documents and stakes to a session."""

import gzip
import io
from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from dashboard.set_up.order import NO_QUERY, read_text
from dashboard.set_up.page import FIRST_STEP, SECOND_STEP
from tarstop_core.calibration.first_hit import read_cases
from tarstop_core.calibration.rank_frailty import from_cases
from tarstop_core.errors import InputProblem
from tarstop_core.places import sample_dir
from tarstop_core.policies import POLICIES
from tarstop_core.policies.registry import advising_rules
from tarstop_core.ranking.bm25 import PAPER, WORDS
from tarstop_core.ranking.order import prepare
from tarstop_core.samples.collections import load_sample, sample_topics
from tarstop_core.samples.shipped import calibrators, default_calibrator
from tarstop_core.screening.fold import replay
from tarstop_core.screening.scenarios.named import SCENARIOS
from tarstop_core.sessions.calibrator_library import keep
from tarstop_core.sessions.store.store import Store
from tests.ui.set_up.cases import (
    CSV,
    FILES,
    HEADER,
    PATENTS,
    START,
    Open,
    html_of,
    query,
    start,
    upload,
    words_of,
)


def test_start_with_defaults_creates_the_session(page: AppTest, store: Store) -> None:
    assert [button.label for button in page.button if button.proto.type == "primary"] == [
        "Next: what is at stake"
    ]
    assert "simulated documents" in html_of(page)
    start(page)
    assert not page.exception
    (session,) = store.sessions()
    row = store.session(session.id)
    topic = sample_topics().iloc[0]
    expected = prepare(load_sample(topic["topic"]), "text", topic["claim"])
    assert row.order.tolist() == expected.order.tolist()
    assert expected.scores is not None and row.scores is not None
    assert row.scores.tolist() == expected.scores.tolist()
    assert (session.name, row.query, session.simulated) == (topic["title"], topic["claim"], True)
    assert row.settings.calibrator == calibrators()[default_calibrator(True, sample=True)].digest
    assert store.calibrator(row.settings.calibrator)
    assert (row.settings.payoffs.q_star, row.settings.cost, row.settings.b_0) == (0.5, 10, 0.5)
    assert (row.settings.plus, row.settings.minus, row.settings.policy) == ("Reject", "Grant", "optimal")
    assert row.settings.needs_citation and row.settings.confirm_hits
    assert page.session_state["_open_session"] == session.id
    assert not store.events(session.id)


def test_everything_chosen_is_what_the_session_gets(page: AppTest, store: Store) -> None:
    page.segmented_control("set_up/actions").set_value("In my own words").run()
    page.text_input("set_up/plus").set_value("Abandon *it*").run()
    page.text_input("set_up/minus").set_value("Publish").run()
    page.slider("set_up/stakes/q").set_value(0.8).run()
    page.slider("set_up/chances/b_0").set_value(33).run()
    page.selectbox("set_up/chances/policy").set_value("batch").run()
    page.number_input("set_up/chances/batch/K").set_value(20).run()
    page.selectbox("set_up/chances/calibrator/scores/sample").set_value("simulated-patents").run()
    page.selectbox("set_up/searched/sample").set_value("own").run()
    page.slider("set_up/kappa").set_value(80).run()
    page.slider("set_up/s").set_value(90).run()
    page.toggle("set_up/needs_citation").set_value(False).run()
    page.text_input("set_up/reviewer").set_value("Ada").run()
    page.checkbox("set_up/register").set_value(True).run()
    start(page)
    assert not page.exception
    (session,) = store.sessions()
    row = store.session(session.id)
    settings = row.settings
    assert (settings.plus, settings.minus) == ("Abandon *it*", "Publish")
    assert settings.payoffs.q_star == pytest.approx(0.8)
    assert (settings.b_0, settings.policy) == (0.33, "batch:K=20")
    assert settings.calibrator == calibrators()["simulated-patents"].digest
    assert (settings.kappa, settings.s, settings.needs_citation) == (0.8, 0.9, False)
    events = store.events(session.id)
    assert [(event.kind, event.reviewer) for event in events] == [("plan", "Ada")]
    state = replay(settings, row.ids, events)
    assert (state.plan, state.plan_records) == (settings, row.digest)
    assert page.session_state["reviewer"] == "Ada"


def test_paper_mode_turns_all_assumptions_off(page: AppTest, store: Store) -> None:
    page.selectbox("set_up/searched/sample").set_value("query").run()
    page.toggle("set_up/paper").set_value(True).run()
    assert page.selectbox("set_up/searched/sample").disabled
    start(page)
    settings = store.session(store.sessions()[0].id).settings
    assert settings == settings.paper_mode()


def test_the_first_advice_follows_the_settings(page: AppTest) -> None:
    before = html_of(page)
    page.select_slider("set_up/stakes/fraction").set_value(1.0).run()
    after = html_of(page)
    assert "GO ON" in before
    assert "NOTHING READ YET" in after


def test_the_remark_on_the_stakes_knows_whether_a_citation_is_needed(page: AppTest) -> None:
    page.select_slider("set_up/stakes/fraction").set_value(0.4).run()
    assert "cannot pay" not in words_of(page.info)
    page.toggle("set_up/needs_citation").set_value(False).run()
    assert "cannot pay" in words_of(page.info)


def test_a_wrong_payoff_keeps_start_from_going_on(page: AppTest, store: Store) -> None:
    page.number_input("set_up/stakes/G").set_value(-1.0).run()
    (said,) = page.error
    assert "amount is -1" in words_of([said])
    assert next(button for button in page.button if button.label == "Start").disabled
    page.number_input("set_up/stakes/G").set_value(1.0).run()
    assert not page.error
    start(page)
    assert store.sessions()


@pytest.mark.parametrize("field, words", [("name", "has no name"), ("query", NO_QUERY)])
def test_what_is_missing_is_said_on_start(page: AppTest, store: Store, field: str, words: str) -> None:
    if field == "query":
        page.text_area(query(page)).set_value(" ").run()
    else:
        page.text_input(next(box.key for box in page.text_input if "/name/" in box.key)).set_value(" ").run()
    start(page)
    assert words in words_of(page.error)
    assert not store.sessions()
    elsewhere = [button.label for button in page.button if button.key == "set_up/there"]
    assert [SECOND_STEP[True] in label for label in elsewhere] == ([] if field == "query" else [True])


def test_what_is_missing_on_the_other_step_leads_there(page: AppTest) -> None:
    page.text_area(query(page)).set_value(" ").run()
    page.button("set_up/next").click().run()
    start(page)
    assert NO_QUERY in words_of(page.error)
    page.button("set_up/there").click().run()
    assert page.session_state["step"] == FIRST_STEP and not page.error


class TestUpload:
    def test_a_good_file_is_stored_at_once_and_screened(self, page: AppTest, store: Store) -> None:
        upload(page, ("patents.csv", CSV))
        (row,) = store.collections()
        assert (row.name, row.documents, row.simulated) == ("patents.csv", 4, False)
        assert row.files[0]["understood"]["publication date"] == "date"
        assert "4 documents imported" in words_of(page.success)
        page.text_area(query(page)).set_value("foldable antenna mast").run()
        assert "Cup $x$ &lt;b&gt;bold&lt;/b&gt; *star*" in html_of(page), "titles are shown as they are"
        start(page)
        assert not page.exception
        session = store.session(store.sessions()[0].id)
        assert session.name == "patents"
        assert set(session.ids[:2]) == {"EP-1000001-A1", "EP-1000003-A1"}

    @pytest.mark.parametrize("paper", [False, True])
    def test_own_documents_are_ranked_for_people_except_in_paper_mode(
        self, page: AppTest, store: Store, paper: bool
    ) -> None:
        upload(page, ("patents.csv", CSV))
        page.text_area(query(page)).set_value("A hinge, or folding masts").run()
        page.toggle("set_up/paper").set_value(paper).run()
        start(page)
        session = store.session(store.sessions()[0].id)
        recipe = PAPER if paper else WORDS
        expected = prepare(store.records(session.collection_id), "text", session.query, recipe=recipe)
        assert session.scores is not None and expected.scores is not None
        assert session.order.tolist() == expected.order.tolist()
        assert session.scores.tolist() == expected.scores.tolist()
        assert session.ranking == expected.how and ("stems" in session.ranking) == (not paper)

    def test_several_files_are_merged_with_a_count(self, page: AppTest, store: Store) -> None:
        more = (HEADER + PATENTS[0] + "\nEP-1000010-A1,Lid,A lid.,2011-01-01\n").encode()
        upload(page, ("a.csv", CSV), ("b.csv.gz", gzip.compress(more)))
        (row,) = store.collections()
        assert (row.documents, row.duplicates, row.name) == (5, 1, "a.csv and 1 more")
        assert "1 merged as duplicates" in words_of(page.success)

    def test_records_merged_within_a_file_and_by_hand_count_as_duplicates(
        self, page: AppTest, store: Store
    ) -> None:
        near = "EP-1000010-A1,Foldable mast for a vehicle roof with guy lines,A mast.,1999-01-02"
        nearly = near.replace("EP-1000010-A1", "EP-1000011-A1")
        upload(
            page, ("a.csv", (HEADER + "\n".join([*PATENTS, PATENTS[0], PATENTS[1], near, nearly])).encode())
        )
        (row,) = store.collections()
        assert (row.documents, row.duplicates, row.files[0]["records"]) == (6, 2, 8)
        assert "8 from a.csv; 2 merged as duplicates" in words_of(page.success)

    def test_drawing_again_imports_nothing(self, page: AppTest, store: Store) -> None:
        upload(page, ("a.csv", CSV))
        page.run()
        page.slider("set_up/own/stakes/q").set_value(0.7).run()
        assert len(store.collections()) == 1

    @pytest.mark.parametrize(
        "name, content, words",
        [
            ("empty.csv", b"", "empty.csv is empty"),
            ("scan.csv", b"%PDF-1.7 ...", "looks like a PDF"),
            ("score.csv", b"id,title,score\n1,Mast,high\n", 'the score "high"'),
            ("bad.jsonl.gz", b"not gzipped", "is not compressed"),
        ],
    )
    def test_a_bad_file_is_one_sentence_and_nothing_is_imported(
        self, page: AppTest, store: Store, name: str, content: bytes, words: str
    ) -> None:
        upload(page, (name, content))
        assert words in words_of(page.error)
        assert len(page.error) == 1
        assert not store.collections()

    def test_a_bad_file_keeps_its_good_neighbour_out(self, page: AppTest, store: Store) -> None:
        upload(page, ("a.csv", CSV), ("empty.csv", b""))
        assert "empty.csv is empty" in words_of(page.error)
        assert "Nothing has been imported yet" in words_of(page.caption)
        assert not store.collections()

    def test_columns_are_asked_for_where_no_title_is_recognised(self, page: AppTest, store: Store) -> None:
        upload(page, ("odd.csv", b"nr,Bezeichnung,Inhalt\n1,Mast,Faltbar\n2,Kessel,Mit Deckel\n"))
        assert "looks like a title" in words_of(page.warning)
        assert not store.collections()
        read = next(button for button in page.button if button.label.startswith("Read the file"))
        assert read.disabled
        for field, column in (("title", "Bezeichnung"), ("abstract", "Inhalt"), ("id", "nr")):
            box = next(box for box in page.selectbox if str(box.key).endswith(f"/{field}"))
            box.set_value(column).run()
        next(button for button in page.button if button.label.startswith("Read the file")).click().run()
        assert not page.exception
        (row,) = store.collections()
        frame = store.records(row.id)
        assert frame["title"].tolist() == ["Mast", "Kessel"]
        assert frame["abstract"].tolist() == ["Faltbar", "Mit Deckel"]

    def test_what_was_read_as_something_else_is_corrected(self, page: AppTest, store: Store) -> None:
        rows = b"id,title,date,publication date,rubbish\nEP-1000001-A1,Mast,1999-01-02,2001-02-03,x\n"
        upload(page, ("a.csv", rows))

        def columns() -> dict[str, str]:
            table = next(each.value for each in page.dataframe if "used as" in each.value)
            return dict(zip(table["column in the file"], table["used as"], strict=True))

        def correct(theirs: str, ours: str) -> None:
            next(box for box in page.selectbox if box.label == "Column").set_value(theirs).run()
            next(box for box in page.selectbox if box.label == "Read it as").set_value(ours).run()
            next(button for button in page.button if button.label == "Read again").click().run()
            assert not page.exception

        assert columns() == {
            "id": "identifier",
            "title": "title",
            "publication date": "date of publication",
            "date": "not read",
            "rubbish": "not read",
        }
        correct("date", "filing_date")
        assert columns()["date"] == "filing date" and columns()["publication date"] == "date of publication"
        correct("rubbish", "date")
        assert columns()["rubbish"] == "date of publication" and columns()["publication date"] == "not read"
        correct("publication date", "date")
        assert columns()["rubbish"] == "not read"
        (row,) = store.collections()
        assert row.files[0]["unread"] == ["rubbish"] and row.files[0]["understood"]["date"] == "filing_date"
        record = store.record_texts(row.id, [0])[0]
        assert (record.date, record.filing_date) == ("2001-02-03", "1999-01-02")
        correct("title", "")
        assert "looks like a title" in words_of(page.error) and columns()["title"] == "title"
        assert columns()["date"] == "filing date", "what was corrected before stays"
        assert len(store.collections()) == 1

    def test_an_export_as_google_patents_writes_it(self, page: AppTest, store: Store) -> None:
        name = "google_patents_example.csv"
        upload(page, (name, (sample_dir() / name).read_bytes()))
        (row,) = store.collections()
        assert row.documents == 60 and row.files[0]["unread"] == ["representative figure link"]
        assert row.files[0]["understood"]["filing/creation date"] == "filing_date"
        assert "before the header" in html_of(page)

    def test_an_earlier_import_is_deleted_unless_a_session_uses_it(
        self, open_app: Open, page: AppTest, store: Store
    ) -> None:
        upload(page, ("patents.csv", CSV))
        page.text_area(query(page)).set_value("kettle").run()
        start(page)
        page = upload(open_app("set_up"), ("others.csv", CSV))
        page.radio("set_up/documents/source").set_value("earlier").run()
        spare, used = store.collections()
        page.button(f"set_up/documents/deleted/{spare.id}").click().run()
        assert not page.exception and not page.error
        assert [row.id for row in store.collections()] == [used.id]
        page.button(f"set_up/documents/deleted/{used.id}").click().run()
        assert "uses them" in words_of(page.warning) and len(store.collections()) == 1
        page.radio("set_up/documents/source").set_value("upload").run()
        assert not page.exception and not page.error

    def test_earlier_imports_can_be_used_again(self, open_app: Open, page: AppTest, store: Store) -> None:
        upload(page, ("patents.csv", CSV))
        again = open_app("set_up")
        again.radio("set_up/documents/source").set_value("earlier").run()
        again.text_area(query(again)).set_value("kettle").run()
        start(again)
        assert not again.exception
        assert store.session(store.sessions()[0].id).ids[0] == "EP-1000009-A1"
        assert len(store.collections()) == 1

    def test_removed_files_are_forgotten(self, page: AppTest, store: Store) -> None:
        upload(page, ("patents.csv", CSV))
        page.file_uploader(FILES).clear().run()
        assert not store.collections()
        assert "Choose files to go on" in words_of(page.info)


class TestOrder:
    def test_a_list_with_scores_keeps_them(self, page: AppTest, store: Store) -> None:
        upload(page, ("scored.csv", b"id,title,score\na,Mast,1.5\nb,Kettle,8157.6\nc,Cup,2.5\n"))
        assert "score 8,160" in html_of(page)
        start(page)
        row = store.session(store.sessions()[0].id)
        assert row.ids == ("b", "c", "a")
        assert row.scores is not None and row.scores.tolist() == [8157.6, 2.5, 1.5]
        assert row.query == ""

    def test_own_order_takes_a_rank_based_calibrator(self, page: AppTest, store: Store) -> None:
        upload(page, ("patents.csv", CSV))
        order = next(radio for radio in page.radio if "/order/" in str(radio.key))
        order.set_value("own").run()
        assert words_of(page.warning)
        start(page)
        assert not page.exception
        row = store.session(store.sessions()[0].id)
        assert row.scores is None
        assert row.order.tolist() == [0, 1, 2, 3]
        assert store.calibrator(row.settings.calibrator).kind == "rank-frailty"

    def test_an_order_by_date_is_warned_of(self, page: AppTest) -> None:
        lines = [f"p{(7 * i) % 10},Thing {(3 * i) % 10},x,{2020 - i}-01-01" for i in range(10)]
        upload(page, ("dated.csv", (HEADER + "\n".join(lines)).encode()))
        assert "sorted by date" in words_of(page.caption)
        next(radio for radio in page.radio if "/order/" in str(radio.key)).set_value("own").run()
        assert "sorted by date" in words_of(page.warning)

    def test_words_that_occur_nowhere_are_refused(self, page: AppTest, store: Store) -> None:
        page.text_area(query(page)).set_value("zeppelin xylophone").run()
        assert "No word of what you are looking for" in words_of(page.error)
        start(page)
        assert not store.sessions()

    def test_what_is_looked_for_can_come_from_a_file(self, page: AppTest) -> None:
        key = query(page)
        page.file_uploader(f"{key}/file").upload("claims.txt", b"A mast\nwith a hinge.").run()
        assert page.text_area(key).value == "A mast\nwith a hinge."
        page.file_uploader(f"{key}/file").set_value(("picture.txt", b"\x89PNG\0\0\0", "text/plain")).run()
        assert "binary data" in words_of(page.error)
        assert page.text_area(key).value == "A mast\nwith a hinge."

    @pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
    def test_text_files_are_read_whatever_their_encoding(self, encoding: str) -> None:
        assert read_text(io.BytesIO("Gerät für Öl".encode(encoding)), "a.txt") == "Gerät für Öl"

    def test_an_empty_text_file_is_refused(self) -> None:
        with pytest.raises(InputProblem, match="empty"):
            read_text(io.BytesIO(b" \n"), "a.txt")


class TestCalibrator:
    KEY = "set_up/chances/upload"

    def test_badge_quality_and_mismatch_are_shown(self, page: AppTest) -> None:
        page.selectbox("set_up/chances/calibrator/scores/sample").set_value("simulated-patents").run()
        assert calibrators()["simulated-patents"].fitted_on.badge in html_of(page)
        assert "Brier score" in words_of(page.caption)
        assert "the training lists had" in words_of(page.warning)
        page.session_state["set_up/chances/came_true"] = True  # as if the fold were opened
        page.run()
        (figure,) = (part.proto.body for part in page.get("html") if 'class="tar-fluid"' in part.proto.body)
        assert ">simulated</span>" in figure

    def test_an_uploaded_calibrator_is_chosen_and_used(self, page: AppTest, store: Store) -> None:
        shipped = calibrators()["clef-reviews"]
        mine = replace(shipped, fitted_on=replace(shipped.fitted_on, name="my cases"))
        page.file_uploader(self.KEY).upload("mine.json", mine.to_json().encode()).run()
        assert not page.exception
        assert "my cases" in html_of(page)
        start(page)
        assert store.session(store.sessions()[0].id).settings.calibrator == mine.digest

    def test_a_search_of_ones_own_begins_with_chances_for_lists_from_elsewhere(
        self, page: AppTest, store: Store
    ) -> None:
        upload(page, ("scored.csv", b"id,title,score\na,Mast,1.5\nb,Kettle,3.5\nc,Cup,2.5\n"))
        assert "medical reviews" in html_of(page)
        box = page.selectbox("set_up/chances/calibrator/scores/own")
        assert box.value == "clef-reviews-rank-frailty"
        # Three documents are no list as those that scores were learned on.
        box.set_value("clef-reviews").run()
        assert "choose a calibrator that uses ranks" in words_of(page.error)
        start(page)
        assert not store.sessions()

    def test_what_own_cases_updated_is_the_first_to_be_offered(self, open_app: Open, store: Store) -> None:
        start = calibrators()["clef-reviews-rank-frailty"]
        kept = keep(store, from_cases(start, read_cases("4, 17, none in 60"), "my past searches"))
        keep(store, from_cases(start, read_cases("4"), "invented ones", simulated=True))
        page = open_app("set_up")
        upload(page, ("scored.csv", b"id,title,score\na,Mast,1.5\nb,Kettle,3.5\nc,Cup,2.5\n"))
        assert page.selectbox("set_up/chances/calibrator/scores/own").value == kept

    @pytest.mark.parametrize(
        "content, words",
        [
            (b"{", "is not JSON"),
            (b"{}", "is not a calibrator"),
            (b"\xff\xfe\xff", "is not text"),
            (b'{"format": "tarstop-calibrator", "version": 99}', "version 99"),
        ],
    )
    def test_anything_else_is_refused_in_a_sentence(self, page: AppTest, content: bytes, words: str) -> None:
        page.file_uploader(self.KEY).upload("x.json", content).run()
        assert words in words_of(page.error)

    def test_one_that_reads_scores_is_refused_for_a_list_without(self, page: AppTest) -> None:
        next(radio for radio in page.radio if "/order/" in str(radio.key)).set_value("own").run()
        text = calibrators()["clef-reviews"].to_json().encode()
        page.file_uploader(self.KEY).upload("scores.json", text).run()
        assert "reads scores" in words_of(page.error)


@pytest.mark.parametrize("scenario", ["patent", "review"])
def test_every_rule_on_offer_advises(open_app: Open, scenario: str) -> None:
    page = open_app("set_up", scenario=scenario)
    assert ("highest at every cost" in words_of(page.caption)) == (scenario == "review")
    first = SCENARIOS[scenario].settings_class.first_rule
    key = "set_up/chances/policy" + ("" if first == "optimal" else f"/{first}")
    assert page.selectbox(key).value == first
    for name in advising_rules():
        page.selectbox(key).set_value(name).run()
        assert not page.exception and not page.error, name
        approximate = scenario == "review" and name in ("open-loop", "look-ahead")
        assert ("this is approximate" in words_of(page.caption)) == approximate
        assert "first-advice" in html_of(page), name
        for parameter in POLICIES[name].parameters:
            at = f"set_up/chances/{name}/{parameter.name}"
            box = page.selectbox(at) if parameter.kind == "choice" else page.number_input(at)
            assert box.value == getattr(POLICIES[name](), parameter.name)


class TestStakesOfOwnDocuments:
    def test_they_have_no_answer_until_a_person_gives_one(self, page: AppTest, store: Store) -> None:
        assert page.radio("set_up/stakes/worse").value == "equal", "a sample comes with small stakes"
        assert any("at £10 a document" in group.proto.label for group in page.get("button_group"))
        upload(page, ("mine.csv", CSV))
        page.text_area(query(page)).set_value("mast").run()
        assert page.radio("set_up/own/stakes/worse").value is None
        assert page.number_input("set_up/own/stakes/documents").value is None
        assert "first-advice" not in html_of(page)
        page.button(START).click().run()
        assert page.error and not store.sessions()
        page.radio("set_up/own/stakes/worse").set_value("plus").run()
        page.button(START).click().run()
        assert page.error and not store.sessions() and "first-advice" not in html_of(page)
        examples = next(
            group for group in page.get("button_group") if group.key == "set_up/own/stakes/example"
        )
        examples.set_value(100_000.0).run()
        assert page.number_input("set_up/own/stakes/documents").value == 100_000
        assert "first-advice" in html_of(page)
        page.button(START).click().run()
        settings = store.session(store.sessions()[0].id).settings
        assert (settings.stakes.times, settings.stakes.documents) == pytest.approx((2, 100_000))
        assert (settings.payoffs.unit, settings.cost) == ("£", pytest.approx(10))
        assert settings.stakes.worst == pytest.approx(1_000_000)

    @pytest.mark.parametrize("moved", [("q", "fraction"), ("L_r", "cost")])
    def test_other_forms_answer_them_too(self, page: AppTest, moved: tuple[str, str]) -> None:
        upload(page, ("mine.csv", CSV))
        page.text_area(query(page)).set_value("mast").run()
        for name in moved:
            assert "first-advice" not in html_of(page)
            widget = {"q": page.slider, "fraction": page.select_slider}.get(name, page.number_input)
            widget(f"set_up/own/stakes/{name}").set_value({"q": 0.7, "L_r": 3.0}.get(name, 0.0001)).run()
        assert "first-advice" in html_of(page)
        assert page.radio("set_up/own/stakes/worse").value == "plus"
