"""Read the input of commands that compute scores, and the queries with their groups."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property, partial
from os.path import normpath
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from metrics_core import formats
from metrics_core.base import frames as pd
from metrics_core.base import wording as w
from metrics_core.base.errors import (
    NoSharedQueriesError,
    RanklensError,
    TableError,
)
from metrics_core.base.notes import Note
from metrics_core.checks.corpus import duplicate_text_notes, missing_document_notes
from metrics_core.checks.fit import AnyTable, clean_ids, find_near_matches
from metrics_core.checks.id_notes import document_id_notes, query_id_notes
from metrics_core.checks.mapped_ids import map_ids
from metrics_core.commands.console import show_progress
from metrics_core.commands.file_columns import reading_choices, refuse_unused_columns
from metrics_core.commands.reading_options import (
    ReadingOptions,
    parse_measure_options,
    refuse_options,
    split_names,
)
from metrics_core.commands.run_files import FileRun, read_file_runs
from metrics_core.formats.beir import read_set_qrels
from metrics_core.formats.pairs import read_pairs
from metrics_core.judging import JudgedRanks, join_judgments
from metrics_core.judging.exclusions import Exclusions, exclude_documents, self_match_notes
from metrics_core.judging.while_reading.large_files import (
    judge_files,
    judge_within_memory,
    read_first_lists,
)
from metrics_core.measures import Measure, name_notes
from metrics_core.scoring.notes import add_range_to_tie_notes, score_notes
from metrics_core.scoring.scores import Scores, score_runs
from metrics_core.tables import Documents, Qrels, Queries, Run
from metrics_core.tables.run_names import add_folder_names, baseline_name, make_names_unique

if TYPE_CHECKING:
    from metrics_core.commands.named_collection import NamedCollection
    from metrics_core.judging.while_reading.judged import JudgedFile

_AnyRun = TypeVar("_AnyRun", "Run", "JudgedFile")
_WHILE_READING = {"encoding", "limit", "grades"}
"""The reading choices that may be used if a run is joined with judgments while it is read."""


@dataclass(frozen=True)
class RunToJudge:
    """A run, the judgments that it is joined with, and the documents if there are any."""

    run: Run
    qrels: Qrels
    documents: Documents | None

    @property
    def name(self) -> str:
        """The unique name of the run."""
        return self.run.name

    @cached_property
    def ranks(self) -> JudgedRanks:
        """The run joined with the judgments. Raises NoSharedQueriesError. If an id mapping would
        help, the hint of the error names it."""
        try:
            return join_judgments(self.run, self.qrels, documents=self.documents)
        except NoSharedQueriesError as error:
            from metrics_core.checks.id_mismatch import find_query_mismatch

            mismatch = find_query_mismatch(self.run, self.qrels)
            if mismatch is None:
                raise
            ids = w.join_words(mismatch.examples)
            hint = f"{error.hint} {mismatch.text} ({ids}): {mismatch.option}."
            raise NoSharedQueriesError(error.message, hint) from error


@dataclass(frozen=True)
class InputFiles:
    """The input of a command that scores files. `judged` are the runs joined with the judgments,
    `files` has the path of each run by name, and `documents` are the documents that were read.
    `runs` are the whole runs, or empty if whole runs were not kept while reading."""

    qrels: Qrels
    judged: list[JudgedRanks]
    files: Mapping[str, str]
    measures: list[Measure]
    documents: Documents | None
    runs: list[Run] = field(default_factory=list)


def read_judged_files(options: ReadingOptions) -> InputFiles:
    """Read the measures and the runs, and join the runs with the judgments. Notes go to stderr."""
    measures, qrels, documents = read_inputs(options)
    runs = _judge_while_reading(options, qrels, measures)
    if runs is None:
        return _judge_runs(options, qrels, measures, documents)
    judged = [_judge_with_notes(judged_file.run, measures, options) for judged_file in runs]
    # Only the first lists of such a run fit in memory.
    part = partial(read_first_lists, read_as=options.read_as)
    for name, note in document_id_notes(
        judged, [partial(part, judged_file.file) for judged_file in runs], qrels
    ):
        print_notes(name, (note,))
    return InputFiles(
        qrels,
        judged,
        {judged_file.name: judged_file.file for judged_file in runs},
        measures,
        documents,
    )


def read_files_with_runs(options: ReadingOptions) -> InputFiles:
    """Read the files like `read_judged_files`, but read each run whole and keep the runs."""
    measures, qrels, documents = read_inputs(options)
    return _judge_runs(options, qrels, measures, documents)


def score_files(files: InputFiles, options: ReadingOptions) -> Scores:
    """Return the scores of the runs."""
    return score_runs(files.judged, files.measures, without_relevant=options.without_relevant)


def read_inputs(options: ReadingOptions) -> tuple[list[Measure], Qrels, Documents | None]:
    """Read the measures, the judgments and the documents that are named in the options."""
    measures = parse_measure_options(options.measures or options.default_measures)
    print_notes("measures", name_notes(split_names(options.measures or ())))
    _refuse_repeated_stdin(
        [options.qrels, *options.all_run_paths, options.documents, options.queries, options.exclude]
    )
    refuse_unused_columns(options)
    qrels = _read_qrels(options)
    print_notes(Path(options.qrels).name, qrels.notes)
    qrels = apply_id_options(qrels, options.qrels, options)
    return measures, qrels, _read_documents(options, qrels, measures)


def _read_qrels(options: ReadingOptions) -> Qrels:
    if options.collection is not None:
        return _load_collection(options.collection).qrels(options.read_as)
    return read_set_qrels(options.qrels, options.read_as) or formats.read_qrels(
        options.qrels, **reading_choices(options.qrels, "qrels", options)
    )


@cache
def _load_collection(name: str) -> NamedCollection:
    from metrics_core.commands.named_collection import load_collection

    return load_collection(name)


def nothing_to_compare_error(baseline: str) -> RanklensError:
    """Return the error for a command line on which all runs are the baseline."""
    return RanklensError(
        f"There is no run to compare with {baseline}.",
        "The file of the baseline was given twice. Give the file of another run.",
    )


def _refuse_repeated_stdin(files: Sequence[str | None]) -> None:
    """Raise RanklensError if standard input is named twice, because it can be read only once."""
    if sum(name in ("-", "/dev/stdin") for name in files) > 1:
        raise RanklensError("Standard input can be read only once.", "Use - for one file only.")


def _read_documents(
    options: ReadingOptions, qrels: Qrels, measures: Sequence[Measure]
) -> Documents | None:
    """Read the documents file that the options name. If they name none, read the documents of the
    named collection if a measure needs them. Otherwise, return None."""
    if options.documents:
        path = options.documents
        documents = formats.read_documents(path, **options.read_as.to_keyword_choices(columns=None))
    elif options.collection and any("documents" in m.declaration.needs for m in measures):
        path = options.collection
        documents = _load_collection(path).documents(options.read_as.limit)
    else:
        return None
    name = Path(path).name
    print_notes(name, documents.notes)
    documents = apply_id_options(documents, path, options)
    print_notes(name, (*missing_document_notes(documents, qrels), *duplicate_text_notes(documents)))
    return documents


def _judge_runs(
    options: ReadingOptions, qrels: Qrels, measures: list[Measure], documents: Documents | None
) -> InputFiles:
    """Read each run whole, and join it with the judgments."""
    file_runs = read_complete_runs(options)
    runs = [file_run.run for file_run in file_runs]
    judged = [
        _judge_with_notes(RunToJudge(run, qrels, documents), measures, options) for run in runs
    ]
    for name, note in (
        *query_id_notes(runs, qrels),
        *document_id_notes(judged, [run.read_whole for run in runs], qrels),
    ):
        print_notes(name, (note,))
    files = {file_run.name: file_run.file for file_run in file_runs}
    return InputFiles(qrels, judged, files, measures, documents, runs)


def read_complete_runs(options: ReadingOptions) -> list[FileRun[Run]]:
    """Read each run whole, and remove the excluded documents; notes go to stderr."""
    file_runs, left_out, named_runs = [], _read_exclusions(options), read_file_runs(options)
    shared_paths = Counter(path for path, _ in named_runs) - Counter(options.all_run_paths)
    for path, run in named_runs:
        about = (Path(path).name or path) if run.complete else run.name
        print_notes(about, run.notes)
        run_with_ids = apply_id_options(run, path, options)
        remaining = exclude_documents(run_with_ids, left_out)
        print_notes(about, remaining.notes[len(run_with_ids.notes) :])
        file = f"{path.rstrip('/')}/{run.name}" if path in shared_paths else path
        file_runs.append(FileRun(remaining, file))
    return _make_run_names_distinct(file_runs, options)


def _make_run_names_distinct(
    runs: Sequence[FileRun[_AnyRun]], options: ReadingOptions
) -> list[FileRun[_AnyRun]]:
    """Return the runs with unique names. Runs with the same name are distinguished by their
    folders. A file that is named twice counts once unless the options keep repeated runs. Different
    files with the same rows count as two runs."""
    keeps_same = options.keeps_repeated_runs
    if keeps_same and runs:
        baseline, *other_runs = runs
        unique_name = baseline_name(baseline.name, {run.name for run in other_runs})
        runs = [baseline.renamed(unique_name), *other_runs]
    runs = add_folder_names(runs, [run.file for run in runs])

    def is_same_run(one: FileRun[_AnyRun], other: FileRun[_AnyRun]) -> bool:
        is_same_file = not keeps_same and normpath(one.file) == normpath(other.file)
        return is_same_file and one.run.has_same_rows(other.run)

    distinct, notes = make_names_unique(runs, is_same_run)
    print_notes("runs", notes)
    return distinct


def _read_exclusions(options: ReadingOptions) -> Exclusions:
    """Read the documents that are excluded from runs. Their ids are mapped like the ids of runs."""
    if options.exclude is None:
        return Exclusions(options.exclude_self)
    pairs = read_pairs(options.exclude, **options.read_as.to_keyword_choices(columns=None))
    return Exclusions(options.exclude_self, apply_id_options(pairs, options.exclude, options))


def _judge_while_reading(
    options: ReadingOptions, qrels: Qrels, measures: Sequence[Measure]
) -> list[FileRun[JudgedFile]] | None:
    """Join the runs with the judgments while they are read; None if this is not worthwhile."""
    needs = options.documents or any(m.declaration.needs for m in measures)
    if options.memory is not None:
        _refuse_options_with_memory(options, needs_documents=bool(needs))
        paths, memory = options.all_run_paths, options.memory
        runs = []
        for path in paths:
            with show_progress(path) as progress:
                judged = judge_within_memory(
                    memory, path, qrels, options.read_as, progress=progress
                )
            runs.append(judged)
    elif (
        needs
        or options.clean_ids
        or options.id_maps
        or options.exclude_self
        or options.exclude
        or options.read_as.unsupported_choices(_WHILE_READING)
        or any(map(formats.has_runs, options.all_run_paths))
    ):
        return None
    else:
        judged_runs = judge_files(options.all_run_paths, qrels, options.read_as)
        if judged_runs is None:
            return None
        runs = judged_runs
    is_checked = True
    for path, run in zip(options.all_run_paths, runs, strict=True):
        print_notes(Path(path).name, run.notes)
        if is_checked:
            # If queries are also documents, the first run shows it; opening 40 runs is slow.
            first = read_first_lists(path, options.read_as)
            notes = () if first is None else self_match_notes(first, checked_lists="the first ")
            print_notes(Path(path).name, notes)
            is_checked = bool(notes)
    file_runs = [FileRun(run, path) for path, run in zip(options.all_run_paths, runs, strict=True)]
    return _make_run_names_distinct(file_runs, options)


def _refuse_options_with_memory(options: ReadingOptions, *, needs_documents: bool) -> None:
    """Raise RanklensError if --memory is combined with an option that needs whole runs."""
    unsupported = options.read_as.unsupported_choices(_WHILE_READING | {"columns"})
    conflicts: dict[str, object] = {
        "--documents or a measure that uses the documents table": needs_documents,
        "--clean-ids": options.clean_ids,
        "--map-docs or --map-queries": bool(options.id_maps),
        "--exclude-self or --exclude": bool(options.exclude_self or options.exclude),
        "ranks of judged documents": any(map(formats.has_judged_ranks, options.all_run_paths)),
        "a folder of runs": any(map(formats.has_runs, options.all_run_paths)),
        **{f"--{name} {value}": True for name, value in unsupported.items()},
    }
    refuse_options(
        conflicts,
        "--memory evaluates runs while reading them, so it cannot be combined with {}.",
        "Leave out one of the two.",
    )


def _judge_with_notes(
    run: RunToJudge | JudgedFile, measures: Sequence[Measure], options: ReadingOptions
) -> JudgedRanks:
    """Return the judged ranks (the ranks of judged documents) of a run, and print their notes."""
    ranks = run.ranks
    notes = add_range_to_tie_notes(ranks, measures)
    if isinstance(run, RunToJudge):  # ids that are judged at once are plain
        notes += find_near_matches(run.run, run.qrels) + self_match_notes(run.run)
    notes += score_notes(ranks, measures, without_relevant=options.without_relevant)
    print_notes(run.name, notes)
    return ranks


def apply_id_options(table: AnyTable, path: str, options: ReadingOptions) -> AnyTable:
    """Return the table with ids cleaned and mapped as requested; print notes on merged ids."""
    try:
        cleaned_table = clean_ids(table) if options.clean_ids else table
    except TableError as error:  # two ids became equal
        raise RanklensError(f"{path}, with clean ids: {error}") from error
    try:
        mapped_table = map_ids(cleaned_table, options.id_maps)
    except RanklensError as error:
        raise RanklensError(f"{path}: {error.message}", error.hint) from error
    print_notes(Path(path).name, mapped_table.notes[len(cleaned_table.notes) :])
    return mapped_table


def read_groups(column: str, query_ids: Sequence[str], options: ReadingOptions) -> pd.Series:
    """Return the group of each query (its value in `column`), indexed by query_id. Notes go to
    stderr. Raises RanklensError if the queries file cannot be read or has none of the queries."""
    from metrics_core.slicing.breakdowns import find_groups

    return find_groups(read_needed_queries(query_ids, options, "--by"), query_ids, column)


def read_needed_queries(
    query_ids: Sequence[str], options: ReadingOptions, needed_by: str
) -> Queries:
    """Read the queries that the option `needed_by` requires. Notes go to stderr. Raises
    RanklensError if no queries are named, if they cannot be read, or if none of them is in
    `query_ids`."""
    from metrics_core.slicing.breakdowns import refuse_unknown_queries

    queries = read_named_queries(options)
    if queries is None:
        hint = "Pass the queries file with --queries FILE."
        raise RanklensError(f"{needed_by} needs the queries.", hint)
    refuse_unknown_queries(queries, query_ids, str(options.queries or options.collection))
    return queries


def read_named_queries(options: ReadingOptions) -> Queries | None:
    """Read the queries of a file or a collection; None if neither is named. Notes go to stderr."""
    path = options.queries or options.collection
    if not path:
        return None
    if not options.queries:
        queries = _load_collection(path).queries(options.read_as.limit)
    else:
        queries = formats.read_queries(path, **options.read_as.to_keyword_choices(columns=None))
    print_notes(Path(path).name, queries.notes)
    return apply_id_options(queries, path, options)


def note_unused_queries(options: ReadingOptions) -> None:
    """Print a note if a queries file is given but the command does not need queries."""
    if options.queries and not options.by:
        print_notes("--queries", [Note("unused", "not read, because only --by needs this file")])


def print_notes(about: str, notes: Sequence[Note]) -> None:
    """Print notes to stderr. `about` is the file or option that they concern."""
    for note in notes:
        first = f" (first: {', '.join(note.examples)})" if note.examples else ""
        print(w.escape_controls(f"note: {about}: {note.message}{first}"), file=sys.stderr)
