"""ASGI middleware in front of Streamlit's upload route. It writes long files to disk as they
arrive.

Streamlit keeps uploaded files in memory. Its route therefore gets a short note instead of a long
file; `files.long_uploads` finds the file that the note represents. Streamlit's own checks still
apply: before anything is written, the route is called with an empty file."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from http import HTTPStatus
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.responses import PlainTextResponse
from starlette.types import Message, Receive, Send

from dashboard.files.long_uploads import VisitUploads, find_uploads
from dashboard.serving.uploads.multipart import (
    BodyError,
    SingleFileParser,
    make_body,
    parse_boundary,
)
from dashboard.streamlit_internals import UPLOADS
from dashboard.workspace.disk.errors import refused_write_error
from dashboard.workspace.disk.scratch import ScratchFile, ScratchFolder
from metrics_core.base.digits import parse_whole_number

MAX_IN_MEMORY = 4 << 20
"""Maximum size in bytes of a request body that is kept in memory. Such a body is passed on
unchanged."""

_BLOCK = 1 << 20
"""Number of bytes that are written at once."""

_FRAME = 1 << 20
"""Maximum number of bytes in a body that do not belong to the file. The limit is the same as in
Streamlit."""

_EMPTY = b'Content-Disposition: form-data; name="file"; filename="file"\r\n'


class _RefusedError(Exception):
    """Raised if an upload is refused. It has the status and the text of the response."""

    def __init__(self, status: HTTPStatus, message: str) -> None:
        super().__init__(message)
        self.status = status


class _BrokenOffError(Exception):
    """Raised if the browser disconnects before the whole body has arrived."""


class StreamedUploads:
    """Middleware that passes on every request. In a long upload, it replaces the content of the
    file by a short note before it passes on the request."""

    def __init__(self, app: Any, *, base: str, largest: int, scratch: ScratchFolder) -> None:
        """Wrap the application `app`, which serves below `/base`. `largest` is the maximum size of
        a file in bytes; `scratch` is the folder for files that have not been read yet."""
        self._app, self._largest, self._scratch = app, largest, scratch
        self._route = re.compile((f"/{re.escape(base)}" if base else "") + UPLOADS)

    async def __call__(self, scope: Any, receive: Receive, send: Send) -> None:
        """Answer one request."""
        method = scope["method"] if scope["type"] == "http" else ""
        match = self._route.fullmatch(scope["path"]) if method in ("PUT", "DELETE") else None
        if match is None:
            await self._app(scope, receive, send)
        elif method == "DELETE":
            await self._delete(scope, receive, send, *match.groups())
        else:
            await self._put(scope, receive, send, *match.groups())

    async def _delete(
        self, scope: Any, receive: Receive, send: Send, session_id: str, file_id: str
    ) -> None:
        """Let Streamlit delete an uploaded file. If it does, remove the file from the session."""
        answer = _HeldAnswer()
        await self._app(scope, receive, answer)
        visit = find_uploads(session_id)
        if answer.is_successful and visit is not None:
            visit.forget_upload(file_id)
        await answer.send_to(send)

    async def _put(
        self, scope: Any, receive: Receive, send: Send, session_id: str, file_id: str
    ) -> None:
        if _is_short_request(scope):
            await self._app(scope, receive, send)
            return
        try:
            boundary = _read_boundary(scope)
            # The page never sees the empty file, which the note then replaces.
            answer = await self._forward_with_body(scope, make_body(boundary, _EMPTY, b""))
            if answer.is_successful:
                first = await _read_first_messages(receive)
                if not first[-1].get("more_body"):
                    await self._app(scope, _replay_messages(first, receive), send)
                    return
                visit = find_uploads(session_id)
                if visit is None:
                    raise _RefusedError(HTTPStatus.BAD_REQUEST, "no page requested this upload")
                body = _read_pieces(_replay_messages(first, receive))
                answer = await self._store_and_forward_note(scope, boundary, body, visit, file_id)
        except _BrokenOffError:
            return
        except _RefusedError as error:
            await PlainTextResponse(str(error), int(error.status))(scope, receive, send)
            return
        await answer.send_to(send)

    async def _store_and_forward_note(
        self,
        scope: Any,
        boundary: bytes,
        body: AsyncIterator[bytes],
        visit: VisitUploads,
        file_id: str,
    ) -> _HeldAnswer:
        """Write the file to disk, send a note in its place to Streamlit, and return Streamlit's
        response."""
        head, file = await self._write_file(boundary, body, visit)
        note = visit.keep_upload(file_id, file)
        del file  # only the visit holds it now
        answer = _HeldAnswer()
        try:
            answer = await self._forward_with_body(
                scope, make_body(boundary, head, note), update_length=True
            )
        finally:
            if not answer.is_successful:
                visit.forget_upload(file_id)
        return answer

    async def _write_file(
        self, boundary: bytes, body: AsyncIterator[bytes], visit: VisitUploads
    ) -> tuple[bytes, ScratchFile]:
        """Write the file in a request body to disk. Return the header fields before the file, and
        the file. If an error occurs, the file is removed."""
        arrival = None
        try:
            arrival = _IncomingFile(boundary, self._scratch, self._largest)
            async with aclosing(_join_blocks(body, self._largest + _FRAME)) as blocks:
                async for block in blocks:
                    # In a thread, because the disk may block.
                    await run_in_threadpool(arrival.feed, block)
            return await run_in_threadpool(arrival.finish)
        except BodyError as error:
            raise _RefusedError(HTTPStatus.BAD_REQUEST, str(error)) from error
        except OSError as error:
            storage_error = refused_write_error(error, self._scratch.folder)
            visit.record_failure(arrival.name if arrival else "", storage_error)
            raise _RefusedError(HTTPStatus.INSUFFICIENT_STORAGE, storage_error.message) from error
        finally:
            if arrival is not None:
                arrival.discard()

    async def _forward_with_body(
        self, scope: Any, body: bytes, *, update_length: bool = False
    ) -> _HeldAnswer:
        """Return the application's response to the same request with another body.

        If `update_length` is true, the content-length is that of the new body. Otherwise it is
        unchanged, so that Streamlit can check it."""
        headers = scope["headers"]
        if update_length:
            headers = [(k, v) for k, v in headers if k != b"content-length"]
            headers.append((b"content-length", str(len(body)).encode()))
        answer = _HeldAnswer()
        message = {"type": "http.request", "body": body, "more_body": False}
        await self._app(
            {**scope, "headers": headers}, _replay_messages([message], _receive_disconnect), answer
        )
        return answer


class _IncomingFile:
    """The file in one request body. It is written to disk as its bytes arrive."""

    def __init__(self, boundary: bytes, scratch: ScratchFolder, largest: int) -> None:
        self._parser = SingleFileParser(boundary, self._write)
        self._scratch, self._largest = scratch, largest
        self._file: ScratchFile | None = None

    @property
    def name(self) -> str:
        return self._parser.name

    def feed(self, block: bytes) -> None:
        """Parse the next block. Raises BodyError, OSError, _RefusedError."""
        self._parser.feed(block)

    def _write(self, content: memoryview) -> None:
        if self._file is None:
            self._file = self._scratch.new_file()
        self._file.write(content)
        _check_size(self._file.size, self._largest)

    def finish(self) -> tuple[bytes, ScratchFile]:
        """Return the header fields before the file, and the file. The caller then owns the file."""
        self._parser.finish()
        if self._file is None:
            raise BodyError("an empty file")
        self._file.close()
        file, self._file = self._file, None
        return self._parser.header_bytes, file

    def discard(self) -> None:
        """Remove the file, unless the caller already owns it."""
        if self._file is not None:
            self._file.remove()


class _HeldAnswer:
    """A response of the application that is kept until it is sent."""

    def __init__(self) -> None:
        self._messages: list[Message] = []

    async def __call__(self, message: Message) -> None:
        self._messages.append(message)

    @property
    def is_successful(self) -> bool:
        """Whether the response has a 2xx status."""
        return bool(self._messages) and 200 <= self._messages[0]["status"] < 300

    async def send_to(self, send: Send) -> None:
        for message in self._messages:
            await send(message)


def _is_short_request(scope: Any) -> bool:
    """Return whether the body of a request has at most MAX_IN_MEMORY bytes, according to its
    content-length. The content-length can be trusted, because the server ensures that the body is
    not longer."""
    lengths = [value for name, value in scope["headers"] if name == b"content-length"]
    length = parse_whole_number(lengths[0].decode("latin-1")) if lengths else None
    return length is not None and length <= MAX_IN_MEMORY


def _read_boundary(scope: Any) -> bytes:
    types = [value for name, value in scope["headers"] if name == b"content-type"]
    try:
        return parse_boundary(types[0] if types else b"")
    except BodyError as error:
        raise _RefusedError(HTTPStatus.BAD_REQUEST, str(error)) from error


def _check_size(size: int, max_size: int) -> None:
    if size > max_size:
        raise _RefusedError(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "File too large")


async def _read_first_messages(receive: Receive) -> list[Message]:
    """Return the first messages of a request. If the body is short, this is the whole request;
    otherwise, these are just enough messages to exceed MAX_IN_MEMORY bytes."""
    messages: list[Message] = []
    size = 0
    while size <= MAX_IN_MEMORY:
        messages.append(await receive())
        size += len(messages[-1].get("body", b""))
        if not messages[-1].get("more_body"):
            break
    return messages


def _replay_messages(messages: list[Message], receive: Receive) -> Receive:
    """Return a receive function that first returns each of these messages once, and then receives
    later messages."""

    async def receive_next() -> Message:
        return messages.pop(0) if messages else await receive()

    return receive_next


async def _receive_disconnect() -> Message:
    return {"type": "http.disconnect"}


async def _read_pieces(receive: Receive) -> AsyncIterator[bytes]:
    """Yield the pieces of a request's body. Raises _BrokenOffError if the body ends too early."""
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise _BrokenOffError
        yield message.get("body", b"")
        if not message.get("more_body"):
            return


async def _join_blocks(pieces: AsyncIterator[bytes], max_size: int) -> AsyncGenerator[bytes]:
    """Join the pieces of a body into blocks. Raises _RefusedError if the body has more than
    `max_size` bytes."""
    buffered: list[bytes] = []
    size = total = 0
    async for piece in pieces:
        buffered.append(piece)
        size += len(piece)
        total += len(piece)
        _check_size(total, max_size)
        if size >= _BLOCK:
            yield b"".join(buffered)
            buffered, size = [], 0
    yield b"".join(buffered)
