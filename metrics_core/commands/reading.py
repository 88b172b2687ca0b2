"""What the commands that score files share: their options, and the files read and judged."""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from metrics_core import formats
from metrics_core.checks.fit import AnyTable, near_matches, with_clean_ids
from metrics_core.commands.measure_names import measures_named, names_given
from metrics_core.errors import ParameterError, RanklensError, TableError
from metrics_core.formats.limits import bytes_of
from metrics_core.formats.opening import open_source
from metrics_core.judging import JudgedRanks, judge
from metrics_core.measures import Measure, name_notes
from metrics_core.notes import Note
from metrics_core.scoring.notes import score_notes, tie_extremes, with_tie_range
from metrics_core.tables import Documents, Qrels, Run
from metrics_core.tables.run_names import same_rows, told_apart

if TYPE_CHECKING:
    from metrics_core.onepass import JudgedFile

_WORTH_COMPILING = 16 << 20
"""Bytes of runs from which it pays to load compiled code."""

DEFAULT_MEASURES = ("nDCG@10", "P@10", "R@10", "AP", "RR", "Judged@10")


def add_reading_options(
    parser: argparse.ArgumentParser,
    *,
    baseline: str = "",
    one_run: bool = False,
    measures: Sequence[str] = DEFAULT_MEASURES,
) -> None:
    """The judgments, the runs or the one run, the measures with those that are taken where none is
    given, and how the files are read; before the other runs one that is the baseline, where there
    is a help text for it."""
    parser.add_argument("qrels", metavar="QRELS", help="the judgments")
    if baseline:
        parser.add_argument("baseline", metavar="BASELINE", help=baseline)
    runs = "the run" if one_run else "one file for each run"
    parser.add_argument(
        "runs",
        metavar="RUN",
        nargs=1 if one_run else "+",
        help=f"{runs}; - is the standard input",
    )
    parser.add_argument(
        "-m",
        "--measure",
        dest="measures",
        action="append",
        metavar="NAME",
        help="one or several: nDCG@10,AP or P.5,10 or P(rel=2)@5, by their names in ir_measures, in"
        " trec_eval (ndcg_cut_10) or everywhere (precision_at_5); may be given again. The command"
        f" measures lists them (default: {','.join(measures)})",
    )
    parser.set_defaults(default_measures=measures)
    parser.add_argument(
        "--documents",
        metavar="FILE",
        help="the documents with their columns, for measures of price, popularity, category",
    )
    parser.add_argument(
        "--duplicates",
        choices=["error", "best", "first"],
        default="error",
        help="a document twice for a query: refuse, keep the best score, keep the first",
    )
    parser.add_argument(
        "--grades",
        type=_grades,
        default="integer",
        metavar="integer|real|WORD=NUMBER,…",
        help="how grades are read: whole numbers, gains, or words by what each is worth",
    )
    parser.add_argument("--encoding", metavar="NAME", help="such as latin-1 (default: UTF-8)")
    parser.add_argument(
        "--limit",
        type=_limit,
        metavar="SIZE",
        help="how much a file may take, unpacked, such as 8GB (default: 4GB)",
    )
    parser.add_argument(
        "--clean-ids", action="store_true", help="drop blanks and invisible characters around ids"
    )
    parser.add_argument(
        "--without-relevant",
        choices=["zero", "leave out"],
        default="zero",
        help="judged queries without a relevant document: score 0, or leave them out",
    )


def _limit(text: str) -> int:
    """The argument of --limit, in bytes."""
    try:
        return bytes_of(text)
    except ParameterError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def _grades(text: str) -> formats.Grades:
    """The argument of --grades."""
    if text == "integer":
        return "integer"
    if text == "real":
        return "real"
    worth = {}
    for part in text.split(","):
        word, equals, number = part.rpartition("=")
        try:
            worth[word.strip()] = float(number)
        except ValueError:
            equals = ""
        if not (equals and word.strip() and math.isfinite(worth.get(word.strip(), math.nan))):
            raise argparse.ArgumentTypeError(
                f"{part!r} is neither integer nor real nor WORD=NUMBER, such as relevant=1"
            )
    return worth


@dataclass(frozen=True)
class ReadRun:
    """A run as it was read, to be judged."""

    run: Run
    qrels: Qrels
    documents: Documents | None

    @property
    def name(self) -> str:
        """The name that tells the run apart."""
        return self.run.name

    def renamed(self, name: str) -> ReadRun:
        """The same run under another name."""
        return replace(self, run=self.run.renamed(name))

    @cached_property
    def ranks(self) -> JudgedRanks:
        """The run joined with the judgments."""
        return judge(self.run, self.qrels, documents=self.documents)

    def tie_extremes(self) -> tuple[JudgedRanks, JudgedRanks]:
        """The run judged with the worst grades first among equal scores, and the best first."""
        return tie_extremes(self.run, self.qrels)


@dataclass(frozen=True)
class ReadFiles:
    """The judgments, the runs as they were read and joined with them, and the measures."""

    qrels: Qrels
    runs: list[Run]
    judged: list[JudgedRanks]
    measures: list[Measure]


