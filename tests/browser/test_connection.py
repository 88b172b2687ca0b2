"""The connection between page and server is lost: by a restart, a sleep, a cut at a click, a server
that hangs. What was clicked is applied or not, but page and address always agree."""

from __future__ import annotations

import re
import signal
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event, Thread
from urllib.parse import urlsplit, urlunsplit

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Opened, choose, control, settle

ROOT = Path(__file__).resolve().parents[2]
QRELS = b"q1 0 d1 1\nq1 0 d2 0\nq2 0 d3 2\n"
RUN = b"q1 Q0 d1 1 3.0 good\nq1 Q0 d2 2 2.0 good\nq2 Q0 d3 1 1.0 good\n"
SLOW = 60_000  # a restart on a busy machine
# Runs of the page and files in the making take as long as a certain file is there.
_COMMAND = """
import sys, time
from pathlib import Path
from dashboard import session
from dashboard.session.actions import collections
held, sync = Path(sys.argv.pop()), session.sync_address
def slow(page):
    while held.exists():
        time.sleep(0.05)
    sync(page)
def packed(identity, packed=collections.pack_collection):
    while held.exists():
        time.sleep(0.05)
    return packed(identity)
session.sync_address, collections.pack_collection = slow, packed
from dashboard.start import main
sys.exit(main())
"""


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


class Server:
    """A dashboard that can be killed and started again where it was."""

    def __init__(self, folder: Path) -> None:
        self.port = _free_port()
        self.log, self.held, self._folder = folder / "log", folder / "held", folder
        self.start()

    def start(self) -> None:
        before = self.log.stat().st_size if self.log.exists() else 0
        command = [sys.executable, "-c", _COMMAND, "--port", str(self.port)]
        command += ["--workspace", str(self._folder / "workspace"), str(self.held)]
        with self.log.open("a") as log:
            self.process = subprocess.Popen(
                command, cwd=ROOT, stdout=log, stderr=log, start_new_session=True
            )
        for _ in range(600):
            text = self.log.read_text()[before:]
            assert self.process.poll() is None, text
            printed = re.search(r"^Ranklens: (\S+)$", text, re.MULTILINE)
            with socket.socket() as tried:
                if printed and tried.connect_ex(("127.0.0.1", self.port)) == 0:
                    self.address = printed[1]
                    return
            time.sleep(0.1)
        raise AssertionError(f"the server did not start\n{self.log.read_text()}")

    def send(self, what: signal.Signals) -> None:
        self.process.send_signal(what)

    def kill(self) -> None:
        self.send(signal.SIGKILL)
        self.process.wait(20)

    def restart(self) -> None:
        self.kill()
        self.start()


class Line:
    """A connection to a server that can go dead, one way or both, and be cut. The server sees its
    own host and port: both ports have the same number of digits, so that lengths stay."""

    def __init__(self, to: int) -> None:
        self.to, self.port = to, _free_port()
        while len(str(self.port)) != len(str(to)):
            self.port = _free_port()
        self.answers_lost = self.holds_uploads = False
        self.holds = Event()
        self._pairs: list[tuple[socket.socket, socket.socket, Event]] = []
        self._listening = socket.create_server(("127.0.0.1", self.port))
        Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self._listening.accept()
            except OSError:
                return
            try:
                far = socket.create_connection(("127.0.0.1", self.to), 5)
            except OSError:
                near.close()
                continue
            far.settimeout(None)
            dead = Event()
            self._pairs.append((near, far, dead))
            Thread(target=self._up, args=(near, far, dead), daemon=True).start()
            Thread(target=self._down, args=(far, near, dead), daemon=True).start()

    def _up(self, near: socket.socket, far: socket.socket, dead: Event) -> None:
        mine, theirs = f"127.0.0.1:{self.port}".encode(), f"127.0.0.1:{self.to}".encode()

        def passed(data: bytes) -> bytes:
            if self.holds_uploads and data.startswith(b"PUT "):
                dead.set()
                self.holds.set()
            return b"" if dead.is_set() else data.replace(mine, theirs)

        _pump(near, far, passed)

    def _down(self, far: socket.socket, near: socket.socket, dead: Event) -> None:
        _pump(far, near, lambda data: b"" if dead.is_set() or self.answers_lost else data)

    def die(self) -> None:
        """What is connected now passes nothing more, and nobody is told; new connections work."""
        for _, _, dead in self._pairs:
            dead.set()

    def cut(self) -> None:
        """Reset what is connected now."""
        for near, far, _ in self._pairs:
            for end in (near, far):
                try:
                    end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                    end.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass
                end.close()
        self._pairs.clear()

    def close(self) -> None:
        self._listening.close()
        self.cut()


