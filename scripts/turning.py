"""How often decisions turned when everything was read, against what belief and several corrections of it say.

What each correction has to learn is learned from the reviews of other folds. A section of ``docs/reviews_measured.md``.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pandas as pd
from scipy.optimize import minimize
from scipy.special import expit, logit

from scripts.by_review import Floats, by_review, percent, table, with_interval
from tarstop_core.value.exhaustive import tempered

LEAST = 1e-3
"""Chances are held between this and 1 minus it where something is learned from them."""
BANDS = (0.0, 0.1, 0.25, 0.4, 0.6, 1.0)
WHEN = "study"
"""In the column `at`: the n-th study was just read."""


def _share(rows: pd.DataFrame) -> Floats:
    """Chance that those studies turn the decision, if any comes."""
    return np.clip(rows["belief"] / rows["coming"], 0.0, 1.0).to_numpy()


def _times(rows: pd.DataFrame, factor: float) -> Floats:
    return expit(logit(rows["belief"].to_numpy()) + np.log(factor))


def _held(rows: pd.DataFrame, factor: float) -> Floats:
    return np.minimum(_times(rows, factor), np.maximum(rows["belief"], 0.5))


@dataclass(frozen=True)
class Form:
    """A way to correct what belief says."""

    name: str
    said: Callable[..., Floats]  # of rows and what was learned
    start: tuple[float, ...] = (1.0,)  # from where that is sought
    like: str = ""  # the form whose numbers it takes over, learning none


TIMES, POWER, SAID = "odds × f", "odds ^ t", "odds ^ t, if more studies come"
FORMS = (
    Form("belief alone", lambda rows: rows["belief"].to_numpy(), ()),
    Form(TIMES, _times),
    Form(POWER, lambda rows, power: tempered(rows["belief"], power)),
    Form("odds ^ t × f", lambda rows, power, factor: _times(rows.assign(belief=tempered(rows["belief"], power)), factor), (1.0, 1.0)),
    Form("odds × f, never across ½", _held, like=TIMES),
    Form("the same, f learned so", _held),
    Form(SAID, lambda rows, power: rows["coming"].to_numpy() * tempered(_share(rows), power)),
)  # fmt: skip


def losses(said: Floats, turned: pd.Series, least: float = 0.005) -> pd.Series:
    """−log of the chance that was given to what happened."""
    held = np.clip(said, least, 1 - least)
    return pd.Series(-np.log(np.where(turned, held, 1 - held)), index=turned.index)


def learned(rows: pd.DataFrame, form: Form) -> Floats:
    """Its numbers, as likely as can be after the first study, reviews and numbers of studies weighing equally."""
    form = next((each for each in FORMS if each.name == form.like), form)
    rows = rows[(rows["at"] == WHEN) & (rows["studies"] > 0)]
    weight = 1 / rows.groupby(["review", "studies"])["belief"].transform("size")
    if not form.start:
        return np.empty(0)
    found = minimize(
        lambda numbers: float(weight @ losses(form.said(rows, *np.exp(numbers)), rows["turned"], LEAST)),
        np.log(form.start), method="Nelder-Mead", options={"xatol": 1e-6, "fatol": 1e-9},
    )  # fmt: skip
    return np.exp(found.x)


def tempering(rows: pd.DataFrame) -> float:
    """The power of what is said beside the advice, learned from all rows of one prior."""
    return float(learned(rows, FORMS[-1])[0])


def with_said(rows: pd.DataFrame, held_out: Sequence[set[str]]) -> pd.DataFrame:
    """And what each form says of them, in a column by its name, learned from the reviews of the other folds."""
    said = pd.DataFrame(0.0, index=rows.index, columns=[form.name for form in FORMS])
    for reviews in held_out:
        judged = rows["review"].isin(reviews)
        for prior in rows["prior"].unique():
            here = rows["prior"] == prior
            for form in FORMS:
                numbers = learned(rows[here & ~judged], form)
                said.loc[here & judged, form.name] = form.said(rows[here & judged], *numbers)
    return pd.concat([rows, said], axis=1)


# --- the section --------------------------------------------------------------------------------------


def of_turning(every: pd.DataFrame) -> str:
    """Whether what is said of the decision with everything read comes true, and what else was tried."""
    told = every[(every["at"] == WHEN) & (every["studies"] > 0)]
    wide = told[told["prior"] == "width"]
    power = {prior: tempering(every[every["prior"] == prior]) for prior in ("width", "default")}
    over = "; ".join(
        f"with *{prior}* {_off(rows, FORMS[0].name, 3)} by belief alone and {_off(rows, SAID, 3)} as it is said"
        for prior, rows in told.groupby("prior", sort=False)
    )
    late = every[(every["at"] != WHEN) & (every["prior"] == "width")]
    more = late[late[POWER] > late["coming"]]
    first = every[(every["at"] == WHEN) & (every["studies"] == 0) & (every["prior"] == "width")]
    return f"""## “With all that is left read, the decision would turn in about 18 of 100 such reviews”

