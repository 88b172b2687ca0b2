"""Read runs of TREC CAsT and iKAT, in which each turn of a conversation is a query."""

from __future__ import annotations

from metrics_core.formats.declaring import declare
from metrics_core.formats.mapping.presets import Preset
from metrics_core.formats.registry import Tool

_PASSAGES = tuple(f"turns[].responses[].{name}[]?" for name in ("passage_provenance", "provenance"))

declare(
    Preset(
        "conversations",
        "TREC CAsT or iKAT run",
        endings=(".json",),
        explanation="A run of TREC CAsT 2022 or iKAT. The list of a turn is the provenance of its"
        " responses (passage_provenance, provenance), ordered by score. The responses"
        " themselves and the PTKB statements are not read.",
        example='{"run_name": "ours", "turns": [{"turn_id": "9-1_1", "responses": [{"rank": 1,'
        ' "text": "…", "passage_provenance": [{"id": "doc-7", "score": 0.83}]}]}]}',
        recognised_by=("turns[].turn_id", "turns[].responses"),
        tables={
            "run": tuple(
                f"query=turns[].turn_id doc={path}.id score={path}.score system=run_name"
                for path in _PASSAGES
            ),
        },
        once=(),
        duplicates="best",
        tools=(
            Tool(
                "TREC iKAT",
                "the JSON file of a run of iKAT or CAsT 2022",
                "a run: the passages that each turn's responses are based on",
                "the judgments; which response uses which passage",
                ("rag",),
            ),
        ),
    ),
    together=False,
)
