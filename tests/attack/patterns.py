"""Every pattern of the programme, found in its sources, and texts that make a slow one slow."""

import ast
import contextlib
import gc
import importlib
import re
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, fields, is_dataclass
from functools import cache
from pathlib import Path
from re import _constants, _parser  # type: ignore[attr-defined]
from types import ModuleType
from typing import Any

from hypothesis import settings

ROOT = Path(__file__).parents[2]
SOURCES = ("tarstop_core", "dashboard")
APPLIED = frozenset("match fullmatch search sub subn split findall finditer".split())
OF_COLUMNS = frozenset("contains replace match fullmatch extract extractall findall count split".split())
"""Methods of `re`, and those of a pandas column that take a pattern."""
_OF_SCRIPTS = re.compile(r"[(,=]\s*/(?![/*])((?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\[\n])+)/([a-z]*)")


@dataclass(frozen=True)
class Applied:
    """A pattern, where it stands, and how it is applied there."""

    place: str
    pattern: re.Pattern[str]
    method: str

    def __str__(self) -> str:
        return f"{self.place} {self.method} {self.pattern.pattern[:60]}"

    def __call__(self, text: str) -> object:
        """Apply it as the programme does."""
        act = getattr(self.pattern, self.method)
        # Headers are bytes.
        subject: Any = text.encode() if isinstance(self.pattern.pattern, bytes) else text
        if self.method in ("sub", "subn"):
            return act(subject[:0], subject)
        return sum(1 for _ in act(subject)) if self.method == "finditer" else act(subject)


@cache
def applied() -> tuple[Applied, ...]:
    """Every pattern of the sources, in Python and in scripts, once for each way in which it is applied."""
    found: dict[tuple[str, int, str], Applied] = {}
    for path in sorted(path for name in SOURCES for path in (ROOT / name).rglob("*.py")):
        for each in _of_module(path):
            found.setdefault((each.pattern.pattern, each.pattern.flags, each.method), each)
    for path in sorted(path for name in SOURCES for path in (ROOT / name).rglob("*.js")):
        for written, flags in _OF_SCRIPTS.findall(path.read_text(encoding="utf-8")):
            pattern = re.compile(written, re.IGNORECASE if "i" in flags else 0)
            found[pattern.pattern, pattern.flags, "sub"] = Applied(_place(path), pattern, "sub")
    return tuple(found.values())


