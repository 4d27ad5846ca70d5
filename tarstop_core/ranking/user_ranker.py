"""From a text to a ranker: the name of one, or ``path/to/file.py:Name`` for one's own."""

from tarstop_core.errors import InputProblem
from tarstop_core.plugins import load_class, make
from tarstop_core.ranking.learning import RANKERS, Ranker


def parse_ranker(spec: str) -> Ranker:
    """Parse the name of a ranker, or run a person's own file.

    Raises
    ------
    InputProblem
        When there is none of that name, or a file does not yield one.
    """
    file, _, name = spec.rpartition(":")
    if file.endswith(".py"):
        kind = load_class(file, name, Ranker, "ranker", "tarstop_core.ranking.learning.Ranker")  # type: ignore[type-abstract]
        for attribute in ("name", "said"):
            if not isinstance(getattr(kind, attribute, None), str):
                raise InputProblem(
                    f"The ranker {name} in {file} has no text '{attribute}'; add it to the class."
                )
        return make(kind, file, name, {}, "ranker")
    if spec.endswith(".py"):
        raise InputProblem(f"Which ranker of {spec}? Name its class as in {spec}:Name.")
    if spec not in RANKERS:
        raise InputProblem(
            f"There is no ranker '{spec}'; choose one of {', '.join(RANKERS)}, or name file.py:Name."
        )
    return RANKERS[spec]
