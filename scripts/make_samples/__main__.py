"""`python -m scripts.make_samples DIR`: write the simulated sample data."""

import argparse
from pathlib import Path

from scripts.make_samples.write import write_sample_data

if __name__ == "__main__":
    parser = argparse.ArgumentParser("python -m scripts.make_samples", description=__doc__)
    parser.add_argument("folder", type=Path, help="where to write; usually sample_data")
    folder = parser.parse_args().folder
    print(f"{len(write_sample_data(folder))} files in {folder}")
