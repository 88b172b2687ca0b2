"""MTEB: the predictions of a task, `{"mteb_model_meta": {…}, subset: {split: {query: {document:
score}}}}`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from metrics_core.formats.parsing.contents import GatheredTables
from metrics_core.formats.parsing.json_text import NumberText
from metrics_core.formats.parsing.json_values import JsonValue, whole_json
from metrics_core.formats.registry import OF_A_TOOL, Kind, Loaded, Request, Sample, Tool, reader
from metrics_core.formats.source.source import Source

_META = "mteb_model_meta"
_EXAMPLE = (
    '{"mteb_model_meta": {"model_name": "org/model", "revision": "a1"},'
    ' "default": {"test": {"q1": {"doc-7": 0.83}}}}'
)
_HINT = f"Such a file looks like {_EXAMPLE}."


def recognise_predictions(sample: Sample) -> Mapping[Kind, int]:
    """By the model's entry, or by objects four deep with scores in them."""
    whole = sample.json
    if not isinstance(whole, dict):
        return {}
    if _META in whole or _is_score(_deep_in(whole, 4)):
        return {"run": OF_A_TOOL}
    return {}


def _deep_in(value: Any, levels: int) -> Any:
    """The first value that stands so many levels deep in objects; None where there is none."""
    if levels == 0:
        return value
    inside = value.values() if isinstance(value, dict) else ()
    found = (_deep_in(own, levels - 1) for own in inside)
    return next((own for own in found if own is not None), None)


def _is_score(value: Any) -> bool:
    return isinstance(value, NumberText)


@reader(
    "mteb",
    title="MTEB predictions",
    kinds=("run",),
    endings=(".json",),
    explanation="The predictions of a retrieval task of MTEB: a run for each subset and split,"
    " called by the model.",
    example=_EXAMPLE,
    recognise=recognise_predictions,
    tools=(
        Tool(
            "MTEB",
            "`evaluate(…, prediction_folder=…)`: the file `…_predictions.json` of a task",
            "a run for each subset and split, called by the model and its revision",
            "judgments and texts, which the task has",
            ("search", "rag"),
        ),
    ),
)
def read_predictions(source: Source, request: Request) -> Loaded:
    """The runs of a file of predictions."""
    contents = GatheredTables(source, request.kind)
    whole = whole_json(source, _HINT)
    parts = list(_parts(whole))
    model = _model(whole) or request.run_name
    for subset, split, queries in parts:
        run = _named(model, subset, split, len(parts))
        for query_id, found in queries.items():
            for doc_id, score in found.items():
                contents.result(query_id, doc_id, score.number(), run=run)
            if not found.value:
                contents.nothing_retrieved(query_id)
    return contents.load(request, "mteb", "MTEB predictions")


def _parts(whole: JsonValue) -> Iterator[tuple[str, str, JsonValue]]:
    """Subset, split and the queries of each part."""
    for subset, splits in whole.items():
        if subset != _META:
            for split, queries in splits.items():
                yield subset, split, queries


def _model(whole: JsonValue) -> str:
    """The model's name with its revision, "" where it is not told."""
    meta = whole.find(_META)
    name = meta.find("model_name") if meta else None
    revision = meta.find("revision") if meta else None
    parts = [part.text() for part in (name, revision) if part is not None]
    return "@".join(parts)


def _named(model: str, subset: str, split: str, parts: int) -> str:
    return model if parts == 1 else f"{model} {subset} {split}"
