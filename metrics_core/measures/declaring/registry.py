"""Declare measures.

A measure is one decorated function. Its signature gives the parameters and their defaults, its
docstring the explanation, and the decorator everything else. Parser, pickers, labels, help pages
and the tests for all measures use only this declaration."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial, wraps
from typing import Any, Literal, TypeVar

import numpy as np

from metrics_core.base.arrays import Floats, Ints
from metrics_core.base.errors import LackingDataError, ParameterError, did_you_mean
from metrics_core.base.plugins import Registry, declaring_package
from metrics_core.judging import JudgedRanks
from metrics_core.judging.hits import Hits
from metrics_core.measures.declaring.aggregation import COMBINATIONS, Aggregation, Combination
from metrics_core.measures.declaring.other_packages import Difference, InTrecEval
from metrics_core.measures.declaring.parameters import (
    JUDGED_ONLY,
    Parameter,
    format_parameter,
    read_parameters,
)
from metrics_core.measures.declaring.plugin_checks import check_kernel, guard_part

Terms = Callable[..., Hits]
Made = TypeVar("Made")
_CUTOFFS = ("k", "n", "at", "top", "depth", "topk", "top_k")

UNJUDGED = "An unjudged document counts as not relevant."
MISSING = "A judged query that is missing from the run scores 0 and counts in the mean."
TIES = "Ties are broken by doc_id: the last in byte order comes first."


Need = Literal["subtopics", "documents"]
"""Data that a measure needs in addition to grades."""

Residual = Literal[
    "monotone", "count", "recall", "precisions", "at relevant", "normalised", "unaffected", "range"
]
"""How the score range over all grades of unjudged documents is found; see `scoring.residuals`."""

Reach = Literal["additive", "first", "apart"]
"""How the bounds on the difference of two runs are found; see `unjudged.bounds`."""

Scale = Literal["", "cost"]
""""cost" means that scores have no upper limit, lower is better, and runs are compared by a typical
ratio."""


@dataclass(frozen=True)
class Share:
    """The score of another measure, `part`, with the same parameters, divided by a divisor.
    `find_layers(ranks, grades, **parameters)` returns the `normalisers.IdealLayers` of the divisor;
    `grades` are ascending."""

    part: str
    find_layers: Callable[..., Any]


@dataclass(frozen=True, eq=False)
class Declaration:
    """Everything known about a measure. `kernel(ranks, **parameters)` returns float64[query], and
    float64[query, cutoff] if its cutoff is an array.

        worked            names of the measure -> arithmetic of their value in `worked_example`
        ideal             the score of a perfect ranking, if known
        needs             data that the judgments or documents must have in addition to grades
        by_query          False if a score also depends on the lists of other queries
        from_precisions   for the residual "precisions": the score as a function of the sum of
                          precisions and the number of relevant documents; None for their quotient
        reach             a `Share` if the score is a share, otherwise a value of `Reach`
        terms             function that returns the documents that add to the score, if it is a sum
        ir_measures       parameter values for the same measure in ir_measures; None if it has none
        presets           additional names, for example in ranx, with their parameter values
        elsewhere         the name in other packages, for readers
        also_means        names with another meaning in the field, and how to get that measure
        added_by          the package of a plug-in, "" for built-in measures"""

    name: str
    kernel: Callable[..., Floats]
    title: str
    gloss: str
    explanation: str
    formula: str
    reference: str
    parameters: tuple[Parameter, ...]
    worked: Mapping[str, str]
    aliases: tuple[str, ...] = ()
    presets: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    in_trec_eval: tuple[InTrecEval, ...] = ()
    ir_measures: Mapping[str, Any] | None = None
    elsewhere: Mapping[str, str] = field(default_factory=dict)
    also_means: Mapping[str, str] = field(default_factory=dict)
    differences: tuple[Difference, ...] = ()
    family: str = ""
    added_by: str = ""
    at: str = "cutoff"
    aggregation: Aggregation = "mean"
    range: tuple[float, float] = (0.0, 1.0)
    ideal: float | None = None
    higher_is_better: bool = True
    direction_declared: bool = True
    scale: Scale = ""
    by_query: bool = True
    needs: tuple[Need, ...] = ()
    residual: Residual = "range"
    reach: Reach | Share = "apart"
    from_precisions: Callable[[Floats, Ints], Floats] | None = None
    terms: Terms | None = None
    unjudged: str = UNJUDGED
    missing: str = MISSING
    ties: str = TIES

    @property
    def cutoff(self) -> Parameter | None:
        """The cutoff parameter; None if the measure has no cutoff."""
        return self.parameter("cutoff")

    @property
    def trec_eval(self) -> tuple[str, ...]:
        """The measure's names in trec_eval, which may contain `{cutoff}` or another parameter."""
        return tuple(name for trec_measure in self.in_trec_eval for name in trec_measure.patterns)

    @property
    def direction(self) -> int:
        """Direction of better scores: 1 for higher, -1 for lower, 0 if this is not declared."""
        return (1 if self.higher_is_better else -1) if self.direction_declared else 0

    @property
    def combination(self) -> Combination:
        """The way in which the scores of queries are combined: mean, sum or geometric mean."""
        return COMBINATIONS[self.aggregation]

    def parameter(self, name: str) -> Parameter | None:
        """Return the parameter with this name. Returns None if there is none."""
        return next((p for p in self.parameters if p.name == name), None)

    def __call__(self, **values: Any) -> Measure:
        """Return the measure with these parameter values. Raises ParameterError."""
        by_name = {p.name: p for p in self.parameters}
        for name in values:
            if name not in by_name:
                raise self._unknown_parameter_error(name)
        complete = []
        for p in self.parameters:
            if p.name not in values and p.required:
                raise self._missing_parameter_error(p)
            complete.append((p.name, p.check(self.name, values.get(p.name, p.default))))
        return Measure(self, tuple(complete))

    def _unknown_parameter_error(self, name: str) -> ParameterError:
        names = [p.name for p in self.parameters]
        if name in _CUTOFFS and self.at in names:
            hint = f"Write the value after the @: {self.name}@{self._example()}."
        else:
            hint = f"Parameters: {', '.join(names) or 'none'}."
        return ParameterError(
            f"{self.name} has no parameter {name!r}.", f"{did_you_mean(name, names)} {hint}".strip()
        )

    def _example(self) -> str:
        at = self.parameter(self.at)
        return "10" if at is not None and at.kind is int else "0.5"

    def _missing_parameter_error(self, p: Parameter) -> ParameterError:
        example = f"{self.name}@{self._example()}"
        if p.name != self.at:
            example = f"{self.name}({p.name}=…)"
        return ParameterError(f"{self.name} needs a {p.name}.", f"Write {example}, for example.")


