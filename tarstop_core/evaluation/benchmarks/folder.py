"""A benchmark of your own: a folder of rankings, judgments and 2×2 tables, or such a folder uploaded by a browser."""

import io
import stat
import zipfile
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO, Any

from tarstop_core.documents.topic import Topic
from tarstop_core.envelope import read_json
from tarstop_core.errors import InputProblem
from tarstop_core.evaluation.cases import FOLDS, Benchmark, Case, Fold, cross_validated, without_relevant
from tarstop_core.evaluation.ranking_metrics import ranking_metrics
from tarstop_core.evaluation.tasks.base import Task
from tarstop_core.evaluation.tasks.decisive import DecisiveTask
from tarstop_core.evaluation.tasks.effect import EffectTask
from tarstop_core.evaluation.tasks.review import ReviewTask
from tarstop_core.files import label_topics, read_chances, read_qrels, read_run
from tarstop_core.files.effect_tables import holds_effects
from tarstop_core.files.source import BUDGET, CHUNK, Room, check_count, open_source
from tarstop_core.files.trec import is_qrels
from tarstop_core.samples.simulate.rankings import ranking_statistics

ABOUT = "benchmark.json"
ABOUT_KEYS = {"title": str, "provenance": str, "simulated": bool, "folds": int, "twins": bool}
HALVES = ("train", "test")
CHANCES = "chances."


@dataclass(frozen=True)
class CollectionFiles:
    """The files of one collection."""

    run: Path
    qrels: Path | None
    outcomes: Path | None = None  # Reviews: 2×2 tables or effects, with the documents they come from
    chances: Path | None = None  # Reviews: the chance of each document when it was the next to be read


def from_folder(folder: Path) -> Benchmark:
    """Read a benchmark of your own: rankings, judgments, and in reviews 2×2 tables or effects.

    ::

        my-benchmark/
          benchmark.json        optional: title, provenance, simulated, folds, twins
          train/                and test/ with files of the same kinds; without these two folders, the
            bm25.run            files lie in my-benchmark/ itself and topics are cross-validated
            bm25.qrels
            outcomes.csv        reviews only: topic, outcome, study, docid, TP, FP, FN, TN; for interventions the
                                columns that ``tarstop belief --measure`` reads
            chances.csv         reviews only, optional: topic, id, chance when it was next, as rerank writes it

    Each folder has one run (``.run``) and one file of judgments (``.qrels``) in TREC's formats, gzipped or not. A CSV
    or TSV whose lines are judgments, such as BEIR's, counts as judgments. Any other CSV or TSV makes this a benchmark
    of reviews: a document is then relevant if it brings a table, and judgments are not needed. In the patent scenario
    a topic without a relevant document in the qrels is ω⁻; if there is no such topic, every topic gets an ω⁻ twin
    without its relevant documents (``"twins"``).

    Raises
    ------
    InputProblem
        When a file is missing, superfluous or broken; the message names it.
    """
    if not folder.is_dir():
        raise InputProblem(
            f"There is no folder {folder}; name one with a run, its qrels and, for reviews, tables."
        )
    about = _about(folder)
    halves_there = [folder / half for half in HALVES if (folder / half).is_dir()]
    if len(halves_there) == 1:
        raise InputProblem(
            f"The folder {folder} contains only one of train and test; give both, or put the files in {folder} itself."
        )
    sources = [_source(part) for part in halves_there or [folder]]
    tasks = {_task(source) for source in sources}
    if len(tasks) > 1:
        raise InputProblem(
            f"Only one of train and test in {folder} has tables of its kind; give both the same kind, or give none to either."
        )
    task = tasks.pop()
    parts = [_review(source, task) if task.needs_tables else _decisive(source, about) for source in sources]
    halves = [cases for cases, _ in parts]
    both = set.intersection(*({case.group for case in half} for half in halves))
    if len(halves) == 2 and both:
        raise InputProblem(
            f"The topic {min(both)} is in both train and test of {folder}; leave it out of one of them."
        )
    folds = (Fold(*halves),) if len(halves) == 2 else cross_validated(halves[0], about.get("folds", FOLDS))
    name = folder.resolve().name
    return Benchmark(
        name=name,
        title=about.get("title", name),
        scenario=task.scenario,
        folds=folds,
        provenance=about.get("provenance", f"files in the folder {name}"),
        simulated=about.get("simulated", False),
        weigh_by_group=task.needs_tables,
        statistics=measured_statistics(halves[-1], None if task.needs_tables else sources[-1].qrels),
        notes=tuple(note for _, notes in parts for note in notes),
    )


