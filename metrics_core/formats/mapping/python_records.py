"""Read the records of a Python program in the same way as the records of a file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from itertools import chain
from typing import Any

from metrics_core.formats.declaring import PRESETS
from metrics_core.formats.mapping import lists, preset_files
from metrics_core.formats.mapping.axes import PythonValues, Records
from metrics_core.formats.mapping.paths import first_names, parse_path
from metrics_core.formats.mapping.presets import Preset
from metrics_core.formats.registry import Kind, Loaded, Request, formats
from metrics_core.formats.source.source import Source

_NAME = "the records"
_OBJECT_KEYS = {"queries", "corpus", "relevant_docs", "mteb_model_meta", "detailed_results"}
"""Keys of objects that presets cannot recognise by paths alone."""


@cache
def preset_keys() -> set[str]:
    """Return the keys that identify records of presets."""
    formats()  # declares them
    texts = chain.from_iterable(preset.recognised_by for preset in PRESETS.values())
    paths = chain.from_iterable(map(parse_path, texts))
    return _OBJECT_KEYS | first_names(paths)


def find_preset(record: Mapping[str, Any], kind: Kind) -> Preset | None:
    """Return the preset with which a record is read as this kind of table; None if there is
    none."""
    if preset_keys().isdisjoint(record):
        return None
    values = [to_plain_containers(record)]
    matches = (
        preset for preset in PRESETS.values() if kind in preset_files.find_kinds(preset, values)
    )
    return max(matches, key=lambda preset: preset.sureness, default=None)


def read_records(
    records: Sequence[Mapping[str, Any]], request: Request
) -> tuple[Source, list[Loaded]]:
    """Read records as judgments or as one or more runs. Returns a source that stands for the file
    in messages, and the loaded tables.

    If the preset of a tool recognises the records, it is used; otherwise the mapping is inferred.
    Raises FileFormatError in the same cases as for a file."""
    values = [to_plain_containers(record) for record in records]
    source = Source(_NAME, b"")
    blocks = [Records(PythonValues(values))]
    preset = find_preset(values[0], request.kind) if values and not request.columns else None
    if preset is None:
        loaded = lists.read_lists(source, request, blocks)
    else:
        mended_blocks = preset_files.mend_blocks(preset, iter(blocks), request.run_name)
        loaded = preset_files.read_preset(preset, source, request, mended_blocks)
    return source, [loaded, *loaded.others]


def to_plain_containers(value: Any) -> Any:
    """Convert all containers inside a value to dictionaries and lists."""
    if isinstance(value, Mapping):
        return {str(key): to_plain_containers(item) for key, item in value.items()}
    if hasattr(value, "tolist"):
        return to_plain_containers(value.tolist())
    if isinstance(value, Iterable) and not isinstance(value, (str, bytes)):
        return [to_plain_containers(item) for item in value]
    return value
