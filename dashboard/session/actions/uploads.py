"""Uploaded files: read them, store them in a collection, and report on each file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Literal

import streamlit as st

from dashboard.answers.file_fields import KIND_NAMES, KIND_WORDS
from dashboard.files.collections import SAMPLE
from dashboard.files.files import File, join_loaded_run_files
from dashboard.files.query_zip import NotesAndLayers
from dashboard.files.shape_choices import describe_choices
from dashboard.files.upload_batch import UploadBatch, read_single_file
from dashboard.files.uploaded_file import UploadedFile, UploadedTable
from dashboard.session.action_messages import add_error_message, add_message, run_action
from dashboard.session.actions import collections, notes_and_layers
from dashboard.session.actions.arrival import record_loaded_files, request_landing, reset_upload
from dashboard.session.actions.judgments import store_judgments_in_use
from dashboard.session.actions.refused_files import Refusal, add_refusal, dismiss_refusals, refusals
from dashboard.session.actions.remembered_shapes import remember_choices, same_shape_files
from dashboard.session.actions.uploaded_files import (
    Original,
    find_originals_of_file,
    forget_readings,
    is_same_upload,
    keep_original,
    release_files,
    start_reading,
)
from dashboard.session.address import address, change_address, reset_widget
from dashboard.session.open_collection import (
    all_collections,
    collection_files,
    collection_judgments,
    current_collection_id,
    current_library,
    is_collection_missing,
    load_library,
    open_collection,
    reread_with_choices,
    workspace,
)
from dashboard.session.reconnection import forget_interrupted_uploads
from dashboard.study.library import convert_to_judgments, convert_to_run, may_be_a_run
from dashboard.workspace import AddedFile, Entry, StorageError
from metrics_core.base import wording as w
from metrics_core.formats import Loaded
from metrics_core.tables import Qrels, Run


def _do_nothing() -> None:
    """Do nothing. This is the default of `on_stored`."""


def read_uploads(files: Sequence[UploadedFile], generation: int) -> Iterator[float]:
    """Read the files of the uploader into the open collection. `generation` is the number that
    distinguishes this uploader from earlier ones.

    Yields the progress: the number of files read plus the share of the next file that has been
    read. At the end, the uploader is reset. Files added to the example are stored in a new
    collection of the user, which includes the example's files only if the new files are about the
    same queries. If another collection is open and shares no query with the new runs and judgments,
    the user chooses whether to store them in a new collection."""
    # Any action of the user meanwhile stops this run of the page at its next access to the session
    # or its next drawing. The next run still has the files and continues from what is stored.
    kept_keys = _stored_upload_keys()
    study = None if is_collection_missing() else current_library().study
    was_ready = study is not None and not study.is_unjudged

    def record_stored(key: int | tuple[int, int]) -> None:
        kept_keys.add(key)
        if not was_ready:
            request_landing()

    if generation not in kept_keys:
        reset_upload()
    try:
        batch = UploadBatch(
            () if generation in kept_keys else files, collection_judgments(current_collection_id())
        )
        batch.answers = all_collections().choices_by_shape(current_collection_id())
        for done, (number, kind) in enumerate(batch.reading_order):
            upload = files[number]
            yield done
            if kind == "packed":
                if (generation, number) not in kept_keys:
                    collections.import_collection(
                        upload, partial(record_stored, (generation, number))
                    )
                batch.open_judgments = collection_judgments(current_collection_id())
            elif kind == "long":
                reading = start_reading((generation, number), upload, batch.judgments())
                yield from (done + share for share in reading.iterate_progress_shares())
                batch.read_file(number, reading.result)
            else:
                batch.read_file(number)
        if generation not in kept_keys:
            _update_refusals(batch, {})
            earlier = refusals()
            _store_tables(batch.all_tables, batch.carried, partial(record_stored, generation))
            _move_refusals(earlier, files)
    except Exception:
        reset_widget("upload")  # otherwise each further run would fail as well
        release_files(files)
        raise
    forget_readings()
    reset_widget("upload")
    release_files(files)
    forget_interrupted_uploads()


def _update_refusals(batch: UploadBatch, choices: Mapping[str, Any]) -> None:
    """Update the refused files: add the files that could not be read with these choices, and remove
    the files that could be read."""
    dismiss_refusals(*(batch.files[number].name for number in batch.read))
    for upload, error in batch.refused:
        add_refusal(error, upload, choices)


def _move_refusals(earlier: dict[str, Refusal], files: Sequence[UploadedFile]) -> None:
    """Move refused files to the collection that was opened for the other files of the upload."""
    current = refusals()
    if current is not earlier:
        current |= {
            upload.name: earlier.pop(upload.name) for upload in files if upload.name in earlier
        }


def _stored_upload_keys() -> set[int | tuple[int, int]]:
    """Return the keys of uploads whose files are already stored. If all files of an uploader are
    stored, the key is the number of its generation, which increases each time the uploader is
    reset. The key of a single file is (generation, number of the file).

    Each browser session has one set, to which keys can be added without access to the session
    state."""
    keys: set[int | tuple[int, int]] = st.session_state.setdefault("_kept_uploads", set())
    return keys


def _read_upload(upload: UploadedFile, choices: Mapping[str, Any]) -> list[Loaded]:
    """Read a file's tables. If the file cannot be read, add it to the refused files."""
    batch = read_single_file(upload, **choices)
    _update_refusals(batch, choices)
    return batch.all_tables


