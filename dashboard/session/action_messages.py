"""Messages about the effect of actions on files, with buttons that undo the actions. A message is
shown in the collection that it is about, until the user dismisses it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import count
from threading import Lock

import streamlit as st

from dashboard.session.address import address
from dashboard.workspace import StorageError

Offer = tuple[str, Callable[[], None]]
"""The label of a button, and the action that the button runs."""

_MOST = 20
_KEYS = count(1)
"""Counter for message keys, which are unique over all visits."""
_READING = Lock()


@dataclass(frozen=True)
class Receipt:
    """A message to the user about an action, with a hint and buttons (`offers`). `key` identifies
    the widgets of the message. If `alarming` is true, the message is shown as a warning."""

    key: int
    message: str
    hint: str
    offers: tuple[Offer, ...]
    alarming: bool


def action_messages() -> list[Receipt]:
    """The messages of the open collection, oldest first."""
    by_collection: dict[str, list[Receipt]] = st.session_state.setdefault("_receipts", {})
    return by_collection.setdefault(address()["set"], [])


def add_message(
    message: str, hint: str = "", buttons: Sequence[Offer] = (), *, is_warning: bool = False
) -> None:
    """Add a message to the messages of the open collection. A warning without buttons is not added
    if the same message is shown already."""
    if (
        is_warning
        and not buttons
        and any(r.message == message and r.hint == hint for r in action_messages())
    ):
        return
    current = action_messages()
    current.append(Receipt(next(_KEYS), message, hint, tuple(buttons), is_warning))
    del current[:-_MOST]


def add_error_message(error: StorageError, further_text: str = "") -> None:
    """Add a message about an error of the workspace. `further_text` follows the text of the
    error."""
    add_message(error.message + further_text, error.hint, is_warning=True)


def dismiss_message(receipt: Receipt) -> None:
    """Dismiss a message."""
    _remove_message(receipt)


def _remove_message(receipt: Receipt) -> bool:
    """Remove a message, and return whether it was still there."""
    current = action_messages()
    with _READING:
        remaining = [other for other in current if other.key != receipt.key]
        was_listed = len(remaining) < len(current)
        current[:] = remaining
    return was_listed


def run_action_once(receipt: Receipt, action: Callable[[], None]) -> None:
    """Run the action of a button and remove the message. The action runs only once, even if two
    clicks are handled at the same time."""
    if _remove_message(receipt):
        run_action(action)


def run_action(action: Callable[[], object]) -> bool:
    """Run an action on the workspace, and return whether it succeeded. If it fails, add a message
    about the error."""
    try:
        action()
        return True
    except StorageError as error:
        add_error_message(error)
    except KeyError:
        add_message(
            "This no longer exists.", "It was deleted for good, in another window or at a restart."
        )
    return False
