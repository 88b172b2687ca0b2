"""Numbers and endings as in C; expected values as a trec_eval binary gave them."""

from __future__ import annotations

import pytest

from metrics_core.compatible.trec_eval.c_program import ProgramExit, atof, atol
from metrics_core.compatible.trec_eval.options import parse_arguments


@pytest.mark.parametrize(
    ("text", "whole", "real"),
    [
        ("12", 12, 12.0),
        ("-1", -1, -1.0),
        ("+3", 3, 3.0),
        ("1.9", 1, 1.9),
        (" 7x", 7, 7.0),
        ("foo", 0, 0.0),
        ("", 0, 0.0),
        (".5", 0, 0.5),
        ("1e3", 1, 1000.0),
        ("1e", 1, 1.0),
        ("0x1p3", 0, 8.0),
        ("inf", 0, float("inf")),
        ("-Infinity", 0, float("-inf")),
        ("99999999999999999999", 2**63 - 1, 1e20),
        (" -" + "9" * 5000, -(2**63), float("-inf")),
        ("0" * 5000 + "7", 7, 7.0),
        ("+", 0, 0.0),
    ],
)
def test_numbers_by_their_beginning(text: str, whole: int, real: float) -> None:
    assert atol(text) == whole
    assert atof(text) == real


def test_an_ending_says_its_status() -> None:
    with pytest.raises(ProgramExit) as ended:
        parse_arguments(["-m", "nothing"])
    assert ended.value.status == 1
    assert ended.value.messages == ("trec_eval: illegal measure 'nothing'",)
