"""The table of trec_eval's measures against the declared ones."""

from __future__ import annotations

from metrics_core.compatible.trec_eval.table import FAMILIES, ROWS, resolve_measures
from metrics_core.measures import declarations


def test_the_measures_behind_the_names_exist() -> None:
    declared = {d.name for d in declarations()}
    assert {row.ours for row in ROWS if row.ours} <= declared


def test_families_hold_measures_that_exist() -> None:
    names = {row.name for row in ROWS}
    for family, members in FAMILIES.items():
        assert members <= names, family
    assert len(FAMILIES["all_trec"]) == 37
    assert resolve_measures("all_trec", "9.0.8") == FAMILIES["all_trec"] - {
        "unj",
        "rbp",
        "rbp_resid",
    }
