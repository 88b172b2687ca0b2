"""Formats of plug-ins: every file is shown to each, so one that fails knows none."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import wraps
from typing import TypeVar

from metrics_core.base.plugins import in_words, say_once

Asked = TypeVar("Asked")
Answer = TypeVar("Answer")
Name = TypeVar("Name", bound=str)


def at_most(
    recognise: Callable[[Asked], Mapping[Name, int]], kinds: Collection[Name], what: str, by: str
) -> Callable[[Asked], Mapping[Name, int]]:
    """What a plug-in of the package `by` recognises, of the kinds that it reads; nothing, and a
    word on stderr, where it fails."""

    def known(sample: Asked) -> dict[Name, int]:
        return {kind: int(sure) for kind, sure in recognise(sample).items() if kind in kinds}

    return or_else(wraps(recognise)(known), {}, what, by)


def or_else(
    function: Callable[[Asked], Answer], otherwise: Answer, what: str, by: str
) -> Callable[[Asked], Answer]:
    """A function of a plug-in that gives `otherwise` where it fails, which is said once."""

    @wraps(function)
    def called(asked: Asked) -> Answer:
        try:
            return function(asked)
        except KeyboardInterrupt:  # of whoever waits for it
            raise
        except BaseException as error:
            say_once(f"{what}: {by} failed. {in_words(error)}", by)
            return otherwise

    return called
