"""Read TREC CAsT topics, which are conversations in JSON.

Each turn of a conversation becomes a query. Its id is topic_turn, such as 31_1."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from metrics_core.base.errors import content_error
from metrics_core.formats.parsing.json_text import (
    parse_file,
    parse_first_object,
)
from metrics_core.formats.parsing.named import load_named
from metrics_core.formats.parsing.records import to_named_columns
from metrics_core.formats.registry import SPECIFIC, Loaded, Request, Sample, Sureness, reader
from metrics_core.formats.source.limits import format_size
from metrics_core.formats.source.lines import line_error
from metrics_core.formats.source.source import Source

_TEXTS = ("raw_utterance", "utterance", "text", "query")


def recognise_cast_topics(sample: Sample) -> Sureness:
    """Recognise CAsT topics: the first topic has a number and a list of turns."""
    text = sample.text.lstrip()
    topic = parse_first_object(text[1:].lstrip()) if text.startswith("[") else {}
    return {"queries": SPECIFIC} if _get_turns(topic) is not None and "number" in topic else {}


@reader(
    "cast",
    title="CAsT topics",
    kinds=("queries",),
    endings=(".json",),
    explanation="TREC CAsT conversations as JSON: topics with turns. Each turn is a query; its"
    " id consists of the topic number and the turn number, such as 31_1.",
    example='[{"number": 31, "title": "throat cancer", "turn":'
    ' [{"number": 1, "raw_utterance": "What is throat cancer?"}]}]',
    recognise=recognise_cast_topics,
)
def read_cast_topics(source: Source, request: Request) -> Loaded:
    """Read each turn as a query. The topic, the turn and their other values become columns."""
    topics = parse_file(source)
    if not isinstance(topics, list):
        raise line_error(source, 1, "JSON with a different structure", "a list of topics")
    queries = (query for topic in topics for query in _iterate_queries(source, topic))
    records = ((None, query) for query in _check_total_size(source, queries))
    named = to_named_columns(source, records, request.kind, known_lines=False)
    return load_named(source, request, named, "cast", "CAsT topics")


def _get_turns(topic: Any) -> list[Any] | None:
    turns = topic.get("turn", topic.get("turns")) if isinstance(topic, dict) else None
    return turns if isinstance(turns, list) else None


def _iterate_queries(source: Source, topic: Any) -> Iterator[dict[str, Any]]:
    turns = _get_turns(topic)
    if turns is None or not _is_nonempty_text(topic.get("number")):
        raise content_error(
            source.name,
            "a topic without a number or without turns",
            "a number and turns in each topic",
        )
    number = str(topic["number"])
    for turn in turns:
        if not isinstance(turn, dict) or not _is_nonempty_text(turn.get("number")):
            raise content_error(
                source.name, f"a turn of topic {number} without a number", "a number"
            )
        text = next((turn[name] for name in _TEXTS if isinstance(turn.get(name), str)), "")
        query = {"query_id": f"{number}_{turn['number']}", "text": text}
        query |= {"topic": number, "turn": str(turn["number"])}
        details = {**_collect_details(topic), **_collect_details(turn)}
        yield query | {name: value for name, value in details.items() if name not in query}


def _check_total_size(
    source: Source, queries: Iterable[dict[str, Any]]
) -> Iterator[dict[str, Any]]:
    """Yield the queries, or raise FileFormatError if their total size exceeds the size limit.

    The total may be much larger than the file, because each query repeats the values of its topic,
    although the file contains them only once."""
    max_size, size = source.limit.max_unpacked_size(source.size()), 0
    for query in queries:
        size += sum(len(value) for value in query.values() if isinstance(value, str))
        if size > max_size:
            actual = (
                f"more than {format_size(max_size)} of text, because each turn repeats the values"
                " of its topic"
            )
            raise source.limit.limit_error(
                source.name, actual, f"at most {format_size(max_size)}", size
            )
        yield query


def _is_nonempty_text(value: Any) -> bool:
    return isinstance(value, str) and value != ""


def _collect_details(part: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of a topic or turn that are not lists or objects, except its number and its
    question."""
    plain = {n: v for n, v in part.items() if v is not None and not isinstance(v, (dict, list))}
    return {n: v for n, v in plain.items() if n not in ("number", *_TEXTS)}
