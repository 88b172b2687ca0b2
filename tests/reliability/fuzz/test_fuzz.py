"""A fixed share of the fuzzers' files on every test run, and all that they ever found."""

from __future__ import annotations

import pytest

from tests.random_cases import in_this_run
from tests.reliability.fuzz.cases import Case, case
from tests.reliability.fuzz.finds import kept
from tests.reliability.fuzz.running import Find, check, run

SEED, FILES = 11, in_this_run(420, 1_400)
"""These take some two seconds, or seven, on two cores, one of them this one's."""

KEPT = kept()


@pytest.mark.slow
@pytest.mark.random
@pytest.mark.parametrize("part", range(2))
def test_mutated_files_give_tables_or_errors_of_ours(part: int) -> None:
    half = FILES // 2
    assert run(SEED, range(part * half, (part + 1) * half), workers=1) == []


@pytest.mark.parametrize("name", KEPT)
def test_what_was_found_before(name: str) -> None:
    assert check([KEPT[name]]) == ""


def test_a_case_is_the_same_each_time() -> None:
    assert case(1, 7) == case(1, 7) != case(1, 8)


class _Wrong(Case):
    def run(self) -> None:
        raise ValueError(self.name)


def test_an_error_that_is_not_ours_is_told() -> None:
    assert check([Case(b"q1 Q0 d1 1 1 t\n", "x", "read"), _Wrong(b"", "x", "read")]) == (
        "ValueError in test_fuzz run"
    )


def test_the_name_of_a_find_says_what_it_is() -> None:
    assert Find(1, "KeyError in trec read_trec").slug == "keyerror-in-trec-read-trec"
