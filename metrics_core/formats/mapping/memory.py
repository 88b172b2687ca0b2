"""Records that a program holds, read as those of a file: by a tool's preset, else by the inferred
mapping."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from itertools import chain
from typing import Any

from metrics_core.formats.declaring import PRESETS
from metrics_core.formats.mapping import lists, preset_files
from metrics_core.formats.mapping.axes import PythonValues, Records
from metrics_core.formats.mapping.paths import parse_path
from metrics_core.formats.mapping.presets import Preset
from metrics_core.formats.registry import Kind, Loaded, Request, formats
from metrics_core.formats.source.source import Source

_NAME = "the records"
_OF_WHOLES = {"queries", "corpus", "relevant_docs", "mteb_model_meta", "detailed_results"}
"""Keys of objects that presets know by more than paths."""


@cache
def known_keys() -> set[str]:
    """The keys by which presets know a record."""
    formats()  # declares them
    texts = chain.from_iterable(own.recognised_by for own in PRESETS.values())
    paths = chain.from_iterable(map(parse_path, texts))
    return _OF_WHOLES | {path.steps[0].name for path in paths if path.steps}


def preset_of(record: Mapping[str, Any], kind: Kind) -> Preset | None:
    """The preset by which a record is read as this kind."""
    if known_keys().isdisjoint(record):
        return None
    values = [plain(record)]
    found = (own for own in PRESETS.values() if kind in preset_files.kinds_in(own, values))
    return max(found, key=lambda own: own.sureness, default=None)


def read_records(
    records: Sequence[Mapping[str, Any]], request: Request
) -> tuple[Source, list[Loaded]]:
    """The run, or each of several, or the judgments that records hold, and a file that stands for
    them. Raises FileFormatError as for a file."""
    values = [plain(record) for record in records]
    source = Source(_NAME, b"")
    blocks = [Records(PythonValues(values))]
    preset = preset_of(values[0], request.kind) if values and not request.columns else None
    if preset is None:
        loaded = lists.read_lists(source, request, blocks)
    else:
        made = preset_files.mended(preset, iter(blocks), request.run_name)
        loaded = preset_files.read(preset, source, request, made)
    return source, [loaded, *loaded.others]


def plain(value: Any) -> Any:
    """A value of dictionaries, lists, texts and numbers alone."""
    if isinstance(value, Mapping):
        return {str(key): plain(own) for key, own in value.items()}
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    if isinstance(value, Iterable) and not isinstance(value, (str, bytes)):
        return [plain(own) for own in value]
    return value
