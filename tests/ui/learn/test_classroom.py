"""Learn and Explore in a class, without a browser: what the lecturer shows, what students see, and that nothing is stored."""

import socket
from collections.abc import Callable, Iterator

import pytest
from streamlit.testing.v1 import AppTest

from dashboard.frame import classroom, people, shell
from tarstop_core.explore.lists import samples
from tarstop_core.places import HOSTS_VARIABLE
from tarstop_core.sessions.store.store import Store
from tarstop_core.teaching.game import Call, Game, compared
from tarstop_core.teaching.lecture import Lecture
from tests.session_cases import a_patent_session
from tests.ui.learn.test_page import CALLS, address, press, shown

OpenApp = Callable[..., AppTest]


@pytest.fixture
def attended(monkeypatch: pytest.MonkeyPatch) -> Iterator[Lecture]:
    """A class in which the test says who is here."""
    running = Lecture()
    monkeypatch.setattr(people, "lecture", lambda: running)
    monkeypatch.setattr(classroom, "_draw_again", lambda _: None)
    return running


def here(monkeypatch: pytest.MonkeyPatch, attended: Lecture, given: str) -> str:
    word = attended.join(given)
    monkeypatch.setattr(people, "person", lambda: word)
    return word


def toggle(app: AppTest, label: str) -> None:
    next(each for each in app.toggle if each.label == label).set_value(False).run()


def part(app: AppTest, name: str) -> None:
    next(each for each in app.get("button_group") if each.key == "learn/part").set_value(name).run()


