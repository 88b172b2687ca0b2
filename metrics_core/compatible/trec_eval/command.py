"""Run one call of trec_eval, from its arguments to its exit status."""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from metrics_core.compatible.trec_eval import files
from metrics_core.compatible.trec_eval.c_program import (
    ARGUMENTS,
    CALCULATION,
    CONFLICT,
    FILES,
    NO_QUERIES,
    NOBODY_READS,
    ProgramExit,
)
from metrics_core.compatible.trec_eval.judgments import TrecEvalJudgments, read_judgments
from metrics_core.compatible.trec_eval.options import (
    USAGE,
    RequestedMeasure,
    TrecEvalOptions,
    help_text,
    parse_arguments,
    requested_measures,
)
from metrics_core.compatible.trec_eval.report import (
    Means,
    MeasureScores,
    Totals,
    query_lines,
    read_means,
    standardise,
    summary_lines,
)

_MISSING = (
    "judged, but not in the results; with -c, such a query is scored from its judgments alone"
)


@dataclass(frozen=True)
class ProgramResult:
    """The result of a call: its exit status, its output on stdout, and lines for stderr."""

    status: int
    output: bytes
    messages: tuple[str, ...] = ()


def main(arguments: Sequence[str]) -> int:
    """Run trec_eval's command line. Returns the exit status."""
    outcome = evaluate(arguments)
    if sys.stdout is None:
        print("trec_eval: standard output is closed", file=sys.stderr)
        return FILES
    try:
        sys.stdout.flush()
        sys.stdout.buffer.write(outcome.output)
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        # `| head` has stopped reading. Otherwise Python would report it again when closing the
        # stream.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return NOBODY_READS
    except OSError as error:
        print(f"trec_eval: the standard output: {error.strerror}", file=sys.stderr)
        return FILES
    for message in outcome.messages:
        print(message, file=sys.stderr)
    return outcome.status


def evaluate(arguments: Sequence[str]) -> ProgramResult:
    """Return the result of a trec_eval call with these arguments."""
    printed: list[str] = []
    status = 0
    messages: tuple[str, ...] = ()
    try:
        options = parse_arguments([files.decode_word_bytewise(a) for a in arguments])
        if options.help:
            printed.append(help_text(options))
        else:
            _run_program(options, printed)
    except ProgramExit as program_exit:
        status, messages = program_exit.status, program_exit.messages
    # trec_eval aborts without flushing, so its output is lost.
    output = "" if status == CONFLICT else "".join(printed)
    return ProgramResult(status, _encode(output), messages)


def _encode(text: str) -> bytes:
    # Ids have one character per byte; the help text may have other characters.
    try:
        return text.encode("latin-1")
    except UnicodeEncodeError:
        return text.encode()


def _run_program(options: TrecEvalOptions, output_lines: list[str]) -> None:
    if len(options.files) != 2:
        raise ProgramExit(ARGUMENTS, *USAGE)
    judgments_path, results_path = options.files
    judgments = read_judgments(judgments_path, options)
    if options.results_format != "trec_results":
        message = f"trec_eval: Illegal retrieval results format '{options.results_format}'"
        raise ProgramExit(FILES, message)
    results = files.read_results(results_path, options)
    means = read_means(options.zscores) if options.zscores is not None else None
    requested = requested_measures(options)
    queries = plan_queries(results.run.query_ids, judgments.queries, options)
    columns = _compute_columns(requested, results, judgments, queries, options, means, output_lines)
    relevant = judgments.count_relevant() if options.complete else None
    scored = len(queries.queries)
    n_queries = queries.judged if options.complete else scored
    if options.summary:
        totals = Totals(n_queries, scored, relevant, results.name)
        output_lines.append(summary_lines(columns, totals, as_z_scores=means is not None))


@dataclass(frozen=True)
class QueryPlan:
    """The queries to score, in trec_eval's order: by id, compared as bytes.

    Each of `queries` has its own output lines. `missing` are the queries for which the run has no
    results. `judged` is the number of queries in the judgments."""

    queries: tuple[str, ...]
    missing: frozenset[str]
    judged: int


