"""Files of other tools, dropped into a browser together: each is read as what it is."""

from __future__ import annotations

from pathlib import Path

from metrics_core.base.errors import FileFormatError
from metrics_core.formats import Kind, formats, read
from tests.browser.conftest import Opened, running_server, upload

EXAMPLES = Path(__file__).parents[1] / "metrics_core" / "formats" / "tools" / "examples"
LEFT_OUT = ("autorag_corpus", "ranx", "trec", "kilt", "bioasq")
"""Formats whose example is no text, or none of a tool, or is asked about."""
TITLES: dict[Kind, str] = {
    "run": "Run",
    "qrels": "Judgments",
    "queries": "Queries",
    "documents": "Documents",
    "scores": "Scores",
}


def kinds_in(content: bytes, format: str, kinds: tuple[Kind, ...]) -> list[Kind]:
    """What a file of this format holds, read kind by kind."""
    found: list[Kind] = []
    for kind in kinds:
        try:
            read(content, kind=kind, format=format)
        except FileFormatError:
            continue
        found.append(kind)
    return found


def test_each_tools_file_is_read_as_what_it_is(tmp_path: Path, open_page: Opened) -> None:
    of_tools = [f for f in formats() if f.tools and f.name not in LEFT_OUT]
    wanted = {
        f"{f.name}{f.endings[0]}": (
            f.example.encode(),
            kinds_in(f.example.encode(), f.name, f.kinds),
        )
        for f in of_tools
    }
    packed: dict[str, list[Kind]] = {"ranx.lz4": ["run"], "pyterrier.zip": ["run"]}
    wanted |= {name: ((EXAMPLES / name).read_bytes(), kinds) for name, kinds in packed.items()}
    with running_server(tmp_path / "workspace") as address:
        page = open_page(f"{address}/data?set=own")
        upload(page, *((name, content) for name, (content, _) in wanted.items()))
        rows = page.locator(".lens.files tr").all_inner_texts()
        told = page.locator(".lens.receipt").all_inner_texts()
    lacking = [
        (name, kind)
        for name, (_, kinds) in wanted.items()
        for kind in kinds
        if not any(name in row and f"\t{TITLES[kind]}" in row for row in rows)
        # Of two examples with the same rows the page keeps one.
        and not any(name in text and "already here" in text for text in told)
    ]
    assert not lacking, "\n".join([*rows, *told])
