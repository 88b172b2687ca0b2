"""Id mappings: which part of an id is compared if two files write ids differently.

With a mapping, `docA#3` (a chunk) can match `docA`, `MARCO_12` can match `12`, and `001` can match
`1`. Ids are compared exactly by default; a mapping is only used if it is requested by name."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from urllib.parse import unquote

import pyarrow as pa
import pyarrow.compute as pc

from metrics_core.base.digits import parse_whole_number
from metrics_core.base.errors import ParameterError
from metrics_core.tables.arrays import as_text_column

MARKS = "#_-.:/|"
"""Separators between the parts of an id."""
RUN, QRELS = "run", "qrels"

_BEGIN, _END = re.compile(r"^[^0-9]+(?=[0-9])"), re.compile(r"(?<=[0-9])[^0-9]+$")
_LONGEST_PART = 200
"""Maximum length in characters of a common prefix or suffix of ids. A longer one is treated as part
of the ids."""
_LONGEST_ID = 1_000_000

_Read = Callable[[pa.Array], pa.Array]


@dataclass(frozen=True)
class IdReading:
    """A single mapping of ids: its `name` in options, its description, and its function.

    An id that would become empty is left unchanged. `cuts` is true if the mapping removes a part of
    an id. Different ids may then become equal, because they may differ only in this part."""

    name: str
    description: str
    _read: _Read
    cuts: bool = True

    def __call__(self, ids: pa.Array) -> pa.Array:
        """Return the mapped ids. `ids` and the result are string[n]."""
        read_ids = self._read(ids)
        # Cast instead of comparing with a number: for a Python number pyarrow imports pandas.
        return pc.if_else(pc.binary_length(read_ids).cast(pa.bool_()), read_ids, ids)


@dataclass(frozen=True)
class IdMap:
    """A mapping of ids: two sequences of readings (single mappings). One is applied to the ids of a
    run, the other to the ids of the judgments."""

    run: tuple[IdReading, ...] = ()
    qrels: tuple[IdReading, ...] = ()

    @property
    def name(self) -> str:
        """The mapping in the syntax of `--map-docs` and `--map-queries`: "cut #", or "run: cut #;
        qrels: zeros"."""
        if self.run == self.qrels:
            return _join_names(self.run)
        sides = ((RUN, self.run), (QRELS, self.qrels))
        return "; ".join(f"{side}: {_join_names(readings)}" for side, readings in sides if readings)

    @property
    def description(self) -> str:
        """Description of the mapping in words. If the mapping differs between the run and the
        judgments, the description names the part that applies to each."""
        if self.run == self.qrels:
            return " and ".join(reading.description for reading in self.run)
        sides = (("in the run", self.run), ("in the judgments", self.qrels))
        return " and ".join(
            f"{' and '.join(reading.description for reading in readings)} {where}"
            for where, readings in sides
            if readings
        )

    def map_run_ids(self, ids: pa.Array) -> pa.Array:
        """Return the mapped ids of a run, string[n]."""
        return _apply_transforms(self.run, ids)

    def map_qrels_ids(self, ids: pa.Array) -> pa.Array:
        """Return the mapped ids of the judgments, string[n]."""
        return _apply_transforms(self.qrels, ids)


UNCHANGED_IDS = IdMap()
"""The mapping that leaves ids unchanged."""


def parse_id_map(text: str) -> IdMap:
    """Parse the value of `--map-docs` or `--map-queries`, such as "cut #", "case, zeros" or "run:
    cut #; qrels: drop D-".

    Rules are separated by commas. They apply to both the run and the judgments, unless "run:" or
    "qrels:" precedes them. Raises ParameterError for a malformed rule."""
    sides: dict[str, tuple[IdReading, ...]] = {}
    for part in text.split("; "):
        side, colon, rest = part.partition(": ")
        has_side = bool(colon) and side.strip() in (RUN, QRELS)
        readings = tuple(
            parse_id_transform(name) for name in (rest if has_side else part).split(", ")
        )
        for target in (side.strip(),) if has_side else (RUN, QRELS):
            sides[target] = sides.get(target, ()) + readings
    return IdMap(sides.get(RUN, ()), sides.get(QRELS, ()))


def parse_id_transform(name: str) -> IdReading:
    """Return the id reading (a single mapping of ids) with this name. Raises ParameterError."""
    name = name.strip()
    if name in _PLAIN:
        description, function = _PLAIN[name]
        return IdReading(name, description, function, cuts=name in _CUTTING)
    verb, _, argument = name.partition(" ")
    last = argument.removeprefix("first ") if verb in ("cut", "after") else argument
    first = argument != last
    if (verb, first) in _WITH_TEXT and last:
        pattern, description = _WITH_TEXT[verb, first]
        return IdReading(
            name, description.format(last), _remove_pattern(pattern.format(re.escape(last)))
        )
    length = parse_whole_number(argument) if verb == "first" else None
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


def is_safe_id_map(id_map: IdMap, run: pa.Array, qrels: pa.Array) -> bool:
    """Return whether a mapping may be proposed, given all distinct ids of a run and of the
    judgments.

    Distinct ids must stay distinct, both in the run and in the judgments. A mapping that cuts parts
    off ids of both could merge ids from two different sources. Such a mapping is only safe if no id
    matches without it, and if it cuts the same part off every id of the run, and the same part off
    every id of the judgments."""
    for ids, read_ids in ((run, id_map.map_run_ids(run)), (qrels, id_map.map_qrels_ids(qrels))):
        if len(read_ids.unique()) < len(ids):
            return False
    if not (_cuts_any_id(id_map.run, run) and _cuts_any_id(id_map.qrels, qrels)):
        return True
    if pc.any(pc.is_in(run, value_set=qrels)).as_py():
        return False
    return _cuts_same_part(id_map.run, run) and _cuts_same_part(id_map.qrels, qrels)


