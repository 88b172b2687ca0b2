"""Which judgments are used: the address names them, and only the reader changes them."""

from __future__ import annotations

from typing import Any

from dashboard.files.files import File
from dashboard.session.action_messages import doing
from dashboard.session.address import address, change
from dashboard.session.open_collection import (
    all_collections,
    collection,
    give_place,
    library_here,
    workspace,
)
from dashboard.study.library import Library, named_judgments


def judgments_asked() -> str:
    """What the address says once it names the judgments; what it asks for and is not here stays."""
    return address()["qrels"] or _name_of(library_here().judgments)


def _name_of(file: File | None) -> str:
    named = named_judgments(library_here().files)
    return next((name for name, own in named.items() if own is file), "")


def judgments_lacking() -> dict[str, str]:
    """The judgments that the address asks for and that are not here, as a sentence."""
    asked, here = address()["qrels"], library_here()
    if not asked or asked in {*named_judgments(here.files), *(f.key for f in here.files)}:
        return {}
    return {"qrels": f"These files have no judgments {asked}."}


def use_judgments(file: File) -> None:
    """Use these judgments of the open collection from now on; for callbacks."""
    here = collection()

    def used() -> None:
        give_place(here)
        workspace().judge_by(here, file.key)
        change(qrels=_name_of(file))

    doing(used)


def take_as_complete(complete: bool) -> dict[str, Any]:
    """Take the judgments of the open collection as complete, or no longer; nothing of the address
    changes."""
    here = collection()

    def taken() -> None:
        give_place(here)
        workspace().judge_completely(here, complete)

    doing(taken)
    return {}


def read_ids(queries: str, docs: str) -> None:
    """Read the ids of the open collection so, "" as they stand; for callbacks."""
    here = collection()

    def read() -> None:
        give_place(here)
        workspace().map_ids(here, queries, docs)

    doing(read)


def leave_out_own(exclude_self: bool) -> dict[str, Any]:
    """Leave each query's own document out of the runs of the open collection, or no longer; nothing
    of the address changes."""
    here = collection()

    def left() -> None:
        give_place(here)
        workspace().leave_out_own(here, exclude_self)

    doing(left)
    return {}


def keep_in_use(identity: str, before: Library, after: Library) -> None:
    """Let a collection go on with the judgments that it used before others came beside them."""
    used = before.judgments or after.judgments
    unsaid = not all_collections().judgments_of(identity)
    if used is not None and unsaid and len(after.of_kind("qrels")) > 1:
        workspace().judge_by(identity, used.key)
