"""Light and dark, switched while the page is open, by the system and by the menu."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, WebSocketRoute, expect
from streamlit.proto.BackMsg_pb2 import BackMsg

from dashboard.drawing.theme import DARK, LIGHT, PALETTES, Palette
from tests.browser.conftest import Opened, settle

_DRAWN = """() => [...document.querySelectorAll('.js-plotly-plot')]
    .map((chart) => chart._fullLayout?.font.color)"""


def drawn(page: Page, palette: Palette) -> None:
    """Every chart, the text of the page and the logo are drawn in these colours."""
    page.wait_for_function(
        f"(ink) => {{ const drawn = ({_DRAWN})();"
        " return drawn.length && drawn.every((color) => color === ink) }",
        arg=palette.ink,
        timeout=10_000,
    )
    red, green, blue = (int(palette.ink[i : i + 2], 16) for i in (1, 3, 5))
    expect(page.locator("h1")).to_have_css("color", f"rgb({red}, {green}, {blue})")
    logo = page.get_by_test_id("stSidebarLogo").or_(page.get_by_test_id("stHeaderLogo")).first
    expected = "dark" if palette is DARK else "light"
    assert page.evaluate(
        "async ([logo, name]) => await (await fetch(logo)).text()"
        " === await (await fetch(`app/static/logo-${name}.svg`)).text()",
        [logo.get_attribute("src"), expected],
    )


@pytest.mark.thorough
@pytest.mark.parametrize(
    "name",
    [
        "curves",
        pytest.param("breakdown", marks=pytest.mark.thorough),
        pytest.param("queries", marks=pytest.mark.thorough),
    ],
)
def test_charts_follow_the_system(sample_app: str, open_page: Opened, name: str) -> None:
    page = open_page(f"{sample_app}/{name}")
    drawn(page, LIGHT)
    headline = page.locator("h1").inner_text()
    for theme in ("dark", "light", "dark"):
        page.emulate_media(color_scheme=theme)
        drawn(page, PALETTES[theme])
    assert page.locator("h1").inner_text() == headline


@pytest.mark.thorough
def test_charts_follow_the_menu(sample_app: str, open_page: Opened) -> None:
    page = open_page(f"{sample_app}/curves")
    for theme in ("Dark", "Light", "System"):
        page.get_by_test_id("stMainMenu").click()
        page.get_by_test_id(f"stMainMenuItem-theme-{theme}").click()
        page.keyboard.press("Escape")
        drawn(page, DARK if theme == "Dark" else LIGHT)
    page.emulate_media(color_scheme="dark")
    drawn(page, DARK)


@pytest.mark.thorough
def test_what_lies_over_the_page_follows_the_system(sample_app: str, open_page: Opened) -> None:
    page = open_page(f"{sample_app}/query?run=dense&base=bm25")
    page.locator(".lens.what-if-best a").first.click()
    told = page.get_by_role("dialog").locator(".lens.document-card .text")
    for theme in ("light", "dark", "light"):
        page.emulate_media(color_scheme=theme)
        ink = PALETTES[theme].ink
        red, green, blue = (int(ink[i : i + 2], 16) for i in (1, 3, 5))
        expect(told).to_have_css("color", f"rgb({red}, {green}, {blue})")


@pytest.mark.thorough
def test_switching_keeps_what_was_chosen_and_ends(sample_app: str, open_page: Opened) -> None:
    page = open_page(f"{sample_app}/queries?show=worse&k=5")
    search = page.get_by_placeholder("Search queries")
    search.fill("passw")
    for theme in ("dark", "light", "dark", "light", "dark"):
        page.emulate_media(color_scheme=theme)
    drawn(page, DARK)
    expect(search).to_have_value("passw")
    assert "show=worse" in page.url and "k=5" in page.url
    settle(page)
    # No further drawing once page and charts agree.
    runs = page.evaluate(
        """() => new Promise((done) => {
          const app = document.querySelector('[data-testid=stApp]');
          let runs = 0;
          new MutationObserver(() => { runs += 1 }).observe(
            app, { attributes: true, attributeFilter: ['data-test-script-state'] });
          setTimeout(() => done(runs), 1500);
        })"""
    )
    assert runs == 0


@pytest.mark.thorough
def test_a_request_that_left_with_the_theme_of_before_is_made_again(
    sample_app: str, open_page: Opened
) -> None:
    page = open_page(f"{sample_app}/curves")
    left: list[str] = []

    def pass_on(socket: WebSocketRoute) -> None:
        server = socket.connect_to_server()

        def sent(message: str | bytes) -> None:
            asked = BackMsg()
            asked.ParseFromString(message if isinstance(message, bytes) else message.encode())
            context = asked.rerun_script.context_info
            left.append(context.color_scheme)
            # As it happens where the system switches several times while the page is busy.
            if context.color_scheme == "dark" and left.count("dark") == 1:
                context.color_scheme = "light"
            server.send(asked.SerializeToString())

        socket.on_message(sent)

    page.route_web_socket(re.compile("_stcore/stream"), pass_on)
    page.reload()
    settle(page)
    drawn(page, LIGHT)
    page.emulate_media(color_scheme="dark")
    drawn(page, DARK)
    assert left.count("dark") == 2


def test_the_menu_offers_themes_and_print_only(sample_app: str, open_page: Opened) -> None:
    page = open_page(f"{sample_app}/data")
    page.get_by_test_id("stMainMenu").click()
    menu = page.get_by_test_id("stMainMenuPopover")
    entries = menu.get_by_role("menuitemradio").or_(menu.get_by_role("menuitem"))
    assert [text.split("\n")[-1] for text in entries.all_inner_texts()] == [
        "System", "Light", "Dark", "Print"
    ]  # fmt: skip
    expect(menu.get_by_text(re.compile("Made with"))).to_be_hidden()
