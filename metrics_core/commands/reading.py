"""What the commands that score files share: the files read and judged, the queries in groups."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property, partial
from os.path import normpath
from pathlib import Path
from typing import TYPE_CHECKING

from metrics_core import formats
from metrics_core.base import frames as pd
from metrics_core.base import wording as w
from metrics_core.base.errors import (
    NoSharedQueriesError,
    RanklensError,
    TableError,
)
from metrics_core.base.notes import Note
from metrics_core.checks.corpus import equal_text_notes, lacking_notes
from metrics_core.checks.fit import AnyTable, near_matches, with_clean_ids
from metrics_core.checks.id_notes import document_id_notes, query_id_notes
from metrics_core.checks.mapped_ids import with_mapped_ids
from metrics_core.commands.console import progress_of
from metrics_core.commands.own_columns import choices_for, refuse_unused_columns
from metrics_core.commands.reading_options import ReadingOptions, measures_named, names_given
from metrics_core.commands.run_files import OfFile, runs_given
from metrics_core.formats.beir import qrels_of_set
from metrics_core.formats.pairs import read_pairs
from metrics_core.judging import JudgedRanks, judge
from metrics_core.judging.left_out import LeftOut, own_query_notes, without
from metrics_core.judging.while_reading.large_files import (
    first_lists,
    judged_at_once,
    judged_within,
)
from metrics_core.measures import Measure, name_notes
from metrics_core.scoring.notes import score_notes, with_tie_range
from metrics_core.tables import Documents, Qrels, Queries, Run
from metrics_core.tables.run_names import AnyRun, baseline_name, told_apart, with_folders

if TYPE_CHECKING:
    from metrics_core.commands.named_collection import NamedCollection
    from metrics_core.judging.while_reading.judged import JudgedFile


_WHILE_READING = {"encoding", "limit", "grades"}
"""The reading choices with which a run can be judged while it is read."""


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

    @cached_property
    def ranks(self) -> JudgedRanks:
        """The run joined with the judgments."""
        try:
            return judge(self.run, self.qrels, documents=self.documents)
        except NoSharedQueriesError as error:
            from metrics_core.checks.id_mismatch import query_mismatch

            found = query_mismatch(self.run, self.qrels)
            if found is None:
                raise
            ids = w.listing(found.examples)
            hint = f"{error.hint} {found.text} ({ids}): {found.option}."
            raise NoSharedQueriesError(error.message, hint) from error


@dataclass(frozen=True)
class ReadFiles:
    """The judgments, the runs joined with them and where a command line finds each by its name
    (`OfFile`), the measures, the documents where they were given, and the runs as they were read;
    none where they were judged while they were."""

    qrels: Qrels
    judged: list[JudgedRanks]
    files: Mapping[str, str]
    measures: list[Measure]
    documents: Documents | None
    runs: list[Run] = field(default_factory=list)


def judged_files(options: ReadingOptions) -> ReadFiles:
    """The runs joined with the judgments, and the measures asked for; notes go to stderr."""
    measures, qrels, documents = asked(options)
    runs = _judged_at_once(options, qrels, measures)
    if runs is None:
        return _read(options, qrels, measures, documents)
    judged = [_told(one.run, measures, options) for one in runs]
    # No more than the first lists of such a run fits in memory.
    part = partial(first_lists, read_as=options.read_as)
    for name, note in document_id_notes(judged, [partial(part, one.file) for one in runs], qrels):
        say(name, (note,))
    return ReadFiles(qrels, judged, {one.name: one.file for one in runs}, measures, documents)


def read_files(options: ReadingOptions) -> ReadFiles:
    """The same with the runs, each read whole."""
    measures, qrels, documents = asked(options)
    return _read(options, qrels, measures, documents)


def asked(options: ReadingOptions) -> tuple[list[Measure], Qrels, Documents | None]:
    """The measures, the judgments and the documents that the options name."""
    measures = measures_named(options.measures or options.default_measures)
    say("measures", name_notes(names_given(options.measures or ())))
    _refuse_rereading(
        [options.qrels, *options.all_runs, options.documents, options.queries, options.exclude]
    )
    refuse_unused_columns(options)
    qrels = _qrels(options)
    say(Path(options.qrels).name, qrels.notes)
    qrels = with_ids(qrels, options.qrels, options)
    return measures, qrels, _documents(options, qrels, measures)


def _qrels(options: ReadingOptions) -> Qrels:
    if options.collection is not None:
        return _collection(options.collection).qrels(options.read_as)
    return qrels_of_set(options.qrels, options.read_as) or formats.read_qrels(
        options.qrels, **choices_for(options.qrels, "qrels", options)
    )


@cache
def _collection(name: str) -> NamedCollection:
    from metrics_core.commands.named_collection import named_collection

    return named_collection(name)


def nothing_to_compare(baseline: str) -> RanklensError:
    """The error for runs that turned out to be the baseline."""
    return RanklensError(
        f"There is no run to compare with {baseline}.",
        "Its file was given twice. Give another run.",
    )


def _refuse_rereading(files: Sequence[str | None]) -> None:
    """Refuse the standard input in two places: the first to read it would leave nothing."""
    if sum(name in ("-", "/dev/stdin") for name in files) > 1:
        raise RanklensError(
            "Standard input can be read only once.", "Use - once, and give files for the others."
        )


def _documents(
    options: ReadingOptions, qrels: Qrels, measures: Sequence[Measure]
) -> Documents | None:
    """The documents that are given; those of a collection where a measure needs them."""
    if options.documents:
        path = options.documents
        documents = formats.read_documents(path, **options.read_as.choices(columns=None))
    elif options.collection and any("documents" in m.declaration.needs for m in measures):
        path = options.collection
        documents = _collection(path).documents(options.read_as.limit)
    else:
        return None
    name = Path(path).name
    say(name, documents.notes)
    documents = with_ids(documents, path, options)
    say(name, (*lacking_notes(documents, qrels), *equal_text_notes(documents)))
    return documents


def _read(
    options: ReadingOptions, qrels: Qrels, measures: list[Measure], documents: Documents | None
) -> ReadFiles:
    """The runs, each read whole, and judged."""
    read = runs_read(options)
    runs = [one.run for one in read]
    judged = [_told(ReadRun(run, qrels, documents), measures, options) for run in runs]
    for name, note in (
        *query_id_notes(runs, qrels),
        *document_id_notes(judged, [run.whole for run in runs], qrels),
    ):
        say(name, (note,))
    files = {one.name: one.file for one in read}
    return ReadFiles(qrels, judged, files, measures, documents, runs)


def runs_read(options: ReadingOptions) -> list[OfFile[Run]]:
    """The runs, each read whole; notes go to stderr."""
    read, left_out, given = [], _left_out(options), runs_given(options)
    several = Counter(path for path, _ in given) - Counter(options.all_runs)
    for path, run in given:
        about = (Path(path).name or path) if run.complete else run.name
        say(about, run.notes)
        own = with_ids(run, path, options)
        left = without(own, left_out)
        say(about, left.notes[len(own.notes) :])
        file = f"{path.rstrip('/')}/{run.name}" if path in several else path
        read.append(OfFile(left, file))
    return _apart(read, lambda one, other: one.has_rows_of(other), options)


def _apart(
    runs: Sequence[OfFile[AnyRun]], same: Callable[[AnyRun, AnyRun], bool], options: ReadingOptions
) -> list[OfFile[AnyRun]]:
    """Return the runs with distinct names; folders tell those of one name apart. A file that is
    given twice counts once, unless both are to stay; two files with the same rows are two runs."""
    keeps_same = options.keeps_same
    if keeps_same and runs:
        baseline, *others = runs
        named = baseline_name(baseline.name, {run.name for run in others})
        runs = [baseline.renamed(named), *others]
    runs = with_folders(runs, [run.file for run in runs])

    def is_given_again(one: OfFile[AnyRun], other: OfFile[AnyRun]) -> bool:
        return normpath(one.file) == normpath(other.file) and same(one.run, other.run)

    apart, notes = told_apart(runs) if keeps_same else told_apart(runs, is_given_again)
    say("runs", notes)
    return apart


def _left_out(options: ReadingOptions) -> LeftOut:
    """What the runs leave out; the pairs have their ids as the runs have."""
    if options.exclude is None:
        return LeftOut(options.exclude_self)
    pairs = read_pairs(options.exclude, **options.read_as.choices(columns=None))
    return LeftOut(options.exclude_self, with_ids(pairs, options.exclude, options))


def _judged_at_once(
    options: ReadingOptions, qrels: Qrels, measures: Sequence[Measure]
) -> list[OfFile[JudgedFile]] | None:
    """The runs, judged while they are read; None where that cannot be done, or does not pay."""
    needs = options.documents or any(m.declaration.needs for m in measures)
    if options.memory is not None:
        _refuse_with_memory(options, needs=bool(needs))
        read = [_within_memory(options.memory, path, options, qrels) for path in options.all_runs]
    elif (
        needs
        or options.clean_ids
        or options.maps
        or options.exclude_self
        or options.exclude
        or options.read_as.beyond(_WHILE_READING)
        or any(map(formats.holds_runs, options.all_runs))
    ):
        return None
    else:
        made = judged_at_once(options.all_runs, qrels, options.read_as)
        if made is None:
            return None
        read = made
    looked_at = True
    for path, run in zip(options.all_runs, read, strict=True):
        say(Path(path).name, run.notes)
        if looked_at:
            # Where queries are documents, the first run lists them, too: 40 runs are many to open.
            first = first_lists(path, options.read_as)
            notes = () if first is None else own_query_notes(first, among="the first ")
            say(Path(path).name, notes)
            looked_at = bool(notes)
    found = [OfFile(run, path) for path, run in zip(options.all_runs, read, strict=True)]
    return _apart(found, lambda one, other: one.has_rows_of(other), options)


def _within_memory(memory: int, path: str, options: ReadingOptions, qrels: Qrels) -> JudgedFile:
    with progress_of(path) as progress:
        return judged_within(memory, path, qrels, options.read_as, progress=progress)


def _refuse_with_memory(options: ReadingOptions, *, needs: bool) -> None:
    """Refuse --memory beside what takes a run that is read whole."""
    beyond = options.read_as.beyond(_WHILE_READING | {"columns"})
    both = {
        "--documents or a measure of documents": needs,
        "--clean-ids": options.clean_ids,
        "--map-docs or --map-queries": bool(options.maps),
        "--exclude-self or --exclude": bool(options.exclude_self or options.exclude),
        "a folder of judged ranks": any(map(formats.holds_ranks, options.all_runs)),
        "a folder of runs": any(map(formats.holds_runs, options.all_runs)),
        **{f"--{name} {value}": True for name, value in beyond.items()},
    }
    named = next((name for name, given in both.items() if given), None)
    if named:
        raise RanklensError(
            f"--memory judges runs while reading them and cannot be combined with {named}.",
            "Leave one of the two out.",
        )


def cleaned(table: AnyTable, path: str) -> AnyTable:
    """The table with clean ids; where two ids become one, the error names the file."""
    try:
        return with_clean_ids(table)
    except TableError as error:
        raise RanklensError(f"{path}, with clean ids: {error}") from error


def _told(
    run: ReadRun | JudgedFile, measures: Sequence[Measure], options: ReadingOptions
) -> JudgedRanks:
    """The judged ranks, once what is to be said of them is."""
    ranks = run.ranks
    notes = with_tie_range(ranks, measures)
    if isinstance(run, ReadRun):  # ids that are judged at once are plain
        notes += near_matches(run.run, run.qrels) + own_query_notes(run.run)
    notes += score_notes(ranks, measures, without_relevant=options.without_relevant)
    say(run.name, notes)
    return ranks


def with_ids(table: AnyTable, path: str, options: ReadingOptions) -> AnyTable:
    """The table with its ids as they are to be read; what became one is told."""
    own = cleaned(table, path) if options.clean_ids else table
    try:
        read = with_mapped_ids(own, options.maps)
    except RanklensError as error:
        raise RanklensError(f"{path}: {error.message}", error.hint) from error
    say(Path(path).name, read.notes[len(own.notes) :])
    return read


def groups_of(by: str, query_ids: Sequence[str], options: ReadingOptions) -> pd.Series:
    """The group of each query by this column of the queries file; what is odd about it goes to
    stderr. Raises RanklensError where it cannot be read, or has none of the queries."""
    from metrics_core.slicing.breakdowns import group_of

    return group_of(queries_given(query_ids, options, "--by"), query_ids, by)


def queries_given(query_ids: Sequence[str], options: ReadingOptions, needed_by: str) -> Queries:
    """The queries file, which something needs; what is odd about it goes to stderr. Raises
    RanklensError as `groups_of`."""
    from metrics_core.slicing.breakdowns import refuse_strangers

    queries = queries_named(options)
    if queries is None:
        hint = "Give their file with --queries FILE."
        raise RanklensError(f"{needed_by} needs the queries.", hint)
    refuse_strangers(queries, query_ids, str(options.queries or options.collection))
    return queries


def queries_named(options: ReadingOptions) -> Queries | None:
    """The queries in a file or of a collection; None where neither is named. Notes go to stderr."""
    path = options.queries or options.collection
    if not path:
        return None
    if not options.queries:
        queries = _collection(path).queries(options.read_as.limit)
    else:
        queries = formats.read_queries(path, **options.read_as.choices(columns=None))
    say(Path(path).name, queries.notes)
    return with_ids(queries, path, options)


def say_unused(options: ReadingOptions) -> None:
    """Tell of queries that were given and are not needed."""
    if options.queries and not options.by:
        say("--queries", [Note("unused", "only --by needs this file; it was not read")])


def say(about: str, notes: Sequence[Note]) -> None:
    """Print notes to stderr."""
    for note in notes:
        first = f" (first: {', '.join(note.examples)})" if note.examples else ""
        print(w.visible(f"note: {about}: {note.message}{first}"), file=sys.stderr)
