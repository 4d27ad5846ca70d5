"""Read TREC runs and qrels as trec_eval does: by score, with ties broken by the written rank; write runs."""

import gzip
import itertools
import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO, TextIO

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from tarstop_core.documents.topic import Topic
from tarstop_core.errors import InputProblem
from tarstop_core.files.source import BUDGET, Source, check_count, detect_encoding, open_source
from tarstop_core.presentation.numbers import count_of

_RUN_COLUMNS = ("topic", "Q0", "document", "rank", "score", "tag")
_QRELS_COLUMNS = ("topic", "iteration", "document", "relevance")
_BEIR_COLUMNS = ("topic", "document", "relevance")
# What a column must contain, and how to correct a line with something else.
_NUMBERS = {
    "score": "finite number; correct or remove",
    "rank": "whole number; correct",
    "relevance": "whole number; correct",
}
# Words of header lines, in lower case without punctuation.
_HEADER_WORDS = frozenset(
    "topic topicid query queryid qid q0 iter iteration interaction zero doc docid docno document documentid corpus "
    "corpusid pid pmid rank score sim similarity threshold tag run runid runtag rel relevance relevant label judgment "
    "judgement grade".split()
)


class Run(dict[str, Topic]):
    """Topics by name, in the order of the file; `notes` are sentences on oddities in it."""

    notes: tuple[str, ...] = ()


class Qrels(dict[str, dict[str, int]]):
    """Relevance by topic and document; `notes` are sentences on oddities in the file."""

    notes: tuple[str, ...] = ()


def read_run(source: Path | str | BinaryIO, name: str | None = None) -> Run:
    """Read a TREC run, gzipped or not: `topic Q0 document rank score tag`, separated by spaces or tabs.

    Header lines are skipped wherever they stand, because runs are joined with `cat`. Documents are sorted by falling
    score, as in trec_eval; documents with equal scores are sorted by written rank, then by line. The topics have no labels.
    Messages name the file `name`.

    Raises
    ------
    InputProblem
        When a line has a wrong number of columns, or no finite score or whole rank.
    """
    table, notes, file_name = _read_table(source, name, _RUN_COLUMNS)
    topic, topics = _topics(table, file_name)
    document, documents = pd.factorize(table["document"])
    # Python's own conversion, because pandas' faster one may be off in the last digit.
    scores = np.array(table["score"].tolist(), dtype=np.float64)
    ranks = np.array(table["rank"].tolist(), dtype=np.int64)
    order = np.lexsort((ranks, -scores, topic))  # stable: equal keys keep the order of the lines
    topic, document, scores, ranks = topic[order], document[order], scores[order], ranks[order]

    pair = topic.astype(np.int64) * len(documents) + document
    again = pd.Series(pair).duplicated().to_numpy()
    if again.any():
        differs = scores != pd.Series(scores).groupby(pair).transform("first").to_numpy()
        if same := int((again & ~differs).sum()):
            repeat = count_of(same, "line repeats", "lines repeat")
            notes.append(f"{repeat} a document; the first was kept.")
        if different := int((again & differs).sum()):
            lists = count_of(different, "line lists", "lines list")
            notes.append(f"{lists} a document again with another score; the better score was kept.")
        topic, document = topic[~again], document[~again]
        scores, ranks = scores[~again], ranks[~again]

    same_topic = topic[1:] == topic[:-1]
    contradicting = np.unique(topic[1:][same_topic & (ranks[1:] < ranks[:-1])])
    if len(contradicting):
        notes.append(
            f"In {len(contradicting):,} of {len(topics):,} topics the ranks contradict the scores; "
            "the scores were followed."
        )
    run = Run()
    ids = np.asarray(documents, dtype=str)[document]
    for topic_name, part in _parts(topic, topics):
        run[topic_name] = Topic(topic_name, ids[part].copy(), scores[part].copy())
    run.notes = tuple(notes)
    return run


