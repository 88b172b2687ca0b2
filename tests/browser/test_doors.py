"""The door in a real browser that is let in: what pages from elsewhere get then, which is nothing.

The other pages know everything but the token and the cookie: the port, and the secret path too.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.browser.conftest import FLAGS, settle
from tests.browser.install import installed_browser
from tests.servers import Server, Visit, serving

# Each way in which a page can ask another origin for something: what it had, null for nothing.
WAYS = """async ({ base, script }) => {
  const websocket = base.replace('http', 'ws') + '/_stcore/stream';
  const upload = base + '/_stcore/upload_file/session/file';
  const pause = (time) => new Promise((done) => setTimeout(() => done(null), time));
  const loaded = (element) => new Promise((done) => {
    element.onload = () => done('loaded');
    element.onerror = () => done(null);
    document.body.append(element);
  });
  const made = (tag, values) => Object.assign(document.createElement(tag), values);
  const read = (url, options) => fetch(url, { credentials: 'include', ...options })
    .then((answer) => answer.text()).then((text) => text || null);
  const framed = async (tag, values) => {
    const frame = made(tag, values);
    document.body.append(frame);
    await pause(1200);
    try {
      const text = frame.contentDocument?.documentElement?.outerHTML ?? '';
      return /stApp|root|Ranklens/.test(text) ? text : null;
    } catch { return null; }
  };
  const form = async (action, method) => {
    const frame = made('iframe', { name: 'target' + Math.random() });
    const sent = made('form', { action, method, target: frame.name });
    sent.enctype = 'multipart/form-data';
    sent.append(made('input', { name: 'file', value: 'x' }));
    document.body.append(frame, sent);
    sent.submit();
    await pause(1200);
    try { return frame.contentWindow.document.body.innerHTML || null; } catch { return null; }
  };
  const ways = {
    fetch: () => read(base + '/'),
    'fetch without CORS': () => read(base + '/', { mode: 'no-cors' }),
    'health': () => read(base + '/_stcore/health'),
    'font by fetch': () => read(base + '/app/static/inter.woff2'),
    'upload by PUT': () => read(upload, { method: 'PUT', body: new FormData() }),
    'upload by POST': () => read(upload, { method: 'POST', mode: 'no-cors', body: 'x' }),
    'removal': () => read(upload, { method: 'DELETE' }),
    'request of old': () => new Promise((done) => {
      const request = new XMLHttpRequest();
      request.open('GET', base + '/');
      request.withCredentials = true;
      request.onload = () => done(request.responseText);
      request.onerror = () => done(null);
      request.send();
    }),
    image: () => loaded(made('img', { src: base + '/favicon.png' })),
    script: () => loaded(made('script', { src: script })),
    module: () => import(script).then(() => 'loaded'),
    style: () => loaded(made('link', { rel: 'stylesheet', href: base + '/static/css/a.css' })),
    font: () => new FontFace('x', `url(${base}/app/static/inter.woff2)`).load()
      .then(() => 'loaded'),
    websocket: () => new Promise((done) => {
      const socket = new WebSocket(websocket, ['streamlit']);
      socket.onopen = () => done('open');
      socket.onerror = () => done(null);
    }),
    events: () => new Promise((done) => {
      const source = new EventSource(base + '/', { withCredentials: true });
      source.onopen = () => { source.close(); done('open'); };
      source.onerror = () => { source.close(); done(null); };
    }),
  };
  const waiting = {
    worker: () => new Promise((done) => {
      const worker = new Worker(script);
      worker.onerror = () => done(null);
      setTimeout(() => done(null), 800);
    }),
    frame: () => framed('iframe', { src: base + '/' }),
    'sandboxed frame': () => framed('iframe', { src: base + '/', sandbox: 'allow-scripts' }),
    object: () => framed('object', { data: base + '/', type: 'text/html' }),
    'form that reads': () => form(base + '/', 'get'),
    'form that writes': () => form(upload, 'post'),
    beacon: async () => { navigator.sendBeacon(upload, 'x'); await pause(300); return null; },
  };
  const had = {};
  const tried = async ([name, way]) => {
    try {
      had[name] = await Promise.race([way(), pause(5000)]);
    } catch { had[name] = null; }
  };
  for (const each of Object.entries(ways)) await tried(each);
  // Nothing says that one of these got nothing: they wait, and together.
  await Promise.all(Object.entries(waiting).map(tried));
  return had;
}"""
WINDOW = """async (base) => {
  const other = window.open(base + '/');
  await new Promise((done) => setTimeout(done, 2500));
  if (!other) return 'not opened';
  const had = [];
  try { had.push(other.document.title); } catch {}
  try { had.push(other.location.href); } catch {}
  return other.closed && !had.length && other.length === 0 ? 'cut off' : had;
}"""


class OtherServer:
    """A server of somebody else on this computer; notes what browsers send it."""

    def __init__(self) -> None:
        self.seen: list[tuple[str, dict[str, str]]] = []
        noted = self.seen

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                noted.append((self.path, {k.lower(): v for k, v in self.headers.items()}))
                self.send_response(200)
                self.send_header("Content-Type", "text/html")
                self.end_headers()
                self.wfile.write(b"<!DOCTYPE html><title>Other</title><body>other")

            def log_message(self, *_: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self._server.server_address[1]
        serve = self._server.serve_forever
        threading.Thread(target=serve, args=(0.01,), daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, browser: Browser) -> Iterator[Server]:
    with serving(tmp_path_factory.mktemp("doors") / "workspace") as started:
        started.let_in()
        yield started
        assert started.process.poll() is None
    assert "Traceback" not in started.log(), started.log()


@pytest.fixture(scope="module")
def visit(server: Server) -> Visit:
    return server.let_in()


@pytest.fixture
def other() -> Iterator[OtherServer]:
    started = OtherServer()
    yield started
    started.close()


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    made = browser.new_context()
    yield made
    made.close()


def let_in(context: BrowserContext, server: Server) -> Page:
    """Opens the printed address, as a reader does; the page stays open."""
    page = context.new_page()
    page.goto(server.printed())
    settle(page)
    return page


def script_of(page: Page) -> str:
    """The address of the first script of our page."""
    return page.evaluate("document.querySelector('script[src]').src")


def statuses_for(page: Page, server: Server) -> list[int]:
    """Notes the status of what the server answers to this page, also where the browser hides the
    answer from it."""
    statuses: list[int] = []
    asked: set[str] = set()

    def sent(event: dict[str, Any]) -> None:
        url = event.get("url") or event["request"]["url"]
        if f":{server.port}/" in url:
            asked.add(event["requestId"])

    def answered(event: dict[str, Any]) -> None:
        if event["requestId"] in asked:
            statuses.append(event["statusCode"])

    session = page.context.new_cdp_session(page)
    session.on("Network.requestWillBeSent", sent)
    session.on("Network.responseReceivedExtraInfo", answered)
    session.send("Network.enable")
    return statuses


def test_the_printed_address_opens_the_first_page(server: Server, context: BrowserContext) -> None:
    page = let_in(context, server)
    expect(page.locator(".lens.page-title").first).to_have_text("Overview")
    assert "token" not in page.url
    kept = [cookie for cookie in context.cookies() if cookie["name"] == "ranklens"]
    assert [(c["httpOnly"], c["sameSite"]) for c in kept] == [(True, "Strict")]
    assert all(cookie["path"] == urlsplit(page.url).path[:33] for cookie in context.cookies())
    assert "ranklens=" not in page.evaluate("document.cookie")
    # Once more, as from the history.
    page.goto(server.printed())
    settle(page)
    expect(page.locator(".lens.page-title").first).to_have_text("Overview")


def test_a_link_given_beside_the_token_is_followed(server: Server, context: BrowserContext) -> None:
    root, _, token = server.printed().partition("?")
    page = context.new_page()
    page.goto(f"{root}queries?k=5&{token}&show=worse")
    settle(page)
    expect(page.locator(".lens.page-title").first).to_have_text("All queries")
    assert "token" not in page.url
    assert {"k=5", "show=worse"} <= set(urlsplit(page.url).query.split("&"))


@pytest.mark.thorough
def test_an_open_page_goes_on_after_a_restart(tmp_path: Path, context: BrowserContext) -> None:
    with serving(tmp_path / "workspace") as first:
        page = let_in(context, first)
    with serving(tmp_path / "workspace", port=first.port) as again:
        again.let_in()
        # Streamlit's page tries again by itself.
        page.wait_for_selector(
            "[data-testid=stApp][data-test-connection-state=CONNECTED]", timeout=60_000
        )
        settle(page)
        page.locator(".lens.pages a", has_text="All queries").first.click()
        expect(page.locator(".lens.page-title").first).to_have_text("All queries")
        page.reload()
        settle(page)
        expect(page.locator(".lens.page-title").first).to_have_text("All queries")


def test_without_the_token_it_says_how_to_get_in(
    server: Server, visit: Visit, context: BrowserContext
) -> None:
    page = context.new_page()
    heading = page.get_by_role("heading", level=1)
    answer = page.goto(f"{visit.address}/queries")
    assert answer is not None and answer.status == 403
    expect(heading).to_have_text("This browser is not signed in")
    expect(page.locator("p").first).to_contain_text("printed in the terminal")
    # Signed in or not: no cookie is sent to an address without the workspace's path.
    for signed_in in (False, True):
        if signed_in:
            let_in(context, server)
        for path in ("", "queries"):
            answer = page.goto(f"http://127.0.0.1:{server.port}/{path}")
            assert answer is not None and answer.status == 403
            expect(heading).to_have_text("This address alone does not open Ranklens")
            expect(page.locator("p").first).to_contain_text("by its bookmark")


def test_a_link_in_another_site_opens_with_one_more_click(
    server: Server, visit: Visit, other: OtherServer, context: BrowserContext
) -> None:
    let_in(context, server)
    page = context.new_page()
    page.goto(f"http://localhost:{other.port}/")
    page.evaluate(
        "url => document.body.append(Object.assign(document.createElement('a'),"
        " { href: url, textContent: 'to Ranklens' }))",
        f"{visit.address}/queries?k=5",
    )
    page.get_by_text("to Ranklens").click()
    # A strict cookie is not sent where another site leads.
    expect(page.get_by_role("heading", level=1)).to_have_text("This browser is not signed in")
    page.get_by_role("link").click()
    settle(page)
    expect(page.locator(".lens.page-title").first).to_have_text("All queries")


@pytest.mark.parametrize(
    "host", ["127.0.0.1", pytest.param("localhost", marks=pytest.mark.thorough)]
)
def test_a_page_on_another_port_gets_nothing(
    host: str, server: Server, visit: Visit, other: OtherServer, context: BrowserContext
) -> None:
    script = script_of(let_in(context, server))
    page = context.new_page()
    page.goto(f"http://{host}:{other.port}/")
    statuses = statuses_for(page, server)
    had = page.evaluate(WAYS, {"base": visit.address, "script": script})
    assert {way: got for way, got in had.items() if got is not None} == {}
    assert len(had) == 22
    # Not by the browser's rules alone: what reached the server was refused there.
    assert set(statuses) == {403} and len(statuses) >= 12
    assert page.evaluate(WINDOW, visit.address) == "cut off"


def test_our_own_page_gets_what_the_others_do_not(
    server: Server, visit: Visit, context: BrowserContext
) -> None:
    page = let_in(context, server)
    had = page.evaluate(WAYS, {"base": visit.address, "script": script_of(page)})
    assert {"fetch", "health", "font by fetch", "image", "script", "font", "websocket"} <= {
        way for way, got in had.items() if got
    }
    assert had["frame"] is None and had["sandboxed frame"] is None and had["object"] is None


def test_a_rebound_name_gets_nothing(server: Server, visit: Visit, browser: Browser) -> None:
    rules = "--host-resolver-rules=MAP rebound.test 127.0.0.1"
    # The browser's own protection is off, so that ours is tried.
    trusting = "--disable-features=LocalNetworkAccessChecks,BlockInsecurePrivateNetworkRequests"
    path = installed_browser()
    started = browser.browser_type.launch(executable_path=path, args=[*FLAGS, rules, trusting])
    try:
        context = started.new_context()
        script = script_of(let_in(context, server))
        name, _, value = visit.cookie.partition("=")
        # Even if the name's owner had the cookie.
        held = {"name": name, "value": value, "domain": "rebound.test", "path": "/"}
        context.add_cookies([held])
        page = context.new_page()
        rebound = f"http://rebound.test:{server.port}"
        # What its owner's server sent, before the name was pointed here.
        own = f"{rebound}/own"
        page.route(own, lambda route: route.fulfill(body="<!DOCTYPE html><body>other"))
        page.goto(own)
        statuses = statuses_for(page, server)
        for origin in (rebound, f"http://127.0.0.1:{server.port}"):
            asked = {
                "base": origin + visit.base,
                "script": origin + urlsplit(script).path,
            }
            had = page.evaluate(WAYS, asked)
            # To its own name it is the page that refuses which can be read.
            assert {
                w: got for w, got in had.items() if got and "<title>Ranklens: This" not in got
            } == {}
            assert set(statuses) == {403} and len(statuses) >= 12
            statuses.clear()
        token = server.printed().partition("/?")[2]
        answer = page.goto(f"{rebound}/?{token}")
        assert answer is not None and answer.status == 403
    finally:
        started.close()


def test_another_server_of_this_computer_is_sent_no_cookie(
    server: Server, other: OtherServer, context: BrowserContext
) -> None:
    ours = let_in(context, server)
    assert len(context.cookies()) >= 2
    page = context.new_page()
    for path in ("/", "/queries", "/_stcore/stream", "/_stcore/health"):
        page.goto(f"http://127.0.0.1:{other.port}{path}")
        page.evaluate("fetch('/again', { credentials: 'include' })")
    ours.goto(f"http://127.0.0.1:{other.port}/left")
    assert len(other.seen) >= 9
    assert [headers["cookie"] for _, headers in other.seen if "cookie" in headers] == []


def test_our_page_asks_nobody_else_and_says_not_where_it_was(
    server: Server, other: OtherServer, context: BrowserContext
) -> None:
    page = let_in(context, server)
    had = page.evaluate(
        """async (other) => {
          const had = {};
          had.fetch = await fetch(other, { mode: 'no-cors' }).then(() => 'sent', () => null);
          had.image = await new Promise((done) => {
            const image = new Image();
            image.onload = () => done('loaded');
            image.onerror = () => done(null);
            image.src = other;
          });
          try { new WebSocket(other.replace('http', 'ws')); had.websocket = 'tried'; } catch {}
          document.body.insertAdjacentHTML('beforeend', '<img src=x onerror="window.ran = 1">');
          await new Promise((done) => setTimeout(done, 500));
          had.inline = window.ran ?? null;
          try { had.text = (0, eval)('1'); } catch { had.text = null; }
          return had;
        }""",
        f"http://127.0.0.1:{other.port}/asked",
    )
    assert other.seen == []
    assert (had["fetch"], had["image"], had["inline"], had["text"]) == (None, None, None, None)
    page.evaluate("url => { location.href = url; }", f"http://127.0.0.1:{other.port}/left")
    page.wait_for_url("**/left")
    assert [headers.get("referer") for path, headers in other.seen if path == "/left"] == [None]


def test_an_upload_passes_the_door(
    server: Server, visit: Visit, context: BrowserContext, tmp_path: Path
) -> None:
    page = let_in(context, server)
    page.goto(f"{visit.address}/data")
    settle(page)
    run = tmp_path / "passes.run"
    run.write_text("q001 Q0 FN-0098 1 2.5 passes\nq002 Q0 FN-0041 1 1.5 passes\n")
    with page.expect_response(lambda answer: "/upload_file/" in answer.url) as uploaded:
        page.locator("input[type=file]").first.set_input_files(run)
    assert uploaded.value.status == 204
    expect(page.get_by_text("passes.run").first).to_be_visible(timeout=30_000)
