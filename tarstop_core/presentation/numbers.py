"""Numbers as a person reads them: the same on a page, on the command line and in a report."""

import math
import re
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from typing import Any

CURRENCIES = "£$€¥"
INTERVAL_LEVEL = 0.9  # Chance with which an interval on a page holds the true value
SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_MINUS_BEFORE_MONEY = re.compile(f"−(?=[{CURRENCIES}])")


def number(value: float) -> str:
    """At most three significant digits, in figures a person reads aloud.

    >>> number(0.00431), number(0), number(3123.4), number(0.5), number(12.345), number(1234567)
    ('0.00431', '0', '3,120', '0.5', '12.3', '1,230,000')
    >>> number(0.00000012), number(-0.25)
    ('1.2 × 10⁻⁷', '-0.25')
    """
    digits, power = digits_and_power(value)
    return f"{digits} × 10{str(power).translate(SUPERSCRIPT)}" if power else digits


def signed(value: float) -> str:
    """A number with the sign of subtraction in front where it is below 0, as figures and intervals have it.

    >>> signed(-0.25), signed(0.5)
    ('−0.25', '0.5')
    """
    return number(value).replace("-", "−")


def alike(values: Sequence[float], decimals: int = 2, beside: float | None = None) -> list[str]:
    """Numbers that stand beside each other: at least two decimals below 10, three digits above.

    Parameters
    ----------
    values : sequence of float
        The numbers.
    decimals : int
        Most decimals, if no fewer say the same.
    beside : float, optional
        A number, such as a threshold, on whose own side each of them is to read.

    Returns
    -------
    list of str
        A text for each.

    Examples
    --------
    >>> alike([1.6, 2.467]), alike([2.0, 0.8, 12.34, 1450]), alike([-0.0016, -0.0048, 0.0016], 5)
    (['1.60', '2.47'], ['2.00', '0.80', '12.3', '1,450'], ['−0.0016', '−0.0048', '0.0016'])
    >>> alike([0.85, 0.998]), alike([0.85, 0.998], beside=1.0)
    (['0.85', '1.00'], ['0.85', '0.998'])
    >>> alike([1004.0]), alike([1004.0], beside=1000.0)
    (['1,000'], ['1,004'])
    """
    while decimals > 2 and all(round(value, decimals) == round(value, decimals - 1) for value in values):
        decimals -= 1
    texts = []
    for value in values:
        places = decimals if abs(value) < 10 else 1 if abs(value) < 100 else 0
        if beside is not None:
            places = _on_its_side(value, places, beside)
        # Three digits may cross a threshold of four.
        written_out = abs(value) < 1000 or (beside is not None and math.isfinite(value))
        texts.append(f"{round(value, places) + 0.0:,.{places}f}" if written_out else number(value))
    return [text.replace("-", "−") for text in texts]


def digits_and_power(value: float) -> tuple[str, int]:
    """The digits of a number, and the power of ten that they are multiplied by: 0 unless the number is tiny.

    >>> digits_and_power(3123.4), digits_and_power(0.00000012)
    (('3,120', 0), ('1.2', -7))
    """
    if value == 0 or not math.isfinite(value):
        return "0" if value == 0 else "no limit" if value > 0 else "−no limit", 0
    digits = 2 - math.floor(math.log10(abs(value)))
    rounded = round(value, digits)
    if abs(rounded) < 1e-5:
        written, _, power = f"{rounded:.3g}".partition("e")
        return written, int(power)
    text = f"{rounded:,.{max(0, digits)}f}"
    return text.rstrip("0").rstrip(".") if digits > 0 else text, 0


def amount(value: float, unit: str, *, exact: bool = True) -> str:
    """A number with its unit: '£3,120', '1.5 hours', '0.0043' where nothing is named.

    Parameters
    ----------
    value : float
        The amount.
    unit : str
        Its unit; empty for normalised payoffs.
    exact : bool
        Whether every digit counts, as in a setting. What was computed has only hundredths of a currency, and below
        them one digit.

    Returns
    -------
    str
        With at most three significant digits.

    Examples
    --------
    >>> amount(3120, "£"), amount(1.5, "hours"), amount(0.0043, ""), amount(-20, "€"), amount(47.8, "£")
    ('£3,120', '1.5 hours', '0.0043', '−€20', '£47.80')
    >>> amount(0.0744, "£"), amount(0.0744, "£", exact=False), amount(0.00744, "£", exact=False)
    ('£0.0744', '£0.07', '£0.007')
    """
    currency = bool(unit) and unit in CURRENCIES
    # What is just not worth 1 does not read as if it were.
    if currency and not exact and 0 < abs(value) < 0.995:
        value = round(value, 2) if abs(value) >= 0.01 else float(f"{value:.1g}")
    text = number(abs(value))
    sign = "−" if value < 0 and text != "0" else ""
    if currency:
        # Tenths of a currency are written as prices are.
        return f"{sign}{unit}{text}{'0' if text[-2:-1] == '.' else ''}"
    return f"{sign}{text} {unit}".rstrip()


