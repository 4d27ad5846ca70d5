"""Decision-theoretic stopping for document screening."""

__version__ = "0.1.0"