def test_learn_leads_to_classes_except_in_one(
    open_app: OpenApp, attended: Lecture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def leads() -> bool:
        return any(shell.guide("for_several", "a-class") in each.value for each in open_app("learn").markdown)

    here(monkeypatch, attended, attended.code)
    assert not leads()
    monkeypatch.setattr(people, "lecture", lambda: None)
    assert leads()


def test_students_see_each_step_of_the_lecturer(
    open_app: OpenApp, attended: Lecture, monkeypatch: pytest.MonkeyPatch
) -> None:
    here(monkeypatch, attended, attended.key)
    lecturer = open_app("learn", rule="greedy")
    assert attended.place["step"] == "0" and attended.code in shown(lecturer)
    press(lecturer, "walk-step")
    press(lecturer, "walk-step")
    assert attended.place == {"part": "walk", **attended.place, "step": "2", "rule": "greedy"}
    said = shown(lecturer)
    here(monkeypatch, attended, attended.code)
    student = open_app("learn")
    assert 'data-here="step=2"' in shown(student) and "rule: Greedy" in shown(student)
    headline = next(str(each.proto.body) for each in lecturer.get("html") if "GO ON" in str(each.proto.body))
    assert headline.replace("\xa0", " ") in shown(student) and "GO ON" in said
    assert not student.button and attended.code not in shown(student)
    # Whoever turns from the lecturer goes on from there.
    toggle(student, "Follow the lecturer")
    press(student, "walk-step")
    assert address(student)["step"] == "3" and attended.place["step"] == "2"


def test_a_lecturer_who_does_not_lead_leaves_everybody_where_they_are(
    open_app: OpenApp, attended: Lecture, monkeypatch: pytest.MonkeyPatch
) -> None:
    here(monkeypatch, attended, attended.key)
    lecturer = open_app("learn")
    toggle(lecturer, "Lead the class")
    press(lecturer, "walk-step")
    assert attended.place == {}
    here(monkeypatch, attended, attended.code)
    student = open_app("learn", step="5")
    assert address(student)["step"] == "5" and any(each.key == "walk-step" for each in student.button)


@pytest.mark.parametrize("label", ["Lead the class", "Follow the lecturer"])
def test_who_goes_their_own_way_does_so_after_a_visit_to_explore(
    open_app: OpenApp, attended: Lecture, monkeypatch: pytest.MonkeyPatch, label: str
) -> None:
    here(monkeypatch, attended, attended.key if label.startswith("Lead") else attended.code)
    app = open_app("learn")
    toggle(app, label)
    app.switch_page("pages/explore.py").run()
    app.switch_page("pages/learn.py").run()
    assert [each.value for each in app.toggle if each.label == label] == [False]


def test_a_student_leads_nobody(
    open_app: OpenApp, attended: Lecture, monkeypatch: pytest.MonkeyPatch
) -> None:
    here(monkeypatch, attended, attended.code)
    press(open_app("learn"), "walk-step")
    assert attended.place == {}


def test_students_come_along_to_another_part_and_do_there_what_they_like(
    open_app: OpenApp, attended: Lecture, monkeypatch: pytest.MonkeyPatch
) -> None:
    word = here(monkeypatch, attended, attended.key)
    lecturer = open_app("learn", part="ideas", idea="Recall")
    assert attended.place == {"part": "ideas", "idea": "Recall"}
    student_word = here(monkeypatch, attended, attended.code)
    student = open_app("learn", part="glossary")
    assert address(student)["part"] == "ideas" and address(student)["idea"] == "Recall"
    monkeypatch.setattr(people, "person", lambda: word)
    part(lecturer, "call")
    assert attended.place["part"] == "call" and "calls" not in attended.place
    monkeypatch.setattr(people, "person", lambda: student_word)
    student.run()
    assert address(student)["part"] == "call"
    press(student, "call-begin")
    press(student, "call-read-1")
    assert address(student)["calls"] == "1"
    # A reload loses nothing of the game.
    again = open_app("learn", **address(student))
    assert address(again)["calls"] == "1"


def test_what_came_of_the_game_stands_beside_the_rules(
    open_app: OpenApp, attended: Lecture, monkeypatch: pytest.MonkeyPatch
) -> None:
    here(monkeypatch, attended, attended.code)
    playing = open_app("learn", part="call")
    assert not any("class" in each.label for each in playing.expander), "nobody is told while they play"
    open_app("learn", part="call", calls="0m.0m.0m.0m.0m")
    assert not attended.games, "an address may have been made up"
    press(open_app("learn", part="call", calls=CALLS.removesuffix("p")), "call-decide-True")
    together = attended.together(Game())
    calls = (Call(7, False), Call(5, True), Call(30, False), Call(15, False), Call(19, True))
    own = next(row for row in compared(Game(calls=calls)) if row.you)
    assert [row.total for row in together.students] == [own.total]
    here(monkeypatch, attended, attended.key)
    lecturer = open_app("learn", part="call")
    assert any("class" in each.label for each in lecturer.expander)


@pytest.mark.parametrize("page", ["home", "screen", "sessions", "set_up", "results", "guide"])
def test_every_other_page_leads_to_learn(
    open_app: OpenApp, attended: Lecture, monkeypatch: pytest.MonkeyPatch, page: str
) -> None:
    here(monkeypatch, attended, attended.code)
    app = open_app(page)
    assert [each.value for each in app.title] == ["Learn"]


def test_explore_has_samples_alone(
    store: Store, open_app: OpenApp, attended: Lecture, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = a_patent_session(store)
    here(monkeypatch, attended, attended.code)
    app = open_app("explore", of=f"session:{session}")
    offered = next(each for each in app.selectbox if each.label == "What to explore").options
    assert len(offered) == len(samples()) + 2 and not any("Your" in each for each in offered)
    assert "nothing to explore" in shown(app) and not app.exception
    monkeypatch.setattr(people, "lecture", lambda: None)
    own = next(each for each in open_app("explore").selectbox if each.label == "What to explore").options
    assert len(own) > len(offered), "what the class is not shown is there"


@pytest.mark.parametrize(
    ("url", "served", "hosts", "there"),
    [
        ("https://learn.example/learn?step=2", "127.0.0.1", "learn.example", "https://learn.example"),
        ("http://127.0.0.1:8501/learn", "127.0.0.1", "learn.example", "https://learn.example"),
        ("http://localhost:8501/learn", "0.0.0.0", "a.example,b.example", "http://a.example:8501"),
        ("http://10.0.0.7:8501/learn", "0.0.0.0", "", "http://10.0.0.7:8501"),
        ("http://10.0.0.7:8501/below/learn", "0.0.0.0", "", "http://10.0.0.7:8501/below"),
        ("http://127.0.0.1:8501/learn", "10.0.0.7", "", "http://10.0.0.7:8501"),
        ("http://localhost:8501/learn", "0.0.0.0", "", "http://10.0.0.9:8501"),
        ("http://[::1]:8501/learn", "::", "", "http://10.0.0.9:8501"),
        ("http://[2001:db8::7]:8501/learn", "::", "", "http://[2001:db8::7]:8501"),
        ("http://localhost:8501/learn", "2001:db8::7", "", "http://[2001:db8::7]:8501"),
    ],
)
def test_phones_are_sent_where_the_dashboard_is(
    monkeypatch: pytest.MonkeyPatch, url: str, served: str, hosts: str, there: str
) -> None:
    monkeypatch.setattr(people, "served_on", lambda: served)
    monkeypatch.setenv(HOSTS_VARIABLE, hosts)
    monkeypatch.setattr(socket.socket, "connect", lambda *_: None)
    monkeypatch.setattr(socket.socket, "getsockname", lambda _: ("10.0.0.9", 9))
    assert classroom.for_phones(url) == there


@pytest.mark.parametrize(("served", "reached"), [("127.0.0.1", False), ("::1", False), ("0.0.0.0", True)])
def test_a_lecturer_whom_no_phone_reaches_is_told_how_to_start(
    open_app: OpenApp, attended: Lecture, monkeypatch: pytest.MonkeyPatch, served: str, reached: bool
) -> None:
    monkeypatch.setattr(people, "served_on", lambda: served)
    here(monkeypatch, attended, attended.key)
    page = shown(open_app("learn"))
    assert ("--address 0.0.0.0" in page) is not reached and ("QR code of" in page) is reached
