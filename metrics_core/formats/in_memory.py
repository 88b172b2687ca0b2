"""Runs and judgments as Python programs hold them: paths, dictionaries, DataFrames, tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from metrics_core.base import frames as pd
from metrics_core.base.errors import RanklensError
from metrics_core.formats.parsing.columns import understand
from metrics_core.formats.reading import read_qrels, read_run, read_runs
from metrics_core.formats.registry import Kind
from metrics_core.tables import Qrels, Run
from metrics_core.tables.given_numbers import finite_numbers
from metrics_core.tables.run_names import free_name

GivenRuns = Any
"""A run, or several as a list or by name: Run, path, {query_id: {doc_id: score}}, DataFrame."""
GivenQrels = Any
"""Judgments: Qrels, path, {query_id: {doc_id: relevance}}, DataFrame."""

_NAMELESS = "run"


def runs_from(given: GivenRuns) -> list[Run]:
    """One run or several, as tables. What has no name of its own is called run, run (2), … Raises
    RanklensError where there is none or one is nothing of the kind, and what reading raises."""
    if isinstance(given, (str, Path)):
        return read_runs(given)
    if _is_one(given):
        return [_run(given, _NAMELESS)]
    if isinstance(given, Mapping):
        return [_run(run, str(name)).renamed(str(name)) for name, run in given.items()]
    if not isinstance(given, Iterable):
        raise _no_table(given, "run", "score")
    runs: list[Run] = []
    for one in given:
        if isinstance(one, (str, Path)):
            runs += read_runs(one)
            continue
        run = _run(one, _NAMELESS)
        # Files and runs have names of their own: two that are alike are for the caller to rename.
        if isinstance(one, (Mapping, pd.DataFrame)):
            run = run.renamed(free_name(run.name, {r.name for r in runs}))
        runs.append(run)
    if not runs:
        raise RanklensError("No run is given.", "Give at least one: a Run, a path, a dictionary.")
    return runs


def qrels_from(given: GivenQrels) -> Qrels:
    """The judgments as a table; raises as `runs_from`."""
    if isinstance(given, Qrels):
        return given
    if isinstance(given, (str, Path)):
        return read_qrels(given)
    if isinstance(given, Mapping):
        return Qrels.from_columns(*_rows(given, "relevance"))
    if isinstance(given, pd.DataFrame):
        return Qrels.from_columns(*_columns(given, "qrels", "relevance"))
    raise _no_table(given, "qrels", "relevance")


def _is_one(given: Any) -> bool:
    """Whether this is one run: a dictionary is, unless it holds runs by name."""
    if not isinstance(given, Mapping):
        return isinstance(given, (Run, str, Path, pd.DataFrame))
    inside = next(iter(given.values()), None)
    if not isinstance(inside, Mapping):
        return not isinstance(inside, (Run, str, Path, pd.DataFrame))
    return not isinstance(next(iter(inside.values()), None), Mapping)


def _run(given: Any, name: str) -> Run:
    if isinstance(given, Run):
        return given
    if isinstance(given, (str, Path)):
        return read_run(given)
    if isinstance(given, Mapping):
        return Run.from_columns(name, *_rows(given, "score"))
    if isinstance(given, pd.DataFrame):
        return Run.from_columns(name, *_columns(given, "run", "score"))
    raise _no_table(given, "run", "score")


def _rows(given: Mapping[Any, Any], value: str) -> tuple[list[Any], list[Any], list[Any]]:
    """The columns query_id, doc_id and the value of {query_id: {doc_id: value}}."""
    for query_id, own in given.items():
        if not isinstance(own, Mapping):
            raise RanklensError(
                f"Query {query_id!r} has {type(own).__name__}, not a dictionary.",
                f"Write {{query_id: {{doc_id: {value}}}}}.",
            )
    rows = [(query, doc, v) for query, own in given.items() for doc, v in own.items()]
    queries, docs, values = zip(*rows, strict=True) if rows else ((), (), ())
    return list(queries), list(docs), list(values)


def _columns(given: pd.DataFrame, kind: Kind, value: str) -> tuple[list[Any], list[Any], Any]:
    understood = understand([str(c) for c in given.columns], kind)
    if understood.missing:
        there = ", ".join(map(str, given.columns))
        raise RanklensError(
            f"A frame of {'a run' if kind == 'run' else 'judgments'} has no column for"
            f" {' and '.join(understood.missing)}; its columns: {there}.",
            f"Name them query_id, doc_id and {value}, or by one of their usual other names.",
        )
    at = understood.roles
    by_rank = value not in at
    values = given.iloc[:, at["rank" if by_rank else value]].to_numpy()
    queries, docs = (given.iloc[:, at[role]].tolist() for role in ("query_id", "doc_id"))
    if by_rank:
        # Without a score, the rank gives the order.
        ranks = finite_numbers(
            values, "rank", lambda row: f"document {docs[row]} of query {queries[row]}"
        )
        values = -ranks.astype(np.float64)
    return queries, docs, values


def _no_table(given: Any, kind: str, value: str) -> RanklensError:
    return RanklensError(
        f"{type(given).__name__} is no {kind}.",
        f"Give a table read with read_{kind}, a path, a DataFrame, or a dictionary"
        f" {{query_id: {{doc_id: {value}}}}}.",
    )
