"""The measures of trec_eval: a row each, in the order in which trec_eval prints them. What it calls
a measure of ours, and what that takes there, the measure's declaration says."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from metrics_core.measures import Declaration, declarations
from metrics_core.measures.declaring.other_packages import InTrecEval, Takes, TrecVersion

Version = TrecVersion
Summary = Literal["mean", "sum", "geometric", "queries", "relevant", "run name", "none"]
Format = Literal["any", "qrels", "prefs", "qrels_jg"]


@dataclass(frozen=True)
class Row:
    """One measure of trec_eval.

    ours        the declared measure behind it; empty where this package works it out
    takes       what stands behind the point of `-m name.…`: whole cutoffs and real levels make a
                line each, numbers and name=number pairs set up the one line
    default     what it takes where nothing is given
    summary     how the queries' values become one; "queries" counts them, "relevant" is the sum
                that with -c comes from the judgments
    whole       printed as a whole number
    per_query   whether it has a line for each query
    judgments   the format of judgments it works on
    """

    name: str
    ours: str = ""
    takes: Takes = "nothing"
    default: tuple[float, ...] = ()
    summary: Summary = "mean"
    whole: bool = False
    per_query: bool = True
    judgments: Format = "qrels"
    since: Version = "9.0.8"


def _preferred(name: str, *, counted: bool = False) -> Row:
    summary: Summary = "sum" if counted else "mean"
    return Row(f"prefs_{name}", summary=summary, whole=counted, judgments="prefs")


_OWN = (
    Row("runid", summary="run name", per_query=False, judgments="any"),
    Row("relstring", "", "numbers", (10,), summary="none"),
    _preferred("num_prefs_poss", counted=True),
    _preferred("num_prefs_ful", counted=True),
    _preferred("num_prefs_ful_ret", counted=True),
    *map(_preferred, ("simp", "pair", "avgjg", "avgjg_Rnonrel")),
    *map(_preferred, ("simp_ret", "pair_ret", "avgjg_ret", "avgjg_Rnonrel_ret")),
    *map(_preferred, ("simp_imp", "pair_imp", "avgjg_imp")),
)
"""What is no measure elsewhere: this package works it out."""

_BY_GROUP = ("map", "P", "Rprec_mult")
"""Measures that trec_eval also averages over judgment groups, called …_avgjg then."""

_ORDER = """
    runid num_q num_ret num_rel num_rel_ret map gm_map Rprec bpref recip_rank iprec_at_recall P
    relstring recall infAP gm_bpref Rprec_mult utility 11pt_avg binG G dcg ideal_dcg ndcg ndcg_rel
    Rndcg ndcg_cut map_cut relative_P success set_P set_relative_P set_recall set_map set_F
    num_nonrel_judged_ret prefs_num_prefs_poss prefs_num_prefs_ful prefs_num_prefs_ful_ret
    prefs_simp prefs_pair prefs_avgjg prefs_avgjg_Rnonrel prefs_simp_ret prefs_pair_ret
    prefs_avgjg_ret prefs_avgjg_Rnonrel_ret prefs_simp_imp prefs_pair_imp prefs_avgjg_imp map_avgjg
    P_avgjg Rprec_mult_avgjg yaap rbp rbp_resid unj
"""
"""In which order trec_eval prints. What a measure calls itself in trec_eval beyond these comes last
and belongs to no family."""


def _row(declaration: Declaration, own: InTrecEval) -> Row:
    """The row of a declared measure under one of its names."""
    counted = declaration.aggregation == "sum"
    return Row(
        name=own.plain,
        ours=declaration.name,
        takes=own.takes,
        default=own.default,
        summary=own.summary or declaration.aggregation,
        whole=counted,
        per_query=declaration.aggregation != "geometric" and own.summary != "queries",
        judgments="any" if own.summary == "queries" else "qrels",
        since=own.since,
    )


def _rows() -> tuple[Row, ...]:
    # What a plug-in adds is none of trec_eval's, whatever it is called.
    ours = [d for d in declarations() if not d.added_by]
    declared = [_row(d, own) for d in ours for own in d.in_trec_eval]
    by_group = [
        replace(row, name=f"{row.name}_avgjg", judgments="qrels_jg")
        for row in declared
        if row.name in _BY_GROUP
    ]
    place = {name: i for i, name in enumerate(_ORDER.split())}
    rows = [*_OWN, *declared, *by_group]
    return tuple(sorted(rows, key=lambda row: place.get(row.name, len(place))))


ROWS = _rows()

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


def rows_of(version: Version) -> list[Row]:
    """The measures a version knows, in its order."""
    return [row for row in ROWS if version == "10.0" or row.since == "9.0.8"]


def measures_called(name: str, version: Version) -> frozenset[str]:
    """The measures that a measure's or a family's name stands for; none where it is unknown."""
    known = frozenset(row.name for row in rows_of(version))
    return known & FAMILIES.get(name, frozenset([name]))
