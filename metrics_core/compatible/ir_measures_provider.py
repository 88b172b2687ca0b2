"""A provider for ir_measures that computes its measures with our kernels.

    >>> from metrics_core.compatible import ir_measures_provider  # doctest: +SKIP
    >>> ir_measures_provider.install()  # doctest: +SKIP
    >>> ir_measures.calc_aggregate([nDCG@10], qrels, run)  # doctest: +SKIP

Importing this module registers the provider as `ir_measures.providers.registry["ranklens"]`.
ir_measures is not a dependency of Ranklens; no other module needs it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import product
from typing import Any

import numpy as np

from metrics_core.base.errors import NoSharedQueriesError, ParameterError
from metrics_core.judging import build_single_query, join_judgments
from metrics_core.measures import Measure, declarations
from metrics_core.tables import Qrels, Run
from metrics_core.tables.qrels import find_subtopic_column

try:
    import ir_measures
    from ir_measures import providers
except ImportError as error:
    raise ImportError(
        "metrics_core.compatible.ir_measures_provider needs the package ir_measures, which is not"
        " installed. Install it with: pip install ir-measures"
    ) from error


def translate_measure(measure: Any) -> Measure | None:
    """Return the Ranklens measure that corresponds to a measure of ir_measures and its parameters.
    Returns None if Ranklens has no such measure."""
    if hasattr(measure, "runtime_impl"):
        return None
    values = {name: measure[name] for name in measure.SUPPORTED_PARAMS}
    values = {n: v for n, v in values.items() if v is not providers.base.NOT_PROVIDED}
    declaration = next((d for d in declarations() if d.name == measure.NAME), None)
    if declaration is None or declaration.ir_measures is None:
        return None
    try:
        return declaration(**values, **declaration.ir_measures)
    except ParameterError:
        return None


class RanklensProvider(providers.Provider):
    """An ir_measures provider for all measures of ir_measures that Ranklens supports."""

    NAME = "ranklens"

    def __init__(self) -> None:
        super().__init__()
        names = {d.name for d in declarations() if d.ir_measures is not None}
        self.SUPPORTED_MEASURES = [
            type(m)(**{name: providers.base.Any() for name in m.SUPPORTED_PARAMS})
            for m in dict.fromkeys(ir_measures.measures.registry.values())
            if m.NAME in names and not m.params
        ]

    def supports(self, measure: Any) -> bool:
        """Return whether Ranklens supports the measure with these parameters."""
        measure.validate_params()
        return translate_measure(measure) is not None

    def _evaluator(self, measures: Iterable[Any], qrels: Any) -> RanklensEvaluator:
        return RanklensEvaluator(list(measures), qrels)


class RanklensEvaluator(providers.Evaluator):
    """An evaluator for ir_measures that scores runs with fixed measures and judgments.

    Raises ValueError for an unsupported measure, and TableError if a document is judged twice with
    different grades."""

    def __init__(self, measures: list[Any], qrels: Any) -> None:
        self.our_measures: dict[Any, Measure] = {}
        for measure in measures:
            our_measure = translate_measure(measure)
            if our_measure is None:
                raise ValueError(f"unsupported measure {measure}")
            self.our_measures[measure] = our_measure
        needs = {
            need
            for our_measure in self.our_measures.values()
            for need in our_measure.declaration.needs
        }
        self.qrels = _convert_qrels(qrels, by_subtopic="subtopics" in needs)
        super().__init__(measures, set(self.qrels.query_ids if self.qrels else ()))

    def iter_calc(self, run: Any) -> Iterator[Any]:
        """Yield the score of each query and measure.

        The queries of the run come first. As in ir_measures, judged queries without results follow
        with the default score of the measure. An undefined score, such as Accuracy without a pair
        of documents to compare, is not yielded."""
        missing = set(product(self.our_measures, self.qrel_qids))
        for metric in self._iter_calc(run):
            missing.discard((metric.measure, metric.query_id))
            if metric.value == metric.value:
                yield metric
        for measure, query_id in sorted(missing, key=lambda pair: (str(pair[0]), pair[1])):
            if not _is_undefined_without_results(self.our_measures[measure]):
                yield ir_measures.Metric(query_id, measure, measure.DEFAULT)

    def _iter_calc(self, run: Any) -> Iterator[Any]:
        table = _convert_run(run)
        if table is None or self.qrels is None:
            return
        try:
            ranks = join_judgments(table, self.qrels)
        except NoSharedQueriesError:
            return
        listed = np.flatnonzero(ranks.retrieved)
        for measure, our_measure in self.our_measures.items():
            scores = our_measure.score(ranks).tolist()
            for i in listed.tolist():
                yield ir_measures.Metric(ranks.query_ids[i], measure, scores[i])


def _is_undefined_without_results(measure: Measure) -> bool:
    """Return whether the score of a query without results is undefined."""
    empty = build_single_query([], [1.0], 0)
    return not measure.declaration.needs and bool(np.isnan(measure.score(empty)[0]))


def _convert_run(run: Any) -> Run | None:
    """Convert a run from any form that ir_measures accepts; None if the run is empty."""
    query_id, doc_id, score = _read_columns(ir_measures.util.RunConverter(run), run, "score")[:3]
    if not len(query_id):
        return None
    return Run.from_columns("run", query_id, doc_id, score)


def _convert_qrels(qrels: Any, *, by_subtopic: bool) -> Qrels | None:
    """Convert judgments from any form that ir_measures accepts; None if they are empty.

    The iteration column is used as the subtopic if it varies within a query, or if a measure needs
    subtopics."""
    converter = ir_measures.util.QrelsConverter(qrels)
    query_id, doc_id, relevance, iteration = _read_columns(converter, qrels, "relevance")
    if not len(query_id):
        return None
    subtopic = iteration if by_subtopic else find_subtopic_column(query_id, iteration)
    return Qrels.from_columns(query_id, doc_id, relevance, subtopic)


def _read_columns(
    converter: Any, source: Any, value: str
) -> tuple[list[str], list[str], Any, list[str]]:
    """Return query_id, doc_id, the value and the iteration of each row. The iteration is "0" if the
    source has no iterations."""
    kind, error = converter.predict_type()
    if kind == "UNKNOWN":
        raise ValueError(f"unknown format of run or qrels: {error}")
    if kind == "dict_of_dict":
        return _flatten_nested_dict(source)
    if kind == "pd_dataframe":
        texts = [source[name].astype(str).tolist() for name in ("query_id", "doc_id")]
        second = source["iteration"].astype(str).tolist() if "iteration" in source else []
        values = source[value].to_numpy()
    else:
        rows = list(converter.as_namedtuple_iter())
        texts = [[str(getattr(r, name)) for r in rows] for name in ("query_id", "doc_id")]
        second = [str(getattr(r, "iteration", "0")) for r in rows]
        values = [getattr(r, value) for r in rows]
    return texts[0], texts[1], values, second or ["0"] * len(values)


def _flatten_nested_dict(
    source: Mapping[Any, Mapping[Any, float]],
) -> tuple[Any, Any, Any, list[str]]:
    query_id = [str(q) for q, documents in source.items() for _ in documents]
    doc_id = [str(d) for documents in source.values() for d in documents]
    values = [v for documents in source.values() for v in documents.values()]
    return query_id, doc_id, values, ["0"] * len(values)


provider = providers.register(RanklensProvider())


def install() -> None:
    """Insert the provider at the front of ir_measures' default pipeline. Measures that it does not
    support still use other providers."""
    uninstall()
    ir_measures.DefaultPipeline.providers.insert(0, provider)


def uninstall() -> None:
    """Remove the provider from the default pipeline."""
    pipeline = ir_measures.DefaultPipeline
    pipeline.providers[:] = [p for p in pipeline.providers if p is not provider]
