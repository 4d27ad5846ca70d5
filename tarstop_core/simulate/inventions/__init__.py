"""Sixteen invented inventions, each with a claim and the vocabulary of its field."""

from __future__ import annotations

from tarstop_core.simulate.inventions.body import BELAY_DEVICE, HEARING_AID, INHALER, PROSTHETIC_FOOT
from tarstop_core.simulate.inventions.household import COFFEE_MACHINE, DOOR_LOCK, WATER_FILTER, WINDOW_BLIND
from tarstop_core.simulate.inventions.model import Feature, Invention, Mechanism
from tarstop_core.simulate.inventions.moving import BATTERY_PACK, BICYCLE_BRAKE, DRONE_GRIPPER, STAIR_TROLLEY
from tarstop_core.simulate.inventions.outdoors import (
    ANTENNA_MOUNT,
    DRIP_EMITTER,
    GREENHOUSE_VENT,
    SKI_BINDING,
)

INVENTIONS: tuple[Invention, ...] = (
    ANTENNA_MOUNT,
    BATTERY_PACK,
    BELAY_DEVICE,
    BICYCLE_BRAKE,
    COFFEE_MACHINE,
    DOOR_LOCK,
    DRIP_EMITTER,
    DRONE_GRIPPER,
    GREENHOUSE_VENT,
    HEARING_AID,
    INHALER,
    PROSTHETIC_FOOT,
    SKI_BINDING,
    STAIR_TROLLEY,
    WATER_FILTER,
    WINDOW_BLIND,
)

__all__ = ["INVENTIONS", "Feature", "Invention", "Mechanism"]
