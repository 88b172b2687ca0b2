"""AutoRAG: qa.parquet with its ground truth, the results of its retrieval nodes, corpus.parquet."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import pyarrow as pa
import pyarrow.compute as pc

from metrics_core.base.errors import LineProblem, TableError
from metrics_core.base.notes import Note
from metrics_core.base.wording import plural
from metrics_core.formats.parquet import (
    MAGIC,
    batches_of,
    guarded,
    is_corpus,
    opened_parquet,
    plain_column,
)
from metrics_core.formats.parsing.contents import GatheredTables
from metrics_core.formats.parsing.json_values import JsonValue, json_records
from metrics_core.formats.registry import OF_A_TOOL, Kind, Loaded, Request, Sample, Tool, reader
from metrics_core.formats.source.lines import refuse, refuse_rows
from metrics_core.formats.source.parquet_size import A_CELL_OF_PYTHON, check_size
from metrics_core.formats.source.source import Source, shortened
from metrics_core.tables import Documents
from metrics_core.tables.columns import ID

_TRUTH, _IDS, _SCORES, _TEXTS = (
    *("retrieval_gt", "retrieved_ids"),
    *("retrieve_scores", "retrieved_contents"),
)
_NODES = ("", "_lexical", "_semantic")
"""What the columns of a result end in, by the node of which it is."""
_HINT = (
    'A row has qid, query and retrieval_gt, such as [["doc-7"], ["doc-3"]]; in a result also'
    " retrieved_ids and retrieve_scores, lists of one length."
)


def recognise_autorag(sample: Sample) -> Mapping[Kind, int]:
    """By the columns of its first row."""
    record = sample.first_record
    truth = _TRUTH in record
    found = any(_IDS + node in record and (truth or _SCORES + node in record) for node in _NODES)
    if "qid" not in record or not (truth or found):
        return {}
    kinds: list[Kind] = ["run"] if found else []
    kinds += ["qrels"] if truth else []
    kinds += ["queries"] if "query" in record else []
    kinds += ["documents"] if any(_TEXTS + node in record for node in _NODES) else []
    return dict.fromkeys(kinds, OF_A_TOOL)


@reader(
    "autorag",
    title="AutoRAG questions and results",
    kinds=("run", "qrels", "queries", "documents"),
    endings=(".parquet",),
    explanation="AutoRAG's qa.parquet and the best_*.parquet of its retrieval nodes: retrieval_gt"
    " is relevant (grade 1), retrieved_ids with retrieve_scores are a run, for each of several"
    " nodes its own. Gives judgments, queries, runs and documents. The same rows as JSON are read,"
    " too.",
    example='{"qid": "q1", "query": "refund", "retrieval_gt": [["doc-7"]],'
    ' "retrieved_ids": ["doc-7", "doc-3"], "retrieve_scores": [0.8, 0.5]}',
    recognise=recognise_autorag,
    together=recognise_autorag,
    tools=(
        Tool(
            "AutoRAG",
            "qa.parquet, and of a retrieval node best_*.parquet",
            "judgments and queries; a run for each node",
            "that of alternatives in retrieval_gt one is enough: each counts as relevant",
            ("rag",),
        ),
    ),
)
def read_autorag(source: Source, request: Request) -> Loaded:
    """The table of a kind from questions or results."""
    contents = GatheredTables(source, request.kind)
    several, nothing = list[str](), list[str]()
    for record in json_records(source, _HINT):
        query_id = record.named("qid").id()
        contents.begin(record, query_id)
        text = record.find("query")
        own = {name: value.text() for name, value in record.items() if _is_detail(name, value)}
        contents.query(query_id, text.text() if text else None, **own)
        for node in _NODES:
            _add_results(contents, record, query_id, node)
        truth = record.find(_TRUTH)
        if truth is not None:
            relevant, alternatives = _relevant(truth)
            for doc_id in relevant:
                contents.grade(query_id, doc_id, "1", line=record.line)
            several += [query_id] if alternatives else []
            nothing += [] if relevant else [query_id]
    _note(contents, several, nothing)
    return contents.load(request, "autorag", "AutoRAG")


def _add_results(contents: GatheredTables, record: JsonValue, query_id: str, node: str) -> None:
    """What one node retrieved, with its scores and texts."""
    found = record.find(_IDS + node)
    if found is None:
        return
    ids = list(found.each())
    beside = [record.find(name + node) for name in (_SCORES, _TEXTS)]
    scores, texts = (_of_same_length(value, len(ids), _IDS + node) for value in beside)
    run = node.removeprefix("_")
    for at, doc in enumerate(ids):
        score = scores[at].number() if scores else None
        contents.result(query_id, doc.id(), score, run=run, line=record.line)
        contents.document_as(doc.id(), texts[at] if texts else None)
    if not ids:
        contents.nothing_retrieved(query_id)


def _of_same_length(value: JsonValue | None, length: int, ids: str) -> list[JsonValue]:
    each = [] if value is None else list(value.each())
    if value is not None and len(each) != length:
        found = f"{len(each):,} {plural(len(each), 'value', 'values')}"
        raise value.refused(f"{length:,}, as many as in {ids}", found=found)
    return each


def _relevant(truth: JsonValue) -> tuple[list[str], bool]:
    """The relevant documents of a query, and whether of some of them one is enough."""
    if not isinstance(truth.value, list):
        return [truth.id()], False
    groups = [list(own.each()) if isinstance(own.value, list) else [own] for own in truth.each()]
    docs = dict.fromkeys(doc.id() for group in groups for doc in group)
    return list(docs), any(len(group) > 1 for group in groups)


def _is_detail(name: str, value: JsonValue) -> bool:
    """Whether a column says something else of the query."""
    lists = {name + node for name in (_IDS, _SCORES, _TEXTS) for node in _NODES}
    return name not in {"qid", "query", _TRUTH, *lists} and value.value is not None


def _note(contents: GatheredTables, several: list[str], nothing: list[str]) -> None:
    for queries, code, what, loud in (
        (nothing, "nothing_expected", "with nothing in retrieval_gt; left out", True),
        (
            *(several, "alternatives"),
            "with groups in retrieval_gt of which one document is enough; each counts as relevant",
            False,
        ),
    ):
        if queries:
            count = len(queries)
            message = f"{count:,} {plural(count, 'query', 'queries')} {what}"
            contents.note("qrels", code, message, count, queries, loud=loud)


def recognise_corpus(sample: Sample) -> Mapping[Kind, int]:
    """By doc_id and contents beside a metadata that has parts."""
    if not sample.source.magic.startswith(MAGIC):
        return {}
    return {"documents": OF_A_TOOL} if is_corpus(opened_parquet(sample.source)) else {}


@reader(
    "autorag_corpus",
    title="AutoRAG corpus",
    kinds=("documents",),
    endings=(".parquet",),
    explanation="AutoRAG's corpus.parquet: doc_id and contents; what metadata holds becomes"
    " columns.",
    example="(binary) columns doc_id, contents, metadata",
    recognise=recognise_corpus,
    magic=MAGIC,
    tools=(
        Tool(
            "AutoRAG",
            "corpus.parquet",
            "the documents",
            "",
            ("rag",),
        ),
    ),
)
def read_corpus(source: Source, request: Request) -> Loaded:
    """The documents of a corpus."""
    file = opened_parquet(source)
    names, left = guarded(source, partial(_plain_columns, file.schema_arrow))
    if not {"doc_id", "contents"} <= {*names}:
        problem = LineProblem(None, shortened(", ".join(names)), "columns doc_id and contents")
        raise refuse(source, [problem])
    guarded(source, partial(check_size, source, file, names, a_cell=A_CELL_OF_PYTHON))
    batches = guarded(source, partial(batches_of, source, file, names))
    if not batches:
        raise refuse(source, [LineProblem(None, "only a header", "at least one row")])
    table = guarded(source, pa.Table.from_batches(batches).flatten)
    columns = {}
    for name in names:
        column = guarded(source, partial(_as_text, table[name]))
        if name == "contents":
            columns["text"] = pc.fill_null(column, "")
        else:
            own = name.removeprefix("metadata.")
            columns[own if own not in columns and own != "text" else name] = column
    try:
        documents = Documents.from_columns(columns)
    except TableError as error:
        raise refuse_rows(source, error, None) from error
    if left:
        message = f"columns not used: {', '.join(left)}"
        documents = documents.noting(Note("columns", message, len(left), tuple(left[:3])))
    return Loaded(documents, "autorag_corpus", "AutoRAG corpus", source.name)


def _plain_columns(schema: pa.Schema) -> tuple[list[str], list[str]]:
    """The columns of single values, those in metadata too, and which are left."""
    names, left = list[str](), list[str]()
    for own in schema:
        inside = own.type if pa.types.is_struct(own.type) and own.name == "metadata" else ()
        for name, kind in [(f"metadata.{f.name}", f.type) for f in inside] or [
            (own.name, own.type)
        ]:
            (left if pa.types.is_nested(kind) else names).append(name)
    return names, left


def _as_text(column: pa.ChunkedArray) -> pa.ChunkedArray:
    return pc.cast(plain_column(column), ID)
