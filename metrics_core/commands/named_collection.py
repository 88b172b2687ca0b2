"""Read named collections of ir_datasets: judgments, and queries and documents if needed.

ir_datasets is imported only here, and only if a collection is named."""

from __future__ import annotations

import difflib
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from metrics_core.base import wording as w
from metrics_core.base.errors import RanklensError
from metrics_core.base.installing import install_command
from metrics_core.formats.parsing.checking import build_qrels_table
from metrics_core.formats.read_as import ReadAs
from metrics_core.formats.source.limits import Limit, Size
from metrics_core.formats.source.source import Source
from metrics_core.tables import Documents, Qrels, Queries
from metrics_core.tables.columns import ID

_MAX_SUGGESTIONS = 3


@dataclass(frozen=True)
class NamedCollection:
    """A collection of ir_datasets. Missing files are downloaded on access."""

    name: str
    dataset: Any

    def qrels(self, read_as: ReadAs) -> Qrels:
        """Return the judgments. Raises RanklensError if they have no grades or cannot be read."""
        columns = self._read_columns("qrels", read_as.limit)
        if "relevance" not in columns:
            raise RanklensError(f"The judgments of {self.name} have no grades.")
        if "subtopic_id" in columns:
            columns["subtopic"] = columns["subtopic_id"]
        names = ("query_id", "doc_id", "relevance", "subtopic", "iteration")
        rows = pa.table({name: pa.array(columns[name], ID) for name in names if name in columns})
        return build_qrels_table(
            Source(self.name, b""), read_as.build_request("qrels", self.name), rows, None
        )

    def queries(self, limit: Size | None) -> Queries:
        """Return the queries. Raises RanklensError if there are none or they cannot be read."""
        return Queries.from_columns(self._read_columns("queries", limit))

    def documents(self, limit: Size | None) -> Documents:
        """Return the documents. Raises RanklensError if there are none or they cannot be read."""
        columns = self._read_columns("docs", limit)
        return Documents.from_columns(
            {name: pa.array(values, ID) for name, values in columns.items()}
        )

    def _read_columns(self, table_name: str, limit: Size | None) -> dict[str, list[str]]:
        """Return the scalar fields of the records as text columns. Queries and documents without a
        field `text` get a column `text` with their default text."""
        if not self.dataset.has(table_name):
            raise self._missing_table_error(table_name)
        columns: dict[str, list[str]] = {}
        size, size_limit = 0, Limit.from_size(limit)
        for record in self._read_records(table_name):
            texts = {
                name: "" if value is None else str(value)
                for name, value in record._asdict().items()
                if isinstance(value, (str, int, float, type(None)))
            }
            if table_name != "qrels":
                texts.setdefault("text", _record_text(record))
            for name in list(columns or texts):
                columns.setdefault(name, []).append(texts.get(name, ""))
            size += sum(map(len, texts.values()))
            size_limit.check_size(self.name, size)
        if not columns:
            raise RanklensError(f"{self.name} has no {table_name}.")
        return columns

    def _read_records(self, table_name: str) -> Iterable[Any]:
        try:
            yield from getattr(self.dataset, f"{table_name}_iter")()
        except (OSError, RuntimeError, EOFError) as error:
            first = w.escape_controls(str(error).split("\n")[0] or type(error).__name__)
            raise RanklensError(
                f"ir_datasets could not load the {table_name} of {self.name}: {first}",
                "Check the network and the free disk space. See also the messages above.",
            ) from error

    def _missing_table_error(self, table_name: str) -> RanklensError:
        load, parts = _import_ir_datasets().load, f"{self.name}/"
        alternatives = [
            name
            for name in _collection_names()
            if name.startswith(parts) and load(name).has(table_name)
        ][:_MAX_SUGGESTIONS]
        hint = (
            f"Collections that have {table_name}: {w.join_words(alternatives)}."
            if alternatives
            else "Give a file instead."
        )
        return RanklensError(f"{self.name} of ir_datasets has no {table_name}.", hint)


def load_collection(name: str) -> NamedCollection:
    """Load a collection, and print a note that its missing files are downloaded to a folder.

    Raises RanklensError if the name is unknown or ir_datasets is not installed.
    """
    ir_datasets = _import_ir_datasets()
    try:
        dataset = ir_datasets.load(name)
    except KeyError as error:
        raise RanklensError(
            f"ir_datasets has no collection {name!r}.", _suggest_names(name, _collection_names())
        ) from error
    folder = ir_datasets.util.home_path()
    note = f"note: {name}: read with ir_datasets; missing files are downloaded to {folder}"
    print(w.escape_controls(note), file=sys.stderr, flush=True)
    return NamedCollection(name, dataset)


def _import_ir_datasets() -> Any:
    try:
        import ir_datasets
    except ImportError as error:
        hint = f"Install it with: {install_command('ir_datasets')}"
        raise RanklensError("--collection needs ir_datasets.", hint) from error
    return ir_datasets


def _collection_names() -> list[str]:
    return list(_import_ir_datasets().registry)


def _suggest_names(name: str, names: Sequence[str]) -> str:
    matches = difflib.get_close_matches(name, names, n=_MAX_SUGGESTIONS, cutoff=0.5)
    matches += [
        candidate for candidate in names if name.lower() in candidate and candidate not in matches
    ]
    if not matches:
        return "`ir_datasets list` prints all names."
    return f"Similar names: {w.join_words(matches[:_MAX_SUGGESTIONS])}."


def _record_text(record: Any) -> str:
    """Return the default text of a query or a document whose record has no field `text`."""
    default_text: Callable[[], str] | None = getattr(record, "default_text", None)
    return str(default_text()) if default_text is not None else ""
