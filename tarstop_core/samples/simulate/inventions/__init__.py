"""Sixteen invented inventions, each a file with a claim, the vocabulary of its field and the plan of its pool."""

from __future__ import annotations

from importlib.resources import files

from tarstop_core.samples.simulate.inventions.model import Feature, Invention, Mechanism, Plan
from tarstop_core.samples.simulate.words import read_folder

INVENTIONS: tuple[Invention, ...] = read_folder(Invention, files(__package__))

__all__ = ["INVENTIONS", "Feature", "Invention", "Mechanism", "Plan"]
