"""Ragas: samples of one turn, each a question with what was retrieved for it and what should have
been.

Documents are told by retrieved_context_ids and reference_context_ids. Samples without ids are read
where the reader says that the contexts' own texts tell them apart (`doc=retrieved_contexts`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from metrics_core.base.wording import plural
from metrics_core.formats.parsing.contents import GatheredTables
from metrics_core.formats.parsing.delimited import csv_fields, csv_records
from metrics_core.formats.parsing.json_values import JsonValue, json_records
from metrics_core.formats.parsing.list_literals import listed_in
from metrics_core.formats.registry import (
    OF_A_TOOL,
    FirstRows,
    Kind,
    Loaded,
    Request,
    Sample,
    Tool,
    reader,
)
from metrics_core.formats.source.source import Source
from metrics_core.tables import Duplicates

_QUESTION = "user_input"
_IDS: Mapping[Kind, str] = {"run": "retrieved_context_ids", "qrels": "reference_context_ids"}
_TEXTS: Mapping[Kind, str] = {"run": "retrieved_contexts", "qrels": "reference_contexts"}
_LISTS = (*_IDS.values(), *_TEXTS.values())
_OWN_IDS = ("query_id", "id", "qid")

_EXAMPLE = (
    '{"user_input": "refund", "retrieved_context_ids": ["doc-7", "doc-3"],'
    ' "reference_context_ids": ["doc-3"]}'
)
_HINT = f"A sample looks like {_EXAMPLE}."
_BY_TEXT = (
    "Give each sample the ids of its contexts (retrieved_context_ids, reference_context_ids); or"
    " have documents told apart by their texts, as they are written, with columns"
    " doc=retrieved_contexts: `--columns doc=retrieved_contexts` on the command line,"
    ' columns={"doc": "retrieved_contexts"} in Python.'
)


def recognise_samples(sample: Sample) -> Mapping[Kind, int]:
    """By the names of the first sample: a question beside contexts or their ids."""
    names = _names(sample)
    if _QUESTION not in names or not {*_LISTS} & {*names}:
        return {}
    unseen = bool(sample.first_record) and not sample.has_first_record
    kinds: list[Kind] = [k for k in _IDS if unseen or _IDS[k] in names or _TEXTS[k] in names]
    kinds.append("queries")
    kinds += ["documents"] if unseen or {*_TEXTS.values()} & {*names} else []
    return dict.fromkeys(kinds, OF_A_TOOL)


def _names(sample: Sample) -> list[str]:
    if sample.first_record or not sample.lines:
        return list(sample.first_record)
    return csv_fields(sample.lines[0], ",") if _QUESTION in sample.lines[0] else []


def _columns(sample: Sample) -> FirstRows | None:
    """The first sample by its columns."""
    if not recognise_samples(sample):
        return None
    names = _names(sample)
    row = [str(sample.first_record.get(name, "")) for name in names]
    return FirstRows(names, [row] if sample.first_record else [])


@reader(
    "ragas",
    title="Ragas samples",
    kinds=("run", "qrels", "queries", "documents"),
    endings=(".jsonl", ".json", ".csv", ".parquet"),
    explanation="Ragas' samples of one turn, as JSON Lines, JSON, CSV or Parquet:"
    " retrieved_context_ids are a run in this order, reference_context_ids are relevant (grade 1),"
    " the contexts their documents, user_input the query, all else columns of it. Without ids,"
    " documents are told by their texts where the columns say doc=retrieved_contexts.",
    example=_EXAMPLE,
    recognise=recognise_samples,
    first_rows=_columns,
    together=recognise_samples,
    tools=(
        Tool(
            "Ragas",
            "`dataset.to_jsonl(FILE)`, or the table of results as CSV or Parquet",
            "a run, judgments, queries with your columns, the contexts",
            "which document a context without an id is: told by its text if you ask for that",
            ("rag",),
        ),
    ),
)
def read_samples(source: Source, request: Request) -> Loaded:
    """The run, the judgments, the queries or the documents of samples."""
    records = list(_records(source))
    names = dict.fromkeys(name for record in records for name, _ in record.items())
    by_text = _by_text(source, request, list(names))
    samples = _Samples(GatheredTables(source, request.kind), request.kind, by_text=by_text)
    id_name = _id_name(request, records)
    seen: dict[str, int] = {}
    for record in records:
        samples.add(record, _query_id(record, id_name, seen), id_name)
    samples.note(sum(seen.values()) - len(seen))
    # A context may be retrieved twice; which one counts is no question where there are no scores.
    once: Duplicates = "first" if request.duplicates == "error" else request.duplicates
    return samples.contents.load(replace(request, duplicates=once), "ragas", "Ragas samples")


@dataclass
class _Samples:
    """The samples gathered for a kind of table, and the queries of which something is to be said:
    that nothing is expected, or that there are other numbers of contexts than of ids."""

    contents: GatheredTables
    kind: Kind
    by_text: bool
    nothing: list[str] = field(default_factory=list)
    uneven: list[str] = field(default_factory=list)

    def add(self, record: JsonValue, query_id: str, id_name: str) -> None:
        """A sample."""
        question = record.find(_QUESTION)
        known = {_QUESTION, id_name, *_LISTS}
        columns = {
            name: value.text()
            for name, value in record.items()
            if name not in known and value.value is not None
        }
        self.contents.query(query_id, question.text() if question else None, **columns)
        for doc_id in self._docs(record, query_id, "run"):
            self.contents.result(query_id, doc_id, line=record.line)
        expected = dict.fromkeys(self._docs(record, query_id, "qrels"))
        for doc_id in expected:
            self.contents.grade(query_id, doc_id, "1", line=record.line)
        self.nothing += [] if expected else [query_id]

    def _docs(self, record: JsonValue, query_id: str, kind: Kind) -> list[str]:
        """The documents of one list; their texts are kept."""
        given, told = record.find(_IDS[kind]), record.find(_TEXTS[kind])
        texts = list(told.each()) if told else []
        if self.by_text:
            docs = [text.id() for text in texts]
        elif given is None and texts and kind == self.kind:
            found = f"{_TEXTS[kind]} without {_IDS[kind]}"
            raise record.refused("ids of the documents", found=found, hint=_BY_TEXT)
        else:
            docs = [doc.id() for doc in given.each()] if given else []
        if not docs and kind == "run":
            self.contents.nothing_retrieved(query_id)
        if len(texts) == len(docs):
            for doc_id, text in zip(docs, texts, strict=True):
                self.contents.document_as(doc_id, text)
        elif texts and docs:
            self.uneven.append(query_id)
        return docs

    def note(self, again: int) -> None:
        """Say what is odd; of so many queries the text stands before."""
        if again:
            message = f"{_queries(again)} of a text that stands before, told apart by a number"
            for kind in ("run", "qrels", "queries"):
                self.contents.note(kind, "same_text", message, again)
        if self.nothing:
            message = f"{_queries(len(self.nothing))} with nothing expected; left out"
            self.contents.note(
                "qrels", "nothing_expected", message, len(self.nothing), self.nothing, loud=True
            )
        if self.uneven:
            odd = list(dict.fromkeys(self.uneven))
            message = (
                f"{_queries(len(odd))} with another number of contexts than of their ids; these"
                " texts are left out"
            )
            self.contents.note("documents", "uneven", message, len(odd), odd)


def _queries(count: int) -> str:
    return f"{count:,} {plural(count, 'query', 'queries')}"


def _records(source: Source) -> Iterator[JsonValue]:
    """The samples; those of CSV with their lists."""
    if source.head.lstrip().startswith((b"{", b"[")):
        yield from json_records(source, _HINT)
        return
    names: list[str] | None = None
    for first, _, fields in csv_records(source, ","):
        if names is None:
            names = fields
            continue
        if not fields:
            continue
        if len(fields) != len(names):
            problem = JsonValue(source, fields, _HINT, first)
            raise problem.refused(f"{len(names):,} columns", found=f"{len(fields):,}")
        record = JsonValue(source, dict(zip(names, fields, strict=True)), _HINT, first)
        yield record.holding({name: _cell(record, name) for name in names})


def _cell(record: JsonValue, name: str) -> object:
    """What a cell of CSV holds: nothing, a list where there should be one, or its text."""
    cell = record.named(name)
    text = cell.text()
    if not text or name not in _LISTS:
        return text or None
    found = listed_in(text)
    if found is None:
        raise cell.refused(
            "a list such as ['doc-7', 'doc-3']",
            hint="Lists are safe in JSON Lines: EvaluationDataset.to_jsonl.",
        )
    return found


def _by_text(source: Source, request: Request, names: Sequence[str]) -> bool:
    """Whether documents are told by their texts. Raises FileFormatError for columns that samples do
    not have."""
    told = JsonValue(source, dict.fromkeys(names), _HINT)
    for role, name in request.columns.items():
        if role not in ("query_id", "doc_id"):
            raise told.refused(
                "columns that say the query or doc",
                found=f"{role}={name}",
                hint="In Ragas' samples there are no scores: the order of a list is the rank.",
            )
        if name not in names or (role == "doc_id" and name not in _LISTS):
            wanted = (
                f"one of {', '.join(_LISTS)}" if role == "doc_id" else "a column of the samples"
            )
            raise told.refused(wanted, found=f"{role}={name}", hint=_BY_TEXT)
    return request.columns.get("doc_id") in _TEXTS.values()


def _id_name(request: Request, records: Sequence[JsonValue]) -> str:
    """The column of the queries' ids: the one that is said, or one that all samples have; "" where
    the question itself is the id."""
    chosen = request.columns.get("query_id", "")
    if chosen:
        return "" if chosen == _QUESTION else chosen
    return next((name for name in _OWN_IDS if all(record.find(name) for record in records)), "")


def _query_id(record: JsonValue, id_name: str, seen: dict[str, int]) -> str:
    """The id of a sample's query. Of a question that stands again it has a number; an id that does
    is refused."""
    if id_name:
        own = record.named(id_name).id()
        if own in seen:
            raise record.refused("each query once", found=f"query {own} a second time")
        seen[own] = 1
        return own
    question = record.named(_QUESTION)
    if not isinstance(question.value, str) or not question.value:
        hint = "Samples of several turns hold no lists of contexts; those of one turn are read."
        raise question.refused("a question as text", hint=hint)
    text = question.text()
    seen[text] = seen.get(text, 0) + 1
    return text if seen[text] == 1 else f"{text} ({seen[text]})"
