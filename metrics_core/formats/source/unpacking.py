"""Read the bytes of plain and packed files as a stream, up to the size limit."""

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

from metrics_core.base.errors import FileFormatError, content_error
from metrics_core.base.wording import list_first
from metrics_core.formats.source.limits import RATIO_FROM, TYPICAL_RATIO, Limit, format_size
from metrics_core.formats.source.unsupported_files import refuse_unsupported_zip

Origin = Path | bytes
"""A file, or bytes in memory."""

PathOrBytes = str | Origin
"""A path as users give it, or the bytes of a file."""

_MEASURED_FROM, _MEASURED_RATIO = 16 << 20, 20
"""Once a stream has yielded more than `_MEASURED_FROM` bytes and more than `_MEASURED_RATIO` times
the compressed bytes read so far, its total size is measured by unpacking it in a separate pass."""


def _arrow_opener(codec: str) -> Callable[[BinaryIO], BinaryIO]:
    """Return a function that unpacks a stream with one of Arrow's codecs."""

    def open_stream(raw_file: BinaryIO) -> BinaryIO:
        return cast(BinaryIO, pa.CompressedInputStream(pa.PythonFile(raw_file, "r"), codec))

    return open_stream


def _open_lzma(raw_file: BinaryIO) -> BinaryIO:
    return cast(BinaryIO, lzma.LZMAFile(raw_file))


@dataclass(frozen=True)
class Packing:
    """A format in which single files are packed: its file extension, the first bytes of a file, and
    a function that unpacks a stream."""

    ending: str
    start: re.Pattern[bytes]
    open_stream: Callable[[BinaryIO], BinaryIO]


PACKINGS = (
    Packing(
        ".gz",
        re.compile(rb"\x1f\x8b"),
        lambda raw_file: cast(BinaryIO, gzip.GzipFile(fileobj=raw_file)),
    ),
    Packing(".zst", re.compile(rb"\x28\xb5\x2f\xfd"), _arrow_opener("zstd")),
    Packing(".lz4", re.compile(rb"\x04\x22\x4d\x18"), _arrow_opener("lz4")),
    Packing(".xz", re.compile(rb"\xfd7zXZ\x00"), _open_lzma),
    # A text may begin with BZh; the bytes after the digit do not occur in one.
    Packing(
        ".bz2",
        re.compile(rb"BZh[1-9](?:1AY&SY|\x17rE8P\x90)"),
        lambda raw_file: cast(BinaryIO, bz2.BZ2File(raw_file)),
    ),
)

PACKING_ENDINGS = frozenset((*(packing.ending for packing in PACKINGS), ".zip"))

_START = 10
_PIECE = 4 << 20
_ZIPS = (b"PK\x03\x04", b"PK\x05\x06")
# For damaged headers zipfile also raises ValueError (a seek before the start), struct.error and
# NotImplementedError. Arrow's ArrowInvalid is a ValueError too.
_DAMAGED = (
    *(EOFError, zlib.error, lzma.LZMAError, gzip.BadGzipFile, zipfile.BadZipFile),
    *(ValueError, struct.error, NotImplementedError, OverflowError),
)


def read_unpacked(name: str, origin: Origin, size: int, limit: Limit) -> Iterator[bytes]:
    """Yield the unpacked content of a file in pieces of at most `size` bytes.

    The compression format is recognised by the first bytes of the file. Raises FileFormatError if
    the file is missing, is damaged, is a zip of several files, or exceeds the limit."""
    with convert_read_errors(name), ExitStack() as closing:
        raw_file = closing.enter_context(open_raw(origin))
        stream = closing.enter_context(_open_unpacked(name, raw_file, limit))
        if stream is raw_file:
            limit.check_size(name, stored_size(origin))
        max_size = limit.max_unpacked_size(stored_size(origin))
        total, is_measured = 0, stream is raw_file or isinstance(stream, zipfile.ZipExtFile)
        while piece := stream.read(size):
            total += len(piece)
            if not is_measured and total > max(_MEASURED_FROM, _MEASURED_RATIO * raw_file.tell()):
                _check_unpacked_size(name, origin, limit)
                is_measured = True
            if total > max_size and stream is not raw_file:
                raise _too_large_error(
                    name, f"more than {format_size(max_size)}", 2 * max_size, limit
                )
            yield piece


def _check_unpacked_size(name: str, origin: Origin, limit: Limit) -> None:
    """Compute the unpacked size of a file by unpacking the file without storing its content. Raises
    FileFormatError if the size exceeds the limit; otherwise, nothing is returned."""
    max_size, total = limit.max_unpacked_size(stored_size(origin)), 0
    with open_raw(origin) as raw_file, _open_unpacked(name, raw_file, limit) as stream:
        while piece := stream.read(_PIECE):
            total += len(piece)
            if total > max_size:
                raise _too_large_error(
                    name, f"more than {format_size(max_size)}", 2 * max_size, limit
                )


@contextmanager
def convert_read_errors(name: str) -> Iterator[None]:
    """Convert errors raised in the `with` block while reading a file to FileFormatError."""
    try:
        yield
    except _DAMAGED as error:
        raise _damaged_error(name) from error
    except OSError as error:
        raise _read_error(name, error) from error


def read_pipe(name: str, stream: BinaryIO, limit: Limit) -> bytes:
    """Return the content of a pipe. Raises FileFormatError if the content exceeds the limit."""
    pieces: list[bytes] = []
    total = 0
    while piece := stream.read(_PIECE):
        pieces.append(piece)
        total += len(piece)
        limit.check_size(name, total)
    return b"".join(pieces)


