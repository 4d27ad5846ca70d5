"""Run a whole experiment by the name of its benchmark, as the command line and the Python interface do."""

from collections.abc import Callable, Sequence
from typing import Any

from tarstop_core.belief.decisive import check_prior
from tarstop_core.belief.prior import check_theta
from tarstop_core.errors import InputProblem
from tarstop_core.evaluation.benchmarks.named import named
from tarstop_core.evaluation.cases import Benchmark
from tarstop_core.evaluation.findings.recall import RecallFindings
from tarstop_core.evaluation.findings.report import Findings
from tarstop_core.evaluation.jobs import ResultCache
from tarstop_core.evaluation.methods import DEFAULT, parse_methods, split_specs
from tarstop_core.evaluation.protocol import COSTS, Q_STARS, run
from tarstop_core.evaluation.tasks import TASKS
from tarstop_core.evaluation.tasks.effect import EffectTask
from tarstop_core.evaluation.tasks.review import ReviewTask
from tarstop_core.policies.check import refuse_looking_ahead

OF_ONE_KIND = {
    "measure": (EffectTask, "interventions"),
    "delta": (EffectTask, "interventions"),
    "theta_sp": (ReviewTask, "tests"),
}
"""Parameters of one kind of review only: its task, and what is reviewed."""


def conduct(
    benchmark: str,
    methods: str | Sequence[str] | None = None,
    *,
    scenario: str | None = None,
    share: float | None = None,
    target_recall: float = 0.95,
    workers: int = 0,
    dask: str | None = None,
    cache: ResultCache | None = None,
    progress: Callable[[float, str, float | None], None] | None = None,
    **of_task: Any,
) -> tuple[Benchmark, Findings]:
    """Tune and test rules on a benchmark.

    Parameters
    ----------
    benchmark : str
        A benchmark's name, or a folder.
    methods : str or sequence of str, optional
        Methods to compare, as :func:`~tarstop_core.evaluation.methods.parse_methods` takes them; if not given, the
        scenario's :data:`~tarstop_core.evaluation.methods.DEFAULT`.
    scenario : str, optional
        "enough" judges rules by recall on any benchmark.
    share : float, optional
        Share of ω⁺ topics to weigh results to.
    target_recall : float
        Recall whose reliability is reported.
    workers, dask, cache, progress
        As of :func:`~tarstop_core.evaluation.protocol.run`.
    **of_task
        Parameters of the task: truth, engine, theta, theta_sp, b_0, replications, pseudo, seed; for interventions also
        measure, delta, above. None leaves a default.

    Returns
    -------
    Benchmark, Findings

    Raises
    ------
    InputProblem
        When there is no such benchmark or method, or a number is not valid.
    """
    given = {name: value for name, value in of_task.items() if value is not None}
    check_prior(given.get("b_0", 0.5))
    check_theta(given.get("theta", 0.75))
    if "theta_sp" in given:
        check_theta(given["theta_sp"], "specificity")
    if share is not None and not 0 <= share <= 1:
        raise InputProblem(f"share is {share:g}; give a number from 0 to 1.")
    if not 0 < target_recall <= 1:
        raise InputProblem(f"target_recall is {target_recall:g}; give a number above 0, at most 1.")
    chosen = named(benchmark)
    if scenario is not None and scenario != chosen.scenario:
        if scenario not in TASKS or TASKS[scenario].weighs:
            raise InputProblem(
                f"The benchmark {benchmark} has the scenario {chosen.scenario}; leave the scenario out."
            )
        chosen = chosen.by_recall(scenario)
    for name, (only, reviews) in OF_ONE_KIND.items():
        if name in given and TASKS[chosen.scenario] is not only:
            raise InputProblem(
                f"{name} is for reviews of {reviews}, and {benchmark} holds none; leave it out."
            )
    specs = split_specs(methods) if isinstance(methods, str) else methods or DEFAULT[chosen.scenario]
    compared = parse_methods(specs, chosen.scenario)
    task = TASKS[chosen.scenario].asked({**given, "target": target_recall})
    refuse_looking_ahead((rule for method in compared for rule in method.settings), task.in_steps)
    cells: dict[str, Any] = {} if task.weighs else {"q_stars": Q_STARS[1:2], "costs": COSTS[:1]}
    where: dict[str, Any] = {"workers": workers, "dask": dask, "cache": cache, "progress": progress}
    results = run(chosen, task, compared, **cells, **where)
    kind = Findings if task.weighs else RecallFindings
    return chosen, kind(results, share, target=target_recall)
