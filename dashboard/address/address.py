"""The address of a page: this module declares its fields, and is the only one that reads and writes
them.

The fields that all pages share are declared here; a field of a single page is declared with that
page. Links, the URL in the browser and the session use an `Address`; no other module knows how its
values are written."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal
from urllib.parse import parse_qs, urlencode, urlsplit

Pair = tuple[str, str]
"""A column of the queries and one value of that column."""


@dataclass(frozen=True)
class Field:
    """One parameter of an address. Its value is a string if `kind` is "one", a tuple of strings if
    it is "several", and a tuple of (column, value) pairs if it is "pairs". When the user opens
    another page through the menu, a field is dropped unless it is `lasting`."""

    name: str
    kind: Literal["one", "several", "pairs"] = "one"
    lasting: bool = True

    @property
    def empty_value(self) -> Any:
        """The value of this field in an address that does not contain it."""
        return "" if self.kind == "one" else ()

    def parse_value(self, texts: Sequence[str]) -> Any:
        """Parse the strings that represent the field in an address. If the values of the field are
        pairs, invalid pairs are dropped."""
        if self.kind == "one":
            return texts[-1] if texts else ""
        if self.kind == "several":
            return tuple(texts)
        return tuple(dict.fromkeys(pair for text in texts if (pair := _parse_pair(text))))

    def format_value(self, value: Any) -> str | list[str]:
        """Return the strings that represent a value in an address."""
        if self.kind == "pairs":
            return [f"{_quote(column)}={text}" for column, text in value]
        return list(value) if self.kind == "several" else str(value)


def _quote(column: str) -> str:
    # The first "=" ends the column, so one in its name must be quoted.
    return column.replace("%", "%25").replace("=", "%3D")


def _parse_pair(text: str) -> Pair | None:
    column, equals, value = text.partition("=")
    return (column.replace("%3D", "=").replace("%25", "%"), value) if equals else None


SHARED_QUERIES = "shared"
"""Value of the field `missing`: only queries that both compared runs list are in view. By default,
a run that lacks a query counts as having returned an empty list for it."""

NO_PAGE = Field("nopage", lasting=False)
"""The name of a requested page that does not exist. It is empty if the page exists."""

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
    Field("missing"),
    Field("test"),
    Field("correction"),
    Field("level"),
    Field("margin"),
    Field("naming", lasting=False),
    Field("for", lasting=False),
    Field("screen", lasting=False),
    NO_PAGE,
)
"""The fields of every page: collection, runs, measure, cutoff, filters, judgments and layers,
missing queries, and the method of comparison. `naming` is the run that the user is renaming, `for`
is the audience whose terms the upload page uses, and `screen` is the finding that is shown in full
size for a meeting."""


@dataclass(frozen=True)
class Address:
    """The address of a page: a value for each declared field, in the order of declaration."""

    fields: tuple[Field, ...] = SHARED_FIELDS
    values: tuple[Any, ...] = tuple(field.empty_value for field in SHARED_FIELDS)
    _place: Mapping[str, int] = field(default_factory=dict, compare=False, repr=False)

    def __post_init__(self) -> None:
        """Index the fields by name. This is done once for all addresses with the same fields."""
        if not self._place:
            positions = {declared.name: i for i, declared in enumerate(self.fields)}
            object.__setattr__(self, "_place", positions)

    @classmethod
    def create(cls, fields: Iterable[Field] = (), **values: Any) -> Address:
        """Return an address with the shared fields and the given fields. Fields without a value are
        empty."""
        declared = tuple(dict.fromkeys((*SHARED_FIELDS, *fields)))
        return cls(declared, tuple(field.empty_value for field in declared)).with_values(**values)

    def __getitem__(self, name: str) -> Any:
        """Return the value of a declared field."""
        return self.values[self._place[name]]

    def with_values(self, **changes: Any) -> Address:
        """Return the address with some values changed. Raises KeyError for an undeclared field."""
        if unknown := changes.keys() - self._place.keys():
            raise KeyError(f"no page declares {', '.join(sorted(unknown))}")
        values = list(self.values)
        for name, value in changes.items():
            values[self._place[name]] = value
        return replace(self, values=tuple(values))

    @property
    def menu_address(self) -> Address:
        """The address for the links of the menu. It contains only the fields that persist between
        pages."""
        return self.with_values(**{f.name: f.empty_value for f in self.fields if not f.lasting})

    def restrict_to_fields(self, fields: Iterable[Field]) -> Address:
        """Return the address for a page that declares these fields. Fields that only other pages
        declare are emptied, unless they persist between pages (`Field.lasting`)."""
        declared = {*SHARED_FIELDS, *fields}
        foreign = (f for f in self.fields if not f.lasting and f not in declared)
        return self.with_values(**{f.name: f.empty_value for f in foreign})

    def read(self, texts: Mapping[str, Sequence[str]]) -> Address:
        """Parse the strings of each field. Missing fields are empty."""
        return replace(
            self, values=tuple(f.parse_value(texts.get(f.name, ())) for f in self.fields)
        )

    def parameters(self) -> dict[str, str | list[str]]:
        """The query parameters, without empty fields."""
        pairs = zip(self.fields, self.values, strict=True)
        return {f.name: f.format_value(value) for f, value in pairs if value != f.empty_value}

    @property
    def query_string(self) -> str:
        """The query string with its question mark. It is empty if the address has no parameters."""
        query = urlencode(self.parameters(), doseq=True)
        return f"?{query}" if query else ""

    def link(self, page: str) -> str:
        """Return a relative link to a page. An empty page name means the first page."""
        return f"./{page}{self.query_string}"

    def make_link_function(self, page: str, field: str) -> Callable[[str], str]:
        """Return a function that turns a value of `field` into a link to `page`.

        All other fields have the values of this address. In a long table, this is faster than
        calling `link` for each row."""
        prefix = self.with_values(**{field: ""}).link(page)
        separator = "&" if "?" in prefix else "?"
        return lambda value: f"{prefix}{separator}{urlencode({field: value})}"

    def parse_link(self, link: str) -> tuple[str, Address]:
        """Return the page and the address of a link that `link` made."""
        parts = urlsplit(link)
        return parts.path.strip("./"), self.read(parse_qs(parts.query))
