"""`python -m tarstop_core.samples.simulate DIR`: write the simulated sample data."""

import argparse
from pathlib import Path

from tarstop_core.samples.simulate import diagnostic, patents
from tarstop_core.samples.simulate.write import write_sample_data


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m tarstop_core.samples.simulate", description="Write the simulated sample data."
    )
    parser.add_argument("folder", type=Path, help="where to write; usually sample_data")
    parser.add_argument(
        "--seed", type=int, default=patents.DEFAULT_SEED, help="of the searches; default: %(default)s"
    )
    parser.add_argument(
        "--review-seed",
        type=int,
        default=diagnostic.DEFAULT_SEED,
        help="of the reviews; default: %(default)s",
    )
    given = parser.parse_args()
    written = write_sample_data(given.folder, given.seed, given.review_seed)
    size = sum(path.stat().st_size for path in written)
    print(f"{len(written)} files, {size / 1e6:.2f} MB, in {given.folder}")


if __name__ == "__main__":
    main()
