"""Several readers of one list: agreement, records that all of them missed, and who should read next."""
