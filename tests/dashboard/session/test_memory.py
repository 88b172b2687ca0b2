"""What pages over long runs worked with goes back to the system, once for all of a moment."""

from __future__ import annotations

import time
from unittest import mock

from dashboard.session import memory


def test_pages_of_one_moment_give_back_once_and_later_ones_again() -> None:
    with (
        mock.patch.object(memory.heap, "release_memory") as given_back,
        mock.patch.object(memory, "_LATER", 0.1),
    ):
        for times in (1, 2):
            for _ in range(5):
                memory._release_memory_soon()
            assert given_back.call_count == times - 1, "no page waits for it"
            end = time.monotonic() + 10
            while given_back.call_count < times and time.monotonic() < end:
                time.sleep(0.01)
            assert given_back.call_count == times
