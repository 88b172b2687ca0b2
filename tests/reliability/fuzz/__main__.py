"""Mutated files through every reader.

    python -m tests.reliability.fuzz [--files 50000 | --minutes 60] [--seed 1]

Prints the seed; writes each find as a file into tests/reliability/finds, where a test replays it.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from pathlib import Path

from tests.reliability.fuzz.cases import case
from tests.reliability.fuzz.finds import FINDS, written
from tests.reliability.fuzz.running import Find, run

_STEP = 4_000


def main() -> int:
    """Exit status 1 where something was found."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else "")
    parser.add_argument("--files", type=int, help="how many (default: until the time is up)")
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    parser.add_argument("--into", type=Path, default=FINDS)
    options = parser.parse_args()
    print(f"seed {options.seed}", flush=True)
    started, number, finds = time.monotonic(), 0, list[Find]()
    while True:
        left = _STEP if options.files is None else min(_STEP, options.files - number)
        if left <= 0 or (
            options.files is None and time.monotonic() - started > options.minutes * 60
        ):
            break
        for find in run(options.seed, range(number, number + left)):
            finds.append(find)
            path = written(options.into, case(options.seed, find.number), find)
            print(f"file {find.number}: {find.why} ({path.name})", flush=True)
        number += left
    taken = time.monotonic() - started
    print(f"{number:,} files in {taken:,.0f} s, {len(finds)} finds, seed {options.seed}")
    return 1 if finds else 0


if __name__ == "__main__":
    sys.exit(main())
