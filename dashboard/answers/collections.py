"""Collections: which ones there are."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime

from dashboard.files.collections import Listed
from metrics_core.base import wording as w
from metrics_core.findings.sentence import Sentence, muted, strong


def finding(listed: Sequence[Listed], asked: str, name: str) -> Sentence:
    """The headline: how many collections there are, or that the one in the link is not
    here. `asked` is its id, "" where it is; `name` that of the open one."""
    if asked:
        return strong("This link asks for a collection that is not here. ") + muted(
            "It may be in another workspace, or it was removed. These are here:"
        )
    own = sum(row.origin == "own" for row in listed)
    if not own:
        return strong("No collection of your own yet. ") + muted(
            "Add judgments and runs to make one; the example can always be opened."
        )
    here = strong(f"{w.sentence_case(w.number(own))} {w.plural(own, 'collection')}; ")
    return here + muted(f"“{name}” is open.")


def place(folder: str) -> Sentence:
    """Where the collections are kept."""
    return muted(f"Kept in {folder} on this computer and nowhere else.")


def told(row: Listed, local: datetime | None) -> str:
    """What a collection holds, in a line; `local` is when it was last changed, in the reader's
    time."""
    if row.origin == "sample":
        return "Questions to a help centre, four runs; read-only"
    if row.origin == "folder":
        return "The folder given at the start; its files are read anew when they change"
    parts = [
        f"{w.count(row.runs)} {w.plural(row.runs or 0, 'run')}",
        "no judgments"
        if row.queries is None
        else f"{w.count(row.queries)} judged {w.plural(row.queries, 'query', 'queries')}",
    ]
    if local is not None:
        parts.append(f"changed {local.day} {local:%b %Y, %H:%M}")
    if row.damaged:
        parts.append(f"{w.count(row.damaged)} damaged")
    return " · ".join(parts)


def file_name(name: str) -> str:
    """A collection's name as that of a file: without what no file system takes."""
    return re.sub(r"[^\w.@+-]+", "-", name).strip("-.") or "collection"
