"""One call of trec_eval from its arguments to its exit status."""

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
    asked_for,
    help_text,
    parse,
)
from metrics_core.compatible.trec_eval.report import (
    Means,
    MeasureScores,
    Totals,
    query_lines,
    read_means,
    standardised,
    summary_lines,
)

_MISSING = "judged, but not in the results: -c counts it with its judgments alone"


@dataclass(frozen=True)
class Outcome:
    """What a call ends with: its exit status, what goes to stdout, and lines for stderr."""

    status: int
    output: bytes
    said: tuple[str, ...] = ()


def main(arguments: Sequence[str]) -> int:
    """Run trec_eval's command line; returns the exit status."""
    outcome = evaluate(arguments)
    if sys.stdout is None:
        print("trec_eval: the standard output is closed", file=sys.stderr)
        return FILES
    try:
        sys.stdout.flush()
        sys.stdout.buffer.write(outcome.output)
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        # `| head` has read enough. Python would complain once more when it closes the stream.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return NOBODY_READS
    except OSError as error:
        print(f"trec_eval: the standard output: {error.strerror}", file=sys.stderr)
        return FILES
    for words in outcome.said:
        print(words, file=sys.stderr)
    return outcome.status


def evaluate(arguments: Sequence[str]) -> Outcome:
    """What trec_eval gives for these arguments."""
    printed: list[str] = []
    status = 0
    said: tuple[str, ...] = ()
    try:
        options = parse([files.as_bytes(a) for a in arguments])
        if options.help:
            printed.append(help_text(options))
        else:
            _run(options, printed)
    except ProgramExit as ended:
        status, said = ended.status, ended.said
    # What an aborted trec_eval had not yet written is lost.
    output = "" if status == CONFLICT else "".join(printed)
    return Outcome(status, _encoded(output), said)


def _encoded(text: str) -> bytes:
    # Ids hold a character a byte; the help's own words may hold others.
    try:
        return text.encode("latin-1")
    except UnicodeEncodeError:
        return text.encode()


def _run(options: TrecEvalOptions, printed: list[str]) -> None:
    if len(options.files) != 2:
        raise ProgramExit(ARGUMENTS, *USAGE)
    judgments_path, results_path = options.files
    judgments = read_judgments(judgments_path, options)
    if options.results_format != "trec_results":
        what = f"trec_eval: Illegal retrieval results format '{options.results_format}'"
        raise ProgramExit(FILES, what)
    results = files.read_results(results_path, options)
    means = read_means(options.zscores) if options.zscores is not None else None
    asked = asked_for(options)
    queries = plan(results.run.query_ids, judgments.queries, options)
    columns = _columns(asked, results, judgments, queries, options, means, printed)
    relevant = judgments.relevant() if options.complete else None
    scored = len(queries.queries)
    over = queries.judged if options.complete else scored
    if options.summary:
        totals = Totals(over, scored, relevant, results.name)
        printed.append(summary_lines(columns, totals, z=means is not None))


@dataclass(frozen=True)
class Plan:
    """The queries to score, in trec_eval's order: by id, as bytes.

    `queries` have a line each, `judged` is how many the judgments have in all, `missing` those of
    `queries` for which the run lists nothing.
    """

    queries: tuple[str, ...]
    missing: frozenset[str]
    judged: int


def plan(listed: Collection[str], judged: Collection[str], options: TrecEvalOptions) -> Plan:
    """10.0 scores every judged query, up to 9.0.8 those that the run lists. Ends if there is none.

    A query the run lacks has no results to score in 10.0 either, unless -c makes some up: it stays
    `missing`, and the caller ends there."""
    both = set(listed) & set(judged)
    scored = set(judged) if options.version == "10.0" else both
    if options.only_query is not None:
        scored &= {options.only_query}
    if not scored:
        raise ProgramExit(NO_QUERIES, "trec_eval: No queries with both results and relevance info")
    return Plan(tuple(sorted(scored)), frozenset(scored - both), len(set(judged)))


def _columns(
    asked: list[RequestedMeasure],
    results: files.Results,
    judgments: TrecEvalJudgments,
    queries: Plan,
    options: TrecEvalOptions,
    means: Means | None,
    printed: list[str],
) -> list[MeasureScores]:
    """The measures' columns. Prints the queries' lines, also those before one that ends it all."""
    if all(a.row.judgments == "any" for a in asked):
        if queries.missing and not options.complete:
            raise _because(_cannot(asked[0].row.name), min(queries.missing), _MISSING)
        return [MeasureScores(a) for a in asked]
    for one in asked:
        if one.row.judgments not in ("any", judgments.format):
            raise _cannot(one.row.name)
    run, repeating = files.without_repeated_results(results.run, options.most_retrieved)
    wrong = dict.fromkeys(repeating, "a document is listed twice")
    wrong |= judgments.wrong(asked, queries.queries, options)
    if not options.complete:
        wrong |= dict.fromkeys(queries.missing, _MISSING)
    good = next((i for i, q in enumerate(queries.queries) if q in wrong), len(queries.queries))
    scored = queries.queries[:good]
    columns, ended = judgments.columns(asked, run, scored, options)
    scored = scored[: ended.scored] if ended is not None else scored
    columns = [_without_made_up(c, scored, queries.missing) for c in columns]
    if means is not None:
        columns = [_standardised(c, scored, means) for c in columns]
    if options.per_query:
        printed.append(query_lines(columns, scored, z=means is not None))
    if ended is not None:
        raise ended
    if good < len(queries.queries):
        ended = _cannot(next(a.row.name for a in asked if a.row.judgments != "any"))
        raise _because(ended, queries.queries[good], wrong[queries.queries[good]])
    return columns


def _because(ended: ProgramExit, query: str, why: str) -> ProgramExit:
    """The same end, with the query that brought it about, and the reason."""
    return ProgramExit(ended.status, *ended.said, f"trec_eval: query '{query}': {why}")


def _cannot(name: str) -> ProgramExit:
    return ProgramExit(CALCULATION, f"trec_eval: Can't calculate measure '{name}'")


def _without_made_up(
    column: MeasureScores, queries: Sequence[str], missing: frozenset[str]
) -> MeasureScores:
    """What 10.0 takes back of the document it makes up for a query without results: by the name of
    the line, so that `utility_2,-1,0,0` and `relstring_20` keep it."""
    places = [i for i, q in enumerate(queries) if q in missing]
    if not places:
        return column
    if column.values is None:
        if column.asked.names != ("relstring",):
            return column
        texts = ("" if q in missing else t for q, t in zip(queries, column.texts, strict=True))
        return MeasureScores(column.asked, texts=tuple(texts))
    values = column.values.copy()
    for i, name in enumerate(column.asked.names):
        if name in ("num_ret", "utility", "rbp_resid") or name.startswith("unj"):
            values[places, i] = 0.0
    return MeasureScores(column.asked, values)


def _standardised(column: MeasureScores, queries: Sequence[str], means: Means) -> MeasureScores:
    if column.values is None:
        return column
    values = column.values.copy()
    for i, name in enumerate(column.asked.names):
        values[:, i] = standardised(values[:, i], means, queries, name)
    return MeasureScores(column.asked, values)
