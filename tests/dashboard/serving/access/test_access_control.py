"""The door without a server: which requests reach the application, and what the others are told."""

from __future__ import annotations

from collections.abc import Coroutine, Sequence
from typing import Any

import pytest

from dashboard.serving.access.access_control import AccessControl
from dashboard.serving.access.origin import NAMES, parse_origins
from dashboard.serving.access.token import derive_keys
from tests.dashboard.serving.access.pairs import ADMITTED, REFUSED, Pair, headers_of

PORT = 8501
KEYS = derive_keys("T" * 43, PORT)
COOKIE = {"Cookie": f"ranklens={KEYS.cookie}"}
OURS = {"Host": "127.0.0.1:8501", "Origin": "http://127.0.0.1:8501"}
ADDED = [(b"x-frame-options", b"DENY"), (b"referrer-policy", b"no-referrer")]


class Asked:
    """What the application behind the door was asked, and what the one before it is answered."""

    def __init__(self) -> None:
        self.reached: list[str] = []
        self.sent: list[dict[str, Any]] = []

    async def app(self, scope: Any, receive: Any, send: Any) -> None:
        self.reached.append(scope["type"])
        if scope["type"] == "http":
            cookie = (b"Set-Cookie", b"_streamlit_xsrf=1; Path=/; SameSite=Strict")
            await send({"type": "http.response.start", "status": 200, "headers": [cookie]})
            await send({"type": "http.response.body", "body": b"secret"})
        elif scope["type"] == "websocket":
            await send({"type": "websocket.accept"})

    async def send(self, message: dict[str, Any]) -> None:
        self.sent.append(message)

    @property
    def status(self) -> int:
        return self.sent[0]["status"]

    @property
    def headers(self) -> dict[str, str]:
        return {k.decode().lower(): v.decode() for k, v in self.sent[0]["headers"]}

    @property
    def body(self) -> bytes:
        return self.sent[1]["body"]


def ask(
    path: str = f"/{KEYS.base}/queries",
    headers: dict[str, str] | list[tuple[str, str]] | None = None,
    *,
    method: str = "GET",
    query: str = "",
    opened_by: Any = KEYS,
    port: int = PORT,
    names: Sequence[str] = NAMES,
) -> Asked:
    """What one request does; method "WS" is a websocket."""
    given = headers.items() if isinstance(headers, dict) else headers or ()
    scope = {
        "type": "websocket" if method == "WS" else "http",
        "path": path,
        "query_string": query.encode(),
        "headers": [(k.lower().encode(), v.encode()) for k, v in given],
        **({} if method == "WS" else {"method": method}),
    }
    asked = Asked()
    origins = {origin for name in names for origin in parse_origins(name, port)}
    door = AccessControl(asked.app, origins=origins, keys=opened_by, headers=ADDED)
    run(door(scope, None, asked.send))
    return asked


def run(coroutine: Coroutine[Any, Any, None]) -> None:
    """Run what waits for nothing; the browser tests may hold this thread's event loop."""
    with pytest.raises(StopIteration):
        coroutine.send(None)


def assert_refused(asked: Asked, *, websocket: bool = False) -> None:
    assert asked.reached == []
    if websocket:
        # Before it was accepted, this is answered by 403.
        assert [m["type"] for m in asked.sent] == ["websocket.close"]
        return
    assert asked.status == 403
    assert "set-cookie" not in asked.headers
    assert asked.headers["x-frame-options"] == "DENY"
    said = asked.body.decode() + str(asked.headers)
    assert "secret" not in said
    assert not any(kept in said for kept in (KEYS.token, KEYS.base, KEYS.cookie))


METHODS = ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "WS"]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("pair", REFUSED.values(), ids=REFUSED.keys())
def test_a_foreign_pair_is_refused_with_the_right_cookie(pair: Pair, method: str) -> None:
    for opened_by in (KEYS, None):
        asked = ask(
            headers={**headers_of(pair, PORT), **COOKIE}, method=method, opened_by=opened_by
        )
        assert_refused(asked, websocket=method == "WS")


@pytest.mark.parametrize("pair", REFUSED.values(), ids=REFUSED.keys())
def test_a_foreign_pair_gets_no_cookie_for_the_right_token(pair: Pair) -> None:
    assert_refused(ask("/", headers_of(pair, PORT), query=f"token={KEYS.token}"))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("pair", ADMITTED.values(), ids=ADMITTED.keys())
def test_our_own_page_is_admitted(pair: Pair, method: str) -> None:
    asked = ask(headers={**headers_of(pair, PORT), **COOKIE}, method=method)
    assert asked.reached == ["websocket" if method == "WS" else "http"]


@pytest.mark.parametrize("method", METHODS)
def test_without_origin_one_may_only_read(method: str) -> None:
    asked = ask(headers={"Host": "localhost:8501", **COOKIE}, method=method)
    if method in ("GET", "HEAD"):
        assert asked.reached == ["http"]
    else:
        assert_refused(asked, websocket=method == "WS")


