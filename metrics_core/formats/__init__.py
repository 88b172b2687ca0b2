"""Read and write files: TREC, CSV, TSV, JSON, JSON Lines, Parquet, BEIR sets, topics.

    path or bytes ─► Source ─► recognised by the registry ─► a reader ─► Loaded (table, how read)
                     unpacked, decoded, checked

The format is detected from the content, and `Loaded.title` names it. If a file cannot be read, the
FileFormatError has the physical line, the problem, a description of valid content, and how to fix
it."""

# Importing a module declares its formats. Formats of tools are declared when a file may have one
# (`registry.formats`).
from metrics_core.formats import (  # noqa: F401
    cast_topics,
    detailed_results,
    document_lists,
    json_files,
    judged_ranks,
    msmarco,
    parquet,
    tabular,
    trec,
    trec_markup,
)
from metrics_core.formats.judged_ranks import has_judged_ranks, read_judged_ranks
from metrics_core.formats.reading import (
    guess_file_kind,
    read,
    read_all_tables,
    read_documents,
    read_first_rows,
    read_qrels,
    read_queries,
    read_run,
    read_runs,
    read_scores,
)
from metrics_core.formats.registry import FirstRows, Format, Kind, Loaded, formats
from metrics_core.formats.run_folders import find_run_file, has_runs, read_run_folder
from metrics_core.formats.sets import is_set, read_set
from metrics_core.formats.spreadsheets import convert_whole_counts, escape_formula, spreadsheet_csv
from metrics_core.formats.values import Grades
from metrics_core.formats.writing import table_bytes, write

__all__ = [
    "FirstRows",
    "Format",
    "Grades",
    "Kind",
    "Loaded",
    "convert_whole_counts",
    "escape_formula",
    "find_run_file",
    "formats",
    "guess_file_kind",
    "has_judged_ranks",
    "has_runs",
    "is_set",
    "read",
    "read_all_tables",
    "read_documents",
    "read_first_rows",
    "read_judged_ranks",
    "read_qrels",
    "read_queries",
    "read_run",
    "read_run_folder",
    "read_runs",
    "read_scores",
    "read_set",
    "spreadsheet_csv",
    "table_bytes",
    "write",
]
