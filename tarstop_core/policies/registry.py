"""All stopping rules by name. Adding one is adding a file and its class to this list."""

from __future__ import annotations

from tarstop_core.policies.base import Policy
from tarstop_core.policies.batch import Batch
from tarstop_core.policies.budget import Budget, Share
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
from tarstop_core.policies.smooth import Smooth
from tarstop_core.policies.target import Target

POLICIES: dict[str, type[Policy]] = {
    policy.name: policy
    for policy in (
        Optimal,
        LookAhead,
        Greedy,
        Smooth,
        Batch,
        Budget,
        QBCB,
        Knee,
        GRLStop,
        GeometricKnee,
        BudgetMethod,
        Target,
        Hypergeometric,
        PoissonProcess,
        Quant,
        Consecutive,
        LowPrecision,
        Rule2399,
        Share,
        DecideNow,
        ScreenEverything,
        Oracle,
    )
}
