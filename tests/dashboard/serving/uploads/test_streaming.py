"""Long uploads on their way to the disk, short ones untouched: an application that answers as
Streamlit does stands behind, and what it is handed is looked at."""

from __future__ import annotations

import asyncio
import errno
import gc
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from dashboard.files import long_uploads
from dashboard.serving.uploads import streaming
from dashboard.serving.uploads.multipart import make_body
from dashboard.serving.uploads.streaming import StreamedUploads
from dashboard.workspace.disk.scratch import FOLDER, ScratchFile, ScratchFolder

BASE = "ab" * 16
PATH = f"/{BASE}/_stcore/upload_file/session-1/file-1"
BOUNDARY = b"XyZ"
HEAD = b'Content-Disposition: form-data; name="f"; filename="a b.run"\r\n'
RUN = b"q1 Q0 d1 1 2.0 a\r\n" * 400
LARGEST = 20_000
DISCONNECT = {"type": "http.disconnect"}


class Behind:
    """The application: keeps what it was asked, answers 204, or 403 where it is told to."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, dict[bytes, bytes], bytes]] = []
        self.status = [204]

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        body, more = b"", True
        while more:
            message = await receive()
            body, more = body + message.get("body", b""), message.get("more_body", False)
        self.asked.append((scope["method"], dict(scope["headers"]), body))
        status = self.status.pop(0) if len(self.status) > 1 else self.status[0]
        await send({"type": "http.response.start", "status": status, "headers": []})
        await send({"type": "http.response.body", "body": b"theirs"})


class Asking:
    """One server: the middleware, what is behind it, the visit of the session."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.behind = folder, Behind()
        scratch = ScratchFolder(folder)
        self.middleware = StreamedUploads(self.behind, base=BASE, largest=LARGEST, scratch=scratch)
        self.visit = long_uploads.get_or_create_uploads("session-1")

    def __call__(
        self,
        pieces: Sequence[bytes],
        *,
        path: str = PATH,
        method: str = "PUT",
        length: int | None = None,
        broken: bool = False,
    ) -> tuple[int, bytes]:
        """Ask with a body in these pieces; the status and text of the answer, 0 where none came."""
        headers = [(b"content-type", b"multipart/form-data; boundary=" + BOUNDARY)]
        if length is not None:
            headers.append((b"content-length", str(length).encode()))
        scope = {"type": "http", "method": method, "path": path, "headers": headers}
        coming = [
            {"type": "http.request", "body": piece, "more_body": broken or n < len(pieces) - 1}
            for n, piece in enumerate(pieces)
        ]
        sent: list[dict[str, Any]] = []

        async def receive() -> dict[str, Any]:
            return coming.pop(0) if coming else DISCONNECT

        async def send(message: dict[str, Any]) -> None:
            sent.append(message)

        before = set(threading.enumerate())
        with ThreadPoolExecutor(1) as pool:  # the browser tests may hold this thread's event loop
            pool.submit(asyncio.run, self.middleware(scope, receive, send)).result()
        # The thread that wrote holds what it last gave back, the file, until it looks for more.
        for thread in set(threading.enumerate()) - before:
            if thread.name.startswith("AnyIO"):
                thread.join(60)
        return (sent[0]["status"], sent[1]["body"]) if sent else (0, b"")

    @property
    def note(self) -> bytes:
        """What the application was last handed as the content of the file."""
        return self.behind.asked[-1][2].split(b"\r\n\r\n", 1)[1].removesuffix(b"\r\n--XyZ--\r\n")

    @property
    def left(self) -> list[Path]:
        gc.collect()  # what ended may wait in a ring of references, such as a task and its error
        return list((self.folder / FOLDER).glob("*.part"))


@pytest.fixture
def ask(tmp_path: Path) -> Iterator[Asking]:
    with (
        mock.patch.object(streaming, "MAX_IN_MEMORY", 500),
        mock.patch.object(streaming, "_BLOCK", 1000),
    ):
        yield Asking(tmp_path)


def cut(body: bytes, size: int) -> list[bytes]:
    return [body[at : at + size] for at in range(0, len(body), size)]


@pytest.mark.parametrize("size", [1, 7, 64, 999, 10**6])
def test_a_long_file_is_on_the_disk_and_a_note_in_its_place(ask: Asking, size: int) -> None:
    body = make_body(BOUNDARY, HEAD, RUN)
    assert ask([*cut(body, size), b""], length=len(body)) == (204, b"theirs")
    (_, first, empty), (_, second, handed) = ask.behind.asked
    assert first[b"content-length"] == str(len(body)).encode(), "for Streamlit to check"
    assert empty.endswith(b"\r\n\r\n\r\n--XyZ--\r\n") and len(empty) < 200
    assert second[b"content-length"] == str(len(handed)).encode() and handed == make_body(
        BOUNDARY, HEAD, ask.note
    )
    file = ask.visit.find_upload(ask.note)
    assert file is not None and file.path.read_bytes() == RUN and file.size == len(RUN)
    assert ask.left == [file.path] and file.path.stat().st_mode & 0o777 == 0o600


def test_a_note_stands_for_its_file_in_its_visit_alone(ask: Asking) -> None:
    ask([make_body(BOUNDARY, HEAD, RUN), b""])
    note, other = ask.note, long_uploads.get_or_create_uploads("session-2")
    assert other.find_upload(note) is None and ask.visit.find_upload(note[:-2] + b"g\n") is None
    assert ask.visit.find_upload(b"") is None
    ask([make_body(BOUNDARY, HEAD, RUN), b""], path=PATH[:-1] + "2")
    assert ask.note != note and len(ask.left) == 2
    ask.visit.release_upload(ask.visit.find_upload(note))  # type: ignore[arg-type]
    assert ask.visit.find_upload(note) is None and len(ask.left) == 1
    ask.visit = other  # the session ends
    assert ask.left == []


