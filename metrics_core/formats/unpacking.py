"""Bytes out of plain, gzip, Zstandard and zip files, as a stream, with a cap against bombs."""

from __future__ import annotations

import gzip
import io
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import BinaryIO, cast

import pyarrow as pa

from metrics_core.errors import FileFormatError, LineProblem

Origin = Path | bytes
"""Where the bytes are: in a file, or in memory."""

MOST_UNPACKED = 4 << 30
"""Bytes that a packed file may unpack to."""

RATIO_CHECKED_FROM = 256 << 20
MOST_RATIO = 200
"""Past `RATIO_CHECKED_FROM` bytes, unpacked may be at most this many times the packed size."""

_GZIP, _ZSTD, _ZIP, _EMPTY_ZIP = b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"PK\x03\x04", b"PK\x05\x06"
_DAMAGED = (EOFError, zlib.error, gzip.BadGzipFile, zipfile.BadZipFile, pa.ArrowInvalid)


@contextmanager
def opened(name: str, origin: Origin) -> Iterator[BinaryIO]:
    """The unpacked bytes of `origin` as a stream; what packs it is seen from its first bytes.

    Raises FileFormatError where the file is absent, damaged, or a zip of several files.
    """
    try:
        with _plain(origin) as plain:
            magic = plain.read(4)
            plain.seek(0)
            if magic.startswith(_GZIP):
                with gzip.GzipFile(fileobj=plain) as stream:
                    yield cast(BinaryIO, stream)
            elif magic == _ZSTD:
                with pa.CompressedInputStream(pa.PythonFile(plain, "r"), "zstd") as stream:
                    yield stream
            elif magic in (_ZIP, _EMPTY_ZIP):
                with zipfile.ZipFile(plain) as archive:
                    with archive.open(_only_member(name, archive)) as stream:
                        yield cast(BinaryIO, stream)
            else:
                yield plain
    except OSError as error:
        raise _unreadable(name, error) from error
    except _DAMAGED as error:
        raise _damaged(name) from error
    except (RuntimeError, NotImplementedError) as error:
        if isinstance(error, RecursionError) or "zipfile" not in _module_of(error):
            raise
        raise _refused(
            name, "a zip file with a password or an unusual packing", "a plain zip file"
        ) from error


def capped(name: str, stream: BinaryIO, size: int) -> Iterator[bytes]:
    """Pieces of at most `size` bytes until the stream ends; refuses what unpacks without end."""
    packed = _packed_size(stream)
    total = 0
    while piece := stream.read(size):
        total += len(piece)
        if packed is not None and (
            total > MOST_UNPACKED or (total > RATIO_CHECKED_FROM and total > MOST_RATIO * packed)
        ):
            raise _refused(
                name,
                f"{packed:,} bytes that unpack to more than {total >> 20:,} MB",
                "a packed file of ordinary size",
                "If the content is meant to be so large, unpack the file first.",
            )
        yield piece


def members(archive: zipfile.ZipFile) -> list[str]:
    """The files in an archive, without folders and the by-files that macOS adds."""
    return [
        n
        for n in archive.namelist()
        if not n.endswith("/")
        and not n.startswith("__MACOSX/")
        and PurePosixPath(n).name != ".DS_Store"
    ]


def unsafe(member: str) -> bool:
    """Whether a member's name leads out of the archive."""
    path = PurePosixPath(member.replace("\\", "/"))
    return path.is_absolute() or ".." in path.parts


def is_zip(origin: Origin) -> bool:
    """Whether these bytes are a zip file."""
    if isinstance(origin, Path):
        return origin.is_file() and zipfile.is_zipfile(origin)
    return origin.startswith((_ZIP, _EMPTY_ZIP))


def _plain(origin: Origin) -> BinaryIO:
    if isinstance(origin, Path):
        return origin.open("rb")
    return io.BytesIO(origin)


def _only_member(name: str, archive: zipfile.ZipFile) -> str:
    found = members(archive)
    bad = [n for n in found if unsafe(n)]
    if bad:
        raise _refused(
            name,
            f"the path `{bad[0]}`, which leads out of the archive",
            "plain file names in a zip file",
            "Pack the file anew, without folders.",
        )
    if "[Content_Types].xml" in found:
        raise _refused(
            name,
            "an Office document",
            "a table in a text format or Parquet",
            "Save the sheet as CSV and give that.",
        )
    if len(found) != 1:
        shown = ", ".join(f"`{n}`" for n in found[:4]) + (", …" if len(found) > 4 else "")
        raise _refused(
            name,
            f"{len(found)} files ({shown})" if found else "none",
            "one file in a zip file",
            "A zip of several files is read only if it is a BEIR set (corpus.jsonl,"
            " queries.jsonl, qrels/test.tsv). Unpack it and give the files.",
        )
    return found[0]


def _packed_size(stream: BinaryIO) -> int | None:
    """The size of the packed bytes behind a stream; None for a plain file."""
    inner: object = stream
    if isinstance(stream, gzip.GzipFile):
        inner = stream.fileobj
    elif isinstance(stream, zipfile.ZipExtFile):
        return int(stream._orig_compress_size) if hasattr(stream, "_orig_compress_size") else 1
    elif not isinstance(stream, pa.CompressedInputStream):
        return None
    return _size(inner)


def _size(inner: object) -> int:
    raise NotImplementedError


def _unreadable(name: str, error: OSError) -> FileFormatError:
    raise NotImplementedError


def _damaged(name: str) -> FileFormatError:
    return _refused(
        name,
        "a packed file that is damaged or cut off",
        "a whole .gz, .zst or .zip file",
        "Copy or download the file again.",
    )


def _refused(name: str, found: str, expected: str, hint: str = "") -> FileFormatError:
    return FileFormatError(name, [LineProblem(None, found, expected)], hint=hint)