def read_qrels(source: Path | str | BinaryIO, name: str | None = None) -> Qrels:
    """Read TREC relevance judgments, gzipped or not: `topic iteration document relevance`.

    Below a header of three words the iteration is missing, as in BEIR: `query-id corpus-id score`. Messages name the file
    `name`.

    Raises
    ------
    InputProblem
        When a line has a wrong number of columns or no whole relevance, or two lines judge a document differently.
    """
    table, notes, file_name = _read_table(source, name, _QRELS_COLUMNS)
    topic, topics = _topics(table, file_name)
    order = np.argsort(topic, kind="stable")
    documents = np.array(table["document"].tolist(), dtype=object)[order]
    relevance = np.array(table["relevance"].tolist(), dtype=np.int64)[order]
    qrels = Qrels()
    repeated = 0
    for topic_name, part in _parts(topic[order], topics):
        pairs = list(zip(documents[part].tolist(), relevance[part].tolist(), strict=True))
        judged = dict(pairs)
        if len(judged) < len(pairs):
            repeated += len(pairs) - len(judged)
            if len(set(pairs)) > len(judged):
                _refuse_conflict(source, file_name, name)
        qrels[topic_name] = judged
    if repeated:
        notes.append(f"{count_of(repeated, 'judgment is', 'judgments are')} repeated.")
    qrels.notes = tuple(notes)
    return qrels


def _topics(table: pd.DataFrame, file_name: str) -> tuple[NDArray[np.intp], pd.Index]:
    """Number of the topic of each line, and the names of the topics."""
    topic, topics = pd.factorize(table["topic"])
    check_count(file_name, len(topics), BUDGET.topics, "topics")
    return topic, topics


def _parts(topic: NDArray[np.intp], topics: pd.Index) -> Iterator[tuple[str, slice]]:
    """Each topic with the slice of its lines, which must be sorted by topic."""
    bounds = np.searchsorted(topic, np.arange(len(topics) + 1))
    return zip(topics.tolist(), itertools.starmap(slice, itertools.pairwise(bounds.tolist())), strict=True)


def label_topics(
    run: Mapping[str, Topic], qrels: Mapping[str, Mapping[str, int]]
) -> tuple[dict[str, Topic], tuple[str, ...]]:
    """Label a run by its judgments; R comes from the judgments, ranked or not.

    Relevance above 0 is relevant; a document without a judgment is not relevant.

    Returns
    -------
    dict of str to Topic
        The topics in both, in the order of the run.
    tuple of str
        Sentences on topics in only one of them.

    Raises
    ------
    InputProblem
        When they share no topic.
    """
    labelled: dict[str, Topic] = {}
    for name, topic in run.items():
        if name not in qrels:
            continue
        relevant = {document for document, relevance in qrels[name].items() if relevance > 0}
        labels = np.fromiter((document in relevant for document in topic.ids.tolist()), bool, len(topic.ids))
        labelled[name] = replace(topic, labels=labels, n_relevant=len(relevant))
    if not labelled:
        raise InputProblem(
            f"The run and the qrels share no topic (the run has {_some(list(run))}, the qrels "
            f"{_some(list(qrels))}); give the qrels that belong to this run."
        )
    notes: list[str] = []
    if unknown := [name for name in run if name not in qrels]:
        notes.append(f"Left out because the qrels do not have them: {', '.join(unknown)}.")
    if unranked := [name for name in qrels if name not in run]:
        notes.append(f"Judged but not in the run: {', '.join(unranked)}.")
    return labelled, tuple(notes)


