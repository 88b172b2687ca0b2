"""Read BEIR sets: a folder (or a zip file of a folder) with corpus.jsonl, queries.jsonl and
qrels/test.tsv."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import cast

from metrics_core.base.errors import FileFormatError, content_error
from metrics_core.base.notes import note_on_cases
from metrics_core.formats.read_as import DEFAULT_CHOICES, ReadAs
from metrics_core.formats.reading import read_source
from metrics_core.formats.registry import Kind, Loaded, add_notes
from metrics_core.formats.run_folders import RUN_ENDINGS
from metrics_core.formats.source.limits import DEFAULT_LIMIT, Limit
from metrics_core.formats.source.members import check_file_count, open_members
from metrics_core.formats.source.opening import name_source
from metrics_core.formats.source.unpacking import PathOrBytes, is_zip, strip_packing
from metrics_core.tables import Qrels

_SPLITS = ("test", "dev", "train")
_EXPECTED = (
    "a BEIR set",
    "A BEIR set is a folder with corpus.jsonl, queries.jsonl and qrels/test.tsv, or a zip of such a"
    " folder.",
)


def is_beir_set(source: PathOrBytes) -> bool:
    """Return whether a folder or zip file has the structure of a BEIR set."""
    try:
        with open_members(source, "", DEFAULT_LIMIT, _EXPECTED) as members:
            return _base_folder(members.names) is not None
    except FileFormatError:
        return False


def read_beir_set(
    source: PathOrBytes,
    *,
    name: str | None,
    read_as: ReadAs,
    only_kind: Kind | None = None,
) -> list[Loaded]:
    """Read a BEIR set from a folder, a zip of the folder, or the bytes of the zip.

    Returns the documents, queries, judgments and runs of the set, or only the tables of
    `only_kind`. Each file is read with the options `read_as`. If the judgments have several splits,
    only one is read: test if it exists, otherwise dev, otherwise train. A note names the splits
    that are not read. The size limit in `read_as` applies to all unpacked files of a zip together.
    Raises FileFormatError if the source is not a BEIR set or a file cannot be read."""
    source_name = name_source(source, name)

    def load_member(content: Path | bytes, member: str, kind: Kind) -> list[Loaded]:
        member_source = read_as.open_file(content, f"{source_name}/{member}")
        return read_source(member_source, replace(read_as, kind=kind), force_kind=kind == "qrels")

    limit = Limit.from_size(read_as.limit)
    with open_members(source, source_name, limit, _EXPECTED) as members:
        base = _base_folder(members.names)
        if base is None:
            actual = f"{len(members.names)} files, but no corpus.jsonl and no queries.jsonl"
            raise content_error(source_name, actual, *_EXPECTED)
        set_names = [n for n in members.names if PurePosixPath(n).is_relative_to(base)]
        parts = _kinds_by_file(base, set_names)
        check_file_count(source_name, len(parts))
        loaded = [
            table
            for member, kind in parts.items()
            if only_kind in (None, kind)
            for table in load_member(members.content(member), member, kind)
        ]
        splits = _find_splits(base, set_names)
        qrels_split = next((split for split, member in splits.items() if member in parts), "")
        other_splits = sorted(splits.keys() - {qrels_split})
        return [
            _add_splits_note(x, qrels_split, other_splits) if x.kind == "qrels" else x
            for x in loaded
        ]


def read_set_qrels(source: str | Path, read_as: ReadAs = DEFAULT_CHOICES) -> Qrels | None:
    """Return the judgments of a BEIR set without reading its other files; None if the source is not
    a BEIR set.

    Raises FileFormatError in the same cases as `read_beir_set`, and if the set has no judgments."""
    if not (Path(source).is_dir() or is_zip(Path(source))) or not is_beir_set(source):
        return None
    loaded = read_beir_set(source, name=None, read_as=read_as, only_kind="qrels")
    if not loaded:
        raise content_error(
            name_source(source),
            "a BEIR set without qrels/test.tsv",
            "judgments",
            "Specify which file contains the judgments.",
        )
    return cast(Qrels, loaded[0].table)


def _base_folder(names: Collection[str]) -> PurePosixPath | None:
    """Return the folder that contains corpus or queries; None if the names do not belong to a BEIR
    set."""
    bases = [
        PurePosixPath(name).parent
        for name in names
        if _base_name(name) in ("corpus.jsonl", "queries.jsonl")
    ]
    return min(bases, key=lambda base: len(base.parts), default=None)


def _base_name(member: str) -> str:
    """Return the last part of a file path in lower case, without the file extension of a compressed
    file."""
    return strip_packing(PurePosixPath(member).name.lower())


def _kinds_by_file(base_folder: PurePosixPath, names: Collection[str]) -> dict[str, Kind]:
    """Return the files of a set that are read, in order, with the kind of table in each file."""
    top = {_base_name(name): name for name in names if PurePosixPath(name).parent == base_folder}
    parts: dict[str, Kind] = {}
    if "corpus.jsonl" in top:
        parts[top["corpus.jsonl"]] = "documents"
    if "queries.jsonl" in top:
        parts[top["queries.jsonl"]] = "queries"
    splits = _find_splits(base_folder, names)
    if splits:
        parts[splits[next((split for split in _SPLITS if split in splits), min(splits))]] = "qrels"
    runs = (name for name in sorted(names) if _base_name(name).endswith(RUN_ENDINGS))
    return parts | dict.fromkeys(runs, "run")


def _find_splits(base_folder: PurePosixPath, names: Collection[str]) -> dict[str, str]:
    """Return the judgments file of each split, by the name of the split."""
    return {
        _base_name(name).removesuffix(".tsv"): name
        for name in sorted(names)
        if PurePosixPath(name).parent == base_folder / "qrels" and _base_name(name).endswith(".tsv")
    }


def _add_splits_note(loaded: Loaded, split: str, other_splits: list[str]) -> Loaded:
    if not other_splits:
        return loaded
    message = f"using the judgments of the split {split}; other splits: {', '.join(other_splits)}"
    note = note_on_cases("splits", message, other_splits)
    return add_notes(loaded, note)
