"""Readers: how far they agree, what all of them overlooked, and who should read next."""
