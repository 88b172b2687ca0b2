"""TREC RAG: the answers of a run, one per topic, with the documents that they cite."""

from __future__ import annotations

from metrics_core.formats.declaring import declare
from metrics_core.formats.mapping.axes import MappingError, Records
from metrics_core.formats.mapping.paths import parse_path
from metrics_core.formats.mapping.presets import Preset, Remark
from metrics_core.formats.parsing.json_text import NumberText
from metrics_core.formats.registry import Tool

_TOPIC_ID = "topic_id || narrative_id || metadata.topic_id || metadata.narrative_id"
_TOPIC = "topic || narrative || metadata.topic || metadata.narrative"


def _refuse_reference_numbers(records: Records) -> list[str]:
    """Raise MappingError if the references of a record have numbers, because such numbers may be
    scores. Otherwise, return an empty list."""

    axis, values = records.values_at(parse_path("references.*?")[0].steps)
    numbers = [row for row, value in enumerate(values.to_list()) if isinstance(value, NumberText)]
    if numbers:
        prefix = "metadata." if "metadata" in (records.values.to_list()[0]) else ""
        hint = (
            "If these are scores, read the file with columns such as"
            f" query={prefix}topic_id,doc=references.*~,score=references.*"
        )
        raise MappingError(axis, numbers[0], values.describe(numbers[0]), "a text", hint)
    return []


declare(
    Preset(
        "trec_rag",
        "TREC RAG answers",
        endings=(".jsonl", ".json"),
        explanation="Answers of TREC RAG 2024 and, with `metadata`, 2025. Each topic's"
        " references, in list order, are read as a run named by run_id. Contains a run, queries,"
        " and also documents if `references` maps ids to texts. The answers are not read.",
        example='{"run_id": "ours", "topic_id": "2024-1", "topic": "why is the sky blue",'
        ' "references": ["doc-7", "doc-3"], "answer": [{"text": "…", "citations": [0]}]}',
        recognised_by=("run_id || metadata.run_id", _TOPIC_ID, "references"),
        tables={
            "run": tuple(
                f"query={_TOPIC_ID} doc={docs} system=run_id || metadata.run_id"
                for docs in ("references[]?", "references.*~?")
            ),
            "queries": f"query={_TOPIC_ID} text={_TOPIC}",
            "documents": "doc=references.*~? body=references.*?",
        },
        needs={"queries": _TOPIC, "documents": "metadata"},
        remarks=(Remark(("run",), "numbers", "", _refuse_reference_numbers),),
        tools=(
            Tool(
                "TREC RAG",
                "the JSON Lines file of answers with their `references`, of 2024 or 2025",
                "a run in the order of the references, and the queries",
                "the judgments; which sentence uses which reference",
                ("rag",),
            ),
        ),
    )
)
