"""The given scores of a study, for the runs and queries in the files with scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from dashboard.workspace import Settings
from metrics_core.measures.declaring.given_measures import PREFIX
from metrics_core.scoring.given_scores import scores_from_tables, select_measures
from metrics_core.scoring.scores import Scores
from metrics_core.tables import GivenScores


def read_file_scores(tables: Sequence[GivenScores], settings: Settings) -> Scores | None:
    """Return the given scores for the runs and queries in their files. The settings determine the
    names of the runs, whether higher or lower is better for each measure, and which measures are
    not used. If the settings exclude all measures, all are used. Returns None if there are no files
    with given scores."""
    if not tables:
        return None
    measure_names = {name for table in tables for name in table.measure_names}
    higher, lower = (
        [
            name
            for name, is_higher in settings.directions
            if is_higher == way and name in measure_names
        ]
        for way in (True, False)
    )
    scores = scores_from_tables(tables, lower=lower, higher=higher)
    unused = [name for name, is_higher in settings.directions if is_higher is None]
    used = [str(m) for m in scores.measures if str(m).removeprefix(PREFIX) not in unused]
    scores = select_measures(scores, used) if used else scores
    names = dict(settings.names)
    return replace(scores, runs=tuple(names.get(run, run) for run in scores.runs))
