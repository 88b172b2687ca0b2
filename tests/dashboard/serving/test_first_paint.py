"""The page that loads the app holds rule and style sheet; everything else passes as it is."""

from __future__ import annotations

import re
from collections.abc import Coroutine
from typing import Any
from urllib.parse import urlencode

import pytest

from dashboard.app_pages.parts.style_sheet import style_sheet
from dashboard.serving.first_paint import FirstPaint

PAGES = ("overview", "curves")
PAGE = b"<html><head><title>x</title></head><body></body></html>"


def run(coroutine: Coroutine[Any, Any, None]) -> None:
    """Run what waits for nothing; the browser tests may hold this thread's event loop."""
    with pytest.raises(StopIteration):
        coroutine.send(None)


def answered(
    body: list[bytes],
    *,
    content_type: bytes = b"text/html; charset=utf-8",
    path: str = "/below/curves",
    query: bytes = b"",
) -> tuple[dict[bytes, bytes], bytes, dict[str, Any]]:
    """Headers and body of an answer that came in these parts, and the scope the app was given."""
    seen: dict[str, Any] = {}
    sent: list[dict[str, Any]] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        seen.update(scope)
        headers = [
            (b"content-type", content_type),
            (b"content-length", str(sum(map(len, body))).encode()),
            (b"etag", b'"1"'),
            (b"cache-control", b"no-cache"),
        ]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        for place, part in enumerate(body):
            more = place < len(body) - 1
            await send({"type": "http.response.body", "body": part, "more_body": more})

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    scope = {
        "type": "http",
        "path": path,
        "query_string": query,
        "headers": [(b"accept-encoding", b"gzip"), (b"host", b"x")],
    }
    run(FirstPaint(app, base="below", pages=PAGES)(scope, None, send))
    whole = b"".join(m.get("body", b"") for m in sent[1:])
    return dict(sent[0]["headers"]), whole, seen


@pytest.mark.parametrize("parts", [[PAGE], [PAGE[:20], PAGE[20:]], [PAGE, b""]])
def test_a_page_gets_the_rule_and_its_own_length(parts: list[bytes]) -> None:
    headers, body, scope = answered(parts)
    assert b"visibility:hidden" in body and body.index(b"visibility") < body.index(b"</head>")
    # After Streamlit's own styles, of which each of ours is to win.
    assert body.index(b"</head><body><style>:root{--page") and b"</style></body></html>" in body
    assert headers[b"content-length"] == str(len(body)).encode()
    # The tag would name the page without the rule.
    assert b"etag" not in headers and headers[b"cache-control"] == b"no-cache"
    # Packed it could not be read.
    assert [k for k, _ in scope["headers"]] == [b"host"]


def test_the_styles_hold_nothing_that_ends_them() -> None:
    assert len(style_sheet()) > 10_000 and not re.search(r"<[a-zA-Z/!?]", style_sheet())


def test_what_is_no_page_passes_as_it_is() -> None:
    headers, body, _ = answered([b"ok"], content_type=b"text/plain", path="/_stcore/health")
    assert (body, headers[b"etag"]) == (b"ok", b'"1"')
    _, body, scope = answered([PAGE], path="/static/js/index.js")
    assert body == PAGE and len(scope["headers"]) == 2


@pytest.mark.parametrize("page", ["nosuchpage", "curves/deeper", "a&b=\u00e9"])
def test_what_is_no_page_leads_to_the_first_which_names_it(page: str) -> None:
    headers, body, _ = answered([PAGE], path=f"/below/{page}", query=b"k=5")
    assert headers[b"location"] == f"/below/?k=5&{urlencode({'nopage': page})}".encode()
    assert body == b"" and headers[b"content-length"] == b"0"
    first, _, _ = answered([PAGE], path="/below/overview", query=b"k=5")
    assert first[b"location"] == b"/below/?k=5"
    assert b"location" not in answered([PAGE], path="/below/")[0]
    assert b"location" not in answered([PAGE], path="/below")[0]


def test_a_connection_for_messages_is_not_touched() -> None:
    reached = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        reached.append((scope, receive, send))

    first_paint = FirstPaint(app, base="below", pages=PAGES)
    run(first_paint({"type": "websocket", "path": "/_stcore/stream"}, "in", "out"))
    assert reached == [({"type": "websocket", "path": "/_stcore/stream"}, "in", "out")]
