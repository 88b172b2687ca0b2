"""A packed collection in a page: a report may carry its data, and is taken in as that.

It stands in a block that no browser runs, which the page's script gives as a download.
"""

from __future__ import annotations

import base64
import binascii

_PAGE = b"<!doctype html"
_BEGIN, _END = '<script type="application/zip" id="collection">', "</script>"


def block(packed: bytes) -> str:
    """The markup that holds a packed collection."""
    return f"{_BEGIN}{base64.b64encode(packed).decode()}{_END}"


def is_page(start: bytes) -> bool:
    """Whether a file that begins so is a page."""
    return start.lstrip().lower().startswith(_PAGE)


def packed_in(page: bytes) -> bytes | None:
    """The packed collection that a page carries, None where it carries none; what is not whole
    stays to be found by who opens it."""
    at = page.rfind(_BEGIN.encode())
    if at < 0:
        return None
    code = page[at + len(_BEGIN) :].partition(_END.encode())[0]
    try:
        return base64.b64decode(code, validate=True)
    except binascii.Error:
        return b""
