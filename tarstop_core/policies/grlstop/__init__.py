"""GRLStop: an agent that learned when to stop, with what it was trained with."""

from tarstop_core.policies.grlstop.rule import GRLStop as GRLStop
