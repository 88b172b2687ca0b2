"""A collection that was taken out as one file opens elsewhere to the same pages."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from dashboard.files.collections import SAMPLE
from dashboard.files.files import SAMPLE_FOLDER, read_file
from dashboard.session.actions.collections import copy_collection, pack_collection
from dashboard.session.open_collection import collection_files, workspace
from dashboard.start import main
from dashboard.workspace import Collection
from dashboard.workspace.exports.report_data import make_data_markup
from metrics_core import formats
from metrics_core.formats import Loaded
from tests.dashboard.conftest import drawn, opened, text_of

OTHER_GRADES = b"q098 0 none-of-these 1\nq001 0 none-of-these 0\n"
RANKED = "fn-0232"
"""A document of q098 in the sample that nobody judged, as it is read here."""
PLACES = ("id", "changed")
"""What of a record says where and when it is kept."""
QUERY = {"q": "q098"}
Asked = dict[str, dict[str, str]]
"""Pages, each with its own fields of the address."""
SHOWN: Asked = {"overview": {}, "query": QUERY, "data": {}}
FURTHER: Asked = {
    name: {} for name in ("breakdown", "curves", "firm", "queries", "judge", "pairs", "history")
}


def a_collection() -> Collection:
    """The sample with names, colours, notes, tags, layers, a second file of judgments and ids that
    are read another way."""
    here = workspace()
    made = here.get_or_create_collection("Help centre")
    for path in sorted(SAMPLE_FOLDER.iterdir()):
        if path.suffix in (".run", ".txt", ".csv", ".jsonl"):
            for file in read_file(path, display_name=path.name, origin="upload"):
                assert file.table is not None
                here.add_table(made.id, Loaded(file.table, "", file.read_as, file.file))
    here.add_table(made.id, formats.read(OTHER_GRADES, name="other.qrels"))
    judgments = next(f for f in collection_files(made.id) if f.file == "qrels.txt")
    here.change_record(
        made.id,
        lambda record: replace(
            record, judgments=judgments.key, complete=True, exclude_self=True, map_docs="case"
        ),
    )
    said_of(made.id)
    return here.collection(made.id)


def said_of(identity: str) -> None:
    """Names, colours, a note, a tag and two layers."""
    here = workspace()
    slots = {"dense": 3, "bm25": 2, "hybrid": 1, "titles-only": 0}
    here.change_record(
        identity,
        lambda record: replace(record, run_names={"dense": "Two towers"}, run_slots=slots),
    )
    here.notes.add_note_and_tag(
        identity, "q098", "Nobody sells vinegar", "out of scope", author="Ada"
    )
    here.layers.grade_documents(identity, "Ada", {("q098", RANKED): 1})
    here.layers.create_layer(identity, "a model", {("q001", RANKED): 2}, is_judged_here=False)


def pages(identity: str, asked: Asked) -> dict[str, str]:
    """What pages show of a collection, its id left out."""
    shown = {name: seen(opened(name, set=identity, **own)) for name, own in asked.items()}
    return {name: text.replace(identity, "") for name, text in shown.items()}


def seen(app: AppTest) -> str:
    """Markup, charts and texts."""
    charts = [chart.proto.spec for chart in app.get("plotly_chart")]
    return "\n".join([drawn(app), *charts, *(text.value for text in app.markdown)])


def elsewhere(monkeypatch: pytest.MonkeyPatch, folder: Path, file: str, content: bytes) -> AppTest:
    """The app on another workspace, into which this file was imported."""
    monkeypatch.setenv("RANKLENS_WORKSPACE", str(folder))
    st.cache_resource.clear()
    app = opened("collections")
    app.file_uploader[0].set_value([(file, content, "")]).run()
    assert not app.exception
    return app


def said(collection: Collection) -> dict[str, object]:
    """What a record says, but where and when."""
    return {name: value for name, value in vars(collection).items() if name not in PLACES}


@pytest.mark.parametrize("asked", [SHOWN, pytest.param(FURTHER, marks=pytest.mark.thorough)])
def test_all_that_was_said_of_it_goes_along(
    asked: Asked, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = a_collection()
    before, packed = pages(made.id, asked), pack_collection(made.id)
    assert all("Two towers" in shown for shown in before.values())
    if asked is SHOWN:
        assert "Nobody sells vinegar" in before["query"] and "Ada" in before["query"]
        assert "Ids are mapped" in before["data"]
    elsewhere(monkeypatch, tmp_path / "elsewhere", "x.zip", packed)
    there = workspace().read_collections()[0]
    assert pages(there.id, asked) == before
    assert said(there) == said(made)


def test_a_copy_of_the_example_keeps_what_was_said_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace().get_or_create_collection("The example", SAMPLE)
    said_of(SAMPLE)
    copy = copy_collection(SAMPLE, "A copy")
    told = workspace().collection(copy.id)
    assert (told.run_names, told.run_slots["dense"]) == ({"dense": "Two towers"}, 3)
    packed = pack_collection(SAMPLE)
    before = text_of(opened("query", set=SAMPLE, **QUERY))
    elsewhere(monkeypatch, tmp_path / "elsewhere", "x.zip", packed)
    there = workspace().read_collections()[0]
    assert {**said(there), "name": "A copy"} == said(told)
    assert text_of(opened("query", set=there.id, **QUERY)).replace(there.id, "") == before


def test_a_report_of_the_command_opens_to_the_same_numbers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "x.html"
    names = ("bm25", "dense", "hybrid", "titles-only")
    files = [str(SAMPLE_FOLDER / name) for name in ("qrels.txt", *(f"{n}.run" for n in names))]
    more = ["--queries", str(SAMPLE_FOLDER / "queries.csv"), "--documents"]
    more += [
        str(SAMPLE_FOLDER / "articles.jsonl"),
        "--title",
        "Ours",
        "--with-data",
        "--parts",
        "measured",
    ]
    assert main(["report", *files, *more, "-o", str(out)]) == 0
    before = text_of(opened("overview", set=SAMPLE))
    app = elsewhere(monkeypatch, tmp_path / "elsewhere", "x.html", out.read_bytes())
    assert "“Ours” was imported from x.html." in text_of(app)
    there = workspace().read_collections()[0]
    assert text_of(opened("overview", set=there.id)).replace("Ours", "The example") == before
    shown = text_of(opened("data", set=there.id))
    assert all(f"{name}.run" in shown for name in names) and "from a report" in shown


def test_a_report_that_is_not_whole_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for content, told in (
        (make_data_markup(b"PK no collection"), "is damaged or incomplete"),
        ("<p>no data</p>", "saved with the data"),
    ):
        page = f"<!doctype html>{content}".encode()
        app = elsewhere(monkeypatch, tmp_path / "elsewhere", "x.html", page)
        assert told in text_of(app) and not workspace().read_collections()
