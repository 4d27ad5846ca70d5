"""Options, readers and printed answers that several commands share."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any

import click

from tarstop_core.errors import InputProblem

if TYPE_CHECKING:
    from tarstop_core.belief.prior import Prior
    from tarstop_core.documents.topic import Topic
    from tarstop_core.value.payoffs import Option, Payoffs


class LazyChoice(click.Choice):  # type: ignore[type-arg]
    """A choice from the names in ``module:NAME``, imported only when the option is given or its help is shown."""

    def __init__(self, where: str) -> None:
        self.where, self.case_sensitive = where, True

    @property
    def choices(self) -> tuple[str, ...]:  # type: ignore[override]
        return tuple(resolve_name(self.where))


WEAK = "weak"
"""Name of the default prior, for which nothing was learned."""
PATH = click.Path(path_type=Path)
others_option = click.option(
    "--option",
    "others",
    multiple=True,
    help="NAME,RIGHT,WRONG: what another option brings if ω⁺ holds and if not; several may be given.",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON document on stdout.")
q_star_option = click.option(
    "--q-star", type=float, help="Threshold belief q*, between 0 and 1 (payoffs add up to 1)."
)


def given_prior(b_0: float | None, file: Path | None, theta: float, theta_sp: float | None = None) -> Prior:
    """Return the prior in a file, a shipped one by its name, or the weak one where neither is named.

    Parameters
    ----------
    b_0 : float or None
        Belief before any study, which replaces the prior's own.
    file : Path or None
        A prior as JSON, or the name of a shipped one where there is no such file.
    theta : float
        Threshold on pooled sensitivity; a learned b_0 is carried over to it.
    theta_sp : float, optional
        Threshold that pooled specificity is to exceed as well.

    Returns
    -------
    Prior
        With b_0, if one was given.

    Raises
    ------
    InputProblem
        If no shipped prior has this name, or the file holds no prior.
    """
    from tarstop_core.belief.prior import Prior, load
    from tarstop_core.samples.shipped import priors

    prior = Prior()
    if file is not None and (file.exists() or str(file) != file.name or file.suffix):
        prior = load(file)
    elif file is not None and file.name != WEAK:
        shipped = priors()
        if file.name not in shipped:
            names = ", ".join((WEAK, *shipped))
            raise InputProblem(f"There is no prior {file.name}; give a file, or one of {names}.")
        prior = shipped[file.name]
    # A learned b_0 refers to the θ it was learned at.
    prior = prior.at(theta) if theta_sp is None else for_both_margins(prior)
    return prior if b_0 is None else replace(prior, b_0=b_0)


def for_both_margins(prior: Prior) -> Prior:
    """Return the prior for a belief in sensitivity and specificity together.

    A learned b_0 is the chance of a good sensitivity alone, so 0.5 takes its place.
    """
    return prior if prior.learned_from is None or prior.width_alone else replace(prior, b_0=0.5)


def given_payoffs(q_star: float | None, payoffs: str | None, others: Sequence[str] = ()) -> Payoffs:
    """Return payoffs from a threshold belief or from four amounts, with any further options.

    Parameters
    ----------
    q_star : float or None
        Threshold belief.
    payoffs : str or None
        Four amounts B,L_r,L_g,G instead.
    others : sequence of str
        Options beside a⁻ and a⁺, each NAME,RIGHT,WRONG: what it brings if ω⁺ holds and if not.

    Returns
    -------
    Payoffs

    Raises
    ------
    InputProblem
        If not exactly one of the first two is given, or a text cannot be read.
    """
    from tarstop_core.value.payoffs import Payoffs

    if others:
        return replace(given_payoffs(q_star, payoffs), others=given_options(others))
    if (q_star is None) == (payoffs is None):
        raise InputProblem("Give either --q-star or --payoffs B,L_r,L_g,G.")
    if q_star is not None:
        return Payoffs.from_q_star(q_star)
    try:
        B, L_r, L_g, G = map(float, str(payoffs).split(","))
    except ValueError:
        raise InputProblem(f"--payoffs is '{payoffs}'; give four numbers B,L_r,L_g,G.") from None
    return Payoffs(B=B, L_r=L_r, L_g=L_g, G=G)


def given_options(texts: Sequence[str]) -> tuple[Option, ...]:
    """Parse options from texts NAME,RIGHT,WRONG; raise InputProblem if one cannot be read."""
    from tarstop_core.value.payoffs import Option

    options = []
    for text in texts:
        try:
            name, right, wrong = text.rsplit(",", 2)
            options.append(Option(name, float(right), float(wrong)))
        except ValueError:
            raise InputProblem(
                f"--option is '{text}'; give NAME,RIGHT,WRONG, such as Trial,300,100."
            ) from None
    return tuple(options)


def option_names(payoffs: Payoffs) -> tuple[str, ...]:
    """Names of the options on the command line: a-, a+ and the others, in the order of their numbers."""
    return "a-", "a+", *(other.name for other in payoffs.others)


def choice_at(payoffs: Payoffs | None, b: float | None) -> dict[str, Any]:
    """Return the keys that ``--json`` adds if payoffs are given: the action to choose, and a row for each option.

    Parameters
    ----------
    payoffs : Payoffs or None
        None adds no keys.
    b : float or None
        Belief in ω⁺; None where it is not identified.

    Returns
    -------
    dict
        ``action``, and ``options``: for each its name, its expected payoff, and the chance of the state in which no other
        option brings more. Both are None if the belief is.
    """
    if payoffs is None:
        return {}
    if b is None:
        return {"action": None, "options": None}
    names, options = option_names(payoffs), payoffs.ranges().options
    chances = dict(zip((options[0], options[-1]), (1 - b, b), strict=True))
    rows = [
        {"option": name, "expected": float(payoffs.utility_of(at, b)), "chance_best": chances.get(at, 0.0)}
        for at, name in enumerate(names)
    ]
    return {"action": names[int(payoffs.best(b))], "options": rows}


def choice_words(payoffs: Payoffs, b: float) -> str:
    """Return the option chosen at a belief with the reason, in words."""
    from tarstop_core.presentation.numbers import number

    names, chosen = option_names(payoffs), int(payoffs.best(b))
    if not payoffs.others:
        return f"{names[chosen]}: belief {number(b)} is {'above' if chosen else 'not above'} q* = {number(payoffs.q_star)}"
    ranges = payoffs.ranges()
    ends = (ranges.of(option) for option in ranges.options)
    best = (
        f"{names[option]} from {number(low)} to {number(high)}"
        for option, (low, high) in zip(ranges.options, filter(None, ends), strict=True)
    )
    return f"{names[chosen]}: the best is {', '.join(best)}, and the belief is {number(b)}"


def print_choice(payoffs: Payoffs | None, b: float) -> None:
    """Print the option chosen at a belief, then each option with its expected payoff and its chance of being the best."""
    from tarstop_core.presentation.numbers import number, percent

    if payoffs is None:
        return
    click.echo(f"Stopping now means {choice_words(payoffs, b)}.")
    for row in choice_at(payoffs, b)["options"]:
        click.echo(
            f"  {row['option']}: expected to bring {number(row['expected'])}; the best one with a chance of {percent(row['chance_best'])}"
        )


def print_prefixes(beliefs: Sequence[float | None]) -> None:
    """Print the belief after 0, 1, 2, … studies, one a line; None is not identified."""
    from tarstop_core.presentation.numbers import number

    for count, b in enumerate(beliefs):
        click.echo(f"{count:>5}  {'not identified' if b is None else number(b)}")


def labelled_topics(run: Path, qrels: Path) -> tuple[list[Topic], tuple[str, ...]]:
    """Read a run and qrels; return the topics that both contain, with their labels, and notes on the files."""
    from tarstop_core.files import label_topics, read_qrels, read_run

    ranked, judgments = read_run(run), read_qrels(qrels)
    topics, notes = label_topics(ranked, judgments)
    return list(topics.values()), (*ranked.notes, *judgments.notes, *notes)


def say(notes: Iterable[str]) -> None:
    """Write notes to stderr. Call it once the work is done: if the work fails, stderr has the error's one line alone."""
    for note in notes:
        click.echo(note, err=True)


