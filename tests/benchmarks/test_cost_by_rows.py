"""What a million rows more cost is the slope between the two largest runs that a contender read."""

from __future__ import annotations

from benchmarks.cost_by_rows import OURS, PEER, _slopes
from benchmarks.processes import Timed


def test_the_slope_is_that_between_the_two_largest_runs() -> None:
    found = {
        1_000_000: {OURS: Timed(9.0, 900.0, ""), PEER: Timed(1.0, 100.0, "")},
        2_000_000: {OURS: Timed(1.0, 100.0, ""), PEER: Timed(2.5, 300.0, "")},
        4_000_000: {OURS: Timed(2.0, 110.0, "")},
    }
    assert _slopes(found).splitlines() == [
        "Ranklens: 0.500 s and 5.0 MB for a million rows more, from 2,000,000 to 4,000,000",
        "pytrec_eval: 1.500 s and 200.0 MB for a million rows more, from 1,000,000 to 2,000,000",
    ]


def test_one_size_has_no_slope() -> None:
    assert _slopes({1_000_000: {OURS: Timed(1.0, 100.0, "")}}) == ""
