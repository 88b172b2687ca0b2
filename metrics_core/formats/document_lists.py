"""Lists of documents by query, in JSON or Parquet: what was retrieved, or what is relevant.

    {"query_id": "q1", "hits": [{"doc_id": "d2", "score": 9.0}]}     a record for each query
    {"q1": ["d1", "d3"]}                                             an object of lists

What is which is inferred from the names and types (`mapping.infer`), or given as paths by the
reader's choice of columns. What they leave open is asked.
"""

from __future__ import annotations

from collections.abc import Mapping

from metrics_core.formats.declaring import may_be_nested
from metrics_core.formats.registry import FirstRows, Kind, Loaded, Request, Sample, reader
from metrics_core.formats.source.source import Source

# What reads them is loaded for files that may hold lists: it takes longer than a small run.


def recognise_lists(sample: Sample) -> Mapping[Kind, int]:
    """By the lists of the first records: their names, or what is in them; by paths that the reader
    names."""
    if not may_be_nested(sample):
        return {}
    from metrics_core.formats.mapping import lists

    return lists.recognise_lists(sample)


def list_rows(sample: Sample) -> FirstRows | None:
    """The paths of nested records, and their first values; None for records of single values."""
    if not may_be_nested(sample):
        return None
    from metrics_core.formats.mapping import lists

    return lists.list_rows(sample)


def other_kinds(sample: Sample) -> list[Kind]:
    """What records with judgments hold beside them."""
    if not may_be_nested(sample):
        return []
    from metrics_core.formats.mapping import lists

    return lists.other_kinds(sample)


@reader(
    "lists",
    title="Lists of documents",
    kinds=("run", "qrels"),
    endings=(".json", ".jsonl"),
    explanation="A list of documents per query, as JSON or Parquet. The lists are ranked results"
    " (scores optional) or relevant documents (grades optional). Records with a list each,"
    " or one object of lists.",
    example='{"query_id": "q1", "hits": [{"doc_id": "doc-7", "score": 14.2}, {"doc_id": "doc-3",'
    ' "score": 11.9}]}',
    recognise=recognise_lists,
    first_rows=list_rows,
    together=other_kinds,
)
def read_lists(source: Source, request: Request) -> Loaded:
    """A run of ranked lists, or judgments: a document has the grade beside it, else what is listed
    has grade 1, what is listed as negative grade 0."""
    from metrics_core.formats.mapping import lists

    return lists.read_lists(source, request)
