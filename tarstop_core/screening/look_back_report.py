"""Report on where each rule would have stopped in a project screened elsewhere: a page that loads and runs nothing."""

from tarstop_core import __version__
from tarstop_core.presentation.curves import found_curve
from tarstop_core.presentation.html import page, sheet
from tarstop_core.presentation.numbers import number
from tarstop_core.presentation.pictures import still
from tarstop_core.screening.look_back import LookBack, message

HEAD = ("Rule", "Stops after", "Relevant by then", "Missed", "Documents read per document missed")


def look_back_report(back: LookBack, name: str, source: str, unit: str = "") -> str:
    """Report on a replayed project as one HTML page.

    Parameters
    ----------
    back : LookBack
        Results of the replay; the methods section is about the first stop.
    name : str
        Name of the project.
    source : str
        File or tool that its labels come from.
    unit : str
        Unit of costs.

    Returns
    -------
    str
        The page as HTML.
    """
    rows = [
        (
            stop.policy.brief,
            "not within what was read" if stop.depth is None else f"{stop.depth:,}",
            f"{stop.relevant_read:,}",
            f"{stop.missed:,}",
            "–" if stop.spared_per_missed is None else number(stop.spared_per_missed),
        )
        for stop in back.stops
    ]
    course = message("course", back=back)
    return page(
        __name__,
        title=f"{name} · read again",
        name=name,
        facts=message("facts", back=back),
        curve=(still(found_curve(back.relevant_in_order, back.left_shown, plan=back.read), course), course),
        rules=sheet(HEAD, rows, numbers=HEAD[1:]),
        chances=message("chances", back=back) if back.left else "",
        methods=message("methods", back=back, stop=back.stops[0], unit=unit, source=source),
        version=__version__,
    )
