"""Collections: listed, made, renamed, copied, removed and brought back; each with its own files."""

from __future__ import annotations

import io
import shutil
import zipfile
from pathlib import Path
from typing import Any

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from dashboard.files.workspace_files import LoadedFiles
from dashboard.session.actions.collections import pack_collection
from dashboard.session.open_collection import workspace
from dashboard.workspace import Workspace
from dashboard.workspace.disk.errors import refused_write_error
from dashboard.workspace.disk.folder_store import FolderStore
from dashboard.workspace.layers import LayerStore
from dashboard.workspace.startup import clean_workspace
from metrics_core import formats
from metrics_core.formats import Loaded
from tests.dashboard.conftest import APP, drawn, on_files, opened, text_of

QRELS = b"q1 0 d1 1\nq1 0 d2 0\nq2 0 d3 2\n"
GOOD = b"q1 Q0 d1 1 3.0 good\nq1 Q0 d2 2 2.0 good\nq2 Q0 d3 1 1.0 good\n"
POOR = b"q1 Q0 d2 1 3.0 poor\nq1 Q0 d1 2 2.0 poor\nq2 Q0 d9 1 1.0 poor\n"


def upload(app: AppTest, *files: tuple[str, bytes]) -> AppTest:
    """Add files, and look at the Files page."""
    app.file_uploader[0].set_value([(n, content, "text/plain") for n, content in files]).run()
    assert not app.exception
    return on_files(app)


def press(app: AppTest, label: str, number: int = 0) -> AppTest:
    [b for b in app.button if b.label == label][number].click().run()
    assert not app.exception
    return app


def kept() -> Workspace:
    return workspace()


def named(workspace: Workspace) -> list[str]:
    return [c.name for c in workspace.read_collections()]


def two_collections() -> AppTest:
    """ "Mine" with a run, "Theirs" with another; opened on the list."""
    app = opened("data", set="own")
    upload(app, ("my.qrels", QRELS), ("good.run", GOOD))
    kept().rename_collection("own", "Mine")
    other = kept().get_or_create_collection("Theirs")
    for name, content in (("j.qrels", QRELS), ("poor.run", POOR)):
        kept().add_table(other.id, formats.read(content, name=name))
    return opened("collections", set="own")


def test_what_is_added_to_the_example_makes_a_collection_of_ones_own() -> None:
    app = opened("data", set="sample")
    upload(app, ("mine.run", b"q001 Q0 FN-0001 1 2.0 x\n"))
    assert app.query_params["set"] in ("own", ["own"])
    assert "Eight files are loaded" in text_of(app)
    assert "mine" not in opened(set="sample").selectbox(key="w_run").options
    assert named(kept()) == ["The example and my files"]


def test_judgments_added_to_the_example_stand_alone() -> None:
    app = opened("data", set="sample")
    upload(app, ("my.qrels", QRELS), ("good.run", GOOD))
    assert "Two files are loaded" in text_of(app)


def test_without_a_link_the_collection_that_was_opened_last_is_open() -> None:
    two_collections()
    (theirs,) = (c.id for c in kept().read_collections() if c.name == "Theirs")
    opened(set=theirs)
    kept().rename_collection("own", "Changed and not opened")
    assert f"set={theirs}" in drawn(opened())
    opened(set="own")
    assert "set=own" in drawn(opened())


@pytest.mark.usefixtures("unread_example")
def test_the_list_shows_what_the_overview_of_each_said_last_and_reads_none() -> None:
    """Of what nobody has looked at, and of what has changed since, it says so."""
    opened("collections", set="sample")
    assert "no result yet" in text_of(opened("collections", set="sample"))
    opened(set="sample")
    shown = text_of(opened("collections", set="sample"))
    assert "dense 0.636" in shown and "+0.087 vs bm25" in shown and "clear difference" in shown
    two_collections()
    opened(set="own")
    st.cache_resource.clear()
    read = Workspace.load_table
    Workspace.load_table = refuse_to_read  # type: ignore[method-assign]
    try:
        shown = text_of(opened("collections", set="sample"))
    finally:
        Workspace.load_table = read  # type: ignore[method-assign]
    assert "good 1.000" in shown and "one run, no baseline" in shown
    kept().add_table("own", formats.read(POOR, name="poor.run"))
    assert "files have changed; open to update the result" in text_of(
        opened("collections", set="sample")
    )


