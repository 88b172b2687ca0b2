"""Build the table of given scores (scores that another tool computed) from named columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from metrics_core.base import frames as pd
from metrics_core.base.arrays import Floats
from metrics_core.base.errors import FileFormatError
from metrics_core.base.notes import Note, note_on_cases
from metrics_core.base.wording import format_score, format_with_noun, join_words, list_first
from metrics_core.formats.parsing.checking import ProblemTexts, refuse_rows
from metrics_core.formats.parsing.named import NamedColumns, check_rows_exist
from metrics_core.formats.parsing.score_columns import (
    MISSING,
    WORDS,
    ScoreColumns,
    are_repeats_in_rows,
)
from metrics_core.formats.registry import FirstRows, Request
from metrics_core.formats.source.lines import (
    convert_table_errors,
    file_error,
    row_problem,
)
from metrics_core.formats.source.source import Source
from metrics_core.formats.values import A_SCORE, explain_bad_number, parse_scores
from metrics_core.tables import GivenScores
from metrics_core.tables.arrays import as_array
from metrics_core.tables.columns import ID, encode_ids

_ALL = "all"
"""Query id of the rows with means in the output of trec_eval, ir_measures and nuggetizer."""
_SAMPLED_ROWS = 200
_MEAN_TOLERANCE = 1.01e-4
"""Tolerance for comparing means. trec_eval writes scores with four decimals."""


def sample_first_rows(named: NamedColumns) -> FirstRows:
    """Return the first rows of a table as strings. They are used to infer the roles of its
    columns."""
    columns = [pc.fill_null(named.columns[n][:_SAMPLED_ROWS], "").to_pylist() for n in named.names]
    return FirstRows(named.names, [[*row] for row in zip(*columns, strict=True)])


def build_scores(
    source: Source, request: Request, named: NamedColumns, columns: ScoreColumns
) -> GivenScores:
    """Build the scores from the columns, with notes on missing and repeated scores.

    Raises FileFormatError for a value that is not a number, and for a second score of the same
    query, run and measure."""
    check_rows_exist(source, named)
    words = {**columns.words, **(request.grades if isinstance(request.grades, Mapping) else {})}
    ids = _id_columns(request, named, columns)
    by_measure = {columns.value: columns.value} if columns.value else columns.measures
    values = {
        measure: _read_values(source, words, named, name) for measure, name in by_measure.items()
    }
    notes = _remove_failed_answers(named, columns, values)
    frame = pd.DataFrame({name: column.to_pandas() for name, column in ids.items()})
    measures = {
        m: named.columns[columns.measure].to_pandas() if columns.value else m for m in values
    }
    frame = pd.concat(
        [
            frame.assign(measure=measures[measure], value=numbers, row=np.arange(len(named)))
            for measure, numbers in values.items()
        ]
    )
    is_mean = frame["query_id"] == _ALL
    if is_mean.any() and not is_mean.all():
        notes += _mean_mismatch_notes(frame[is_mean], frame[~is_mean])
        frame = frame[~is_mean]
    if are_repeats_in_rows(request.columns):
        answers = frame.groupby([*ids, "measure"], sort=False, dropna=False)
        frame = frame.assign(repeat=(answers.cumcount() + 1).astype(str))
    names = [name for name in ("query_id", "run", "measure", "repeat") if name in frame]
    keys = {name: pa.array(frame[name], ID, from_pandas=True) for name in names}
    with convert_table_errors(source, named.index, frame["row"].to_numpy()):
        table = GivenScores.from_columns(**keys, value=frame["value"].to_numpy())
    notes += [*named.notes, *_missing_notes(frame)]
    if columns.words:
        listing = join_words([f"{word} {number:g}" for word, number in columns.words.items()])
        notes.append(Note("words", f"words read as numbers: {listing}"))
    if columns.query_note and frame["run"].nunique() > 1:
        notes.append(Note("query_ids", columns.query_note, loud=True))
    if columns.unused:
        message = "numeric columns not read as scores; to read one of them, use columns value=NAME"
        notes.append(note_on_cases("columns", message, columns.unused))
    if "repeat" in names:
        n = frame["repeat"].nunique()
        notes.append(
            Note(
                "repeats",
                f"{n:,} repeats; the scores of each query are averaged over the repeats",
                n,
            )
        )
    used = {columns.query, columns.run, columns.repeat, columns.value, columns.measure}
    used |= {*columns.measures.values(), *columns.errors, *columns.unused}
    texts = {name: column for name, column in named.columns.items() if name not in used | {*ids}}
    texts = {} if columns.value else texts
    return GivenScores(table.table, tuple(notes), pa.table({**ids, **texts}) if texts else None)


def _id_columns(
    request: Request, named: NamedColumns, columns: ScoreColumns
) -> dict[str, pa.ChunkedArray]:
    """Return the columns query_id and run, and repeat if there is one. If query ids are unique only
    within groups, each id is prefixed with the name of its group."""
    query_ids = named.columns[columns.query].cast(ID)
    if columns.within and pc.count_distinct(named.columns[columns.within]).as_py() > 1:
        groups = named.columns[columns.within].cast(ID)
        query_ids = pc.binary_join_element_wise(groups, query_ids, ": ")
    name = pa.chunked_array([pa.repeat(pa.scalar(request.run_name, ID), len(named))])
    ids = {"query_id": query_ids, "run": named.columns[columns.run] if columns.run else name}
    return ids | ({"repeat": named.columns[columns.repeat]} if columns.repeat else {})


def _read_values(
    source: Source, words: Mapping[str, float], named: NamedColumns, name: str
) -> Floats:
    """Return a column of numbers as float64[row], NaN if missing. `words` maps words to the numbers
    that they stand for."""
    texts = encode_ids(pc.utf8_trim_whitespace(pc.fill_null(named.columns[name].cast(ID), "")))
    distinct = texts.dictionary.to_pylist()
    numbers = np.array(parse_scores(texts.dictionary), dtype=np.float64)
    numbers = np.array([words.get(text, n) for text, n in zip(distinct, numbers, strict=True)])
    is_missing = [text.lower() in MISSING for text in distinct]
    codes = as_array(texts.indices)
    bad_rows = np.flatnonzero((np.isnan(numbers) & ~np.array(is_missing, np.bool_))[codes])
    if len(bad_rows):
        bad_texts = list(dict.fromkeys(distinct[code] for code in codes[bad_rows]))
        if all(text.lower() in WORDS for text in bad_texts):
            raise _word_values_error(source, named, name, bad_texts, int(bad_rows[0]))

        def describe(row: int) -> ProblemTexts:
            text = distinct[codes[row]]
            hint = explain_bad_number(text)
            if text.endswith("%"):
                number = text.removesuffix("%").strip()
                hint = (
                    f"`{text}` is a percentage. In every row, write numbers such as {number} or"
                    " shares from 0 to 1."
                )
            return f"`{text}` in `{name}`", f"{A_SCORE}, or nothing", hint

        refuse_rows(source, named.index, bad_rows, describe)
    result: Floats = numbers[codes]
    return result


def _word_values_error(
    source: Source, named: NamedColumns, name: str, words: Sequence[str], row: int
) -> FileFormatError:
    choice = ",".join(f"{word}={WORDS[word.lower()]}" for word in words)
    problem = row_problem(named.index, row, f"words in `{name}`: {join_words(words)}", A_SCORE)
    hint = f"If these words mean 1 and 0, read the file with grades {choice}."
    return file_error(source, [problem], hint=hint, suggestion="grades={word: number}")


def _remove_failed_answers(
    named: NamedColumns, columns: ScoreColumns, values: Mapping[str, Floats]
) -> list[Note]:
    """Remove the scores of answers that have an error, and return a note with their number."""
    has_error = np.zeros(len(named), dtype=np.bool_)
    for name, measures in columns.errors.items():
        texts = pc.utf8_lower(pc.utf8_trim_whitespace(pc.fill_null(named.columns[name], "")))
        has_failed = ~as_array(pc.is_in(texts, value_set=pa.array([*MISSING], ID)))
        has_error |= has_failed
        for measure in (m for m in values if not measures or m in measures or columns.value):
            values[measure][has_failed] = np.nan
    names = filter(None, (columns.query, columns.run, columns.repeat, columns.within))
    keys = {name: named.columns[name].to_pandas() for name in names}
    count = len(pd.DataFrame(keys)[has_error].drop_duplicates())
    message = f"{format_with_noun(count, 'answer')} with an error; left out, not counted as 0"
    return [Note("failed", message, count, loud=True)] if count else []


def _mean_mismatch_notes(stated_means: pd.DataFrame, rows: pd.DataFrame) -> list[Note]:
    """Return notes on means stated in the file that differ from the means of its scores."""
    means = pd.DataFrame(
        {
            name: f.groupby("measure")["value"].mean()
            for name, f in (("file", stated_means), ("own", rows))
        }
    ).dropna()
    limit = _MEAN_TOLERANCE * means["file"].abs().clip(lower=1)
    differing = means[(means["file"] - means["own"]).abs() > limit]
    return [
        Note(
            "stated_mean",
            f"the file gives {format_score(stated_mean)} as the mean of {name}, but the mean over"
            f" its queries is {format_score(mean)}",
            len(differing),
            loud=True,
        )
        for name, stated_mean, mean in list(differing.itertuples())[:3]
    ]


def _missing_notes(frame: pd.DataFrame) -> list[Note]:
    """Return a note that counts missing scores by measure and run."""
    missing = frame[frame["value"].isna()]
    counts = (missing["measure"] + " of " + missing["run"]).value_counts(sort=False)
    listing = list_first([f"{name} ({n:,})" for name, n in counts.items()], 3)
    message = f"{format_with_noun(len(missing), 'score')} missing, not counted as 0: {listing}"
    return [Note("missing", message, len(missing))] if len(missing) else []
