"""MTEB: the predictions of a task, `{"mteb_model_meta": {…}, subset: {split: {query: {document:
score}}}}`."""

from __future__ import annotations

from typing import Any

from metrics_core.formats.declaring import declare
from metrics_core.formats.mapping.presets import Preset, each
from metrics_core.formats.parsing.json_text import NumberText
from metrics_core.formats.registry import Tool

_META = "mteb_model_meta"
_LOOKED_AT = 50


def _are_predictions(whole: Any) -> bool:
    """By the model's entry, or by objects four deep, the last with scores."""
    if _META in whole:
        return True
    level = [whole]
    for _ in range(3):
        level = [own for value in level for own in value.values()][:_LOOKED_AT]
        if not level or any(not isinstance(own, dict) for own in level):
            return False
    scores = [own for value in level for own in value.values()]
    return bool(scores) and all(isinstance(own, NumberText) for own in scores)


def _parts(whole: dict[str, Any], name: str) -> list[Any]:
    """A record for each subset and split, with the name of its run: the model with its revision,
    else the file's name; of several parts with that of the part."""
    meta = whole.get(_META)
    told = meta if isinstance(meta, dict) else {}
    model = [str(told[key]) for key in ("model_name", "revision") if told.get(key) is not None]
    parts = [
        (subset, split, {split: queries} if split else queries)
        for subset, own in whole.items()
        if subset != _META
        for split, queries in (own.items() if isinstance(own, dict) else [("", own)])
    ]
    return [
        {
            "run": " ".join(["@".join(model) or name, *([subset, split] * (len(parts) > 1))]),
            "parts": {subset: queries},
        }
        for subset, split, queries in parts
    ]


declare(
    Preset(
        "mteb",
        "MTEB predictions",
        endings=(".json",),
        explanation="Predictions of an MTEB retrieval task: one run per subset and split, named"
        " after the model.",
        example='{"mteb_model_meta": {"model_name": "org/model", "revision": "a1"}, "default":'
        ' {"test": {"q1": {"doc-7": 0.83}}}}',
        recognised_by=(),
        also=_are_predictions,
        mend=each(_parts),
        tables={"run": "query=parts.*.*.*~ doc=parts.*.*.*.*~ score=parts.*.*.*.* system=run"},
        tools=(
            Tool(
                "MTEB",
                "`evaluate(…, prediction_folder=…)`: the file `…_predictions.json` of a task",
                "one run per subset and split, named after the model and its revision",
                "judgments and texts: they are in the task",
                ("search", "rag"),
            ),
        ),
    ),
    together=False,
)
