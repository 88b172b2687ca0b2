"""The whole files in `examples`, which the fuzzer mangles beside each format's own example: FORMAT
or FORMAT-WORD with any ending, a new one need only be put there. And what is said of the tools."""

from __future__ import annotations

from pathlib import Path

import pytest

from dashboard.answers.file_formats import tools_for
from metrics_core.formats import formats, is_set, read_all_tables, read_set
from metrics_core.formats.registry import tools
from metrics_core.formats.source.source import PARQUET_MAGIC as PARQUET

EXAMPLES = sorted((Path(__file__).parent / "examples").iterdir())
NAMES = {declared.name for declared in formats()}


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_each_is_read_as_its_name_says(path: Path) -> None:
    loaded = read_set(path) if is_set(path) else read_all_tables(path)
    format = path.name.partition(".")[0].partition("-")[0]
    assert loaded and (format not in NAMES or {one.format for one in loaded} == {format})


def test_what_has_no_text_for_an_example_has_a_file() -> None:
    binary = {f.name for f in formats() if f.magic and f.magic != PARQUET}
    assert binary <= {path.stem for path in EXAMPLES}


def test_what_is_said_of_a_tool_fits_into_a_table() -> None:
    assert tools()
    for tool in tools():
        assert tool.export and tool.makes and not tool.export.endswith(".")
        assert "|" not in f"{tool.export}{tool.makes}{tool.unknown}"


def test_the_first_screen_names_the_tools_of_each_audience() -> None:
    assert "PyTerrier" in tools_for("search") and "PyTerrier" not in tools_for("rag")
    for audience in ("search", "rag", "recommender"):
        named = tools_for(audience)
        assert named and len(named) == len(set(named))