def open_zip(name: str, raw_file: Path | BinaryIO) -> zipfile.ZipFile:
    """Open a zip file and read its directory. Raises FileFormatError if the file is damaged."""
    try:
        return zipfile.ZipFile(raw_file)
    except _DAMAGED as error:
        raise _damaged_error(name) from error


def list_zip_members(archive: zipfile.ZipFile) -> list[str]:
    """Return the files in an archive, without folders and without the extra files that macOS
    adds."""
    return [
        member
        for member in archive.namelist()
        if not member.endswith("/")
        and not member.startswith("__MACOSX/")
        and PurePosixPath(member).name != ".DS_Store"
    ]


def read_member(name: str, archive: zipfile.ZipFile, member: str, limit: Limit) -> bytes:
    """Return the content of a member of an archive. The size limit is the same as for any packed
    file."""
    info = _check_member(name, archive, member, limit)
    with convert_read_errors(name), archive.open(info) as stream:
        return stream.read()


def strip_packing(name: str) -> str:
    """Return a file name without the extensions of packed files."""
    stem, dot, ending = name.rpartition(".")
    return strip_packing(stem) if dot + ending.lower() in PACKING_ENDINGS else name


def escapes_target_folder(member: str) -> bool:
    """Return whether the path of a member would be outside the folder into which the archive is
    unpacked."""
    path = PurePosixPath(member.replace("\\", "/"))
    return path.is_absolute() or ".." in path.parts


def is_zip(origin: Origin) -> bool:
    """Return whether a file or bytes are a zip file."""
    if isinstance(origin, Path):
        if not origin.is_file():
            return False
        with origin.open("rb") as file:
            return file.read(4) in _ZIPS
    return origin.startswith(_ZIPS)


def open_raw(origin: Origin) -> BinaryIO:
    """Open a file or bytes as a seekable file. The content is not unpacked."""
    return origin.open("rb") if isinstance(origin, Path) else io.BytesIO(origin)


def stored_size(origin: Origin) -> int:
    """Return the stored size of a file in bytes. For a packed file, this is the packed size."""
    return origin.stat().st_size if isinstance(origin, Path) else len(origin)


def _open_unpacked(name: str, raw_file: BinaryIO, limit: Limit) -> BinaryIO:
    start = raw_file.read(_START)
    raw_file.seek(0)
    for packing in PACKINGS:
        if packing.start.match(start):
            return packing.open_stream(raw_file)
    if start.startswith(_ZIPS):
        archive = open_zip(name, raw_file)
        member = _find_only_member(name, archive)
        return cast(BinaryIO, archive.open(_check_member(name, archive, member, limit)))
    return raw_file


def _find_only_member(name: str, archive: zipfile.ZipFile) -> str:
    members = list_zip_members(archive)
    refuse_unsupported_zip(name, members)
    if len(members) != 1:
        member_list = list_first([f"`{name}`" for name in members], 4)
        raise content_error(
            name,
            f"{len(members)} files: {member_list}" if members else "no file",
            "one file in the zip file",
            "A zip of several files must be a BEIR set (corpus.jsonl, queries.jsonl,"
            " qrels/test.tsv), contain only runs (NAME.res, NAME.run or NAME.trec), or contain one"
            " folder of ranks of judged documents. Otherwise unpack it and upload the files.",
        )
    return members[0]


def _check_member(
    name: str, archive: zipfile.ZipFile, member: str, limit: Limit
) -> zipfile.ZipInfo:
    if escapes_target_folder(member):
        raise content_error(
            name,
            f"the path `{member}`, which points outside the archive",
            "plain file names in a zip file",
            "Create the zip again, without `..` in file names.",
        )
    info = archive.getinfo(member)
    if info.flag_bits & 1 or info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise content_error(
            name,
            "a password or an unsupported compression",
            "a plain zip file",
            "Unpack the file and use its contents.",
        )
    # zipfile returns no more of a member than its directory states.
    if info.file_size > limit.max_unpacked_size(info.compress_size):
        raise _too_large_error(name, format_size(info.file_size), info.file_size, limit)
    return info


def check_unpacked(name: str, size: int, max_size: int, limit: Limit) -> None:
    """Raise FileFormatError if the members of an archive have more than `max_size` bytes together.
    `size` is their total size.

    The total is checked because several members may share the same bytes of the archive."""
    if size > max_size:
        raise _too_large_error(name, f"more than {format_size(max_size)}", size, limit)


def _too_large_error(name: str, actual: str, needed: int, limit: Limit) -> FileFormatError:
    limit_text = format_size(limit.size)
    if not limit.is_explicit:
        ratio_text = f"at most {TYPICAL_RATIO} times the compressed size"
        limit_text += f", and {ratio_text} if larger than {format_size(RATIO_FROM)}"
    actual = f"a compressed file that unpacks to {actual}"
    return limit.limit_error(name, actual, f"at most {limit_text}", needed, is_packed=True)


def _read_error(name: str, error: OSError) -> FileFormatError:
    if error.errno is None:  # raised by Arrow for a broken compressed stream
        return _damaged_error(name)
    if isinstance(error, FileNotFoundError):
        return content_error(
            name,
            "no such file",
            "a file",
            f"Check the name.{' In Python, expand a pattern with glob.glob.' * ('*' in name)}",
        )
    if isinstance(error, IsADirectoryError):
        return content_error(
            *(name, "a folder", "a file"),
            "Use the files in the folder. Only BEIR folders, folders of runs and folders with ranks"
            " of judged documents can be read as a set.",
        )
    return content_error(name, f"an operating system error ({error.strerror})", "a readable file")


def _damaged_error(name: str) -> FileFormatError:
    return content_error(
        name,
        "a damaged or truncated compressed file",
        f"a complete {', '.join(p.ending for p in PACKINGS)} or .zip file",
        "Copy or download the file again.",
    )
