"""Scores per query in the files of evaluation tools: which columns and which records are scores."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Any

from metrics_core.formats.parsing.score_columns import ScoreColumns, value_kinds
from metrics_core.formats.registry import TOOL_SPECIFIC, FirstRows, Tool

_ERROR = 2
"""The `failureReason` that promptfoo writes for an error. A failed assertion is not an error: it
has a score."""


_LM_EVAL_FILE = re.compile(r"samples_(.+?)(?:_\d{4}-\d\d-\d\dT[-.\d]+)?\.jsonl")
"""Pattern of the name of a file of samples. Its group matches the name of the task, which a time
stamp may follow."""


@dataclass(frozen=True)
class _ScoreTable:
    """A kind of table that a tool writes, with one column per measure.

    recognised_by  columns that all tables of the tool have
    measures       regular expression for the columns of measures; its group is the measure's name
    errors         regular expression for columns whose texts say that there is no score"""

    recognised_by: frozenset[str]
    query: str
    run: tuple[str, ...] = ()
    within: str = ""
    repeat: str = ""
    measures: str = "(.+)"
    errors: str = ""
    words: Mapping[str, float] = field(default_factory=dict)
    query_note: str = ""


_RAGAS_LISTS = frozenset(
    f"{side}_{name}" for side in ("retrieved", "reference") for name in ("contexts", "context_ids")
)
"""Columns that Ragas samples have. A table with any of them is left to the module `ragas`, which
reads its scores too."""

_TABLES = (
    _ScoreTable(
        frozenset(("example_id", "repetition_number")),
        query="example_id",
        repeat="repetition_number",
        measures="annotation_(.+)_score|(latency_ms|.+_token_count)",
        errors="annotation_(.+)_error|error",
    ),
    _ScoreTable(
        frozenset(("eval_id", "id", "epoch")),
        query="id",
        run=("model", "eval_id"),
        within="task_name",
        repeat="epoch",
        measures="(score_.+|total_time|total_tokens)",
        errors="error",
        words={"C": 1, "P": 0.5, "I": 0, "N": 0},
        query_note="ids are unique within one task only, so check that all runs are of one task",
    ),
    _ScoreTable(frozenset(("qid", "strict_vital_score")), query="qid"),
    _ScoreTable(frozenset(("user_input", "response")), query="user_input"),
)


def infer_tool_columns(first_rows: FirstRows) -> ScoreColumns | None:
    """Return the columns of a table written by a known tool. Returns None for any other table."""
    names = first_rows.names
    table = next((t for t in _TABLES if t.recognised_by <= set(names)), None)
    if table is None or not _RAGAS_LISTS.isdisjoint(names):
        return None
    kinds = dict(zip(names, value_kinds(first_rows, table.words), strict=True))
    measures = {}
    kinds_read = ("numbers", "words") if table.words else ("numbers",)
    for name in names:
        match = re.fullmatch(table.measures, name)
        if match and name not in (table.query, table.repeat) and kinds[name] in kinds_read:
            measures[next(filter(None, match.groups()))] = name
    errors = {
        name: tuple(filter(None, match.groups()))
        for name in names
        if table.errors and (match := re.fullmatch(table.errors, name))
    }
    run = next((name for name in table.run if name in names), "")
    within = table.within if table.within in names else ""
    return (
        ScoreColumns(
            table.query,
            *(run, table.repeat),
            within=within,
            measures=measures,
            errors=errors,
            words=table.words,
            query_note="" if within else table.query_note,
            sureness=TOOL_SPECIFIC,
        )
        if measures
        else None
    )


def find_record_reader(
    records: Sequence[Any],
) -> Callable[[Any, str], Iterator[dict[str, Any]]] | None:
    """Return a function that takes a record of a tool and the path of its file, and yields one row
    per score: query_id, run, measure, value. Returns None if no known tool wrote the first
    record."""
    record = records[0] if records else None
    if not isinstance(record, dict):
        return None
    inner = record.get("results")
    if isinstance(inner, dict) and isinstance(inner.get("results", inner.get("prompts")), list):
        return _read_promptfoo
    has_metrics = isinstance(record.get("metrics"), list) and "doc_id" in record
    return _read_lm_eval if has_metrics else None


def _read_lm_eval(record: Any, path: str) -> Iterator[dict[str, Any]]:
    """Yield the scores of a sample of lm-evaluation-harness. The name of the folder is the run
    name. Ids are unique only within a task, so the name of the task, taken from the file name, is
    put in front of each id."""
    file = PurePath(path.replace("\\", "/"))
    run, task = file.parent.name, _LM_EVAL_FILE.fullmatch(file.name)
    query_id = f"{task[1]}: {record['doc_id']}" if task else record["doc_id"]
    filter_name = record.get("filter", "none")
    for measure in record["metrics"]:
        name = measure if filter_name == "none" else f"{measure} ({filter_name})"
        row = {"query_id": query_id, "measure": name, "value": record.get(measure)}
        yield row | ({"run": run} if run else {})


def _read_promptfoo(record: Any, _path: str) -> Iterator[dict[str, Any]]:
    """Yield the scores of one result of promptfoo. Provider and prompt together are the run
    name."""
    results = record["results"].get("results") or []
    providers = dict.fromkeys(_provider_name(result) for result in results)
    prompts = dict.fromkeys(str(result.get("promptIdx", 0)) for result in results)
    for result in results:
        names = [_provider_name(result)] if len(providers) > 1 or len(prompts) == 1 else []
        if len(prompts) > 1:
            names.append(_prompt_name(result))
        key = {"query_id": _join_variables(result.get("vars")), "run": ", ".join(names)}
        named = result.get("namedScores") or {}
        measures = {name: result.get(name) for name in ("score", "success", "latencyMs", "cost")}
        measures["success"] = {True: 1, False: 0}.get(measures["success"])
        has_failed = str(result.get("failureReason")) == str(_ERROR)
        for name, value in (measures | named).items():
            if name in result or name in named:
                error = {"error": "failed"} if has_failed else {}
                yield {**key, "measure": name, "value": value, **error}


def _provider_name(result: Mapping[str, Any]) -> str:
    provider = result.get("provider")
    if isinstance(provider, dict):
        return str(provider.get("label") or provider.get("id"))
    return str(provider)


def _prompt_name(result: Mapping[str, Any]) -> str:
    """Return the label of a prompt. If the label is the whole text of the prompt, return the
    prompt's number."""
    prompt = result.get("prompt") or {}
    label, number = prompt.get("label"), int(str(result.get("promptIdx", 0))) + 1
    return label if label and label != prompt.get("raw") and len(label) < 80 else f"prompt {number}"


def _join_variables(variables: Any) -> str:
    """Return the variables of a test case as one string: the value of a single variable, or the
    names and values of several."""
    if not isinstance(variables, dict):
        return str(variables)
    texts = {
        name: value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        for name, value in variables.items()
    }
    if len(texts) == 1:
        return next(iter(texts.values()))
    return "; ".join(f"{name}: {text}" for name, text in texts.items())


TOOLS = (
    Tool("Phoenix", "the CSV of an experiment", "the scores, latency and tokens of one run"),
    Tool("Inspect", "`samples_df(LOGS).to_csv(FILE)`", "the scores of each model"),
    Tool("lm-evaluation-harness", "`--log_samples`: samples_TASK.jsonl", "the scores of one run"),
    Tool("nuggetizer", "the JSON Lines of its metrics", "the nugget scores of one run"),
    Tool("promptfoo", "`promptfoo eval -o FILE.json`", "the scores of each provider and prompt"),
)
