"""The three formats of judgments with a common interface: their queries, the problems for which
trec_eval exits, and scores."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from metrics_core.base.arrays import AnyArray, Floats, Ints
from metrics_core.compatible.trec_eval import files, gains
from metrics_core.compatible.trec_eval.c_program import FILES, ProgramExit, to_long
from metrics_core.compatible.trec_eval.gains import HIGHEST_BESIDE_GAINS, parse_gains
from metrics_core.compatible.trec_eval.options import RequestedMeasure, TrecEvalOptions
from metrics_core.compatible.trec_eval.preferences import (
    Preferences,
    count_preferences,
    preference_scores,
    rank_documents,
    read_preferences,
)
from metrics_core.compatible.trec_eval.report import MeasureScores
from metrics_core.compatible.trec_eval.table import Format
from metrics_core.compatible.trec_eval.values import compute_values
from metrics_core.judging import JudgedRanks, join_judgments
from metrics_core.tables import Qrels, Run
from metrics_core.tables.columns import CODED_ID
from metrics_core.tables.repeats import find_repeated_rows

ColumnMaker = Callable[[RequestedMeasure], MeasureScores]

HIGHEST_COUNTED = 2**53
"""The highest grade that can be counted. trec_eval needs a counter in memory for each level, and
runs out of memory at even lower grades. A double cannot represent every grade above this one."""


class TrecEvalJudgments(ABC):
    """Base class for judgments of one format. `format` determines which measures can use them."""

    format: ClassVar[Format]

    @property
    @abstractmethod
    def queries(self) -> list[str]:
        """The judged queries."""

    def find_problems(
        self,
        requested: Sequence[RequestedMeasure],
        queries: Sequence[str],
        options: TrecEvalOptions,
    ) -> dict[str, str]:
        """Return a dictionary from each query that cannot be scored to the reason, in the order of
        `queries`. Problems that only appear during scoring are not included."""
        return {}

    def count_relevant(self) -> int:
        """Return the number of documents with a grade above 0, regardless of the option -l. The
        number is needed only for the summary of num_rel."""
        return 0

    def measure_columns(
        self,
        requested: Sequence[RequestedMeasure],
        run: Run,
        queries: Sequence[str],
        options: TrecEvalOptions,
    ) -> tuple[list[MeasureScores], ProgramExit | None]:
        """Return the scores of each measure. If the program exits at a query, only the queries
        before it have scores, and the exit is returned too.

        Measures that work with judgments of any format, such as runid, are included without
        scores."""
        if not queries:
            return [], None
        make_column, program_exit = self._column_maker(run, queries, options)
        columns = [
            MeasureScores(measure) if measure.row.judgments == "any" else make_column(measure)
            for measure in requested
        ]
        return columns, program_exit

    @abstractmethod
    def _column_maker(
        self, run: Run, queries: Sequence[str], options: TrecEvalOptions
    ) -> tuple[ColumnMaker, ProgramExit | None]:
        """Return a function that returns the scores of a measure, and the exit of the program if
        the program exits at a query."""


def read_judgments(path: str, options: TrecEvalOptions) -> TrecEvalJudgments:
    """Read the judgments in the format that the option -R names."""
    match options.rel_format:
        case "qrels":
            return LabelledQrels(files.read_qrels(path, options))
        case "qrels_jg":
            return read_grouped_qrels(path, options)
        case "prefs" | "qrels_prefs":
            subgroups = options.rel_format == "prefs"
            return PreferredDocuments(read_preferences(path, options, subgroups=subgroups))
    raise ProgramExit(FILES, f"trec_eval: Illegal rel_format '{options.rel_format}'")


@dataclass(frozen=True)
class LabelledQrels(TrecEvalJudgments):
    """Judgments in the format of -R qrels, the default."""

    qrels: Qrels
    format = "qrels"

    @property
    def queries(self) -> list[str]:
        """The judged queries."""
        return self.qrels.query_ids

    def find_problems(
        self,
        requested: Sequence[RequestedMeasure],
        queries: Sequence[str],
        options: TrecEvalOptions,
    ) -> dict[str, str]:
        """Return the queries in which a document is judged twice or has a grade too high to be
        counted. The first query is also returned if all of its grades are negative.

        A later query with only negative grades is no problem, because trec_eval then still has
        memory for levels from an earlier query."""
        codes, grades = self.qrels.query_codes, self.qrels.relevance
        problems = _find_high_grades(self.queries, codes, grades, HIGHEST_COUNTED, "can be counted")
        if any(parse_gains(measure.pairs, options.version) for measure in requested):
            limit_text = "can be combined with a list of gains"
            problems = _find_high_grades(
                self.queries, codes, grades, HIGHEST_BESIDE_GAINS, limit_text
            )
        if grades[codes == self.queries.index(queries[0])].max() < 0:
            problems[queries[0]] = "none of its grades is 0 or above"
        repeated_text = "a document is judged twice"
        return problems | dict.fromkeys(
            files.find_queries_with_repeated_judgments(self.qrels), repeated_text
        )

    def count_relevant(self) -> int:
        """Return the number of documents with a grade above 0."""
        return int(np.count_nonzero(self.qrels.relevance > 0))

    def _column_maker(
        self, run: Run, queries: Sequence[str], options: TrecEvalOptions
    ) -> tuple[ColumnMaker, ProgramExit | None]:
        ranks = judged_ranks(run, self.qrels, queries, options)

        def make_column(measure: RequestedMeasure) -> MeasureScores:
            if measure.row.name == "relstring":
                texts = gains.relevance_strings(ranks, to_long(measure.numbers[0]))
                return MeasureScores(measure, texts=tuple(texts))
            return MeasureScores(measure, compute_values(measure, ranks, options))

        return make_column, None


@dataclass(frozen=True)
class PreferredDocuments(TrecEvalJudgments):
    """Judgments in the formats of -R prefs and -R qrels_prefs: preferences of judges between
    documents."""

    preferences: Preferences
    format = "prefs"

    @property
    def queries(self) -> list[str]:
        """The judged queries."""
        return list(self.preferences)

    def _column_maker(
        self, run: Run, queries: Sequence[str], options: TrecEvalOptions
    ) -> tuple[ColumnMaker, ProgramExit | None]:
        """The program exits at the first query whose preferences contradict each other."""
        lists = rank_documents(run, queries, options)
        scores: list[dict[str, float]] = []
        program_exit = None
        for query in queries:
            try:
                scores.append(
                    preference_scores(count_preferences(self.preferences[query], lists[query]))
                )
            except ProgramExit as problem:
                program_exit = problem
                program_exit.scored = len(scores)
                break

        def make_column(measure: RequestedMeasure) -> MeasureScores:
            values = np.array([[s[measure.row.name]] for s in scores]).reshape(len(scores), 1)
            return MeasureScores(measure, values)

        return make_column, program_exit


def _find_high_grades(
    owners: Sequence[str],
    codes: AnyArray,
    grades: Ints,
    max_grade: int,
    limit_text: str,
) -> dict[str, str]:
    """Return a dictionary from queries with a grade above `max_grade` to the reason why this is a
    problem. `codes` has the position of each row's query in `owners`. `limit_text` completes the
    reason: "the highest grade that …"."""
    reason = f"{{:,}} is above {max_grade:,}, the highest grade that {limit_text}"
    rows = np.flatnonzero(grades > max_grade)[::-1].tolist()
    return {owners[codes[row]]: reason.format(grades[row]) for row in rows}


def read_grouped_qrels(path: str, options: TrecEvalOptions) -> GroupedQrels:
    """Read the judgments of all judgment groups. Raises ProgramExit if a group judges a document
    twice."""
    fields = ("query_id", "group", "doc_id", "relevance")
    table = files.read_judgments(path, fields, options)
    query, group = _dictionary_codes(table["query_id"]), _dictionary_codes(table["group"])
    queries = table["query_id"].chunk(0).dictionary.to_pylist()
    names = table["group"].chunk(0).dictionary.to_pylist()
    pairs, code = np.unique(query * len(names) + group, return_inverse=True)
    repeated, _ = find_repeated_rows(code.astype(np.int32), table["doc_id"])
    if len(repeated):
        raise ProgramExit(
            FILES, "trec_eval.get_qrels: duplicate docs", f"trec_eval: Quit in file '{path}'"
        )
    owner = [(queries[p // len(names)], names[p % len(names)]) for p in pairs.tolist()]
    return GroupedQrels(code, table["doc_id"], files.parse_grades(table["relevance"]), owner)


def _dictionary_codes(column: pa.ChunkedArray) -> Ints:
    return column.chunk(0).indices.to_numpy(zero_copy_only=False).astype(np.int64)


@dataclass(frozen=True)
class GroupedQrels(TrecEvalJudgments):
    """Judgments in the format of -R qrels_jg: several judges (groups) with separate qrels and
    ranks. `code` int64[row] is the number of a row's group, and `grade` int64[row] its grade.
    `owner` has the query and name of each group."""

    code: Ints
    doc_ids: pa.ChunkedArray
    grade: Ints
    owner: list[tuple[str, str]]
    format = "qrels_jg"

    @property
    def queries(self) -> list[str]:
        """The judged queries."""
        return list(dict.fromkeys(query for query, _ in self.owner))

    def find_problems(
        self,
        requested: Sequence[RequestedMeasure],
        queries: Sequence[str],
        options: TrecEvalOptions,
    ) -> dict[str, str]:
        """Return the queries with a grade that is too high to be counted. Other problems are
        reported when the file is read."""
        owners = [query for query, _ in self.owner]
        codes, grades = self.code, self.grade
        return _find_high_grades(owners, codes, grades, HIGHEST_COUNTED, "can be counted")

    def _column_maker(
        self, run: Run, queries: Sequence[str], options: TrecEvalOptions
    ) -> tuple[ColumnMaker, ProgramExit | None]:
        """The score of a query is the mean over its judges."""
        ranks = self._ranks(run, queries, options)

        def make_column(measure: RequestedMeasure) -> MeasureScores:
            return MeasureScores(
                measure, self._average_groups(compute_values(measure, ranks, options), queries)
            )

        return make_column, None

    def _groups_of_queries(self, queries: Sequence[str]) -> list[int]:
        """Return the judgment groups of these queries, sorted by query and then by the name of the
        group."""
        positions = {query: i for i, query in enumerate(queries)}
        groups = [g for g, (query, _) in enumerate(self.owner) if query in positions]
        return sorted(groups, key=lambda g: (positions[self.owner[g][0]], self.owner[g][1]))

    def _ranks(self, run: Run, queries: Sequence[str], options: TrecEvalOptions) -> JudgedRanks:
        """Return the judged ranks for each judgment group of these queries. Each group is treated
        as a separate query."""
        groups = self._groups_of_queries(queries)
        listed = {query: code for code, query in enumerate(run.query_ids)}
        codes = run.query_codes
        by_query = np.argsort(codes, kind="stable")
        edges = np.searchsorted(codes[by_query], np.arange(len(listed) + 1))
        rows_of = {q: by_query[edges[c] : edges[c + 1]] for q, c in listed.items()}
        nothing = np.empty(0, dtype=np.int64)
        rows = [rows_of.get(self.owner[g][0], nothing) for g in groups]
        table = run.table.take(pa.array(np.concatenate(rows)))
        owner = np.repeat(np.arange(len(groups)), [len(r) for r in rows])
        copied = Run(
            table=table.set_column(0, "query_id", _encode_number_names(owner, len(groups)))
        )
        number = np.full(len(self.owner), -1, dtype=np.int64)
        number[groups] = np.arange(len(groups))
        judged_rows = np.flatnonzero(number[self.code] >= 0)
        code = number[self.code[judged_rows]]
        judged = pa.table(
            {
                "query_id": _encode_number_names(code, len(groups)),
                "doc_id": self.doc_ids.take(pa.array(judged_rows)),
                "relevance": pa.array(self.grade[judged_rows]),
            }
        )
        return judged_ranks(copied, Qrels(table=judged), _numbers_as_names(len(groups)), options)

    def _average_groups(self, values: Floats, queries: Sequence[str]) -> Floats:
        """Return the means over the judgment groups of each query, float64[query, line]. `values`
        is float64[group, line]."""
        positions = {query: i for i, query in enumerate(queries)}
        query_positions = np.array(
            [positions[self.owner[g][0]] for g in self._groups_of_queries(queries)]
        )
        sums = [np.bincount(query_positions, column, len(queries)) for column in values.T]
        return (
            np.stack(sums, axis=1) / np.bincount(query_positions, minlength=len(queries))[:, None]
        )


def _numbers_as_names(n: int) -> list[str]:
    return [str(i) for i in range(n)]


def _encode_number_names(codes: Ints, n: int) -> pa.ChunkedArray:
    names = pa.array(_numbers_as_names(n), pa.string())
    coded = pa.DictionaryArray.from_arrays(pa.array(codes.astype(np.int32)), names)
    return pa.chunked_array([coded])


_MADE_UP = "ceci_nest_pas_un_docno"
"""The id of the document that trec_eval 10.0 inserts for a query without results."""


def judged_ranks(
    run: Run, qrels: Qrels, queries: Collection[str], options: TrecEvalOptions
) -> JudgedRanks:
    """Return the judged ranks of these queries, in this order.

    Only the top-ranked documents count, up to the limit set by -M. With -J, only the judged
    documents among them count. For version 10.0, an unjudged document is inserted for each query
    without results."""
    query_ids = pa.array(list(queries), pa.string())
    if options.version == "10.0":
        run = _add_placeholder_documents(run, queries)
    ranks = join_judgments(run, Qrels(table=_select_queries(qrels.table, query_ids)))
    ranks = gains.keep_first_results(ranks, options.most_retrieved)
    return ranks.condensed() if options.judged_only else ranks


def _select_queries(table: pa.Table, queries: pa.Array) -> pa.Table:
    """Return the rows of these queries, in the order of `queries`."""
    ids = table["query_id"].cast(pa.string())
    position = pc.index_in(ids, value_set=queries)
    table = table.set_column(0, "query_id", position)
    table = table.filter(pc.is_valid(position)).sort_by("query_id")
    codes = table["query_id"].combine_chunks().cast(pa.int32())
    coded = pa.DictionaryArray.from_arrays(codes, queries)
    return table.set_column(0, "query_id", pa.chunked_array([coded]))


def _add_placeholder_documents(run: Run, queries: Collection[str]) -> Run:
    """Return the run with a made-up document added for each of the queries that the run lacks."""
    ids = run.query_ids
    listed = {ids[code] for code in np.unique(run.query_codes)}
    missing = [query for query in queries if query not in listed]
    if not missing:
        return run
    made_up = pa.table(
        {
            "query_id": pa.array(missing, pa.string()).cast(CODED_ID),
            "doc_id": pa.array([_MADE_UP] * len(missing), pa.string()),
            "score": np.ones(len(missing)),
        }
    )
    return Run(table=pa.concat_tables([run.table, made_up]), name=run.name)
