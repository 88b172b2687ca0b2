"""Declare the file format of a tool by its preset.

The code that reads such files is loaded when the first file is read."""

from __future__ import annotations

from metrics_core.formats.mapping.presets import Preset
from metrics_core.formats.registry import (
    FirstRowsReader,
    Loaded,
    Reader,
    Recogniser,
    Request,
    Sample,
    Sureness,
    is_json,
    reader,
)
from metrics_core.formats.source.source import Source, is_parquet

PRESETS: dict[str, Preset] = {}
"""Presets whose files are read by the general reader, by name."""


def declare(
    preset: Preset,
    *,
    together: bool = True,
    recognise: Recogniser | None = None,
    first_rows: FirstRowsReader | None = None,
    read: Reader | None = None,
    module: str = __name__,
) -> Preset:
    """Declare a format by its preset, and return the preset.

    If `together` is true, a file may contain several tables. `recognise`, `first_rows` and `read`
    are functions for formats whose files may also be flat tables; see `registry.reader`. `module`
    is the name of the declaring module, which is `__name__` in a plug-in."""

    def recognise_records(sample: Sample) -> Sureness:
        if not is_json_or_parquet(sample):
            return {}
        from metrics_core.formats.mapping import preset_files

        return preset_files.recognise_preset(preset, sample)

    def read_records(source: Source, request: Request) -> Loaded:
        from metrics_core.formats.mapping import preset_files

        return preset_files.read_preset(preset, source, request)

    read_records.__module__ = module
    recogniser = recognise or recognise_records
    reader(
        preset.name,
        title=preset.title,
        kinds=tuple(preset.tables),
        endings=preset.endings,
        explanation=preset.explanation,
        example=preset.example,
        recognise=recogniser,
        first_rows=first_rows,
        together=recogniser if together else None,
        tools=preset.tools,
    )(read or read_records)
    if read is None:
        PRESETS[preset.name] = preset
    return preset


def is_json_or_parquet(sample: Sample) -> bool:
    """Return whether a file is JSON or Parquet."""
    return is_json(sample) or is_parquet(sample.source)
