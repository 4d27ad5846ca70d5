"""A reader is added as CONTRIBUTING says: one file that ends with its format, and that name in one list."""

from tests.additions.conftest import Tree

CARDS = '''"""Cards: a hash and a title, then the abstract."""

import re
from collections.abc import Mapping

from tarstop_core.files.record_tables import Format, Progress, RecordTable
from tarstop_core.files.source import Source
from tarstop_core.files.tagged import table_of


def read_cards(source: Source, columns: Mapping[str, str] | None, progress: Progress | None) -> RecordTable:
    """Records of a file of cards; every card begins with a hash."""
    with source.text("utf-8") as stream:
        cards = [card.strip().split("\\n", 1) for card in stream.read().split("#")[1:]]
    records = (
        (line, [("title", title, "#"), ("abstract", rest, "#")]) for line, (title, rest) in enumerate(cards, 1)
    )
    return table_of(source, "cards", records, [], progress)


CARDS = Format("cards", "Cards", (".cards",), read_cards, looks=re.compile("#"), phrase="a box of cards")
'''


def test_a_reader_is_one_file_and_one_line(tree: Tree) -> None:
    tree.add("tarstop_core/files/cards.py", CARDS)
    tree.line(
        "tarstop_core/files/reading.py",
        "from tarstop_core.files.bib import BIB\n",
        "from tarstop_core.files.cards import CARDS\n",
    )
    tree.line("tarstop_core/files/reading.py", "    JSONL,\n", "    CARDS,\n")
    told = tree.run(
        "import io\n"
        "from tarstop_core.files import FORMATS, read_records\n"
        "table = read_records(io.BytesIO(b'#Hinge\\nIt folds.\\n#Lid\\nIt closes.\\n'), 'box.cards')\n"
        "print(table.format, table.frame['title'].tolist(), table.frame['abstract'].tolist(), [each.name for each in FORMATS if each.key == table.format])\n"
    )
    assert told.strip() == "cards ['Hinge', 'Lid'] ['It folds.', 'It closes.'] ['Cards']"