def plan_queries(
    listed_queries: Collection[str], judged_queries: Collection[str], options: TrecEvalOptions
) -> QueryPlan:
    """Return the queries to score: in version 10.0 every judged query, in version 9.0.8 every
    judged query in the run.

    Raises ProgramExit if there are none. In 10.0, a query without results can be scored only with
    -c, which inserts an unjudged document. Without -c the query is in `missing`, and the caller
    exits when it reaches this query."""
    common = set(listed_queries) & set(judged_queries)
    scored = set(judged_queries) if options.version == "10.0" else common
    if options.only_query is not None:
        scored &= {options.only_query}
    if not scored:
        raise ProgramExit(NO_QUERIES, "trec_eval: No queries with both results and relevance info")
    return QueryPlan(tuple(sorted(scored)), frozenset(scored - common), len(set(judged_queries)))


def _compute_columns(
    requested: list[RequestedMeasure],
    results: files.Results,
    judgments: TrecEvalJudgments,
    queries: QueryPlan,
    options: TrecEvalOptions,
    means: Means | None,
    output_lines: list[str],
) -> list[MeasureScores]:
    """Return the scores of each measure, and append the output lines of the queries to
    `output_lines`.

    If the program exits at a query, the lines of the earlier queries are still appended."""
    if all(a.row.judgments == "any" for a in requested):
        if queries.missing and not options.complete:
            raise _calculation_error(requested[0].row.name, min(queries.missing), _MISSING)
        return [MeasureScores(a) for a in requested]
    for measure in requested:
        if measure.row.judgments not in ("any", judgments.format):
            raise _calculation_error(measure.row.name)
    run, repeating = files.drop_repeated_results(results.run, options.most_retrieved)
    problems = dict.fromkeys(repeating, "a document is listed twice")
    problems |= judgments.find_problems(requested, queries.queries, options)
    if not options.complete:
        problems |= dict.fromkeys(queries.missing, _MISSING)
    first_invalid = next(
        (i for i, q in enumerate(queries.queries) if q in problems), len(queries.queries)
    )
    scored = queries.queries[:first_invalid]
    columns, program_exit = judgments.measure_columns(requested, run, scored, options)
    scored = scored[: program_exit.scored] if program_exit is not None else scored
    columns = [_reset_inserted_values(c, scored, queries.missing) for c in columns]
    if means is not None:
        columns = [_standardise_column(c, scored, means) for c in columns]
    if options.per_query:
        output_lines.append(query_lines(columns, scored, as_z_scores=means is not None))
    if program_exit is not None:
        raise program_exit
    if first_invalid < len(queries.queries):
        name = next(a.row.name for a in requested if a.row.judgments != "any")
        query = queries.queries[first_invalid]
        raise _calculation_error(name, query, problems[query])
    return columns


def _calculation_error(name: str, query: str = "", reason: str = "") -> ProgramExit:
    """Return the exit at a measure. If a reason is given, a second message names the query that
    caused the exit, and the reason."""
    messages = [f"trec_eval: query '{query}': {reason}"] if reason else []
    return ProgramExit(CALCULATION, f"trec_eval: Can't calculate measure '{name}'", *messages)


def _reset_inserted_values(
    column: MeasureScores, queries: Sequence[str], missing_queries: frozenset[str]
) -> MeasureScores:
    """Reset scores of queries without results to 0 (texts to "") if they are due to the document
    that version 10.0 inserts for such a query.

    These scores are recognised by the exact names of their output lines. Lines with parameters in
    their names, such as `utility_2,-1,0,0` and `relstring_20`, are not reset."""
    positions = [i for i, q in enumerate(queries) if q in missing_queries]
    if not positions:
        return column
    if column.values is None:
        if column.requested.names != ("relstring",):
            return column
        texts = (
            "" if q in missing_queries else t for q, t in zip(queries, column.texts, strict=True)
        )
        return MeasureScores(column.requested, texts=tuple(texts))
    values = column.values.copy()
    for i, name in enumerate(column.requested.names):
        if name in ("num_ret", "utility", "rbp_resid") or name.startswith("unj"):
            values[positions, i] = 0.0
    return MeasureScores(column.requested, values)


def _standardise_column(
    column: MeasureScores, queries: Sequence[str], means: Means
) -> MeasureScores:
    if column.values is None:
        return column
    values = column.values.copy()
    for i, name in enumerate(column.requested.names):
        values[:, i] = standardise(values[:, i], means, queries, name)
    return MeasureScores(column.requested, values)
