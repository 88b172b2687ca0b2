"""Read a table of scores. Column names are normalised, and a table with one row per measure is
pivoted to one row per query. Then the columns of some measures are selected, with their
directions."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from metrics_core.base import frames as pd
from metrics_core.base.errors import RanklensError
from metrics_core.formats.in_memory import convert_to_frame
from metrics_core.formats.parsing.columns import NAMES, find_position
from metrics_core.formats.parsing.score_columns import REPEATS
from metrics_core.formats.reading import read_scores
from metrics_core.measures import GivenMeasure, Measure, parse_measure, parse_measures_by_name
from metrics_core.scoring.given_scores import (
    find_directions,
    pivot_measures,
    refuse_unknown_names,
)
from metrics_core.scoring.scores import (
    Scores,
    check_key_columns,
    find_measure_columns,
    read_number_column,
    scores_from_frame,
)
from metrics_core.tables import GivenScores


def select_scores(
    scores: Any,
    measures: GivenMeasure | Iterable[GivenMeasure] | None,
    lower: str | Iterable[str],
    higher: str | Iterable[str],
) -> tuple[Scores, dict[str, Measure]]:
    """Return the scores of some measures, by default of all, and a dictionary from the requested
    name of each measure to the measure.

    `scores` are Scores or a table. `lower` and `higher` name columns whose direction is declared.
    Raises RanklensError for unknown names."""
    lower, higher = ([names] if isinstance(names, str) else [*names] for names in (lower, higher))
    if measures is None:
        names: list[Any] = []
    else:
        is_single = isinstance(measures, (str, Measure)) or not isinstance(measures, Iterable)
        names = [measures] if is_single else [*measures]
    if isinstance(scores, Scores) and not (lower or higher):
        known_measures = {str(measure): measure for measure in scores.measures}
        listed = known_measures.values() if measures is None else names
        return scores, parse_measures_by_name(
            [known_measures.get(str(name), name) for name in listed]
        )
    frame = read_scores_frame(scores.frame if isinstance(scores, Scores) else scores)
    if measures is None:
        names = find_measure_columns(frame, only_numeric=True)
    by_name = {str(name): _find_column(frame, name) for name in names}
    columns = list(dict.fromkeys(by_name.values()))
    directions = {
        _find_column(frame, name): is_higher
        for name, is_higher in find_directions(lower, higher).items()
    }
    refuse_unknown_names(directions, columns)
    selected = scores_from_frame(
        frame, None if measures is None else columns, higher_is_better=directions
    )
    by_column = dict(zip(columns, selected.measures, strict=True))
    return selected, {name: by_column[column] for name, column in by_name.items()}


def _find_column(frame: pd.DataFrame, measure: Any) -> str:
    """Return the column with the name `measure`, or else the column with another name of the same
    measure. If there is neither, return `measure` itself."""
    name = str(measure)
    if name in frame.columns:
        return name
    try:
        parsed_measure = parse_measure(measure)
    except RanklensError:
        return name
    columns = map(str, frame.columns)
    return next((column for column in columns if _is_measure_name(column, parsed_measure)), name)


def _is_measure_name(name: str, measure: Measure) -> bool:
    try:
        return parse_measure(name) == measure
    except RanklensError:
        return False


def read_scores_frame(table: Any) -> pd.DataFrame:
    """Return a table of scores as a frame with the columns run, query_id and one per measure.
    Repeats of a score, counted by a column such as repeat or epoch, are averaged. Raises
    RanklensError if the same score occurs twice."""
    if isinstance(table, (str, Path)):
        table = read_scores(table)
    frame = convert_to_frame(table.table if isinstance(table, GivenScores) else table)
    names = [str(c) for c in frame.columns]
    roles = (("run", NAMES["tag"]), ("query_id", NAMES["query_id"]), ("repeat", REPEATS))
    for key, role_names in roles:
        index = find_position(names, role_names)
        if key not in names and index >= 0:
            names[index] = key
    if "run" not in names and {"name", "measure"} <= set(names):
        names[names.index("name")] = "run"
    frame = frame.set_axis(names, axis=1)
    has_measure_rows = {"run", "query_id", "measure", "value"} <= set(names)
    if not has_measure_rows and "repeat" not in names:
        return frame
    check_key_columns(frame)
    keys = ["run", "query_id", *["measure"] * has_measure_rows]
    is_duplicate = frame.duplicated([*keys, *["repeat"] * ("repeat" in names)])
    if is_duplicate.any():
        run, query_id, *measure = frame.loc[is_duplicate, keys].iloc[0]
        what = f"{measure[0]} of run" if measure else "The row of run"
        raise RanklensError(
            f"{what} {run!r} for query {query_id!r} is given twice.",
            "Keep one of them, or number the repeats in a column named repeat.",
        )
    if has_measure_rows:
        return pivot_measures(frame.assign(value=read_number_column(frame, "value")))
    measures = [name for name in find_measure_columns(frame, only_numeric=True) if name != "repeat"]
    return frame.groupby(keys, sort=False)[measures].mean().reset_index()
