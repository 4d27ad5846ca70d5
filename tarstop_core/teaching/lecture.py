"""A class that learns together: its code, the lecturer's place and the results of games; it knows no names."""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from tarstop_core.errors import InputProblem
from tarstop_core.teaching import message
from tarstop_core.teaching.game import TIED, YOU, Game, ScoreRow, own_rounds, rules_on

LETTERS = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"
"""Characters of a code, without any that look alike."""
LENGTH = 6
"""Characters in a code."""
MOST = 1_000
"""Largest number of students."""
GAMES = 5
"""Games of each student whose results are kept."""


@dataclass
class Lecture:
    """A class, which exists while its server runs; members are known by a random word that their browsers keep."""

    code: str = field(default_factory=lambda: "".join(secrets.choice(LETTERS) for _ in range(LENGTH)))
    """Code with which students join."""
    key: str = field(default_factory=lambda: secrets.token_urlsafe(16))
    """Key with which the lecturer joins."""
    lecturers: set[str] = field(default_factory=set)
    students: set[str] = field(default_factory=set)
    """Words of the lecturers and of the students."""
    following: set[str] = field(default_factory=set)
    """Browser tabs that follow the lecturer."""
    place: dict[str, str] = field(default_factory=dict)
    """Address parameters of the lecturer's place on Learn; empty while the lecturer leads nobody."""
    games: dict[str, dict[Game, Game]] = field(default_factory=dict)
    """By student, the first result in each of their last games, under the game without calls."""

    def join(self, given: str, word: str = "") -> str:
        """Admit a visitor; InputProblem if their code is wrong or the class is full.

        Parameters
        ----------
        given
            The code of the class, in upper or lower case, or the lecturer's key.
        word
            The word that the browser keeps; a member needs no code and is not counted again.

        Returns
        -------
        str
            The word by which the class knows the visitor from now on.
        """
        word = word if self.knows(word) else ""
        if secrets.compare_digest(given.encode(), self.key.encode()):
            self.students.discard(word)
            self.lecturers.add(word := word or secrets.token_urlsafe(16))
        elif not word:
            if "".join(given.split()).upper() != self.code:
                raise InputProblem("That is not the code of this class.")
            if len(self.students) >= MOST:
                raise InputProblem("The class is full; join somebody who is in it.")
            self.students.add(word := secrets.token_urlsafe(16))
        return word

    def knows(self, word: str) -> bool:
        """Whether a visitor with this word has joined."""
        return word in self.students or word in self.lecturers

    def show(self, address: Mapping[str, str]) -> bool:
        """Move the class to the lecturer's place; return whether the place is a new one."""
        if self.place == address:
            return False
        self.place = dict(address)
        return True

    def finished(self, student: str, game: Game) -> None:
        """Keep a student's result in a game unless they have played it before, and drop their oldest game."""
        if student in self.students:
            own = self.games.setdefault(student, {})
            own.setdefault(_unplayed(game), game)
            for old in list(own)[:-GAMES]:
                own.pop(old, None)

    def together(self, game: Game) -> "Together":
        """Return the results of the class in a game, with those of the rules."""
        played = _unplayed(game)
        results = [own.get(played) for own in list(self.games.values())]
        students = tuple(ScoreRow(YOU, "", own_rounds(result)) for result in results if result is not None)
        return Together(students, tuple(sorted(rules_on(played), key=lambda row: row.total, reverse=True)))


def _unplayed(game: Game) -> Game:
    """The game without calls."""
    return replace(game, calls=())


@dataclass(frozen=True)
class Together:
    """Results of a class and of the rules on the same lists."""

    students: tuple[ScoreRow, ...]
    rules: tuple[ScoreRow, ...]  # The highest net utility first

    def mean(self, attribute: str) -> float:
        """Return the mean over students of `total`, `right` or `read` of their rows."""
        return sum(float(getattr(row, attribute)) for row in self.students) / len(self.students)

    @property
    def sentence(self) -> str:
        """Sentence on how the class ranks among the rules."""
        optimal = next(row for row in self.rules if row.title == "Optimal")
        ahead = sum(row.total > optimal.total + TIED for row in self.students)
        return message("together", together=self, ahead=ahead, optimal=optimal, rounds=len(optimal.played))