def unreadable() -> list[str]:
    """Places that make a pattern of what is known only while they run, so that nothing here can try it."""
    found = []
    for path in sorted(path for name in SOURCES for path in (ROOT / name).rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        if "import re\n" in text:
            module = _module(path)
            calls = (node for node in ast.walk(ast.parse(text)) if _written(node) is not None)
            found += [f"{_place(path)}:{node.lineno}" for node in calls if _pattern(node, module) is None]  # type: ignore[attr-defined]
    return found


def _of_module(path: Path) -> Iterator[Applied]:
    text = path.read_text(encoding="utf-8")
    if not re.search(r"^import re$|\.str\.", text, re.MULTILINE):
        return
    module, tree, place = _module(path), ast.parse(text), _place(path)
    for node in ast.walk(tree):
        if (pattern := _pattern(node, module)) is not None and (method := _written(node)) != "compile":
            yield Applied(place, pattern, "search" if method not in APPLIED else str(method))
    # A compiled pattern is applied by its name, perhaps elsewhere, or by that of a loop over a table of them.
    for name, value in vars(module).items():
        for pattern in _patterns(value):
            elsewhere = set() if name.startswith("_") else _methods_elsewhere(name)
            for method in sorted(_methods(name, tree) | elsewhere):
                yield Applied(place, pattern, method)


def _written(node: ast.AST) -> str | None:
    """The method of a call that is given a pattern as it is written there."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or not node.args:
        return None
    called, name = node.func.value, node.func.attr
    if isinstance(called, ast.Name) and called.id == "re" and name in APPLIED | {"compile"}:
        return name
    column = isinstance(called, ast.Attribute) and called.attr == "str"
    return name if column and name in OF_COLUMNS and isinstance(node.args[0], ast.Constant) else None


def _pattern(node: ast.AST, module: ModuleType) -> re.Pattern[str] | None:
    if _written(node) is None:
        return None
    assert isinstance(node, ast.Call)
    of_compile = _written(node) == "compile"
    flags = node.args[1:2] if of_compile else [each.value for each in node.keywords if each.arg == "flags"]
    flags = flags or [each for each in node.args[2:] if "re." in ast.unparse(each)]
    try:
        written, *more = (
            eval(compile(ast.Expression(each), "", "eval"), dict(vars(module)))
            for each in (node.args[0], *flags)
        )
        return re.compile(written, *more)
    except (NameError, re.error):
        return None


def _patterns(value: Any, depth: int = 3) -> Iterator[re.Pattern[str]]:
    """Compiled patterns of text in a value: itself, or in what it holds."""
    if isinstance(value, re.Pattern):
        if isinstance(value.pattern, str):
            yield value
    elif depth and isinstance(value, dict):
        for each in (*value, *value.values()):
            yield from _patterns(each, depth - 1)
    elif depth and isinstance(value, (tuple, list, set, frozenset)):
        for each in value:
            yield from _patterns(each, depth - 1)
    elif depth and is_dataclass(value) and not isinstance(value, type):
        for field in fields(value):
            yield from _patterns(getattr(value, field.name, None), depth - 1)


def _methods(name: str, tree: ast.AST) -> set[str]:
    """How a module applies what it calls so; where it only hands it on, how it applies what it calls otherwise."""
    calls = [
        (ast.unparse(node.value).rpartition(".")[2], node.attr)
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and node.attr in APPLIED
    ]
    own = {method for called, method in calls if called == name}
    others = {method for called, method in calls if called.islower() and called != "re"}
    return own or (others & {"match", "fullmatch", "search"}) or {"match"}


@cache
def _methods_elsewhere(name: str) -> set[str]:
    return {
        method
        for path in (path for folder in SOURCES for path in (ROOT / folder).rglob("*.py"))
        for method in re.findall(rf"\b{name}\.({'|'.join(APPLIED)})\(", path.read_text(encoding="utf-8"))
    }


def _module(path: Path) -> ModuleType:
    return importlib.import_module(
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
    )


def _place(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


# --- what makes a pattern slow --------------------------------------------------------------------------------

RUNS = (
    " ",
    "\n",
    "\t",
    "1",
    "0",
    "a",
    "A",
    ".",
    ",",
    '"',
    "'",
    "(",
    ")",
    "-",
    "/",
    "_",
    ";",
    "é",
    "\\",
    '" ',
    "1.",
    "a ",
    "\r\n",
    "' ",
)
"""What texts have long runs of; a pattern's own characters come to them."""
ENDS = ("", "\0", "\nx")
"""What stands behind a run where the text does not go on as the pattern wants it."""


def stretched(pattern: re.Pattern[str]) -> Iterator[Callable[[int], str]]:
    """Texts of any length that match up to some place, where a run begins; and beginnings over and over."""
    parts: dict[
        tuple[str, str, str], None
    ] = {}  # A beginning, what is repeated, and an end; in order, each once
    for example in _examples(pattern):
        own = sorted({c for c in example if not c.isalnum()})
        changes = [at for at in range(1, len(example)) if example[at - 1] != example[at]]
        for at in (0, *changes, len(example)):
            head, tail = example[:at], example[at:]
            parts |= dict.fromkeys((head, run, end) for run in (*RUNS, *own) for end in (tail, *ENDS))
            parts |= dict.fromkeys(("", head, end) for end in ENDS if head)
    for head, run, end in parts:
        yield lambda n, h=head, r=run, e=end: h + (r * (n // len(r) + 1))[:n] + e  # type: ignore[misc]


def _examples(pattern: re.Pattern[str]) -> Iterator[str]:
    """Short texts that match, or nearly: with and without what may be left out, and each branch."""
    tree = _parser.parse(pattern.pattern, pattern.flags)
    for least in (0, 1):
        for branch in range(3):
            for around in (False, True):
                yield _example(tree, least, branch, around)


def _example(tree: Iterable[tuple[Any, Any]], least: int, branch: int, around: bool) -> str:
    made = ""
    for kind, value in tree:
        match str(kind):
            case "LITERAL":
                made += chr(value)
            case "NOT_LITERAL":
                made += "a" if value != ord("a") else "b"
            case "ANY":
                made += "a"
            case "IN":
                made += _one_of(value)
            case "BRANCH":
                made += _example(value[1][branch % len(value[1])], least, branch, around)
            case "SUBPATTERN":
                made += _example(value[3], least, branch, around)
            case "ATOMIC_GROUP":
                made += _example(value, least, branch, around)
            case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
                made += _example(value[2], least, branch, around) * min(max(value[0], least), value[1], 300)
            case "ASSERT" if around:
                made += _example(value[1], least, branch, around)
            case _:  # what takes no room
                pass
    return made


def _one_of(members: list[tuple[Any, Any]]) -> str:
    """A character of a set; letters and digits first, for what stands in a set otherwise."""
    one = re.compile("[" + "".join(_written_member(each) for each in members) + "]")
    return next((c for c in "a1A \n-.,(\"'/%é" if one.match(c)), None) or next(
        (chr(c) for c in range(0x3000) if one.match(chr(c))), ""
    )


def _written_member(member: tuple[Any, Any]) -> str:
    kind, value = member
    match str(kind):
        case "NEGATE":
            return "^"
        case "LITERAL":
            return f"\\U{value:08x}"
        case "RANGE":
            return f"\\U{value[0]:08x}-\\U{value[1]:08x}"
        case _:
            return {v: k for k, v in (("\\d", _constants.CATEGORY_DIGIT), ("\\D", _constants.CATEGORY_NOT_DIGIT), ("\\s", _constants.CATEGORY_SPACE), ("\\S", _constants.CATEGORY_NOT_SPACE), ("\\w", _constants.CATEGORY_WORD), ("\\W", _constants.CATEGORY_NOT_WORD))}[value]  # fmt: skip


# --- how long they take ---------------------------------------------------------------------------------------

SUSPICIOUS, ALLOWED, MOST = 0.004, 0.02, 0.3
"""Seconds of processor time: more than a short text takes that are looked into, that count for nothing, and that no text may take."""
ALL_SIZES = (20, 200, 1_500, 8_000)
SIZES = ALL_SIZES[:3] if settings.get_current_profile_name() == "tests" else ALL_SIZES
"""Four thousandths of a second are much for these lengths; twice the length is tried from there on. A text whose time grows with the
square of its length mostly shows at 1,500 characters; `make deep` tries the longest too."""
LONGEST = 25_000


def seconds(act: Callable[[str], object], text: str, times: int = 1) -> float:
    """Processor time of this thread, the least of several tries: what else the machine does hardly counts."""
    least = float("inf")
    for _ in range(times):
        begun = time.thread_time()
        with contextlib.suppress(ValueError):  # refused, which an InputProblem is
            act(text)
        least = min(least, time.thread_time() - begun)
    return least


def too_slow(
    act: Callable[[str], object], texts: Iterable[Callable[[int], str]], sizes: tuple[int, ...] = SIZES
) -> str:
    """What shows that an act takes more than twice as long for a text twice as long; "" where nothing does."""
    gc.disable()
    try:
        suspicious = SUSPICIOUS + seconds(act, "a", 3)
        for text in texts:
            for n in sizes:
                taken = seconds(act, text(n))
                if taken > suspicious and (taken := min(taken, seconds(act, text(n)))) > suspicious:
                    if said := _grows(act, text, n, taken):
                        return said
                    break
    finally:
        gc.enable()
    return ""


def _grows(act: Callable[[str], object], text: Callable[[int], str], n: int, before: float) -> str:
    """The same for one text, from a length on that takes so many seconds."""
    while n < LONGEST:
        # Where one character more doubles the time, twice as many would take for ever.
        more = n + 4 if n < 40 else 2 * n
        allowed = ALLOWED / 5 if n < 40 else ALLOWED
        now = seconds(act, text(more))
        if _is_too_long(now, before, allowed):
            # A processor that others slow down shows it at one length only: both are timed again, more often.
            before, now = seconds(act, text(n), 5), seconds(act, text(more), 5 if now < MOST else 1)
            if _is_too_long(now, before, allowed):
                return f"{text(n)[:40]!r} … {text(n)[-8:]!r}: {before:.3f} s at {n:,} characters, {now:.3f} s at {more:,}"
        n, before = more, now
    return ""


def _is_too_long(now: float, before: float, allowed: float) -> bool:
    """Whether the double length took more than twice as long, with some room, or too long at all."""
    return now > 2.5 * before + allowed or now > MOST
