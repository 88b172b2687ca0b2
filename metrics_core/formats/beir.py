"""BEIR sets: a folder, or a zip of one, with corpus.jsonl, queries.jsonl and qrels/test.tsv."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from functools import partial
from pathlib import Path, PurePosixPath
from typing import cast

from metrics_core.base.errors import FileFormatError, LineProblem
from metrics_core.base.notes import Note
from metrics_core.formats.read_as import AS_USUAL, ReadAs
from metrics_core.formats.reading import read_source
from metrics_core.formats.registry import Kind, Loaded
from metrics_core.formats.run_folders import RUN_ENDINGS
from metrics_core.formats.source.limits import USUAL_LIMIT, Limit
from metrics_core.formats.source.members import check_count, members_of
from metrics_core.formats.source.opening import legible
from metrics_core.formats.source.unpacking import is_zip, without_packing
from metrics_core.tables import Qrels

_SPLITS = ("test", "dev", "train")


def is_set(source: str | Path | bytes) -> bool:
    """Whether a folder, or a zip file, is laid out as a BEIR set."""
    try:
        with members_of(source, "", USUAL_LIMIT, partial(_no_set, "")) as members:
            return _base(members.names) is not None
    except FileFormatError:
        return False


def read_set(
    source: str | Path | bytes,
    *,
    name: str | None,
    read_as: ReadAs,
    only: Kind | None = None,
) -> list[Loaded]:
    """Read a BEIR set from a folder, a zip of one, or the bytes of such a zip.

    Gives its documents, queries, judgments and the runs that stand beside them, or `only` those of
    a kind, each file read as `read_as` says. Of several splits of judgments the test split is
    read and a note names the others. A zip may unpack to `limit` altogether. Raises
    FileFormatError where it is no such set or one of its files cannot be read.
    """
    shown = legible(name or ("the file" if isinstance(source, bytes) else str(source)))

    def load(content: Path | bytes, member: str, kind: Kind) -> list[Loaded]:
        opened = read_as.opened(content, f"{shown}/{member}")
        return read_source(opened, replace(read_as, kind=kind), insists=kind == "qrels")

    with members_of(source, shown, Limit.of(read_as.limit), partial(_no_set, shown)) as members:
        base = _base(members.names)
        if base is None:
            raise _no_set(shown, f"{len(members.names)} files without corpus.jsonl, queries.jsonl")
        inside = [n for n in members.names if PurePosixPath(n).is_relative_to(base)]
        parts = _parts(base, inside)
        check_count(shown, len(parts))
        read = (
            load(members.content(member), member, kind)
            for member, kind in parts.items()
            if only in (None, kind)
        )
        loaded = [table for tables in read for table in tables]
        splits = _splits(base, inside)
        chosen = next((split for split, member in splits.items() if member in parts), "")
        others = sorted(splits.keys() - {chosen})
        return [_noting_splits(x, chosen, others) if x.kind == "qrels" else x for x in loaded]


def qrels_of_set(source: str | Path, read_as: ReadAs = AS_USUAL) -> Qrels | None:
    """The judgments of a BEIR set, of which nothing else is read; None where this is no set. Raises
    as `read_set`, and where the set has none."""
    if not (Path(source).is_dir() or is_zip(Path(source))) or not is_set(source):
        return None
    loaded = read_set(source, name=None, read_as=read_as, only="qrels")
    if not loaded:
        shown = legible(str(source))
        problem = LineProblem(None, "a BEIR set without qrels/test.tsv", "judgments")
        raise FileFormatError(shown, [problem], hint="Specify which file contains the judgments.")
    return cast(Qrels, loaded[0].table)


def _base(names: Collection[str]) -> PurePosixPath | None:
    """The folder in which the corpus or the queries stand; None if this is no BEIR set."""
    bases = [
        PurePosixPath(name).parent
        for name in names
        if _plain_name(name) in ("corpus.jsonl", "queries.jsonl")
    ]
    return min(bases, key=lambda base: len(base.parts), default=None)


def _plain_name(member: str) -> str:
    """The last part of a name, in lower case, without the ending of a packing."""
    return without_packing(PurePosixPath(member).name.lower())


def _parts(base: PurePosixPath, names: Collection[str]) -> dict[str, Kind]:
    """The files of a set that are read, in order, each with what it is."""
    top = {_plain_name(name): name for name in names if PurePosixPath(name).parent == base}
    parts: dict[str, Kind] = {}
    if "corpus.jsonl" in top:
        parts[top["corpus.jsonl"]] = "documents"
    if "queries.jsonl" in top:
        parts[top["queries.jsonl"]] = "queries"
    splits = _splits(base, names)
    if splits:
        parts[splits[next((split for split in _SPLITS if split in splits), min(splits))]] = "qrels"
    runs = (name for name in sorted(names) if _plain_name(name).endswith(RUN_ENDINGS))
    return parts | dict.fromkeys(runs, "run")


def _splits(base: PurePosixPath, names: Collection[str]) -> dict[str, str]:
    """The file of each split of the judgments."""
    return {
        _plain_name(name).removesuffix(".tsv"): name
        for name in sorted(names)
        if PurePosixPath(name).parent == base / "qrels" and _plain_name(name).endswith(".tsv")
    }


def _noting_splits(loaded: Loaded, chosen: str, others: list[str]) -> Loaded:
    if not others:
        return loaded
    message = f"using the judgments of split {chosen}; the set also has {', '.join(others)}"
    note = Note("splits", message, len(others), tuple(others[:3]))
    return replace(loaded, table=loaded.table.noting(note))


def _no_set(shown: str, found: str) -> FileFormatError:
    return FileFormatError(
        shown,
        [LineProblem(None, found, "a BEIR set")],
        hint="A BEIR set is a folder, or a zip of one, with corpus.jsonl, queries.jsonl and"
        " qrels/test.tsv.",
    )
