"""Files that are given: read, kept in a collection, and what is said about each of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from dashboard.opened.collections import SAMPLE
from dashboard.session import manage
from dashboard.session.address import forget, generation
from dashboard.session.collections import (
    collection,
    collections,
    files_of,
    nowhere,
    open_collection,
    workspace,
)
from dashboard.session.receipts import doing, tell, tell_error
from dashboard.workspace import Added, StorageError
from dashboard.workspace.packing import is_packed
from metrics_core import formats
from metrics_core import wording as w
from metrics_core.checks.stored_scores import with_stored_compared
from metrics_core.errors import RanklensError
from metrics_core.formats import Loaded
from metrics_core.tables import Qrels, Run


@dataclass(frozen=True)
class Refusal:
    """An uploaded file that could not be read, kept for another try; `key` names its widgets."""

    error: RanklensError
    content: bytes
    key: int


def refusals() -> dict[str, Refusal]:
    """Uploaded files that could not be read, by name."""
    kept: dict[str, Refusal] = st.session_state.setdefault("_refused", {})
    return kept


def read_uploads(files: Iterable[tuple[str, bytes]]) -> Iterator[int]:
    """Read uploaded files into the open collection, counting them as they are read.

    What is added to the example makes a collection of the reader's own, and so do judgments and
    runs that have no query in common with what is open, if the reader wishes.
    """
    read: list[Loaded] = []
    for number, (name, content) in enumerate(files):
        yield number
        if is_packed(content):
            manage.take_in(name, content)
        else:
            read += _read(name, content)
    _keep(read)


def _read(name: str, content: bytes, **choices: Any) -> list[Loaded]:
    """A file's tables, or those of a set in a zip; one that cannot be read goes to `refusals`."""
    try:
        if formats.is_set(content):
            read = with_stored_compared(formats.read_set(content, name=name, **choices))
        else:
            read = [formats.read(content, name=name, **choices)]
    except RanklensError as error:
        refused = error
    except Exception as error:  # one file's failure must not take the others with it
        refused = RanklensError(
            f"{name} could not be read: {type(error).__name__}.",
            "This is a fault of Ranklens; the other files are not affected.",
        )
    else:
        refusals().pop(name, None)
        return read
    refusals()[name] = Refusal(refused, content, generation("refusal"))
    forget("refusal")
    return []


def read_again(name: str, **choices: Any) -> None:
    """Read a refused file with other choices."""
    _keep(_read(name, refusals()[name].content, **choices))


def dismiss(name: str) -> None:
    """Forget a refused file."""
    refusals().pop(name, None)


def _keep(read: Sequence[Loaded]) -> None:
    here = collection()
    if not read:
        return
    if here == SAMPLE or nowhere():
        copied = here == SAMPLE and not any(isinstance(r.table, Qrels) for r in read)
        doing(lambda: _into_new(read, copied=copied))
    elif _strangers(here, read):
        names = w.named(list(dict.fromkeys(r.file for r in read)))
        tell(
            f"{names} {w.plural(len(read), 'has', 'have')} no query in common with"
            f" “{collections().name_of(here)}”.",
            "Nothing was added yet.",
            (
                ("Start a new collection", partial(_into_new, read)),
                ("Add here all the same", partial(_into, here, read)),
            ),
        )
    else:
        doing(lambda: _into(here, read))


def _strangers(here: str, read: Sequence[Loaded]) -> bool:
    """Whether runs and judgments that were read have no query in common with the open ones."""
    given = [r.table for r in read if isinstance(r.table, (Run, Qrels))]
    present = [f.table for f in files_of(here) if isinstance(f.table, (Run, Qrels))]
    known = {query_id for table in present for query_id in table.query_ids}
    return bool(given and present) and not any(known & set(t.query_ids) for t in given)


def _into_new(read: Sequence[Loaded], *, copied: bool = False) -> None:
    """Keep files in a new collection and open it; beside the example's own where it is `copied`."""
    made = manage.copy_of(SAMPLE, "The example and my files") if copied else manage.made("My files")
    _into(made.id, read)


def _into(identity: str, read: Sequence[Loaded]) -> None:
    """Keep files in a collection, open it, and tell what became of each that is not simply new."""
    workspace().new(collections().name_of(identity), identity)
    runs = [f for f in files_of(identity) if isinstance(f.table, Run) and f.slot is None]
    named = Counter((r.file, r.kind) for r in read)
    lost: list[str] = []
    refused: StorageError | None = None
    for loaded in read:
        # Two of one name that were given at once are meant to be two.
        beside = named[loaded.file, loaded.kind] > 1
        try:
            added = workspace().add(identity, loaded, slots=range(len(runs)), beside=beside)
        except StorageError as error:
            lost.append(loaded.file)
            refused = error
            continue
        _tell_of(identity, loaded, added)
    if refused is not None:
        tell_error(refused, f" Not kept: {w.listing(dict.fromkeys(lost))}.")
    open_collection(identity)


def _tell_of(identity: str, loaded: Loaded, added: Added) -> None:
    entry = added.entry
    if added.how == "known":
        same = "" if entry.file == loaded.file else f", as {entry.file}"
        tell(f"{loaded.file} is here already{same}: the same rows, so nothing was added.")
    elif added.how == "replaced":
        tell(
            f"{entry.file} replaced the earlier file of that name.",
            "",
            (
                ("Undo", partial(workspace().take_back, identity, entry.number)),
                ("Keep both", partial(workspace().keep_both, identity, entry.number)),
            ),
        )


def remove(number: str, file: str) -> None:
    """Remove a file from the open collection; it can be brought back."""
    here = collection()

    def removed() -> None:
        workspace().remove_entry(here, number)
        back = ("Undo", partial(workspace().restore_entry, here, number))
        tell(f"{file or 'The damaged file'} was removed.", "", (back,) if file else ())

    doing(removed)


def bring_back(number: str) -> None:
    """Undo the removal of a file."""
    doing(partial(workspace().restore_entry, collection(), number))


def spreadsheet(frame: pd.DataFrame) -> bytes:
    """A frame as CSV for a spreadsheet."""
    return formats.spreadsheet_csv(formats.with_whole_counts(frame))
