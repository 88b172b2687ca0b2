"""Files: why a field of a file means what it means, counted over the rows that were looked at."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from dashboard.answers.file_numbers import is_of_file
from dashboard.study.library import Library
from metrics_core.base import wording as w
from metrics_core.formats.fields import FileField, FileFields
from metrics_core.formats.values import is_number
from metrics_core.tables import Documents, Qrels
from metrics_core.tables.columns import ID

_FEW, _LONGEST = 6, 20
"""Different values that are named one by one, and their characters, at most."""
_MOST_SHARED = 0.5
"""The share of a field's values that must be known ids, at least, to say what it means."""


class Evidence(NamedTuple):
    """Why a field means something, with names in `backticks`; `fails` if it speaks against it."""

    text: str
    fails: bool = False


@dataclass(frozen=True)
class LoadedIds:
    """Which values of a file's fields are ids of loaded queries and documents, and the names of the
    files that these are in; "" if there is no such file."""

    judgments: str
    corpus: str
    queries: frozenset[str]
    judged: frozenset[str]
    documents: frozenset[str]


def loaded_ids(fields: FileFields, library: Library, file: str) -> LoadedIds:
    """Return the ids of a `file` that other loaded files have."""
    values = sorted({value for own in fields.fields.values() for value in own.different})
    used, corpus = library.judgments, library.used("documents")
    queries, judged, known = frozenset[str](), frozenset[str](), frozenset[str]()
    qrels = None if used is None or is_of_file(used.file, file) else used.table
    if isinstance(qrels, Qrels):
        queries = frozenset(values).intersection(qrels.query_ids)
        texts = pa.array(values, ID)
        found = pc.is_in(texts, value_set=qrels.doc_ids.combine_chunks())
        judged = frozenset(texts.filter(found).to_pylist())
    documents = None if corpus is None or is_of_file(corpus.file, file) else corpus.table
    if isinstance(documents, Documents):
        own = documents.known(pa.array(values, ID))
        known = frozenset(value for value, there in zip(values, own, strict=True) if there)
    return LoadedIds(
        used.file if used is not None and qrels is not None else "",
        corpus.file if corpus is not None and documents is not None else "",
        queries,
        judged,
        known,
    )


@dataclass(frozen=True)
class FieldEvidence:
    """What the values of a file's fields say, beside the ids that are loaded."""

    fields: FileFields
    loaded: LoadedIds

    @cached_property
    def known(self) -> dict[str, str]:
        """The fields of the query and of the document by the loaded ids, as far as these say it."""
        found: dict[str, str] = {}
        for word, ids in (("query", self.loaded.queries), ("doc", self._documents)):
            shares = {
                name: len(own.different & ids) / len(own.different)
                for name, own in self.fields.fields.items()
                if name not in found.values() and own.different
            }
            best = max(shares, key=shares.__getitem__, default="")
            if shares.get(best, 0) >= _MOST_SHARED:
                found[word] = best
        return found

    @property
    def _documents(self) -> frozenset[str]:
        return self.loaded.documents if self.loaded.corpus else self.loaded.judged

    def of(self, name: str, word: str, meanings: Mapping[str, str]) -> Evidence:
        """Why a field has a meaning ("" for none), beside the fields of the other `meanings`."""
        own = self.fields.fields[name]
        loaded = self.loaded
        if word == "query" and loaded.judgments:
            return _known(own, loaded.queries, f"are query ids of `{loaded.judgments}`")
        if word == "doc" and loaded.corpus:
            return _known(own, loaded.documents, f"are in `{loaded.corpus}`")
        if word == "doc" and loaded.judgments:
            found = _known(own, loaded.judged, f"are judged in `{loaded.judgments}`")
            return found._replace(fails=own.different.isdisjoint(loaded.judged))
        query = meanings.get("query", "")
        if word in ("score", "rank", "grade") and not own.is_numeric:
            wrong = sum(not is_number(value) for value in own.values)
            return Evidence(f"{w.count(wrong)} of {w.count(len(own.values))} are not numbers", True)
        if word == "score":
            return self._of_scores(name, query)
        if word == "rank" or (not word and own.is_numeric and self.fields.is_counting(name, query)):
            return self._of_ranks(name, query, meanings.get("score", ""))
        spread, doc = _spread(own), self.fields.fields.get(meanings.get("doc", ""))
        once = not word and own.is_numeric and doc is not None and len(own.lists) < len(doc.lists)
        return Evidence(f"one number per query, {spread}" if once else spread)

    def _of_scores(self, name: str, query: str) -> Evidence:
        falling, rising, lists = self.fields.falls(name, query)
        if not lists:
            return Evidence(_spread(self.fields.fields[name]))
        of, verb = (rising, "rises") if rising > falling else (falling, "falls")
        if of == lists:
            every = f"all {w.count(lists)} lists" if lists > 1 else "the list"
            return Evidence(f"{verb} from row to row in {every}")
        return Evidence(f"{verb} from row to row in {w.count(of)} of {w.count(lists)} lists")

    def _of_ranks(self, name: str, query: str, score: str) -> Evidence:
        if not self.fields.is_counting(name, query):
            return Evidence(_spread(self.fields.fields[name]))
        lists = self.fields.numbers_by_list(name, query)
        first, last = w.grade(lists[0][0]), w.count(max(map(max, lists)))
        text = f"{first} to {last} in every list"
        if score and score != name:
            falling, _, counted = self.fields.falls(score, query)
            text += f", the same order as `{score}`" if falling == counted > 0 else ""
        return Evidence(text)


def _known(own: FileField, ids: frozenset[str], what: str) -> Evidence:
    """How many of the different values are among loaded ids."""
    found, every = len(own.different & ids), len(own.different)
    if found == every > 1:
        return Evidence(f"all {w.count(every)} {what}")
    return Evidence(f"{w.count(found)} of {w.count(every)} {what}", found < every)


def _spread(own: FileField) -> str:
    """The values of a field in words: the range of numbers, how many texts differ."""
    every = len(own.different)
    if every == 1 and len(own.values) > 1:
        return "the same in each row"
    if own.is_numeric:
        numbers = sorted(map(float, own.different))
        if every <= _FEW and all(number == int(number) for number in numbers):
            return f"only {w.listing(map(w.grade, numbers))}"
        return f"{w.grade(numbers[0])} to {w.grade(numbers[-1])}"
    if every == len(own.values):
        return "different in each row" if every > 1 else "one value"
    if every <= _FEW and all(len(value) <= _LONGEST for value in own.different):
        return f"{w.number(every)} distinct values: {w.listing(sorted(own.different))}"
    return f"{w.count(every)} distinct values in {w.count(len(own.values))} rows"