def _task(source: CollectionFiles) -> type[Task]:
    """The task that these files are for: patents without a file of studies, else the kind of review that its columns show."""
    if source.outcomes is None:
        return DecisiveTask
    return EffectTask if holds_effects(source.outcomes) else ReviewTask


def _review(source: CollectionFiles, task: type[Task]) -> tuple[list[Case], tuple[str, ...]]:
    cases, notes = review_cases(source, task.read_outcomes)
    if source.qrels is not None:
        unused = "judgments are not used: a document counts as relevant when it brings a table."
        notes = (*notes, f"{source.qrels.name}: {unused}")
    return cases, notes


def _decisive(source: CollectionFiles, about: Mapping[str, Any]) -> tuple[list[Case], tuple[str, ...]]:
    cases, notes = decisive_cases(source, twins=False)
    mixed = len({case.topic.omega for case in cases}) == 2
    if about.get("twins", not mixed):
        cases, notes = decisive_cases(source)
        notes = (*notes, f"{source.run.name}: every ω⁺ topic got an ω⁻ twin without its relevant documents.")
    return cases, notes


def _source(folder: Path) -> CollectionFiles:
    tabular = _with_suffix(folder, (".csv", ".tsv", ".csv.gz", ".tsv.gz"))
    adaptive = [path for path in tabular if path.name.lower().startswith(CHANCES)]
    tabular = [path for path in tabular if path not in adaptive]
    judged = [path for path in tabular if is_qrels(path)]
    run = _at_most_one(folder, _with_suffix(folder, (".run", ".run.gz")), "runs")
    outcomes = _at_most_one(folder, [path for path in tabular if path not in judged], "files of 2×2 tables")
    named_qrels = _with_suffix(folder, (".qrels", ".qrels.gz"))
    qrels = _at_most_one(folder, [*named_qrels, *judged], "files of judgments")
    if run is None:
        raise InputProblem(
            f"The folder {folder} contains no run; put a TREC run whose name ends in .run there."
        )
    if qrels is None and outcomes is None:
        raise InputProblem(
            f"The folder {folder} contains no file of judgments; put TREC judgments whose name ends in .qrels there."
        )
    chances = _at_most_one(folder, adaptive, "files of chances")
    if chances is not None and outcomes is None:
        raise InputProblem(
            f"The folder {folder} holds {chances.name} but no 2×2 tables; such chances are for reviews: leave the file out."
        )
    return CollectionFiles(run, qrels, outcomes, chances)


def _with_suffix(folder: Path, suffixes: tuple[str, ...]) -> list[Path]:
    return sorted(path for path in folder.iterdir() if path.name.lower().endswith(suffixes))


def _at_most_one(folder: Path, paths: list[Path], what: str) -> Path | None:
    if len(paths) > 1:
        raise InputProblem(
            f"The folder {folder} holds {len(paths)} {what} ({paths[0].name}, {paths[1].name}); keep one."
        )
    return paths[0] if paths else None


def _about(folder: Path) -> dict[str, Any]:
    path = folder / ABOUT
    if not path.is_file():
        return {}
    try:
        content = read_json(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, ValueError) as problem:
        raise InputProblem(f"{path} is not readable JSON ({problem}); correct or remove it.") from None
    if not isinstance(content, dict):
        raise InputProblem(f'{path} is not a JSON object; write {{"title": …}}.')
    for key, value in content.items():
        wanted = ABOUT_KEYS.get(key)
        if wanted is None:
            raise InputProblem(f"{path} has '{key}'; it may have {', '.join(ABOUT_KEYS)}.")
        kind = {str: "a text", bool: "true or false", int: "a whole number, 2 or more"}[wanted]
        if type(value) is not wanted or (isinstance(value, int) and key == "folds" and value < 2):
            raise InputProblem(f"{path} has {value!r} for '{key}'; give {kind}.")
    return content


