"""The option `--scores`: scores that another tool computed, used alone or together with judgments
and runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from metrics_core.base.errors import ParameterError, RanklensError
from metrics_core.checks.mapped_ids import map_ids
from metrics_core.commands.reading import InputFiles, print_notes, read_judged_files, score_files
from metrics_core.commands.reading_options import ReadingOptions, split_names
from metrics_core.formats import read_scores
from metrics_core.measures import Measure, parse_measure
from metrics_core.measures.declaring.given_measures import PREFIX
from metrics_core.scoring.given_scores import (
    compare_with_computed_scores,
    find_computed_measure,
    join_given_scores,
    refuse_unknown_names,
    scores_from_tables,
    select_measures,
    unused_score_notes,
)
from metrics_core.scoring.scores import Scores
from metrics_core.tables import GivenScores, Run

_ROLES = ("query_id", "run", "measure", "value", "repeat")


def read_all_scores(options: ReadingOptions) -> Scores:
    """Return only the scores that `read_scores_and_runs` reads, without the runs."""
    return read_scores_and_runs(options)[0]


def read_scores_and_runs(
    options: ReadingOptions,
    read_input: Callable[[ReadingOptions], InputFiles] = read_judged_files,
    *,
    needs_direction: bool = False,
) -> tuple[Scores, list[Run]]:
    """Return the scores that the options name, and the runs that were read.

    Scores are read from the files of `--scores`, or computed from judgments and runs; the options
    may name both sources. Runs are only returned if all scores are computed and `read_input` keeps
    the runs. Notes go to stderr. Raises RanklensError if a name in `-m` belongs to both a measure
    of `--scores` and a computed measure. If `needs_direction` is true, RanklensError is also raised
    for a measure named by `-m` whose direction is not declared."""
    if not options.scores:
        if options.lower or options.higher:
            raise RanklensError(
                "--lower and --higher apply only to the measures in --scores.", "Add --scores FILE."
            )
        files = read_input(options)
        return score_files(files, options), files.runs
    given_scores = _read_given_scores(options)
    names = find_measure_names(options, given_scores.measures)
    if needs_direction:
        _refuse_undeclared_directions(given_scores, names)
    if options.has_only_scores:
        available = list(map(str, given_scores.measures))
        refuse_unknown_names(names, available)
        return select_measures(given_scores, names or available), []
    if not options.all_run_paths:
        raise RanklensError("QRELS needs runs.", "Add runs after QRELS, or leave out QRELS.")
    return _add_computed_scores(options, given_scores, names), []


def _compute_scores(options: ReadingOptions) -> Scores:
    columns = options.read_as.columns
    if columns is not None and "doc_id" not in columns:
        options = replace(options, read_as=replace(options.read_as, columns=None))
    return score_files(read_judged_files(options), options)


def _read_given_scores(options: ReadingOptions) -> Scores:
    tables = read_score_tables(options)
    return scores_from_tables(tables, lower=options.lower, higher=options.higher)


def read_score_tables(options: ReadingOptions) -> list[GivenScores]:
    """Return the tables of `--scores`, with mapped ids; notes go to stderr."""
    columns = options.read_as.columns or {}
    has_roles = options.has_only_scores or not {"measure", "value", "repeat"}.isdisjoint(columns)
    score_columns = {role: name for role, name in columns.items() if role in _ROLES}
    choices = options.read_as.to_keyword_choices(columns=score_columns if has_roles else None)
    tables = []
    for path in options.scores:
        table = read_scores(path, **choices)
        print_notes(Path(path).name, table.notes)
        tables.append(map_ids(table, options.id_maps))
    return tables


def find_measure_names(options: ReadingOptions, given_measures: Iterable[Measure]) -> list[str]:
    """Return the canonical names of the measures that `-m` names, in order.

    `given_measures` are the measures of `--scores`. Raises RanklensError for a name that belongs
    both to a measure in `given_measures` and to a computed measure."""
    given_names, names = set(map(str, given_measures)), []
    for text in options.measures or ():
        parts = [text] if text.strip() in given_names else split_names([text])
        for name in (_unquote(part) for part in parts):
            if PREFIX + name in given_names:
                raise RanklensError(
                    f"Both a measure in --scores and a computed measure are named {name}.",
                    f"Write {PREFIX}{name} for the scores in the file, or"
                    f" {_computed_measure_name(name)} for the computed scores.",
                )
            is_computed = name not in given_names and not options.has_only_scores
            names.append(str(parse_measure(name)) if is_computed else name)
    return list(dict.fromkeys(names))


def _unquote(name: str) -> str:
    name = name.strip()
    is_quoted = len(name) > 2 and name[0] == name[-1] and name[0] in "'\""
    return name[1:-1] if is_quoted else name


def _computed_measure_name(name: str) -> str:
    """Return an unambiguous name for the computed measure called `name`: its canonical name. The
    cutoff 10 is added if `name` is not valid without a cutoff."""
    try:
        canonical_name = str(parse_measure(name))
    except ParameterError:
        canonical_name = str(parse_measure(f"{name}@10"))
    return canonical_name


def _refuse_undeclared_directions(given_scores: Scores, names: Sequence[str]) -> None:
    """Raise RanklensError for the first of the named measures whose direction is not declared."""
    for measure in given_scores.measures:
        if str(measure) in names and measure.declaration.direction == 0:
            name = str(measure).removeprefix(PREFIX)
            quoted = f"'{name}'" if " " in name else name
            raise RanklensError(
                f"No direction (higher or lower is better) has been declared for {name}.",
                f"Add --lower {quoted} if lower is better, or --higher {quoted}.",
            )


def _add_computed_scores(
    options: ReadingOptions, given_scores: Scores, names: Sequence[str]
) -> Scores:
    """Return the scores of `--scores` and the computed scores of the shared queries, with the
    measures in the order of `names`.

    If a measure of `--scores` is also computed, both scores are compared. If they are equal, the
    scores of `--scores` are left out."""
    given_names = list(map(str, given_scores.measures))
    computed_names = [name for name in names if name not in given_names]
    if not names:
        computed_names = list(options.default_measures)
    extra = [str(measure) for name in given_names if (measure := find_computed_measure(name))]
    computed = _compute_scores(replace(options, measures=[*computed_names, *extra] or None))
    scores = join_given_scores(computed, given_scores)
    equal_names, notes = compare_with_computed_scores(given_scores, lambda _: computed)
    print_notes(
        "--scores",
        [*unused_score_notes(given_scores, computed.runs, computed.query_ids), *notes],
    )
    all_names = [*(str(parse_measure(name)) for name in computed_names), *given_names]
    kept_names = [name for name in all_names if name not in equal_names]
    return select_measures(scores, names or list(dict.fromkeys(kept_names)))
