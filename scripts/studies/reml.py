"""How often the REML belief and the exact belief choose different actions, on real 2×2 tables."""

from pathlib import Path

import numpy as np
import pandas as pd

from scripts.study import Study, Tables
from tarstop_core.belief.bivariate import bivariate_path
from tarstop_core.belief.reitsma import IDENTIFIED_FROM, Correction, fit_prefixes, reml_belief
from tarstop_core.documents.tables import CELLS
from tarstop_core.documents.tables import Tables as StudyTables
from tarstop_core.files.tables import read_tables
from tarstop_core.places import real_data
from tarstop_core.value.payoffs import Flags, Floats

THETA, THETAS = 0.75, (0.6, 0.75, 0.9)
Q_STARS = (0.2, 0.5, 0.8)
FIRST, OUTCOMES = "first tests", "outcomes"
SIZES = {"3–5 studies": (3, 5), "11–20 studies": (11, 20)}
FEWEST_REVIEWS = 5  # an interval needs as many
SHOWN = "CD007394"  # a review with many empty cells, which the page shows


def reml_path(tables: StudyTables, theta: float, correction: Correction) -> Floats:
    """REML belief after 0 … n studies; NaN before the third."""
    fits = fit_prefixes(tables, correction=correction)
    return np.array([reml_belief(fitted, theta) for fitted in fits], dtype=np.float64)


def beliefs(origin: str, review: str, outcome: str, tables: StudyTables) -> pd.DataFrame:
    """Beliefs after each study from the third on, a row for each θ and prefix."""
    parts = []
    for theta in THETAS:
        rows = pd.DataFrame(
            {
                "set": origin,
                "review": review,
                "outcome": outcome,
                "theta": theta,
                "studies": np.arange(len(tables) + 1),
                "reml_single": reml_path(tables, theta, "single"),
                "reml_all": reml_path(tables, theta, "all"),
                "exact": bivariate_path(tables, theta),
            }
        )
        parts.append(rows.assign(final=rows["studies"] == len(tables))[rows["studies"] >= IDENTIFIED_FROM])
    return pd.concat(parts)


def table_sets(data: Path) -> list[tuple[str, str, str, StudyTables]]:
    """The first test of each review, and every outcome with at least five studies."""
    first = [
        (FIRST, path.stem, path.stem, read_tables(path).tables)
        for path in sorted((data / "dta_reviews").glob("CD*.csv"))
    ]
    rows = pd.read_csv(data / "clef_dta" / "outcomes.csv", dtype={"study": str})
    outcomes = [
        (OUTCOMES, str(review), str(outcome), StudyTables(tuple(part["study"]), *part[list(CELLS)].to_numpy(float).T))
        for (review, outcome), part in rows.groupby(["topic", "outcome"])
    ]  # fmt: skip
    return first + outcomes


def measure() -> Tables:
    """Beliefs of all prefixes of all tables."""
    found = pd.concat([beliefs(*each) for each in table_sets(real_data())], ignore_index=True)
    return {"reml_or_exact": found.round(6)}


def differs(rows: pd.DataFrame, first: str = "reml_single", second: str = "exact") -> Flags:
    """Whether two beliefs choose different actions, shape (rows, q*)."""
    a, b = rows[first].to_numpy()[:, None], rows[second].to_numpy()[:, None]
    return np.asarray((a > np.array(Q_STARS)) != (b > np.array(Q_STARS)))


def share_that_differs(rows: pd.DataFrame) -> dict[str, object]:
    """Share of differing actions, with an interval from resampling reviews where there are enough."""
    counts = pd.DataFrame({"review": rows["review"].to_numpy(), "differing": differs(rows).sum(axis=1)})
    sums = counts.groupby("review")["differing"].agg(["sum", "count"]).to_numpy()
    drawn = np.random.default_rng(1).integers(len(sums), size=(10_000, len(sums)))
    differing, prefixes = sums[drawn].sum(axis=1).T
    low, high = np.quantile(differing / (prefixes * len(Q_STARS)), [0.025, 0.975])
    return {
        "reviews": len(sums),
        "answers": len(rows),
        "share": differs(rows).mean(),
        "low": low if len(sums) >= FEWEST_REVIEWS else None,
        "high": high,
        "all": differs(rows, "reml_all").mean(),
    }


def summarise(tables: Tables) -> dict[str, object]:
    """Shares of differing actions by set and number of studies, and what the differing decisions have in common."""
    rows, sets = [], {}
    for origin, beliefs_of in tables["reml_or_exact"].groupby("set", sort=False):
        main = beliefs_of[beliefs_of["theta"] == THETA]
        parts = {name: main[main["studies"].between(*ends)] for name, ends in SIZES.items()}
        parts |= {"all prefixes": main}
        rows += [{"set": origin, "part": name} | share_that_differs(part) for name, part in parts.items()]
        apart, unsure = differs(main), main["exact"].between(0.05, 0.95)
        sets[str(origin).replace(" ", "_")] = {
            "differing": int(apart.sum()),
            "lower": int(apart[main["reml_single"] < main["exact"]].sum()),
            "unsure": differs(main[unsure]).mean(),
            "sure": differs(main[~unsure]).mean(),
        }
    shown = tables["reml_or_exact"].query("review == @SHOWN and theta == @THETA and set == @FIRST and final")
    return {"rows": rows, **sets, "shown": shown.iloc[0].to_dict()}


STUDY = Study(
    page="reml_or_exact",
    reads="the 2×2 tables in TARSTOP_REAL_DATA; some minutes",
    tables=("reml_or_exact",),
    measure=measure,
    summarise=summarise,
)
