"""What each page shows, as one value: study and view in, findings and frames out.

One module a page, without Streamlit and without drawing; results are kept by the study.
"""

from dashboard.answers.breakdown import (
    Breakdown,
    Second,
    breakdown,
    group_scores,
    second_breakdown,
)
from dashboard.answers.curves import Curves, curve_lines, curves, curves_soon
from dashboard.answers.data import FileRow, data, first_rows, looked_at
from dashboard.answers.document import document
from dashboard.answers.firmness import firmness, firmness_known
from dashboard.answers.measures import MeasureDetail, measure_detail, measure_list
from dashboard.answers.overview import Overview, bests, bests_known, overview
from dashboard.answers.pairs import Pairs, every_pair, pairs
from dashboard.answers.queries import Asked, QueryList, query_list
from dashboard.answers.query import QueryPage, documents_of, query
from dashboard.answers.query_filter import filter_example, filter_names, filter_vocabulary
from dashboard.answers.room import room_by_group
from dashboard.answers.slices import Slices, slices
from dashboard.answers.subset import subset
from dashboard.answers.what_if import WhatIf, what_would_be
from dashboard.answers.working import overview_steps

__all__ = [
    "Asked",
    "Breakdown",
    "Curves",
    "FileRow",
    "MeasureDetail",
    "Overview",
    "Pairs",
    "QueryList",
    "QueryPage",
    "Second",
    "Slices",
    "WhatIf",
    "bests",
    "bests_known",
    "breakdown",
    "curve_lines",
    "curves",
    "curves_soon",
    "data",
    "document",
    "documents_of",
    "every_pair",
    "filter_example",
    "filter_names",
    "filter_vocabulary",
    "firmness",
    "firmness_known",
    "first_rows",
    "group_scores",
    "looked_at",
    "measure_detail",
    "measure_list",
    "overview",
    "overview_steps",
    "pairs",
    "query",
    "query_list",
    "room_by_group",
    "second_breakdown",
    "slices",
    "subset",
    "what_would_be",
]