def require_writable(path: Path, *inputs: Path | None) -> None:
    """Raise InputProblem if a file could not be written, or is one of the inputs; nothing is touched."""
    sources = (source for source in inputs if source is not None and source.exists())
    if path.exists() and any(map(path.samefile, sources)):
        raise InputProblem(f"--out is {path}, which is read from; name another file to write.")
    if path.is_dir():
        raise InputProblem(f"{path} is a folder; name a file to write.")
    if not path.parent.is_dir():
        raise InputProblem(f"There is no folder {path.parent} to write {path.name} to; make it first.")


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turn an OSError while a file is written into an InputProblem."""
    try:
        yield
    except OSError as problem:
        raise InputProblem(f"{path} cannot be written: {problem.strerror}.") from None


def progress(share: float, what: str, seconds_left: float | None = None) -> None:
    """Write progress to stderr if that is a terminal.

    Parameters
    ----------
    share : float
        Share done, 0 to 1.
    what : str
        What is being done.
    seconds_left : float, optional
        Time left, if that is known.
    """
    if sys.stderr.isatty():
        left = "" if seconds_left is None else f", about {max(1, round(seconds_left))} s left"
        click.echo(f"\r\033[K{share:4.0%} {what}{left}", nl=share >= 1, err=True)


def print_json(content: Any) -> None:
    """Print one JSON document on stdout."""
    click.echo(json.dumps(content, ensure_ascii=False, allow_nan=False))
