"""Qrels of several judges (`-R qrels_jg`): each judgment group has its own ranks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from metrics_core.compatible.trec_eval import files
from metrics_core.compatible.trec_eval.ending import FILES, Ended
from metrics_core.compatible.trec_eval.labels import judged_ranks
from metrics_core.compatible.trec_eval.options import Options
from metrics_core.judging import JudgedRanks
from metrics_core.tables import Qrels, Run
from metrics_core.tables.repeats import repeated_rows


def read_groups(path: str, options: Options) -> Groups:
    """The judgments of all groups. Ends where a group judges a document twice."""
    data = files.read_bytes(path, what="qrels")
    fields = ("query_id", "group", "doc_id", "relevance")
    layout = files.judgments_layout(*fields, comments=options.version == "10.0")
    table = files.read_table(data, layout, path)
    query, group = _codes(table["query_id"]), _codes(table["group"])
    queries = table["query_id"].chunk(0).dictionary.to_pylist()
    names = table["group"].chunk(0).dictionary.to_pylist()
    pairs, code = np.unique(query * len(names) + group, return_inverse=True)
    repeated, _ = repeated_rows(code.astype(np.int32), table["doc_id"])
    if len(repeated):
        raise Ended(
            FILES, "trec_eval.get_qrels: duplicate docs", f"trec_eval: Quit in file '{path}'"
        )
    owner = [(queries[p // len(names)], names[p % len(names)]) for p in pairs.tolist()]
    return Groups(code, table["doc_id"], files.grades(table["relevance"]), owner)


def _codes(column: pa.ChunkedArray) -> npt.NDArray[np.int64]:
    return column.chunk(0).indices.to_numpy(zero_copy_only=False).astype(np.int64)


@dataclass(frozen=True)
class Groups:
    """Judgments by group: per row the number of its group, its document and its grade; `owner` is
    the query and the name of each group."""

    code: npt.NDArray[np.int64]
    doc_ids: pa.ChunkedArray
    grade: npt.NDArray[np.int64]
    owner: list[tuple[str, str]]

    @property
    def queries(self) -> list[str]:
        """The queries judged."""
        return list(dict.fromkeys(query for query, _ in self.owner))

    def _of(self, queries: Sequence[str]) -> list[int]:
        """The groups of these queries: by query, then by name."""
        place = {query: i for i, query in enumerate(queries)}
        own = [g for g, (query, _) in enumerate(self.owner) if query in place]
        return sorted(own, key=lambda g: (place[self.owner[g][0]], self.owner[g][1]))

    def ranks(self, run: Run, queries: Sequence[str], options: Options) -> JudgedRanks:
        """The ranks for each group of these queries, as if each group were a query of its own."""
        groups = self._of(queries)
        listed = {query: code for code, query in enumerate(run.query_ids)}
        codes = run.query_codes
        by_query = np.argsort(codes, kind="stable")
        edges = np.searchsorted(codes[by_query], np.arange(len(listed) + 1))
        rows_of = {q: by_query[edges[c] : edges[c + 1]] for q, c in listed.items()}
        nothing = np.empty(0, dtype=np.int64)
        rows = [rows_of.get(self.owner[g][0], nothing) for g in groups]
        table = run.table.take(pa.array(np.concatenate(rows)))
        owner = np.repeat(np.arange(len(groups)), [len(r) for r in rows])
        copied = Run(table=table.set_column(0, "query_id", _named(owner, len(groups))))
        number = np.full(len(self.owner), -1, dtype=np.int64)
        number[groups] = np.arange(len(groups))
        own = np.flatnonzero(number[self.code] >= 0)
        code = number[self.code[own]]
        judged = pa.table(
            {
                "query_id": _named(code, len(groups)),
                "doc_id": self.doc_ids.take(pa.array(own)),
                "relevance": pa.array(self.grade[own]),
            }
        )
        return judged_ranks(copied, Qrels(table=judged), _names(len(groups)), options)

    def averaged(
        self, values: npt.NDArray[np.float64], queries: Sequence[str]
    ) -> npt.NDArray[np.float64]:
        """Means over the groups of each query, from values float64[groups, L]."""
        place = {query: i for i, query in enumerate(queries)}
        own = np.array([place[self.owner[g][0]] for g in self._of(queries)])
        sums = [np.bincount(own, column, len(queries)) for column in values.T]
        return np.stack(sums, axis=1) / np.bincount(own, minlength=len(queries))[:, None]


def _names(n: int) -> list[str]:
    return [str(i) for i in range(n)]


def _named(codes: npt.NDArray[np.int64], n: int) -> pa.ChunkedArray:
    names = pa.array(_names(n), pa.string())
    coded = pa.DictionaryArray.from_arrays(pa.array(codes.astype(np.int32)), names)
    return pa.chunked_array([coded])
