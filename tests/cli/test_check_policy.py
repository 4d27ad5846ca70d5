"""``tarstop check-policy``."""

import json
from pathlib import Path

from tests.cli.shell import Run

LOOKS_AHEAD = """
from dataclasses import dataclass
import numpy as np
from tarstop_core.policies import Policy

@dataclass(frozen=True)
class Peeks(Policy):
    name, title, rule, source = "peeks", "Peeks", "Stops after the last relevant document.", "nowhere"

    def depths(self, path, costs, start=0):
        last = np.flatnonzero(path.labels)
        return np.full(np.size(costs), max(start, int(last[-1]) + 1 if len(last) else 0))
"""


KNOWS_THE_END = """
from dataclasses import dataclass
import numpy as np
from tarstop_core.value.cumulative import CumulativePath
from tarstop_core.policies import Policy

@dataclass(frozen=True)
class Knows(Policy):
    name, title, rule, source = "knows", "Knows", "Stops where belief says what all studies will say.", "nowhere"

    def depths(self, path, costs, start=0):
        stop = len(path) if not isinstance(path, CumulativePath) else next(
            d for d in range(len(path) + 1) if path.chooses_plus(d) == path.chooses_plus(len(path)))
        return np.full(np.size(costs), max(start, stop))
"""


def test_a_rule_of_ones_own_is_shown_to_look_ahead_or_not(tarstop: Run, tmp_path: Path) -> None:
    (tmp_path / "peeks.py").write_text(LOOKS_AHEAD, encoding="utf-8")
    caught = tarstop("check-policy", f"{tmp_path / 'peeks.py'}:Peeks", "--json")
    assert caught.code == 1 and json.loads(caught.out)["findings"]
    (tmp_path / "knows.py").write_text(KNOWS_THE_END, encoding="utf-8")
    in_reviews = tarstop("check-policy", f"{tmp_path / 'knows.py'}:Knows", "--json")
    assert in_reviews.code == 1 and "the studies after" in json.loads(in_reviews.out)["findings"][0]
    fine = tarstop("check-policy", "either(greedy;budget:d=100)", "--lists", "12")
    assert fine.code == 0 and "never looked ahead" in fine.out
    assert "random sample" in tarstop("check-policy", "qbcb", "--lists", "6").out
    assert tarstop("check-policy", "nonsense").code == 2