def amount_or_documents(value: float, unit: str, cost: float) -> str:
    """Write an amount; without a unit, the number of documents that cost as much.

    Parameters
    ----------
    value : float
        The amount.
    unit : str
        Its unit; empty for normalised payoffs.
    cost : float
        Cost of a document, in the unit of the amount.

    Returns
    -------
    str
        The amount as a number if it has no unit and documents cost nothing.

    Examples
    --------
    >>> amount_or_documents(50, "£", 2), amount_or_documents(0.05, "", 0.002), amount_or_documents(0.05, "", 0)
    ('£50', '25 documents', '0.05')
    """
    if unit or not cost or not value:
        return amount(value, unit, exact=False)
    return count_of(max(1, value / cost))


def percent(probability: float, beside: float | None = None) -> str:
    """A probability as a person says it; never rounded to certainty, nor to or across the probability `beside`.

    >>> percent(0.213), percent(0.0312), percent(0.0004), percent(1.0), percent(0.9999), percent(0.0)
    ('21 %', '3.1 %', '0.04 %', '100 %', 'over 99.9 %', '0 %')
    >>> percent(0.0996), percent(0.9904), percent(0.9899), percent(0.9906)
    ('10 %', '99 %', '99 %', '99.1 %')
    >>> percent(0.9467), percent(0.9467, beside=0.95), percent(0.95, beside=0.95), percent(0.94967, beside=0.95)
    ('95 %', '94.7 %', '95 %', '94.97 %')
    >>> percent(0.293, beside=0.29), percent(0.57, beside=0.57)
    ('29.3 %', '57 %')
    """
    if probability in (0.0, 1.0):
        return f"{probability:.0%}".replace("%", " %")
    if probability > 0.999:
        return "over 99.9 %"
    if probability < 0.0001:
        return "under 0.01 %"
    share = 100 * probability
    # What one digit more rounds to 10 or 99 has none either, as its neighbours.
    digits = 0 if 9.95 <= share < 99.05 else 1 if share >= 1 else 2
    if beside is not None:
        digits = _on_its_side(share, digits, 100 * beside)
    return f"{share:.{digits}f} %"


def _on_its_side(value: float, decimals: int, beside: float) -> int:
    """Return how many decimals, at least those given, keep a number on its own side of another one."""
    if abs(value - beside) > 1e-6:
        # Less than the test above leaves: 100 · 0.29 is just below 29.
        while (round(value, decimals) - beside) * (value - beside) < 1e-12:
            decimals += 1
    return decimals


def listed(names: Sequence[str], last: str = "and") -> str:
    """Join names: 'A', 'A and B', 'A, B and C'."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} {last} {names[-1]}"


def count_of(count: float, one: str = "document", many: str = "documents") -> str:
    """A count with its noun: '1 document', '6 documents', '1,234 documents'.

    Parameters
    ----------
    count : float
        Rounded to a whole number.
    one, many : str
        The noun in singular and plural.

    Returns
    -------
    str
        With a comma between thousands.
    """
    whole = round(count)
    return f"1 {one}" if whole == 1 else f"{whole:,} {many}"


def multiple(ratio: float) -> str:
    """How many times, as one says it.

    >>> multiple(77.2), multiple(4.31), multiple(0.996), multiple(0.0312), multiple(1234.0)
    ('77', '4.3', '0.99', '0.031', '1,200')
    """
    rounded = float(f"{ratio:.2g}")
    if rounded == 1 and ratio != 1:
        # What is just not worth its cost does not read as if it were.
        return "0.99" if ratio < 1 else "1.01"
    return number(rounded)


def round_numbers(
    low: float,
    high: float,
    most: int = 5,
    least: float = 0.0,
    multiples: Sequence[float] = (1, 2, 5, 10),
    step: float | None = None,
) -> list[float]:
    """Evenly spaced round numbers between two ends, as for the ticks of an axis.

    Parameters
    ----------
    low, high : float
        The ends.
    most : int
        Steps between them at most.
    least : float
        The smallest step.
    multiples : sequence of float
        A step is one of these, rising, times a power of ten.
    step : float, optional
        The step, if it is given.

    Returns
    -------
    list of float
        Rising.

    Examples
    --------
    >>> round_numbers(0, 312), round_numbers(37, 58), round_numbers(0, 12, multiples=(1, 2, 2.5, 5, 10))
    ([0.0, 100.0, 200.0, 300.0], [40.0, 45.0, 50.0, 55.0], [0.0, 2.5, 5.0, 7.5, 10.0])
    """
    if not step:
        raw = (high - low) / most
        power = 10.0 ** math.floor(math.log10(raw))
        step = max(least, power * multiples[bisect_left(multiples, raw, key=power.__mul__)])
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [step * i for i in range(first, last + 1)]


def ticks_in_percent(axis: Mapping[str, Any]) -> dict[str, list[Any]]:
    """The ticks of an axis of shares, and their labels.

    >>> ticks_in_percent({"range": [0, 1.02], "dtick": 0.5})
    {'tickvals': [0.0, 0.5, 1.0], 'ticktext': ['0\xa0%', '50\xa0%', '100\xa0%']}
    """
    low, high = sorted(axis["range"])
    values = axis.get("tickvals")
    if values is None:
        values = round_numbers(low, high, axis.get("nticks", 6), step=axis.get("dtick"))
    return {"tickvals": list(values), "ticktext": [f"{100 * value:.3g}\u00a0%" for value in values]}


def unbroken(text: str) -> str:
    """A text in which no line break parts a percentage from its sign, or a minus from its amount of money."""
    return _MINUS_BEFORE_MONEY.sub("−\u2060", text.replace(" %", "\u00a0%"))
