"""Every figure that another program gave for the published sets is compared with ours by a named test."""

import inspect
import re
from collections.abc import Callable, Iterator
from typing import Any

from tests.effects import golden, test_exact, test_glmm, test_normal, test_pooling, test_sizes
from tests.effects.golden import sets

READ_AS_INPUT = r"id|kind|citation|table/.*|measures/\w+/(deltas|prior_scale)|exact/deltas_log_or"
OF_WHAT_IS_NOT_OFFERED = (
    r"exact/unconditional/.*|.*/(kh_se|adhoc_se|pi_z|pi_kh|lml|Qp?)|measures/\w+/(bayes/new|full/REML_\w+/ll)"
)
SAID_OF_A_FIGURE = r"exact/\w+/grid_check|.*/(k|n|tau_prior|mu_prior)|glmm/.*/(failed|reliable)"
TESTED: dict[str, Callable[..., None]] = {
    r"measures/\w+/[yv]i": test_sizes.test_sizes_are_those_of_another_program,
    r"measures/\w+/prefix/\w+/(est|se|ll|ci|tau2|I2|kh_ci|pi_riley)": (
        test_pooling.test_prefixes_are_those_of_another_program
    ),
    r"measures/\w+/full/tau2_qprofile_ci": (
        test_pooling.test_the_interval_of_tau2_is_where_q_reaches_its_quantiles
    ),
    r"measures/\w+/full/(MH|Peto)/(est|se|ci)": test_pooling.test_mantel_haenszel_and_peto,
    r"measures/\w+/full/(REML_\w+)/(est|se|ci|tau2|I2)": (test_pooling.test_other_corrections_and_variances),
    r"measures/\w+/belief_path/(mean|sd|tau_mean|P_gt|P_gt_recentred)": (
        test_normal.test_paths_are_those_of_another_program
    ),
    r"measures/\w+/bayes/(mu|mu_q|tau|tau_q|P_mu_gt|new_q|P_new_gt)": (
        test_normal.test_quantiles_are_those_of_another_program
    ),
    r"measures/\w+/bayes/bayesmeta/(P_mu_gt|mu_q|tau_q|P_new_gt)": test_normal.test_bayesmeta_says_the_same,
    r"glmm/(CM.EL|CM.AL|UM.FS|UM.RS)_(ML|EE)/(est|se|tau2|sigma2|ll|ci)": (
        test_glmm.test_estimates_are_those_of_another_program
    ),
    r"exact/conditional/rows/(P_mu_gt|mean|sd|tau_mean)": (
        test_exact.test_beliefs_are_those_of_another_program
    ),
    r"exact/conditional/rows/P_mu_gt_recentred": (
        test_exact.test_a_prior_about_the_threshold_gives_what_another_program_gives
    ),
    r"exact/conditional_ml/(fixed/)?(mu|tau2|ll)": (
        test_glmm.test_the_conditional_maximum_is_that_of_a_second_program
    ),
}


def keys(of: Any, way: tuple[str, ...] = ()) -> Iterator[str]:
    """The way to every figure, without the places in lists."""
    if isinstance(of, dict):
        for key, value in of.items():
            yield from keys(value, (*way, key))
    elif isinstance(of, list) and of and isinstance(of[0], dict):
        for value in of:
            yield from keys(value, way)
    else:
        yield "/".join(way)


ALL = {key for of in sets().values() for key in keys(of)}


def test_every_figure_has_a_test_that_reads_it() -> None:
    untested = []
    for key in sorted(ALL):
        if re.fullmatch(f"{READ_AS_INPUT}|{SAID_OF_A_FIGURE}|{OF_WHAT_IS_NOT_OFFERED}", key):
            continue
        tests = [test for pattern, test in TESTED.items() if re.fullmatch(pattern, key)]
        name = key.rsplit("/", 1)[-1]
        if not any(f'"{name}"' in inspect.getsource(test) for test in tests):
            untested.append(key)
    assert not untested


def test_no_pattern_is_left_without_a_figure() -> None:
    for pattern in TESTED:
        assert any(re.fullmatch(pattern, key) for key in ALL), pattern


def test_every_form_of_the_sets_is_known() -> None:
    assert {of["kind"] for of in sets().values()} <= set(golden.FORMS)
