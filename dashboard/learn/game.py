"""The game on Learn, “your call”: a person stops and decides on five lists, and is then compared with every rule."""

import html
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from dashboard.frame import address, classroom, people, shell
from dashboard.frame.address import AddressParameter, choice, finite, only
from dashboard.frame.drawing import figure, heading_of, note, picture, table
from dashboard.frame.markup import badges, numbers, told
from dashboard.frame.widgets import share, switch
from dashboard.frame.work import button
from dashboard.learn import documents
from tarstop_core.errors import InputProblem
from tarstop_core.explore.lists import sample
from tarstop_core.presentation.numbers import count_of, percent, unbroken
from tarstop_core.screening.scenarios.named import scenario_of
from tarstop_core.screening.scenarios.patent import PATENT
from tarstop_core.screening.scenarios.review import REVIEW
from tarstop_core.screening.settings import Settings
from tarstop_core.screening.wording import action, question
from tarstop_core.teaching import figures
from tarstop_core.teaching import game as games
from tarstop_core.teaching.game import ROUNDS, SAMPLES, Game, points

PREFIX = "learn/call"
MIXES: dict[str, str] = {
    "both": "Searches and reviews",
    **{scenario.name: scenario.short for scenario in (PATENT, REVIEW)},
}
HELPS = {"curve": "With the curve of chances", "instinct": "By instinct"}
COSTS = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0)
LAST_SEED = 9999
MORE = 5
"""Documents that one press reads."""


PARAMETERS = {
    "seed": AddressParameter("seed", only(int, lambda seed: 0 <= seed <= LAST_SEED)),
    "mix": AddressParameter("mix", choice(SAMPLES)),
    "q_star": AddressParameter("q", finite, "{:g}".format),
    "cost": AddressParameter("c", finite, "{:g}".format),
}
NAMES = (*(parameter.name for parameter in PARAMETERS.values()), "help", "calls")
"""The parameters of the address."""


def read_address(given: Mapping[str, str]) -> tuple[Game, str, str]:
    """Return the game in an address, the help that it gives, and the problem with its calls ("" if there is none)."""
    game, problem = address.read(PARAMETERS, given, Game()), ""
    try:
        game = replace(game, calls=games.decode(given.get("calls", ""))).within()
    except InputProblem as invalid:
        problem = str(invalid)
    helped = given.get("help", "")
    return game, helped if helped in HELPS else "curve", problem


def address_of(game: Game, helped: str) -> dict[str, str]:
    """Return the parameters that :func:`read_address` reads back."""
    return address.texts(PARAMETERS, game) | {"help": helped, "calls": games.encode(game.calls)}


@dataclass
class Play:
    """A game in one browser tab."""

    game: Game
    helped: str  # "curve" or "instinct"
    written: dict[str, str]  # Address that the page wrote last; a different one was entered by a person
    problem: str = ""  # Problem with the address
    pressed: bool = False  # Whether the last call was made here and did not come with the address
    epoch: int = 0
    """Games that the page started itself. It is part of the widgets' keys: a widget whose value the page changes
    would report the old value as a person's choice.
    """

    def key(self, name: str) -> str:
        return f"{PREFIX}/{self.epoch}/{name}"

    def move(self, change: Callable[[Game], Game], seen: int) -> None:
        """Make a move, unless the button belongs to an earlier round (`seen` calls) and the press is too late."""
        if len(self.game.calls) == seen:
            self.game, self.problem, self.pressed = change(self.game), "", True

    def to(self, seed: int) -> None:
        """Start the game with this number."""
        self.anew(seed=seed)
        self.epoch += 1

    def anew(self, **changed: Any) -> None:
        """Start another game, or the same one again."""
        self.helped = changed.pop("helped", self.helped)
        self.game, self.problem = replace(self.game, **changed, calls=()), ""


def _playing() -> Play:
    given = address.given(NAMES)
    play: Play | None = st.session_state.get(PREFIX)
    if play is None or (given and given != play.written):
        game, helped, problem = read_address(given)
        play = Play(game, helped, given, problem, epoch=play.epoch + 1 if play else 0)
        st.session_state[PREFIX] = play
    return play


def show() -> None:
    """Draw the game that the address names."""
    _game(_playing())


@st.fragment
def _game(play: Play) -> None:
    with shell.problems_shown():
        game = play.game
        _choices(play)
        if play.problem:
            shell.problem_box(play.problem)
        if game.over:
            _result(play)
        elif game.reading:
            _round(play)
        else:
            _between(play)
        play.written = address.write(address_of(play.game, play.helped))
        # Everybody plays the same lists, each for themselves.
        classroom.lead({"part": "call"} | play.written | {"calls": ""})
        _class_results(game)


