"""Bytes out of plain and packed files, as a stream, no more of them than the limit allows."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import re
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import BinaryIO, cast

import pyarrow as pa

from metrics_core.base.errors import FileFormatError, LineProblem
from metrics_core.formats.source.limits import ORDINARY_RATIO, RATIO_FROM, Limit, size_text
from metrics_core.formats.source.other_files import refuse_other_zip

Origin = Path | bytes
"""Where the bytes are: in a file, or in memory."""

_WEIGHED_FROM, _WEIGHED_RATIO = 16 << 20, 20
"""A stream that has given so many bytes, and this many times those it took, is first weighed: run
through to see how much is in it, before anyone holds what it gives."""


def _by_arrow(codec: str) -> Callable[[BinaryIO], BinaryIO]:
    """Unpacks a stream with one of Arrow's codecs."""

    def opened(plain: BinaryIO) -> BinaryIO:
        return cast(BinaryIO, pa.CompressedInputStream(pa.PythonFile(plain, "r"), codec))

    return opened


def _by_lzma(plain: BinaryIO) -> BinaryIO:
    return cast(BinaryIO, lzma.LZMAFile(plain))


@dataclass(frozen=True)
class Packing:
    """A way to pack one file: its ending, the bytes it starts with, and what unpacks a stream."""

    ending: str
    start: re.Pattern[bytes]
    opened: Callable[[BinaryIO], BinaryIO]


PACKINGS = (
    Packing(
        ".gz",
        re.compile(rb"\x1f\x8b"),
        lambda plain: cast(BinaryIO, gzip.GzipFile(fileobj=plain)),
    ),
    Packing(".zst", re.compile(rb"\x28\xb5\x2f\xfd"), _by_arrow("zstd")),
    Packing(".lz4", re.compile(rb"\x04\x22\x4d\x18"), _by_arrow("lz4")),
    Packing(".xz", re.compile(rb"\xfd7zXZ\x00"), _by_lzma),
    # A text may begin with BZh; what follows the digit does not stand in one.
    Packing(
        ".bz2",
        re.compile(rb"BZh[1-9](?:1AY&SY|\x17rE8P\x90)"),
        lambda plain: cast(BinaryIO, bz2.BZ2File(plain)),
    ),
)

PACKING_ENDINGS = frozenset((*(packing.ending for packing in PACKINGS), ".zip"))

_START = 10
_PIECE = 4 << 20
_ZIPS = (b"PK\x03\x04", b"PK\x05\x06")
# zipfile meets damaged headers with ValueError (a seek before the start), struct.error and
# NotImplementedError as well; Arrow's ArrowInvalid is a ValueError, too.
_DAMAGED = (
    *(EOFError, zlib.error, lzma.LZMAError, gzip.BadGzipFile, zipfile.BadZipFile),
    *(ValueError, struct.error, NotImplementedError, OverflowError),
)


def unpacked(name: str, origin: Origin, size: int, limit: Limit) -> Iterator[bytes]:
    """The content in pieces of at most `size` bytes; what packs it is seen from its first bytes.

    Raises FileFormatError where the file is absent, damaged, a zip of several files, or gives more
    than the limit allows.
    """
    with readable(name), ExitStack() as closing:
        plain = closing.enter_context(opened_plain(origin))
        stream = closing.enter_context(_unpacking(name, plain, limit))
        if stream is plain:
            limit.check_size(name, size_of(origin))
        most = limit.unpacked(size_of(origin))
        total, weighed = 0, stream is plain or isinstance(stream, zipfile.ZipExtFile)
        while piece := stream.read(size):
            total += len(piece)
            if not weighed and total > max(_WEIGHED_FROM, _WEIGHED_RATIO * plain.tell()):
                _weigh(name, origin, limit)
                weighed = True
            if total > most and stream is not plain:
                raise _too_much(name, f"more than {size_text(most)}", 2 * most, limit)
            yield piece


def _weigh(name: str, origin: Origin, limit: Limit) -> None:
    """Run through a packed file; refuse it where it holds more than the limit allows."""
    most, total = limit.unpacked(size_of(origin)), 0
    with opened_plain(origin) as plain, _unpacking(name, plain, limit) as stream:
        while piece := stream.read(_PIECE):
            total += len(piece)
            if total > most:
                raise _too_much(name, f"more than {size_text(most)}", 2 * most, limit)


@contextmanager
def readable(name: str) -> Iterator[None]:
    """What goes wrong inside while a file is read becomes a FileFormatError."""
    try:
        yield
    except _DAMAGED as error:
        raise _damaged(name) from error
    except OSError as error:
        raise _unreadable(name, error) from error


def drained(name: str, stream: BinaryIO, limit: Limit) -> bytes:
    """All that a pipe gives; raises FileFormatError where that is more than a file may hold."""
    pieces: list[bytes] = []
    total = 0
    while piece := stream.read(_PIECE):
        pieces.append(piece)
        total += len(piece)
        limit.check_size(name, total)
    return b"".join(pieces)


def opened_zip(name: str, plain: Path | BinaryIO) -> zipfile.ZipFile:
    """A zip file, its directory read; raises FileFormatError where it is damaged."""
    try:
        return zipfile.ZipFile(plain)
    except _DAMAGED as error:
        raise _damaged(name) from error


