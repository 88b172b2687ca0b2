"""Read the predictions of MTEB for a retrieval task.

`{"mteb_model_meta": {…}, subset: {split: {query: {document: score}}}}`"""

from __future__ import annotations

from typing import Any

from metrics_core.formats.declaring import declare
from metrics_core.formats.mapping.presets import Preset, mend_each_object
from metrics_core.formats.parsing.json_text import NumberText
from metrics_core.formats.registry import Tool

_META = "mteb_model_meta"
_SAMPLED_VALUES = 50


def _are_predictions(content: Any) -> bool:
    """Return whether an object contains MTEB's model data, or four nested levels of objects with
    scores at the lowest level."""
    if _META in content:
        return True
    level = [content]
    for _ in range(3):
        level = [child for value in level for child in value.values()][:_SAMPLED_VALUES]
        if not level or any(not isinstance(child, dict) for child in level):
            return False
    scores = [child for value in level for child in value.values()]
    return bool(scores) and all(isinstance(child, NumberText) for child in scores)


def _split_runs(content: dict[str, Any], name: str) -> list[Any]:
    """Return a record for each subset and split, with the name of its run.

    The name consists of the model and its revision. Without model data it is the file name. If
    there are several records, the subset and split are appended."""
    meta = content.get(_META)
    model_info = meta if isinstance(meta, dict) else {}
    model = [
        str(model_info[key])
        for key in ("model_name", "revision")
        if model_info.get(key) is not None
    ]
    parts = [
        (subset, split, {split: queries} if split else queries)
        for subset, splits in content.items()
        if subset != _META
        for split, queries in (splits.items() if isinstance(splits, dict) else [("", splits)])
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
        mend=mend_each_object(_split_runs),
        tables={"run": "query=parts.*.*.*~ doc=parts.*.*.*.*~ score=parts.*.*.*.* system=run"},
        tools=(
            Tool(
                "MTEB",
                "`evaluate(…, prediction_folder=…)`: the file `…_predictions.json` of a task",
                "one run per subset and split, named after the model and its revision",
                "judgments and texts, which are part of the MTEB task",
                ("search", "rag"),
            ),
        ),
    ),
    together=False,
)
