"""Files that were whole, and what a mutator makes of them."""

import contextlib
import gzip
import io
import json
import zipfile
import zlib
from collections.abc import Callable
from random import Random
from typing import Any

TOKENS = (
    b"\0", b"\xff\xfe", b"\xef\xbb\xbf", b"\r", b"\n\n\n", b"\"", b"'", b",", b";", b"\t", b"=", b"@", b"{", b"}", b"[", b"]",
    b"<![CDATA[", b"&lt;&#0;", b"]]>", b"TY  - ", b"ER  - ", b"@article{", b"PMID- ", b"1e999", b"-1", b"NaN", b"inf",
    b"9" * 400, b"0x1F", b"\xed\xa0\x80", "٣".encode(), "\u202e\u2028".encode(), b"=1+1", b"9999-12-31T23:59:59-14:00",
    b"A" * 70_000, b"[" * 5_000, b"../../etc/passwd",
)  # fmt: skip
VALUES: tuple[Any, ...] = (
    None, True, False, 0, -1, 0.5, 2**31, 2**63, 10**30, 1e308, 1e-320, "", " ", "12", "nan", "garbage", "x" * 2_000,
    "9999-12-31T23:59:59.999-14:00", "0001-01-01T00:00:00+14:00", "\u202e", "\0", [], [[]], [None], {}, {"a": 1},
    [0] * 50, {"a": {"b": {"c": [{}]}}}, "../x", "=1+1", "optimal:x=1", "either(" * 300,
)  # fmt: skip

OF_RUNS = (" ", "9", '"', "\n", "'", "\t", " \n", "1 ", '" ', "(", "a.", "0,", "é", "{", "/")
LENGTHS = (300, 3_000, 60_000)


def run(random: Random, longest: int = LENGTHS[-1]) -> str:
    """A long run of spaces, digits, quotation marks, line breaks or the like, perhaps between something else."""
    unit = random.choice(OF_RUNS)
    length = random.choice([n for n in LENGTHS if n <= longest])
    return (
        random.choice(("", "", "x", "0.85", "10.1/"))
        + (unit * length)[:length]
        + random.choice(("", "", "y", "=1"))
    )


def stretched(seed: bytes, random: Random) -> bytes:
    """A file with a long run in a cell, a key, a value or the name of a member."""
    if seed[:1] in (b"{", b"["):
        with contextlib.suppress(ValueError, RecursionError):
            content = json.loads(seed)
            places = [(content, key) for key in _keys(content)]
            for parent, key in places:
                places += [(parent[key], each) for each in _keys(parent[key])] if len(places) < 5_000 else []
            parent, key = random.choice(places)
            if isinstance(parent, dict) and random.random() < 0.3:
                parent[random.choice((key, "")) + run(random)] = parent.pop(key)
            elif isinstance(parent[key], str) and random.random() < 0.5:
                parent[key] += run(random)
            else:
                parent[key] = run(random)
            return json.dumps(content).encode()
    if zipfile.is_zipfile(io.BytesIO(seed)):
        with zipfile.ZipFile(io.BytesIO(seed)) as packed:
            members = [(each.filename, packed.read(each)) for each in packed.infolist()]
        at = random.randrange(len(members))
        name, content = members[at]
        long = (f"{name[:2]}{run(random, 3_000)}{name[2:]}", content)
        members[at] = random.choice(
            (long, (name, _stretched_cell(content, random)), (name, _stretched_cell(content, random)))
        )
        return _zipped(members)
    if seed[:2] == b"\x1f\x8b":
        return gzip.compress(_stretched_cell(gzip.decompress(seed), random), 1, mtime=0)
    return _stretched_cell(seed, random)


def _stretched_cell(seed: bytes, random: Random) -> bytes:
    """Within quotation marks, or as it comes."""
    by = random.choice((b",", b"\t", b" ", b"  - ", b"=", b">"))
    cells = [
        (line, cell) for line, text in enumerate(seed.split(b"\n")) for cell in range(text.count(by) + 1)
    ]
    line, cell = random.choice(cells)
    lines = seed.split(b"\n")
    parts = lines[line].split(by)
    long = run(random)
    quoted = '"' + long.replace('"', '""') + '"'
    put = random.choice((long, quoted)).encode()
    parts[cell] = random.choice((put, parts[cell] + put, put + parts[cell]))
    lines[line] = by.join(parts)
    return b"\n".join(lines)


