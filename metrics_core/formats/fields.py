"""The fields of a file, to which the user assigns roles such as query or score.

Fields are the columns of a table by name, or the paths of records, with the values of the first
rows or records. `field_values` reads them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from metrics_core.base.wording import list_first
from metrics_core.formats.parsing.columns import DISTANCES, NAMES, fold_name
from metrics_core.formats.registry import Kind
from metrics_core.formats.values import is_number

MEANINGS: Mapping[Kind, tuple[str, ...]] = {
    "run": ("query", "doc", "score", "rank", "system"),
    "qrels": ("query", "doc", "grade", "subtopic"),
    "queries": ("query", "text"),
    "documents": ("doc", "title", "text"),
    "scores": ("query", "system", "measure", "value", "repeat"),
}
"""The roles that a field can have in each kind of table, as words that `resolve_columns`
accepts."""

_MOST_SYSTEMS, _SAMPLES = 200, 3
_IDS = ("query", "doc")
_LOSSES = (*DISTANCES, "loss", "losses", "perplexity")


@dataclass(frozen=True)
class FileField:
    """A column or path of a file, with its first values as strings.

    `lists` has, for each value, the number of the row, record or list that contains the value."""

    values: Sequence[str]
    lists: Sequence[int]

    @cached_property
    def is_numeric(self) -> bool:
        """Whether all values of the field are numbers."""
        return bool(self.values) and all(map(is_number, self.values))

    @property
    def samples(self) -> str:
        """The first three distinct values, as text."""
        return list_first(list(dict.fromkeys(self.values)), _SAMPLES)

    @cached_property
    def distinct_values(self) -> set[str]:
        """The set of distinct values."""
        return set(self.values)


@dataclass(frozen=True)
class FileFields:
    """The fields of a file by name or path, from its first `rows` rows or records.

    `inferred` has a dictionary for each kind of table. It maps each meaning (such as "query") that
    field names indicate to the name of the field."""

    fields: Mapping[str, FileField]
    rows: int
    inferred: Mapping[Kind, Mapping[str, str]]

    @property
    def has_numbered_columns(self) -> bool:
        """Whether columns are identified by numbers because the file has no column names."""
        return list(self.fields) == [str(number) for number in range(1, len(self.fields) + 1)]

    @cached_property
    def layout_key(self) -> str:
        """A string that is equal for files that can be read with the same choice of columns.

        It contains the fields, and whether each field is a number or a text. If the columns have no
        names, it also says which columns have only whole numbers."""
        words = []
        for name, field in self.fields.items():
            is_whole = self.has_numbered_columns and all(value.isdigit() for value in field.values)
            words.append(f"{name} {'whole ' * is_whole}{'number' if field.is_numeric else 'text'}")
        return "\n".join(sorted(words))

    def values_by_list(self, name: str, query: str) -> list[list[str]]:
        """Return the values of a field, grouped by list of documents.

        In a table, the rows with the same value in the field `query` form a list."""
        field, query_field = self.fields[name], self.fields.get(query)
        list_ids: Sequence[object] = field.lists
        if query_field is not None and self._have_same_lists(name, query):
            list_ids = query_field.values
        lists: dict[object, list[str]] = {}
        for list_id, value in zip(list_ids, field.values, strict=True):
            lists.setdefault(list_id, []).append(value)
        return list(lists.values())

    def numbers_by_list(self, name: str, query: str) -> list[list[float]]:
        """Return the numbers in a field, grouped by list of documents."""
        return [
            [float(value) for value in values if is_number(value)]
            for values in self.values_by_list(name, query)
        ]

    def count_lists_by_direction(self, name: str, query: str) -> tuple[int, int, int]:
        """Return three numbers of lists: the lists in which a field's numbers fall, the lists in
        which they rise, and all counted lists.

        Only lists with at least two different numbers are counted."""
        lists = [numbers for numbers in self.numbers_by_list(name, query) if len(set(numbers)) > 1]
        falling = sum(numbers == sorted(numbers, reverse=True) for numbers in lists)
        return falling, sum(numbers == sorted(numbers) for numbers in lists), len(lists)

    def is_lower_better(self, name: str, query: str) -> bool:
        """Return whether smaller numbers are probably better, because of the field's name or
        because the numbers rise within lists."""
        falling, rising, lists = self.count_lists_by_direction(name, query)
        last = name.rpartition(".")[2]
        return fold_name(last) in (*_LOSSES, *NAMES["rank"]) or (rising == lists > 1 > falling)

    def is_rank(self, name: str, query: str) -> bool:
        """Return whether the numbers of a field look like ranks: 1, 2, … or 0, 1, … in each
        list."""
        lists = self.numbers_by_list(name, query)
        return max(map(len, lists), default=0) > 1 and all(
            numbers in ([*range(1, len(numbers) + 1)], [*range(len(numbers))]) for numbers in lists
        )

    def assign_meanings(self, kind: Kind, known_meanings: Mapping[str, str]) -> dict[str, str]:
        """Return a dictionary from each meaning (such as "query" or "score") to the field that
        probably has it.

        The meanings in `known_meanings` have priority, then meanings indicated by the names of
        fields. Among the remaining fields, ids are found by position, and the text by its length. A
        field of numbers in the same lists as the documents becomes the score or grade, and a field
        that distinguishes repeated documents of a query becomes the system."""
        words, is_ranked = MEANINGS[kind], kind in ("run", "qrels")
        # A known meaning takes precedence over a name.
        meanings = {
            word: name
            for word, name in {**self.inferred.get(kind, {}), **known_meanings}.items()
            if word in known_meanings or name not in known_meanings.values()
        }
        free_names = self._free_names(meanings)
        # The last numbers of a table are its scores; numbers before them may be ids.
        score_names = [name for name in free_names if is_ranked and self.fields[name].is_numeric][
            -1:
        ]
        for word in [item for item in _IDS if item in words]:
            used_names = (*meanings.values(), *score_names)
            candidates = [name for name in free_names if name not in used_names]
            if word not in meanings and candidates:
                meanings[word] = min(candidates, key=self._id_sort_key(word == "doc" and is_ranked))
        if is_ranked:
            self._add_number_meaning(kind, meanings)
        elif not {"title", "text"} & meanings.keys() and (names := self._free_names(meanings)):
            meanings["text"] = max(names, key=lambda name: sum(map(len, self.fields[name].values)))
        if kind == "run" and "system" not in meanings:
            meanings |= self._infer_system(meanings)
        return {word: name for word, name in meanings.items() if word in words}

    def _free_names(self, meanings: Mapping[str, str]) -> list[str]:
        """Return the names of the fields without a meaning."""
        return [name for name in self.fields if name not in meanings.values()]

    def _id_sort_key(self, is_listed: bool) -> Callable[[str], tuple[bool, bool]]:
        """Return a sort key that puts the fields that are most likely ids first.

        If `is_listed` is true, the ids are the document ids of ranked lists, so strings inside
        lists come first. Otherwise, values outside lists come first."""

        def sort_key(name: str) -> tuple[bool, bool]:
            field = self.fields[name]
            in_list = [*field.lists] != [*range(self.rows)]
            return in_list != is_listed, is_listed and field.is_numeric

        return sort_key

    def _add_number_meaning(self, kind: Kind, meanings: dict[str, str]) -> None:
        """Assign a field of numbers to the meaning "score" or "grade", unless a number already has
        a meaning.

        A field that numbers the documents of each list is assigned to "rank" instead."""
        meaning, doc = "grade" if kind == "qrels" else "score", meanings.get("doc", "")
        if meaning in meanings or "rank" in meanings or doc not in self.fields:
            return
        number_names = [
            n
            for n in self._free_names(meanings)
            if self.fields[n].is_numeric and self._have_same_lists(n, doc)
        ]
        query = meanings.get("query", "")
        rank_names = [n for n in number_names if self.is_rank(n, query)]
        # Prefer numbers that fall in most lists; if tied, the last ones.
        numbers = sorted(
            (n for n in number_names if n not in rank_names),
            key=lambda n: self.count_lists_by_direction(n, query)[0],
        )
        if numbers or rank_names:
            meanings[meaning if numbers else "rank"] = (numbers or rank_names)[-1]

    def _have_same_lists(self, name: str, other_name: str) -> bool:
        """Return whether two fields have their values in the same lists."""
        return [*self.fields[name].lists] == [*self.fields[other_name].lists]

    def _infer_system(self, meanings: Mapping[str, str]) -> dict[str, str]:
        """Find a field that distinguishes repeated documents of a query. Return {"system": name of
        the field}; an empty dictionary if there is no such field."""
        pairs = [self.fields[name] for word in _IDS if (name := meanings.get(word))]
        if len(pairs) < len(_IDS) or not _has_repeated_rows(pairs):
            return {}
        names = [
            name
            for name in self._free_names(meanings)
            if 1 < len(self.fields[name].distinct_values) <= _MOST_SYSTEMS
            and not _has_repeated_rows([*pairs, self.fields[name]])
        ]
        return {"system": names[0]} if names else {}


def _has_repeated_rows(fields: Sequence[FileField]) -> bool:
    """Return whether two rows of these fields are equal. Also true if the fields have different
    numbers of values."""
    if len({len(field.values) for field in fields}) > 1:
        return len(fields) > len(_IDS)
    rows = list(zip(*(field.values for field in fields), strict=True))
    return len(set(rows)) < len(rows)
