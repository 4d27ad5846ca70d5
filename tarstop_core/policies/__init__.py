"""Stopping rules: self-describing objects that turn a path into depths."""

from tarstop_core.policies.audit import Audit
from tarstop_core.policies.base import Expected, Family, Parameter, Policy, Randomised, Replicates, Value
from tarstop_core.policies.batch import Batch
from tarstop_core.policies.budget import Budget, Share
from tarstop_core.policies.combined import Both, Either
from tarstop_core.policies.consecutive import Consecutive, LowPrecision, Rule2399
from tarstop_core.policies.greedy import Greedy
from tarstop_core.policies.grlstop import GRLStop
from tarstop_core.policies.hypergeometric import Hypergeometric
from tarstop_core.policies.knee import BudgetMethod, GeometricKnee, Knee
from tarstop_core.policies.look_ahead import LookAhead
from tarstop_core.policies.optimal import Optimal
from tarstop_core.policies.poisson import PoissonProcess
from tarstop_core.policies.qbcb import QBCB
from tarstop_core.policies.quant import Quant
from tarstop_core.policies.reference import DecideNow, Oracle, ScreenEverything
from tarstop_core.policies.registry import POLICIES
from tarstop_core.policies.sampled import SampleGrid
from tarstop_core.policies.smooth import Smooth
from tarstop_core.policies.specs import parse_policy
from tarstop_core.policies.target import Target
from tarstop_core.value.path import Path

__all__ = [
    "POLICIES",
    "QBCB",
    "Audit",
    "Batch",
    "Both",
    "Budget",
    "BudgetMethod",
    "Consecutive",
    "DecideNow",
    "Either",
    "Expected",
    "Family",
    "GRLStop",
    "GeometricKnee",
    "Greedy",
    "Hypergeometric",
    "Knee",
    "LookAhead",
    "LowPrecision",
    "Optimal",
    "Oracle",
    "Parameter",
    "Path",
    "PoissonProcess",
    "Policy",
    "Quant",
    "Randomised",
    "Replicates",
    "Rule2399",
    "SampleGrid",
    "ScreenEverything",
    "Share",
    "Smooth",
    "Target",
    "Value",
    "parse_policy",
]
