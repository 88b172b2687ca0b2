"""evaluate(): per-query scores from runs and judgments, in any supported Python form."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from pathlib import Path

from metrics_core.base import frames as pd
from metrics_core.base.errors import RanklensError
from metrics_core.formats.in_memory import (
    DocumentsLike,
    PairsLike,
    QrelsLike,
    RunsLike,
    convert_to_documents,
    convert_to_pairs,
    convert_to_qrels,
    convert_to_runs,
)
from metrics_core.judging import JudgedRanks, join_judgments
from metrics_core.judging.exclusions import NO_EXCLUSIONS, Exclusions, exclude_documents
from metrics_core.judging.judged import NO_JUDGED_DOCUMENT
from metrics_core.judging.while_reading.large_files import judge_files
from metrics_core.measures import GivenMeasure, Measure, parse_measures_by_name
from metrics_core.scoring.scores import WithoutRelevant, score_runs
from metrics_core.tables import Qrels
from metrics_core.tables.run_names import add_folder_names


def evaluate(
    runs: RunsLike,
    qrels: QrelsLike,
    measures: GivenMeasure | Iterable[GivenMeasure],
    *,
    without_relevant: WithoutRelevant = "zero",
    documents: DocumentsLike | None = None,
    exclude_self: bool = False,
    exclude: PairsLike | None = None,
) -> pd.DataFrame:
    """Return the score of each query. Columns: run, query_id and one float64 column per measure,
    with the name as it was given: "MRR" results in the column MRR.

    `runs` is one run, a list of runs, or a mapping from name to run. A run is a Run, a path,
    {query_id: {doc_id: score}}, {query_id: [doc_id, …]} with the best document first, {query_id:
    [(doc_id, score), …]}, a table of pandas, polars, Arrow or duckdb with the columns query_id,
    doc_id and score (or other common names for them), or rows with these fields, such as named
    tuples of ir_measures. A table with a column run contains several runs. `qrels` has the same
    forms, with relevance in place of score; in {query_id: [doc_id, …]} all documents have grade 1.
    `formats.in_memory` lists all forms. A measure is a name, a Measure, or an object of
    ir_measures.

    There is one row for each run and judged query; a query without results scores 0. If
    `without_relevant` is "leave out", judged queries without a relevant document have the score
    NaN; trec_eval scores them 0. `documents` is needed for measures of document columns, such as a
    price: Documents, a path, a table with doc_id, or {doc_id: {column: value}}. If `exclude_self`
    is true, the document whose id equals the query's id is removed from every list before ranking.
    `exclude` are pairs of a query and a document to remove, such as items already seen: a path, a
    table with query_id and doc_id, or {query_id: [doc_id, …]}.

    Raises UnknownMeasureError, ParameterError, NoSharedQueriesError, LackingDataError, and
    RanklensError if two runs have the same name, or if there is no run or no measure."""
    named, table = parse_measures_by_name(measures), convert_to_qrels(qrels)
    parsed, left_out = list(named.values()), make_exclusions(exclude_self, exclude)
    judged = join_runs(runs, table, parsed, documents=documents, exclusions=left_out)
    frame = score_runs(judged, parsed, without_relevant=without_relevant).frame
    columns = frame[["run", "query_id", *map(str, parsed)]]
    return columns.set_axis(["run", "query_id", *named], axis=1)


def join_runs(
    runs: RunsLike,
    qrels: Qrels,
    measures: Iterable[Measure],
    *,
    documents: DocumentsLike | None = None,
    exclusions: Exclusions = NO_EXCLUSIONS,
) -> list[JudgedRanks]:
    """Exclude documents from the runs, and join the runs with the judgments as these measures
    require.

    Warns of each run without judged documents, because all of its scores are 0. Raises the errors
    of `evaluate` that concern runs."""
    needs = documents is not None or any(m.declaration.needs for m in measures)
    document_table = convert_to_documents(documents)
    judged = (None if needs or exclusions else _judge_paths(runs, qrels)) or [
        join_judgments(exclude_documents(run, exclusions), qrels, documents=document_table)
        for run in convert_to_runs(runs, qrels.query_ids)
    ]
    refuse_repeated_names([ranks.run_name for ranks in judged])
    for ranks in judged:
        for note in ranks.notes:
            if note.kind == NO_JUDGED_DOCUMENT:
                warnings.warn(f"{ranks.run_name}: {note.message}", stacklevel=3)
    return judged


def make_exclusions(exclude_self: bool, exclude: PairsLike | None) -> Exclusions:
    """Return the exclusions that these arguments of `evaluate` describe. Raises the errors of
    `convert_to_pairs`."""
    return Exclusions(exclude_self, None if exclude is None else convert_to_pairs(exclude))


def refuse_repeated_names(names: Sequence[str]) -> None:
    """Raise RanklensError if two runs have the same name."""
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise RanklensError(f"Two runs are named {twice!r}.", "Rename one: run.renamed('other').")


def _judge_paths(runs: RunsLike, qrels: Qrels) -> list[JudgedRanks] | None:
    """Return the judged ranks (the ranks of judged documents) of runs given as paths.

    Returns None for other forms of `runs`, or if joining while reading is not worthwhile."""
    paths = [runs] if isinstance(runs, (str, Path)) else runs
    if not isinstance(paths, (list, tuple)) or not all(isinstance(p, (str, Path)) for p in paths):
        return None
    judged_files = judge_files(paths, qrels)
    if judged_files is None:
        return None
    return [run.ranks for run in add_folder_names(judged_files, [str(path) for path in paths])]
