"""TREC's tagged texts, which are not XML: topics (`<top>`, `<topic>`) and documents (`<DOC>`).

The old SGML omits end tags, so a field ends at the next tag. XML topics are read in the same way,
because SGML and XML topics have only a few, known tags. No entity is fetched or expanded."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain, zip_longest

import pyarrow as pa

from metrics_core.base.errors import content_error
from metrics_core.formats.registry import (
    CERTAIN,
    LIKELY,
    SPECIFIC,
    Loaded,
    Request,
    Sample,
    Sureness,
    reader,
)
from metrics_core.formats.source.lines import LineIndex, convert_table_errors, line_error
from metrics_core.formats.source.source import Source
from metrics_core.tables import Documents, Queries
from metrics_core.tables.columns import ID

_TOPIC = re.compile(r"<(?P<tag>top(?:ic)?)(?P<attributes>\s[^<>]*)?>", re.IGNORECASE)
_DOCUMENT = re.compile(r"<(?P<tag>doc)(?P<attributes>\s[^<>]*)?>", re.IGNORECASE)
_TAG = re.compile(r"<(?P<end>/?)(?P<name>[A-Za-z][\w-]*)(?:\s[^<>]*)?>")
_ATTRIBUTE = re.compile(r"""(?<![\w-])([\w-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')""")
_LABEL = re.compile(r"\s*(?:number|topic|title|description|narrative)\s*:", re.IGNORECASE)

_QUERY = re.compile(r"<(?P<tag>query)(?P<attributes>\s[^<>]*)?>", re.IGNORECASE)
_PARAMETERS = re.compile(r"\s*(?:<\?xml[^<>]*\?>\s*)?<parameters>", re.IGNORECASE)

_ID_TAGS = ("num", "number", "docno")
_FIELDS = dict.fromkeys(_ID_TAGS, "query_id") | {"desc": "description", "narr": "narrative"}
_TEXTS = ("query", "title", "question", "description", "text", "")
_TITLES = ("title", "headline", "hl", "ttl")


def recognise_topics(sample: Sample) -> Sureness:
    """Recognise topics by a `<top>` or `<topic>` tag."""
    has_topic = sample.text.lstrip().startswith("<") and _TOPIC.search(sample.text)
    return {"queries": CERTAIN} if has_topic else {}


def recognise_tagged_documents(sample: Sample) -> Sureness:
    """Recognise documents by a `<DOC>` tag. The file may also contain topics, because some
    collections write their topics in this way."""
    if not (sample.text.lstrip().startswith("<") and _DOCUMENT.search(sample.text)):
        return {}
    return {"documents": LIKELY + 1, "queries": LIKELY}


@reader(
    "topics",
    title="TREC topics",
    kinds=("queries",),
    endings=(".txt", ".xml", ".trec"),
    explanation="TREC topics as SGML or XML, each with a number and a title or query.",
    example="<top>\n<num> Number: 301\n<title> International Organized Crime\n</top>",
    recognise=recognise_topics,
)
def read_topics(source: Source, request: Request) -> Loaded:
    """Read TREC topics. The title or query is the text, and other fields become columns."""
    return _load_queries(source, _TOPIC, "TREC topics")


@reader(
    "trec-documents",
    title="TREC documents",
    kinds=("documents", "queries"),
    endings=(".trec", ".xml", ".sgml"),
    explanation="Documents or queries as TREC SGML, each with a DOCNO and a text.",
    example="<DOC>\n<DOCNO>doc-7</DOCNO>\nAsk for a refund within 30 days.\n</DOC>",
    recognise=recognise_tagged_documents,
)
def read_tagged_documents(source: Source, request: Request) -> Loaded:
    """Read TREC documents as title and text. If a document has no text field, all text outside its
    id is used."""
    if request.kind == "queries":
        return _load_queries(source, _DOCUMENT, "TREC documents, read as queries")
    ids, titles, texts, lines = [], [], [], []
    for block in _parse_blocks(source, _DOCUMENT):
        ids.append(_find_id(source, block, "docno"))
        titles.append(next((block.fields[n] for n in _TITLES if n in block.fields), ""))
        texts.append(block.fields.get("text") or block.all_text)
        lines.append(block.line)
    columns = {"doc_id": ids, "title": titles, "text": texts}
    with convert_table_errors(source, LineIndex.from_numbers(lines)):
        table = Documents.from_columns({n: pa.array(c, ID) for n, c in columns.items()})
    return Loaded(table, "trec-documents", "TREC documents", source.name)


def recognise_indri(sample: Sample) -> Sureness:
    """Recognise Indri queries by the `<parameters>` element that contains them."""
    text = _blank_comments(sample.text)
    return {"queries": SPECIFIC} if _PARAMETERS.match(text) and _QUERY.search(text) else {}


@reader(
    "indri",
    title="Indri queries",
    kinds=("queries",),
    endings=(".xml", ".indri", ".param"),
    explanation="Parameter files of Indri and Galago: a number and a text per query.",
    example="<parameters>\n<query><number>301</number><text>organized crime</text></query>\n"
    "</parameters>",
    recognise=recognise_indri,
)
def read_indri(source: Source, request: Request) -> Loaded:
    """Read the queries of a parameter file. Operators such as #combine remain in the texts."""
    return _load_queries(source, _QUERY, "Indri queries", format="indri")


@dataclass(frozen=True)
class _Element:
    """One topic or document.

    line      first physical line
    fields    attributes and fields by name
    all_text  all text except the id"""

    line: int
    fields: Mapping[str, str]
    all_text: str


def _load_queries(
    source: Source, start: re.Pattern[str], title: str, format: str = "topics"
) -> Loaded:
    rows: list[dict[str, str]] = []
    lines = []
    for block in _parse_blocks(source, start):
        fields = {_FIELDS.get(name, name): text for name, text in block.fields.items()}
        query_id = _find_id(source, block, *_ID_TAGS)
        text_name = next((name for name in _TEXTS if fields.get(name)), None)
        row = {"query_id": query_id, "text": fields.pop(text_name) if text_name else block.all_text}
        rows.append(row | {n: _strip_label(t) for n, t in fields.items() if n and n not in row})
        row["text"] = _strip_label(row["text"])
        lines.append(block.line)
    names = list(dict.fromkeys(name for row in rows for name in ("query_id", "text", *row)))
    source.check_cells(len(rows), len(names))
    columns = {name: [row.get(name) or None for row in rows] for name in names}
    columns["text"] = [row["text"] for row in rows]
    with convert_table_errors(source, LineIndex.from_numbers(lines)):
        table = Queries.from_columns(columns)
    return Loaded(table, format, f"{title}: {', '.join(names)}", source.name)


def _find_id(source: Source, block: _Element, *names: str) -> str:
    text = next((block.fields[name] for name in names if block.fields.get(name)), "")
    if not text:
        raise line_error(source, block.line, "none", f"a <{names[0]}> in each topic or document")
    return _strip_label(text)


def _strip_label(text: str) -> str:
    return _LABEL.sub("", text, count=1).strip() if _LABEL.match(text) else text


def _parse_blocks(source: Source, start: re.Pattern[str]) -> Iterator[_Element]:
    """Yield the topics or documents of a file. Raises FileFormatError if there is none."""
    text = _blank_comments(source.content().replace("\r\n", "\n").replace("\r", "\n"))
    starts = list(start.finditer(text))
    if not starts:
        raise content_error(source.name, "none", "a <top>, <topic>, <query> or <DOC> tag")
    line, counted_end = 1, 0
    for match, following in zip_longest(starts, starts[1:]):
        line += text.count("\n", counted_end, match.start())
        counted_end = match.start()
        end = following.start() if following else len(text)
        attributes = {
            name.lower(): html.unescape(double_quoted or single_quoted)
            for name, double_quoted, single_quoted in _ATTRIBUTE.findall(match["attributes"] or "")
        }
        yield _parse_block(line, attributes, text[match.end() : end], match["tag"].lower())


def _parse_block(line: int, fields: dict[str, str], body: str, own_tag: str) -> _Element:
    """Return a single topic or document. The text of a field ends at its end tag or at the next
    tag."""
    all_texts: list[str] = []
    parts: dict[str, list[str]] = {}
    name, open_tag, position = "", "", 0
    for tag in chain(_TAG.finditer(body), [None]):
        text = body[position : tag.start() if tag else len(body)]
        if name not in _ID_TAGS:
            all_texts.append(text)
        parts.setdefault(open_tag if open_tag == "text" else name, []).append(text)
        if tag is None:
            break
        position, tag_name = tag.end(), tag["name"].lower()
        name = "" if tag["end"] else tag_name
        if tag_name == "text":
            open_tag = "" if tag["end"] else "text"
        if tag["end"] and tag_name == own_tag:
            break
    field_texts = {n: _join_lines(" ".join(texts)) for n, texts in parts.items() if n != "subtopic"}
    return _Element(
        line, fields | {n: t for n, t in field_texts.items() if t}, _join_lines(" ".join(all_texts))
    )


def _join_lines(text: str) -> str:
    return " ".join(html.unescape(text).split())


def _blank_comments(text: str) -> str:
    """Return the text without comments. Line ends inside comments are kept, so that line numbers do
    not change."""
    parts, position = [], 0
    while (start := text.find("<!--", position)) >= 0 and (end := text.find("-->", start)) >= 0:
        parts += [text[position:start], "\n" * text.count("\n", start, end)]
        position = end + 3
    return "".join([*parts, text[position:]])
