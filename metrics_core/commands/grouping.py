"""Queries in groups, on the command line: `--by COLUMN --queries FILE`."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from metrics_core import formats
from metrics_core.base import frames as pd
from metrics_core.base.errors import NoSharedQueriesError, RanklensError
from metrics_core.base.notes import Note
from metrics_core.commands.reading import cleaned, say
from metrics_core.tables import Queries


def add_grouping_options(parser: argparse.ArgumentParser, by: str) -> None:
    """The options; `by` says what is printed for each group."""
    parser.add_argument("--by", metavar="COLUMN", help=by)
    parser.add_argument("--queries", metavar="FILE", help="the queries with their columns")


def groups_of(query_ids: Sequence[str], options: argparse.Namespace) -> pd.Series:
    """The group of each query by the column that was asked for; what is odd about the file goes to
    stderr. Raises RanklensError where it cannot be read, or has none of the queries."""
    from metrics_core.slicing.breakdowns import group_of

    if not options.queries:
        raise RanklensError("--by needs the queries.", "Give their file with --queries FILE.")
    queries = formats.read_queries(options.queries, encoding=options.encoding, limit=options.limit)
    say(Path(options.queries).name, queries.notes)
    if options.clean_ids:
        queries = cleaned(queries, options.queries)
    _refuse_strangers(queries, query_ids, options.queries)
    return group_of(queries, query_ids, options.by)


def say_unused(options: argparse.Namespace) -> None:
    """Tell of queries that were given and are not needed."""
    if options.queries and not options.by:
        say("--queries", [Note("unused", "only --by needs them; they were not read")])


def _refuse_strangers(queries: Queries, scored: Sequence[str], file: str) -> None:
    """Refuse a queries file with none of the scored queries: all would be in one group, (none)."""
    there = queries.frame["query_id"]
    if there.isin(list(scored)).any():
        return
    ours, theirs = (", ".join(map(repr, list(ids)[:3])) for ids in (scored, there))
    raise NoSharedQueriesError(
        f"{file} has none of the judged queries.",
        f"The judged queries are called {ours}, those of the file {theirs}.",
    )
