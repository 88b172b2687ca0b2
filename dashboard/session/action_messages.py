"""What became of something that was done to the files, with the way back; told until it is read,
in the collection to which it was done."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import count
from threading import Lock

import streamlit as st

from dashboard.session.address import address
from dashboard.workspace import StorageError

Offer = tuple[str, Callable[[], None]]
"""The words of a button, and what it does."""

_MOST = 20
_KEYS = count(1)
"""Never the same twice, whoever ends in between."""
_READING = Lock()


@dataclass(frozen=True)
class Receipt:
    """One thing that is told; `key` names its widgets, `alarming` marks what went wrong."""

    key: int
    message: str
    hint: str
    offers: tuple[Offer, ...]
    alarming: bool


def receipts() -> list[Receipt]:
    """What is told of the open collection, oldest first."""
    by_collection: dict[str, list[Receipt]] = st.session_state.setdefault("_receipts", {})
    return by_collection.setdefault(address()["set"], [])


def tell(
    message: str, hint: str = "", offers: Sequence[Offer] = (), *, alarming: bool = False
) -> None:
    """Tell something, beside what was told since the reader last put it away; what is alarming and
    is told already, once."""
    if alarming and not offers and any(r.message == message and r.hint == hint for r in receipts()):
        return
    current = receipts()
    current.append(Receipt(next(_KEYS), message, hint, tuple(offers), alarming))
    del current[:-_MOST]


def tell_error(error: StorageError, more: str = "") -> None:
    """Tell what the workspace refused."""
    tell(error.message + more, error.hint, alarming=True)


def dismiss_receipt(receipt: Receipt) -> None:
    """The reader has read it."""
    _remove_receipt(receipt)


def _remove_receipt(receipt: Receipt) -> bool:
    """Put it away; whether it was still there."""
    current = receipts()
    with _READING:
        remaining = [other for other in current if other.key != receipt.key]
        was_listed = len(remaining) < len(current)
        current[:] = remaining
    return was_listed


def take_offer(receipt: Receipt, action: Callable[[], None]) -> None:
    """Do what a button says, once: two clicks may be answered at the same time."""
    if _remove_receipt(receipt):
        run_action(action)


def run_action(action: Callable[[], None]) -> None:
    """Do something to the workspace; what it refuses is told, not raised."""
    try:
        action()
    except StorageError as error:
        tell_error(error)
    except KeyError:
        tell(
            "This no longer exists.", "It was deleted for good, in another window or at a restart."
        )
