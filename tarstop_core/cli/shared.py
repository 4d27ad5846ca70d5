"""What several commands ask for, read and say."""

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
"""The name of the prior that nothing was learned for."""
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
    """The prior of a file, one that comes with the program, or the weak one.

    Parameters
    ----------
    b_0 : float or None
        Belief before any study, instead of the prior's.
    file : Path or None
        A prior as JSON, or the name of a shipped one where there is no such file.
    theta : float
        Threshold on pooled sensitivity, at which a learned prior is taken.
    theta_sp : float, optional
        Threshold that pooled specificity is to exceed as well.

    Returns
    -------
    Prior
        With b_0, where one was given.

    Raises
    ------
    InputProblem
        When no prior has this name, or the file holds none.
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
    prior = prior.at(theta) if theta_sp is None else of_both(prior)
    return prior if b_0 is None else replace(prior, b_0=b_0)


def of_both(prior: Prior) -> Prior:
    """A prior whose chance is that of sensitivity and specificity: a learned one says how likely a sensitivity is alone."""
    return prior if prior.learned_from is None or prior.width_alone else replace(prior, b_0=0.5)


def given_stakes(q_star: float | None, payoffs: str | None, others: Sequence[str] = ()) -> Payoffs:
    """Payoffs from a threshold or from four amounts, with other options.

    Parameters
    ----------
    q_star : float or None
        Threshold belief.
    payoffs : str or None
        Four amounts B,L_r,L_g,G in its place.
    others : sequence of str
        Other options, each NAME,RIGHT,WRONG.

    Returns
    -------
    Payoffs

    Raises
    ------
    InputProblem
        When not one of the first two is given, or a text cannot be read.
    """
    from tarstop_core.value.payoffs import Payoffs

    if others:
        return replace(given_stakes(q_star, payoffs), others=given_options(others))
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
    """Options from texts NAME,RIGHT,WRONG; raise InputProblem when one cannot be read."""
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
    """Return what options are called on the command line, in their order."""
    return "a-", "a+", *(other.name for other in payoffs.others)


def choice_at(payoffs: Payoffs | None, b: float | None) -> dict[str, Any]:
    """Return what `belief` adds for programs where a choice is asked for.

    Parameters
    ----------
    payoffs : Payoffs or None
        What is at stake; None adds nothing.
    b : float or None
        Belief in ω⁺; None where it is not identified.

    Returns
    -------
    dict
        ``action``, and for each option its name, what is expected of it and its chance of being the best one: that of
        the state in which nothing brings more.
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
    """Return what is chosen at a belief, and why."""
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
    """Print what is chosen at a belief, and of each option what is expected and how likely it is the best one."""
    from tarstop_core.presentation.numbers import number, percent

    if payoffs is None:
        return
    click.echo(f"Stopping now means {choice_words(payoffs, b)}.")
    for row in choice_at(payoffs, b)["options"]:
        click.echo(
            f"  {row['option']}: expected to bring {number(row['expected'])}; the best one with a chance of {percent(row['chance_best'])}"
        )


def labelled_topics(run: Path, qrels: Path) -> tuple[list[Topic], tuple[str, ...]]:
    """Topics that both files know, and notes on the files."""
    from tarstop_core.files import label_topics, read_qrels, read_run

    ranked, judged = read_run(run), read_qrels(qrels)
    topics, notes = label_topics(ranked, judged)
    return list(topics.values()), (*ranked.notes, *judged.notes, *notes)


def say(notes: Iterable[str]) -> None:
    """Write notes to stderr once the work is done: when it fails, the one line there is the error's."""
    for note in notes:
        click.echo(note, err=True)


def writable(path: Path, *inputs: Path | None) -> None:
    """Refuse a file that could not be written, before the work begins; nothing is touched."""
    if path.exists() and any(
        source is not None and source.exists() and path.samefile(source) for source in inputs
    ):
        raise InputProblem(f"--out is {path}, which is read from; name another file to write.")
    if path.is_dir():
        raise InputProblem(f"{path} is a folder; name a file to write.")
    if not path.parent.is_dir():
        raise InputProblem(f"There is no folder {path.parent} to write {path.name} to; make it first.")


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turn a failure to write a file into a sentence."""
    try:
        yield
    except OSError as problem:
        raise InputProblem(f"{path} cannot be written: {problem.strerror}.") from None


def progress(share: float, what: str) -> None:
    """Write progress to stderr where a person looks at it."""
    if sys.stderr.isatty():
        click.echo(f"\r{what} {share:4.0%}", nl=share >= 1, err=True)


def print_json(content: Any) -> None:
    """Print one JSON document on stdout."""
    click.echo(json.dumps(content, ensure_ascii=False, allow_nan=False))
