"""`streamlit run dashboard/app.py`, as any Streamlit app is started: no door, no server of ours."""

from __future__ import annotations

import re
import socket
import sys
from pathlib import Path

from playwright.sync_api import expect

from tests.browser.conftest import Opened, settle, upload
from tests.browser.test_files import GOOD, QRELS
from tests.servers import ROOT, free_port, serving

LONG = "".join(f"q1 Q0 d{n:07} {n} {-n} long\n" for n in range(1, 200_000))
"""A run that our own server would write to the disk while it arrives."""


def test_streamlit_run_opens_the_sample_and_takes_files(tmp_path: Path, open_page: Opened) -> None:
    port, workspace = free_port(), tmp_path / "workspace"
    command = (sys.executable, "-m", "streamlit", "run", str(ROOT / "dashboard" / "app.py"))
    options = ("--server.port", str(port), "--server.headless", "true")
    here = {"RANKLENS_WORKSPACE": str(workspace), "PYTHONPATH": "", "HOME": str(tmp_path)}
    with serving(
        workspace, port=port, command=(*command, *options), cwd=tmp_path, environment=here
    ) as server:
        address = server.printed(r"URL: (\S+)$")
        assert address == f"http://127.0.0.1:{port}"
        assert not re.search("Network|External|statistics", server.log())
        with socket.socket() as elsewhere:
            assert elsewhere.connect_ex(("127.0.0.2", port)) != 0
        page = open_page(address)
        expect(page.locator("h1")).to_contain_text("beats bm25")
        fonts = page.evaluate("[...document.fonts].filter((f) => f.status === 'loaded').length")
        assert fonts and page.locator(".lens.answer").evaluate("e => getComputedStyle(e).display")
        page.goto(f"{address}/help")
        settle(page)
        expect(page.get_by_text("any program on this computer can open it")).to_be_visible()
        page.goto(f"{address}/collections")
        settle(page)
        page.get_by_role("button", name="New collection").click()
        body = page.locator("[data-testid=stPopoverBody]")
        body.get_by_label("Collection name").fill("Mine")
        body.get_by_role("button", name="Create and open").click()
        settle(page)
        expect(page.get_by_text("up to 1 GB each")).to_be_visible()
        upload(page, ("j.qrels", QRELS), ("good.run", GOOD), ("long.run", LONG))
        page.locator(".lens.pages a", has_text="Overview").click()
        settle(page)
        expect(page.locator(".lens.measures")).to_contain_text("long")
    assert "Traceback" not in server.log(), server.log()
