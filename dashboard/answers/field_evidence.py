"""The Files page: evidence for the meaning of each field of a file, based on the rows that were
inspected."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from dashboard.answers.file_numbers import was_read_from_file
from dashboard.study.library import Library
from metrics_core.base import wording as w
from metrics_core.formats.fields import FileField, FileFields
from metrics_core.formats.values import is_number
from metrics_core.tables import Documents, Qrels
from metrics_core.tables.columns import ID

_FEW, _LONGEST = 6, 20
"""At most `_FEW` distinct values are listed one by one, each with at most `_LONGEST` characters."""
_MIN_SHARED = 0.5
"""Minimum share of a field's values that must be ids in other loaded files, so that the field is
taken to contain the query or document ids."""


class Evidence(NamedTuple):
    """Evidence for the meaning of a field, for example that its values are query ids. In `text`,
    names are in backticks. `fails` is true if the evidence contradicts the meaning."""

    text: str
    fails: bool = False


@dataclass(frozen=True)
class LoadedIds:
    """The values in a file's fields that are also ids in other loaded files: query ids, ids of
    judged documents, and document ids. `judgments` and `corpus` are the names of the loaded files
    with judgments and with documents, "" if no such file is loaded."""

    judgments: str
    corpus: str
    queries: frozenset[str]
    judged_ids: frozenset[str]
    documents: frozenset[str]


def find_loaded_ids(fields: FileFields, library: Library, file: str) -> LoadedIds:
    """Return the values in the fields of `file` that are also ids in other loaded files."""
    values = sorted(
        {value for column in fields.fields.values() for value in column.distinct_values}
    )
    judgments_file, corpus = library.judgments, library.used_file("documents")
    queries, judged_ids, document_ids = frozenset[str](), frozenset[str](), frozenset[str]()
    qrels = (
        None
        if judgments_file is None or was_read_from_file(judgments_file.file, file)
        else judgments_file.table
    )
    if isinstance(qrels, Qrels):
        queries = frozenset(values).intersection(qrels.query_ids)
        texts = pa.array(values, ID)
        is_judged = pc.is_in(texts, value_set=qrels.doc_ids.combine_chunks())
        judged_ids = frozenset(texts.filter(is_judged).to_pylist())
    documents = None if corpus is None or was_read_from_file(corpus.file, file) else corpus.table
    if isinstance(documents, Documents):
        column = documents.are_known(pa.array(values, ID))
        document_ids = frozenset(
            value for value, is_known in zip(values, column, strict=True) if is_known
        )
    return LoadedIds(
        judgments_file.file if judgments_file is not None and qrels is not None else "",
        corpus.file if corpus is not None and documents is not None else "",
        queries,
        judged_ids,
        document_ids,
    )


@dataclass(frozen=True)
class FieldEvidence:
    """Evidence for the meaning of a file's fields, from the values in the file and from the ids in
    other loaded files."""

    fields: FileFields
    loaded: LoadedIds

    @cached_property
    def fields_inferred_from_ids(self) -> dict[str, str]:
        """The names of the query field and of the document field: {"query": name, "doc": name}. A
        key is missing if the loaded ids do not determine the field."""
        matches: dict[str, str] = {}
        for word, ids in (("query", self.loaded.queries), ("doc", self._document_ids)):
            shares = {
                name: len(file_field.distinct_values & ids) / len(file_field.distinct_values)
                for name, file_field in self.fields.fields.items()
                if name not in matches.values() and file_field.distinct_values
            }
            best = max(shares, key=shares.__getitem__, default="")
            if shares.get(best, 0) >= _MIN_SHARED:
                matches[word] = best
        return matches

    @property
    def _document_ids(self) -> frozenset[str]:
        return self.loaded.documents if self.loaded.corpus else self.loaded.judged_ids

    def explain_field(
        self, name: str, meaning: str, field_by_meaning: Mapping[str, str]
    ) -> Evidence:
        """Return the evidence that a field has the meaning `meaning` (for example "query" or
        "grade"). If `meaning` is "", return evidence that the field is not used. `field_by_meaning`
        maps each meaning to the field that has it."""
        file_field = self.fields.fields[name]
        loaded = self.loaded
        if meaning == "query" and loaded.judgments:
            return _count_known_ids(
                file_field, loaded.queries, f"are query ids of `{loaded.judgments}`"
            )
        if meaning == "doc" and loaded.corpus:
            return _count_known_ids(file_field, loaded.documents, f"are in `{loaded.corpus}`")
        if meaning == "doc" and loaded.judgments:
            evidence = _count_known_ids(
                file_field, loaded.judged_ids, f"are judged in `{loaded.judgments}`"
            )
            return evidence._replace(fails=file_field.distinct_values.isdisjoint(loaded.judged_ids))
        query = field_by_meaning.get("query", "")
        if meaning in ("score", "rank", "grade") and not file_field.is_numeric:
            wrong = sum(not is_number(value) for value in file_field.values)
            return Evidence(
                f"{w.format_count(wrong)} of {w.format_count(len(file_field.values))} values"
                " are not numbers",
                True,
            )
        if meaning == "score":
            return self._score_evidence(name, query)
        if meaning == "rank" or (
            not meaning and file_field.is_numeric and self.fields.is_rank(name, query)
        ):
            return self._rank_evidence(name, query, field_by_meaning.get("score", ""))
        spread = _describe_values(file_field)
        doc = self.fields.fields.get(field_by_meaning.get("doc", ""))
        once = (
            not meaning
            and file_field.is_numeric
            and doc is not None
            and len(file_field.lists) < len(doc.lists)
        )
        return Evidence(f"one number per query, {spread}" if once else spread)

    def _score_evidence(self, name: str, query_field: str) -> Evidence:
        falling, rising, lists = self.fields.count_lists_by_direction(name, query_field)
        if not lists:
            return Evidence(_describe_values(self.fields.fields[name]))
        count, verb = (rising, "rises") if rising > falling else (falling, "falls")
        if count == lists:
            all_lists = f"all {w.format_count(lists)} lists" if lists > 1 else "the list"
            return Evidence(f"{verb} from row to row in {all_lists}")
        return Evidence(
            f"{verb} from row to row in {w.format_count(count)} of {w.format_count(lists)} lists"
        )

    def _rank_evidence(self, name: str, query_field: str, score_field: str) -> Evidence:
        if not self.fields.is_rank(name, query_field):
            return Evidence(_describe_values(self.fields.fields[name]))
        lists = self.fields.numbers_by_list(name, query_field)
        first, last = w.format_grade(lists[0][0]), w.format_count(max(map(max, lists)))
        text = f"from {first} to at most {last} in every list"
        if score_field and score_field != name:
            falling, _, list_count = self.fields.count_lists_by_direction(score_field, query_field)
            text += f", in the same order as `{score_field}`" if falling == list_count > 0 else ""
        return Evidence(text)


def _count_known_ids(file_field: FileField, ids: frozenset[str], meaning: str) -> Evidence:
    """Return a phrase that says how many distinct values of a field are in `ids`, which are the ids
    in a loaded file."""
    known_count, total = len(file_field.distinct_values & ids), len(file_field.distinct_values)
    if known_count == total > 1:
        return Evidence(f"all {w.format_count(total)} {meaning}")
    return Evidence(
        f"{w.format_count(known_count)} of {w.format_count(total)} {meaning}", known_count < total
    )


def _describe_values(file_field: FileField) -> str:
    """Return a phrase that describes the values of a field: the range of numbers, or the number of
    distinct strings."""
    total = len(file_field.distinct_values)
    if total == 1 and len(file_field.values) > 1:
        return "the same in each row"
    if file_field.is_numeric:
        numbers = sorted(map(float, file_field.distinct_values))
        if total <= _FEW and all(number == int(number) for number in numbers):
            return f"only {w.join_words(map(w.format_grade, numbers))}"
        return f"{w.format_grade(numbers[0])} to {w.format_grade(numbers[-1])}"
    if total == len(file_field.values):
        return "different in each row" if total > 1 else "one value"
    if total <= _FEW and all(len(value) <= _LONGEST for value in file_field.distinct_values):
        return (
            f"{w.number_word(total)} distinct values:"
            f" {w.join_words(sorted(file_field.distinct_values))}"
        )
    return (
        f"{w.format_count(total)} distinct values in {w.format_count(len(file_field.values))} rows"
    )
