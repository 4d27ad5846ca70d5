"""The Python interface of TARstop: the functions and classes behind ``import tarstop_core as ts``."""