@pytest.mark.parametrize("name", ["Host", "Origin"])
def test_two_of_a_header_are_refused(name: str) -> None:
    for other in (OURS[name], "http://evil.example"):
        for order in (1, -1):
            doubled = [*OURS.items(), (name, other)][::order]
            assert_refused(ask(headers=[*doubled, *COOKIE.items()]))


def test_port_80_is_left_out_by_browsers() -> None:
    opened_by = derive_keys(KEYS.token, 80)
    cookie = {"Cookie": f"ranklens={opened_by.cookie}"}
    for host in ("127.0.0.1", "localhost:80"):
        headers = {"Host": host, "Origin": f"http://{host}", **cookie}
        asked = ask(f"/{opened_by.base}/", headers, opened_by=opened_by, port=80)
        assert asked.reached == ["http"]


@pytest.mark.parametrize("method", ["GET", "PUT", "WS"])
@pytest.mark.parametrize(
    "cookie",
    [
        None, "", "ranklens=", "ranklens=wrong", f"other={KEYS.cookie}", f"ranklens={KEYS.token}",
        f"ranklens={KEYS.cookie}0", f"ranklens={KEYS.cookie[:-1]}", "ranklens=\xff",
        f"ranklens={derive_keys(KEYS.token, 8502).cookie}", f"xranklens={KEYS.cookie}",
    ],
)  # fmt: skip
def test_without_the_cookie_nothing_is_had(cookie: str | None, method: str) -> None:
    headers = {**OURS, **({} if cookie is None else {"Cookie": cookie})}
    assert_refused(ask(headers=headers, method=method), websocket=method == "WS")


def test_the_cookie_stands_among_others() -> None:
    for cookies in (f"a=1; ranklens={KEYS.cookie}; b=2", f"ranklens=x;ranklens={KEYS.cookie}"):
        assert ask(headers={**OURS, "Cookie": cookies}).reached == ["http"]


@pytest.mark.parametrize("method", ["GET", "PUT", "WS"])
@pytest.mark.parametrize(
    "path", ["/", "/queries", "/_stcore/stream", "/static/a.js", f"/{KEYS.base}x", "/" + "0" * 32]
)
def test_outside_the_secret_path_there_is_nothing(path: str, method: str) -> None:
    assert_refused(ask(path, {**OURS, **COOKIE}, method=method), websocket=method == "WS")


@pytest.mark.parametrize(
    ("path", "query", "target"),
    [
        ("/", "", "/"),
        ("/queries", "k=5&m=nDCG%4010", "/queries?k=5&m=nDCG%4010"),
        ("/query", "q=a%26b&q=c", "/query?q=a%26b&q=c"),
        (f"/{KEYS.base}/queries", "k=5", "/queries?k=5"),
        (f"/{KEYS.base}", "k=5", "/?k=5"),
        # Of somebody else's server.
        (f"/{'0f' * 16}/queries", "k=5", "/queries?k=5"),
        (f"/{'0f' * 16}x", "", f"/{'0f' * 16}x"),
        ("//evil.example", "", "//evil.example"),
        ("/a\r\nX-Evil: 1", "", "/a%0D%0AX-Evil:%201"),
        ("/ä b", "", "/%C3%A4%20b"),
    ],
)
def test_the_token_leads_on_to_what_was_asked_for(path: str, query: str, target: str) -> None:
    fields = [f for f in query.split("&") if f]
    for place in range(len(fields) + 1):
        given = "&".join([*fields[:place], f"token={KEYS.token}", *fields[place:]])
        asked = ask(path, {"Host": "127.0.0.1:8501"}, query=given)
        assert (asked.reached, asked.status) == ([], 303)
        assert asked.headers["location"] == f"/{KEYS.base}{target}"
        assert asked.headers["set-cookie"] == (
            f"ranklens={KEYS.cookie}; Path=/{KEYS.base}; HttpOnly; SameSite=Strict"
        )
        assert asked.headers["cache-control"] == "no-store"
        assert KEYS.token not in str(asked.headers)


@pytest.mark.parametrize("token", ["", "x", KEYS.token[:-1], KEYS.token + "0", KEYS.cookie, "%FF"])
def test_a_wrong_token_is_refused(token: str) -> None:
    for path in ("/", f"/{KEYS.base}"):
        assert_refused(ask(path, {"Host": "127.0.0.1:8501"}, query=f"token={token}"))
    assert_refused(ask("/", {"Host": "127.0.0.1:8501"}, query=f"mytoken={KEYS.token}"))


def test_the_token_opens_neither_uploads_nor_websockets() -> None:
    for method in ("POST", "PUT", "DELETE", "OPTIONS", "WS"):
        asked = ask("/", OURS, query=f"token={KEYS.token}", method=method)
        assert_refused(asked, websocket=method == "WS")