def write_run(
    path: Path | str,
    topic_name: str,
    ids: Sequence[str] | NDArray[np.str_],
    scores: Sequence[float] | NDArray[np.float64],
) -> None:
    """Write a list as a TREC run by falling score, in which documents with equal scores keep their order.

    Parameters
    ----------
    path : path
        The file; it is gzipped if its name ends in ".gz".
    topic_name : str
        Name of the topic.
    ids : sequence of str
        Identifiers; white space (as in "row 12") becomes "_", because it separates columns.
    scores : sequence of float
        Scores in the same order; they read back exactly.

    Raises
    ------
    InputProblem
        When a score is not finite, ids and scores differ in number, or written ids are empty or repeated.
    """
    values = np.asarray(scores, dtype=np.float64)
    names = [one_word(str(document)) for document in ids]
    if len(names) != len(values):
        raise InputProblem(f"There are {len(names)} ids but {len(values)} scores; give a score for every id.")
    if not np.isfinite(values).all():
        bad = names[int(np.argmin(np.isfinite(values)))]
        raise InputProblem(f"The score of {bad} is not a finite number; rank only documents that have one.")
    if len(set(names)) < len(names) or "" in names:
        raise InputProblem("Ids in a run must be different and not empty; give every document its own id.")
    order = np.argsort(-values, kind="stable")
    topic_word = one_word(topic_name) or "topic"
    lines = (
        f"{topic_word} Q0 {names[at]} {rank} {values[at].item()!r} tarstop\n"
        for rank, at in enumerate(order.tolist(), start=1)
    )
    text = "".join(lines).encode()
    Path(path).write_bytes(gzip.compress(text, mtime=0) if str(path).lower().endswith(".gz") else text)


def one_word(text: str) -> str:
    """Replace white space by "_", because it separates the columns of a run."""
    return re.sub(r"\s+", "_", text.strip())


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:3]) + (" …" if len(names) > 3 else "") if names else "none"


def is_qrels(path: Path) -> bool:
    """Whether the first lines of a file are judgments, whatever its name."""
    with open_source(path, None) as opened:
        encoding, _ = detect_encoding(opened, BUDGET.words)
        columns, skip = _head(opened, encoding, _QRELS_COLUMNS)
        with opened.text(encoding) as stream:
            words = next((words for _, words in _data_lines(stream, skip)), [])
    return len(words) == len(columns) and _converts([words[-1]], "relevance")


def _read_table(
    source: Path | str | BinaryIO, name: str | None, columns: tuple[str, ...]
) -> tuple[pd.DataFrame, list[str], str]:
    """Read columns as text, with numeric ones checked; return them, a sentence on skipped headers, and the file's name.

    All lines are parsed at once. If that fails, slower passes look for headers and faults line by line.
    """
    with open_source(source, name) as opened:
        encoding, _ = detect_encoding(opened, BUDGET.words)
        columns, skip = _head(opened, encoding, columns)
        table = _parsed(opened, encoding, columns, skip)
        if table is None:
            with opened.text(encoding) as stream:
                skip |= {at for at, words in _data_lines(stream, skip) if _is_header(words, columns)}
            table = _parsed(opened, encoding, columns, skip)
        if table is None:
            _find_fault(opened, encoding, skip, columns)
            # Reached only if pandas splits lines differently, for example at a form feed.
            raise InputProblem(f"{opened.name} is not in plain columns; write it again with spaces.")
        with opened.text(encoding) as stream:
            lines = itertools.compress(stream, map(skip.__contains__, range(1, max(skip, default=0) + 1)))
            headers = sum(_is_header(line.split(), columns) for line in lines)
        skipped = f"Skipped {'a header line' if headers == 1 else f'{headers:,} header lines'}."
        return table, [skipped] if headers else [], opened.name


def _parsed(opened: Source, encoding: str, columns: tuple[str, ...], skip: set[int]) -> pd.DataFrame | None:
    """Parse all lines but the skipped ones; None if a line does not fit the columns."""
    with opened.text(encoding) as stream:
        # pandas would make a column of every word of the first line, which takes long for a wide one.
        if any(len(words) > len(columns) for _, words in itertools.islice(_data_lines(stream, skip), 1)):
            return None
    try:
        with opened.text(encoding) as stream, warnings.catch_warnings():
            # pandas only warns if lines have more words than there are names.
            warnings.simplefilter("error", pd.errors.ParserWarning)
            table = pd.read_csv(
                stream,
                sep=r"\s+",
                header=None,
                names=[*columns, "extra"],
                index_col=False,
                dtype="str",
                quoting=3,
                keep_default_na=False,
                skiprows=[number - 1 for number in skip],
                engine="c",
            )
    except (ValueError, pd.errors.ParserError, pd.errors.ParserWarning):
        return None
    filled = ~(table.isna() | (table == "")).to_numpy()
    numbers = (column for column in columns if column in _NUMBERS)
    fine = len(table) and filled[:, :-1].all() and not filled[:, -1].any()
    return table if fine and all(_converts(table[name].tolist(), name) for name in numbers) else None


