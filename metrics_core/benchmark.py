"""The benchmark calculator specified in SPEC-003, for programs that rely on this specification.

    >>> MetricsCalculator.calculate_all(["a", "x", "b"], ["a", "b", "c"]).precision_at_5
    0.4

Precision always divides by k; an empty `retrieved` or `expected` gives 0. Ids are compared
exactly, including case; a whole number is compared as the text of its digits. `expected` is a
set. As the specification requires, a document that occurs twice in `retrieved` counts each time
in hits and precision. In recall and nDCG, which the specification limits to 1, it counts only
at its first position. The scores come from the same kernels as everywhere else."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, median
from typing import Any

import numpy as np

from metrics_core.base.errors import ParameterError
from metrics_core.judging import JudgedRanks, build_single_query
from metrics_core.judging.one_list import judged_list, read_document_ids
from metrics_core.measures import Measure, parse_measure

NO_GROUP = "(none)"
"""Name of the group for results without a category or difficulty. Breakdowns use the same name."""

_FIELDS = {
    "precision@3": "precision_at_3",
    "precision@5": "precision_at_5",
    "recall@10": "recall_at_10",
    "ndcg@10": "ndcg_at_10",
}
"""Field of `IRMetrics` for each metric name in result files."""

_RECALL_10, _NDCG_10, _RR, _HITS = map(parse_measure, ("R@10", "nDCG@10", "RR", "NumRelRet"))
_P_3, _P_5 = map(parse_measure, ("P@3", "P@5"))


@dataclass
class IRMetrics:
    """The metrics of one query. `first_relevant_position` counts from 1 and is None if no relevant
    document was retrieved."""

    precision_at_3: float
    precision_at_5: float
    recall_at_10: float
    mrr: float
    ndcg_at_10: float | None = None
    hits_in_top_3: int = 0
    hits_in_top_5: int = 0
    first_relevant_position: int | None = None


class MetricsCalculator:
    """Metrics of one ranked list, given the expected ids."""

    @staticmethod
    def calculate_all(retrieved: Sequence[str], expected: Iterable[str]) -> IRMetrics:
        """Return all metrics of one query. nDCG is computed with binary relevance and the discount
        log2(rank + 1)."""
        expected_ids = _expected_ids(expected)
        judged_each = _judge_all_positions(retrieved, expected_ids)
        judged_once = _rank_relevant_documents(retrieved, expected_ids)
        return IRMetrics(
            precision_at_3=_score(_P_3, judged_each),
            precision_at_5=_score(_P_5, judged_each),
            recall_at_10=_score(_RECALL_10, judged_once),
            mrr=_score(_RR, judged_each),
            ndcg_at_10=_score(_NDCG_10, judged_once),
            hits_in_top_3=int(judged_each.relevant().count(3)[0]),
            hits_in_top_5=int(judged_each.relevant().count(5)[0]),
            first_relevant_position=_first_position(judged_each),
        )

    @staticmethod
    def precision_at_k(retrieved: Sequence[str], expected: Iterable[str], k: int) -> float:
        """Return the number of relevant documents among the first k, divided by k."""
        return _score(
            parse_measure(f"P@{k}"), _judge_all_positions(retrieved, _expected_ids(expected))
        )

    @staticmethod
    def recall_at_k(retrieved: Sequence[str], expected: Iterable[str], k: int) -> float:
        """Return the share of the expected documents that are among the first k; 0 if no documents
        are expected."""
        return _score(
            parse_measure(f"R@{k}"), _rank_relevant_documents(retrieved, _expected_ids(expected))
        )

    @staticmethod
    def mrr(retrieved: Sequence[str], expected: Iterable[str]) -> float:
        """Return 1 divided by the position of the first relevant document; 0 if none was
        retrieved."""
        return _score(_RR, _judge_all_positions(retrieved, _expected_ids(expected)))

    @staticmethod
    def count_hits(retrieved: Sequence[str], expected: Iterable[str]) -> int:
        """Return how many of the retrieved documents are relevant. A duplicate counts each time it
        occurs."""
        return int(_score(_HITS, _judge_all_positions(retrieved, _expected_ids(expected))))

    @staticmethod
    def first_relevant_position(retrieved: Sequence[str], expected: Iterable[str]) -> int | None:
        """Return the position of the first relevant document, counted from 1; None if none was
        retrieved."""
        return _first_position(_judge_all_positions(retrieved, _expected_ids(expected)))


class ReportAggregator:
    """Summaries over queries."""

    @staticmethod
    def aggregate_metrics(results: Iterable[IRMetrics]) -> dict[str, float]:
        """Return the means of precision@3, precision@5, recall@10 and mrr, and the medians of
        precision@3 and mrr.

        All values are 0 if there are no results."""
        listed = list(results)
        means = {
            name: _summarise(fmean, [_metric_value(r, name) for r in listed])
            for name in ("precision@3", "precision@5", "recall@10", "mrr")
        }
        medians = {
            f"median_{name}": _summarise(median, [_metric_value(r, name) for r in listed])
            for name in ("precision@3", "mrr")
        }
        return means | medians

    @staticmethod
    def group_by_category(
        detailed_results: Iterable[Mapping[str, Any]], metric_field: str
    ) -> dict[str, float]:
        """Return the mean of one metric by category. `metric_field` is the metric's name, spelled
        like "precision@3" or like "precision_at_3".

        Results without a category are in the group "(none)"; results without a value of the metric
        are excluded. Raises ParameterError if no result has this metric."""
        grouped = _group_metrics(detailed_results, "category")
        values = {
            category: [
                v for v in (_metric_value(m, metric_field) for m in metrics) if v is not None
            ]
            for category, metrics in grouped.items()
        }
        if grouped and not any(
            _has_metric(m, metric_field) for group_values in grouped.values() for m in group_values
        ):
            raise ParameterError(f"No result has a metric {metric_field!r}.")
        return {
            category: fmean(group_values)
            for category, group_values in values.items()
            if group_values
        }

    @staticmethod
    def group_by_difficulty(
        detailed_results: Iterable[Mapping[str, Any]],
    ) -> dict[str, dict[str, float]]:
        """Return, for each difficulty, the number of results (`count`) and the means of
        precision@3, precision@5 and mrr.

        Results without a difficulty are in the group "(none)"; results without metrics are excluded
        and not counted.
        """
        return {
            difficulty: {
                "count": len(metrics),
                **{
                    name: _summarise(fmean, [_metric_value(m, name) for m in metrics])
                    for name in ("precision@3", "precision@5", "mrr")
                },
            }
            for difficulty, metrics in _group_metrics(detailed_results, "difficulty").items()
        }


def _score(measure: Measure, ranks: JudgedRanks) -> float:
    return float(measure.score(ranks)[0])


def _expected_ids(expected: Iterable[str]) -> set[Hashable]:
    return set(read_document_ids(expected, "expected"))


def _judge_all_positions(retrieved: Sequence[str], expected_ids: set[Hashable]) -> JudgedRanks:
    return judged_list(retrieved, expected_ids, duplicates="each")


def _rank_relevant_documents(retrieved: Sequence[str], expected_ids: set[Hashable]) -> JudgedRanks:
    """Return the ranks of the relevant documents in a list, as judged ranks.

    If a document is repeated, only its first occurrence counts as relevant, but the repetitions
    still occupy ranks."""
    remaining = set(expected_ids)
    places = []
    listed = read_document_ids(retrieved, "retrieved", must_be_ordered=True)
    for rank, doc in enumerate(listed, 1):
        if doc in remaining:
            remaining.remove(doc)
            places.append((rank, 1.0))
    return build_single_query(places, [1.0] * len(expected_ids), len(listed))


def _first_position(ranks: JudgedRanks) -> int | None:
    first = ranks.relevant().first_rank()[0]
    return int(first) if np.isfinite(first) else None


def _group_metrics(results: Iterable[Mapping[str, Any]], column: str) -> dict[str, list[Any]]:
    """Group the metrics of the results by the value of a column. Results without metrics are
    excluded."""
    groups: dict[str, list[Any]] = {}
    for result in results:
        metrics = result.get("metrics")
        if metrics:
            value = result.get(column)
            groups.setdefault(NO_GROUP if value in (None, "") else value, []).append(metrics)
    return groups


def _field_names(field: str) -> tuple[str, ...]:
    """Return the possible names of a metric in a result."""
    other_names = {written: spec_name for spec_name, written in _FIELDS.items()} | _FIELDS
    return (field, other_names[field]) if field in other_names else (field,)


def _has_metric(metrics: IRMetrics | Mapping[str, Any], field: str) -> bool:
    metric_values = metrics.__dict__ if isinstance(metrics, IRMetrics) else metrics
    return any(name in metric_values for name in _field_names(field))


def _metric_value(metrics: IRMetrics | Mapping[str, Any], field: str) -> float | None:
    metric_values = metrics.__dict__ if isinstance(metrics, IRMetrics) else metrics
    return next(
        (
            metric_values[name]
            for name in _field_names(field)
            if metric_values.get(name) is not None
        ),
        None,
    )


def _summarise(summary: Callable[[list[float]], float], values: Iterable[float | None]) -> float:
    """Apply `summary`, such as the mean, to the defined values. Returns 0 if no value is
    defined."""
    defined = [v for v in values if v is not None]
    return summary(defined) if defined else 0.0
