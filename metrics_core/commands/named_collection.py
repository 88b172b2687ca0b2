"""A collection of ir_datasets by its name: its judgments, and where they are needed its queries and
documents. ir_datasets is loaded here only, and only when a collection is named."""

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
from metrics_core.formats.parsing.checking import qrels_table
from metrics_core.formats.read_as import ReadAs
from metrics_core.formats.source.limits import Limit, Size
from metrics_core.formats.source.source import Source
from metrics_core.tables import Documents, Qrels, Queries
from metrics_core.tables.columns import ID

_NEAR = 3


@dataclass(frozen=True)
class NamedCollection:
    """What ir_datasets has under a name; it downloads what is asked for and not there."""

    name: str
    dataset: Any

    def qrels(self, read_as: ReadAs) -> Qrels:
        """The judgments. Raises RanklensError."""
        found = self._columns("qrels", read_as.limit)
        if "relevance" not in found:
            raise RanklensError(f"The judgments of {self.name} have no grades.")
        if "subtopic_id" in found:
            found["subtopic"] = found["subtopic_id"]
        kept = ("query_id", "doc_id", "relevance", "subtopic", "iteration")
        rows = pa.table({name: pa.array(found[name], ID) for name in kept if name in found})
        return qrels_table(Source(self.name, b""), read_as.request("qrels", self.name), rows, None)

    def queries(self, limit: Size | None) -> Queries:
        """The queries. Raises RanklensError."""
        return Queries.from_columns(self._columns("queries", limit))

    def documents(self, limit: Size | None) -> Documents:
        """The documents. Raises RanklensError."""
        found = self._columns("docs", limit)
        return Documents.from_columns({name: pa.array(own, ID) for name, own in found.items()})

    def _columns(self, what: str, limit: Size | None) -> dict[str, list[str]]:
        """The records' fields of one value as texts, with what they hold to be read as text."""
        if not self.dataset.has(what):
            raise self._lacking(what)
        found: dict[str, list[str]] = {}
        size, most = 0, Limit.of(limit)
        for record in self._records(what):
            texts = {n: _as_text(v) for n, v in record._asdict().items() if _is_one_value(v)}
            if what != "qrels":
                texts.setdefault("text", _text_of(record))
            for name in list(found or texts):
                found.setdefault(name, []).append(texts.get(name, ""))
            size += sum(map(len, texts.values()))
            most.check_size(self.name, size)
        if not found:
            raise RanklensError(f"{self.name} has no {what}.")
        return found

    def _records(self, what: str) -> Iterable[Any]:
        try:
            yield from getattr(self.dataset, f"{what}_iter")()
        except (OSError, RuntimeError, EOFError) as error:
            first = w.visible(str(error).split("\n")[0] or type(error).__name__)
            raise RanklensError(
                f"ir_datasets could not get the {what} of {self.name}: {first}",
                "Check the network and the free disk space. See also the messages above.",
            ) from error

    def _lacking(self, what: str) -> RanklensError:
        there = [name for name in _names() if name.startswith(f"{self.name}/")]
        some = [name for name in there if _has(name, what)][:_NEAR]
        hint = f"Collections with them: {w.listing(some)}." if some else "Give a file instead."
        return RanklensError(f"{self.name} of ir_datasets has no {what}.", hint)


def named_collection(name: str) -> NamedCollection:
    """The collection; says that it may be downloaded, and to where. Raises RanklensError where
    there is none of the name, or ir_datasets is not installed."""
    ir_datasets = _ir_datasets()
    try:
        dataset = ir_datasets.load(name)
    except KeyError as error:
        raise RanklensError(
            f"ir_datasets has no collection {name!r}.", _nearest(name, _names())
        ) from error
    folder = ir_datasets.util.home_path()
    told = f"note: {name}: read with ir_datasets; missing files are downloaded to {folder}"
    print(w.visible(told), file=sys.stderr, flush=True)
    return NamedCollection(name, dataset)


def _ir_datasets() -> Any:
    try:
        import ir_datasets
    except ImportError as error:
        hint = f"Install it with: {install_command('ir_datasets')}"
        raise RanklensError("--collection needs ir_datasets.", hint) from error
    return ir_datasets


def _names() -> list[str]:
    return list(_ir_datasets().registry)


def _has(name: str, what: str) -> bool:
    return bool(_ir_datasets().load(name).has(what))


def _nearest(name: str, known: Sequence[str]) -> str:
    near = difflib.get_close_matches(name, known, n=_NEAR, cutoff=0.5)
    near += [other for other in known if name.lower() in other and other not in near]
    if not near:
        return "`ir_datasets list` prints all names."
    return f"Similar names: {w.listing(near[:_NEAR])}."


def _is_one_value(value: Any) -> bool:
    return value is None or isinstance(value, (str, int, float))


def _as_text(value: Any) -> str:
    return "" if value is None else str(value)


def _text_of(record: Any) -> str:
    """The text by which a query or a document is known, where it is not called so."""
    own: Callable[[], str] | None = getattr(record, "default_text", None)
    return str(own()) if own is not None else ""
