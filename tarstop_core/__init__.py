"""Decision-theoretic stopping for document screening."""

__version__ = "0.2.0"
