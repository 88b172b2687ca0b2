"""The Files page: the likely meaning of each field of a file, inferred from names and values. The
user chooses the meanings, which determine how the file is read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from dashboard.answers.field_evidence import Evidence, FieldEvidence
from metrics_core.base import wording as w
from metrics_core.formats.fields import MEANINGS, FileFields
from metrics_core.formats.parsing.chosen_columns import NO_COLUMN, WORD_OF, resolve_columns
from metrics_core.formats.parsing.columns import fold_name, infer_header_roles
from metrics_core.formats.registry import Kind

KIND_WORDS: Mapping[Kind, str] = {
    "run": "a run",
    "qrels": "judgments",
    "queries": "queries",
    "documents": "documents",
}
"""The kinds of table that a file can be read as, with their names on screen."""
KIND_NAMES: Mapping[Kind, str] = {**KIND_WORDS, "run": "run", "scores": "scores"}
"""The names of all kinds of table, without articles."""

_WORDS = {"query": "query", "doc": "document", "score": "score", "grade": "grade"}
_WORDS |= {word: word for word in ("rank", "subtopic", "title", "text")} | {"system": "run"}
_USER_WORDS = {**_WORDS, "query": "user", "doc": "item", "grade": "rating"}
_USERS, _ITEMS = ("user", "userid", "uid"), ("item", "itemid", "movieid", "asin", "productid")
_NEEDED: Mapping[Kind, tuple[str, ...]] = {
    "run": ("score", "rank"),
    "qrels": ("grade",),
    "queries": ("text",),
    "documents": ("text", "title"),
}
_MAX_UNUSED = 6
_NUMBERS = {"score", "rank", "grade"}
NOT_USED, ALL_RELEVANT = "", "'1'"


@dataclass(frozen=True)
class FieldTable:
    """The fields of a file that is read as a table of this `kind`. The meaning of a field is what
    it contains, for example "query" or "score". Three dictionaries are keyed by meaning: `words`
    has the name of the meaning on screen, `proposed_fields` the field that probably has the
    meaning, and `chosen_fields` the field that the user chose for it before."""

    evidence: FieldEvidence
    kind: Kind
    words: Mapping[str, str]
    proposed_fields: Mapping[str, str]
    chosen_fields: Mapping[str, str]

    @property
    def fields(self) -> FileFields:
        """The fields of the file with their values."""
        return self.evidence.fields

    @property
    def is_user_data(self) -> bool:
        """Whether the screen says users and items instead of queries and documents."""
        return self.words["query"] == _USER_WORDS["query"]

    @property
    def offered_meanings(self) -> list[str]:
        """The meanings (such as "query" or "score") that a field of this kind of table can have,
        and `NOT_USED`."""
        return [*MEANINGS[self.kind], NOT_USED]

    @cached_property
    def used_fields(self) -> list[str]:
        """The fields with a proposed meaning, such as "query" or "score", in the order of the
        meanings."""
        order = MEANINGS[self.kind]
        return sorted(
            self.proposed_fields.values(),
            key=[self.proposed_fields.get(word) for word in order].index,
        )

    @property
    def shown_and_folded_fields(self) -> tuple[list[str], list[str]]:
        """The fields that are always shown, and the remaining fields, which are collapsed."""
        unused = [name for name in self.fields.fields if name not in self.used_fields]
        return [*self.used_fields, *unused[:_MAX_UNUSED]], unused[_MAX_UNUSED:]

    def likely_meaning(self, name: str) -> str:
        """Return the probable meaning of a field, such as "query" or "score"."""
        return next(
            (word for word, field in self.proposed_fields.items() if field == name), NOT_USED
        )

    def meaning_label(self, meaning: str) -> str:
        """Return the name on screen of a field's meaning, such as "query" or "score"."""
        return self.words.get(meaning, "not used")

    def field_title(self, name: str) -> str:
        """Return the title of a field. Columns without a name are numbered."""
        return f"column {name}" if self.fields.has_numbered_columns else name

    def is_smallest_best(self, name: str, field_by_meaning: Mapping[str, str]) -> bool:
        """Return whether the smallest score in a field is probably the best. If the user chose this
        before, that choice is returned. Otherwise, the smallest score is best if the name of the
        field suggests it, or if the values rise in every list."""
        if self.chosen_fields.get("score", "").removeprefix("-") == name:
            return self.chosen_fields["score"].startswith("-")
        return self.fields.is_lower_better(name, field_by_meaning.get("query", ""))

    def explain_meaning(
        self, name: str, meaning: str, field_by_meaning: Mapping[str, str]
    ) -> Evidence:
        """Return the evidence that a field has this meaning, for example that it contains
        scores."""
        evidence = self.evidence.explain_field(name, meaning, field_by_meaning)
        inferred = self.fields.inferred[self.kind]
        if not meaning or evidence.fails or inferred.get(meaning) != name or "`" in evidence.text:
            return evidence
        return Evidence(f"{evidence.text}; the field’s name suggests this use")

    def find_field_problem(
        self, meaning_by_field: Mapping[str, str], *, all_relevant: bool = False
    ) -> str:
        """Return the reason why the file cannot be read with these meanings of its fields. Returns
        "" if it can. `meaning_by_field` maps field names to meanings such as "query" or "score"."""
        words = list(meaning_by_field.values())
        twice = [word for word in MEANINGS[self.kind] if words.count(word) > 1]
        if twice:
            return (
                "Several fields are set as the"
                f" {w.join_words(map(self.meaning_label, twice), 'or')}. Choose one."
            )
        ids = [word for word in ("query", "doc") if word in MEANINGS[self.kind]]
        missing_words = [self.meaning_label(word) for word in ids if word not in words]
        in_lists = any("[" in name for name, word in meaning_by_field.items() if word == "doc")
        needed = () if all_relevant or (self.kind == "run" and in_lists) else _NEEDED[self.kind]
        if needed and not {*needed} & {*words}:
            missing_words.append(self.meaning_label(needed[0]))
        return f"Choose the field for the {w.join_words(missing_words)}." if missing_words else ""

    def reading_choices(
        self,
        meaning_by_field: Mapping[str, str],
        *,
        smallest_is_best: bool = False,
        all_relevant: bool = False,
    ) -> dict[str, Any]:
        """Return the choices (kind and columns) for reading the file, so that its fields get these
        meanings."""
        columns = {word: name for name, word in meaning_by_field.items() if word}
        if smallest_is_best and "score" in columns:
            columns["score"] = f"-{columns['score']}"
        has_systems = self.kind == "run" and "system" in self.fields.inferred["run"]
        if has_systems and "system" not in columns:
            columns["system"] = NO_COLUMN
        if self.kind == "qrels" and all_relevant and "grade" not in columns:
            columns["grade"] = ALL_RELEVANT
        grades = self.fields.fields.get(columns.get("grade", ""))
        choices: dict[str, Any] = {"kind": self.kind, "columns": columns}
        if grades and grades.is_numeric and any(float(v) % 1 for v in grades.distinct_values):
            choices["grades"] = "real"
        return choices