def _pump(source: socket.socket, sink: socket.socket, passed: Callable[[bytes], bytes]) -> None:
    try:
        while data := source.recv(65536):
            sink.sendall(passed(data))
    except OSError:
        pass
    for end in (source, sink):
        with suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    server = Server(tmp_path_factory.mktemp("connection"))
    yield server
    server.kill()
    assert "Traceback" not in server.log.read_text(), server.log.read_text()


@pytest.fixture
def server(started: Server) -> Server:
    """One that runs, whatever the test before did to it."""
    if started.process.poll() is not None:
        started.start()
    return started


@contextmanager
def line_to(server: Server) -> Iterator[Line]:
    line = Line(server.port)
    try:
        yield line
    finally:
        line.close()


def visit(
    open_page: Opened, server: Server, path: str = "/?set=sample", port: int = 0, **how: object
) -> Page:
    """A page of this server, on the way that its printed address leads in."""
    netloc = f"127.0.0.1:{port or server.port}"
    printed, asked = urlsplit(server.address), urlsplit(path)
    query = "&".join(q for q in (printed.query, asked.query) if q)
    return open_page(urlunsplit(("http", netloc, asked.path, query, "")), **how)


def k(page: Page, value: str) -> Locator:
    return (
        control(page, "measure")
        .locator(".st-key-w_k [role=radio]")
        .filter(has_text=re.compile(f"^{value}$"))
    )


def shows_k(page: Page, value: str) -> None:
    """Page, widget and address say the same."""
    expect(page).to_have_url(re.compile(f"[?&]k={value}(&|$)"), timeout=SLOW)
    expect(page.locator(".st-key-verdict")).to_contain_text(f"nDCG@{value} ", timeout=SLOW)
    expect(k(page, value)).to_have_attribute("aria-checked", "true", timeout=SLOW)


def notice(page: Page) -> Locator:
    return page.get_by_role("alert").filter(has_text="Ranklens is not responding")


@pytest.mark.thorough
def test_the_first_click_after_a_restart_is_applied(server: Server, open_page: Opened) -> None:
    page = visit(open_page, server, "/queries?set=sample")
    server.restart()
    # Controls are off until the page is connected again: this clicks in the first moment.
    page.locator(".st-key-w_show button").nth(1).click(timeout=SLOW)
    expect(page).to_have_url(re.compile("show=fixed"), timeout=SLOW)
    settle(page)
    server.restart()
    page.locator(".st-key-w_run input").click(timeout=SLOW)
    page.get_by_role("option", name="hybrid").click(timeout=SLOW)
    expect(page).to_have_url(re.compile("run=hybrid.*show=fixed"), timeout=SLOW)
    expect(page.locator("h1")).to_contain_text("hybrid", timeout=SLOW)
    settle(page)
    server.kill()
    # A link that is clicked while nobody is there leads on when somebody is.
    page.locator("table tbody a").first.click()
    server.start()
    expect(page).to_have_url(re.compile("/query[?].*run=hybrid.*q="), timeout=SLOW)
    expect(page.locator(".lens.page-title")).to_have_text("Query", timeout=SLOW)


@pytest.mark.thorough
def test_upload_and_remove_after_a_restart(server: Server, open_page: Opened) -> None:
    page = visit(open_page, server, "/data?set=own")
    server.restart()
    expect(page.locator("[data-testid=stFileUploader] button").first).to_be_enabled(timeout=SLOW)
    choose(page, ("my.qrels", QRELS), ("good.run", RUN))
    expect(page.get_by_test_id("stMain")).to_contain_text("Two files are loaded", timeout=SLOW)
    page.get_by_text("Change or remove files").click()
    expect(page.get_by_role("button", name="Remove", exact=True).first).to_be_visible()
    settle(page)
    server.restart()
    page.get_by_role("button", name="Remove", exact=True).first.click(timeout=SLOW)
    expect(page.get_by_test_id("stMain")).to_contain_text("One file is loaded", timeout=SLOW)
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_test_id("stMain")).to_contain_text("Two files are loaded", timeout=SLOW)
    # A file that is long in the making is no sign of a dead connection.
    page.locator(".st-key-collections button").first.click()
    page.locator(".lens.shelf-all a").click()
    page.locator(".st-key-collection_own button").first.click(timeout=SLOW)
    expect(page.get_by_role("button", name="Download").first).to_be_visible(timeout=SLOW)
    settle(page)
    server.held.touch()
    try:
        with page.expect_download(timeout=SLOW):
            page.get_by_role("button", name="Download").first.click()
            page.wait_for_timeout(7000)
            server.held.unlink()
    finally:
        server.held.unlink(missing_ok=True)


