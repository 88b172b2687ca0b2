"""A packed collection that is embedded in an HTML page. A report that contains its data in this
form can be imported.

The data is in an element that browsers do not execute. The page's script offers it as a
download."""

from __future__ import annotations

import base64
import binascii
import mmap
from collections.abc import Iterator
from contextlib import contextmanager

from metrics_core.formats.source.unpacking import Origin, open_raw

_PAGE = b"<!doctype html"
_BEGIN, _END = b'<script type="application/zip" id="collection">', b"</script>"
_NOWHERE = -1


def make_data_markup(packed: bytes) -> str:
    """Return the markup that embeds a packed collection."""
    return (_BEGIN + base64.b64encode(packed) + _END).decode()


def is_page_with_data(origin: Origin) -> bool:
    """Return whether a file is an HTML page with a packed collection."""
    with open_raw(origin) as file:
        if not file.read(len(_PAGE)).lower().startswith(_PAGE):
            return False
    with _open_content(origin) as page:
        return page.rfind(_BEGIN) != _NOWHERE


def extract_packed_collection(origin: Origin) -> bytes:
    """Return the packed collection in a page. If it is incomplete, the result is empty, and the
    error is reported when the result is opened."""
    with _open_content(origin) as page:
        start = page.rfind(_BEGIN) + len(_BEGIN)
        code = page[start : page.find(_END, start)]
    try:
        return base64.b64decode(code, validate=True)
    except binascii.Error:
        return b""


@contextmanager
def _open_content(origin: Origin) -> Iterator[bytes | mmap.mmap]:
    """Return the bytes of a file. A file on disk is mapped into memory."""
    if isinstance(origin, bytes):
        yield origin
        return
    with origin.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as page:
        yield page
