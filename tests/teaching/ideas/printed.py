"""What the command line prints of what an idea shows."""

import json
from pathlib import Path

from click.testing import CliRunner

from tarstop_core.cli.commands import tarstop
from tarstop_core.documents.topic import Topic
from tarstop_core.explore.lists import LabelledList


def printed(*arguments: str) -> dict[str, object]:
    """What a command prints as JSON."""
    done = CliRunner().invoke(tarstop, [*arguments, "--json"])
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)  # type: ignore[no-any-return]


def replayed(
    explored: LabelledList, folder: Path, spec: str, q_star: float, cost: float
) -> dict[str, object]:
    """What `tarstop replay` prints of a search."""
    topic = explored.truth
    assert isinstance(topic, Topic) and topic.scores is not None and topic.labels is not None
    run, qrels, calibrator = folder / "run.txt", folder / "qrels.txt", folder / "calibrator.json"
    calibrator.write_text(explored.calibrator.to_json(), encoding="utf-8")
    lines = enumerate(zip(topic.ids, topic.scores.tolist(), strict=True), 1)
    ranked = "".join(f"T Q0 {doc} {at} {score!r} x\n" for at, (doc, score) in lines)
    judged = "".join(f"T 0 {doc} {int(y)}\n" for doc, y in zip(topic.ids, topic.labels, strict=True))
    run.write_text(ranked, encoding="utf-8")
    qrels.write_text(judged, encoding="utf-8")
    stakes = f"--q-star={q_star}", f"--cost={cost}", f"--policy={spec}"
    (found,) = printed("replay", str(run), str(qrels), "--calibrator", str(calibrator), *stakes)["topics"]  # type: ignore[misc]
    return found  # type: ignore[no-any-return]
