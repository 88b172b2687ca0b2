"""The address of a page: its fields, and the only reader and writer of them.

A field is declared once: those of every page here, those of one page beside that page. A link, the
browser's address and the session hold an Address; nothing else knows how its values are written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, Literal
from urllib.parse import parse_qs, urlencode, urlsplit

Pair = tuple[str, str]
"""A column of the queries and one of its values."""


@dataclass(frozen=True)
class Field:
    """One parameter of an address: one text, "several" texts, or "pairs" of column and value. One
    that is not `lasting` stays behind when its page is left by the menu."""

    name: str
    kind: Literal["one", "several", "pairs"] = "one"
    lasting: bool = True

    @property
    def empty(self) -> Any:
        """The value of an address that does not hold it."""
        return "" if self.kind == "one" else ()

    def read(self, texts: Sequence[str]) -> Any:
        """The value of the texts in an address; what is no pair is left out."""
        if self.kind == "one":
            return texts[-1] if texts else ""
        if self.kind == "several":
            return tuple(texts)
        return tuple(dict.fromkeys(pair for text in texts if (pair := _parse_pair(text))))

    def write(self, value: Any) -> str | list[str]:
        """The texts that stand for a value."""
        if self.kind == "pairs":
            return [f"{_quote(column)}={text}" for column, text in value]
        return list(value) if self.kind == "several" else str(value)


def _quote(column: str) -> str:
    # The first "=" ends the column, whose own name may hold one.
    return column.replace("%", "%25").replace("=", "%3D")


def _parse_pair(text: str) -> Pair | None:
    column, equals, value = text.partition("=")
    return (column.replace("%3D", "=").replace("%25", "%"), value) if equals else None


@dataclass(frozen=True)
class Control:
    """A control of every page with a few words to choose from, beside the usual "": its name in the
    address, and the words. Where it `narrows`, the queries in view depend on it and on who is
    compared."""

    name: str
    words: tuple[str, ...]
    narrows: bool = False

    def read(self, address: Address) -> str:
        """The word that an address holds; "" where it holds none of them."""
        word: str = address[self.name]
        return word if word in self.words else ""


SHARED_QUERIES = "shared"
MISSING = Control("missing", (SHARED_QUERIES,), narrows=True)
"""What a query counts that a compared run lacks: an empty list, or nothing, for only those are in
view that both list."""

CONTROLS = (MISSING,)

NO_PAGE = Field("nopage", lasting=False)
"""The page that was asked for where there is none of this name."""

SHARED_FIELDS = (
    Field("set"),
    Field("run"),
    Field("base"),
    Field("also", "several"),
    Field("m"),
    Field("k"),
    Field("where", "pairs"),
    Field("qrels"),
    Field("layers", "several"),
    *(Field(control.name) for control in CONTROLS),
    Field("test"),
    Field("correction"),
    Field("level"),
    Field("margin"),
    Field("naming", lasting=False),
    Field("for", lasting=False),
    Field("screen", lasting=False),
    NO_PAGE,
)
"""The fields of every page: collection, runs, measure, cutoff, filters, judgments and the
layers over them; what a query counts that a run lacks, and how runs are compared; the run whose
name and colour are being changed; by whose words files are asked for; which finding lies
over the page, large, for a meeting."""


@lru_cache(maxsize=1 << 12)
def _encode(declared: Field, value: Any) -> str:
    """A value as it stands in a link. A page has dozens of links, of much the same values."""
    return urlencode({declared.name: declared.write(value)}, doseq=True)


@dataclass(frozen=True)
class Address:
    """A value for each declared field, in the order of declaration."""

    fields: tuple[Field, ...] = SHARED_FIELDS
    values: tuple[Any, ...] = tuple(field.empty for field in SHARED_FIELDS)
    _place: Mapping[str, int] = field(default_factory=dict, compare=False, repr=False)

    def __post_init__(self) -> None:
        """Find where each field stands, once for all addresses of the same fields."""
        if not self._place:
            positions = {declared.name: i for i, declared in enumerate(self.fields)}
            object.__setattr__(self, "_place", positions)

    @classmethod
    def create(cls, fields: Iterable[Field] = (), **values: Any) -> Address:
        """An address with the shared fields and these; what is not given is empty."""
        declared = tuple(dict.fromkeys((*SHARED_FIELDS, *fields)))
        return cls(declared, tuple(field.empty for field in declared)).with_values(**values)

    def __getitem__(self, name: str) -> Any:
        """The value of a declared field."""
        return self.values[self._place[name]]

    def with_values(self, **changes: Any) -> Address:
        """The same with other values. Raises KeyError for a field that nobody declared."""
        if unknown := changes.keys() - self._place.keys():
            raise KeyError(f"no page declares {', '.join(sorted(unknown))}")
        values = list(self.values)
        for name, value in changes.items():
            values[self._place[name]] = value
        return replace(self, values=tuple(values))

    @property
    def menu_address(self) -> Address:
        """The address that the menu's links hold."""
        return self.with_values(**{f.name: f.empty for f in self.fields if not f.lasting})

    def restricted_to(self, fields: Iterable[Field]) -> Address:
        """Return the address of a page with these fields: what is not lasting, and only other
        pages look up, is empty."""
        declared = {*SHARED_FIELDS, *fields}
        foreign = (f for f in self.fields if not f.lasting and f not in declared)
        return self.with_values(**{f.name: f.empty for f in foreign})

    def read(self, texts: Mapping[str, Sequence[str]]) -> Address:
        """The same fields with the values that stand in an address; others become empty."""
        return replace(self, values=tuple(f.read(texts.get(f.name, ())) for f in self.fields))

    @property
    def _nonempty_fields(self) -> list[tuple[Field, Any]]:
        """The fields that are not empty, with their values."""
        pairs = zip(self.fields, self.values, strict=True)
        return [(field, value) for field, value in pairs if value != field.empty]

    def parameters(self) -> dict[str, str | list[str]]:
        """What stands behind the question mark; empty fields do not."""
        return {field.name: field.write(value) for field, value in self._nonempty_fields}

    @property
    def query(self) -> str:
        """What stands in a link from the question mark on; "" where nothing does."""
        query = "&".join(
            filter(None, (_encode(field, value) for field, value in self._nonempty_fields))
        )
        return f"?{query}" if query else ""

    def link(self, page: str) -> str:
        """A relative link to a page; "" is the first one."""
        return f"./{page}{self.query}"

    def links(self, page: str, field: str) -> Callable[[str], str]:
        """Links to a page that differ in one field alone, which holds one text; for long tables."""
        prefix = self.with_values(**{field: ""}).link(page)
        separator = "&" if "?" in prefix else "?"
        return lambda value: f"{prefix}{separator}{urlencode({field: value})}"

    def parse_link(self, link: str) -> tuple[str, Address]:
        """The page and the address of a link made by `link`."""
        parts = urlsplit(link)
        return parts.path.strip("./"), self.read(parse_qs(parts.query))