# --- cases from files ------------------------------------------------------------------------------


def decisive_cases(source: CollectionFiles, *, twins: bool = True) -> tuple[list[Case], tuple[str, ...]]:
    """Make patent cases from a labelled ranking, and notes on its files; `twins` adds an ω⁻ twin of every ω⁺ topic."""
    assert source.qrels is not None
    run, qrels = read_run(source.run), read_qrels(source.qrels)
    topics, notes = label_topics(run, qrels)
    cases = []
    for topic in topics.values():
        cases.append(Case(topic, topic.name))
        if twins and topic.omega:
            cases.append(Case(without_relevant(topic), topic.name))
    return cases, (*run.notes, *qrels.notes, *notes)


def review_cases(
    source: CollectionFiles,
    read: Callable[[Path, Mapping[str, Topic]], tuple[Sequence[Any], tuple[str, ...]]],
) -> tuple[list[Case], tuple[str, ...]]:
    """Make review cases from a ranking and the studies that its documents bring, and notes on its files.

    `read` reads the file of outcomes (:attr:`~tarstop_core.evaluation.tasks.base.Task.read_outcomes`).
    """
    assert source.outcomes is not None
    run = read_run(source.run)
    outcomes, notes = read(source.outcomes, run)
    reviews = {outcome.review: run[outcome.review] for outcome in outcomes}
    chances = read_chances(source.chances, reviews) if source.chances else {}
    cases = [Case(each.topic, each.review, each, chances.get(each.review)) for each in outcomes]
    return cases, (*run.notes, *notes)


def measured_statistics(
    cases: Sequence[Case], qrels: Path | None = None
) -> dict[str, tuple[float, float | None]]:
    """Ranking statistics over the topics that have relevant documents, as (value, None).

    The second item would be the paper's value, which these rankings do not aim at. NDCG uses the grades if judgments are
    graded. Empty if no topic has a relevant document.
    """
    topics = {case.name: case.topic for case in cases if case.topic.omega}
    if not topics:
        return {}
    reached = ranking_statistics(list(topics.values()))
    judged = read_qrels(qrels) if qrels else {}
    if any(relevance > 1 for of_topic in judged.values() for relevance in of_topic.values()):
        reached["ndcg"] = ranking_metrics(topics, judged)["ndcg"]
    return {name: (value, None) for name, value in reached.items()}


# --- an uploaded benchmark: single files or a zip, written into a folder ---------------------------

LONGEST_NAME = 200
"""Longest file name in bytes; every file system accepts it."""
SUFFIXES = (".run", ".qrels", ".csv", ".tsv")


def save_upload(files: Iterable[tuple[str, IO[bytes]]], folder: Path) -> tuple[str, ...]:
    """Write uploaded files (name and content) into an empty folder, which is made if it is missing.

    A zip is unpacked: its files lie at its top, in ``train`` and ``test``, or in one folder that holds all of this.

    Returns
    -------
    tuple of str
        For each zip with files that were left out, a sentence that names them.

    Raises
    ------
    InputProblem
        When a file cannot be used; the message names it.
    """
    folder.mkdir(parents=True, exist_ok=True)
    notes: list[str] = []
    for name, content in files:
        room = Room(name, content.seek(0, io.SEEK_END))
        content.seek(0)
        if name.lower().endswith(".zip"):
            notes += _unpack(name, content, folder, room)
        elif not _wanted(PurePosixPath(name).name):
            raise InputProblem(
                f"{name} is neither a run (.run), judgments (.qrels), 2×2 tables (.csv, .tsv) nor {ABOUT}; "
                "rename it to say which, or leave it out."
            )
        else:
            _write(content, folder / PurePosixPath(name).name, room)
    return tuple(notes)


