"""Files that are given: read, kept in a collection, and what is said about each of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

import streamlit as st

from dashboard.answers.file_fields import KIND_WORDS
from dashboard.files.collections import SAMPLE
from dashboard.files.files import File, parts_as_one
from dashboard.files.query_zip import Carried
from dashboard.files.remembered import choices_in_words, fields_in, kept_choices, shape_key
from dashboard.files.taking_in import Taken, taken_by
from dashboard.files.uploaded_file import UploadedFile, UploadedTable
from dashboard.session.action_messages import doing, tell, tell_error
from dashboard.session.actions import collections, notes_and_layers
from dashboard.session.actions.arrival import begin_upload, lead_on, note_loaded
from dashboard.session.actions.judgments import keep_in_use
from dashboard.session.actions.refused_files import Refusal, dismiss, refusals, refuse
from dashboard.session.actions.uploaded_files import (
    Original,
    forget_readings,
    hold,
    is_read_anew,
    made_of,
    reading_of,
    release,
)
from dashboard.session.address import address, change, forget
from dashboard.session.open_collection import (
    all_collections,
    collection,
    files_of,
    give_place,
    judgments_of,
    library_here,
    library_of,
    no_collection_open,
    open_collection,
    read_again_with,
    workspace,
)
from dashboard.session.reconnection import came_through
from dashboard.study.library import as_a_run, as_judgments, may_be_a_run
from dashboard.workspace import Added, Entry, StorageError
from metrics_core.base import wording as w
from metrics_core.formats import Loaded
from metrics_core.formats.fields import FileFields
from metrics_core.tables import Qrels, Run

_NONE: Mapping[str, Any] = MappingProxyType({})


def _nothing() -> None:
    """What is done where nobody needs to know that files are kept."""


def read_uploads(files: Sequence[UploadedFile], drawn: int) -> Iterator[float]:
    """Read files of the uploader that was `drawn` with this generation into the open collection,
    telling how many are read, and of the next one which share; then the uploader starts anew.

    What is added to the example makes a collection of the reader's own, with the example's files
    only if it is about the same queries. Judgments and runs that have no query in common with
    another open collection make one if the reader wishes.
    """
    # Whatever the reader does meanwhile ends this run of the page wherever it next turns to the
    # session or draws. The next run still has the files and goes on from what is kept.
    kept = _kept()
    was_ready = not no_collection_open() and library_here().study is not None

    def keep(what: int | tuple[int, int]) -> None:
        kept.add(what)
        if not was_ready:
            lead_on()

    if drawn not in kept:
        begin_upload()
    try:
        taken = Taken(() if drawn in kept else files, judgments_of(collection()))
        taken.answers = all_collections().answers_of(collection())
        for done, (number, way) in enumerate(taken.order):
            given = files[number]
            yield done
            if way == "packed":
                if (drawn, number) not in kept:
                    collections.take_in(given, partial(keep, (drawn, number)))
                taken.open_judgments = judgments_of(collection())
            elif way == "long":
                reading = reading_of((drawn, number), given, taken.judgments())
                yield from (done + share for share in reading.watched())
                taken.take(number, reading.result)
            else:
                taken.take(number)
        if drawn not in kept:
            _list_refused(taken)
            told_here = refusals()
            _keep(taken.tables, taken.carried, partial(keep, drawn))
            _told_with_the_rest(told_here, files)
    except Exception:
        forget("upload")  # or each further run would fail likewise
        release(files)
        raise
    forget_readings()
    forget("upload")
    release(files)
    came_through()


def _list_refused(taken: Taken, choices: Mapping[str, Any] = _NONE) -> None:
    """List the files that could not be read by these choices, and no more those that could."""
    dismiss(*(taken.files[number].name for number in taken.read))
    for given, error in taken.refused:
        refuse(error, given, choices)


def _told_with_the_rest(told: dict[str, Refusal], files: Sequence[UploadedFile]) -> None:
    """Files that could not be read are told where those that were given with them went."""
    here = refusals()
    if here is not told:
        here |= {given.name: told.pop(given.name) for given in files if given.name in told}


def _kept() -> set[int | tuple[int, int]]:
    """The uploaders whose files are kept, by generation, and such single files with their number.
    One object a visit, so that to note something in it is no turning to the session."""
    kept: set[int | tuple[int, int]] = st.session_state.setdefault("_kept_uploads", set())
    return kept


def _read(given: UploadedFile, choices: Mapping[str, Any]) -> list[Loaded]:
    """A file's tables by these choices; one that cannot be read goes to `refusals`."""
    taken = taken_by(given, **choices)
    _list_refused(taken, choices)
    return taken.tables