What is said first beside the advice, when the n-th study was just read: the chance that all studies of the list, of which
it is not known how many come, lead to the other action; and in how many cases they did, over q* = 0.2, 0.5 and 0.8. The end is that of the same prior.
By belief alone too few would. That is not for the number of studies to come, of which about as many came as were said, but because the first
studies mislead more often than the belief knows. So the odds of a turn, if more studies come, are raised to a power, which brings chances nearer
to one half and never beyond it: {power["width"]:.2f} with the prior *width*, learned from all of these reviews and shipped ({power["default"]:.2f} with *default*). Below, *said* has
the power of the reviews of the other folds. So minus said, over all lines but the first: {over}.
{every["review"].nunique()} reviews are few, and the interval is as wide as that. On stopping the page also counts how many past questions were decided wrongly after as many studies.

{_by_studies(every)}

### What else was tried

A factor on the odds (*f*) was said before: at odds near 1 it says that the other action is likelier in the end than the one advised, where
belief does not. Each form learned what it has to learn from the reviews of the other folds; *crosses* counts cases in which it says more than ½ and belief does not. It was set
beforehand that the simplest form would be taken whose log-loss is not above that of *{TIMES}* and whose so − said has an interval that holds 0, and of
equals one that never crosses: *{POWER}*. That it is the odds *if more studies come* was added afterwards, for what is said late in a list (below); at the moments
measured here it makes hardly any difference. Nothing is learned from what was said before the first study; there, where the factor was left out, the power
changes the log-loss by {_change(first, SAID, FORMS[0].name)}, so it is used from the beginning.

{_by_form(told)}

By what belief says, and by q*, with *width*: so − said.

{_by_band(wide)}

When a share of the list was read, whether or not a study was just found, with *width*. *Comes* is the chance that any further study does, *came* in how many cases one did; *{POWER}* of the whole
chance says more than that in {len(more)} of {len(late)} cases, and a decision cannot turn oftener than studies come. Log-loss of *said* minus that of *{TIMES}*
{_change(late, SAID, TIMES)}, of *{POWER}* of the whole chance {_change(late, POWER, TIMES)}.

{_by_share(late)}
"""


def _mean(rows: pd.DataFrame, name: str) -> float:
    return float(by_review(rows[name].astype(float), rows["review"]).mean())


def _off(rows: pd.DataFrame, name: str, digits: int = 2) -> str:
    return with_interval(rows["turned"].astype(float) - rows[name], rows["review"], digits)


def _change(rows: pd.DataFrame, one: str, other: str) -> str:
    of = [losses(rows[name].to_numpy(), rows["turned"]) for name in (one, other)]
    return with_interval(of[0] - of[1], rows["review"])


def _by_studies(every: pd.DataFrame) -> str:
    header, lines = ["just read the n-th study"], []
    for prior in ("default", "width"):
        header += [f"{prior}: by belief", "said", "so", "so − said"]
    for n, rows in every[every["at"] == WHEN].groupby("studies"):
        line = [str(n)]
        for prior in ("default", "width"):
            of = rows[rows["prior"] == prior]
            line += [*(percent(_mean(of, name)) for name in ("belief", SAID, "turned")), _off(of, SAID)]
        lines.append(line)
    return table(header, lines)


def _by_form(told: pd.DataFrame) -> str:
    lines = []
    for prior in ("width", "default"):
        rows = told[told["prior"] == prior]
        before = losses(rows[TIMES].to_numpy(), rows["turned"])
        for form in FORMS:
            said = rows[form.name]
            loss = losses(said.to_numpy(), rows["turned"])
            lines.append(
                [
                    f"{prior}: {form.name}",
                    ", ".join(f"{each:.2f}" for each in learned(rows, form)),
                    f"{by_review(loss, rows['review']).mean():.3f}",
                    with_interval(loss - before, rows["review"]),
                    _off(rows, form.name, 3),
                    str(int(((said > 0.5) & (rows["belief"] <= 0.5)).sum())),
                ]
            )
    header = [
        "form", "learned from all", "log-loss", f"minus that of {TIMES}", "so − said", f"crosses, of {len(told) // 2}"
    ]  # fmt: skip
    return table(header, lines)


def _by_band(wide: pd.DataFrame) -> str:
    band = np.digitize(wide["belief"], BANDS[1:-1])
    parts = [(f"belief {low:g}–{high:g}", wide[band == at]) for at, (low, high) in enumerate(pairwise(BANDS))]
    parts += [(f"q* = {q_star:g}", rows) for q_star, rows in wide.groupby("q_star")]
    shown = [FORMS[0].name, TIMES, POWER, SAID]
    lines = [
        [name, str(len(rows)), str(rows["review"].nunique()), *(percent(_mean(rows, each)) for each in ("belief", SAID, "turned")),
         *(_off(rows, each) for each in shown)]
        for name, rows in parts
    ]  # fmt: skip
    return table(["", "cases", "reviews", "by belief", "said", "so", *shown], lines)


def _by_share(late: pd.DataFrame) -> str:
    shown = ["coming", "came", "belief", TIMES, POWER, SAID, "turned"]
    lines = [
        [percent(float(at)), str(len(rows)), str(rows["review"].nunique()), *(f"{100 * _mean(rows, each):.1f} %" for each in shown),
         _off(rows, SAID, 3)]
        for at, rows in late.groupby("at")
    ]  # fmt: skip
    header = [
        "read",
        "cases",
        "reviews",
        "comes",
        "came",
        "by belief",
        TIMES,
        POWER,
        "said",
        "so",
        "so − said",
    ]
    return table(header, lines)
