"""What strangers make the server say fills no disk."""

from __future__ import annotations

import logging

import pytest

from dashboard.serving.access import repeated_messages
from dashboard.serving.access.repeated_messages import RepeatFilter


def line(text: str, *given: object, error: Exception | None = None) -> logging.LogRecord:
    told = (type(error), error, None) if error else None
    return logging.LogRecord("uvicorn.error", logging.ERROR, "", 0, text, given, told)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [0.0]
    monkeypatch.setattr(repeated_messages.time, "monotonic", lambda: now[0])
    return now


def test_a_line_is_said_once_and_counted_a_minute_later(clock: list[float]) -> None:
    repeated_messages, said = RepeatFilter(), []
    for second in range(150):
        clock[0] = float(second)
        for _ in range(10):
            record = line("accept() failed\nsocket: %d", 7)
            if repeated_messages.filter(record):
                said.append(record.getMessage())
    assert said == [
        "accept() failed\nsocket: 7",
        "accept() failed\nsocket: 7 (not shown: 599 more like this)",
        "accept() failed\nsocket: 7 (not shown: 599 more like this)",
    ]


def test_what_differs_is_said(clock: list[float]) -> None:
    repeated_messages = RepeatFilter()
    assert repeated_messages.filter(line("a"))
    assert repeated_messages.filter(line("b"))
    assert repeated_messages.filter(line("a", error=ValueError("one")))
    assert repeated_messages.filter(line("a", error=ValueError("two")))
    assert not repeated_messages.filter(line("a", error=ValueError("two")))


def test_what_is_remembered_is_bounded(clock: list[float]) -> None:
    repeated_messages = RepeatFilter()
    for number in range(1_000):
        repeated_messages.filter(line(f"line {number}"))
    assert len(repeated_messages._last_logged) <= 100
