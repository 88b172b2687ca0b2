"""Recognise scores by query in the lines that `trec_eval -q` and `ir_measures -q` print."""

from __future__ import annotations

import re
from collections.abc import Sequence

from metrics_core.formats.values import is_number

_TREC_EVAL = re.compile(r"map|ndcg|recip_rank|P_\d+|num_(?:ret|rel|q)|ndcg_cut_\d+")
_IR_MEASURES = re.compile(
    r"(?:nDCG|P|AP|RR|R|Rprec|Success|Judged|ERR|RBP|Bpref|NumRet|NumRel|SetP|SetR|SetF)"
    r"(?:\(\S*\))?(?:@\d+)?"
)
NOT_OFFERED = re.compile(r"num_|iprec_at_|relstring|runid|Num(?:Ret|Rel|Q)")
"""Prefixes of the names of counts and curves, which are not offered as per-query scores."""


def find_eval_columns(lines: Sequence[str]) -> list[str]:
    """Return the names of the three columns if the lines contain a measure, a query and a value.
    Returns an empty result for other lines."""
    rows = [line.split() for line in lines]
    if not rows or any(len(row) != 3 for row in rows):
        return []
    if not all(is_number(row[2]) or row[0] in ("runid", "relstring") for row in rows):
        return []
    if any(_TREC_EVAL.fullmatch(row[0]) for row in rows):
        return ["measure", "query_id", "value"]
    is_ir_measures = all(_IR_MEASURES.fullmatch(row[1]) for row in rows)
    return ["query_id", "measure", "value"] if is_ir_measures else []