@pytest.mark.parametrize("site", ["same-site", "cross-site", "odd"])
def test_what_another_page_embeds_is_refused_and_its_links_are_followed(site: str) -> None:
    def fetched(mode: str, destination: str, method: str = "GET") -> Asked:
        sent = {"Sec-Fetch-Site": site, "Sec-Fetch-Mode": mode, "Sec-Fetch-Dest": destination}
        return ask(headers={"Host": OURS["Host"], **sent, **COOKIE}, method=method)

    for mode, destination in (
        ("no-cors", "image"), ("no-cors", "script"), ("navigate", "iframe"), ("navigate", "embed"),
        ("navigate", "object"), ("cors", "empty"), ("websocket", "empty"),
    ):  # fmt: skip
        assert_refused(fetched(mode, destination))
    assert fetched("navigate", "document").reached == ["http"]
    assert_refused(fetched("navigate", "document", "POST"))


def test_without_keys_host_and_origin_are_all_that_counts() -> None:
    assert ask("/queries", {"Host": "127.0.0.1:8501"}, opened_by=None).reached == ["http"]
    assert ask("/_stcore/stream", OURS, method="WS", opened_by=None).reached == ["websocket"]


@pytest.mark.parametrize(
    ("name", "origins"),
    [
        ("server.test", ["http://server.test:8501"]),
        ("Server.Test:9000", ["http://server.test:9000"]),
        ("server.test:80", ["http://server.test", "http://server.test:80"]),
        ("https://hub.test/", ["https://hub.test", "https://hub.test:443"]),
        ("https://hub.test:8443", ["https://hub.test:8443"]),
        ("[::1]", ["http://[::1]:8501"]),
        ("", []), ("*", []), ("a.test/b", []), ("ftp://a.test", []), ("me@a.test", []),
        ("a.test:", []), ("a.test:x", []), ("a b", []), ("ä.test", []),
    ],
)  # fmt: skip
def test_a_name_has_the_origin_that_browsers_send(name: str, origins: list[str]) -> None:
    assert parse_origins(name, PORT) == origins


def test_a_proxy_has_its_own_scheme_and_port() -> None:
    for host, origin, admitted in (
        ("hub.test", "https://hub.test", True),
        ("hub.test", "http://hub.test", False),
        ("hub.test:8501", "https://hub.test:8501", False),
        ("server.test:8501", "http://server.test:8501", True),
        ("server.test:8501", "https://server.test:8501", False),
        ("server.test", "http://server.test", False),
        ("server.test:8501", "https://hub.test", False),
        ("127.0.0.1:8501", "http://127.0.0.1:8501", False),
    ):
        headers = {"Host": host, "Origin": origin, **COOKIE}
        asked = ask(headers=headers, method="PUT", names=["https://hub.test", "server.test"])
        assert bool(asked.reached) == admitted, (host, origin)


@pytest.mark.parametrize("host", ["hub.test", "server.test:8501"])
def test_the_cookie_of_a_proxy_with_https_is_sent_by_https_alone(host: str) -> None:
    names = ["https://hub.test", "server.test"]
    asked = ask("/", {"Host": host}, query=f"token={KEYS.token}", names=names)
    assert asked.headers["set-cookie"].endswith("; Secure") == (host == "hub.test")


@pytest.mark.parametrize("path", ["/a/b", "/a/b/", "/a/b/SECRET/", f"/a/b/{'0f' * 16}/", "/"])
def test_below_a_path_the_token_leads_there(path: str) -> None:
    keys = derive_keys(KEYS.token, PORT, "a/b")
    assert keys.base == f"a/b/{KEYS.base}"
    path = path.replace("SECRET", KEYS.base)
    asked = ask(path, {"Host": OURS["Host"]}, query=f"token={keys.token}", opened_by=keys)
    assert asked.headers["location"] == f"/{keys.base}/"
    assert f"; Path=/{keys.base};" in asked.headers["set-cookie"]
    assert ask(f"/{keys.base}/x", {**OURS, **COOKIE}, opened_by=keys).reached == ["http"]
    assert_refused(ask(f"/{KEYS.base}/x", {**OURS, **COOKIE}, opened_by=keys))


def test_every_answer_is_guarded_and_no_cookie_is_for_the_whole_host() -> None:
    asked = ask(headers={**OURS, **COOKIE})
    assert asked.headers["x-frame-options"] == "DENY"
    assert asked.headers["referrer-policy"] == "no-referrer"
    assert asked.headers["set-cookie"] == (f"_streamlit_xsrf=1; Path=/{KEYS.base}; SameSite=Strict")
    assert asked.body == b"secret"


def test_the_start_of_the_server_passes() -> None:
    asked = Asked()
    door = AccessControl(asked.app, origins=set(), keys=KEYS, headers=ADDED)
    run(door({"type": "lifespan"}, None, asked.send))
    assert asked.reached == ["lifespan"]
