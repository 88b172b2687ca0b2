"""Judged ranks as a table of their own: a few rows a query, in place of the run.

Such tables are made where a run is too large for one machine (`scoring.spark.write_judged_ranks`).
With the judgments they give what `judge` gives, but for the unjudged documents themselves and for
notes on ties.

run, query_id  text   the list
retrieved      int64  how many documents it has
judged         int64  how many documents are judged for the query; 0: the query is not judged
doc_id         text   a judged document; null: a row that only says how long the list is
rank           int64  its rank, from 1
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from metrics_core.errors import RanklensError
from metrics_core.judging.join import judged_rows
from metrics_core.judging.judged import JudgedRanks, Places, assembled
from metrics_core.tables import Qrels
from metrics_core.tables.arrays import texts_of, values_of
from metrics_core.tables.columns import coded

COLUMNS = ("run", "query_id", "retrieved", "judged", "doc_id", "rank")

_OTHER_JUDGMENTS = "Give the judgments they were made with, or make the ranks again with these."

Ints = npt.NDArray[np.int64]


def read_judged_ranks(path: str | Path, qrels: Qrels) -> list[JudgedRanks]:
    """The runs of a Parquet file of judged ranks, or of a folder of such, in the byte order of
    their names; the judgments are those that the ranks were made with, but grades may differ.
    Raises RanklensError where it is no such file, or names other judgments."""
    import pyarrow.dataset as ds  # loaded where it is needed: it takes long

    try:
        dataset = ds.dataset(path, format="parquet")
        lacking = [name for name in COLUMNS if name not in dataset.schema.names]
        table = None if lacking else dataset.to_table(columns=list(COLUMNS))
    except (pa.ArrowException, OSError) as error:
        raise RanklensError(f"{path} cannot be read as judged ranks.", str(error)) from error
    if table is None:
        raise RanklensError(
            f"{path} has no column {lacking[0]!r}, so it holds no judged ranks.",
            f"Their columns are {', '.join(COLUMNS)}.",
        )
    names = coded(table["run"])
    in_order = sorted(names.dictionary.to_pylist(), key=str.encode)
    codes = {name: code for code, name in enumerate(names.dictionary.to_pylist())}
    return [
        _ranks(name, table.filter(pc.equal(names.indices, codes[name])), qrels) for name in in_order
    ]


def _ranks(name: str, table: pa.Table, qrels: Qrels) -> JudgedRanks:
    queries = coded(table["query_id"])
    # Filtering may leave queries of other runs in the dictionary.
    query_ids = queries.dictionary
    place = pc.index_in(query_ids, value_set=texts_of(qrels.query_ids))
    of_query = values_of(pc.fill_null(place, -1)).astype(np.int32)
    row_query = of_query[values_of(queries.indices)]
    rank = values_of(table["rank"]).astype(np.int64)
    rows, qrels_rows = judged_rows(table["doc_id"].cast(pa.string()), row_query, qrels)
    _refuse_other_judgments(name, table, row_query, len(rows), qrels)
    inside = row_query >= 0
    retrieved = np.zeros(len(qrels.query_ids), dtype=np.int64)
    retrieved[row_query[inside]] = values_of(table["retrieved"])[inside]
    order = np.lexsort((rank[rows], row_query[rows]))
    return assembled(
        name,
        qrels,
        Places(
            query=row_query[rows][order].astype(np.int64),
            rank=rank[rows][order],
            qrels_row=qrels_rows[order],
            retrieved=retrieved,
        ),
        unjudged=sorted(pc.unique(table["query_id"].filter(pa.array(~inside))).to_pylist()),
        named=np.unique(row_query),
    )


def _refuse_other_judgments(
    name: str, table: pa.Table, row_query: npt.NDArray[np.int32], found: int, qrels: Qrels
) -> None:
    """Refuse ranks that know of other judged documents than these judgments."""
    judged = np.append(np.bincount(qrels.query_codes, minlength=len(qrels.query_ids)), 0)
    differs = np.flatnonzero(judged[row_query] != values_of(table["judged"]))
    if len(differs):
        row = table.slice(int(differs[0]), 1).to_pylist()[0]
        raise RanklensError(
            f"The ranks of run {name!r} were made with other judgments: query {row['query_id']} had"
            f" {row['judged']} judged documents, now it has {judged[row_query[differs[0]]]}.",
            _OTHER_JUDGMENTS,
        )
    if found != table.num_rows - table["doc_id"].null_count:
        raise RanklensError(
            f"The ranks of run {name!r} were made with other judgments: they name documents that"
            " are not judged now.",
            _OTHER_JUDGMENTS,
        )
