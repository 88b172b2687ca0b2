"""Build the table of given scores from named columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from metrics_core.base import frames as pd
from metrics_core.base.arrays import Floats, Ints, Mask
from metrics_core.base.errors import LineProblem, TableError
from metrics_core.base.notes import Note
from metrics_core.base.wording import format_score, join_words
from metrics_core.formats.parsing.checking import values_error
from metrics_core.formats.parsing.named import NamedColumns
from metrics_core.formats.parsing.score_columns import (
    MISSING,
    WORDS,
    ScoreColumns,
    repeats_are_rows,
)
from metrics_core.formats.registry import Request
from metrics_core.formats.source.lines import file_error, format_count, row_problem, rows_error
from metrics_core.formats.source.source import Source
from metrics_core.formats.values import A_SCORE, Grades, explain_bad_number, parse_scores
from metrics_core.tables import GivenScores
from metrics_core.tables.arrays import as_array
from metrics_core.tables.columns import ID, encode_ids

_ALL = "all"
"""The query of the means in the output of trec_eval, ir_measures and nuggetizer."""
_MEAN_TOLERANCE = 1.01e-4
"""Scores of trec_eval have four decimals."""


def build_scores(
    source: Source, request: Request, named: NamedColumns, columns: ScoreColumns
) -> GivenScores:
    """Return the scores of the columns, with notes on missing and repeated ones.

    Raises FileFormatError for a value that is not a number, and for a second score of a query, run
    and measure.
    """
    if not len(named):
        problem = LineProblem(None, "only a header", "at least one row")
        raise file_error(source, [problem], hint="Is the file complete?")
    notes = []
    n = len(named)
    by_measure = {columns.value: columns.value} if columns.value else columns.measures
    values = {
        measure: _read_values(source, request.grades, named, name)
        for measure, name in by_measure.items()
    }
    notes += _remove_failed(named, columns, values)
    ids = {"query_id": _query_ids(named, columns)}
    ids["run"] = (
        named.columns[columns.run].cast(ID)
        if columns.run
        else pa.chunked_array([pa.repeat(pa.scalar(request.run_name, ID), n)])
    )
    if columns.repeat:
        ids["repeat"] = named.columns[columns.repeat].cast(ID)
    if columns.value:
        rows = np.arange(n)
        measures, numbers = named.columns[columns.measure].cast(ID), values[columns.value]
    else:
        rows = np.tile(np.arange(n), len(values))
        measures = pa.array(np.repeat(np.array(list(values), dtype=object), n), ID)
        numbers = np.concatenate(list(values.values()))
    is_kept, mean_notes = _check_means(ids["query_id"].take(rows), measures, numbers)
    rows, numbers = rows[is_kept], numbers[is_kept]
    measures = measures.filter(pa.array(is_kept))
    table_ids = {name: column.take(rows) for name, column in ids.items()}
    if repeats_are_rows(request.columns) and not columns.repeat:
        keys = pd.DataFrame({k: v.to_pandas() for k, v in table_ids.items()})
        keys["measure"] = measures.to_pandas()
        counts = keys.groupby([*keys], sort=False, dropna=False).cumcount() + 1
        table_ids["repeat"] = pa.array(counts.astype(str).tolist(), ID)
    try:
        table = GivenScores.from_columns(
            table_ids["query_id"],
            table_ids["run"],
            measures,
            numbers,
            table_ids.get("repeat"),
            details=_find_details(named, columns, ids),
        )
    except TableError as error:
        raise rows_error(source, error, named.index, rows) from error
    notes += [*mean_notes, *_missing_notes(table), *_repeat_notes(table)]
    if columns.unused:
        message = "numbers not read as scores; columns value=NAME reads one"
        notes.append(Note("columns", message, len(columns.unused), columns.unused[:3]))
    return table.with_notes(*notes)


def _query_ids(named: NamedColumns, columns: ScoreColumns) -> pa.ChunkedArray:
    """Return the query ids; with the group before the id if there are several groups."""
    query_ids = named.columns[columns.query].cast(ID)
    if columns.within and pc.count_distinct(named.columns[columns.within]).as_py() > 1:
        return pc.binary_join_element_wise(named.columns[columns.within].cast(ID), query_ids, ": ")
    return query_ids


def _read_values(source: Source, grades: Grades, named: NamedColumns, name: str) -> Floats:
    """Return a column of numbers, float64[row], NaN if missing. Words are numbers if `grades` gives
    each a value."""
    texts = encode_ids(pc.utf8_trim_whitespace(pc.fill_null(named.columns[name].cast(ID), "")))
    distinct = texts.dictionary.to_pylist()
    numbers = np.array(parse_scores(texts.dictionary), dtype=np.float64)
    is_missing = np.array([text.lower() in MISSING for text in distinct], dtype=np.bool_)
    for index, text in enumerate(distinct):
        if isinstance(grades, Mapping) and text in grades:
            numbers[index], is_missing[index] = grades[text], False
    is_bad = np.isnan(numbers) & ~is_missing
    codes = as_array(texts.indices)
    bad_rows = np.flatnonzero(is_bad[codes])
    if len(bad_rows):
        bad_texts = [text for text, bad in zip(distinct, is_bad, strict=True) if bad]
        words = [text for text in bad_texts if text.lower() in WORDS]
        if len(words) == len(bad_texts):
            raise _words_error(source, named, name, words, int(bad_rows[0]))

        def describe(row: int) -> tuple[str, str, str]:
            text = distinct[codes[row]]
            hint = explain_bad_number(text)
            if text.endswith("%"):
                number = text.removesuffix("%").strip()
                hint = f"`{text}` is a percentage. Write {number}, or the share, in every row."
            return f"`{text}` in `{name}`", f"{A_SCORE}, or nothing", hint

        raise values_error(source, named.index, bad_rows, describe)
    result: Floats = numbers[codes]
    return result


def _words_error(
    source: Source, named: NamedColumns, name: str, words: Sequence[str], row: int
) -> Exception:
    choice = ",".join(f"{word}={WORDS[word.lower()]}" for word in words)
    problem = row_problem(named.index, row, f"words in `{name}`: {join_words(words)}", A_SCORE)
    hint = f"Should they count as 1 and 0? Then read the file with grades {choice}."
    return file_error(source, [problem], hint=hint, offer="grades={word: number}")


def _remove_failed(
    named: NamedColumns, columns: ScoreColumns, values: Mapping[str, Floats]
) -> list[Note]:
    """Remove the scores of rows with an error; return a note that counts the rows."""
    failed_rows = np.zeros(len(named), dtype=np.bool_)
    for name, measures in columns.errors.items():
        texts = pc.utf8_lower(pc.utf8_trim_whitespace(pc.fill_null(named.columns[name], "")))
        has_failed = ~as_array(pc.is_in(texts, value_set=pa.array([*MISSING], ID)))
        failed_rows |= has_failed
        for measure in measures or values:
            if measure in values:
                values[measure][has_failed] = np.nan
    count = int(failed_rows.sum())
    message = f"{format_count(count, 'row')} with an error; left out, never 0"
    return [Note("failed", message, count, loud=True)] if count else []


def _check_means(
    query_ids: pa.ChunkedArray, measures: pa.ChunkedArray, values: Floats
) -> tuple[Mask, list[Note]]:
    """Return the rows that are not means over all queries, bool[row], and a note on means that
    differ from the mean of the rows."""
    is_mean = as_array(pc.equal(pc.fill_null(query_ids, ""), _ALL))
    if not is_mean.any() or is_mean.all():
        return np.ones(len(values), dtype=np.bool_), []
    frame = pd.DataFrame({"measure": measures.to_pandas(), "value": values, "is_mean": is_mean})
    stated = frame[frame["is_mean"]].groupby("measure")["value"].mean()
    actual = frame[~frame["is_mean"]].groupby("measure")["value"].mean()
    pairs = pd.concat([stated, actual], axis=1, keys=["stated", "actual"]).dropna()
    limit = _MEAN_TOLERANCE * np.maximum(1, pairs["stated"].abs())
    differing = pairs[(pairs["stated"] - pairs["actual"]).abs() > limit]
    notes = []
    for name, stated_mean, mean in list(differing.itertuples())[:3]:
        message = (
            f"the file gives {format_score(stated_mean)} as the mean of {name}, but its queries"
            f" have {format_score(mean)}"
        )
        notes.append(Note("stated_mean", message, len(differing), loud=True))
    return ~is_mean, notes


def _find_details(
    named: NamedColumns, columns: ScoreColumns, ids: Mapping[str, pa.ChunkedArray]
) -> pa.Table | None:
    """Return the texts beside the scores, None if there are none."""
    texts = {
        name: column
        for name, column in named.columns.items()
        if name not in columns.used_columns | {*columns.unused} | {*ids}
    }
    return pa.table({**ids, **texts}) if texts and not columns.value else None


def _missing_notes(table: GivenScores) -> list[Note]:
    """Return a note on missing scores by measure and run."""
    is_missing = np.isnan(table.values)
    count = int(is_missing.sum())
    if not count:
        return []
    rows: Ints = np.flatnonzero(is_missing)
    names = zip(
        *(table.table[name].take(rows).to_pylist() for name in ("measure", "run")), strict=True
    )
    parts = pd.Series([f"{measure} of {run}" for measure, run in names]).value_counts(sort=False)
    listing = ", ".join(f"{name} ({n:,})" for name, n in parts.head(3).items())
    message = f"{format_count(count, 'score')} missing; left out, never 0: {listing}"
    return [Note("missing", message + (", …" if len(parts) > 3 else ""), count)]


def _repeat_notes(table: GivenScores) -> list[Note]:
    if "repeat" not in table.table.column_names:
        return []
    keys = pd.DataFrame({name: table.codes(name) for name in ("run", "query_id", "measure")})
    counts = keys.groupby([*keys]).size()
    low, high = int(counts.min()), int(counts.max())
    if high == 1:
        return []
    repeats = f"{high}" if low == high else f"{low} to {high}"
    return [Note("repeats", f"{repeats} repeats of each query; their scores are averaged", high)]