def _cuts_any_id(readings: Sequence[IdReading], ids: pa.Array) -> bool:
    """Whether one of the readings (single id mappings) cuts a part off at least one of the ids."""
    for reading in readings:
        read_ids = reading(ids)
        if reading.cuts and not read_ids.equals(ids):
            return True
        ids = read_ids
    return False


def _cuts_same_part(readings: Sequence[IdReading], ids: pa.Array) -> bool:
    """Whether every reading that cuts ids cuts the same part off every id."""
    for reading in readings:
        read_ids = reading(ids)
        if reading.cuts and not read_ids.equals(ids):
            pairs = zip(ids.to_pylist(), read_ids.to_pylist(), strict=True)
            first, *others = (_find_cut_parts(*pair) for pair in pairs)
            if first == ("", "") or any(part != first for part in others):
                return False
        ids = read_ids
    return True


def _find_cut_parts(full_id: str, remaining_id: str) -> tuple[str, str]:
    """Return the parts that were cut off an id, before and after the remaining part."""
    before, _, behind = full_id.partition(remaining_id)
    return before, behind


def find_possible_transforms(run: Sequence[str], qrels: Sequence[str]) -> list[IdReading]:
    """Return the readings (single mappings) that may make these ids of a run and of the judgments
    match, simplest first."""
    both = run, qrels
    begins = {part for ids in both for part in _find_common_parts(ids, _BEGIN)}
    ends = {part for ids in both for part in _find_common_parts(ids, _END)}
    marks = [mark for mark in MARKS if any(mark in i for ids in both for i in ids)]
    cuts = {_find_truncation_length(run, qrels), _find_truncation_length(qrels, run)}
    names = [*_PLAIN]
    names += [f"{verb} {mark}" for mark in marks for verb in ("cut", "after")]
    names += [f"drop {part}" for part in sorted(begins)]
    names += [f"drop-end {part}" for part in sorted(ends)]
    names += [f"{verb} first {mark}" for mark in marks for verb in ("cut", "after")]
    names += [f"first {n}" for n in sorted(cuts - {0})]
    return [parse_id_transform(name) for name in names if _is_valid_option_text(name)]


def _is_valid_option_text(name: str) -> bool:
    """Return whether the name of an id mapping can be passed as an option and parsed correctly."""
    return name.isprintable() and name == " ".join(name.split()) and not {",", ";"} & set(name)


def _find_common_parts(ids: Sequence[str], pattern: re.Pattern[str]) -> list[str]:
    """Return the prefixes before the first digit, or the suffixes after the last digit (depending
    on `pattern`), that many of the ids share."""
    counts = Counter(match[0] for i in ids if (match := pattern.search(i)))
    common = (part for part, count in counts.most_common(2) if count * 10 >= len(ids))
    return [part for part in common if len(part) <= _LONGEST_PART]


def _find_truncation_length(ids: Sequence[str], other_ids: Sequence[str]) -> int:
    """Return the length at which ids seem to be truncated; 0 if they do not seem truncated.

    Ids seem to be truncated if many of them have the maximum length and `other_ids` has longer
    ids."""
    lengths = [len(i) for i in ids]
    longest = max(lengths, default=0)
    longer = longest < max(map(len, other_ids), default=0)
    return longest if longer and longest > 3 and lengths.count(longest) * 5 >= len(ids) else 0


def _join_names(readings: Sequence[IdReading]) -> str:
    return ", ".join(reading.name for reading in readings)


def _apply_transforms(readings: Sequence[IdReading], ids: pa.Array) -> pa.Array:
    for reading in readings:
        ids = reading(ids)
    return ids


def _remove_pattern(pattern: str) -> _Read:
    replacement = r"\1" if "(" in pattern.replace(r"\(", "") else ""
    return lambda ids: pc.replace_substring_regex(ids, pattern, replacement)


def _decode_percent(ids: pa.Array) -> pa.Array:
    return as_text_column([unquote(i) for i in ids.to_pylist()])


def _remove_quotes(ids: pa.Array) -> pa.Array:
    return _remove_pattern(r"^b?'(.*)'$")(_remove_pattern(r'^b?"(.*)"$')(ids))


def _strip_to_file_names(ids: pa.Array) -> pa.Array:
    return _remove_pattern(r"\.[A-Za-z][A-Za-z0-9]{0,4}$")(_remove_pattern(r"^.*[/\\]")(ids))


_PLAIN: dict[str, tuple[str, _Read]] = {
    "blanks": ("blanks around ids are removed", pc.utf8_trim_whitespace),
    "case": ("upper and lower case are treated as equal", pc.utf8_lower),
    "zeros": ("leading zeros are removed", _remove_pattern("^0+")),
    ".0": ("a final .0 is removed", _remove_pattern(r"\.0+$")),
    "quotes": ("quotes around ids and Python's b prefix are removed", _remove_quotes),
    "percent": ("percent-encoding is decoded", _decode_percent),
    "file name": ("folders and file extensions are removed", _strip_to_file_names),
}
_CUTTING = (".0", "file name")
_WITH_TEXT = {
    ("cut", False): ("^(.*){0}.*$", "everything from the last {} on is removed"),
    ("cut", True): ("{0}.*$", "everything from the first {} on is removed"),
    ("after", False): ("^.*{0}", "only the part after the last {} is used"),
    ("after", True): ("^.*?{0}", "only the part after the first {} is used"),
    ("drop", False): ("^{0}", "{} at the beginning is removed"),
    ("drop-end", False): ("{0}$", "{} at the end is removed"),
}
_WITH_A_PART = ("cut #", "cut first #", "after _", "after first _", "drop D-", "drop-end .txt")
