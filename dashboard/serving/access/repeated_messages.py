"""Limit for log messages that anyone who reaches the port can cause. Such a message is written
once, and its repetitions are counted."""

from __future__ import annotations

import logging
import math
import time

SECONDS = 60.0
_MOST = 100


class RepeatFilter(logging.Filter):
    """A log filter that passes on a message when it first occurs, and then at most once a minute,
    with the number of repetitions left out since the last time.

    Two messages count as the same if both their first lines and their errors are equal."""

    def __init__(self) -> None:
        super().__init__()
        self._last_logged: dict[tuple[str, str], tuple[float, int]] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether to write the record."""
        text = record.getMessage()
        error = repr(record.exc_info[1]) if record.exc_info else ""
        message_key, time_now = (text.partition("\n")[0], error), time.monotonic()
        last_time, left_out = self._last_logged.get(message_key, (-math.inf, 0))
        if time_now - last_time < SECONDS:
            self._last_logged[message_key] = last_time, left_out + 1
            return False
        if left_out:
            record.msg, record.args = (
                f"{text.rstrip()} (not shown: {left_out:,} more like this)",
                (),
            )
        if len(self._last_logged) >= _MOST:
            self._last_logged.clear()
        self._last_logged[message_key] = time_now, 0
        return True


def limit_repeated_messages() -> None:
    """Add the filter to the logs of the server and its event loop."""
    for name in ("uvicorn.error", "asyncio"):
        logging.getLogger(name).addFilter(RepeatFilter())
