"""Every score of real collections as `evaluate` prints it, and what another checkout prints.

    python -m benchmarks.real_data DIR [--into FOLDER] [--against CHECKOUT] [--only WORDS]

Each folder of DIR is a collection: its judgments and runs, wherever they stand in it, are found by
reading them. Each judgments file is evaluated with all runs that share a query with it: every
family of measures by query in full precision, then the other formats and options, the residuals,
and trec_eval's own command line. A line is printed for each command line: its exit status, the
size and the digest of its output. `--into` keeps the outputs, `--against` has another checkout run
the same command lines in one process of its own and prints which outputs differ, and where.
"""

from __future__ import annotations

import argparse
import contextlib
import gzip
import hashlib
import io
import json
import os
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

CUTOFFS = (5, 10, 100, 1000)
FORMATS = ("table", "csv", "json", "markdown", "latex")
OPTIONS = (("--without-relevant", "leave out"), ("--grades", "real"), ("--clean-ids",))
TREC_EVAL = (("-q", "-c", "-m", "all_trec"), ("-q", "-c", "-l", "2", "-m", "all_trec"))
NEEDED = {"recall": (0.1, 0.5), "factor": (0.5, 2.0)}
"""Values of the parameters that a measure cannot do without, cutoffs aside."""

_MOST_SHOWN = 8
_LONGEST_SHOWN = 160

Arguments = tuple[str, ...]


@dataclass
class Collection:
    """The files of one folder by what they hold: the ids of their queries, and for queries also
    the name of their first column."""

    qrels: dict[Path, frozenset[str]] = field(default_factory=dict)
    runs: dict[Path, frozenset[str]] = field(default_factory=dict)
    queries: dict[Path, tuple[str, frozenset[str]]] = field(default_factory=dict)
    subtopics: set[Path] = field(default_factory=set)


@dataclass(frozen=True)
class Printed:
    """What one command line gave."""

    status: int | str
    output: bytes
    said: bytes

    @property
    def whole(self) -> bytes:
        """Status, stdout and stderr, one after the other."""
        return b"\n".join((f"exit status {self.status}".encode(), self.output, self.said))


def collection_of(folder: Path) -> Collection:
    """What the files of a folder hold; files that are no table are passed over."""
    from metrics_core.base.errors import RanklensError
    from metrics_core.formats import read
    from metrics_core.tables import Qrels, Queries, Run

    found = Collection()
    for path in sorted(p for p in folder.rglob("*") if p.is_file()):
        try:
            table = read(path).table
        except RanklensError:
            continue
        if isinstance(table, Qrels):
            found.qrels[path] = frozenset(table.query_ids)
            if table.subtopics is not None:
                found.subtopics.add(path)
        elif isinstance(table, Run):
            found.runs[path] = frozenset(table.query_ids)
        elif isinstance(table, Queries):
            columns = [c for c in table.frame.columns if c not in ("query_id", "text")]
            if columns:
                found.queries[path] = (columns[0], frozenset(table.frame["query_id"]))
    return found


def families(subtopics: bool) -> Iterator[list[str]]:
    """The names of the measures of each family, each with several cutoffs where it takes one."""
    from metrics_core.measures import declarations
    from metrics_core.measures.declaring.families import group_by_family

    for declared in group_by_family(declarations()).values():
        names = []
        for d in declared:
            if "documents" in d.needs or ("subtopics" in d.needs and not subtopics):
                continue
            needed = next((p.name for p in d.parameters if p.name in NEEDED), None)
            if needed is not None:
                names += [str(d(**{needed: value})) for value in NEEDED[needed]]
            elif d.cutoff is None:
                names.append(str(d()))
            else:
                names += [str(d(cutoff=cutoff)) for cutoff in CUTOFFS]
                names += [str(d())] if d.cutoff.optional else []
        if names:
            yield names


def command_lines(collection: Collection, scratch: Path) -> Iterator[Arguments]:
    """The command lines of one collection, as arguments of `python -m metrics_core`; trec_eval
    reads no packed files and gets them unpacked into `scratch`."""
    for qrels, judged in collection.qrels.items():
        runs = [str(path) for path, listed in collection.runs.items() if listed & judged]
        if not runs:
            continue
        files = (str(qrels), *runs)
        for names in families(qrels in collection.subtopics):
            asked = (word for name in names for word in ("-m", name))
            yield ("evaluate", *files, *asked, "--per-query", "--format", "tsv")
        for format in FORMATS:
            yield ("evaluate", *files, "--format", format)
        for option in OPTIONS:
            yield ("evaluate", *files, *option, "--per-query", "--format", "tsv")
        for queries, (column, known) in collection.queries.items():
            if known & judged:
                yield ("evaluate", *files, "--queries", str(queries), "--by", column)
        yield ("residuals", *files, "--per-query")
        for run in runs:
            plain = unpacked(Path(run), scratch)
            yield from (("trec_eval", *options, str(qrels), str(plain)) for options in TREC_EVAL)