def read_again(name: str, **choices: Any) -> None:
    """Read a refused file, and those of its shape, with further choices; nothing happens where it
    was read meanwhile."""
    names = alike(name) if "kind" in choices else [name]
    refused = [own for other in names if (own := refusals().get(other)) is not None]
    given = [(own.given, own.choices) for own in refused if own.given is not None]
    read = [_read(file, {**before, **choices}) for file, before in given]
    _keep([loaded for own in read for loaded in own])
    if any(read) and "kind" in choices:
        files = [file.name for (file, _), own in zip(given, read, strict=True) if own]
        _tell_how(files, choices)


def alike(name: str) -> list[str]:
    """The refused files of the same shape as this one, which comes first."""
    shapes = {other: _shape(own.given) for other, own in refusals().items() if own.given}
    own = shapes.get(name, "")
    return [
        name,
        *(other for other, shape in shapes.items() if shape == own != "" and other != name),
    ]


def _shape(given: UploadedFile) -> str:
    fields = fields_in(given.origin, given.name)
    return "" if fields is None else shape_key(fields)


def _tell_how(files: Sequence[str], choices: Mapping[str, Any]) -> None:
    """Tell how files are read by the reader's choices, and that others will be."""
    how = choices_in_words(choices) if choices.get("columns") else ""
    tell(
        f"{w.named(list(files))} {w.plural(len(files), 'is', 'are')} read as"
        f" {KIND_WORDS[choices['kind']]}.",
        f"{w.sentence_case(how)}. Files with these fields will be read this way from now on."
        if how
        else "",
    )


def is_remembered(fields: FileFields) -> bool:
    """Whether files of this shape are read by what the reader said."""
    return shape_key(fields) in all_collections().answers_of(collection())


def forget_shape(fields: FileFields) -> None:
    """Ask again about the next file of this shape."""
    here = collection()

    def forgotten() -> None:
        give_place(here)
        workspace().read_with(here, shape_key(fields), {})

    doing(forgotten)


def _remember(
    identity: str, given: UploadedFile | Path, name: str, choices: Mapping[str, Any]
) -> None:
    """Keep what the reader said of a file for the next ones of its shape."""
    said = kept_choices(choices)
    fields = fields_in(given if isinstance(given, Path) else given.origin, name) if said else None
    if fields is not None:
        key = shape_key(fields)
        if all_collections().answers_of(identity).get(key) != said:
            workspace().read_with(identity, key, said)


def _keep(
    read: Sequence[Loaded], carried: Sequence[Carried] = (), kept: Callable[[], None] = _nothing
) -> None:
    """Keep tables, and what came with them, where they belong; `kept` is called once they are, or
    once the reader is asked where."""
    read = parts_as_one(read)
    here = collection()
    if not read and not carried:
        return
    if not read and not no_collection_open():
        doing(lambda: _into(here, read, carried, kept))
    elif here == SAMPLE or no_collection_open():
        judged = any(isinstance(r.table, Qrels) and not may_be_a_run(r) for r in read)
        copied = here == SAMPLE and not judged and not _strangers(here, read)
        doing(lambda: _into_new(read, carried, kept, copied=copied))
    elif _strangers(here, read):
        names = w.named(list(dict.fromkeys(r.file for r in read)))
        tell(
            f"{names} {w.plural(len(read), 'has', 'have')} no query in common with"
            f" “{all_collections().name_of(here)}”.",
            "Nothing was added yet.",
            (
                ("Start a new collection", partial(_into_new, read, carried)),
                ("Add here anyway", partial(_into, here, read, carried)),
            ),
        )
        kept()
    else:
        doing(lambda: _into(here, read, carried, kept))


def _strangers(here: str, read: Sequence[Loaded]) -> bool:
    """Whether runs and judgments that were read have no query in common with the open ones."""
    given = [r.table for r in read if isinstance(r.table, (Run, Qrels))]
    present = [f.table for f in files_of(here) if isinstance(f.table, (Run, Qrels))]
    known = {query_id for table in present for query_id in table.query_ids}
    return bool(given and present) and not any(known & set(t.query_ids) for t in given)


def _into_new(
    read: Sequence[Loaded],
    carried: Sequence[Carried],
    kept: Callable[[], None] = _nothing,
    *,
    copied: bool = False,
) -> None:
    """Keep files in a new collection and open it; beside the example's own where it is `copied`."""
    made = (
        collections.copy_of(SAMPLE, "The example and my files")
        if copied
        else collections.made("My files")
    )
    _into(made.id, read, carried, kept)
    lead_on()


