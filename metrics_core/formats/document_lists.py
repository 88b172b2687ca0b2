"""Read lists of documents by query, in JSON or Parquet: retrieved or relevant documents.

    {"query_id": "q1", "hits": [{"doc_id": "d2", "score": 9.0}]}     a record for each query
    {"q1": ["d1", "d3"]}                                             an object of lists

The meaning of each field is inferred from names and types (`mapping.infer`), unless the user
assigns columns as paths. If the meaning remains unclear, the user must assign the columns."""

from __future__ import annotations

import re

from metrics_core.formats.declaring import is_json_or_parquet
from metrics_core.formats.registry import FirstRows, Kind, Loaded, Request, Sample, Sureness, reader
from metrics_core.formats.source.source import Source

_LIST_CELL = re.compile(r'[\t,]"?\[')

# The reader is loaded only for files that may contain lists: loading takes longer than reading a
# small run.


def recognise_lists(sample: Sample) -> Sureness:
    """Recognise lists of documents in the first records, by names, by contents or by paths that the
    user assigned."""
    if not _may_have_lists(sample):
        return {}
    from metrics_core.formats.mapping import lists

    return lists.recognise_lists(sample)


def read_list_paths(sample: Sample) -> FirstRows | None:
    """Return the paths of nested records with their first values; None if the records are not
    nested."""
    if not _may_have_lists(sample):
        return None
    from metrics_core.formats.mapping import lists

    return lists.read_list_paths(sample)


def find_other_kinds(sample: Sample) -> list[Kind]:
    """Return the kinds of table that the records contain, judgments included. The list is empty if
    the records are not nested."""
    if not _may_have_lists(sample):
        return []
    from metrics_core.formats.mapping import lists

    return lists.find_other_kinds(sample)


def _may_have_lists(sample: Sample) -> bool:
    """Return whether a file has nested values, or is a table with a list in a cell."""
    return is_json_or_parquet(sample) or bool(_LIST_CELL.search(sample.text))


@reader(
    "lists",
    title="Lists of documents",
    kinds=("run", "qrels"),
    endings=(".json", ".jsonl"),
    explanation="A list of documents per query, as JSON or Parquet. The lists are ranked results"
    " (scores optional) or relevant documents (grades optional). The file contains one record per"
    " list, or one object with all lists.",
    example='{"query_id": "q1", "hits": [{"doc_id": "doc-7", "score": 14.2}, {"doc_id": "doc-3",'
    ' "score": 11.9}]}',
    recognise=recognise_lists,
    first_rows=read_list_paths,
    together=find_other_kinds,
)
def read_lists(source: Source, request: Request) -> Loaded:
    """Read ranked lists as a run, or lists of relevant documents as judgments. See
    `mapping.lists.read_lists`."""
    from metrics_core.formats.mapping import lists

    return lists.read_lists(source, request)
