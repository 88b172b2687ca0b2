"""`metrics_core explain`: why queries score as they do, document by document."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from metrics_core.base import frames as pd
from metrics_core.base import wording as w
from metrics_core.base.arrays import Ints
from metrics_core.base.errors import RanklensError, did_you_mean
from metrics_core.commands import command
from metrics_core.commands.reading import ReadFiles, nothing_to_compare, read_files
from metrics_core.commands.reading_options import ReadingOptions, add_reading_options
from metrics_core.commands.score_tables import PRINTERS, aligned, line_of_markdown, piped
from metrics_core.comparing.pairs import SAME
from metrics_core.explaining.diagnosis import diagnose
from metrics_core.explaining.headroom import Headroom, has_headroom, headroom
from metrics_core.explaining.kinds import changes, kinds
from metrics_core.explaining.ledger import DifferenceLedger, difference
from metrics_core.explaining.one_query import alone
from metrics_core.findings import explanations
from metrics_core.judging import JudgedRanks
from metrics_core.measures import Measure

_MEASURES = ("nDCG@10",)
_TOP = 10
"""The first results, where the measure has no cutoff of its own."""


@dataclass(frozen=True, kw_only=True)
class ExplainOptions(ReadingOptions):
    """What `explain` is asked for besides."""

    query: str | None


def _arguments(parser: argparse.ArgumentParser) -> None:
    add_reading_options(
        parser,
        baseline="the run to compare the other with",
        one_run=True,
        measures=_MEASURES,
    )
    parser.add_argument(
        "--query",
        metavar="ID",
        help="explain only this query (default: all, worst difference first)",
    )
    parser.add_argument("--format", choices=sorted(FORMATS), default="table")


@dataclass(frozen=True)
class _Explained:
    """The queries that are explained, those with the worst difference first in `order`; `query_ids`
    and all arrays as in the judgments. `sentence` is there for one query."""

    run: str
    baseline: str
    measure: Measure
    top: int
    query_ids: tuple[str, ...]
    order: Ints
    kinds: npt.NDArray[np.object_]
    changes: npt.NDArray[np.object_]
    ledger: DifferenceLedger
    doc_ids: list[str]
    headroom: Headroom | None
    sentence: str

    def parts(self, position: int) -> list[dict[str, Any]]:
        """The documents of a query, the largest part first; a rank is None where it is not
        listed."""
        found, part = self.ledger, self.ledger.part
        first, end = np.searchsorted(found.query, [position, position + 1])
        rows = first + np.argsort(-np.abs(part[first:end]), kind="stable")
        return [
            {
                "doc_id": self.doc_ids[row],
                "grade": float(found.grade[row]),
                "rank": _whole(found.rank[row]),
                "baseline_rank": _whole(found.baseline_rank[row]),
                "part": float(part[row]),
            }
            for row in rows.tolist()
        ]

    def query(self, position: int) -> dict[str, Any]:
        """What is told of a query besides its documents."""
        return {
            "query_id": self.query_ids[position],
            "score": _defined(self.ledger.score[position]),
            "baseline_score": _defined(self.ledger.baseline_score[position]),
            "difference": _defined(self.ledger.difference[position]),
            "kind": self.kinds[position],
            "change": self.changes[position],
        }


def _whole(rank: float) -> int | None:
    return None if np.isnan(rank) else int(rank)


def _defined(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


@command(
    "explain",
    ExplainOptions,
    help="explain query scores document by document",
    arguments=_arguments,
)
def explain(options: ExplainOptions) -> str:
    """For each query the kind of failure of the run, how it changed against the baseline, and each
    document's part of the difference; the parts add up to it. The table and Markdown tell of one
    query also the sentence and all documents, of several one document each, with three decimals;
    tsv and csv have a line for each document. Notes go to stderr."""
    files = read_files(options)
    if len(files.measures) > 1:
        raise RanklensError("Only one measure can be explained at a time.", "Give one with -m.")
    if len(files.judged) < 2:
        raise nothing_to_compare(files.judged[0].run_name)
    return FORMATS[options.format](_explained(files, options))


def _explained(files: ReadFiles, options: ExplainOptions) -> _Explained:
    baseline, run = (_asked(ranks, files.measures[0], options) for ranks in files.judged)
    (measure,) = files.measures
    top = measure.cutoff or _TOP
    parts = difference(run, baseline, measure)
    doc_ids = files.qrels.doc_ids.take(parts.qrels_row).to_pylist()
    gains = parts.difference * measure.declaration.direction
    return _Explained(
        run=run.run_name,
        baseline=baseline.run_name,
        measure=measure,
        top=top,
        query_ids=run.query_ids,
        order=np.argsort(gains, kind="stable"),
        kinds=kinds(run, measure, top),
        changes=changes(run, baseline, measure, top, same=SAME),
        ledger=parts,
        doc_ids=doc_ids,
        headroom=headroom(run, measure, top) if has_headroom(measure) else None,
        sentence="" if options.query is None else _sentence(files, options.query, top),
    )


def _asked(ranks: JudgedRanks, measure: Measure, options: ExplainOptions) -> JudgedRanks:
    """The queries that are explained. Raises RanklensError where the one asked for is not there."""
    if options.without_relevant == "leave out":
        ranks = ranks.among(ranks.n_relevant(measure.relevant_from) > 0)
    if options.query is None:
        return ranks
    if options.query not in ranks.query_ids:
        near = did_you_mean(options.query, ranks.query_ids)
        raise RanklensError(f"There is no judged query {options.query!r}.", near)
    return alone(ranks, options.query)


def _sentence(files: ReadFiles, query_id: str, top: int) -> str:
    baseline, run = (ranks.run_name for ranks in files.judged)
    found = diagnose(
        files.runs,
        files.judged,
        files.qrels,
        query_id,
        files.measures[0],
        baseline=baseline,
        focus=run,
        cutoff=top,
    )
    return explanations.explain(found).text


def json_text(found: _Explained) -> str:
    """A list of objects, one a query; what is undefined, or not listed, is null."""
    return json.dumps([_record(found, i) for i in found.order], ensure_ascii=False, indent=1) + "\n"


def _record(found: _Explained, position: int) -> dict[str, Any]:
    gains = found.headroom
    return {
        **found.query(position),
        "parts": found.parts(position),
        "without_them": _defined(found.ledger.empty[position]),
        "headroom": gains
        and {
            "missing": _defined(gains.missing[position]),
            "below": _defined(gains.below[position]),
            "order": _defined(gains.order[position]),
        },
    }


def _frame(found: _Explained) -> pd.DataFrame:
    """A row for each document; one for a query without any."""
    nothing = dict.fromkeys(("grade", "rank", "baseline_rank", "part"), np.nan)
    rows = []
    for i in found.order:
        told = {k: np.nan if v is None else v for k, v in found.query(i).items()}
        for part in found.parts(i) or [{"doc_id": "", **nothing}]:
            rows.append(told | {k: np.nan if v is None else v for k, v in part.items()})
    return pd.DataFrame(rows, dtype=object)


def _told(
    found: _Explained,
    laid_out: Callable[[pd.DataFrame, int], str],
    line: Callable[[str], str],
) -> str:
    """As people read it: one query with all its documents, or a line for each of several."""
    if not found.sentence:
        return laid_out(_overview(found), 5)
    told, gains = found.query(0), found.headroom
    scores = (
        f"{found.measure} of this query: {found.run} {w.score(told['score'])}, {found.baseline}"
        f" {w.score(told['baseline_score'])}, difference {w.difference(told['difference'])}."
    )
    kind = f"{told['query_id']}: {told['change']}; {found.run}: {told['kind']}."
    parts = [*map(line, (kind, found.sentence, scores)), laid_out(_documents(found), 1)]
    if gains is not None:
        parts.append(
            line(
                f"{found.run} could gain {w.score(gains.order[0])} by reordering its first"
                f" {found.top} results, then {w.score(gains.below[0])} from documents ranked below"
                f" them, then {w.score(gains.missing[0])} from documents it lacks."
            )
        )
    return "\n\n".join(part.rstrip("\n") for part in parts) + "\n"


def _overview(found: _Explained) -> pd.DataFrame:
    rows = []
    for i in found.order:
        told = found.query(i)
        side = np.sign(told["difference"] or 0)
        parts = [part for part in found.parts(i) if part["part"] * side > 0]
        rows.append(
            {
                "query_id": told["query_id"],
                "measure": str(found.measure),
                "change": told["change"],
                "kind": told["kind"],
                "document": parts[0]["doc_id"] if parts else w.DASH,
                "its part": w.difference(parts[0]["part"]) if parts else w.DASH,
                "difference": w.difference(told["difference"]),
                "score": w.score(told["score"]),
                "baseline": w.score(told["baseline_score"]),
            }
        )
    return pd.DataFrame(rows, dtype=object)


def _documents(found: _Explained) -> pd.DataFrame:
    """The documents of the one query with their parts, and what they add up to."""
    rank, before = f"rank in {found.run}", f"rank in {found.baseline}"
    whole, rest = float(found.ledger.difference[0]), float(found.ledger.empty[0])
    parts = found.parts(0)
    *printed, without = w.parts_of(whole, [*(part["part"] for part in parts), rest])
    rows = [
        {
            "document": part["doc_id"],
            "grade": w.grade(part["grade"]),
            rank: w.count(part["rank"]),
            before: w.count(part["baseline_rank"]),
            "part": w.difference(shown),
        }
        for part, shown in zip(parts, printed, strict=True)
    ]
    blank = {"grade": "", rank: "", before: ""}
    if rest != 0:
        rows.append({"document": "(without them)", **blank, "part": w.difference(without)})
    rows.append({"document": "(difference)", **blank, "part": w.difference(whole)})
    return pd.DataFrame(rows, dtype=object)


FORMATS: dict[str, Callable[[_Explained], str]] = {
    "table": lambda found: _told(found, aligned, w.visible),
    "markdown": lambda found: _told(found, piped, line_of_markdown),
    "json": json_text,
    "tsv": lambda found: PRINTERS["tsv"](_frame(found)),
    "csv": lambda found: PRINTERS["csv"](_frame(found)),
}
