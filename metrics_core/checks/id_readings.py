"""Ways of reading ids: what is taken of an id where two files write one thing differently.

`docA#3` is a chunk of `docA`, `MARCO_12` is `12`, `001` is `1`. Ids are compared as they stand; a
reading is used only where somebody asks for it by its name.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from urllib.parse import unquote

import pyarrow as pa
import pyarrow.compute as pc

from metrics_core.base.digits import whole_number
from metrics_core.base.errors import ParameterError
from metrics_core.tables.arrays import texts_of

MARKS = "#_-.:/|"
"""What stands between the parts of an id."""
RUN, QRELS = "run", "qrels"

_BEGIN, _END = re.compile(r"^[^0-9]+(?=[0-9])"), re.compile(r"(?<=[0-9])[^0-9]+$")
_LONGEST_PART = 200
"""Characters of what ids may have before or behind their numbers: more is a text."""
_LONGEST_ID = 1_000_000

_Read = Callable[[pa.Array], pa.Array]


@dataclass(frozen=True)
class IdReading:
    """A way of reading ids: its `name` as options take it, what it does in words, and the function
    that reads; of an id of which nothing would be left the whole stays. One that `cuts` leaves out
    a part of the id, which may be what tells two ids apart."""

    name: str
    said: str
    _read: _Read
    cuts: bool = True

    def __call__(self, ids: pa.Array) -> pa.Array:
        """The ids as they are read; text[n] to text[n]."""
        read = self._read(ids)
        # No number is compared: for a number of Python's pyarrow loads all of pandas.
        return pc.if_else(pc.binary_length(read).cast(pa.bool_()), read, ids)


@dataclass(frozen=True)
class IdMap:
    """How the ids of a run and of the judgments are read: each by some readings, one after the
    other."""

    run: tuple[IdReading, ...] = ()
    qrels: tuple[IdReading, ...] = ()

    @property
    def name(self) -> str:
        """As `--map-docs` and `--map-queries` take it: "cut #", or "run: cut #; qrels: zeros"."""
        if self.run == self.qrels:
            return _named(self.run)
        sides = ((RUN, self.run), (QRELS, self.qrels))
        return "; ".join(f"{side}: {_named(own)}" for side, own in sides if own)

    @property
    def said(self) -> str:
        """What is done to which ids, in words."""
        if self.run == self.qrels:
            return " and ".join(reading.said for reading in self.run)
        sides = (("in the run", self.run), ("in the judgments", self.qrels))
        return " and ".join(
            f"{' and '.join(reading.said for reading in own)} {where}"
            for where, own in sides
            if own
        )

    def of_run(self, ids: pa.Array) -> pa.Array:
        """The ids of a run as they are read."""
        return _read_by(self.run, ids)

    def of_qrels(self, ids: pa.Array) -> pa.Array:
        """The ids of the judgments as they are read."""
        return _read_by(self.qrels, ids)


AS_THEY_STAND = IdMap()
"""Ids as they are."""


def id_map(text: str) -> IdMap:
    """What `--map-docs` and `--map-queries` are given: readings between commas, which hold for both
    sides, or for one that is named: "cut #", "case, zeros", "run: cut #; qrels: drop D-". Raises
    ParameterError."""
    sides: dict[str, tuple[IdReading, ...]] = {}
    for part in text.split("; "):
        side, colon, rest = part.partition(": ")
        named = bool(colon) and side.strip() in (RUN, QRELS)
        readings = tuple(reading(name) for name in (rest if named else part).split(", "))
        for own in (side.strip(),) if named else (RUN, QRELS):
            sides[own] = sides.get(own, ()) + readings
    return IdMap(sides.get(RUN, ()), sides.get(QRELS, ()))


def reading(name: str) -> IdReading:
    """The reading of a name. Raises ParameterError."""
    name = name.strip()
    if name in _PLAIN:
        said, read = _PLAIN[name]
        return IdReading(name, said, read, cuts=name in _CUTTING)
    verb, _, given = name.partition(" ")
    last = given.removeprefix("first ") if verb in ("cut", "after") else given
    first = given != last
    if (verb, first) in _AT_A_MARK and last:
        pattern, said = _AT_A_MARK[verb, first]
        return IdReading(name, said.format(last), _without(pattern.format(re.escape(last))))
    if verb == "drop" and given:
        return IdReading(name, f"{given} at the beginning is removed", _dropping(given, False))
    if verb == "drop-end" and given:
        return IdReading(name, f"{given} at the end is removed", _dropping(given, True))
    length = whole_number(given) if verb == "first" else None
    if length and length <= _LONGEST_ID:
        return IdReading(
            name,
            f"only the first {length} characters are used",
            lambda ids: pc.utf8_slice_codeunits(ids, 0, length),
        )
    raise ParameterError(
        f"Unknown id mapping {name!r}.",
        "Available: " + ", ".join((*_PLAIN, *_WITH_A_PART)) + ".",
    )


def is_safe(by: IdMap, run: pa.Array, qrels: pa.Array) -> bool:
    """Return whether a reading may be proposed for the distinct ids of a run and of the judgments.
    It keeps the ids of each side apart. If it cuts on both, no id matches without it, and it cuts
    the same part off every id of a side: else it may take ids of two sources for one."""
    for ids, read in ((run, by.of_run(run)), (qrels, by.of_qrels(qrels))):
        if len(read.unique()) < len(ids):
            return False
    if not (_cuts_any(by.run, run) and _cuts_any(by.qrels, qrels)):
        return True
    if pc.any(pc.is_in(run, value_set=qrels)).as_py():
        return False
    return _cuts_one_part(by.run, run) and _cuts_one_part(by.qrels, qrels)


def _cuts_any(readings: Sequence[IdReading], ids: pa.Array) -> bool:
    """Return whether one of the readings cuts a part off one of the ids."""
    for own in readings:
        read = own(ids)
        if own.cuts and not read.equals(ids):
            return True
        ids = read
    return False


def _cuts_one_part(readings: Sequence[IdReading], ids: pa.Array) -> bool:
    """Return whether each of the readings that cuts something cuts the same part off every id."""
    for own in readings:
        read = own(ids)
        if own.cuts and not read.equals(ids):
            pairs = zip(ids.to_pylist(), read.to_pylist(), strict=True)
            first, *others = (_cut_part(*pair) for pair in pairs)
            if first == ("", "") or any(part != first for part in others):
                return False
        ids = read
    return True


def _cut_part(whole: str, rest: str) -> tuple[str, str]:
    """Return what was cut off an id, before and behind the rest of it."""
    before, _, behind = whole.partition(rest)
    return before, behind


def every_reading(run: Sequence[str], qrels: Sequence[str]) -> list[IdReading]:
    """The readings that may make these ids of a run and of the judgments meet, the plainest
    first."""
    both = run, qrels
    begins = {part for ids in both for part in _usual_parts(ids, _BEGIN)}
    ends = {part for ids in both for part in _usual_parts(ids, _END)}
    marks = [mark for mark in MARKS if any(mark in i for ids in both for i in ids)]
    cuts = {_cut_at(run, qrels), _cut_at(qrels, run)}
    named = [*_PLAIN]
    named += [f"{verb} {mark}" for mark in marks for verb in ("cut", "after")]
    named += [f"drop {part}" for part in sorted(begins)]
    named += [f"drop-end {part}" for part in sorted(ends)]
    named += [f"{verb} first {mark}" for mark in marks for verb in ("cut", "after")]
    named += [f"first {n}" for n in sorted(cuts - {0})]
    return [reading(name) for name in named if _can_be_written(name)]


def _can_be_written(name: str) -> bool:
    """Whether the name of a reading comes back from an option as it was."""
    return name.isprintable() and name == " ".join(name.split()) and not {",", ";"} & set(name)


def _usual_parts(ids: Sequence[str], pattern: re.Pattern[str]) -> list[str]:
    """The parts before the first or behind the last digit that many of the ids have."""
    found = Counter(match[0] for i in ids if (match := pattern.search(i)))
    usual = (part for part, count in found.most_common(2) if count * 10 >= len(ids))
    return [part for part in usual if len(part) <= _LONGEST_PART]


def _cut_at(ids: Sequence[str], others: Sequence[str]) -> int:
    """The length at which ids seem to be cut: the greatest, where many have it and there are longer
    ones on the other side; else 0."""
    lengths = [len(i) for i in ids]
    longest = max(lengths, default=0)
    longer = longest < max(map(len, others), default=0)
    return longest if longer and longest > 3 and lengths.count(longest) * 5 >= len(ids) else 0


def _named(readings: Sequence[IdReading]) -> str:
    return ", ".join(own.name for own in readings)


def _read_by(readings: Sequence[IdReading], ids: pa.Array) -> pa.Array:
    for own in readings:
        ids = own(ids)
    return ids


def _without(pattern: str) -> _Read:
    kept = r"\1" if "(" in pattern.replace(r"\(", "") else ""
    return lambda ids: pc.replace_substring_regex(ids, pattern, kept)


def _dropping(part: str, end: bool) -> _Read:
    return _without(f"{re.escape(part)}$" if end else f"^{re.escape(part)}")


def _decoded(ids: pa.Array) -> pa.Array:
    return texts_of([unquote(i) for i in ids.to_pylist()])


def _unquoted(ids: pa.Array) -> pa.Array:
    return _without(r"^b?'(.*)'$")(_without(r'^b?"(.*)"$')(ids))


def _file_names(ids: pa.Array) -> pa.Array:
    return _without(r"\.[A-Za-z][A-Za-z0-9]{0,4}$")(_without(r"^.*[/\\]")(ids))


_PLAIN: dict[str, tuple[str, _Read]] = {
    "blanks": ("blanks around ids are removed", pc.utf8_trim_whitespace),
    "case": ("upper and lower case are treated as equal", pc.utf8_lower),
    "zeros": ("leading zeros are removed", _without("^0+")),
    ".0": (".0 at the end is removed", _without(r"\.0+$")),
    "quotes": ("quotes around ids, and Python's b before them, are removed", _unquoted),
    "percent": ("percent-encoding is decoded", _decoded),
    "file name": ("folders and file extensions are removed", _file_names),
}
_CUTTING = (".0", "file name")
_AT_A_MARK = {
    ("cut", False): ("^(.*){0}.*$", "everything from the last {} on is removed"),
    ("cut", True): ("{0}.*$", "everything from the first {} on is removed"),
    ("after", False): ("^.*{0}", "only the part after the last {} is used"),
    ("after", True): ("^.*?{0}", "only the part after the first {} is used"),
}
_WITH_A_PART = ("cut #", "cut first #", "after _", "after first _", "drop D-", "drop-end .txt")
