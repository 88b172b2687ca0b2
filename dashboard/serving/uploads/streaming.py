"""ASGI middleware before Streamlit's upload route: a long file goes to the disk as it comes.

Streamlit holds uploaded files in memory. So its route is handed a short note in place of a long
file, and what the note stands for is found by `visits`. All that Streamlit checks it checks as
ever, and first: it is asked with an empty file before anything is written.
"""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from http import HTTPStatus
from typing import Any

from starlette.concurrency import run_in_threadpool

from dashboard.files.long_uploads import Visit, visit_of
from dashboard.serving.uploads.multipart import BodyError, OneFile, body_of, boundary_of
from dashboard.streamlit_internals import UPLOADS
from dashboard.workspace.disk.errors import refused
from dashboard.workspace.disk.scratch import Scratch, ScratchFile
from metrics_core.base.digits import whole_number

HELD = 4 << 20
"""Bytes of a body that are held in memory; one that is no longer is handed on as it is."""

_BLOCK = 1 << 20
"""Bytes that are written at once."""

_FRAME = 1 << 20
"""Bytes of a body beside its file, at most; as many as Streamlit allows."""

_EMPTY = b'Content-Disposition: form-data; name="file"; filename="file"\r\n'

Message = dict[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]


class _RefusedError(Exception):
    """Why an upload is not taken in: the status and text of the answer."""

    def __init__(self, status: HTTPStatus, told: str) -> None:
        super().__init__(told)
        self.status = status


class _BrokenOffError(Exception):
    """The browser is gone before all of the body was here."""


class Arriving:
    """Passes on every request; of an upload that is long only what it is called, and a note."""

    def __init__(self, app: Any, *, base: str, largest: int, scratch: Scratch) -> None:
        """`app` serves below `/base` and takes files of up to `largest` bytes; `scratch` is where
        they are kept until they are read."""
        self._app, self._largest, self._scratch = app, largest, scratch
        self._route = re.compile((f"/{re.escape(base)}" if base else "") + UPLOADS)

    async def __call__(self, scope: Any, receive: Receive, send: Send) -> None:
        """Answer one request."""
        method = scope["method"] if scope["type"] == "http" else ""
        found = self._route.fullmatch(scope["path"]) if method in ("PUT", "DELETE") else None
        if found is None:
            await self._app(scope, receive, send)
        elif method == "DELETE":
            await self._delete(scope, receive, send, *found.groups())
        else:
            await self._put(scope, receive, send, *found.groups())

    async def _delete(
        self, scope: Any, receive: Receive, send: Send, session: str, file_id: str
    ) -> None:
        """Where Streamlit forgets an upload, so does its visit."""
        answer = _Answer()
        await self._app(scope, receive, answer)
        visit = visit_of(session)
        if answer.is_good and visit is not None:
            visit.forget(file_id)
        await answer.hand_on(send)

    async def _put(
        self, scope: Any, receive: Receive, send: Send, session: str, file_id: str
    ) -> None:
        if _is_short(scope):
            await self._app(scope, receive, send)
            return
        try:
            boundary = _boundary(scope)
            # Nobody is told of the empty file, which the note then replaces.
            answer = await self._handed_on(scope, body_of(boundary, _EMPTY, b""))
            if answer.is_good:
                first = await _beginning(receive)
                if not first[-1].get("more_body"):
                    await self._app(scope, _replayed(first, receive), send)
                    return
                visit = visit_of(session)
                if visit is None:
                    raise _RefusedError(HTTPStatus.BAD_REQUEST, "no page asked for a file")
                body = _pieces(_replayed(first, receive))
                answer = await self._taken_in(scope, boundary, body, visit, file_id)
        except _BrokenOffError:
            return
        except _RefusedError as error:
            answer = _Answer.of(error.status, str(error))
        await answer.hand_on(send)

    async def _taken_in(
        self, scope: Any, boundary: bytes, body: AsyncIterator[bytes], visit: Visit, file_id: str
    ) -> _Answer:
        """Streamlit's answer to the note of an upload that is on the disk now."""
        head, file = await self._written(boundary, body, visit)
        note = visit.keep(file_id, file)
        del file  # the visit holds it, and where it forgets it nobody does
        answer = _Answer()
        try:
            answer = await self._handed_on(scope, body_of(boundary, head, note), measured=True)
        finally:
            if not answer.is_good:
                visit.forget(file_id)
        return answer

    async def _written(
        self, boundary: bytes, body: AsyncIterator[bytes], visit: Visit
    ) -> tuple[bytes, ScratchFile]:
        """The fields above the file in a body, and the file. Whatever goes wrong leaves none."""
        arrival = None
        try:
            arrival = _Arrival(boundary, self._scratch, self._largest)
            async with aclosing(_blocks(body, self._largest + _FRAME)) as blocks:
                async for block in blocks:
                    # In a thread, because a disk may keep it waiting.
                    await run_in_threadpool(arrival.feed, block)
            return await run_in_threadpool(arrival.finished)
        except BodyError as error:
            raise _RefusedError(HTTPStatus.BAD_REQUEST, str(error)) from error
        except OSError as error:
            told = refused(error, self._scratch.folder)
            visit.lose(arrival.name if arrival else "", told)
            raise _RefusedError(HTTPStatus.INSUFFICIENT_STORAGE, told.message) from error
        finally:
            if arrival is not None:
                arrival.end()

    async def _handed_on(self, scope: Any, body: bytes, *, measured: bool = False) -> _Answer:
        """The application's answer to the same request with another body; its length is told as it
        is where it is `measured`, else as the browser told it, for that to be checked."""
        headers = scope["headers"]
        if measured:
            headers = [(k, v) for k, v in headers if k != b"content-length"]
            headers.append((b"content-length", str(len(body)).encode()))
        answer = _Answer()
        message = {"type": "http.request", "body": body, "more_body": False}
        await self._app({**scope, "headers": headers}, _replayed([message], _gone), answer)
        return answer