def refuse_to_read(*_: Any) -> Any:
    raise AssertionError("the list of collections reads no table")


def test_without_any_mark_the_collection_that_changed_last_is_open() -> None:
    two_collections()
    shutil.rmtree(kept().folder / "cache", ignore_errors=True)
    shown = opened()
    (theirs,) = (c.id for c in kept().read_collections() if c.name == "Theirs")
    assert f"set={theirs}" in drawn(shown)
    listed = opened("collections")
    assert "Three collections" in text_of(listed)  # with the example
    assert "2 queries · 1 run" in text_of(listed)
    links = [line for line in drawn(listed).split('"') if line.startswith("./?set=")]
    assert set(links) >= {"./?set=own", "./?set=sample"}
    assert "good scores 1.000" in text_of(opened(set="own")) or "Only 2 queries" in text_of(
        opened(set="own")
    )


def test_a_link_to_a_collection_that_is_not_here_says_so() -> None:
    two_collections()
    shown = text_of(opened("queries", set="gone1234"))
    assert "The collection in this link was not found" in shown
    assert "Theirs" in shown


def test_renamed_copied_removed_and_brought_back() -> None:
    app = two_collections()
    app.text_input(key="name_own").set_value("  Ours\n <b> ")
    app.button(key="rename_own").click().run()
    assert "Ours <b>" in text_of(app) and "Ours &lt;b&gt;" in drawn(app)
    press(app, "Duplicate")
    assert "Ours <b>, copy" in named(kept())
    copy = next(c.id for c in kept().read_collections() if c.name == "Ours <b>, copy")
    app.button(key=f"remove_{copy}").click().run()
    assert "“Ours <b>, copy” was removed." in text_of(app)
    assert len(kept().read_collections()) == 2
    press(app, "Undo")
    assert len(kept().read_collections()) == 3


def test_a_removed_collection_that_is_open_is_not_shown_any_more() -> None:
    app = two_collections()
    other = next(c.id for c in kept().read_collections() if c.name == "Theirs")
    app = opened("data", set=other)
    kept().remove_collection(other)
    assert "was not found" in text_of(app.run())
    press(app, "Restore")
    assert "Two files are loaded" in text_of(app)


def test_a_new_collection_is_empty_and_takes_files() -> None:
    app = two_collections()
    app.text_input(key="new_name_here").set_value("Third")
    press(app, "Create and open")
    assert named(kept())[0] == "Third"
    app = opened("data", set=kept().read_collections()[0].id)
    upload(app, ("a.qrels", QRELS))
    assert [len(kept().entries(c.id)) for c in kept().read_collections()] == [1, 2, 2]


def test_a_collection_goes_out_as_one_file_and_in_again() -> None:
    two_collections()
    packed = pack_collection("own")
    app = opened("collections", set="own")
    upload(app, ("Mine.zip", packed))
    assert "“Mine” was imported from Mine.zip." in text_of(app)
    copies = [c.id for c in kept().read_collections() if c.name == "Mine"]
    files = [[(e.name, e.content, e.slot) for e in kept().entries(c)] for c in copies]
    assert len(copies) == 2 and files[0] == files[1]
    upload(app, ("cut.zip", packed[:-40]))
    assert len(kept().read_collections()) == 3


def test_files_with_no_query_in_common_are_offered_a_collection_of_their_own() -> None:
    app = two_collections()
    app = opened("data", set="own")
    upload(app, ("other.qrels", QRELS.replace(b"q", b"x")))
    assert "other.qrels has no query in common with “Mine”." in text_of(app)
    assert len(kept().entries("own")) == 2
    press(app, "Start a new collection")
    assert [len(kept().entries(c.id)) for c in kept().read_collections()] == [1, 2, 2]
    app = opened("data", set="own")
    upload(app, ("other.qrels", QRELS.replace(b"q", b"x")))
    press(app, "Add here anyway")
    assert len(kept().entries("own")) == 3


