"""Recommenders: what Spark's ALS recommends, and submissions with a list in each cell."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from metrics_core.formats.declaring import declare
from metrics_core.formats.mapping.presets import Preset
from metrics_core.formats.parsing.columns import NAMES, fold
from metrics_core.formats.parsing.delimited import csv_fields, csv_records
from metrics_core.formats.parsing.list_literals import listed_in
from metrics_core.formats.registry import ASKED, SPECIFIC, Kind, Loaded, Request, Sample, Tool
from metrics_core.formats.source.source import Source

_USERS = ("user", "userId", "user_id", "userid", "userID", "user_idx")
_ITEMS = ("item", "itemId", "item_id", "itemid", "itemID", "item_idx", "movieId", "product")

declare(
    Preset(
        "spark_als",
        "Spark ALS recommendations",
        endings=(".parquet", ".json", ".jsonl"),
        explanation="The output of Spark ALS recommendForAllUsers: one record per user, with"
        " recommendations by predicted rating. Contains a run.",
        example='{"userId": 7, "recommendations": [{"movieId": 12, "rating": 4.8}]}',
        recognised_by=(
            " || ".join(_USERS),
            " || ".join(f"recommendations[].{name}" for name in _ITEMS),
            "recommendations[].rating",
        ),
        tables={
            "run": f"query={' || '.join(_USERS)}"
            f" doc={' || '.join(f'recommendations[].{name}' for name in _ITEMS)}"
            " score=recommendations[].rating",
        },
        tools=(
            Tool(
                "Spark ALS",
                "`model.recommendForAllUsers(n).write.parquet(FOLDER)`, or as JSON",
                "a run",
                "the users' ratings: load them as judgments",
                ("recommender",),
            ),
        ),
    ),
    together=False,
)


_RECOMMENDED = re.compile(r"pred(?:iction)?s?|predicted\w*|recommend\w*")
_LISTED = re.compile(r"labels?|items|\w*ids")

SUBMISSION = Preset(
    "submission",
    "Submission with lists in cells",
    endings=(".csv", ".tsv"),
    explanation="Competition submissions as CSV or TSV with two columns: a user, customer or"
    " session, and the items, best first, separated by blanks or as a list. Contains a run; if the"
    " column name does not indicate predictions, you choose.",
    example="customer_id,prediction\nc1,0568601043 0568601006",
    recognised_by=(),
    tables={"run": "query=query doc=docs[]", "qrels": "query=query doc=docs[] grade='1'"},
    once=("run", "qrels"),
    tools=(
        Tool(
            "Kaggle, OTTO",
            "the CSV of a submission: an id, and items separated by blanks",
            "a run",
            "scores: ranked by order",
            ("recommender",),
        ),
    ),
)


def recognise_submission(sample: Sample) -> Mapping[Kind, int]:
    """By two columns, a user's id and a list: cells of the second have several words."""
    lines = sample.lines[:50]
    rows = [csv_fields(line, _separator(lines[0])) for line in lines]
    if len(rows) < 2 or any(len(row) != 2 for row in rows) or sample.columns:
        return {}
    own, listed = map(fold, rows[0])
    is_list = all(listed_in(row[1]) is not None for row in rows[1:])
    several = sum(len(row[1].split()) > 1 for row in rows[1:])
    if not (own in NAMES["query_id"] or (is_list and own.endswith("id"))) or not several:
        return {}
    if _RECOMMENDED.fullmatch(listed):
        return {"run": SPECIFIC}
    is_list = is_list or bool(_LISTED.fullmatch(listed) and several >= len(rows[1:]) / 2)
    return dict.fromkeys(("run", "qrels"), ASKED) if is_list else {}


def _separator(line: str) -> str:
    return "\t" if "\t" in line else ","


def _documents(cell: str) -> list[Any]:
    """The items of a cell: of a list, or between blanks."""
    listed = listed_in(cell)
    return cell.split() if listed is None else listed


def read_submission(source: Source, request: Request) -> Loaded:
    """The lists of a submission."""
    from metrics_core.formats.mapping import preset_files
    from metrics_core.formats.mapping.axes import PythonValues, Records

    head = source.head.decode().lstrip().partition("\n")[0]
    records_of = csv_records(source, _separator(head))
    rows = [(line, fields) for line, _, fields in records_of if fields][1:]
    values = [{"query": own[0], "docs": _documents(own[1]) if own[1:] else None} for _, own in rows]
    records = Records(PythonValues([*values]), np.array([line for line, _ in rows], dtype=np.int64))
    return preset_files.read(SUBMISSION, source, request, iter([records]))


declare(SUBMISSION, together=False, recognise=recognise_submission, read=read_submission)
