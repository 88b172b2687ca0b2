"""The date that stands in a run's name or file: of which day, week or month a version is."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, datetime, time

_YEAR = r"(?<!\d)(?P<year>(?:19|20)\d\d)"
_TIME = r"(?:[T _](?P<hour>\d\d)[:.\-]?(?P<minute>\d\d)(?:[:.\-]?(?P<second>\d\d))?(?!\d))?"
_FORMS = tuple(
    re.compile(form, re.IGNORECASE | re.ASCII)
    for form in (
        rf"{_YEAR}(?P<mark>[-_.]?)(?P<month>\d\d)(?P=mark)(?P<day>\d\d)(?!\d){_TIME}",
        rf"{_YEAR}[-_]?W(?P<week>\d\d)(?:-?(?P<weekday>[1-7]))?(?!\d)",
        # Followed by more of a date it would be one that does not exist.
        rf"{_YEAR}[-_](?P<month>\d\d)(?!\d|[-_.]\d)",
    )
)


@dataclass(frozen=True, order=True)
class RunDate:
    """When a version was made: `when` is its begin, of a month the first day, of a week its Monday,
    as it is written, without a time zone; `text` is how it stands there."""

    when: datetime
    text: str


def find_date(text: str) -> RunDate | None:
    """The first date of a text: 2026-03-01, 2026_03_01, 2026.03.01 or 20260301, each with a time
    behind it if there is one (2026-03-01T12:30, 20260301_1230), 2026-03, or a week of ISO 8601 as
    2026-W09. Only years from 1900 to 2099 and days that exist count, and no part of a longer number
    does. None where there is none."""
    matches = [match for form in _FORMS for match in form.finditer(text)]
    matches.sort(key=lambda match: (match.start(), -len(match[0])))
    return next((moment for match in matches if (moment := _to_moment(match))), None)


def _to_moment(match: re.Match[str]) -> RunDate | None:
    parts = match.groupdict().items()
    numbers = {name: int(value) for name, value in parts if name != "mark" and value is not None}
    try:
        if "week" in numbers:
            day = date.fromisocalendar(numbers["year"], numbers["week"], numbers.get("weekday", 1))
        else:
            day = date(numbers["year"], numbers["month"], numbers.get("day", 1))
    except ValueError:
        return None
    try:
        time_of_day = time(
            numbers.get("hour", 0), numbers.get("minute", 0), numbers.get("second", 0)
        )
    except ValueError:  # what stands behind the day is no time
        return RunDate(datetime.combine(day, time()), match[0][: -len(_text_after_day(match))])
    return RunDate(datetime.combine(day, time_of_day), match[0])


def _text_after_day(match: re.Match[str]) -> str:
    """What stands behind the day of a full date."""
    return match.string[match.end("day") : match.end()]
