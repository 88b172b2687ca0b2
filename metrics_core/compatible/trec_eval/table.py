"""The measures of trec_eval, one row each, in the order in which trec_eval prints them.

The declarations of our measures contain their names and parameters in trec_eval."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from metrics_core.measures import Declaration, declarations
from metrics_core.measures.declaring.other_packages import InTrecEval, Takes, TrecVersion

Version = TrecVersion
Summary = Literal["mean", "sum", "geometric", "queries", "relevant", "run name", "none"]
Format = Literal["any", "qrels", "prefs", "qrels_jg"]


@dataclass(frozen=True)
class MeasureRow:
    """One measure of trec_eval.

    ours        the Ranklens measure that computes it; "" if this package computes it
    takes       the parameters after the dot of `-m name.…`. Cutoffs (whole numbers) and levels
                (real numbers) have one output line each. Numbers and name=number pairs configure
                the single line
    default     the default parameter values
    summary     how the values of the queries are combined. "queries" is the number of
                queries. "relevant" is the sum of the values; with -c, it is the number of relevant
                documents in the judgments
    is_whole    whether it is printed as a whole number
    per_query   whether it has a line for each query
    judgments   the format of judgments that it needs"""

    name: str
    ours: str = ""
    takes: Takes = "nothing"
    default: tuple[float, ...] = ()
    summary: Summary = "mean"
    is_whole: bool = False
    per_query: bool = True
    judgments: Format = "qrels"
    since: Version = "9.0.8"


_BY_GROUP = ("map", "P", "Rprec_mult")
"""Measures that trec_eval also averages over judgment groups, with the suffix _avgjg."""

_ORDER = """
    runid num_q num_ret num_rel num_rel_ret map gm_map Rprec bpref recip_rank iprec_at_recall P
    relstring recall infAP gm_bpref Rprec_mult utility 11pt_avg binG G dcg ideal_dcg ndcg ndcg_rel
    Rndcg ndcg_cut map_cut relative_P success set_P set_relative_P set_recall set_map set_F
    num_nonrel_judged_ret prefs_num_prefs_poss prefs_num_prefs_ful prefs_num_prefs_ful_ret
    prefs_simp prefs_pair prefs_avgjg prefs_avgjg_Rnonrel prefs_simp_ret prefs_pair_ret
    prefs_avgjg_ret prefs_avgjg_Rnonrel_ret prefs_simp_imp prefs_pair_imp prefs_avgjg_imp map_avgjg
    P_avgjg Rprec_mult_avgjg yaap rbp rbp_resid unj
"""
"""The order in which trec_eval prints measures. Measures that are not in this list come last and
belong to no family."""


def _preference_row(name: str) -> MeasureRow:
    is_count = name.startswith("prefs_num")
    summary: Summary = "sum" if is_count else "mean"
    return MeasureRow(name, summary=summary, is_whole=is_count, judgments="prefs")


_OWN_ROWS = (
    MeasureRow("runid", summary="run name", per_query=False, judgments="any"),
    MeasureRow("relstring", "", "numbers", (10,), summary="none"),
    *(_preference_row(name) for name in _ORDER.split() if name.startswith("prefs_")),
)
"""Measures that exist only in trec_eval. This package computes them."""


def _make_measure_row(declaration: Declaration, trec_eval_measure: InTrecEval) -> MeasureRow:
    """Return the row of a declared measure under one of its names in trec_eval."""
    counted = declaration.aggregation == "sum"
    return MeasureRow(
        name=trec_eval_measure.plain_name,
        ours=declaration.name,
        takes=trec_eval_measure.takes,
        default=trec_eval_measure.default,
        summary=trec_eval_measure.summary or declaration.aggregation,
        is_whole=counted,
        per_query=declaration.aggregation != "geometric" and trec_eval_measure.summary != "queries",
        judgments="any" if trec_eval_measure.summary == "queries" else "qrels",
        since=trec_eval_measure.since,
    )


def _all_rows() -> tuple[MeasureRow, ...]:
    # Measures of plug-ins do not belong to trec_eval, whatever their names.
    ours = [d for d in declarations() if not d.added_by]
    declared = [
        _make_measure_row(d, trec_eval_measure)
        for d in ours
        for trec_eval_measure in d.in_trec_eval
    ]
    by_group = [
        replace(row, name=f"{row.name}_avgjg", judgments="qrels_jg")
        for row in declared
        if row.name in _BY_GROUP
    ]
    positions = {name: i for i, name in enumerate(_ORDER.split())}
    rows = [*_OWN_ROWS, *declared, *by_group]
    return tuple(sorted(rows, key=lambda row: positions.get(row.name, len(positions))))


ROWS = _all_rows()

_SET = "runid num_q num_ret num_rel num_rel_ret"
_OFFICIAL = f"{_SET} map gm_map Rprec bpref recip_rank iprec_at_recall P"
_PREFERRED = (
    "runid num_q prefs_num_prefs_poss prefs_num_prefs_ful prefs_num_prefs_ful_ret"
    " prefs_simp prefs_pair prefs_avgjg"
)
_NOT_IN_ALL_TREC = {"dcg", "ideal_dcg", "yaap"}

FAMILIES: dict[str, frozenset[str]] = {
    "official": frozenset(_OFFICIAL.split()),
    "set": frozenset(
        f"{_SET} utility set_P set_recall set_relative_P set_map set_F".split(),
    ),
    "all_trec": frozenset(
        row.name
        for row in ROWS
        if row.judgments in ("any", "qrels") and row.name in {*_ORDER.split()} - _NOT_IN_ALL_TREC
    ),
    "all_prefs": frozenset(row.name for row in ROWS if row.judgments in ("any", "prefs")),
    "prefs": frozenset(_PREFERRED.split()),
    "qrels_jg": frozenset(row.name for row in ROWS if row.judgments in ("any", "qrels_jg")),
}


def rows_of_version(version: Version) -> list[MeasureRow]:
    """Return the measures of this version of trec_eval, in the order in which it prints them."""
    return [row for row in ROWS if version == "10.0" or row.since == "9.0.8"]


def resolve_measures(name: str, version: Version) -> frozenset[str]:
    """Return the names of the measures that `name` refers to. It is the name of a measure or of a
    family of measures.

    The result is empty if the name is unknown."""
    row_names = frozenset(row.name for row in rows_of_version(version))
    return row_names & FAMILIES.get(name, frozenset([name]))