@dataclass(frozen=True)
class Measure:
    """A declared measure with its parameter values. `str()` is its canonical name."""

    declaration: Declaration = field(repr=False)
    values: tuple[tuple[str, Any], ...]

    @property
    def cutoff(self) -> int | None:
        """The cutoff; None if the measure uses the whole list."""
        return self.value("cutoff")

    def value(self, name: str) -> Any:
        """Return the value of a parameter; None if the measure has no such parameter."""
        return dict(self.values).get(name)

    @property
    def relevant_from(self) -> float:
        """The lowest grade that counts as relevant: the measure's threshold, or the smallest number
        above 0 if the measure uses the gain of every grade."""
        rel = self.value("rel")
        return float(np.nextafter(0, 1)) if rel is None else float(rel)

    def at(self, cutoff: int | None) -> Measure:
        """Return the same measure with another cutoff; unchanged if it has no cutoff."""
        if self.declaration.cutoff is None:
            return self
        return self.declaration(**{**dict(self.values), "cutoff": cutoff})

    def score(self, ranks: JudgedRanks) -> Floats:
        """Return the score of each query, float64[query], in the order of `ranks.query_ids`. NaN
        means that the score is undefined. Raises LackingDataError if the measure needs data that
        the ranks lack."""
        return self._apply(self.declaration.kernel, ranks, dict(self.values))

    def curve(self, ranks: JudgedRanks, cutoffs: Ints) -> Floats:
        """Return the score of each query at each of `cutoffs` int64[cutoff], float64[query,
        cutoff]. Raises ParameterError if the measure has no cutoff."""
        if self.declaration.cutoff is None:
            raise ParameterError(f"{self} has no cutoff, so it has no curve.")
        return self._apply(self.declaration.kernel, ranks, {**dict(self.values), "cutoff": cutoffs})

    def terms(self, ranks: JudgedRanks) -> Hits:
        """Return the documents that contribute to a score, with their grades replaced by their
        contributions. With `judged_only`, documents have their ranks in the condensed lists. Raises
        ValueError for a measure without terms, and LackingDataError like `score`."""
        if self.declaration.terms is None:
            raise ValueError(f"{self} is not a sum over documents")
        return self._apply(self.declaration.terms, ranks, dict(self.values))

    def _apply(
        self, kernel: Callable[..., Made], ranks: JudgedRanks, values: dict[str, Any]
    ) -> Made:
        missing = self.find_missing_data(ranks)
        if missing is not None:
            raise missing
        if values.pop("judged_only", False):
            ranks = ranks.condensed()
        return kernel(ranks, **values)

    def find_missing_data(self, ranks: JudgedRanks) -> LackingDataError | None:
        """Return the LackingDataError that `score` would raise; None if nothing is missing."""
        needs = self.declaration.needs
        if "subtopics" in needs and ranks.subtopics is None:
            return LackingDataError(
                f"{self} needs judgments by subtopic.",
                "Load judgments whose second column is the subtopic: query_id subtopic doc_id"
                " relevance, or a table with a column subtopic.",
            )
        if "documents" not in needs:
            return None
        if ranks.listed is None:
            return LackingDataError(
                f"{self} needs the listed documents.",
                "Use a run. Ranks of judged documents do not show which other documents are"
                " listed.",
            )
        missing = ranks.listed.missing_data_error(self.value("column"))
        return missing and LackingDataError(f"{self}: {missing.message}", missing.hint)

    def __str__(self) -> str:
        at, defaults = self.declaration.at, {p.name: p.default for p in self.declaration.parameters}
        inside = ",".join(
            f"{name}={format_parameter(value)}"
            for name, value in self.values
            if name != at and value != defaults[name]
        )
        name = f"{self.declaration.name}({inside})" if inside else self.declaration.name
        value = self.value(at)
        return name if value is None else f"{name}@{value}"