def judged_files(options: argparse.Namespace) -> tuple[list[JudgedRanks], list[Measure]]:
    """The runs joined with the judgments, and the measures asked for; notes go to stderr."""
    measures, qrels, documents = asked(options)
    runs = _judged_at_once(options, qrels, measures) or _read(options, qrels, documents)
    return [_told(run, measures, options) for run in runs], measures


def read_files(options: argparse.Namespace) -> ReadFiles:
    """The files read and joined, and the measures asked for; notes go to stderr."""
    measures, qrels, documents = asked(options)
    runs = _read(options, qrels, documents)
    judged = [_told(run, measures, options) for run in runs]
    return ReadFiles(qrels, [run.run for run in runs], judged, measures)


def asked(options: argparse.Namespace) -> tuple[list[Measure], Qrels, Documents | None]:
    """The measures, the judgments and the documents that the options name."""
    measures = measures_named(options.measures or options.default_measures)
    say("measures", name_notes(names_given(options.measures or ())))
    _refuse_rereading([options.qrels, *options.runs, options.documents, options.queries])
    qrels = formats.read_qrels(
        options.qrels, grades=options.grades, encoding=options.encoding, limit=options.limit
    )
    say(Path(options.qrels).name, qrels.notes)
    if options.clean_ids:
        qrels = cleaned(qrels, options.qrels)
    return measures, qrels, _documents(options)


def nothing_to_compare(baseline: str) -> RanklensError:
    """The error for runs that turned out to be the baseline."""
    return RanklensError(
        f"There is nothing but {baseline} to compare.",
        "The runs hold the same lines as the baseline; give another run.",
    )


def _refuse_rereading(files: Sequence[str | None]) -> None:
    """Refuse the standard input in two places: the first to read it would leave nothing."""
    if sum(name in ("-", "/dev/stdin") for name in files) > 1:
        raise RanklensError(
            "The standard input can be read once.", "Give a file for all but one of them."
        )


def _documents(options: argparse.Namespace) -> Documents | None:
    if not options.documents:
        return None
    documents = formats.read_documents(
        options.documents, encoding=options.encoding, limit=options.limit
    )
    say(Path(options.documents).name, documents.notes)
    return documents


def _read(options: argparse.Namespace, qrels: Qrels, documents: Documents | None) -> list[ReadRun]:
    """The runs, each read whole."""
    read = []
    for path in options.runs:
        run = formats.read_run(
            path, duplicates=options.duplicates, encoding=options.encoding, limit=options.limit
        )
        say(Path(path).name, run.notes)
        run = cleaned(run, path) if options.clean_ids else run
        read.append(ReadRun(run, qrels, documents))
    runs, notes = told_apart(read, lambda one, other: same_rows(one.run, other.run))
    say("runs", notes)
    return runs


def _judged_at_once(
    options: argparse.Namespace, qrels: Qrels, measures: Sequence[Measure]
) -> list[JudgedFile] | None:
    """The runs, judged while they are read; None where that cannot be done, or does not pay."""
    if options.documents or options.clean_ids or any(m.declaration.needs for m in measures):
        return None
    files = [Path(path) for path in options.runs]
    # What cannot be read twice has to be read whole.
    if not all(file.is_file() for file in files):
        return None
    if sum(file.stat().st_size for file in files) < _WORTH_COMPILING:
        return None
    sources = [open_source(file, None, options.encoding, options.limit) for file in files]
    from metrics_core.onepass import judged_run, judgments_of  # loads a compiler

    judgments, read = judgments_of(qrels), []
    for source in sources:
        run = judged_run(source, judgments)
        if run is None:
            return None
        read.append(run)
    for path, run in zip(options.runs, read, strict=True):
        say(Path(path).name, run.notes)
    runs, notes = told_apart(read, lambda one, other: one.has_rows_of(other))
    say("runs", notes)
    return runs


def cleaned(table: AnyTable, path: str) -> AnyTable:
    """The table with clean ids; where two ids become one, the error names the file."""
    try:
        return with_clean_ids(table)
    except TableError as error:
        raise RanklensError(f"{path}, with clean ids: {error}") from error


def _told(
    run: ReadRun | JudgedFile, measures: Sequence[Measure], options: argparse.Namespace
) -> JudgedRanks:
    """The judged ranks, once what is to be said of them is."""
    ranks = run.ranks
    notes = with_tie_range(ranks.notes, run.tie_extremes, measures)
    if isinstance(run, ReadRun):  # ids that are judged at once are plain
        notes += near_matches(run.run, run.qrels)
    notes += score_notes(ranks, measures, without_relevant=options.without_relevant)
    say(run.name, notes)
    return ranks


def say(about: str, notes: Sequence[Note]) -> None:
    """Print notes to stderr."""
    for note in notes:
        first = f" (first: {', '.join(note.examples)})" if note.examples else ""
        print(f"note: {about}: {note.message}{first}", file=sys.stderr)
