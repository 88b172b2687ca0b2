"""When versions were made: by the dates in their names, or else by those of their files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from types import MappingProxyType
from typing import Literal

from dashboard.files.files import File
from metrics_core.base import wording as w
from metrics_core.tables.run_dates import RunDate, find_date

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
    dates: Mapping[str, RunDate] = field(default_factory=lambda: MappingProxyType({}))
    undated: tuple[str, ...] = ()

    @property
    def source_sentence(self) -> str:
        """By which dates the versions stand, as a sentence."""
        if not self.source:
            return "No version has a date."
        sentence = {
            NAMES: "Dates are taken from the names of runs and files.",
            FILES: "The names contain no dates, so these are the days on which the files were"
            " last modified or added.",
        }[self.source]
        if not self.undated:
            return sentence
        return f"{sentence} Undated, so placed last: {w.name_some(self.undated)}."

    def text(self, name: str) -> str:
        """A version's date as it stands where it was found; "" without one."""
        return self.dates[name].text if name in self.dates else ""

    @property
    def file_days(self) -> dict[str, str]:
        """The day of each version's file, where no name says when it was made."""
        if self.source != FILES:
            return {}
        return {name: f"file of {moment.when:%Y-%m-%d}" for name, moment in self.dates.items()}

    def sort_key(self, name: str) -> tuple[bool, datetime]:
        """What sorts versions by their dates, those without last."""
        moment = self.dates.get(name)
        return moment is None, datetime.min if moment is None else moment.when


NO_DATES = VersionDates()


def version_dates(names: Sequence[str], files: Mapping[str, File]) -> VersionDates:
    """The dates of these runs, whose files are `files`: that in the run's name before that in the
    path of its file."""
    name_dates = _drop_missing(
        {name: find_date(name) or _date_in_path(files.get(name)) for name in names}
    )
    if name_dates and 2 * len(name_dates) >= len(names):
        return _make_dates(NAMES, name_dates, names)
    written = _drop_missing({name: _file_date(files.get(name)) for name in names})
    return _make_dates(FILES, written, names) if written else VersionDates(undated=tuple(names))


def _make_dates(source: Source, dates: dict[str, RunDate], names: Sequence[str]) -> VersionDates:
    undated = tuple(name for name in names if name not in dates)
    return VersionDates(source, MappingProxyType(dates), undated)


def _drop_missing(dates: Mapping[str, RunDate | None]) -> dict[str, RunDate]:
    return {name: moment for name, moment in dates.items() if moment is not None}


def _date_in_path(file: File | None) -> RunDate | None:
    """The date nearest to the file's own name: a folder's counts where that has none."""
    parts = reversed(file.file.replace("\\", "/").split("/")) if file else ()
    return next((moment for part in parts if (moment := find_date(part))), None)


def _file_date(file: File | None) -> RunDate | None:
    if file is None or not file.written:
        return None
    when = datetime.fromisoformat(file.written).replace(tzinfo=None)
    return RunDate(when, f"{when:%Y-%m-%d %H:%M} UTC")
