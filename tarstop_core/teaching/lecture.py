"""A class that learns together: its code, the lecturer's step and the game's results; no names are known."""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from tarstop_core.errors import InputProblem
from tarstop_core.teaching import message
from tarstop_core.teaching.game import TIED, YOU, Game, Row, own_rounds, rules_on

LETTERS = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"
"""The characters of a code; none looks like another one."""
LENGTH = 6
MOST = 1_000
"""Most phones that can join."""
GAMES = 5
"""Games of a student whose results are kept."""


@dataclass
class Lecture:
    """A class, as long as its server runs; who is in it is known by a random word that their browser keeps."""

    code: str = field(default_factory=lambda: "".join(secrets.choice(LETTERS) for _ in range(LENGTH)))
    """What students join with."""
    key: str = field(default_factory=lambda: secrets.token_urlsafe(16))
    """The key that makes its holder the lecturer."""
    lecturers: set[str] = field(default_factory=set)
    students: set[str] = field(default_factory=set)
    following: set[str] = field(default_factory=set)
    """Browser tabs that show what the lecturer shows."""
    place: dict[str, str] = field(default_factory=dict)
    """The lecturer's place, as an address of Learn; empty while students are not led."""
    games: dict[str, dict[Game, Game]] = field(default_factory=dict)
    """The first result of each student in each of their last games."""

    def join(self, given: str, word: str = "") -> str:
        """Admit a visitor; InputProblem if their code is wrong or the class is full.

        Parameters
        ----------
        given
            The code of the class, in any case, or the lecturer's key.
        word
            What their browser keeps: whoever has joined is let in whatever they bring, and is nobody new.

        Returns
        -------
        str
            The word by which they are known from now on.
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
        """Put the class where the lecturer is; whether that is somewhere else than before."""
        if self.place == address:
            return False
        self.place = dict(address)
        return True

    def finished(self, student: str, game: Game) -> None:
        """Keep what became of a game that is over, instead of the student's oldest; who plays it again knew the lists."""
        if student in self.students:
            own = self.games.setdefault(student, {})
            own.setdefault(_unplayed(game), game)
            for old in list(own)[:-GAMES]:
                own.pop(old, None)

    def together(self, game: Game) -> "Together":
        """Return the results of the class in a game, with those of the rules."""
        played = _unplayed(game)
        results = [own.get(played) for own in list(self.games.values())]
        students = tuple(Row(YOU, "", own_rounds(result)) for result in results if result is not None)
        return Together(students, tuple(sorted(rules_on(played), key=lambda row: row.total, reverse=True)))


def _unplayed(game: Game) -> Game:
    return replace(game, calls=())


@dataclass(frozen=True)
class Together:
    """A class and the rules on the same lists."""

    students: tuple[Row, ...]
    rules: tuple[Row, ...]
    """The highest net utility first."""

    def mean(self, of: str) -> float:
        """Return the mean over students of one of a row's numbers: `total`, `right` or `read`."""
        return sum(float(getattr(row, of)) for row in self.students) / len(self.students)

    @property
    def sentence(self) -> str:
        """How the class stands among the rules."""
        optimal = next(row for row in self.rules if row.title == "Optimal")
        ahead = sum(row.total > optimal.total + TIED for row in self.students)
        return message("together", together=self, ahead=ahead, optimal=optimal, rounds=len(optimal.played))
