"""The names that third-party packages import to add a measure or a file format. See
`docs/extending.md`.

The names are stable. If a name is removed or its parameters change, this is listed in the
changelog, under a new minor version."""

from metrics_core.formats.declaring import declare
from metrics_core.formats.mapping.presets import Preset, Remark
from metrics_core.formats.parsing.named import load_named
from metrics_core.formats.parsing.records import to_named_columns
from metrics_core.formats.registry import LIKELY, Kind, Loaded, Request, Sample, reader
from metrics_core.formats.source.source import Source
from metrics_core.judging import JudgedRanks
from metrics_core.measures.declaring.parameters import Rel, TopK
from metrics_core.measures.declaring.registry import measure

__all__ = [
    "LIKELY",
    "JudgedRanks",
    "Kind",
    "Loaded",
    "Preset",
    "Rel",
    "Remark",
    "Request",
    "Sample",
    "Source",
    "TopK",
    "declare",
    "load_named",
    "measure",
    "reader",
    "to_named_columns",
]