def are_user_fields(names: Iterable[str]) -> bool:
    """Return whether the names of a file's fields suggest the data of a recommender: users and
    items in place of queries and documents."""
    folded_names = {fold_name(name.rpartition(".")[2]) for name in names}
    return not folded_names.isdisjoint((*_USERS, *_ITEMS))


def field_table(
    evidence: FieldEvidence,
    kind: Kind,
    previous_columns: Mapping[str, str],
    *,
    is_user_data: bool = False,
) -> FieldTable:
    """Return the fields with their proposed meanings, such as "query" or "score".
    `previous_columns` are the columns that the user chose before. If `is_user_data` is true, or if
    the names of the fields suggest it, queries are called users and documents are called items."""
    fields = evidence.fields
    words = _USER_WORDS if is_user_data or are_user_fields(fields.fields) else _WORDS
    chosen_fields = {
        WORD_OF.get(role, role): name for role, name in resolve_columns(previous_columns).items()
    }
    plain = {word: name.removeprefix("-") for word, name in chosen_fields.items()}
    known_fields = {word: name for word, name in plain.items() if name in fields.fields}
    proposed = fields.assign_meanings(kind, {**evidence.fields_inferred_from_ids, **known_fields})
    # If a number was chosen, no other is proposed; a choice that is no field is a constant or none.
    dropped_words = {*plain} | (_NUMBERS if not _NUMBERS.isdisjoint(plain) else set())
    for word in dropped_words - known_fields.keys():
        proposed.pop(word, None)
    if kind == "run" and "score" in proposed:
        proposed.pop("rank", None)
    return FieldTable(evidence, kind, words, proposed, chosen_fields)


def offered_kinds(fields: FileFields) -> list[Kind]:
    """Return the kinds of table that a file can be read as. If each row of the file contains a
    list, only a run and judgments are possible."""
    in_lists = any("[" in name for name in fields.fields)
    return list(KIND_WORDS)[: 2 if in_lists else None]


def has_unknown_columns(fields: FileFields) -> bool:
    """Return whether the column names fit neither a run nor judgments."""
    return all(infer_header_roles(list(fields.fields), kind).missing for kind in ("run", "qrels"))


def format_offered_grade(grade: float, offered_grades: Sequence[float], judgment: str) -> str:
    """Return the text of a button or menu entry that selects `grade` as the lowest relevant
    grade."""
    return f"any {judgment}" if grade == offered_grades[0] and grade <= 1 else w.format_grade(grade)
