"""`python -m scripts.make_samples DIR`: write the simulated sample data."""

import argparse
from pathlib import Path

from scripts.make_samples import diagnostic, patents
from scripts.make_samples.write import write_sample_data


def main() -> None:
    name = "python -m scripts.make_samples"
    parser = argparse.ArgumentParser(prog=name, description="Write the simulated sample data.")
    parser.add_argument("folder", type=Path, help="where to write; usually sample_data")
    for option, made, what in (("--seed", patents, "searches"), ("--review-seed", diagnostic, "reviews")):
        help_ = f"of the {what}; default: %(default)s"
        parser.add_argument(option, type=int, default=made.DEFAULT_SEED, help=help_)
    given = parser.parse_args()
    written = write_sample_data(given.folder, given.seed, given.review_seed)
    size = sum(path.stat().st_size for path in written)
    print(f"{len(written)} files, {size / 1e6:.2f} MB, in {given.folder}")


if __name__ == "__main__":
    main()
