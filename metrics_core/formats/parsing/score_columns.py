"""Interpret a table of scores from its header and first rows: ids, repeats and measures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from metrics_core.formats.parsing.chosen_columns import NO_COLUMN, rename_header
from metrics_core.formats.parsing.columns import NAMES, QUERY_IDS, ROLES, find_position, fold_name
from metrics_core.formats.registry import (
    AMBIGUOUS,
    CERTAIN,
    ONLY_IF_REQUESTED,
    SPECIFIC,
    Columns,
    FirstRows,
)
from metrics_core.formats.values import is_number
from metrics_core.tables.given_scores import has_unclear_direction, split_column_name

_QUERIES = (*NAMES["query_id"], "exampleid", "questionid", *QUERY_IDS)
_QUERY_IDS = {*NAMES["query_id"], "exampleid", "questionid"} - {"query", "querytext"}
_MEASURES = ("measure", "metric", "measurename", "metricname")
_VALUES = ("value", "score", "metricvalue")
REPEATS = ("repeat", "repetition", "repetitionnumber", "epoch", "trial", "seed")
"""Names of a column that counts the repeats of a score, in folded form."""
_NO_MEASURES = frozenset(("id", "index", "rank", "seed", "timestamp", "start", "end", "date"))
"""Last words of names of columns that contain numbers but are not measures."""

WORDS: Mapping[str, int] = {"true": 1, "pass": 1, "passed": 1, "false": 0, "fail": 0, "failed": 0}
"""Words that tools write in place of the scores 1 and 0."""

MISSING = frozenset(("", "nan", "null", "none", "na", "n/a"))
"""Texts that stand for a missing score, in lower case."""


@dataclass(frozen=True)
class ScoreColumns:
    """The columns of a table of scores, by their names in the file; "" if there is no such column.

    within    column of the groups within which a query id is unique
    value     column of the numbers if each row has a single score; `measure` then names its measure
    measures  name of each measure -> its column, if a row has several scores
    errors    column with messages about missing scores -> the measures whose scores are missing; an
              empty list means all measures
    words     the number for each word that the tool writes in place of a number
    query_note  text of a note on the query ids that is added if there are several runs
    unused    columns of numbers that are not read unless they are assigned
    sureness  confidence that the table contains scores"""

    query: str
    run: str = ""
    repeat: str = ""
    within: str = ""
    measure: str = ""
    value: str = ""
    measures: Mapping[str, str] = field(default_factory=dict)
    errors: Mapping[str, Sequence[str]] = field(default_factory=dict)
    words: Mapping[str, float] = field(default_factory=dict)
    query_note: str = ""
    unused: tuple[str, ...] = ()
    sureness: int = SPECIFIC


def infer_score_columns(first_rows: FirstRows, columns: Columns) -> ScoreColumns | None:
    """Return the columns of a table of scores; None if the table does not contain scores.

    `columns` are assigned by the user. A table without a column of run names may contain numeric
    facts about the queries instead of scores, so it is at best ambiguous unless queries are
    repeated."""
    names = rename_header(first_rows.names, columns)
    query = find_position(names, _QUERIES)
    if query < 0 or find_position(names, NAMES["doc_id"]) >= 0:
        return None
    samples = _sample_columns(first_rows)
    kinds = value_kinds(first_rows)
    measure, value = find_position(names, _MEASURES), find_position(names, _VALUES)
    run, repeat = find_position(names, NAMES["tag"]), find_position(names, REPEATS)
    in_file = [*first_rows.names, ""]
    roles = ScoreColumns(in_file[query], in_file[run], in_file[repeat])
    if measure >= 0 and value >= 0 and kinds[value] in ("numbers", "words"):
        if run < 0 and "name" in names:  # as PyTerrier writes it
            roles = replace(roles, run="name")
        errors: dict[str, Sequence[str]] = {"error": ()} if "error" in names else {}
        return replace(roles, measure=in_file[measure], value=in_file[value], errors=errors)
    if "value" in columns and value >= 0:
        return replace(roles, measures={in_file[value]: in_file[value]})
    used, measures, unused = {query, run, repeat}, {}, []
    for index, name in enumerate(first_rows.names):
        if index not in used and kinds[index] in ("numbers", "words"):
            if _cannot_be_measure(name, samples[index]):
                unused.append(name)
            else:
                measures[name] = name
    others = [kinds[i] for i in range(len(names)) if i not in used and names[i] != "error"]
    if not measures or "lists" in others:
        return None
    repeats_queries = len(set(samples[query])) < len(samples[query])
    id_name, run_name = (fold_name(names[index]) for index in (query, run))
    sureness = ONLY_IF_REQUESTED
    if run >= 0 and (repeats_queries or (len(set(samples[run])) == 1 and run_name in ROLES["tag"])):
        sureness = CERTAIN + 1
    elif run < 0 and set(others) <= {"numbers", "empty"} and id_name in _QUERY_IDS:
        is_open = all(find_position(names, ROLES[role]) < 0 for role in ("score", "relevance"))
        sureness = CERTAIN + 1 if repeats_queries else AMBIGUOUS if is_open else ONLY_IF_REQUESTED
    errors = {"error": ()} if "error" in names and "error" not in measures else {}
    return replace(roles, measures=measures, errors=errors, unused=tuple(unused), sureness=sureness)


def are_repeats_in_rows(columns: Columns) -> bool:
    """Return whether the user declared that several scores of a query are repeats (`repeat=-`)."""
    return columns.get("repeat") == NO_COLUMN


def value_kinds(first_rows: FirstRows, words: Mapping[str, float] = WORDS) -> list[str]:
    """Return the kind of values in each column: numbers, words that are read as numbers, lists,
    texts or empty."""
    return [_value_kind(texts, words) for texts in _sample_columns(first_rows)]


def _sample_columns(first_rows: FirstRows) -> list[list[str]]:
    """Return the values of each column in the first rows, as strings. If a row is too short, its
    missing cells are empty strings."""
    return [
        [row[index].strip() if len(row) > index else "" for row in first_rows.rows]
        for index in range(len(first_rows.names))
    ]


def _value_kind(texts: Sequence[str], words: Mapping[str, float]) -> str:
    filled = [text for text in texts if text.lower() not in MISSING]
    if not filled:
        return "empty"
    if all(is_number(text.removesuffix("%").rstrip()) for text in filled):
        return "numbers"
    if all(text in words or text.lower() in words or is_number(text) for text in filled):
        return "words"
    return "lists" if any(text.startswith(("[", "{")) for text in filled) else "texts"


def _cannot_be_measure(name: str, texts: Sequence[str]) -> bool:
    """Return whether a column of numbers cannot be a measure, because it contains ids, times, or a
    different whole number in each row."""
    words = split_column_name(name)
    if words and (words[-1] in _NO_MEASURES or words[-2:] == ["time", "stamp"]):
        return True
    if not _NO_MEASURES.isdisjoint(words) and words[-1] == "time":
        return True
    times = Counter(texts)
    own_numbers = len(texts) > 2 and max(times.values()) == 1
    return own_numbers and all(map(str.isdecimal, texts)) and not has_unclear_direction(name)
