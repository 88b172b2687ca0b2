"""Recommenders: what Spark's ALS recommends, and submissions with a list in each cell."""

from __future__ import annotations

import re
from collections.abc import Mapping

import numpy as np

from metrics_core.formats.declaring import declare
from metrics_core.formats.mapping.presets import Preset
from metrics_core.formats.parsing.columns import NAMES, fold
from metrics_core.formats.parsing.delimited import csv_fields, csv_records
from metrics_core.formats.registry import ASKED, SPECIFIC, Kind, Loaded, Request, Sample, Tool
from metrics_core.formats.source.source import Source

_USERS = ("user", "userId", "user_id", "userid", "userID", "user_idx")
_ITEMS = ("item", "itemId", "item_id", "itemid", "itemID", "item_idx", "movieId", "product")

declare(
    Preset(
        "spark_als",
        "Spark ALS recommendations",
        endings=(".parquet", ".json", ".jsonl"),
        explanation="What recommendForAllUsers of Spark's ALS gives: a user a record, with"
        " recommendations by their predicted rating. Gives a run.",
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
                "what the users rated: give it as judgments",
                ("recommender",),
            ),
        ),
    ),
    together=False,
)


_RECOMMENDED = re.compile(r"predictions?|predicted\w*|recommend\w*")
_LISTED = re.compile(r"labels?|items|\w*ids")

SUBMISSION = Preset(
    "submission",
    "Submission with lists in cells",
    endings=(".csv",),
    explanation="A CSV of two columns as competitions take it: a user, customer or session, and the"
    " items between blanks, the first being the best. Gives a run; where the name does not say that"
    " the items were predicted, it is asked.",
    example="customer_id,prediction\nc1,0568601043 0568601006",
    recognised_by=(),
    tables={"run": "query=query doc=docs[]", "qrels": "query=query doc=docs[] grade='1'"},
    once=("run", "qrels"),
    tools=(
        Tool(
            "Kaggle, OTTO",
            "the CSV of a submission: an id and the items between blanks",
            "a run",
            "scores: the order ranks",
            ("recommender",),
        ),
    ),
)


def recognise_submission(sample: Sample) -> Mapping[Kind, int]:
    """By two columns, a user's id and a list: cells of the second have several words."""
    rows = [csv_fields(line, ",") for line in sample.lines[:50]]
    if len(rows) < 2 or any(len(row) != 2 for row in rows) or sample.columns:
        return {}
    own, listed = map(fold, rows[0])
    several = sum(len(row[1].split()) > 1 for row in rows[1:])
    if own not in NAMES["query_id"] or not several:
        return {}
    if _RECOMMENDED.fullmatch(listed):
        return {"run": SPECIFIC}
    is_list = _LISTED.fullmatch(listed) and several >= len(rows[1:]) / 2
    return dict.fromkeys(("run", "qrels"), ASKED) if is_list else {}


def read_submission(source: Source, request: Request) -> Loaded:
    """The lists of a submission."""
    from metrics_core.formats.mapping import preset_files
    from metrics_core.formats.mapping.axes import PythonValues, Records

    rows = [(line, fields) for line, _, fields in csv_records(source, ",") if fields][1:]
    values = [{"query": own[0], "docs": own[1].split() if own[1:] else None} for _, own in rows]
    records = Records(PythonValues([*values]), np.array([line for line, _ in rows], dtype=np.int64))
    return preset_files.read(SUBMISSION, source, request, iter([records]))


declare(SUBMISSION, together=False, recognise=recognise_submission, read=read_submission)
