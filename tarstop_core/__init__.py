"""Decision-theoretic stopping for document screening."""

__version__ = "0.3.0"