def test_a_newer_file_of_the_same_name_replaces_with_a_way_back_or_stands_beside() -> None:
    two_collections()
    app = opened("data", set="own")
    upload(app, ("good.run", POOR))
    assert "good.run replaced the earlier file of that name." in text_of(app)
    assert len(kept().entries("own")) == 2
    press(app, "Undo")
    assert "replaced" not in text_of(app)
    upload(app, ("good.run", POOR))
    press(app, "Keep both")
    assert [e.name for e in kept().entries("own")] == ["my.qrels", "good", "good (2)"]


def test_what_is_here_already_is_said() -> None:
    two_collections()
    app = opened("data", set="own")
    upload(app, ("good.run", GOOD), ("copy.qrels", QRELS))
    shown = text_of(app)
    assert (
        "copy.qrels is already here, as my.qrels: the rows are the same, so nothing was added"
        in shown
    )
    assert "good.run is already here: the rows are the same" in shown
    press(app, "OK")
    assert "good.run is already here" not in text_of(app)


def test_two_identical_runs_under_two_names_are_both_loaded_and_score_the_same() -> None:
    queries = [f"q{number}" for number in range(12)]
    qrels = "".join(f"{query} 0 d1 1\n" for query in queries).encode()
    run = "".join(f"{query} Q0 d1 1 1.0 x\n" for query in queries).encode()
    app = upload(opened("data", set="own"), ("my.qrels", qrels), ("v1.run", run), ("v2.run", run))
    assert "Three files are loaded" in text_of(app)
    app.session_state["look"] = True
    assert not app.run().exception
    assert "Both runs have the same score on every query" in text_of(opened(set="own"))


def looked_into(app: AppTest) -> AppTest:
    app.session_state["look"] = True
    return app.run()


def test_files_are_looked_into_once_that_is_opened() -> None:
    two_collections()
    app = opened("data", set="own")
    assert not [b for b in app.button if b.label == "Remove"]
    looked_into(app)
    assert len([b for b in app.button if b.label == "Remove"]) == 2
    # Of many files one at a time.
    upload(app, *((f"r{i}.run", GOOD.replace(b"d3", b"e%d" % i)) for i in range(19)))
    assert len([b for b in app.button if b.label == "Remove"]) == 1
    app.selectbox(key="look_into").select("good.run").run()
    assert app.button(key="remove_00002").label == "Remove"


def test_a_file_is_removed_and_brought_back() -> None:
    two_collections()
    app = looked_into(opened("data", set="own"))
    app.button(key="remove_00002").click().run()
    assert "good.run was removed." in text_of(app)
    assert len(kept().entries("own")) == 1
    press(app, "Undo")
    assert len(kept().entries("own")) == 2
    app.button(key="remove_00002").click().run()
    app = looked_into(opened("data", set="own"))
    press(app, "Restore")
    assert "Two files are loaded" in text_of(app)


def test_a_damaged_file_costs_only_itself_and_can_be_removed_or_mended() -> None:
    two_collections()
    table = kept().folder / "tables" / f"{kept().entries('own')[1].table}.parquet"
    whole = table.read_bytes()
    table.write_bytes(whole[:-5] + bytes([whole[-5] ^ 1]) + whole[-4:])
    st.cache_resource.clear()
    app = opened("data", set="own")
    assert "The stored copy of good.run is corrupted." in text_of(app)
    assert "One could not be read" in text_of(app)
    upload(app, ("good.run", GOOD))
    assert "The stored copy" not in text_of(app)
    assert "Two files are loaded" in text_of(app)
    table.unlink()
    st.cache_resource.clear()
    app = opened("data", set="own")
    assert "The stored copy of good.run is missing." in text_of(app)
    press(app, "Remove")
    assert "One file is loaded" in text_of(app)


