"""TARstop from Python: what ``import tarstop_core as ts`` offers, on the engine of sessions and experiments."""