def mutated(seed: bytes, random: Random) -> bytes:
    """A file with one to three changes: of its values where it is JSON or of its members where it is packed, else of bytes."""
    for _ in range(random.choice((1, 1, 2, 3))):
        seed = random.choice(_ways(seed))(seed, random)
    return seed


def _ways(seed: bytes) -> list[Callable[[bytes, Random], bytes]]:
    ways: list[Callable[[bytes, Random], bytes]] = [_bytes]
    if seed[:1] in (b"{", b"["):
        ways += [_json] * 6
    elif zipfile.is_zipfile(io.BytesIO(seed)):
        ways += [_packed] * 6
    elif seed[:2] == b"\x1f\x8b":
        ways += [_gzipped] * 3
    else:
        ways += [_cell] * 3
    return ways


def _bytes(seed: bytes, random: Random) -> bytes:
    a = random.randrange(len(seed) + 1)
    b = min(len(seed), a + random.choice((0, 0, 1, 4, 40, 400)))
    part = seed[a:b]
    put = random.choice(
        (random.choice(TOKENS), b"", part * random.choice((2, 50)), bytes(random.randbytes(4)), part[::-1])
    )
    return seed[:a] + put + seed[b:]


def _cell(seed: bytes, random: Random) -> bytes:
    """A line or a part of one goes, comes twice, or becomes something else."""
    lines = seed.split(b"\n")
    at = random.randrange(len(lines))
    by = random.choice((b",", b"\t", b" ", b"  - ", b"="))
    cells = lines[at].split(by)
    cells[random.randrange(len(cells))] = random.choice(
        (*TOKENS, *(str(each).encode("utf-8") for each in VALUES))
    )
    lines[at : at + 1] = random.choice(
        ([by.join(cells)], [], [lines[at]] * 3, [by.join(cells * random.choice((1, 30)))])
    )
    return b"\n".join(lines)


def _json(seed: bytes, random: Random) -> bytes:
    try:
        content = json.loads(seed)
    except (ValueError, RecursionError):
        return _bytes(seed, random)
    places = [(content, key) for key in _keys(content)]
    for parent, key in places:
        if len(places) < 5_000:
            places += [(parent[key], each) for each in _keys(parent[key])]
    if not places:
        return _bytes(seed, random)
    parent, key = random.choice(places)
    how = random.random()
    if how < 0.15:
        del parent[key]
    elif how < 0.25 and isinstance(parent, dict):
        parent[random.choice(("", "zz", key + "_"))] = random.choice(VALUES)
    elif how < 0.35:
        other, there = random.choice(places)
        parent[key] = other[there]
    else:
        parent[key] = random.choice(VALUES)
    try:
        return json.dumps(content, ensure_ascii=random.random() < 0.5).encode("utf-8", "surrogatepass")
    except (ValueError, RecursionError):  # it now holds itself
        return _bytes(seed, random)


def _keys(value: object) -> list[Any]:
    return (
        list(value) if isinstance(value, dict) else list(range(len(value))) if isinstance(value, list) else []
    )


def _packed(seed: bytes, random: Random) -> bytes:
    try:
        with zipfile.ZipFile(io.BytesIO(seed)) as packed:
            members = [(each.filename, packed.read(each)) for each in packed.infolist()]
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, ValueError, EOFError, OSError, zlib.error):
        return _bytes(seed, random)
    if not members:
        return _bytes(seed, random)
    at = random.randrange(len(members))
    name, content = members[at]
    members[at : at + 1] = random.choice(
        (
            [(name, _bytes(content, random))],
            [(name, _cell(content, random))],
            [],
            [(f"deep/{name}", content)],
            [(f"../{name}", content)],
        )
    )
    return _zipped(members)


def _zipped(members: list[tuple[str, bytes]]) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in members:
            packed.writestr(name, content)
    return made.getvalue()


def _gzipped(seed: bytes, random: Random) -> bytes:
    try:
        return gzip.compress(_cell(gzip.decompress(seed), random), 1, mtime=0)
    except (OSError, EOFError, ValueError, zlib.error):
        return _bytes(seed, random)
