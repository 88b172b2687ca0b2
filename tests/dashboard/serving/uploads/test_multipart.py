"""The file in a multipart body, however the body is cut; Starlette's own parser is the oracle."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from starlette.datastructures import Headers, UploadFile
from starlette.formparsers import MultiPartParser

from dashboard.serving.uploads.multipart import (
    BodyError,
    SingleFileParser,
    make_body,
    parse_boundary,
)

BOUNDARY = b"----WebKitFormBoundaryAbC"
TYPE = b"multipart/form-data; boundary=" + BOUNDARY
HEAD = b'Content-Disposition: form-data; name="f"; filename="a.run"\r\nContent-Type: text/plain\r\n'


def taken(pieces: Sequence[bytes], boundary: bytes = BOUNDARY) -> tuple[SingleFileParser, bytes]:
    content = bytearray()
    found = SingleFileParser(boundary, content.extend)
    for piece in pieces:
        found.feed(piece)
    found.finish()
    return found, bytes(content)


def by_starlette(body: bytes) -> tuple[str | None, str | None, bytes]:
    async def parsed() -> tuple[str | None, str | None, bytes]:
        async def stream() -> AsyncGenerator[bytes, None]:
            yield body

        form = await MultiPartParser(Headers({"content-type": TYPE.decode()}), stream()).parse()
        (upload,) = form.values()
        assert isinstance(upload, UploadFile)
        return upload.filename, upload.content_type, await upload.read()

    # In a thread of its own: the browser tests may hold this one's event loop.
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, parsed()).result()


LIKE_A_BOUNDARY = st.sampled_from(
    [b"\r", b"\n", b"\r\n", b"--", b"\r\n--", BOUNDARY, b"\r\n--" + BOUNDARY[:-1], b"q1 Q0 d1\n"]
)
CONTENT = st.lists(st.one_of(LIKE_A_BOUNDARY, st.binary(max_size=9)), max_size=12).map(b"".join)
NAME = st.text(st.characters(exclude_categories=["C"], exclude_characters='"\\%'), max_size=9)


@given(CONTENT, NAME, st.data())
@settings(max_examples=60, deadline=None)
def test_a_file_is_the_same_however_its_body_is_cut(
    content: bytes, name: str, data: st.DataObject
) -> None:
    if b"\r\n--" + BOUNDARY in content:
        return
    head = f'Content-Disposition: form-data; name="f"; filename="{name}"\r\n'.encode()
    body = make_body(BOUNDARY, head + b"Content-Type: text/x-run\r\n", content)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(body)), max_size=8)))
    edges = [0, *cuts, len(body)]
    pieces = [body[a:b] for a, b in pairwise(edges)]
    found, read = taken(pieces)
    assert (found.name, "text/x-run", read) == by_starlette(body)
    assert by_starlette(make_body(BOUNDARY, found.header_bytes, b"a note"))[:2] == (
        name,
        "text/x-run",
    )


def test_a_body_that_comes_byte_by_byte() -> None:
    content = b"q1 Q0 d1 1 2.0 a\r\n" * 3 + b"\r\n--" + BOUNDARY[:-1]
    body = make_body(BOUNDARY, HEAD, content)
    found, read = taken([bytes([byte]) for byte in body])
    assert (found.name, read, found.header_bytes) == ("a.run", content, HEAD)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"no boundary",
        make_body(BOUNDARY, HEAD, b"x" * 99)[:-60],
        make_body(BOUNDARY, b'Content-Disposition: form-data; name="f"\r\n', b"x"),
        make_body(BOUNDARY, b"", b"x"),
        make_body(BOUNDARY, HEAD, b"x").removesuffix(b"--\r\n")
        + b"\r\n"
        + make_body(BOUNDARY, HEAD, b"y").removeprefix(b"\r\n"),
        make_body(BOUNDARY, HEAD + b"X-Long: " + b"y" * 70_000 + b"\r\n", b"x"),
    ],
    ids=["empty", "other", "cut off", "a field", "no head", "two files", "a long head"],
)
def test_a_body_that_is_not_one_file_is_refused(body: bytes) -> None:
    with pytest.raises(BodyError):
        taken([body])


@pytest.mark.parametrize(
    "kind", [b"", b"text/plain; boundary=x", b"multipart/form-data", b"multipart/form-data; b=x"]
)
def test_only_a_multipart_body_has_a_boundary(kind: bytes) -> None:
    assert parse_boundary(TYPE) == BOUNDARY
    with pytest.raises(BodyError):
        parse_boundary(kind)


def test_a_boundary_that_is_too_long_is_refused() -> None:
    with pytest.raises(BodyError):
        SingleFileParser(b"x" * 10_000, len)