def reread_refused_file(name: str, **choices: Any) -> None:
    """Read a refused file, and other refused files of the same shape, with these choices in
    addition to the earlier ones. Nothing happens if the file has been read in the meantime."""
    names = same_shape_files(name) if "kind" in choices else [name]
    refused_files = [item for other in names if (item := refusals().get(other)) is not None]
    uploads = [(item.upload, item.choices) for item in refused_files if item.upload is not None]
    read = [_read_upload(file, {**before, **choices}) for file, before in uploads]
    _store_tables([loaded for item in read for loaded in item])
    if any(read) and "kind" in choices:
        files = [file.name for (file, _), item in zip(uploads, read, strict=True) if item]
        _add_reading_message(files, choices)


def _add_reading_message(files: Sequence[str], choices: Mapping[str, Any]) -> None:
    """Add a message that says how files were read with the user's choices, and that later files
    with the same fields will be read in the same way."""
    choices_text = describe_choices(choices) if choices.get("columns") else ""
    add_message(
        f"{w.shorten_list(list(files))} {w.plural(len(files), 'is', 'are')} read as"
        f" {KIND_WORDS[choices['kind']]}.",
        (
            f"{w.sentence_case(choices_text)}. Files with these fields will be read this way from"
            " now on."
            if choices_text
            else ""
        ),
    )


def _store_tables(
    tables: Sequence[Loaded],
    notes: Sequence[NotesAndLayers] = (),
    on_stored: Callable[[], None] = _do_nothing,
) -> None:
    """Store tables in the right collection, together with the notes and layers that came with them.
    If the right collection is unclear, ask the user which one to use.

    `on_stored` is called after the tables are stored or, if the user is asked, together with the
    question."""
    tables = join_loaded_run_files(tables)
    identity = current_collection_id()
    if not tables and not notes:
        return
    if is_collection_missing() or (tables and identity == SAMPLE):
        has_judgments = any(isinstance(r.table, Qrels) and not may_be_a_run(r) for r in tables)
        copied = identity == SAMPLE and not has_judgments and not _are_unrelated(identity, tables)
        run_action(lambda: _store_separately(tables, notes, on_stored, with_copied_tables=copied))
    elif _are_unrelated(identity, tables):
        names = w.shorten_list(list(dict.fromkeys(r.file for r in tables)))
        add_message(
            f"{names} {w.plural(len(tables), 'has', 'have')} no query in common with"
            f" “{all_collections().name_of(identity)}”.",
            "Nothing has been added yet.",
            (
                ("Start a new collection", partial(_store_separately, tables, notes)),
                ("Add here anyway", partial(_store_files, identity, tables, notes)),
            ),
        )
        on_stored()
    else:
        run_action(lambda: _store_files(identity, tables, notes, on_stored))


def _are_unrelated(identity: str, tables: Sequence[Loaded]) -> bool:
    """Return whether the new runs and judgments share no query with the collection."""
    judgable = [loaded.table for loaded in tables if isinstance(loaded.table, (Run, Qrels))]
    present = [f.table for f in collection_files(identity) if isinstance(f.table, (Run, Qrels))]
    known_ids = {query_id for table in present for query_id in table.query_ids}
    return bool(judgable and present) and not any(known_ids & set(t.query_ids) for t in judgable)


def _store_separately(
    tables: Sequence[Loaded],
    notes: Sequence[NotesAndLayers],
    on_stored: Callable[[], None] = _do_nothing,
    *,
    with_copied_tables: bool = False,
) -> None:
    """Store files in a new collection and open it. If `with_copied_tables` is true, the new
    collection also contains the files of the example."""
    new = (
        collections.copy_collection(SAMPLE, "The example and my files")
        if with_copied_tables
        else collections.create_collection("My files")
    )
    _store_files(new.id, tables, notes, on_stored)
    request_landing()