def unpacked(path: Path, scratch: Path) -> Path:
    """The path of the file, or of an unpacked copy in `scratch`."""
    if path.suffix != ".gz":
        return path
    copy = scratch / path.stem
    if not copy.exists():
        copy.write_bytes(gzip.decompress(path.read_bytes()))
    return copy


def printed(arguments: Arguments) -> Printed:
    """What this checkout's command line prints, run in this process."""
    from metrics_core.__main__ import main

    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", errors="surrogateescape")
    err = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", errors="surrogateescape")
    status: int | str
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            status = main(list(arguments))
        except SystemExit as ended:
            status = str(ended.code)
        except Exception:
            status = "a traceback"
            traceback.print_exc()
    texts = []
    for stream in (out, err):
        stream.flush()
        stream.buffer.seek(0)
        texts.append(stream.buffer.read())
    return Printed(status, texts[0], texts[1])


def print_all(lines: Iterable[Arguments], folder: Path) -> None:
    """Run the command lines in this process; a file of the folder for each one's output."""
    for number, arguments in enumerate(lines):
        (folder / f"{number:05}").write_bytes(printed(arguments).whole)


def printed_elsewhere(checkout: Path, lines: Sequence[Arguments], folder: Path) -> None:
    """The same in a process that imports metrics_core from another checkout."""
    asked = folder / "command lines"
    asked.write_text(json.dumps(lines))
    command = [sys.executable, str(Path(__file__).resolve()), "--in-this-process", str(folder)]
    environment = os.environ | {"PYTHONPATH": str(checkout.resolve())}
    subprocess.run(command, check=True, cwd=checkout, env=environment)
    asked.unlink()


def differing_lines(here: bytes, there: bytes) -> tuple[int, list[tuple[str, str]]]:
    """How many lines differ, place by place, and the first of them: there, then here."""
    ours, theirs = here.split(b"\n"), there.split(b"\n")
    length = max(len(ours), len(theirs))
    ours += [b"(no line)"] * (length - len(ours))
    theirs += [b"(no line)"] * (length - len(theirs))
    pairs = [(a, b) for a, b in zip(theirs, ours, strict=True) if a != b]
    return len(pairs), [(_shown(a), _shown(b)) for a, b in pairs[:_MOST_SHOWN]]


def _shown(line: bytes) -> str:
    text = line.decode(errors="replace")
    return text if len(text) <= _LONGEST_SHOWN else text[:_LONGEST_SHOWN] + " …"


def compared(lines: Sequence[Arguments], here: Path, there: Path) -> int:
    """Print which outputs differ between the two folders; gives how many."""
    different = 0
    for number, arguments in enumerate(lines):
        ours, theirs = ((folder / f"{number:05}").read_bytes() for folder in (here, there))
        if ours == theirs:
            continue
        different += 1
        count, first = differing_lines(ours, theirs)
        print(f"\n{' '.join(arguments)}\n    {count:,} lines differ")
        for before, after in first:
            print(f"    - {before}\n    + {after}")
    print(f"\n{different} of {len(lines)} outputs differ")
    return different


def _told(lines: Sequence[Arguments], folder: Path) -> None:
    for number, arguments in enumerate(lines):
        whole = (folder / f"{number:05}").read_bytes()
        status = whole.split(b"\n", 1)[0].decode()
        digest = hashlib.sha256(whole).hexdigest()[:16]
        print(f"{digest}  {len(whole):>12,} bytes  {status}  {' '.join(arguments)}")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("data", type=Path, metavar="DIR", help="a folder for each collection")
    parser.add_argument("--into", type=Path, metavar="FOLDER", help="keep the outputs there")
    parser.add_argument("--against", type=Path, metavar="CHECKOUT", help="another checkout")
    parser.add_argument(
        "--only", default="", metavar="WORDS", help="command lines with these words"
    )
    return parser.parse_args()


def main() -> int:
    """Print what every command line gives, or where another checkout differs."""
    options = _options()
    # The other checkout is another working folder.
    options.data = options.data.resolve()
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        lines = []
        for folder in sorted(p for p in options.data.iterdir() if p.is_dir()):
            own = list(command_lines(collection_of(folder), scratch))
            lines += [line for line in own if options.only in " ".join(line)]
            print(f"{folder.name}: {len(own) or 'no'} command lines")
        here = options.into or scratch / "here"
        here.mkdir(parents=True, exist_ok=True)
        print_all(lines, here)
        if options.against is None:
            _told(lines, here)
            return 0
        there = scratch / "there"
        there.mkdir()
        printed_elsewhere(options.against, lines, there)
        return 1 if compared(lines, here, there) else 0


def _in_this_process(folder: Path) -> None:
    asked = json.loads((folder / "command lines").read_text())
    print_all([tuple(arguments) for arguments in asked], folder)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--in-this-process"]:
        # The checkout comes from PYTHONPATH; the folder of this file must not come before it.
        sys.path.pop(0)
        _in_this_process(Path(sys.argv[2]))
        raise SystemExit(0)
    raise SystemExit(main())
