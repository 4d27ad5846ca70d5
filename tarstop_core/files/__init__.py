"""Readers and writers, one per format.

`read_records` reads records in any of `FORMATS`; `read_run` and `read_qrels` read rankings and judgments.
"""

from tarstop_core.files.chances import read_chances as read_chances
from tarstop_core.files.columns import MAPPABLE as MAPPABLE
from tarstop_core.files.columns import UnrecognisedColumns as UnrecognisedColumns
from tarstop_core.files.delimited import table_to_csv as table_to_csv
from tarstop_core.files.delimited import trace_to_csv as trace_to_csv
from tarstop_core.files.delimited import without_formulas as without_formulas
from tarstop_core.files.effect_tables import read_effect_outcomes as read_effect_outcomes
from tarstop_core.files.effect_tables import read_effects as read_effects
from tarstop_core.files.outcomes import read_outcome_tables as read_outcome_tables
from tarstop_core.files.outcomes import read_outcomes as read_outcomes
from tarstop_core.files.reading import FORMATS as FORMATS
from tarstop_core.files.reading import read_records as read_records
from tarstop_core.files.record_tables import RecordTable as RecordTable
from tarstop_core.files.tables import read_tables as read_tables
from tarstop_core.files.trec import label_topics as label_topics
from tarstop_core.files.trec import read_qrels as read_qrels
from tarstop_core.files.trec import read_run as read_run
from tarstop_core.files.trec import write_run as write_run
