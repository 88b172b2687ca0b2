"""When versions were made: by the dates in their names, or else by those of their files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from types import MappingProxyType
from typing import Literal

from dashboard.files.files import File
from metrics_core.base import wording as w
from metrics_core.tables.run_dates import Moment, date_in

Source = Literal["", "names", "files"]
NAMES: Source = "names"
FILES: Source = "files"


@dataclass(frozen=True)
class VersionDates:
    """Run name -> its date. All are taken from one source, for a date in a name says when a version
    was made, and that of a file when it was last written: from the `names` of runs and files where
    at least half of the versions have one there, else from the `files` themselves. Those without
    are `undated`."""

    source: Source = ""
    known: Mapping[str, Moment] = field(default_factory=lambda: MappingProxyType({}))
    undated: tuple[str, ...] = ()

    @property
    def said(self) -> str:
        """By which dates the versions stand, as a sentence."""
        if not self.source:
            return "No version has a date."
        told = {
            NAMES: "Dates are taken from the names of runs and files.",
            FILES: "The names contain no dates, so these are the days on which the files were"
            " last modified or added.",
        }[self.source]
        if not self.undated:
            return told
        return f"{told} Undated, so placed last: {w.named(self.undated)}."

    def text(self, name: str) -> str:
        """A version's date as it stands where it was found; "" without one."""
        return self.known[name].text if name in self.known else ""

    @property
    def of_files(self) -> dict[str, str]:
        """The day of each version's file, where no name says when it was made."""
        if self.source != FILES:
            return {}
        return {name: f"file of {moment.when:%Y-%m-%d}" for name, moment in self.known.items()}

    def order(self, name: str) -> tuple[bool, datetime]:
        """What sorts versions by their dates, those without last."""
        known = self.known.get(name)
        return known is None, datetime.min if known is None else known.when


NO_DATES = VersionDates()


def version_dates(names: Sequence[str], files: Mapping[str, File]) -> VersionDates:
    """The dates of these runs, whose files are `files`: that in the run's name before that in the
    path of its file."""
    named = _known({name: date_in(name) or _in_path(files.get(name)) for name in names})
    if named and 2 * len(named) >= len(names):
        return _dated(NAMES, named, names)
    written = _known({name: _written(files.get(name)) for name in names})
    return _dated(FILES, written, names) if written else VersionDates(undated=tuple(names))


def _dated(source: Source, known: dict[str, Moment], names: Sequence[str]) -> VersionDates:
    undated = tuple(name for name in names if name not in known)
    return VersionDates(source, MappingProxyType(known), undated)


def _known(found: Mapping[str, Moment | None]) -> dict[str, Moment]:
    return {name: moment for name, moment in found.items() if moment is not None}


def _in_path(file: File | None) -> Moment | None:
    """The date nearest to the file's own name: a folder's counts where that has none."""
    parts = reversed(file.file.replace("\\", "/").split("/")) if file else ()
    return next((moment for part in parts if (moment := date_in(part))), None)


def _written(file: File | None) -> Moment | None:
    if file is None or not file.written:
        return None
    when = datetime.fromisoformat(file.written).replace(tzinfo=None)
    return Moment(when, f"{when:%Y-%m-%d %H:%M} UTC")