def _store_files(
    identity: str,
    tables: Sequence[Loaded],
    notes: Sequence[NotesAndLayers],
    on_stored: Callable[[], None] = _do_nothing,
) -> None:
    """Store files in a collection and open it. A message is added for each file that is not new,
    replaces a file, or could not be stored."""
    workspace().get_or_create_collection(all_collections().name_of(identity), identity)
    is_open = identity == current_collection_id()
    before = load_library(identity, address()["qrels"] if is_open else "")
    runs = [f for f in collection_files(identity) if isinstance(f.table, Run) and f.slot is None]
    counts = Counter((r.file, r.kind) for r in tables)
    lost_files: list[str] = []
    refused: StorageError | None = None
    results: list[tuple[Loaded, AddedFile]] = []
    replaced: list[Callable[[], None]] = []
    for loaded in tables:
        # Two files of the same name in one upload are meant to be two.
        keep_beside = counts[loaded.file, loaded.kind] > 1
        try:
            added = workspace().add_table(
                identity, loaded, slots=range(len(runs)), keep_both=keep_beside
            )
        except StorageError as error:
            lost_files.append(loaded.file)
            refused = error
            continue
        is_same_file = is_same_upload(identity, (added.older_file or added.entry).number, loaded)
        keep_original(identity, added.entry.number, loaded)
        if isinstance(loaded, UploadedTable) and loaded.uploaded_file is not None:
            remember_choices(
                identity, loaded.uploaded_file, loaded.uploaded_file.name, loaded.choices
            )
        if added.status == "replaced":
            replaced.append(partial(_warn_replaced, identity, added.entry, was_reread=is_same_file))
        if added.status != "known" or not is_same_file:
            results.append((loaded, added))
    record_loaded_files(
        (loaded.file, loaded.kind) for loaded, added in results if added.status != "known"
    )
    extras = notes_and_layers.store_accompanying_notes(identity, notes)
    on_stored()
    store_judgments_in_use(identity, before, load_library(identity))
    if before.study is not None and len(before.study.names) == 1:
        change_address(run="", base="")  # there was no run to compare with
    open_collection(identity)
    if refused is not None:
        add_error_message(refused, f" Not saved: {w.join_words(dict.fromkeys(lost_files))}.")
    _add_unchanged_messages(
        [(loaded, added) for loaded, added in results if added.status == "known"], results
    )
    for tell_one in replaced:
        tell_one()
    notes_and_layers.add_result_messages(extras)


def _add_unchanged_messages(
    known_tables: Sequence[tuple[Loaded, AddedFile]], results: Sequence[tuple[Loaded, AddedFile]]
) -> None:
    """Add one message for each file that contains tables which were stored already. The message
    names these tables."""
    for name in dict.fromkeys(loaded.file for loaded, _ in known_tables):
        entries = [
            (loaded.kind, added.entry.file) for loaded, added in known_tables if loaded.file == name
        ]
        names = dict.fromkeys(file for _, file in entries)
        same = "" if name in names else f", as {w.join_words(names)}"
        if len(entries) == sum(loaded.file == name for loaded, _ in results):
            add_message(
                f"{name} is already here{same}: the rows are the same, so nothing was added."
            )
        else:
            parts_text = w.join_words(KIND_NAMES[kind] for kind, _ in entries)
            verb = "are" if len(entries) > 1 or entries[0][0] != "run" else "is"
            add_message(
                f"The {parts_text} of {name} {verb} already here{same}; the rest of the file was"
                " added."
            )


def _warn_replaced(identity: str, entry: Entry, *, was_reread: bool) -> None:
    undo = ("Undo", partial(workspace().undo_replacement, identity, entry.number))
    if was_reread:
        add_message(f"{entry.file} is now read differently.", "", (undo,))
        return
    both = ("Keep both", partial(workspace().keep_both_files, identity, entry.number))
    add_message(f"{entry.file} replaced the earlier file of that name.", "", (undo, both))


def change_kind(file: File, kind: Literal["run", "qrels"]) -> None:
    """Read a file of the open collection as a run or as judgments from now on. The judgments in use
    stay in use. This is a callback."""
    identity = current_collection_id()

    def change_file_kind() -> None:
        _store_files(
            identity, [convert_to_run(file) if kind == "run" else convert_to_judgments(file)], ()
        )
        workspace().remove_entry(identity, file.number)

    if file.number:
        run_action(change_file_kind)
    else:
        reread_with_choices(file.file, kind=kind)


def reread_file(original: Original, **further: Any) -> None:
    """Read a file of the open collection again with additional choices. This is a callback.

    The new tables replace those that were read from the file before. If the judgments in the file
    are in use, they stay in use."""
    choices = {**original.choices, **further}
    if isinstance(original.source, Path):
        path = original.source
        reread_with_choices(original.name, **choices)
        run_action(lambda: remember_choices(current_collection_id(), path, original.name, choices))
        return
    identity, read = current_collection_id(), _read_upload(original.source, choices)

    def reread_original() -> None:
        _store_files(identity, read, ())
        before = {
            n for n, table in find_originals_of_file(original).items() if table.choices != choices
        }
        for entry in workspace().entries(identity):
            if entry.number in before:
                workspace().remove_entry(identity, entry.number)

    if read:
        run_action(reread_original)


def remove_file(number: str, file: str) -> None:
    """Remove a file from the open collection. It can be restored."""
    identity = current_collection_id()

    def remove_table() -> None:
        workspace().remove_entry(identity, number)
        if file == address()["qrels"]:
            change_address(qrels="")  # the removed file is no longer requested
        undo = ("Undo", partial(workspace().restore_entry, identity, number))
        add_message(f"{file or 'The damaged file'} was removed.", "", (undo,) if file else ())

    run_action(remove_table)


def restore_file(number: str) -> None:
    """Undo the removal of a file."""
    run_action(partial(workspace().restore_entry, current_collection_id(), number))
