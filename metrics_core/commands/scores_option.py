"""The option `--scores`: scores that another tool computed, used alone or together with judgments
and runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from metrics_core.base import wording as w
from metrics_core.base.errors import ParameterError, RanklensError
from metrics_core.base.notes import Note
from metrics_core.commands.reading import InputFiles, print_notes, read_judged_files
from metrics_core.commands.reading_options import ReadingOptions, split_names
from metrics_core.formats import read_scores
from metrics_core.measures import parse_measure
from metrics_core.measures.declaring.given_measures import PREFIX
from metrics_core.scoring.given_scores import (
    join_given_scores,
    refuse_unknown_names,
    scores_from_given,
    select_measures,
)
from metrics_core.scoring.scores import Scores, score_runs
from metrics_core.tables import Run

_ROLES = ("query_id", "run", "measure", "value", "repeat")
_TOLERANCE = 1.01e-4
"""Given and computed scores are equal if they differ by at most this, because tools often write
scores with four decimals."""


def read_all_scores(options: ReadingOptions, *, needs_direction: bool = False) -> Scores:
    """Return only the scores that `read_scores_and_runs` reads, without the runs."""
    return read_scores_and_runs(options, needs_direction=needs_direction)[0]


def read_scores_and_runs(
    options: ReadingOptions,
    read_input: Callable[[ReadingOptions], InputFiles] = read_judged_files,
    *,
    needs_direction: bool = False,
) -> tuple[Scores, list[Run]]:
    """Return the scores that the options name, and the runs that were read.

    The scores are computed from judgments and runs, given, or both. Runs are only returned if all
    scores are computed and `read_input` keeps the runs. Notes go to stderr. Raises RanklensError if
    a given and a computed measure have the same name. If `needs_direction` is true, RanklensError
    is also raised for a measure named by `-m` whose direction is not declared."""
    if not options.scores:
        if options.lower or options.higher:
            raise RanklensError(
                "--lower and --higher are for given scores.", "Add them with --scores FILE."
            )
        files = read_input(options)
        return _score_files(files, options), files.runs
    given_scores = _read_given_scores(options)
    names = _find_names(options, given_scores)
    if needs_direction:
        _refuse_open_directions(given_scores, names)
    if options.has_only_scores:
        available = list(map(str, given_scores.measures))
        refuse_unknown_names(names, available)
        return select_measures(given_scores, names or available), []
    if not options.all_runs:
        raise RanklensError("QRELS needs runs.", "Name them after QRELS, or leave out QRELS.")
    return _add_computed_scores(options, given_scores, names), []


def _compute_scores(options: ReadingOptions) -> Scores:
    columns = options.read_as.columns
    if options.scores and columns is not None and "doc_id" not in columns:
        options = replace(options, read_as=replace(options.read_as, columns=None))
    return _score_files(read_judged_files(options), options)


def _score_files(files: InputFiles, options: ReadingOptions) -> Scores:
    return score_runs(files.judged, files.measures, without_relevant=options.without_relevant)


def _read_given_scores(options: ReadingOptions) -> Scores:
    columns = options.read_as.columns or {}
    has_roles = options.has_only_scores or not {"measure", "value", "repeat"}.isdisjoint(columns)
    score_columns = {role: name for role, name in columns.items() if role in _ROLES}
    choices = options.read_as.to_keyword_choices(columns=score_columns if has_roles else None)
    tables = []
    for path in options.scores:
        table = read_scores(path, **choices)
        print_notes(Path(path).name, table.notes)
        tables.append(table)
    return scores_from_given(tables, lower=options.lower, higher=options.higher)


def _find_names(options: ReadingOptions, given_scores: Scores) -> list[str]:
    """Return the canonical names of the measures that `-m` names, in order.

    Raises RanklensError for a name that both a given and a computed measure have."""
    given_names, names = set(map(str, given_scores.measures)), []
    for text in options.measures or ():
        parts = [text] if text.strip() in given_names else split_names([text])
        for name in (_unquote(part) for part in parts):
            if PREFIX + name in given_names:
                raise RanklensError(
                    f"{name} is the name of both a given and a computed measure.",
                    f"Write {PREFIX}{name} for the given scores, or {_computed_name(name)} for the"
                    " computed ones.",
                )
            is_computed = name not in given_names and not options.has_only_scores
            names.append(str(parse_measure(name)) if is_computed else name)
    return list(dict.fromkeys(names))


def _unquote(name: str) -> str:
    name = name.strip()
    is_quoted = len(name) > 2 and name[0] == name[-1] and name[0] in "'\""
    return name[1:-1] if is_quoted else name


def _computed_name(name: str) -> str:
    """Return a spelling that refers to the computed measure: its canonical name, or the name with a
    cutoff."""
    try:
        canonical_name = str(parse_measure(name))
    except ParameterError:
        canonical_name = str(parse_measure(f"{name}@10"))
    return canonical_name


def _refuse_open_directions(given_scores: Scores, names: Sequence[str]) -> None:
    """Raise RanklensError for the first of the named measures whose direction is not declared."""
    for measure in given_scores.measures:
        if str(measure) in names and measure.declaration.direction == 0:
            name = str(measure).removeprefix(PREFIX)
            quoted = f"'{name}'" if " " in name else name
            raise RanklensError(
                f"Which direction is better is not declared for {name}.",
                f"Add --lower {quoted} if lower is better, or --higher {quoted}.",
            )


def _add_computed_scores(
    options: ReadingOptions, given_scores: Scores, names: Sequence[str]
) -> Scores:
    """Return given and computed scores of the shared queries, with the measures in the order of
    `names`.

    Given scores of a measure that is also computed are compared with the computed scores, and left
    out if they are equal."""
    given_names = list(map(str, given_scores.measures))
    computed_names = [name for name in names if name not in given_names]
    if not names:
        computed_names = list(options.default_measures)
    repeated = {name: _same_measure(name) for name in given_names}
    extra = [name for name in repeated.values() if name]
    computed = _compute_scores(replace(options, measures=[*computed_names, *extra] or None))
    scores = join_given_scores(computed, given_scores)
    n, n_judged, n_given = map(len, (scores.query_ids, computed.query_ids, given_scores.query_ids))
    if n < max(n_judged, n_given):
        message = (
            f"{n:,} {w.plural(n, 'query', 'queries')} in common; {n_judged:,} are judged and"
            f" {n_given:,} have given scores"
        )
        print_notes("--scores", [Note("queries", message, n)])
    equal_names = [
        name for name, same in repeated.items() if same and _is_equal(scores, name, same)
    ]
    all_names = [*(str(parse_measure(name)) for name in computed_names), *given_names]
    kept_names = [name for name in all_names if name not in equal_names]
    return select_measures(scores, names or list(dict.fromkeys(kept_names)))


def _same_measure(name: str) -> str:
    """Return the name of the computed measure after which a given measure is named; "" if there is
    none."""
    if not name.startswith(PREFIX):
        return ""
    try:
        measure = parse_measure(name.removeprefix(PREFIX))
    except RanklensError:
        return ""
    return "" if measure.declaration.needs else str(measure)


def _is_equal(scores: Scores, given_name: str, computed_name: str) -> bool:
    """Return whether given scores are equal to the computed scores. A note on the result is
    printed."""
    names = list(map(str, scores.measures))
    values, computed = (
        scores.values[:, :, names.index(name)] for name in (given_name, computed_name)
    )
    is_given = ~np.isnan(values) & ~np.isnan(computed)
    n = int((np.abs(values - computed)[is_given] > _TOLERANCE).sum())
    name = given_name.removeprefix(PREFIX)
    if not is_given.any() or n:
        message = f"{name} differs from {computed_name} as computed here for {n:,} of"
        message += f" {int(is_given.sum()):,} scores; it is called {given_name}"
        print_notes("--scores", [Note("stored_scores", message, n, loud=True)])
        return False
    message = f"{name} equals {computed_name} as computed here, so it is not shown twice"
    print_notes("--scores", [Note("stored_scores", message, 0)])
    return True