def read_upload(folder: Path) -> Benchmark:
    """Read the benchmark in a folder of uploads.

    Raises
    ------
    InputProblem
        As :func:`from_folder` does, but without the path of the folder, which the person does not know.
    """
    try:
        return from_folder(folder)
    except InputProblem as problem:
        words = str(problem)
        for path in (folder.resolve(), folder):
            words = words.replace(f"{path}/", "").replace(f"The folder {path}", "Your upload")
            words = words.replace(f"in {path} itself", "beside each other").replace(str(path), "your upload")
        raise InputProblem(words) from None


def stem(names: Sequence[str]) -> str:
    """Name a folder of uploads after the zip or run among them, else after the first file."""
    named = [name for name in names if name.lower().endswith((".zip", ".run", ".run.gz"))] or list(names)
    first = Path(named[0]).name.split(".")[0] if named else ""
    kept = "".join(letter if letter.isalnum() or letter in "-_ " else "_" for letter in first)
    return kept.strip() or "benchmark"


def _unpack(name: str, content: IO[bytes], folder: Path, room: Room) -> list[str]:
    try:
        with zipfile.ZipFile(content) as packed:
            check_count(name, len(packed.infolist()), BUDGET.entries, "files")
            members = [
                (PurePosixPath(member.filename), member)
                for member in packed.infolist()
                if not member.is_dir() and not _hidden(member.filename)
            ]
            top = _common_top(path for path, _ in members)
            left_out = []
            for path, member in members:
                if not _wanted(path.name):
                    left_out.append(path.name[:80])
                    continue
                if stat.S_ISLNK(member.external_attr >> 16):
                    raise InputProblem(f"{path} in {name} is a link; pack the file it points to.")
                inside = path.relative_to(top) if top else path
                half = inside.parts[0].lower() if len(inside.parts) == 2 else ""
                if len(inside.parts) > 2 or (len(inside.parts) == 2 and half not in HALVES):
                    raise InputProblem(
                        f"{name} holds {path} in an unexpected folder; keep files at the top of the zip, or in "
                        "folders called train and test."
                    )
                with packed.open(member) as stream:
                    _write(stream, folder / half / inside.name, room)
    except InputProblem:
        raise
    except (zipfile.BadZipFile, zlib.error, EOFError, ValueError):
        raise InputProblem(f"{name} is damaged or not a zip; pack it again.") from None
    except (RuntimeError, NotImplementedError):
        raise InputProblem(
            f"{name} is encrypted or packed in an unusual way; pack it again without a password."
        ) from None
    some = ", ".join(left_out[:3]) + (" …" if len(left_out) > 3 else "")
    remark = f"{name}: left out because their names do not say what they are: {some}."
    return [remark] if left_out else []


def _hidden(name: str) -> bool:
    return any(part.startswith((".", "__MACOSX")) for part in PurePosixPath(name).parts)


def _common_top(paths: Iterable[PurePosixPath]) -> str:
    """The one folder that holds all files, or "" if there is none or it is a half of the benchmark."""
    tops = {path.parts[0] if len(path.parts) > 1 else "" for path in paths}
    top = tops.pop() if len(tops) == 1 else ""
    return "" if top.lower() in HALVES else top


def _wanted(name: str) -> bool:
    return name == ABOUT or name.lower().removesuffix(".gz").endswith(SUFFIXES)


def _write(content: IO[bytes], path: Path, room: Room) -> None:
    if len(path.name.encode()) > LONGEST_NAME:
        raise InputProblem(f"The name of the file {path.name[:40]}… is too long to be stored; rename it.")
    if path.exists():
        raise InputProblem(f"There are two files called {path.name}; keep one, or pack train and test apart.")
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as target:
        while block := content.read(CHUNK):
            room.take(len(block))
            target.write(block)
    # What a gzipped file holds counts against the same limit, so it is unpacked once and thrown away.
    if path.suffix.lower() == ".gz" and path.stat().st_size:
        with open_source(path) as source, source.binary() as stream:
            while block := stream.read(CHUNK):
                room.take(len(block))
