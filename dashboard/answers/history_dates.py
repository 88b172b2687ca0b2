"""Dates of versions, found in their names or, if there are none, taken from their files."""

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
    """The date of each run, by name.

    All dates come from one `source`, because a date in a name says when a version was made, whereas
    the date of a file says when the file was last written. The source is `NAMES` if at least half
    of the versions have a date in the name of their run or file; otherwise it is `FILES`. The
    versions in `undated` have no date."""

    source: Source = ""
    dates: Mapping[str, RunDate] = field(default_factory=lambda: MappingProxyType({}))
    undated: tuple[str, ...] = ()

    @property
    def source_sentence(self) -> str:
        """A sentence that says where the dates come from."""
        if not self.source:
            return "No version has a date."
        sentence = {
            NAMES: "Dates are taken from the names of runs and files.",
            FILES: "The names contain no dates, so each date is the day on which the file was"
            " last modified or added.",
        }[self.source]
        if not self.undated:
            return sentence
        return f"{sentence} Versions without a date come last: {w.shorten_list(self.undated)}."

    @property
    def has_different_dates(self) -> bool:
        """Whether the dates can order the versions, because they are not all the same."""
        return len({*map(self.date_text, (*self.dates, *self.undated))}) > 1

    def date_text(self, name: str) -> str:
        """Return a version's date as it is written at its source. Returns "" if the version has no
        date."""
        return self.dates[name].text if name in self.dates else ""

    def sort_key(self, name: str) -> tuple[bool, datetime]:
        """Return a key that sorts versions by date. Versions without a date come last."""
        moment = self.dates.get(name)
        return moment is None, datetime.min if moment is None else moment.when


NO_DATES = VersionDates()


def version_dates(names: Sequence[str], files: Mapping[str, File]) -> VersionDates:
    """Return the dates of these runs. `files` maps runs to their files. A date in the run's name
    takes precedence over a date in the path of its file."""
    name_dates = _drop_missing_dates(
        {name: find_date(name) or _date_in_path(files.get(name)) for name in names}
    )
    if name_dates and 2 * len(name_dates) >= len(names):
        return _make_dates(NAMES, name_dates, names)
    written = _drop_missing_dates({name: _file_date(files.get(name)) for name in names})
    return _make_dates(FILES, written, names) if written else VersionDates(undated=tuple(names))


def _make_dates(source: Source, dates: dict[str, RunDate], names: Sequence[str]) -> VersionDates:
    undated = tuple(name for name in names if name not in dates)
    return VersionDates(source, MappingProxyType(dates), undated)


def _drop_missing_dates(dates: Mapping[str, RunDate | None]) -> dict[str, RunDate]:
    return {name: moment for name, moment in dates.items() if moment is not None}


def _date_in_path(file: File | None) -> RunDate | None:
    """Return the date in a file's name. If the name has no date, return the date in the name of the
    nearest parent folder that has one."""
    parts = reversed(file.file.replace("\\", "/").split("/")) if file else ()
    return next((moment for part in parts if (moment := find_date(part))), None)


def _file_date(file: File | None) -> RunDate | None:
    if file is None or not file.written:
        return None
    when = datetime.fromisoformat(file.written).replace(tzinfo=None)
    return RunDate(when, f"{when:%Y-%m-%d %H:%M} UTC")
