"""Import 50,000 records from CSV, near duplicates looked for: seconds and peak memory, in a process of its own.

Run as `python benchmarks/import_records.py [number of records]`. Targets: 10 s and 1 GB.
"""

import csv
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

RECORDS = 50_000
ABSTRACT_CHARACTERS = 1_500
MOST_SECONDS = 10.0
MOST_BYTES = 1_000_000_000


def write_csv(path: Path, records: int) -> None:
    """Write records with invented words whose lengths and frequencies are like those of English."""
    chance = random.Random(1)
    letters = "etaoinshrdlucmfwypvbgkjqxz"
    words = ["".join(chance.choices(letters, k=chance.randint(2, 12))) for _ in range(20_000)]
    weights = [1 / (rank + 5) for rank in range(len(words))]
    pool = chance.choices(words, weights, k=400_000)
    with path.open("w", newline="", encoding="utf-8") as stream:
        out = csv.writer(stream)
        out.writerow(["id", "title", "abstract", "authors", "year", "doi", "keywords"])
        for number in range(records):
            start = chance.randrange(len(pool) - 400)
            abstract = " ".join(pool[start : start + 300])[:ABSTRACT_CHARACTERS]
            title = " ".join(pool[start + 300 : start + 312]).capitalize()
            authors = "; ".join(name.capitalize() for name in pool[start + 312 : start + 316])
            doi = f"10.9999/bench.{number}"
            out.writerow(
                [number, title, f'{abstract}, "quoted", été.', authors, 1990 + number % 30, doi, "a; b"]
            )


def import_once(path: Path) -> None:
    """Read the file and print seconds, peak memory in bytes and the number of records."""
    from tarstop_core.documents.merging import propose
    from tarstop_core.files import read_records

    reports: list[float] = []
    start = time.perf_counter()
    table = read_records(path, progress=lambda share, words: reports.append(share))
    merged = propose([table.frame]).merge
    seconds = time.perf_counter() - start
    if not reports or reports[-1] != 1.0 or reports != sorted(reports):
        raise SystemExit("The progress reported does not rise to 1.")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    print(seconds, peak, len(merged.frame))


def main() -> int:
    """Run the benchmark; exit with 1 when a target is missed."""
    if len(sys.argv) == 3 and sys.argv[1] == "--import":
        import_once(Path(sys.argv[2]))
        return 0
    records = int(sys.argv[1]) if len(sys.argv) > 1 else RECORDS
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "records.csv"
        write_csv(path, records)
        size = path.stat().st_size
        done = subprocess.run(
            [sys.executable, str(Path(__file__).resolve()), "--import", str(path)],
            check=True,
            capture_output=True,
            text=True,
        )
    seconds, peak, count = (float(value) for value in done.stdout.split())
    print(f"{int(count):,} records, {size / 1e6:.0f} MB: {seconds:.2f} s, peak {peak / 1e6:.0f} MB")
    if count != records:
        return 1
    scale = max(1.0, records / RECORDS)
    return int(seconds > MOST_SECONDS * scale or peak > MOST_BYTES * scale)


if __name__ == "__main__":
    raise SystemExit(main())