def zip_members(archive: zipfile.ZipFile) -> list[str]:
    """The files in an archive, without folders and the by-files that macOS adds."""
    return [
        member
        for member in archive.namelist()
        if not member.endswith("/")
        and not member.startswith("__MACOSX/")
        and PurePosixPath(member).name != ".DS_Store"
    ]


def member_bytes(name: str, archive: zipfile.ZipFile, member: str, limit: Limit) -> bytes:
    """One member of an archive as bytes, under the same limit as any packed file."""
    info = _readable_member(name, archive, member, limit)
    with readable(name), archive.open(info) as stream:
        return stream.read()


def without_packing(name: str) -> str:
    """A file's name without the endings that say how it is packed."""
    stem, dot, ending = name.rpartition(".")
    return without_packing(stem) if dot + ending.lower() in PACKING_ENDINGS else name


def leads_out(member: str) -> bool:
    """Whether a member's name leads out of the archive."""
    path = PurePosixPath(member.replace("\\", "/"))
    return path.is_absolute() or ".." in path.parts


def is_zip(origin: Origin) -> bool:
    """Whether these bytes are a zip file."""
    if isinstance(origin, Path):
        if not origin.is_file():
            return False
        with origin.open("rb") as file:
            return file.read(4) in _ZIPS
    return origin.startswith(_ZIPS)


def opened_plain(origin: Origin) -> BinaryIO:
    """The bytes of a file as it is given, to be read anywhere in it."""
    return origin.open("rb") if isinstance(origin, Path) else io.BytesIO(origin)


def size_of(origin: Origin) -> int:
    """The bytes of a file as it is given, packed or not."""
    return origin.stat().st_size if isinstance(origin, Path) else len(origin)


def _unpacking(name: str, plain: BinaryIO, limit: Limit) -> BinaryIO:
    start = plain.read(_START)
    plain.seek(0)
    for packing in PACKINGS:
        if packing.start.match(start):
            return packing.opened(plain)
    if start.startswith(_ZIPS):
        archive = opened_zip(name, plain)
        member = _only_member(name, archive)
        return cast(BinaryIO, archive.open(_readable_member(name, archive, member, limit)))
    return plain


def _only_member(name: str, archive: zipfile.ZipFile) -> str:
    found = zip_members(archive)
    refuse_other_zip(name, found)
    if len(found) != 1:
        shown = ", ".join(f"`{n}`" for n in found[:4]) + (", …" if len(found) > 4 else "")
        raise _refused(
            name,
            f"{len(found)} files: {shown}" if found else "no file",
            "one file in the zip file",
            "A zip of several files must be a BEIR set (corpus.jsonl, queries.jsonl,"
            " qrels/test.tsv), contain only runs (NAME.res, NAME.run or NAME.trec), or contain one"
            " folder of judged ranks. Otherwise unpack it and use the files.",
        )
    return found[0]


def _readable_member(
    name: str, archive: zipfile.ZipFile, member: str, limit: Limit
) -> zipfile.ZipInfo:
    if leads_out(member):
        raise _refused(
            name,
            f"the path `{member}`, which points outside the archive",
            "plain file names in a zip file",
            "Create the zip again, without `..` in file names.",
        )
    info = archive.getinfo(member)
    if info.flag_bits & 1 or info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise _refused(
            name,
            "a password or an unsupported compression",
            "a plain zip file",
            "Unpack the file and use its contents.",
        )
    # zipfile gives no more of a member than its directory says.
    if info.file_size > limit.unpacked(info.compress_size):
        raise _too_much(name, size_text(info.file_size), info.file_size, limit)
    return info


def check_unpacked(name: str, size: int, most: int, limit: Limit) -> None:
    """Refuse the members of an archive that are `size` bytes altogether, if that is more than the
    `most` that the archive may unpack to: many may share the same bytes of it."""
    if size > most:
        raise _too_much(name, f"more than {size_text(most)}", size, limit)


def _too_much(name: str, found: str, needed: int, limit: Limit) -> FileFormatError:
    most = size_text(limit.size)
    if not limit.given:
        ordinary = f"at most {ORDINARY_RATIO} times the compressed size"
        most += f", and above {size_text(RATIO_FROM)} {ordinary}"
    found = f"a compressed file that unpacks to {found}"
    return limit.exceeded(name, found, f"at most {most}", needed, packed=True)


def _unreadable(name: str, error: OSError) -> FileFormatError:
    if error.errno is None:  # Arrow's way to say that a compressed stream is broken
        return _damaged(name)
    if isinstance(error, FileNotFoundError):
        return _refused(name, "no such file", "a file", "Check the name.")
    if isinstance(error, IsADirectoryError):
        return _refused(
            *(name, "a folder", "a file"),
            "Use the files in it, or read a folder of BEIR, runs or judged ranks as a set.",
        )
    return _refused(name, f"an operating system error ({error.strerror})", "a readable file")


def _damaged(name: str) -> FileFormatError:
    return _refused(
        name,
        "a damaged or truncated compressed file",
        f"a complete {', '.join(p.ending for p in PACKINGS)} or .zip file",
        "Copy or download the file again.",
    )


def _refused(name: str, found: str, expected: str, hint: str = "") -> FileFormatError:
    return FileFormatError(name, [LineProblem(None, found, expected)], hint=hint)
