"""Export the table of a page to a spreadsheet."""

from __future__ import annotations

import pandas as pd

from metrics_core import formats


def format_spreadsheet_csv(frame: pd.DataFrame) -> bytes:
    """Return a frame as CSV that spreadsheet programs can open."""
    return formats.spreadsheet_csv(formats.convert_whole_counts(frame))