def test_short_files_and_other_requests_are_untouched(ask: Asking) -> None:
    body = make_body(BOUNDARY, HEAD, b"q1 Q0 d1 1 2.0 a\n")
    for length in (len(body), None):
        assert ask(cut(body, 9), length=length) == (204, b"theirs")
        assert ask.behind.asked.pop()[2] == body
        assert ask([body[:50]], length=length, broken=True) == (204, b"theirs"), "broken off, too"
    long = make_body(BOUNDARY, HEAD, RUN)
    for path, method in (
        (PATH, "POST"),
        (PATH.removeprefix(f"/{BASE}"), "PUT"),
        (f"/cd{PATH[3:]}", "PUT"),
        (PATH + "/more", "PUT"),
        (f"/{BASE}/_stcore/health", "PUT"),
    ):
        ask.behind.asked.clear()
        assert ask(cut(long, 700), path=path, method=method) == (204, b"theirs")
        assert [body for _, _, body in ask.behind.asked] == [long]
    assert ask.left == []


def test_without_a_base_the_route_is_at_the_top(ask: Asking) -> None:
    scratch = ScratchFolder(ask.folder)
    ask.middleware = StreamedUploads(ask.behind, base="", largest=LARGEST, scratch=scratch)
    ask([make_body(BOUNDARY, HEAD, RUN), b""], path=PATH.removeprefix(f"/{BASE}"))
    assert len(ask.behind.asked) == 2 and len(ask.left) == 1


def test_a_websocket_passes(ask: Asking) -> None:
    passed = mock.AsyncMock()
    middleware = StreamedUploads(
        passed, base=BASE, largest=LARGEST, scratch=ScratchFolder(ask.folder)
    )
    with ThreadPoolExecutor(1) as pool:
        asked = middleware({"type": "websocket", "path": PATH}, None, None)  # type: ignore[arg-type]
        pool.submit(asyncio.run, asked).result()
    assert passed.await_count == 1


def test_what_streamlit_refuses_never_reaches_the_disk(ask: Asking) -> None:
    ask.behind.status = [403]
    with mock.patch.object(ScratchFolder, "new_file", side_effect=AssertionError):
        assert ask([make_body(BOUNDARY, HEAD, RUN), b""]) == (403, b"theirs")
    assert len(ask.behind.asked) == 1


def test_what_streamlit_refuses_at_the_end_is_removed(ask: Asking) -> None:
    ask.behind.status = [204, 400]
    assert ask([make_body(BOUNDARY, HEAD, RUN), b""]) == (400, b"theirs")
    assert ask.left == [] and ask.visit.find_upload(ask.note) is None


def test_a_session_without_an_uploader_is_refused(ask: Asking) -> None:
    answer = ask([make_body(BOUNDARY, HEAD, RUN), b""], path=PATH.replace("session-1", "session-9"))
    assert answer == (400, b"no page requested this upload") and ask.left == []


@pytest.mark.parametrize("size", [LARGEST + 1, LARGEST + 1 + streaming._FRAME])
@pytest.mark.parametrize("length", [None, 3000], ids=["no length", "a false one"])
def test_a_file_that_is_too_large_is_refused_while_it_comes(
    ask: Asking, size: int, length: int | None
) -> None:
    pieces = cut(make_body(BOUNDARY, HEAD, b"x" * size), 5000)
    assert ask(pieces, length=length)[0] == 413 and ask.left == []
    assert ask(cut(make_body(BOUNDARY, HEAD, b"x" * LARGEST), 5000))[0] == 204


def test_a_connection_that_breaks_off_leaves_nothing(ask: Asking) -> None:
    assert ask([make_body(BOUNDARY, HEAD, RUN)[:-9]], broken=True) == (0, b"")
    assert ask.left == []


def test_a_body_that_is_no_file_is_refused(ask: Asking) -> None:
    assert ask([RUN, b""])[0] == 400 and ask.left == []
    assert ask([make_body(BOUNDARY, HEAD, RUN)[:-9], b""])[0] == 400 and ask.left == []


@pytest.mark.parametrize("call", ["__init__", "write", "close"])
def test_a_disk_that_is_full_is_told_and_leaves_nothing(ask: Asking, call: str) -> None:
    full = OSError(errno.ENOSPC, "No space left on device")
    with mock.patch.object(ScratchFile, call, side_effect=full):
        status, told = ask([make_body(BOUNDARY, HEAD, RUN), b""])
    assert status == 507 and told.decode() == f"The disk of {ask.folder} is full."
    assert ask.left == []
    error = ask.visit.pop_failure("a b.run")
    assert error is not None and "Free some space there" in error.hint
    assert ask.visit.pop_failure("a b.run") is None, "told once"


def test_what_the_browser_deletes_is_removed(ask: Asking) -> None:
    ask([make_body(BOUNDARY, HEAD, RUN), b""])
    note = ask.note
    ask.behind.status = [403]
    assert ask([b""], method="DELETE")[0] == 403 and len(ask.left) == 1
    ask.behind.status = [204]
    held = ask.visit.find_upload(note)
    assert ask([b""], method="DELETE")[0] == 204
    assert held is not None and ask.left == [held.path], "somebody reads it"
    del held
    assert ask.left == []
