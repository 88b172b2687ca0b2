"""The measures of trec_eval: a row each, in the order in which trec_eval prints them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Version = Literal["9.0.8", "10.0"]
Takes = Literal["nothing", "cutoffs", "levels", "numbers", "pairs"]
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


_CUTOFFS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
_RECALLS = tuple(i / 10 for i in range(11))
_MULTIPLES = (0.2, 0.4, 0.6, 0.8, 1.0, 1.2, 1.4, 1.6, 1.8, 2.0)


def _preferred(name: str, *, counted: bool = False) -> Row:
    summary: Summary = "sum" if counted else "mean"
    return Row(f"prefs_{name}", summary=summary, whole=counted, judgments="prefs")


ROWS: tuple[Row, ...] = (
    Row("runid", summary="run name", per_query=False, judgments="any"),
    Row("num_q", "NumQ", summary="queries", whole=True, per_query=False, judgments="any"),
    Row("num_ret", "NumRet", summary="sum", whole=True),
    Row("num_rel", "NumRel", summary="relevant", whole=True),
    Row("num_rel_ret", "NumRelRet", summary="sum", whole=True),
    Row("map", "AP"),
    Row("gm_map", "AP", summary="geometric", per_query=False),
    Row("Rprec", "Rprec"),
    Row("bpref", "Bpref"),
    Row("recip_rank", "RR"),
    Row("iprec_at_recall", "IPrec", "levels", _RECALLS),
    Row("P", "P", "cutoffs", _CUTOFFS),
    Row("relstring", "", "numbers", (10,), summary="none"),
    Row("recall", "R", "cutoffs", _CUTOFFS),
    Row("infAP", "infAP"),
    Row("gm_bpref", "Bpref", summary="geometric", per_query=False),
    Row("Rprec_mult", "RprecMult", "levels", _MULTIPLES),
    Row("utility", "Utility", "numbers", (1, -1, 0, 0)),
    Row("11pt_avg", "IPrec", "numbers", _RECALLS),
    Row("binG", "binG"),
    Row("G", "G", "pairs"),
    Row("dcg", "DCG", "pairs", since="10.0"),
    Row("ideal_dcg", "IDCG", "pairs", since="10.0"),
    Row("ndcg", "nDCG", "pairs"),
    Row("ndcg_rel", "nDCGRel", "pairs"),
    Row("Rndcg", "Rndcg", "pairs"),
    Row("ndcg_cut", "nDCG", "cutoffs", _CUTOFFS),
    Row("map_cut", "AP", "cutoffs", _CUTOFFS),
    Row("relative_P", "RelP", "cutoffs", _CUTOFFS),
    Row("success", "Success", "cutoffs", (1, 5, 10)),
    Row("set_P", "SetP"),
    Row("set_relative_P", "SetRelP"),
    Row("set_recall", "SetR"),
    Row("set_map", "SetAP"),
    Row("set_F", "SetF", "numbers", (1,)),
    Row("num_nonrel_judged_ret", "NumNonrelRet", summary="sum", whole=True),
    _preferred("num_prefs_poss", counted=True),
    _preferred("num_prefs_ful", counted=True),
    _preferred("num_prefs_ful_ret", counted=True),
    _preferred("simp"),
    _preferred("pair"),
    _preferred("avgjg"),
    _preferred("avgjg_Rnonrel"),
    _preferred("simp_ret"),
    _preferred("pair_ret"),
    _preferred("avgjg_ret"),
    _preferred("avgjg_Rnonrel_ret"),
    _preferred("simp_imp"),
    _preferred("pair_imp"),
    _preferred("avgjg_imp"),
    Row("map_avgjg", "AP", judgments="qrels_jg"),
    Row("P_avgjg", "P", "cutoffs", _CUTOFFS, judgments="qrels_jg"),
    Row("Rprec_mult_avgjg", "RprecMult", "levels", _MULTIPLES, judgments="qrels_jg"),
    Row("yaap", "Yaap"),
    Row("rbp", "RBP", "pairs", since="10.0"),
    Row("rbp_resid", "RBPResidual", "pairs", since="10.0"),
    Row("unj", "Unjudged", "cutoffs", (5, 10, 20), since="10.0"),
)

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
        if row.judgments in ("any", "qrels") and row.name not in _NOT_IN_ALL_TREC
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
