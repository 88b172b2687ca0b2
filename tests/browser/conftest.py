"""A real server and a real browser; one of each for all browser tests of a worker."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

from tests.browser.install import installed_browser
from tests.servers import serving

if TYPE_CHECKING:
    from playwright.sync_api import (
        Browser,
        BrowserContext,
        ElementHandle,
        FilePayload,
        Locator,
        Page,
    )

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    # The window's own buttons are pages of their own in each visit, and nobody sees them. The last
    # such list wins, so those that Playwright gives stand here too as far as they matter.
    "--disable-features=InitialWebUI,PreloadTopChromeWebUI,WebUIReloadButton,WebUIToolbar,"
    "WebUILocationBar,WebUIOmniboxPopup,WebUITabStrip,DestroyProfileOnBrowserClose,HttpsUpgrades,"
    "LensOverlay,MediaRouter,OptimizationHints,PaintHolding,ThirdPartyStoragePartitioning",
]
# What a click asks the server for is on its way while the state still says "notRunning". Of what
# the page sends only that is answered at once: a message that begins so, to run the script again.
_LISTENING = """
const RERUN = 0x5a, send = WebSocket.prototype.send;
WebSocket.prototype.send = function (...message) {
  if (!this.__listened) {
    this.__listened = true;
    this.addEventListener('message', () => { window.__asked = undefined; });
  }
  if (message[0][0] === RERUN) window.__asked = performance.now();
  return send.apply(this, message);
};"""
# Idle for a while on end: between a click and what it asks for lies a moment, too.
_IDLE = """() => {
  const app = document.querySelector('[data-testid=stApp]');
  const idle = app && app.dataset.testScriptState === 'notRunning'
    && app.dataset.testConnectionState === 'CONNECTED'
    && !document.querySelector('[data-stale=true], [data-testid=stSkeleton]')
    && getComputedStyle(document.querySelector('[data-testid=stMain]')).visibility === 'visible';
  const now = performance.now();
  if (!idle || now - window.__asked < 3000) { window.__busy = now; return false; }
  window.__busy ??= now;
  return now - window.__busy > 250;
}"""


class _WithoutPlaywright(pytest.Module):
    """A file of these tests that is not imported, as it could not be."""

    def collect(self) -> Iterable[pytest.Item | pytest.Collector]:
        pytest.importorskip("playwright")
        return ()


def pytest_pycollect_makemodule(
    module_path: Path, parent: pytest.Collector
) -> pytest.Module | None:
    """Skip the files of this folder if Playwright is missing."""
    if find_spec("playwright"):
        return None
    return _WithoutPlaywright.from_parent(parent, path=module_path)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """So that `-m "not browser"` leaves them out."""
    for item in items:
        if "tests/browser" in str(item.path):
            item.add_marker(pytest.mark.browser)


_COOKIES: dict[str, str] = {}
"""What opens each server of these tests, by the address below which it is limited."""


@contextmanager
def running_server(workspace: Path, data: Path | None = None) -> Iterator[str]:
    """A dashboard on a free port of this machine: the address of its first page, which is open to
    every visit of `open_page`. Fails with the log if it dies or prints a traceback."""
    with serving(workspace, *(["--data", str(data)] if data else [])) as server:
        visit = server.let_in()
        _COOKIES[visit.address] = visit.cookie
        yield visit.address
        assert server.process.poll() is None, server.log()
    assert "Traceback" not in server.log(), server.log()


def let_in(context: BrowserContext) -> None:
    """Give a visit what opens the servers, as the printed address does."""
    for address, cookie in _COOKIES.items():
        name, _, value = cookie.partition("=")
        path = urlsplit(address).path
        context.add_cookies([{"name": name, "value": value, "domain": "127.0.0.1", "path": path}])


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """The browser; its tests are skipped if there is none."""
    path = installed_browser()
    if path is None:
        pytest.skip("no browser on this machine")
    from playwright.sync_api import expect, sync_playwright

    # A page that is slow to load beside other tests on a small machine has not failed.
    expect.set_options(timeout=20_000)
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield started
        started.close()


@pytest.fixture(scope="session")
def sample_app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a dashboard that shows the sample."""
    with running_server(tmp_path_factory.mktemp("workspace") / "sample") as address:
        yield address


Opened = Callable[..., "Page"]


@pytest.fixture
def open_page(browser: Browser) -> Iterator[Opened]:
    """Opens an address in a fresh visit; afterwards the page must have shown no error and asked
    for nothing beyond this machine."""
    contexts: list[BrowserContext] = []
    problems: list[str] = []

    def opened(
        address: str,
        *,
        width: int = 1440,
        height: int = 1000,
        dark: bool = False,
        touch: bool = False,
    ) -> Page:
        context = browser.new_context(
            viewport={"width": width, "height": height},
            color_scheme="dark" if dark else "light",
            accept_downloads=True,
            has_touch=touch,
        )
        contexts.append(context)
        let_in(context)
        context.add_init_script(_LISTENING)
        page = context.new_page()
        page.on("pageerror", lambda error: problems.append(f"page error: {error}"))
        page.on("console", lambda message: _blocked(message.text, problems))
        page.on("request", lambda request: _only_local(request.url, problems))
        page.goto(address)
        settle(page)
        return page

    yield opened
    for context in contexts:
        for page in context.pages:
            if page.locator("[data-testid=stException]").count():
                problems.append(page.locator("[data-testid=stException]").first.inner_text())
        context.close()
    assert not problems, problems


def _only_local(url: str, problems: list[str]) -> None:
    if not url.startswith(("http://127.0.0.1", "ws://127.0.0.1", "data:", "blob:")):
        problems.append(f"asked for {url}")


def _blocked(said: str, problems: list[str]) -> None:
    """What the browser says where a page asks for more than its answer's headers allow."""
    if "Content Security Policy" in said or "Cross-Origin" in said:
        problems.append(said)


def control(page: Page, name: str) -> Locator:
    """The controls that open from a word of the sentence on top, opened: "measure",
    "queries_in_view" or "also_shown"."""
    word = page.locator(f".st-key-{name} [data-testid=stPopoverButton]").first
    word.wait_for()
    if word.get_attribute("aria-expanded") != "true":
        word.click()
        # It takes the focus once it stands.
        page.wait_for_timeout(300)
    return page.locator("[data-testid=stPopoverBody]").first


def choose(page: Page, *files: tuple[str, str | bytes]) -> ElementHandle:
    """Choose files to add, each a name and what is in it; gives the field for them."""
    field = page.locator("[data-testid=stFileUploader] input[type=file]").element_handle()
    payloads: list[FilePayload] = [
        {
            "name": name,
            "mimeType": "application/octet-stream",
            "buffer": content.encode() if isinstance(content, str) else content,
        }
        for name, content in files
    ]
    field.set_input_files(payloads)
    return field


def upload(page: Page, *files: tuple[str, str | bytes]) -> None:
    """Add files, and wait until the page shows what became of them."""
    # While they are on their way the app is idle. Once they are read, the field for the next ones
    # is a new one.
    page.wait_for_function("field => !field.isConnected", arg=choose(page, *files), timeout=60_000)
    settle(page)


def settle(page: Page) -> None:
    """Wait until the app has been idle for a moment."""
    page.evaluate("window.__busy = undefined")
    page.wait_for_function(_IDLE, timeout=60_000)