def _into(
    identity: str,
    read: Sequence[Loaded],
    carried: Sequence[Carried],
    kept: Callable[[], None] = _nothing,
) -> None:
    """Keep files in a collection, open it, and tell what became of each that is not simply new."""
    workspace().new(all_collections().name_of(identity), identity)
    before = library_of(identity, address()["qrels"] if identity == collection() else "")
    runs = [f for f in files_of(identity) if isinstance(f.table, Run) and f.slot is None]
    named = Counter((r.file, r.kind) for r in read)
    lost: list[str] = []
    refused: StorageError | None = None
    became: list[tuple[Loaded, Added]] = []
    replaced: list[Callable[[], None]] = []
    for loaded in read:
        # Two of one name that were given at once are meant to be two.
        beside = named[loaded.file, loaded.kind] > 1
        try:
            added = workspace().add(identity, loaded, slots=range(len(runs)), beside=beside)
        except StorageError as error:
            lost.append(loaded.file)
            refused = error
            continue
        again = is_read_anew(identity, (added.older or added.entry).number, loaded)
        hold(identity, added.entry.number, loaded)
        if isinstance(loaded, UploadedTable) and loaded.given is not None:
            _remember(identity, loaded.given, loaded.given.name, loaded.choices)
        if added.how == "replaced":
            replaced.append(partial(_tell_replaced, identity, added.entry, again=again))
        if added.how != "known" or not again:
            became.append((loaded, added))
    note_loaded((loaded.file, loaded.kind) for loaded, added in became if added.how != "known")
    came = notes_and_layers.taken(identity, carried)
    kept()
    keep_in_use(identity, before, library_of(identity))
    if before.study is not None and len(before.study.names) == 1:
        change(run="", base="")  # there was none to compare with
    open_collection(identity)
    if refused is not None:
        tell_error(refused, f" Not saved: {w.listing(dict.fromkeys(lost))}.")
    _tell_known([(loaded, added) for loaded, added in became if added.how == "known"], became)
    for told in replaced:
        told()
    notes_and_layers.tell_of(came)


def _tell_known(
    known: Sequence[tuple[Loaded, Added]], became: Sequence[tuple[Loaded, Added]]
) -> None:
    """Tell of each file, once, what of it was here already."""
    for name in dict.fromkeys(loaded.file for loaded, _ in known):
        own = [(loaded.kind, added.entry.file) for loaded, added in known if loaded.file == name]
        names = dict.fromkeys(file for _, file in own)
        same = "" if name in names else f", as {w.listing(names)}"
        if len(own) == sum(loaded.file == name for loaded, _ in became):
            tell(f"{name} is already here{same}: the rows are the same, so nothing was added.")
        else:
            what = w.listing(_PARTS[kind] for kind, _ in own)
            verb = "are" if len(own) > 1 or own[0][0] != "run" else "is"
            tell(f"The {what} of {name} {verb} already here{same}; the rest of it was added.")


_PARTS = {"run": "run", "qrels": "judgments", "queries": "queries", "documents": "documents"}


def _tell_replaced(identity: str, entry: Entry, *, again: bool) -> None:
    undo = ("Undo", partial(workspace().take_back, identity, entry.number))
    if again:
        tell(f"{entry.file} is now read differently.", "", (undo,))
        return
    both = ("Keep both", partial(workspace().keep_both, identity, entry.number))
    tell(f"{entry.file} replaced the earlier file of that name.", "", (undo, both))


def read_as(file: File, kind: Literal["run", "qrels"]) -> None:
    """Take a file of the open collection for a run, or for judgments; for callbacks. Its judgments
    in use stay in use."""
    here = collection()

    def taken() -> None:
        _into(here, [as_a_run(file) if kind == "run" else as_judgments(file)], ())
        workspace().remove_entry(here, file.number)

    if file.number:
        doing(taken)
    else:
        read_again_with(file.file, kind=kind)


def read_so(original: Original, **further: Any) -> None:
    """Read a file of the open collection again by further choices; for callbacks. What was made of
    it before gives way, its judgments in use stay so."""
    choices = {**original.choices, **further}
    if isinstance(original.given, Path):
        path = original.given
        read_again_with(original.name, **choices)
        doing(lambda: _remember(collection(), path, original.name, choices))
        return
    here, read = collection(), _read(original.given, choices)

    def taken() -> None:
        _into(here, read, ())
        before = {n for n, own in made_of(original).items() if own.choices != choices}
        for entry in workspace().entries(here):
            if entry.number in before:
                workspace().remove_entry(here, entry.number)

    if read:
        doing(taken)


def remove_file(number: str, file: str) -> None:
    """Remove a file from the open collection; it can be brought back."""
    here = collection()

    def removed() -> None:
        workspace().remove_entry(here, number)
        if file == address()["qrels"]:
            change(qrels="")  # the reader does not ask any more for what they removed
        back = ("Undo", partial(workspace().restore_entry, here, number))
        tell(f"{file or 'The damaged file'} was removed.", "", (back,) if file else ())

    doing(removed)


def bring_back(number: str) -> None:
    """Undo the removal of a file."""
    doing(partial(workspace().restore_entry, collection(), number))
