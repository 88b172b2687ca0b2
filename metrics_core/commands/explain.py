"""`metrics_core explain`: explain query scores, document by document."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from metrics_core.base import frames as pd
from metrics_core.base import wording as w
from metrics_core.base.arrays import Ints, Objects
from metrics_core.base.errors import RanklensError, did_you_mean
from metrics_core.commands import command
from metrics_core.commands.reading import InputFiles, nothing_to_compare_error, read_files_with_runs
from metrics_core.commands.reading_options import ReadingOptions, add_reading_options
from metrics_core.comparing.pairs import SAME
from metrics_core.explaining.diagnosis import diagnose
from metrics_core.explaining.headroom import Headroom, has_headroom, headroom
from metrics_core.explaining.ledger import DifferenceLedger, difference_ledger
from metrics_core.explaining.one_query import select_query
from metrics_core.explaining.query_kinds import classify_changes, classify_queries
from metrics_core.findings import explanations
from metrics_core.judging import JudgedRanks
from metrics_core.measures import Measure
from metrics_core.text_tables.score_tables import (
    PRINTERS,
    align_texts,
    escape_markdown_line,
    markdown_table,
)

_MEASURES = ("nDCG@10",)
_TOP = 10
"""Number of top results that are considered if the measure has no cutoff."""


@dataclass(frozen=True, kw_only=True)
class ExplainOptions(ReadingOptions):
    """The additional options of `explain`."""

    query: str | None


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    add_reading_options(
        parser,
        baseline="the run that the other run is compared with",
        takes_one_run=True,
        measures=_MEASURES,
    )
    parser.add_argument(
        "--query",
        metavar="ID",
        help="explain only this query (default: all queries, worst difference first)",
    )
    parser.add_argument("--format", choices=sorted(FORMATS), default="table")


@dataclass(frozen=True)
class _Explanation:
    """The explained queries. `order` int64[query] has their positions, sorted by difference, worst
    first.

    The other arrays and `query_ids` are in the order of the judgments; `kinds` and `changes` are
    object[query]. `sentence` is empty unless a single query was requested."""

    run: str
    baseline: str
    measure: Measure
    top: int
    query_ids: tuple[str, ...]
    order: Ints
    kinds: Objects
    changes: Objects
    ledger: DifferenceLedger
    doc_ids: list[str]
    headroom: Headroom | None
    sentence: str

    def document_contributions(self, position: int) -> list[dict[str, Any]]:
        """Return the documents of a query, largest contribution to the difference first. A rank is
        None if the document is not in the list."""
        ledger, part = self.ledger, self.ledger.part
        first, end = np.searchsorted(ledger.query, [position, position + 1])
        rows = first + np.argsort(-np.abs(part[first:end]), kind="stable")
        return [
            {
                "doc_id": self.doc_ids[row],
                "grade": float(ledger.grade[row]),
                "rank": _rank_or_none(ledger.rank[row]),
                "baseline_rank": _rank_or_none(ledger.baseline_rank[row]),
                "part": float(part[row]),
            }
            for row in rows.tolist()
        ]

    def query_fields(self, position: int) -> dict[str, Any]:
        """Return the fields of a query except its documents; undefined scores are None."""
        return {
            "query_id": self.query_ids[position],
            "score": _number_or_none(self.ledger.score[position]),
            "baseline_score": _number_or_none(self.ledger.baseline_score[position]),
            "difference": _number_or_none(self.ledger.difference[position]),
            "kind": self.kinds[position],
            "change": self.changes[position],
        }


def _rank_or_none(rank: float) -> int | None:
    return None if np.isnan(rank) else int(rank)


def _number_or_none(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


@command(
    "explain",
    ExplainOptions,
    help="explain query scores document by document",
    add_arguments=_add_arguments,
)
def explain(options: ExplainOptions) -> str:
    """Explain each query: how the run fails, how its score differs from the baseline's score, and
    how much each document contributes to the difference.

    The contributions add up to the difference. The formats table and Markdown have three decimals.
    For a single query, they show the explanation in a sentence and all documents. For several
    queries, they show one document of each query. The formats tsv and csv have a line for each
    document. Notes go to stderr. Raises RanklensError if there are several measures, or if there is
    no run to compare with the baseline."""
    files = read_files_with_runs(options)
    if len(files.measures) > 1:
        raise RanklensError("Only one measure can be explained at a time.", "Give one with -m.")
    if len(files.judged) < 2:
        raise nothing_to_compare_error(files.judged[0].run_name)
    return FORMATS[options.format](_explain_queries(files, options))


def _explain_queries(files: InputFiles, options: ExplainOptions) -> _Explanation:
    baseline, run = (_select_queries(ranks, files.measures[0], options) for ranks in files.judged)
    (measure,) = files.measures
    top = measure.cutoff or _TOP
    parts = difference_ledger(run, baseline, measure)
    doc_ids = files.qrels.doc_ids.take(parts.qrels_row).to_pylist()
    gains = parts.difference * measure.declaration.direction
    return _Explanation(
        run=run.run_name,
        baseline=baseline.run_name,
        measure=measure,
        top=top,
        query_ids=run.query_ids,
        order=np.argsort(gains, kind="stable"),
        kinds=classify_queries(run, measure, top),
        changes=classify_changes(run, baseline, measure, top, tie_threshold=SAME),
        ledger=parts,
        doc_ids=doc_ids,
        headroom=headroom(run, measure, top) if has_headroom(measure) else None,
        sentence="" if options.query is None else _explain_difference(files, options.query, top),
    )


def _select_queries(ranks: JudgedRanks, measure: Measure, options: ExplainOptions) -> JudgedRanks:
    """Select the queries to explain. Raises RanklensError if the requested query is not judged."""
    if options.without_relevant == "leave out":
        ranks = ranks.select_queries(ranks.n_relevant(measure.relevant_from) > 0)
    if options.query is None:
        return ranks
    if options.query not in ranks.query_ids:
        suggestion = did_you_mean(options.query, ranks.query_ids)
        raise RanklensError(f"There is no judged query {options.query!r}.", suggestion)
    return select_query(ranks, options.query)


def _explain_difference(files: InputFiles, query_id: str, top: int) -> str:
    baseline, run = (ranks.run_name for ranks in files.judged)
    diagnosis = diagnose(
        files.runs,
        files.judged,
        files.qrels,
        query_id,
        files.measures[0],
        baseline=baseline,
        focus=run,
        cutoff=top,
    )
    return explanations.explain(diagnosis).text


def format_json(explanation: _Explanation) -> str:
    """Format the queries as a JSON list of objects. Undefined values are null. If a document is
    missing from the list of the run or of the baseline, its rank in this list is null."""
    return (
        json.dumps(
            [_query_record(explanation, i) for i in explanation.order], ensure_ascii=False, indent=1
        )
        + "\n"
    )


def _query_record(explanation: _Explanation, position: int) -> dict[str, Any]:
    gains = explanation.headroom
    return {
        **explanation.query_fields(position),
        "parts": explanation.document_contributions(position),
        "without_them": _number_or_none(explanation.ledger.empty[position]),
        "headroom": gains
        and {
            "missing": _number_or_none(gains.missing[position]),
            "below": _number_or_none(gains.below[position]),
            "order": _number_or_none(gains.order[position]),
        },
    }


def _document_frame(explanation: _Explanation) -> pd.DataFrame:
    """Return one row for each document. A query without documents has one row without a
    document."""
    nothing = dict.fromkeys(("grade", "rank", "baseline_rank", "part"), np.nan)
    rows = []
    for i in explanation.order:
        query_fields = {
            k: np.nan if v is None else v for k, v in explanation.query_fields(i).items()
        }
        for part in explanation.document_contributions(i) or [{"doc_id": "", **nothing}]:
            rows.append(query_fields | {k: np.nan if v is None else v for k, v in part.items()})
    return pd.DataFrame(rows, dtype=object)


def _format_text(
    explanation: _Explanation,
    format_table: Callable[[pd.DataFrame, int], str],
    line: Callable[[str], str],
) -> str:
    """Format an explanation as human-readable text: a single query with all its documents, or
    several queries with one line each."""
    if not explanation.sentence:
        return format_table(_overview_table(explanation), 5)
    query_fields, gains = explanation.query_fields(0), explanation.headroom
    scores = (
        f"{explanation.measure} of this query: {explanation.run}"
        f" {w.format_score(query_fields['score'])}, {explanation.baseline}"
        f" {w.format_score(query_fields['baseline_score'])}, difference"
        f" {w.format_difference(query_fields['difference'])}."
    )
    kind = (
        f"{query_fields['query_id']}: {query_fields['change']}; {explanation.run}:"
        f" {query_fields['kind']}."
    )
    parts = [
        *map(line, (kind, explanation.sentence, scores)),
        format_table(_document_table(explanation), 1),
    ]
    if gains is not None:
        parts.append(
            line(
                f"{explanation.run} could gain {w.format_score(gains.order[0])} by reordering its"
                f" first {explanation.top} results. Documents at lower ranks could add"
                f" {w.format_score(gains.below[0])}, and documents that were not retrieved could"
                f" add {w.format_score(gains.missing[0])}."
            )
        )
    return "\n\n".join(part.rstrip("\n") for part in parts) + "\n"


def _overview_table(explanation: _Explanation) -> pd.DataFrame:
    rows = []
    for i in explanation.order:
        query_fields = explanation.query_fields(i)
        side = np.sign(query_fields["difference"] or 0)
        parts = [part for part in explanation.document_contributions(i) if part["part"] * side > 0]
        rows.append(
            {
                "query_id": query_fields["query_id"],
                "measure": str(explanation.measure),
                "change": query_fields["change"],
                "kind": query_fields["kind"],
                "document": parts[0]["doc_id"] if parts else w.DASH,
                "its part": w.format_difference(parts[0]["part"]) if parts else w.DASH,
                "difference": w.format_difference(query_fields["difference"]),
                "score": w.format_score(query_fields["score"]),
                "baseline": w.format_score(query_fields["baseline_score"]),
            }
        )
    return pd.DataFrame(rows, dtype=object)


def _document_table(explanation: _Explanation) -> pd.DataFrame:
    """Return the documents of the only query with their contributions to the difference, and a row
    with the sum."""
    rank_column, baseline_column = f"rank in {explanation.run}", f"rank in {explanation.baseline}"
    total = float(explanation.ledger.difference[0])
    rest_difference = float(explanation.ledger.empty[0])
    parts = explanation.document_contributions(0)
    *printed, rest_part = w.round_parts(total, [*(part["part"] for part in parts), rest_difference])
    rows = [
        {
            "document": part["doc_id"],
            "grade": w.format_grade(part["grade"]),
            rank_column: w.format_count(part["rank"]),
            baseline_column: w.format_count(part["baseline_rank"]),
            "part": w.format_difference(printed_part),
        }
        for part, printed_part in zip(parts, printed, strict=True)
    ]
    blank = {"grade": "", rank_column: "", baseline_column: ""}
    if rest_difference != 0:
        rows.append({"document": "(without them)", **blank, "part": w.format_difference(rest_part)})
    rows.append({"document": "(difference)", **blank, "part": w.format_difference(total)})
    return pd.DataFrame(rows, dtype=object)


FORMATS: dict[str, Callable[[_Explanation], str]] = {
    "table": lambda explanation: _format_text(explanation, align_texts, w.escape_controls),
    "markdown": lambda explanation: _format_text(explanation, markdown_table, escape_markdown_line),
    "json": format_json,
    "tsv": lambda explanation: PRINTERS["tsv"](_document_frame(explanation)),
    "csv": lambda explanation: PRINTERS["csv"](_document_frame(explanation)),
}
