"""What trec_eval itself printed for real runs, against what our trec_eval command line prints.

    python -m benchmarks.goldens DIR

DIR holds collections, each in a folder, and somewhere files `<name>.<version>.txt.gz`, version v10
or v908: the output of `trec_eval -q -c -m all_trec` with its numbers in full. The run and the
judgments of each are found by trying; a line for each file tells how many of its lines are printed
otherwise, and of how many the number is not the same to the last bit.

A folder of trec_eval's own tests has a README.txt with lines ` options files -> expected`: each is
run in its folder, and has to print the bytes of that file.
"""

from __future__ import annotations

import argparse
import contextlib
import gzip
import shlex
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.real_data import collection_of, unpacked
from metrics_core.compatible import trec_eval
from metrics_core.compatible.trec_eval import report
from metrics_core.formats import read

VERSIONS = {"v10": "10.0", "v908": "9.0.8"}
LEVELS = ("1", "2")

Lines = list[tuple[str, str, str]]


@dataclass
class Compared:
    """How the lines of one file compare: by name of the measure, how many are printed otherwise,
    and how many differ in any bit."""

    lines: int = 0
    printed: Counter[str] = field(default_factory=Counter)
    bits: Counter[str] = field(default_factory=Counter)


def lines_of(text: str) -> Lines:
    """Name, query and value of each line."""
    rows = [line.split("\t") for line in text.splitlines()]
    return [(name.strip(), query, value) for name, query, value in rows]


def compared(expected: Lines, found: Lines) -> Compared | None:
    """The comparison line by line; None where they are not about the same measures and queries."""
    if [line[:2] for line in expected] != [line[:2] for line in found]:
        return None
    outcome = Compared(len(expected))
    for (name, _, one), (_, _, other) in zip(expected, found, strict=True):
        if one == other or (_is_number(one) and _is_number(other) and float(one) == float(other)):
            continue
        outcome.bits[name] += 1
        same = (
            _is_number(one) and _is_number(other) and f"{float(one):.4f}" == f"{float(other):.4f}"
        )
        outcome.printed[name] += not same
    return outcome


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _candidates(folder: Path, scratch: Path) -> Iterator[tuple[str, Path, Path]]:
    """Run name, judgments and run of each pair that shares a query."""
    for own in sorted(p for p in folder.iterdir() if p.is_dir()):
        collection = collection_of(own)
        for run, listed in collection.runs.items():
            tag = read(run).tag
            for qrels, judged in collection.qrels.items():
                if listed & judged:
                    yield tag, qrels, unpacked(run, scratch)


def own_tests(folder: Path) -> Iterator[tuple[str, int]]:
    """The command lines of trec_eval's own tests, each with how many lines are printed otherwise;
    where only their number differs, that counts as one."""
    for line in (folder / "README.txt").read_text().splitlines():
        words, arrow, name = line.partition("->")
        if not arrow:
            continue
        expected = (folder / name.strip()).read_bytes()
        with contextlib.chdir(folder):
            found = trec_eval.evaluate(shlex.split(words)).output
        pairs = zip(expected.splitlines(), found.splitlines(), strict=False)
        yield words.strip(), sum(a != b for a, b in pairs) or int(expected != found)


def main() -> int:
    """Compare every file; the exit status is 1 where a line is printed otherwise."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("data", type=Path, metavar="DIR")
    folder = parser.parse_args().data
    different = 0
    for readme in sorted(folder.glob("*/README.txt")):
        for words, wrong in own_tests(readme.parent):
            print(f"{words}: {wrong or 'no'} lines printed otherwise")
            different += wrong > 0
    report.format_number = _in_full
    with tempfile.TemporaryDirectory() as scratch:
        candidates = list(_candidates(folder, Path(scratch)))
        for golden in sorted(folder.rglob("*.v*.txt.gz")):
            expected = lines_of(gzip.decompress(golden.read_bytes()).decode())
            best = _best(golden, expected, candidates)
            if best is None:
                print(f"{golden.name}: no run and judgments give these lines")
            else:
                told = ", ".join(f"{name} {n}" for name, n in best.printed.items() if n)
                bits = sum(best.bits.values())
                print(
                    f"{golden.name}: {best.lines:,} lines, {told or 'none'} printed otherwise,"
                    f" {bits:,} not to the last bit; rbp {best.bits['rbp']}"
                )
            different += best is None or sum(best.printed.values()) > 0
    return 1 if different else 0


def _best(
    golden: Path, expected: Lines, candidates: list[tuple[str, Path, Path]]
) -> Compared | None:
    """The comparison with the run and judgments, and the level, that come closest."""
    version = VERSIONS[golden.name.split(".")[-3]]
    name = next(value for measure, _, value in expected if measure == "runid")
    tried = []
    for tag, qrels, run in candidates:
        if tag != name:
            continue
        for level in LEVELS:
            asked = ["-q", "-c", "-m", "all_trec", "-l", level, "--as", version]
            outcome = trec_eval.evaluate([*asked, str(qrels), str(run)])
            tried.append(compared(expected, lines_of(outcome.output.decode("latin-1"))))
    fitting = [t for t in tried if t is not None]
    return min(fitting, key=lambda t: (sum(t.printed.values()), sum(t.bits.values())), default=None)


def _in_full(value: float, *, whole: bool) -> str:
    return str(int(value)) if whole else repr(float(value))


if __name__ == "__main__":
    raise SystemExit(main())
