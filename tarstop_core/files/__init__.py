"""Readers and writers, one a format.

Records come in through `read_records`; rankings and judgments through `read_run` and `read_qrels`.
`FORMATS` lists what can be read, for pages and the command line.
"""

from tarstop_core.files.chances import read_chances
from tarstop_core.files.columns import MAPPABLE, RecordTable, UnrecognisedColumns
from tarstop_core.files.outcomes import read_outcome_tables, read_outcomes
from tarstop_core.files.reading import FORMATS, read_records
from tarstop_core.files.tables import read_tables
from tarstop_core.files.trace import table_to_csv, trace_to_csv, without_formulas
from tarstop_core.files.trec import label_topics, read_qrels, read_run, write_run

__all__ = [
    "FORMATS",
    "MAPPABLE",
    "RecordTable",
    "UnrecognisedColumns",
    "label_topics",
    "read_chances",
    "read_outcome_tables",
    "read_outcomes",
    "read_qrels",
    "read_records",
    "read_run",
    "read_tables",
    "table_to_csv",
    "trace_to_csv",
    "without_formulas",
    "write_run",
]