def fold_name(name: str) -> str:
    """Return a name for comparisons: lower case, without spaces, underscores and hyphens."""
    return re.sub(r"[\s_\-]", "", name).lower()


def _all_folded_names(declaration: Declaration) -> set[str]:
    trec_names = [name.plain_name for name in declaration.in_trec_eval if name.patterns]
    names = (declaration.name, *declaration.aliases, *declaration.presets, *trec_names)
    return {fold_name(name) for name in names}


_REGISTRY = Registry[Declaration]("ranklens.measures", "measure", _all_folded_names)


def measure(
    name: str,
    *,
    title: str,
    gloss: str,
    formula: str,
    reference: str,
    worked: Mapping[str, str],
    aliases: Iterable[str] = (),
    trec_eval: str | InTrecEval | Iterable[str | InTrecEval] = (),
    ir_measures: bool | Mapping[str, Any] = False,
    elsewhere: Mapping[str, str] | None = None,
    differences: Difference | Iterable[Difference] = (),
    condensable: bool = True,
    **more: Any,
) -> Callable[[Callable[..., Floats]], Callable[..., Floats]]:
    """Return a decorator that declares a measure. `gloss` is the meaning of the measure in a few
    words for a table heading, with `{k}` for the cutoff. `formula` is LaTeX. A plain string in
    `trec_eval` names a measure without arguments. If `condensable` is true, the measure also has
    the parameter `judged_only`. All other keyword arguments are fields of Declaration."""
    single_types = (str, InTrecEval)
    in_trec_eval = (trec_eval,) if isinstance(trec_eval, single_types) else tuple(trec_eval)
    all_differences = (differences,) if isinstance(differences, Difference) else tuple(differences)

    def declare(kernel: Callable[..., Floats]) -> Callable[..., Floats]:
        parameters, package = read_parameters(kernel), declaring_package(kernel.__module__)
        declaration = Declaration(
            name=name,
            kernel=check_kernel(kernel, name, package, more.get("range", Declaration.range)),
            title=title,
            gloss=gloss,
            explanation=" ".join((inspect.getdoc(kernel) or "").split()),
            formula=formula,
            reference=reference,
            parameters=(*parameters, JUDGED_ONLY) if condensable else parameters,
            worked=worked,
            aliases=tuple(aliases),
            in_trec_eval=tuple(InTrecEval(n) if isinstance(n, str) else n for n in in_trec_eval),
            ir_measures={} if ir_measures is True else ir_measures or None,
            elsewhere=dict(elsewhere or {}),
            differences=all_differences,
            family=kernel.__module__.rpartition(".")[2],
            added_by=package,
            **{part: guard_part(part, value, name, package) for part, value in more.items()},
        )
        _REGISTRY.add(name, declaration, kernel.__module__)
        return kernel

    return declare


def terms(*names: str) -> Callable[[Terms], Terms]:
    """Return a decorator that declares the terms of the measures with these names. The decorated
    function returns the documents that contribute to the score, with their grades replaced by their
    contributions. It takes the parameters of the kernels, with a single cutoff."""

    def declare(function: Terms) -> Terms:
        package = declaring_package(function.__module__)
        for name in names:
            guarded = guard_part("terms", function, name, package)
            _REGISTRY.replace(name, replace(_REGISTRY[name], terms=guarded))
        return function

    return declare


def weights(*names: str) -> Callable[[Terms], Terms]:
    """Return a decorator for measures whose score is divided among the documents within the cutoff
    in proportion to weights. The decorated function may take any of the measure's parameters. It
    returns the documents with their grades replaced by weights of 0 or more."""

    def declare(function: Terms) -> Terms:
        def parts(ranks: JudgedRanks, *, kernel: Callable[..., Floats], **values: Any) -> Hits:
            hits = function(ranks, **values)
            return hits.contributions(hits.relevance, values.get("cutoff")).divide(
                kernel(ranks, **values)
            )

        for name in names:
            terms(name)(wraps(function)(partial(parts, kernel=_REGISTRY[name].kernel)))
        return function

    return declare


def declare_share(name: str, part: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return a decorator that declares the divisor of the measure `name`, whose score is the score
    of `part` divided by this divisor. The decorated function takes the parameters of the
    measure."""

    def declare(whole: Callable[..., Any]) -> Callable[..., Any]:
        reach = guard_part("reach", Share(part, whole), name, declaring_package(whole.__module__))
        _REGISTRY.replace(name, replace(_REGISTRY[name], reach=reach))
        return whole

    return declare


def declarations() -> list[Declaration]:
    """Return all declared measures in order of declaration. Measures of plug-ins come last."""
    return _REGISTRY.all()


def count_declarations() -> int:
    """Return the number of declarations so far, including repeated ones from notebook cells."""
    return _REGISTRY.changes