class _Arrival:
    """The file of one body on its way to the disk, where it is from its first byte on."""

    def __init__(self, boundary: bytes, scratch: Scratch, largest: int) -> None:
        self._found = OneFile(boundary, self._write)
        self._scratch, self._largest = scratch, largest
        self._file: ScratchFile | None = None

    @property
    def name(self) -> str:
        return self._found.name

    def feed(self, block: bytes) -> None:
        """Take in what comes next. Raises BodyError, OSError, _RefusedError."""
        self._found.feed(block)

    def _write(self, content: memoryview) -> None:
        if self._file is None:
            self._file = self._scratch.new()
        self._file.write(content)
        _check_size(self._file.size, self._largest)

    def finished(self) -> tuple[bytes, ScratchFile]:
        """The fields above the file, and the file, which now is the caller's."""
        self._found.finish()
        if self._file is None:
            raise BodyError("an empty file")
        self._file.close()
        file, self._file = self._file, None
        return self._found.head, file

    def end(self) -> None:
        """Remove what was not handed over."""
        if self._file is not None:
            self._file.remove()


class _Answer:
    """What the application answers, held until it is handed on."""

    def __init__(self) -> None:
        self._messages: list[Message] = []

    @classmethod
    def of(cls, status: HTTPStatus, told: str) -> _Answer:
        """An answer of our own."""
        made, body = cls(), told.encode()
        headers = [
            (b"content-type", b"text/plain; charset=utf-8"),
            (b"content-length", str(len(body)).encode()),
        ]
        made._messages = [
            {"type": "http.response.start", "status": int(status), "headers": headers},
            {"type": "http.response.body", "body": body},
        ]
        return made

    async def __call__(self, message: Message) -> None:
        self._messages.append(message)

    @property
    def is_good(self) -> bool:
        """Whether what was asked for was done."""
        return bool(self._messages) and 200 <= self._messages[0]["status"] < 300

    async def hand_on(self, send: Send) -> None:
        for message in self._messages:
            await send(message)


def _is_short(scope: Any) -> bool:
    """Whether a request says that its body is no longer than what is held; the server sees to it
    that no more comes than is said."""
    told = [value for name, value in scope["headers"] if name == b"content-length"]
    length = whole_number(told[0].decode("latin-1")) if told else None
    return length is not None and length <= HELD


def _boundary(scope: Any) -> bytes:
    types = [value for name, value in scope["headers"] if name == b"content-type"]
    try:
        return boundary_of(types[0] if types else b"")
    except BodyError as error:
        raise _RefusedError(HTTPStatus.BAD_REQUEST, str(error)) from error


def _check_size(size: int, largest: int) -> None:
    if size > largest:
        raise _RefusedError(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "File too large")


async def _beginning(receive: Receive) -> list[Message]:
    """The first messages of a request: all of them, or more than is held."""
    messages: list[Message] = []
    size = 0
    while size <= HELD:
        messages.append(await receive())
        size += len(messages[-1].get("body", b""))
        if not messages[-1].get("more_body"):
            break
    return messages


def _replayed(messages: list[Message], receive: Receive) -> Receive:
    """Gives these messages, which are then forgotten, and afterwards what still comes."""

    async def replayed() -> Message:
        return messages.pop(0) if messages else await receive()

    return replayed


async def _gone() -> Message:
    return {"type": "http.disconnect"}


async def _pieces(receive: Receive) -> AsyncIterator[bytes]:
    """The pieces of a request's body. Raises _BrokenOffError where it ends too early."""
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise _BrokenOffError
        yield message.get("body", b"")
        if not message.get("more_body"):
            return


async def _blocks(pieces: AsyncIterator[bytes], most: int) -> AsyncGenerator[bytes]:
    """A body of at most `most` bytes in pieces that are worth a write."""
    held: list[bytes] = []
    size = total = 0
    async for piece in pieces:
        held.append(piece)
        size += len(piece)
        total += len(piece)
        _check_size(total, most)
        if size >= _BLOCK:
            yield b"".join(held)
            held, size = [], 0
    yield b"".join(held)
