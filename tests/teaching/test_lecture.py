"""A class: who is let in, what it is shown, and what came of its games."""

from dataclasses import replace

import pytest

from tarstop_core.errors import InputProblem
from tarstop_core.teaching import figures, lecture
from tarstop_core.teaching.game import YOU, Call, Game, compared
from tarstop_core.teaching.lecture import GAMES, LETTERS, Lecture

CALLS = (Call(7, False), Call(5, True), Call(30, False), Call(15, False), Call(19, True))
OTHERS = (Call(0, True), Call(0, True), Call(0, True), Call(0, True), Call(0, True))


def test_the_code_lets_in_students_and_the_key_the_lecturer() -> None:
    attended = Lecture()
    student = attended.join(f" {attended.code[:3].lower()} {attended.code[3:]}")
    lecturer = attended.join(attended.key)
    assert attended.students == {student} and attended.lecturers == {lecturer} and student != lecturer
    assert attended.knows(student) and attended.knows(lecturer)


def test_nobody_else_is_let_in() -> None:
    attended, another = Lecture(), Lecture()
    for given in ("", "A", "É", another.code, another.key):
        with pytest.raises(InputProblem, match="not the code"):
            attended.join(given, "guessed")
    assert not attended.students and not attended.lecturers
    assert not attended.knows("") and not attended.knows(attended.code) and not attended.knows(attended.key)


def test_a_class_can_be_full_and_still_has_its_lecturer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lecture, "MOST", 2)
    attended = Lecture()
    student = [attended.join(attended.code) for _ in range(2)][-1]
    with pytest.raises(InputProblem, match="full"):
        attended.join(attended.code)
    with pytest.raises(InputProblem, match="not the code"):
        attended.join("WRONG2")
    assert attended.join(attended.code, student) == student and attended.join(attended.key)


def test_whoever_joins_again_is_nobody_new() -> None:
    attended = Lecture()
    student, lecturer = attended.join(attended.code), attended.join(attended.key)
    for word in (student, lecturer):
        assert attended.join(attended.code, word) == attended.join("", word) == word
    assert attended.students == {student} and attended.lecturers == {lecturer}
    assert attended.join(attended.key, student) == student, "the key makes a student the lecturer"
    assert not attended.students and attended.lecturers == {student, lecturer}


def test_codes_differ_and_are_read_aloud_without_doubt() -> None:
    codes = {Lecture().code for _ in range(50)}
    assert len(codes) == 50 and all(len(code) == 6 and set(code) <= set(LETTERS) for code in codes)
    assert not set("O0I1") & set(LETTERS)


def test_the_class_moves_only_where_the_lecturer_did() -> None:
    attended = Lecture()
    assert attended.show({"part": "walk", "step": "1"}) and not attended.show({"part": "walk", "step": "1"})
    assert attended.show({}) and attended.place == {}


def test_the_first_result_of_each_student_stands_beside_the_rules() -> None:
    attended = Lecture()
    first, second = (attended.join(attended.code) for _ in range(2))
    game = Game(calls=CALLS)
    attended.finished(first, game)
    attended.finished(first, replace(game, calls=OTHERS))
    attended.finished(second, replace(game, calls=OTHERS))
    attended.finished(second, replace(game, seed=7))
    attended.finished(attended.join(attended.key), game)
    attended.finished("nobody", game)
    together = attended.together(replace(game, calls=()))
    own = [
        next(row for row in compared(replace(game, calls=calls)) if row.title == YOU)
        for calls in (CALLS, OTHERS)
    ]
    assert [row.played for row in together.students] == [row.played for row in own]
    for of in ("total", "right", "read"):
        assert together.mean(of) == sum(getattr(row, of) for row in own) / 2
    rules = {row.title: row.total for row in compared(game) if row.title != YOU}
    assert {row.title: row.total for row in together.rules} == rules
    totals = [row.total for row in together.rules]
    assert totals == sorted(totals, reverse=True)


def test_a_figure_of_the_class_has_a_point_for_each_student() -> None:
    attended = Lecture()
    for calls in (CALLS, OTHERS):
        attended.finished(attended.join(attended.code), Game(calls=calls))
    together = attended.together(Game())
    totals = [row.total for row in together.students]
    students, rules = figures.standings(together.rules, of_class=totals)["data"]
    assert (students["x"], students["y"]) == (totals, [0, 0])
    assert rules["x"] == [row.total for row in together.rules]
    assert rules["y"] == list(range(1, len(together.rules) + 1))


def test_who_plays_much_takes_no_room_from_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lecture, "MOST", 3)
    attended = Lecture()
    first, second = (attended.join(attended.code) for _ in range(2))
    for seed in range(GAMES + 2):
        attended.finished(first, Game(seed=seed, calls=CALLS))
    attended.finished(second, Game(seed=1, calls=CALLS))
    of_each = [len(attended.together(Game(seed=seed)).students) for seed in range(GAMES + 2)]
    assert of_each == [0, 1, *(1 for _ in range(GAMES))], "the oldest results of a student go"
