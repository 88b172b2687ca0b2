"""The fields of a file, for saying which is which: the columns of a table by their names, or the
paths of records, with the values of the first rows or records. `field_values` reads them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from metrics_core.formats.parsing.columns import DISTANCES, NAMES, fold
from metrics_core.formats.registry import Kind
from metrics_core.formats.values import is_number

MEANINGS: Mapping[Kind, tuple[str, ...]] = {
    "run": ("query", "doc", "score", "rank", "system"),
    "qrels": ("query", "doc", "grade", "subtopic"),
    "queries": ("query", "text"),
    "documents": ("doc", "title", "text"),
}
"""What a field may be in each kind of table, by the words of `chosen_columns`."""

_MOST_SYSTEMS, _SOME = 200, 3
_IDS = ("query", "doc")
_LOSSES = (*DISTANCES, "loss", "losses", "perplexity")


def some(values: Sequence[str]) -> str:
    """The first three of some values."""
    return ", ".join([*values[:_SOME], *(["…"] if len(values) > _SOME else [])])


@dataclass(frozen=True)
class FileField:
    """The values of a column or at a path, as texts, and for each the row, record or list it is
    in."""

    values: Sequence[str]
    lists: Sequence[int]

    @cached_property
    def is_numeric(self) -> bool:
        """Whether all values are numbers."""
        return bool(self.values) and all(map(is_number, self.values))

    @property
    def samples(self) -> str:
        """The first three different values."""
        return some(list(dict.fromkeys(self.values)))

    @cached_property
    def different(self) -> set[str]:
        """The different values."""
        return set(self.values)


@dataclass(frozen=True)
class FileFields:
    """The fields of a file by name or path, of the first `rows` rows or records; `inferred` has for
    each kind of table the field of each meaning that the names say."""

    fields: Mapping[str, FileField]
    rows: int
    inferred: Mapping[Kind, Mapping[str, str]]

    @property
    def is_numbered(self) -> bool:
        """Whether the columns have numbers in place of names."""
        return list(self.fields) == [str(number) for number in range(1, len(self.fields) + 1)]

    @cached_property
    def shape(self) -> str:
        """What files have in common that are read alike: their fields, and which are numbers; of
        fields without names also which are whole."""
        words = []
        for name, field in self.fields.items():
            whole = self.is_numbered and all(value.isdigit() for value in field.values)
            words.append(f"{name} {'whole ' * whole}{'number' if field.is_numeric else 'text'}")
        return "\n".join(sorted(words))

    def by_list(self, name: str, query: str) -> list[list[str]]:
        """The values of a field for each list of documents; of a table for the rows of each value
        of the `query` field."""
        own, by = self.fields[name], self.fields.get(query)
        places: Sequence[object] = own.lists
        if by is not None and self._are_beside(name, query):
            places = by.values
        lists: dict[object, list[str]] = {}
        for place, value in zip(places, own.values, strict=True):
            lists.setdefault(place, []).append(value)
        return list(lists.values())

    def numbers_by_list(self, name: str, query: str) -> list[list[float]]:
        """The numbers of a field for each list of documents."""
        return [
            [float(value) for value in own if is_number(value)] for own in self.by_list(name, query)
        ]

    def falls(self, name: str, query: str) -> tuple[int, int, int]:
        """In how many lists the numbers of a field fall, in how many they rise, and how many lists
        there are with two different ones."""
        lists = [own for own in self.numbers_by_list(name, query) if len(set(own)) > 1]
        falling = sum(own == sorted(own, reverse=True) for own in lists)
        return falling, sum(own == sorted(own) for own in lists), len(lists)

    def is_smallest_best(self, name: str, query: str) -> bool:
        """Whether the smallest number of a field is probably the best: by its name, or since it
        rises in every list."""
        falling, rising, lists = self.falls(name, query)
        last = name.rpartition(".")[2]
        return fold(last) in (*_LOSSES, *NAMES["rank"]) or (rising == lists > 1 > falling)

    def is_counting(self, name: str, query: str) -> bool:
        """Whether the numbers of a field count each list from 1, or from 0, as ranks do."""
        lists = self.numbers_by_list(name, query)
        return max(map(len, lists), default=0) > 1 and all(
            own in ([*range(1, len(own) + 1)], [*range(len(own))]) for own in lists
        )

    def meanings(self, kind: Kind, known: Mapping[str, str]) -> dict[str, str]:
        """The likely field of each meaning: what is `known`, else what the names say, else ids by
        their place and the numbers beside the documents, or the longest texts, and the system that
        tells repeated documents apart."""
        words, is_ranked = MEANINGS[kind], kind in ("run", "qrels")
        meanings = {**self.inferred[kind], **known}
        # A name gives way to what is known.
        for word in list(meanings):
            others = [own for key, own in known.items() if key != word]
            if word not in known and meanings[word] in others:
                del meanings[word]
        free = [name for name in self.fields if name not in meanings.values()]
        # The last numbers of a table are its scores; what is before them may be ids.
        last = [name for name in free if is_ranked and self.fields[name].is_numeric][-1:]
        for word in [own for own in _IDS if own in words]:
            taken = (*meanings.values(), *last)
            left = [name for name in free if name not in taken]
            if word not in meanings and left:
                meanings[word] = min(left, key=self._likely_place(word == "doc" and is_ranked))
        if is_ranked:
            self._add_number(kind, meanings)
        elif free and not {"title", "text"} & meanings.keys():
            left = [name for name in free if name not in meanings.values()]
            meanings |= {"text": max(left, key=self._length)} if left else {}
        if kind == "run" and "system" not in meanings:
            meanings |= self._system(meanings)
        return {word: name for word, name in meanings.items() if word in words}

    def _length(self, name: str) -> int:
        return sum(map(len, self.fields[name].values))

    def _likely_place(self, is_listed: bool) -> Callable[[str], tuple[bool, bool]]:
        """How fields are sorted by where an id may be: what `is_listed` in lists, as texts."""

        def place(name: str) -> tuple[bool, bool]:
            own = self.fields[name]
            in_list = [*own.lists] != [*range(self.rows)]
            return in_list != is_listed, is_listed and own.is_numeric

        return place

    def _add_number(self, kind: Kind, meanings: dict[str, str]) -> None:
        """The numbers beside the documents that no name says, those that do not count the list."""
        number, doc = "grade" if kind == "qrels" else "score", meanings.get("doc", "")
        if number in meanings or "rank" in meanings or doc not in self.fields:
            return
        free = [name for name in self.fields if name not in meanings.values()]
        beside = [n for n in free if self.fields[n].is_numeric and self._are_beside(n, doc)]
        query = meanings.get("query", "")
        counting = [n for n in beside if self.is_counting(n, query)]
        # The last numbers, unless they order nothing.
        numbers = sorted(
            (n for n in beside if n not in counting), key=lambda n: self.falls(n, query)[0]
        )
        if numbers or counting:
            meanings[number if numbers else "rank"] = (numbers or counting)[-1]

    def _are_beside(self, name: str, other: str) -> bool:
        """Whether two fields have their values in the same lists."""
        return [*self.fields[name].lists] == [*self.fields[other].lists]

    def _system(self, meanings: Mapping[str, str]) -> dict[str, str]:
        """The field that tells repeated documents of a query apart, if there is one."""
        pairs = [self.fields[name] for word in _IDS if (name := meanings.get(word))]
        if len(pairs) < len(_IDS) or not _are_repeated(pairs):
            return {}
        free = {name: own for name, own in self.fields.items() if name not in meanings.values()}
        few = {n: own for n, own in free.items() if 1 < len(own.different) <= _MOST_SYSTEMS}
        names = [name for name, own in few.items() if not _are_repeated([*pairs, own])]
        return {"system": names[0]} if names else {}


def _are_repeated(fields: Sequence[FileField]) -> bool:
    """Whether rows of these fields occur twice, or cannot be compared."""
    if len({len(field.values) for field in fields}) > 1:
        return len(fields) > len(_IDS)
    rows = list(zip(*(field.values for field in fields), strict=True))
    return len(set(rows)) < len(rows)
