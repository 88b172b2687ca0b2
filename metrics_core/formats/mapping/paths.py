"""Paths to values in a record, in a syntax common to JMESPath and jq, extended by keys.

    qid                    a key                      hits[].docid      in each item of a list
    details.*.hits[]       each value of an object    relevant.*~       the key of each value
    a || b                 the first with values      '1'               a constant
    pairs[][0]             first item of each pair    most(a[].b)       most frequent value
    name + time            joined                     -distance         negated number
    "Query Text"           a key with spaces or signs .                 the record itself
    hits[]?                may be missing, or a list or object in place of the other

A mapping has a path for each role: `query=qid doc=hits[].docid`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

from metrics_core.base.errors import ParameterError

StepKind = Literal["key", "item", "items", "values", "keys"]

_NAME = r'[^\s.\[\]*"\'|+?~()=,]+'
_STEP = re.compile(
    rf'\.?(?:"(?P<quoted>[^"]+)"|(?P<keys>\*~)|(?P<values>\*)|\[(?P<item>\d{{0,6}})\]|(?P<name>{_NAME}))'
    r"(?P<optional>\?)?"
)
_CONSTANT = re.compile(r"'([^']*)'")
_MOST = re.compile(r"most\((.*)\)")
_UNQUOTED = r"(?=(?:[^\"]*\"[^\"]*\")*[^\"]*$)"
_OR, _AND = re.compile(rf"\|\|{_UNQUOTED}"), re.compile(rf" \+ {_UNQUOTED}")
_ROLE = re.compile(rf"[\s,]+(?=[a-z_]+=){_UNQUOTED}")


class Step(NamedTuple):
    """One step of a path.

    kind      "key": the value of the key `name`. "item": the list item number `name`, from 0.
              "items": all list items. "values" or "keys": all values or all keys of an object
    optional  whether the step may be missing in a record. If the last step of a grade's path is
              optional, rows without a value are unjudged"""

    kind: StepKind
    name: str = ""
    optional: bool = False

    def __str__(self) -> str:
        is_plain = re.fullmatch(_NAME, self.name) and not self.name.startswith("-")
        text = {
            "key": f".{self.name}" if is_plain else f'."{self.name}"',
            "item": f"[{self.name}]",
            "items": "[]",
            "values": ".*",
            "keys": ".*~",
        }[self.kind]
        return text + "?" * self.optional


Steps = tuple[Step, ...]


@dataclass(frozen=True)
class RecordPath:
    """Path to one or more values of a record.

    steps     steps from the record; empty for a constant and for joined paths
    constant  fixed value that is used in place of a path
    reversed  whether numbers are negated
    most      whether only the most frequent value is used
    joined    paths whose strings are joined into one string"""

    steps: Steps = ()
    constant: str | None = None
    reversed: bool = False
    most: bool = False
    joined: tuple[RecordPath, ...] = ()

    def __str__(self) -> str:
        if self.constant is not None:
            return f"'{self.constant}'"
        if self.joined:
            return " + ".join(map(str, self.joined))
        text = "".join(map(str, self.steps)).removeprefix(".") or "."
        return f"most({text})" if self.most else "-" * self.reversed + text

    @property
    def plain_text(self) -> str:
        """The path as text, without the question marks of optional steps."""
        return str(replace(self, steps=tuple(s._replace(optional=False) for s in self.steps)))


Alternatives = tuple[RecordPath, ...]
"""Alternative paths. The first path with values is used."""

RolePaths = Mapping[str, Alternatives]
"""A mapping: the paths of each role, such as query or doc."""


def parse_path(text: str) -> Alternatives:
    """Parse a path, and return its alternatives: the first of them that has values is used. Raises
    ParameterError for an invalid path."""
    return tuple(_parse_alternative(part.strip(), text) for part in _OR.split(text))


def first_names(paths: Iterable[RecordPath]) -> set[str]:
    """Return the names of the keys with which the paths start."""
    return {path.steps[0].name for path in paths if path.steps}


def is_path(text: str) -> bool:
    """Return whether a string is a path of several steps or a constant, rather than a plain
    name."""
    try:
        return any(len(path.steps) != 1 for path in parse_path(text))
    except ParameterError:
        return False


def parse_mapping(text: str) -> RolePaths:
    """Parse a mapping such as `query=qid doc=hits[].docid`, and return the paths by role.

    Raises ParameterError for an invalid mapping."""
    paths: dict[str, Alternatives] = {}
    for part in _ROLE.split(text.strip()):
        role, equals, path = part.partition("=")
        if not equals or role in paths:
            raise ParameterError(
                f"{part!r} is not of the form ROLE=PATH, or repeats a role.",
                "Example of a mapping: query=qid doc=docs[].",
            )
        paths[role] = parse_path(path)
    return paths


def _parse_alternative(text: str, full_path: str) -> RecordPath:
    parts = _AND.split(text)
    if len(parts) > 1:
        return RecordPath(
            joined=tuple(_parse_alternative(part.strip(), full_path) for part in parts)
        )
    if constant := _CONSTANT.fullmatch(text):
        return RecordPath(constant=constant[1])
    if most := _MOST.fullmatch(text):
        return RecordPath(_parse_steps(most[1], full_path), most=True)
    return RecordPath(
        _parse_steps(text.removeprefix("-"), full_path), reversed=text.startswith("-")
    )


def _parse_steps(text: str, full_path: str) -> Steps:
    steps: list[Step] = []
    position = len(text) if text == "." else 0
    if not text:
        raise ParameterError(f"The path {full_path!r} has an empty part.", _HINT)
    while position < len(text):
        match = _STEP.match(text, position)
        # Names after the first need a dot before them; keys have no parts.
        is_separated = match is not None and (not steps or text[position] in ".[")
        if match is None or not is_separated or (steps and steps[-1].kind == "keys"):
            raise ParameterError(
                f"The path {full_path!r} is invalid from {text[position:]!r} on.", _HINT
            )
        steps.append(_to_step(match))
        position = match.end()
    return tuple(steps)


def _to_step(match: re.Match[str]) -> Step:
    optional = match["optional"] is not None
    if match["item"] is not None:
        return Step("item" if match["item"] else "items", match["item"], optional)
    if match["values"] or match["keys"]:
        return Step("values" if match["values"] else "keys", optional=optional)
    return Step("key", match["quoted"] or match["name"], optional)


_HINT = 'Examples of paths: qid, query.id, hits[].docid, relevant.*~, "Query Text".'
