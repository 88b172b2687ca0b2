"""The printed lines. The bytes for 9.0.8 were compared with a trec_eval binary, once."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.metrics_core.compatible.trec_eval.calls import Call, caller

OLD = ("--as", "9.0.8")


@pytest.fixture
def call(tmp_path: Path) -> Call:
    return caller(tmp_path)


def test_z_scores(call: Call, tmp_path: Path) -> None:
    means = "q1 map 0.25 0.5\nq1 num_ret 2 0\nq1 zz 0 1\nq2 map 0.5 0.25\nq2 zz 0 1\n"
    (tmp_path / "z").write_text(means)
    asked = ("-m", "map", "-m", "num_ret", "-m", "num_q", "-m", "relstring")
    outcome = call(*OLD, "-q", "-Z", str(tmp_path / "z"), *asked)
    assert outcome.output == (
        b"Znum_ret               \tq1\t-1000000.0000\n"
        b"Zmap                   \tq1\t0.1667\n"
        b"relstring             \tq1\t'0.1-'\n"
        b"Znum_ret               \tq2\t-1000000.0000\n"
        b"Zmap                   \tq2\t2.0000\n"
        b"relstring             \tq2\t'12'\n"
        b"Znum_q                 \tall\t2.0000\n"
        b"Znum_ret               \tall\t-2000000.0000\n"
        b"Zmap                   \tall\t1.0833\n"
    )