def _choices(play: Play) -> None:
    game = play.game
    with st.container(horizontal=True, vertical_alignment="center", key="call-choices"):
        marks = badges("simulated", f"game {game.seed}", MIXES[game.mix].lower(), HELPS[play.helped].lower())
        where = "Result" if game.over else f"Round {game.decided + 1} of {ROUNDS}"
        if game.reading:
            where += f": {sample(game.keys[game.decided]).name}"
        st.html(f'<p class="tar-about"><strong>{html.escape(where)}</strong> {marks}</p>', width="stretch")
        with st.popover("Another game", icon=":material/tune:", key="call-change"):
            _game_settings(play)


def _game_settings(play: Play) -> None:
    game = play.game

    def moved(name: str) -> None:
        play.anew(**{name: st.session_state[play.key(name)]})

    def changed(name: str) -> dict[str, Any]:
        return {"key": play.key(name), "on_change": moved, "args": (name,)}

    st.caption("Anybody who opens this page’s address plays the same lists. A change restarts the game.")
    st.number_input("Number of the game", 0, LAST_SEED, game.seed, **changed("seed"))
    switch("What is decided", MIXES, default=game.mix, **changed("mix"))
    switch("You play", HELPS, default=play.helped, **changed("helped"))
    share("How sure before you act", game.q_star, **changed("q_star"))
    costs = sorted({*COSTS, game.cost})
    st.select_slider("Cost of a document", costs, game.cost, format_func=points, **changed("cost"))


def _between(play: Play) -> None:
    """Draw the page before the first round or after a round: rules or result, and the button to go on."""
    game = play.game
    if game.decided:
        at = game.decided - 1
        own = games.played(*game.round(at), game.calls[at])
        word = f"Round {at + 1}: {'right' if own.right else 'wrong'}, {points(own.net_utility)}"
        kind = f"revealed tar-round-{'right' if own.right else 'wrong'}"
        st.html(told(word, games.round_sentence(game, at), kind=kind))
    else:
        st.html(f'<p class="tar-lead">{html.escape(unbroken(games.rules_of_the_game(game)))}</p>')
    what = (play.move, Game.begun, len(game.calls))
    button(
        f"Start round {game.decided + 1}",
        *what,
        key=f"call-begin-{game.decided}",
        icon=":material/play_arrow:",
        type="primary",
        shortcut="Right",
    )
    if game.decided:
        _round_figure(play, game.decided - 1)


def _round(play: Play) -> None:
    game = play.game
    at = len(game.calls) - 1
    key, (listing, settings), depth = game.keys[at], game.round(at), game.calls[at].depth
    path = listing.played(settings)
    settled = path.hit is not None and depth >= path.hit
    _buttons(play, settings, depth, len(listing))
    left, right = st.columns([1.2, 1], gap="large")
    p = path.p if settings.one_decides else path.rho
    scenario = scenario_of(settings)
    with left, st.container(height=430, border=True, key="call-document"):
        if depth == 0:
            st.html(f'<h3 class="tar-title">{html.escape(listing.name)}</h3>{documents.given(key)}')
        else:
            thought = f"{scenario.message('thought')} {percent(float(p[depth - 1]))}"
            st.html(documents.document(key, depth - 1, thought))
    with right:
        rows = [("Documents read", f"{depth:,} of {len(listing):,}")]
        rows.append(("Spent on reading", points(depth * game.cost)))
        if depth < len(listing) and not settled:
            rows.append((f"The next one’s {scenario.message('thought')}", percent(float(p[depth]))))
        if settings.reads_full_texts:
            rows.append(("2×2 tables so far", f"{sum(rank < depth for rank in games.finds_of(listing))}"))
        asked, belief = question(settings), percent(path.belief_at(depth))
        if play.helped == "curve":
            rows += [(f"Chance that {asked}", belief), ("How sure before you act", percent(game.q_star))]
        st.html(f'<div class="tar-numbers tar-walked">{unbroken(numbers(rows))}</div>')
        if play.helped == "curve":
            sentence = f"After {count_of(depth)} the chance that {asked} is {belief}."
            picture(figures.round_so_far(game, dark=shell.dark()), sentence, presented=200)
            if not shell.presenting():
                note(sentence)
        if depth:
            with st.expander("What is looked for", key="call-asked"):
                st.html(documents.claim(key))
        if settled:
            note("A document you read settles the question; reading on only costs.")


def _buttons(play: Play, settings: Settings, depth: int, length: int) -> None:
    seen, end = len(play.game.calls), depth == length

    def offer(words: str, key: str, change: Callable[[Game], Game], **how: Any) -> None:
        button(words, play.move, change, seen, key=f"call-{key}-{seen}", **how)

    with st.container(horizontal=True, key="call-buttons", gap="small"):
        offer(
            "Read the next",
            "read-1",
            lambda game: game.read(1),
            icon=":material/chevron_right:",
            type="primary",
            shortcut="Right",
            disabled=end,
        )
        offer(
            f"Read {MORE}",
            f"read-{MORE}",
            lambda game: game.read(MORE),
            icon=":material/keyboard_double_arrow_right:",
            shortcut=f"{MORE}",
            disabled=end,
            help="Stops at a find.",
        )
        for plus, shortcut in ((True, "1"), (False, "2")):
            words = f"Stop: {shell.escape_markdown(action(plus, settings))}"
            offer(words, f"decide-{plus}", partial(Game.decide, plus=plus), shortcut=shortcut)


