"""``tarstop samples``: write files for trying the other commands."""

import inspect
from collections.abc import Iterator
from pathlib import Path

import click

from tarstop_core.cli.shared import PATH, writing
from tarstop_core.errors import InputProblem

SEARCH = "bicycle-brake"
"""Sample search whose documents are in ``records.csv``."""
REVIEW = "hollow-hip"
"""Sample review whose labels are in ``labelled.csv``."""
RULE = '''
    """A stopping rule of one's own: read some documents, whatever they say."""

    from dataclasses import dataclass
    from typing import ClassVar

    from tarstop_core.policies import Policy
    from tarstop_core.policies.base import Parameter, at_any_cost


    @dataclass(frozen=True)
    class MyRule(Policy):
        """Stop after a hundred documents, or as many as you say."""

        n: int = 100

        name: ClassVar[str] = "my-rule"
        title: ClassVar[str] = "My rule"
        rule: ClassVar[str] = "Read a hundred documents."
        source: ClassVar[str] = "ours"
        acts_on_belief: ClassVar[bool] = False
        parameters: ClassVar[tuple[Parameter, ...]] = (
            Parameter("n", "documents to read", 1, 1000, (50, 100, 200)),
        )

        def depths(self, path, costs, start=0):
            return at_any_cost(max(start, min(self.n, len(path))), costs)
'''
DECISION = """
    # Treat nobody, everybody, or whoever a test finds positive. Amounts are pounds per person.
    kind = "test_treat"

    [inputs]
    mu_logit_se = 1.0                         # Sensitivity .73, on the logit scale
    mu_logit_sp = 1.2                         # Specificity .77
    cov = [[0.25, -0.08], [-0.08, 0.3]]       # How uncertain both are, and together
    prevalence = { beta = [9, 51] }           # 9 of 60 had the disease
    benefit_treated_diseased = 1000
    harm_treated_healthy = 180
    cost_test = 45
    thresholds = [0.1, 0.15, 0.2]             # For the decision curve

    [population]
    annual_population = 10000
    years = 10
    rate = 0.035
"""


@click.command()
@click.argument("folder", type=PATH, default=".")
def samples(folder: Path) -> None:
    """Write files for trying the other commands into FOLDER (default: the current folder).

    records.csv is a simulated search, labelled.csv a simulated review with its labels and their order, my.run and my.qrels are all simulated
    searches with ranks and judgments, my_rule.py is a stopping rule, decision.toml a decision between three actions. No file is
    replaced.
    """
    contents = dict(_files())
    taken = [name for name in contents if (folder / name).exists()]
    if taken:
        raise InputProblem(f"{folder / taken[0]} exists; name another folder.")
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in contents.items():
            (folder / name).write_text(text, encoding="utf-8", newline="")
    click.echo(f"Wrote {', '.join(contents)}.")


def _files() -> Iterator[tuple[str, str]]:
    """Yield name and content of each file."""
    from tarstop_core.files import table_to_csv
    from tarstop_core.samples import collections

    records, review = collections.load_sample(SEARCH), collections.load_review_sample(REVIEW)
    columns = ["id", "title", "abstract", "authors", "date"]
    yield "records.csv", table_to_csv(records[columns])
    included = review["id"].isin(list(collections.sample_full_texts(REVIEW)))
    labelled = review[columns].assign(label=included.astype(int), read_order=range(1, len(review) + 1))
    yield "labelled.csv", table_to_csv(labelled)
    run, qrels = [], []
    for name in collections.sample_topics()["topic"]:
        topic = collections.labelled_search(str(name))
        assert topic.scores is not None and topic.labels is not None
        rows = zip(topic.ids.tolist(), topic.scores.tolist(), topic.labels.tolist(), strict=True)
        for rank, (doc, score, relevant) in enumerate(rows, start=1):
            run.append(f"{name} Q0 {doc} {rank} {score!r} tarstop\n")
            qrels.append(f"{name} 0 {doc} {int(relevant)}\n")
    yield "my.run", "".join(run)
    yield "my.qrels", "".join(qrels)
    yield "decision.toml", inspect.cleandoc(DECISION) + "\n"
    yield "my_rule.py", f"{inspect.cleandoc(RULE)}\n"
