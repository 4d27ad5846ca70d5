"""GRLStop: an agent that learned when to stop, with what it was trained with."""

from __future__ import annotations
