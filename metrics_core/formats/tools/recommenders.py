"""Read files of recommenders: recommendations of Spark ALS, and submissions with a list in each
cell."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from metrics_core.formats.declaring import declare
from metrics_core.formats.mapping.presets import Preset
from metrics_core.formats.parsing.columns import NAMES, fold_name
from metrics_core.formats.parsing.delimited import find_separator, read_csv_records, split_csv
from metrics_core.formats.parsing.list_literals import parse_list
from metrics_core.formats.registry import (
    AMBIGUOUS,
    SPECIFIC,
    Loaded,
    Request,
    Sample,
    Sureness,
    Tool,
)
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
                "the users' ratings (load them as judgments)",
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
    " column name does not indicate predictions, you choose how the file is read.",
    example="customer_id,prediction\nc1,0568601043 0568601006",
    recognised_by=(),
    tables={"run": "query=query doc=docs[]", "qrels": "query=query doc=docs[] grade='1'"},
    once=("run", "qrels"),
    tools=(
        Tool(
            "Kaggle, OTTO",
            "a submission as CSV: an id, and items separated by blanks",
            "a run",
            "scores (the order is the ranking)",
            ("recommender",),
        ),
    ),
)


def recognise_submission(sample: Sample) -> Sureness:
    """Recognise a table of two columns: a user's id, and a list of items. Some lists must have
    several items."""
    lines = sample.lines[:50]
    rows = [split_csv(line, find_separator(lines[0])) for line in lines]
    if len(rows) < 2 or any(len(row) != 2 for row in rows) or sample.columns:
        return {}
    id_name, list_name = map(fold_name, rows[0])
    is_list = all(parse_list(row[1]) is not None for row in rows[1:])
    long_count = sum(len(row[1].split()) > 1 for row in rows[1:])
    if not (id_name in NAMES["query_id"] or (is_list and id_name.endswith("id"))) or not long_count:
        return {}
    if _RECOMMENDED.fullmatch(list_name):
        return {"run": SPECIFIC}
    is_list = is_list or bool(_LISTED.fullmatch(list_name) and long_count >= len(rows[1:]) / 2)
    return dict.fromkeys(("run", "qrels"), AMBIGUOUS) if is_list else {}


def _parse_items(cell: str) -> list[Any]:
    """Return the items in a cell. The cell contains a list literal, or items separated by
    blanks."""
    items = parse_list(cell)
    return cell.split() if items is None else items


def read_submission(source: Source, request: Request) -> Loaded:
    """Read the lists of a submission. Raises FileFormatError for a malformed row."""
    from metrics_core.formats.mapping import preset_files
    from metrics_core.formats.mapping.axes import PythonValues, Records

    head = source.head.decode().lstrip().partition("\n")[0]
    file_records = read_csv_records(source, find_separator(head))
    rows = [(line, fields) for line, _, fields in file_records if fields][1:]
    values = [
        {"query": row[0], "docs": _parse_items(row[1]) if row[1:] else None} for _, row in rows
    ]
    records = Records(PythonValues([*values]), np.array([line for line, _ in rows], dtype=np.int64))
    return preset_files.read_preset(SUBMISSION, source, request, iter([records]))


declare(SUBMISSION, together=False, recognise=recognise_submission, read=read_submission)