def _result(play: Play) -> None:
    game = play.game
    rows = games.compared(game)
    if play.pressed:
        classroom.finished(game)
    standing, decisions = games.standing_sentences(game, rows)
    sentence = f"{games.luck_sentence(rows)} {games.often_ahead(game, rows)}"
    luck = f'<p class="tar-rest">{html.escape(unbroken(sentence))}</p>'
    st.html(told(_standing(rows), f"{standing} {decisions}", more=luck, kind="revealed"))
    following = (game.seed + 1) % (LAST_SEED + 1)
    with st.container(horizontal=True, key="call-again"):
        button("The same lists again", play.anew, key="call-same")
        button(f"Game {following}", play.to, following, key="call-next", icon=":material/arrow_forward:")
    frame = _numbers(game, rows)
    left, right = st.columns([1, 1.15], gap="medium")
    with left:
        figure(
            "call-standings",
            "Your result and every rule’s",
            figures.standings(rows, dark=shell.dark()),
            f"{standing} {figures.FAMILIES}",
            frame,
            f"tarstop-your-call-{game.seed}",
        )
    with right, st.container(key="call-numbers"):
        heading_of("The same in numbers")
        out = "" if game.mix == PATENT.name else " Rules that draw a random sample are left out for reviews."
        how = "Every rule with its first settings, as in tarstop replay; simulated."
        table(frame, f"{games.regret_sentence(rows)} {how}{out}")
    if shell.presenting():
        return
    heading_of("What you could have seen")
    lists = {at: f"Round {at + 1}" for at in range(ROUNDS)}
    at = switch("Round", lists, key="call-round", label_visibility="collapsed")
    _round_figure(play, at)
    _unread(game, at)


def _class_results(game: Game) -> None:
    """Show the results of the class, to the lecturer and to those who have finished."""
    attended = people.lecture()
    if attended is None or not (game.over or classroom.leads()):
        return
    box = st.expander("The class in this game", key="call-class", on_change="rerun")
    if not box.open:
        return
    with box:
        together = attended.together(game)
        if not together.students:
            note("Nobody has finished this game yet.")
        else:
            everybody = [("Student", row) for row in together.students]
            rows = [
                {"": who, "Net utility": row.total, "Right": row.right, "Read": row.read}
                for who, row in (*everybody, *((row.title, row) for row in together.rules))
            ]
            totals = [row.total for row in together.students]
            drawing = figures.standings(together.rules, of_class=totals, dark=shell.dark())
            name = f"tarstop-class-{game.seed}"
            figure("call-class", "The class and the rules", drawing, together.sentence, rows, name)
        st.button("Look again", key="call-class-again", icon=":material/refresh:")


def _standing(rows: tuple[games.ScoreRow, ...]) -> str:
    followable = [row for row in rows if row.regret is not None]
    above = next(at for at, row in enumerate(followable) if row.you)
    rules = len(followable) - 1
    return f"{above} of {rules} rules did better than you" if above else "No rule did better than you"


def _numbers(game: Game, rows: tuple[games.ScoreRow, ...]) -> list[dict[str, object]]:
    return [
        {
            "": f"▶ {row.title}" if row.you else row.title,
            "Net utility": f"{row.total:,.0f}".replace("-", "−"),
            "Expected": "–" if row.expected is None else f"{row.expected:,.0f}".replace("-", "−"),
            "Regret": "–" if row.regret is None else f"{row.regret:,.1f}",
            "Right": f"{row.right} of {ROUNDS}",
            f"Wrong {games.actions(game, True)}": row.mean["false_adopt"],
            f"Wrong {games.actions(game, False)}": row.mean["false_reject"],
            "Read": f"{row.read:,.0f}",
        }
        for row in rows
    ]


def _round_figure(play: Play, at: int) -> None:
    game = play.game
    figure(
        "call-round",
        games.round_heading(game, at),
        figures.round_to_its_end(game, at, dark=shell.dark()),
        games.round_sentence(game, at),
        figures.round_columns(game, at),
        f"tarstop-your-call-{game.seed}-{at + 1}",
    )


def _unread(game: Game, at: int) -> None:
    """List the finds that the person did not read."""
    key, depth = game.keys[at], game.calls[at].depth
    finds = games.finds_of(sample(key))
    missed = [rank for rank in finds if rank >= depth]
    if not missed:
        note("You read everything there was to find." if finds else "There was nothing to find.")
        return
    records, ids = documents.records(key), sample(key).topic.ids
    rows = [
        (f"{rank + 1:,}", records[str(ids[rank])].title, documents.verdict(key, rank)[1])
        for rank in missed[:8]
    ]
    frame = pd.DataFrame(rows, columns=["#", "Document", "What you did not see"])
    with st.container(key="call-unread"):
        table(
            frame, f"{count_of(len(missed))} that you did not read and that would have shown it.", prose=True
        )
