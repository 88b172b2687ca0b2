"""What whoever reaches the port can make the server say is said once, then counted."""

from __future__ import annotations

import logging
import math
import time

SECONDS = 60.0
_MOST = 100


class RepeatFilter(logging.Filter):
    """Lets a line pass once, then once a minute at most, with how many were left out since.

    Lines are the same if their first lines are, and the errors that they tell of.
    """

    def __init__(self) -> None:
        super().__init__()
        self._last_logged: dict[tuple[str, str], tuple[float, int]] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether to write it."""
        text = record.getMessage()
        error = repr(record.exc_info[1]) if record.exc_info else ""
        message_key, time_now = (text.partition("\n")[0], error), time.monotonic()
        last_time, left_out = self._last_logged.get(message_key, (-math.inf, 0))
        if time_now - last_time < SECONDS:
            self._last_logged[message_key] = last_time, left_out + 1
            return False
        if left_out:
            record.msg, record.args = f"{text.rstrip()} ({left_out:,} more like this since)", ()
        if len(self._last_logged) >= _MOST:
            self._last_logged.clear()
        self._last_logged[message_key] = time_now, 0
        return True


def limit_repeated_messages() -> None:
    """Have the server and its event loop do so."""
    for name in ("uvicorn.error", "asyncio"):
        logging.getLogger(name).addFilter(RepeatFilter())
