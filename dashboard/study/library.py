"""Library: the available files, and the choice of the files that make up the study.

Files come from the example, from a folder named at the start, or from the workspace. This module
does not import Streamlit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import count

import numpy as np

from dashboard.files.files import File, join_run_files
from dashboard.study.study import Study
from dashboard.workspace import DEFAULT_SETTINGS, Settings
from metrics_core.base.errors import ParameterError, RanklensError
from metrics_core.base.notes import RUN_RESULTS_ONLY, Note
from metrics_core.checks.id_readings import UNCHANGED_IDS, parse_id_map
from metrics_core.checks.mapped_ids import AnyTable, IdMaps, map_ids
from metrics_core.formats import Loaded
from metrics_core.formats.registry import Kind, run_name
from metrics_core.judging import JudgedRanks, join_judgments
from metrics_core.judging.exclusions import Exclusions, exclude_documents
from metrics_core.scoring.given_scores import scores_from_tables
from metrics_core.tables import Documents, GivenScores, Qrels, Queries, Run
from metrics_core.tables.run_names import find_free_name, make_names_unique


@dataclass(frozen=True)
class Library:
    """All files of a collection and their study. The study is None if there are neither runs nor
    scores, or if there is only a single run without judgments."""

    files: tuple[File, ...]
    study: Study | None
    notes: tuple[Note, ...] = ()
    own_names: Mapping[str, str] = field(default_factory=dict)
    """The name in the file for each run that was renamed, keyed by its present name."""

    @property
    def slots(self) -> dict[str, int]:
        """The slot (colour and shape) of each run by name. All slots are different."""
        preferred_slots = {f.table.name: f.slot for f in self.files if isinstance(f.table, Run)}
        if self.study is not None:
            chosen = dict(self.study.settings.slots)
            own_names = {new: old for old, new in self.study.settings.names}
            preferred_slots = {
                name: chosen.get(own_names.get(name, name)) for name in self.study.names
            } | preferred_slots
        slot_names: dict[int, str] = {}
        for name, slot in preferred_slots.items():
            if slot is not None:
                slot_names.setdefault(slot, name)
        free = (slot for slot in count() if slot not in slot_names)
        assigned = {name: slot for slot, name in slot_names.items()}
        return {
            name: assigned[name] if name in assigned else next(free) for name in preferred_slots
        }

    @property
    def run_files(self) -> dict[str, File]:
        """The file of each run that is in use, by the name of the run."""
        return {f.table.name: f for f in self.files if isinstance(f.table, Run) and f.used}

    def files_of_kind(self, kind: Kind) -> list[File]:
        """Return the files that contain this kind of table."""
        return [f for f in self.files if f.kind == kind]

    @property
    def judgments(self) -> File | None:
        """The file with the judgments in use."""
        return self.used_file("qrels")

    def used_file(self, kind: Kind) -> File | None:
        """Return the first file of this kind that is in use."""
        return next((f for f in self.files_of_kind(kind) if f.used), None)


def assemble_library(
    files: Iterable[File],
    *,
    qrels_key: str = "",
    join_with_judgments: Callable[..., JudgedRanks] = join_judgments,
    settings: Settings = DEFAULT_SETTINGS,
) -> Library:
    """Make the study from all runs and one table of each other kind.

    If there are several judgment files, the chosen one is used or, by default, the one that fits
    the runs best (see `choose_judgments`). Of several query files, the one with the largest number
    of judged queries is used, and of several document files, the one with the largest number of
    judged documents. A file that is not used has the reason in `why_not`. `join_with_judgments` is
    the function that joins a run with judgments, like `join_judgments`. The `settings` rename runs,
    map ids and set colours."""
    listed = join_run_files(list(files))
    file_runs = [_FileRun(f, f.table) for f in listed if isinstance(f.table, Run) and f.used]
    named_runs, run_notes = make_names_unique(file_runs)
    named_runs, own_names = _rename_runs(named_runs, settings)
    named_runs = [
        replace(named_run, run=apply_settings(named_run.run, settings)) for named_run in named_runs
    ]
    runs = [named_run.run for named_run in named_runs]
    listed = _put_runs_into_files(listed, named_runs)
    qrels = choose_judgments([f for f in listed if isinstance(f.table, Qrels)], runs, qrels_key)
    query_ids = (
        qrels.table.query_ids
        if qrels and isinstance(qrels.table, Qrels)
        else [query_id for run in runs for query_id in run.query_ids]
    )
    queries = _choose_queries([f for f in listed if isinstance(f.table, Queries)], query_ids)
    documents = _choose_documents([f for f in listed if isinstance(f.table, Documents)], qrels)
    chosen_keys = {f.key for f in (qrels, queries, documents) if f is not None}
    listed = [
        f
        if f.kind in (None, "run", "scores") or f.key in chosen_keys
        else replace(f, used=False, why_not="not in use")
        for f in listed
    ]
    study = None
    listed, given_tables, given_notes = _choose_given_scores(listed)
    given_tables = [_map_ids(table, settings) for table in given_tables]
    is_unjudged = qrels is None and len(runs) > 1 and not given_tables
    has_lists = (qrels is not None and bool(runs)) or is_unjudged
    if has_lists or given_tables:
        study = Study(
            runs if has_lists else [],
            _mapped_table(qrels, Qrels, settings) if has_lists else None,
            _mapped_table(queries, Queries, settings),
            _mapped_table(documents, Documents, settings),
            join_with_judgments,
            settings,
            given_tables,
        )
    given_notes += study.given_scores_check[1] if study else []
    return Library(tuple(listed), study, (*run_notes, *given_notes), own_names)


def _choose_given_scores(
    files: Sequence[File],
) -> tuple[list[File], list[GivenScores], list[Note]]:
    """Return the files, the tables of given scores that can be combined, and a note on each table
    that cannot.

    Two tables cannot be combined if both have a score of the same run, query and measure. The later
    file is then marked as not used."""
    listed, chosen, notes = list(files), list[GivenScores](), list[Note]()
    tables = {n: file.table for n, file in enumerate(files) if isinstance(file.table, GivenScores)}
    if not tables:
        return listed, chosen, notes
    with suppress(RanklensError):
        # Usually all can be combined, and trying one table after another is slow with many files.
        scores_from_tables(list(tables.values()))
        return listed, list(tables.values()), notes
    for position, table in tables.items():
        try:
            scores_from_tables([*chosen, table])
        except RanklensError as error:
            file = files[position]
            listed[position] = replace(file, used=False, why_not=error.message)
            notes.append(Note("given_scores", f"{file.file}: {error.message}", loud=True))
        else:
            chosen.append(table)
    return listed, chosen, notes


@dataclass(frozen=True)
class _FileRun:
    """A run together with the file that it was read from."""

    file: File
    run: Run
    slot: int | None = None

    @property
    def name(self) -> str:
        """The unique name of the run."""
        return self.run.name

    def renamed(self, name: str) -> _FileRun:
        """Return the same run with another name."""
        return replace(self, run=self.run.renamed(name))


def _rename_runs(
    runs: Sequence[_FileRun], settings: Settings
) -> tuple[list[_FileRun], dict[str, str]]:
    """Set the names and slots that the user chose for runs. Also return a mapping from the new name
    of each renamed run to its original name."""
    names, slots = dict(settings.names), dict(settings.slots)
    taken_names = {file_run.name for file_run in runs if file_run.name not in names}
    renamed, own_names = [], {}
    for file_run in runs:
        original_name, file = file_run.name, file_run.file
        if original_name in names:
            file_run = file_run.renamed(find_free_name(names[original_name], taken_names))
            taken_names.add(file_run.name)
            own_names[file_run.name] = original_name
        renamed.append(replace(file_run, slot=slots.get(original_name, file.slot)))
    return renamed, own_names


def _map_ids(table: AnyTable, settings: Settings) -> AnyTable:
    """Map the ids of a table as the collection's settings state. If this fails, return the table
    unchanged with a note."""
    maps = id_maps(settings)
    if not maps or (isinstance(table, Run) and not table.complete):
        return table
    try:
        return map_ids(table, maps)
    except RanklensError as error:
        return table.with_notes(
            Note(
                "not_mapped",
                f"ids are unchanged, because mapping them failed: {error.message}",
                loud=True,
            )
        )


def _mapped_table(file: File | None, kind: type[AnyTable], settings: Settings) -> AnyTable | None:
    return _map_ids(file.table, settings) if file and isinstance(file.table, kind) else None


def apply_settings(table: AnyTable, settings: Settings) -> AnyTable:
    """Apply the settings of a collection to a table: map its ids and, if the table is a run, remove
    the excluded documents."""
    mapped = _map_ids(table, settings)
    return _exclude_documents(mapped, settings) if isinstance(mapped, Run) else mapped


def _exclude_documents(run: Run, settings: Settings) -> Run:
    """Remove the documents that the settings exclude from a run. If this fails, return the run
    unchanged with a note."""
    try:
        return exclude_documents(run, Exclusions(own_documents=settings.exclude_self))
    except RanklensError as error:
        return run.with_notes(
            Note(
                "not_left_out",
                f"documents could not be excluded from this run: {error.message}",
                loud=True,
            )
        )


def id_maps(settings: Settings) -> IdMaps:
    """Return the id maps of a collection. If they are invalid, ids are not mapped."""
    try:
        return IdMaps(
            *(
                parse_id_map(m) if m else UNCHANGED_IDS
                for m in (settings.map_queries, settings.map_docs)
            )
        )
    except ParameterError:  # written by a newer version
        return IdMaps()


def _put_runs_into_files(files: Sequence[File], runs: Sequence[_FileRun]) -> list[File]:
    """Return the files with each run replaced by its renamed version, and with the slot (colour and
    shape) of this run."""
    named_files = []
    for f in files:
        file_run = next((candidate for candidate in runs if candidate.file is f), None)
        named_files.append(
            f if file_run is None else replace(f, table=file_run.run, slot=file_run.slot)
        )
    return named_files


def judgment_files_by_name(files: Iterable[File]) -> dict[str, File]:
    """Return the judgment files by the name that a URL uses: the name of the file, or its key if
    several files have the same name."""
    judgment_files = [f for f in files if f.kind == "qrels"]
    name_counts = Counter(f.file for f in judgment_files)
    return {f.file if name_counts[f.file] == 1 else f.key: f for f in judgment_files}


def may_be_a_run(file: File | Loaded) -> bool:
    """Return whether a file was read as judgments but may be a run. This is the case if it was
    recognised as judgments only because its numbers are as small as grades."""
    return file.kind == "qrels" and any(note.kind == "kind" for note in file.notes)


def convert_to_run(file: File) -> Loaded:
    """Convert judgments to a run. The grades become scores."""
    assert isinstance(file.table, Qrels)
    rows = file.table.table
    query_ids, doc_ids = (rows[name].to_pylist() for name in ("query_id", "doc_id"))
    scores = rows["relevance"].cast("float64").to_numpy()
    run = Run.from_columns(run_name(file.file), query_ids, doc_ids, scores)
    return Loaded(run, "", "run", file.file)


def choose_judgments(files: Sequence[File], runs: Sequence[Run], key: str) -> File | None:
    """Return the file with the judgments to use: the file with this key, otherwise the file that
    fits the runs best. Returns None if there are no judgments."""
    chosen_file = next((f for f in files if f.key == key), None)
    if chosen_file is not None or not files:
        return chosen_file
    run_query_ids = {q for run in runs for q in run.query_ids}

    def rate_judgments_fit(file: File) -> tuple[bool, bool, bool, int]:
        table = file.table
        shared = len(run_query_ids & set(table.query_ids)) if isinstance(table, Qrels) else 0
        of_hits = table is not None and any(note.kind == RUN_RESULTS_ONLY for note in table.notes)
        return shared > 0, not may_be_a_run(file), not of_hits, shared

    return max(files, key=rate_judgments_fit)


def convert_to_judgments(file: File) -> Loaded:
    """Convert a run to judgments. The scores become grades."""
    assert isinstance(file.table, Run)
    rows, grades = file.table.read_whole().table, file.table.scores
    if (grades == np.round(grades)).all():
        grades = grades.astype(np.int64)
    qrels = Qrels.from_columns(rows["query_id"], rows["doc_id"], grades)
    return Loaded(qrels, "", "qrels", file.file)


def _choose_queries(files: Sequence[File], query_ids: Sequence[str]) -> File | None:
    """Return the query file that has the largest number of these queries; None if there are no
    files.

    If several are tied, a file with columns besides the text is preferred, because some tools write
    query files that contain only texts. If several are still tied, the last one is returned."""
    known_ids = set(query_ids)

    def count_known_queries(file: File) -> tuple[int, bool]:
        table = file.table
        if not isinstance(table, Queries):
            return 0, False
        return len(known_ids & set(table.frame["query_id"])), bool(table.columns)

    return max(files, key=lambda f: (count_known_queries(f), files.index(f)), default=None)


def _choose_documents(files: Sequence[File], qrels: File | None) -> File | None:
    """Return the document file that has the largest number of judged documents. If several are tied
    or there are no judgments, return the last of them. Returns None if there are no files."""
    if len(files) < 2 or qrels is None or not isinstance(qrels.table, Qrels):
        return files[-1] if files else None
    judged = qrels.table.doc_ids.unique()

    def count_known_documents(file: File) -> int:
        return int(file.table.are_known(judged).sum()) if isinstance(file.table, Documents) else 0

    return max(files, key=lambda f: (count_known_documents(f), files.index(f)))