def _converts(values: list[str], column: str) -> bool:
    """Whether all texts of a numeric column are finite numbers (scores) or whole ones (ranks, relevance)."""
    try:
        if column == "score":
            return bool(np.isfinite(np.array(values, dtype=np.float64)).all())
        np.array(values, dtype=np.int64)
    except (ValueError, OverflowError):
        return False
    return True


def _head(source: Source, encoding: str, columns: tuple[str, ...]) -> tuple[tuple[str, ...], set[int]]:
    """The columns, which a header like BEIR's may change, and the numbers of the lines before the first data."""
    skip = set()
    with source.text(encoding) as stream:
        for number, line in enumerate(itertools.islice(stream, 20), start=1):
            words = line.split()
            if columns == _QRELS_COLUMNS and _is_header(words, _BEIR_COLUMNS):
                columns = _BEIR_COLUMNS
            if words and not words[0].startswith("#") and not _is_header(words, columns):
                break
            skip.add(number)
    return columns, skip


def _is_header(words: list[str], columns: tuple[str, ...]) -> bool:
    """Whether a line is a header and not merely broken: no numbers in numeric columns, and half of its words are known."""
    if len(words) != len(columns):
        return False
    numeric = (word for word, column in zip(words, columns, strict=True) if column in _NUMBERS)
    if any(re.fullmatch(r"[-+.\d].*|nan|inf(inity)?", word, re.IGNORECASE) for word in numeric):
        return False
    of_headers = sum(re.sub(r"[\W_]", "", word).lower() in _HEADER_WORDS for word in words)
    return 2 * of_headers >= len(words)


def _data_lines(stream: TextIO, skip: set[int]) -> Iterator[tuple[int, list[str]]]:
    """Yield number and words of each line that is neither skipped nor blank."""
    for number, line in enumerate(stream, start=1):
        words = line.split()
        if words and number not in skip:
            yield number, words


def _find_fault(source: Source, encoding: str, skip: set[int], columns: tuple[str, ...]) -> None:
    """Raise InputProblem for the first line that does not fit the columns, or if there are no data."""
    number = 0
    with source.text(encoding) as stream:
        for number, words in _data_lines(stream, skip):
            if len(words) != len(columns):
                many = "1 column" if len(words) == 1 else f"{len(words)} columns"
                kinds = {(_RUN_COLUMNS, 4): "qrels", (_QRELS_COLUMNS, 6): "a run"}
                kind = kinds.get((columns, len(words)))
                mend = f"it looks like {kind}, so use it as that" if kind else "correct that line"
                raise InputProblem(
                    f"Line {number} of {source.name} has {many} instead of {len(columns)} "
                    f"({' '.join(columns)}); {mend}."
                )
            for column in filter(columns.__contains__, _NUMBERS):
                at = columns.index(column)
                if not _converts([words[at]], column):
                    raise InputProblem(
                        f'Line {number} of {source.name} has the {column} "{words[at][:40]}" in column {at + 1}, '
                        f"which is not a {_NUMBERS[column]} that line."
                    )
    if not number:
        raise InputProblem(f"{source.name} has a header but no lines of data; write the file again.")


def _refuse_conflict(source: Path | str | BinaryIO, file_name: str, name: str | None) -> None:
    """Raise InputProblem for the first two lines that judge one document differently."""
    first: dict[tuple[str, str], tuple[int, int]] = {}
    with open_source(source, name) as opened:
        encoding, _ = detect_encoding(opened)
        columns, skip = _head(opened, encoding, _QRELS_COLUMNS)
        with opened.text(encoding) as stream:
            for number, words in _data_lines(stream, skip):
                if _is_header(words, columns):
                    continue
                document, relevance = words[-2], int(words[-1])
                other, at = first.setdefault((words[0], document), (relevance, number))
                if other != relevance:
                    raise InputProblem(
                        f"Lines {at} and {number} of {file_name} judge document {document} of topic "
                        f"{words[0]} differently; keep one of them."
                    )
