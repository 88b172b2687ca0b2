"""A workspace whose machine loses its power at any point. `python -m tests.reliability.power
--count 200` is the long form."""

from __future__ import annotations

import os
import random
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.reliability.disk import Event
from tests.reliability.power import built, compiler, cut, record

pytestmark = [
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="LD_PRELOAD is Linux's"),
    pytest.mark.skipif(compiler() is None, reason="no C compiler to build recorder.c with"),
]

COUNT = int(os.environ.get("RANKLENS_POWER_CUTS", "15"))


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, Path]:
    """The record of a workspace being changed, and the folder in which that was."""
    folder = tmp_path_factory.mktemp("power")
    return record(folder, built(folder), seed=9), folder


def test_what_was_acknowledged_outlives_power_cuts(log: tuple[bytes, Path]) -> None:
    for number in range(COUNT):
        cut(*log, random.Random(number))


def _not_of_a_folder(event: Event) -> bool:
    return event.word != "sync" or "." in event.path.name


def _not_of_a_file(event: Event) -> bool:
    return event.word != "sync" or "." not in event.path.name


@pytest.mark.parametrize(
    "happened", [_not_of_a_folder, _not_of_a_file, lambda event: event.word != "sync"]
)
def test_flushes_that_do_nothing_are_found(
    log: tuple[bytes, Path], happened: Callable[[Event], bool]
) -> None:
    """The test of power cuts can fail: without these flushes something is lost. A flush that is
    left out of the record is one that did nothing."""
    with pytest.raises(AssertionError):
        for number in range(30):
            cut(*log, random.Random(number), happened)