def test_a_disk_that_is_full_names_itself_and_the_files_that_were_not_kept(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    two_collections()
    app = opened("data", set="own")
    add = Workspace.add_table

    def full(self: Workspace, identity: str, loaded: Loaded, **more: Any) -> Any:
        if loaded.file == "a.run":
            return add(self, identity, loaded, **more)
        raise refused_write_error(OSError(28, "No space left on device"), self.folder)

    monkeypatch.setattr(Workspace, "add_table", full)
    upload(app, ("a.run", POOR), ("b.run", POOR.replace(b"3.0", b"4.0")), ("c.run", GOOD))
    shown = text_of(app)
    assert f"The disk of {kept().folder} is full. Not saved: b.run and c.run." in shown
    assert "a.run" in shown and "Three files are loaded" in shown


def test_a_folder_that_is_gone_is_said() -> None:
    two_collections()
    app = opened("data", set="own")
    kept().folder.rename(kept().folder.with_name("moved"))
    upload(app, ("a.run", POOR))
    assert "no longer exists." in text_of(app)


def test_a_failure_in_one_file_leaves_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    read = formats.read_all_tables

    def failing(content: bytes, **more: Any) -> Loaded:
        if more["name"] == "bad.run":
            raise ZeroDivisionError
        return read(content, **more)

    monkeypatch.setattr(formats, "read_all_tables", failing)
    app = opened("data", set="own")
    upload(app, ("my.qrels", QRELS), ("bad.run", POOR), ("good.run", GOOD))
    shown = text_of(app)
    assert "bad.run could not be read: ZeroDivisionError." in shown
    assert "Two files are loaded" in shown
    assert "bad.run could not be read" in text_of(app.run())
    press(app, "Dismiss")
    assert "bad.run" not in text_of(app.run())


def test_two_judgments_are_chosen_where_the_measure_is() -> None:
    two_collections()
    kept().add_table("own", formats.read(QRELS.replace(b"d1 1", b"d1 0"), name="strict.qrels"))
    app = opened(set="own")
    box = app.selectbox(key="w_qrels")
    assert box.label == "Judgments" and len(box.options) == 2
    first = kept().entries("own")[0].file
    assert box.value == first and f"qrels={first}" in drawn(app)
    box.select("strict.qrels").run()
    assert app.query_params["qrels"] == "strict.qrels"
    assert not app.exception


GUESSED = b'{"q1": {"d1": 0, "d2": 3}}'


def test_judgments_in_use_stay_when_others_are_added() -> None:
    two_collections()
    name = kept().entries("own")[0].file
    before = text_of(opened(set="own"))
    page = upload(opened("data", set="own"), ("llm_points.json", GUESSED))
    assert (
        f"llm_points.json was read as judgments but is not in use, because {name} is in use."
        in text_of(page)
    )
    assert "Choose what the file contains." in text_of(page)
    assert [e.kind for e in kept().entries("own")].count("qrels") == 2
    # Neither a link that names the judgments nor one of before shows anything else.
    for link in ({}, {"qrels": name}):
        after = text_of(opened(set="own", **link))
        assert after.replace("Files 3", "Files 2") == before, "but for the number of files"
    press(page, "It is a run")
    assert "llm_points" in opened(set="own").selectbox(key="w_run").options
    assert [e.kind for e in kept().entries("own")].count("qrels") == 1
    assert "is not used" not in text_of(opened("data", set="own"))


def test_other_judgments_are_used_from_now_on_where_the_reader_says_so() -> None:
    two_collections()
    page = upload(opened("data", set="own"), ("strict.qrels", QRELS.replace(b"d1 1", b"d1 0")))
    assert "strict.qrels was read as judgments but is not in use, because " in text_of(page)
    assert "It is a run" not in {button.label for button in page.button}
    press(page, "Use it instead")
    assert page.query_params["qrels"] == "strict.qrels"
    assert "qrels=strict.qrels" in drawn(opened(set="own"))
    assert "These files do not contain the judgments gone.qrels." in text_of(
        opened(set="own", qrels="gone.qrels")
    )


def test_removed_judgments_are_not_asked_for_any_more() -> None:
    two_collections()
    page = upload(opened("data", set="own"), ("strict.qrels", QRELS.replace(b"d1 1", b"d1 0")))
    press(page, "Use it instead")
    session_of_page = kept().entries("own")[-1]
    page = opened("data", set="own", qrels="strict.qrels", look="1")
    page.session_state["look"] = True
    page.run()
    page.button(key=f"remove_{session_of_page.number}").click().run()
    assert "qrels" not in page.query_params or page.query_params["qrels"] != "strict.qrels"


def test_what_may_be_a_run_never_stands_for_the_judgments_of_the_example() -> None:
    page = upload(opened("data", set="sample"), ("points.json", b'{"q001": {"d1": 3}}'))
    assert (
        "points.json was read as judgments but is not in use, because qrels.txt is in use."
    ) in text_of(page)


def test_a_folder_given_at_the_start_takes_reading_choices(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "given"
    folder.mkdir()
    (folder / "a.run").write_text("q1 Q0 d1 1 2.0 x\nq1 Q0 d1 2 1.0 x\n")
    (folder / "j.qrels").write_text("q1 0 d1 1\n")
    monkeypatch.setenv("RANKLENS_DATA", str(folder))
    app = opened("data")
    assert "a.run was not loaded" in text_of(app)
    press(app, "Keep the best score of each document")
    assert "Two files are loaded" in text_of(app)
    assert "a scores 1.000" in text_of(opened())
    upload(opened("data"), ("b.run", b"q1 Q0 d2 1 2.0 x\n"))
    assert {"a", "b"} <= set(opened().selectbox(key="w_run").options)
    assert sorted(p.name for p in folder.iterdir()) == ["a.run", "j.qrels"]


def test_a_set_takes_reading_choices_too() -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("set/queries.jsonl", '{"_id": "q1", "text": "x"}\n')
        archive.writestr("set/corpus.jsonl", '{"_id": "d1", "title": "", "text": "y"}\n')
        archive.writestr("set/qrels/test.tsv", "query-id\tcorpus-id\tscore\nq1\td1\t1\n")
        archive.writestr("set/a.run", "q1 Q0 d1 1 2.0 x\nq1 Q0 d1 2 1.0 x\n")
    app = opened("data", set="own")
    upload(app, ("set.zip", packed.getvalue()))
    press(app, "Keep the best score of each document")
    assert "Four files are loaded" in text_of(app)


RECORDS = (
    b'{"query_id": "q1", "question": "one?", "retrieved": ["d1", "d2"], "expected": ["d1"]}\n'
    b'{"query_id": "q2", "question": "two?", "retrieved": ["d4", "d3"], "expected": ["d3"]}\n'
)


def test_a_second_file_of_the_same_questions_adds_its_run_and_says_so() -> None:
    page = upload(opened("data", set="own"), ("first.jsonl", RECORDS))
    other = RECORDS.replace(b'["d4", "d3"]', b'["d3", "d4"]')
    page = upload(page, ("second.jsonl", other))
    said = [receipt.message for receipt in told_in(page, "own")]
    assert said == [
        "The queries and judgments of second.jsonl are already here, as first.jsonl; the rest of"
        " the file was added."
    ]
    assert len([e for e in kept().entries("own") if e.kind == "run"]) == 2
    page = upload(page, ("second.jsonl", other))
    assert [r.message for r in told_in(page, "own")][1:] == [
        "second.jsonl is already here: the rows are the same, so nothing was added."
    ]


def told_in(page: AppTest, identity: str) -> list[Any]:
    return page.session_state["_receipts"][identity]


def test_what_is_told_of_one_collection_stays_there() -> None:
    two_collections()
    other = next(c.id for c in kept().read_collections() if c.name == "Theirs")
    page = opened("data", set="own")
    upload(page, ("good.run", GOOD), ("broken.run", b"q1 Q0\n"))
    assert "good.run is already here" in text_of(page) and "broken.run" in text_of(page)
    page.query_params["set"] = other
    page.run()
    assert "good.run is already here" not in text_of(page)
    assert "broken.run" not in text_of(page) and "could not be read" not in text_of(page)
    page.query_params["set"] = "own"
    page.run()
    assert "good.run is already here" in text_of(page) and "broken.run" in text_of(page)


def test_what_could_not_be_read_is_told_where_the_rest_went() -> None:
    page = opened("data", set="sample")
    upload(page, ("mine.run", b"q001 Q0 FN-0001 1 2.0 x\n"), ("broken.run", b"q1 Q0\n"))
    assert page.query_params["set"] == "own" and "broken.run" in text_of(page)


@pytest.mark.parametrize(
    ("what", "name"),
    [(FolderStore, "entries"), (LayerStore, "list_layers"), (LoadedFiles, "list_files")],
)
def test_a_collection_that_breaks_takes_no_other_down(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, what: type, name: str
) -> None:
    """Of an exception that nobody foresaw it is told with its folder, and it can be removed."""
    two_collections()
    (theirs,) = (c.id for c in kept().read_collections() if c.name == "Theirs")
    opened(set=theirs)  # opened last, so it is the one that a start leads to
    folder, real = kept().folder_of(theirs), getattr(what, name)

    def broken(self: Any, identity: str, *rest: Any, **named: Any) -> Any:
        if identity == theirs:
            raise OverflowError("int too large to convert to float")
        return real(self, identity, *rest, **named)

    with monkeypatch.context() as patched:
        patched.setattr(what, name, broken)
        clean_workspace(kept())
        st.cache_resource.clear()
        first = AppTest.from_file(str(APP), default_timeout=60).run()
        assert "“Theirs” cannot be shown: OverflowError" in text_of(first)
        assert str(folder) in text_of(first) and "Mine" in text_of(first)
        assert "Two files are loaded" in text_of(opened("data", set="own"))
        listed = opened("collections", set="own")
        assert "Theirs" in text_of(listed)
        if what is FolderStore:
            assert f"damaged; its files are in {folder}" in text_of(listed)
        next(b for b in listed.button if b.key == f"remove_{theirs}").click().run()
        assert not listed.exception and named(kept()) == ["Mine"]
        kept().restore_collection(theirs)
        next(b for b in first.button if b.label == "Remove this collection").click().run()
        assert named(kept()) == ["Mine"]
    assert any("A page could not be shown." in record.message for record in caplog.records)
    caplog.clear()
    clean_workspace(kept())
    assert not folder.exists()


def test_a_damaged_database_is_told_goes_back_and_is_listed_as_put_aside() -> None:
    two_collections()
    (theirs,) = (c.id for c in kept().read_collections() if c.name == "Theirs")
    clean_workspace(kept())
    damaged = kept().folder_of("own") / "state.db"
    damaged.write_bytes(damaged.read_bytes()[:4096] + b"<b>" * 4000)
    st.cache_resource.clear()
    assert "is damaged" in text_of(opened("data", set="own"))
    listed = opened("collections", set=theirs)
    assert "Mine" in text_of(listed) and "moved aside" not in text_of(listed)
    assert f"damaged; its files are in {damaged.parent}" in text_of(listed)
    assert "cannot be opened; under Actions, restore or remove it" in text_of(listed)
    (button,) = (b for b in listed.button if b.label.startswith("Restore the state of 20"))
    assert len(kept().entries(theirs)) == 2
    button.click().run()
    assert not listed.exception and len(kept().entries("own")) == 2
    assert "1 damaged database moved aside" in text_of(listed)
    (aside,) = kept().paths_moved_aside()
    assert str(aside) in text_of(listed) and aside.read_bytes().endswith(b"<b>" * 100)
    assert not [b for b in listed.button if b.label.startswith("Restore the state")]
    assert "Two files are loaded" in text_of(opened("data", set="own"))
