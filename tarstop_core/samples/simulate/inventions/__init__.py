"""Sixteen invented inventions, each a file with a claim and the vocabulary of its field."""

from __future__ import annotations

from importlib.resources import files

from tarstop_core.samples.simulate.inventions.model import Feature, Invention, Mechanism
from tarstop_core.samples.simulate.words import read_folder

INVENTIONS: tuple[Invention, ...] = read_folder(Invention, files(__package__))

__all__ = ["INVENTIONS", "Feature", "Invention", "Mechanism"]
