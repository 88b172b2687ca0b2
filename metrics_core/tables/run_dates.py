"""Find the date in the name or the file name of a run: the day, week or month of a version."""

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
        # Followed by more digits, it is an invalid date rather than a month.
        rf"{_YEAR}[-_](?P<month>\d\d)(?!\d|[-_.]\d)",
    )
)


@dataclass(frozen=True, order=True)
class RunDate:
    """Date of a version of a system.

    when  the beginning of this date, without time zone: for a month its first day, for a week its
          Monday
    text  the date in its original spelling"""

    when: datetime
    text: str


def find_date(text: str) -> RunDate | None:
    """Return the first date in a string; None if it contains no date.

    A date is written as 2026-03-01, 2026_03_01, 2026.03.01 or 20260301, each with an optional time
    (2026-03-01T12:30, 20260301_1230), as a month such as 2026-03, or as an ISO 8601 week such as
    2026-W09. The year must be from 1900 to 2099, and the day must exist. Digits within a longer
    number are ignored."""
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
    except ValueError:  # the text after the day is not a time
        return RunDate(datetime.combine(day, time()), match[0][: -len(_text_after_day(match))])
    return RunDate(datetime.combine(day, time_of_day), match[0])


def _text_after_day(match: re.Match[str]) -> str:
    """Return the text that follows the day in a matched full date. This text may be a time."""
    return match.string[match.end("day") : match.end()]