@pytest.mark.thorough
def test_the_first_click_after_a_sleep_is_applied(server: Server, open_page: Opened) -> None:
    with line_to(server) as line:
        page = visit(open_page, server, port=line.port)
        line.die()
        k(page, "5").click()
        shows_k(page, "5")
        settle(page)
        line.die()
        page.locator(".lens.pages a", has_text="By cutoff").click()
        expect(page).to_have_url(re.compile("/curves.*k=5"), timeout=SLOW)
        settle(page)
        line.die()
        server.restart()  # nor does anybody know the session any more
        k(page, "3").click()
        expect(page).to_have_url(re.compile("[?&]k=3(&|$)"), timeout=SLOW)
        expect(k(page, "3")).to_have_attribute("aria-checked", "true", timeout=SLOW)


@pytest.mark.parametrize("heard", [True, pytest.param(False, marks=pytest.mark.thorough)])
def test_a_connection_cut_at_a_click(server: Server, open_page: Opened, heard: bool) -> None:
    with line_to(server) as line:
        page = visit(open_page, server, "/?set=sample&k=5", port=line.port)
        k(page, "3").wait_for()
        if heard:
            line.answers_lost = True
        else:
            line.die()
        k(page, "3").click()
        page.wait_for_timeout(1000)
        line.answers_lost = False
        line.cut()
        shows_k(page, "5" if heard else "3")


@pytest.mark.thorough
def test_a_server_that_does_not_answer_is_said(server: Server, open_page: Opened) -> None:
    page = visit(open_page, server, width=400, height=700, dark=True)
    page.locator(".lens.folded").click()
    k(page, "5").wait_for()
    server.send(signal.SIGSTOP)
    try:
        k(page, "5").click()
        page.wait_for_timeout(2000)
        expect(notice(page)).to_have_count(0)
        expect(notice(page)).to_be_in_viewport(ratio=1, timeout=20_000)
        box = notice(page).bounding_box()
        assert box is not None and box["x"] >= 0 and box["x"] + box["width"] <= 400
        ground = notice(page).evaluate("e => getComputedStyle(e).backgroundColor")
        assert max(int(part) for part in re.findall(r"\d+", ground)[:3]) < 64  # it is dark
    finally:
        server.send(signal.SIGCONT)
    expect(notice(page)).to_have_count(0, timeout=SLOW)
    shows_k(page, "5")
    settle(page)
    server.kill()
    page.go_back()  # the widgets then show another address, which is no change of this one
    expect(notice(page)).to_be_in_viewport(timeout=20_000)
    page.wait_for_timeout(3000)
    # Streamlit's own word on it; the measure's controls are open, and a dialog too.
    expect(page.locator("[role=dialog]:not([data-testid=stPopoverBody])")).to_have_count(0)
    server.start()
    expect(notice(page)).to_have_count(0, timeout=SLOW)
    settle(page)
    expect(k(page, "10")).to_have_attribute("aria-checked", "true")
    expect(page).not_to_have_url(re.compile("k="))


@pytest.mark.thorough
def test_a_busy_server_is_not_said_to_be_gone(server: Server, open_page: Opened) -> None:
    page = visit(open_page, server)
    seen = "window.seen = new Set(); setInterval(() => seen.add(document.body.textContent), 200)"
    server.held.touch()
    try:
        k(page, "5").click()
        page.evaluate(seen)
        page.wait_for_timeout(2000)
        k(page, "3").click()
        page.wait_for_timeout(6000)
    finally:
        server.held.unlink()
    shows_k(page, "3")
    said = page.evaluate("[...seen].some((text) => text.includes('Ranklens is not responding'))")
    assert said is False


@pytest.mark.thorough
def test_an_upload_that_is_cut_off_is_named(server: Server, open_page: Opened) -> None:
    with line_to(server) as line:
        page = visit(open_page, server, "/data?set=other", port=line.port)
        told = page.locator(".lens.receipt").filter(has_text="was interrupted")
        line.holds_uploads = True
        choose(page, ("a-large.run", RUN))
        assert line.holds.wait(30)
        server.kill()
        line.cut()
        line.holds_uploads = False
        server.start()
        expect(told).to_contain_text("The upload of a-large.run was interrupted.", timeout=SLOW)
        settle(page)
        line.die()
        choose(page, ("another.run", RUN))  # not even its beginning arrives
        expect(told).to_contain_text("another.run", timeout=SLOW)
        settle(page)
        choose(page, ("my.qrels", QRELS), ("a-large.run", RUN))
        expect(page.get_by_test_id("stMain")).to_contain_text("Two files are loaded", timeout=SLOW)
        expect(told).to_have_count(0)


@pytest.mark.thorough
def test_one_upload_that_fails_alone_is_named(server: Server, open_page: Opened) -> None:
    page = visit(open_page, server, "/data?set=third")
    page.route("**/_stcore/upload_file/**", lambda route: route.abort())
    choose(page, ("a-large.run", RUN))
    told = page.locator(".lens.receipt").filter(has_text="was interrupted")
    expect(told).to_contain_text("The upload of a-large.run was interrupted.", timeout=SLOW)
