"""Lists of documents by query, read by a mapping that is inferred, or given as paths."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain, islice, zip_longest
from typing import Any

from metrics_core.base.errors import LineProblem
from metrics_core.base.notes import Note
from metrics_core.formats.mapping.axes import Records
from metrics_core.formats.mapping.documents import (
    NUMBERS,
    shape_of_record,
    some_of,
    values_by_path,
)
from metrics_core.formats.mapping.infer import Inference, infer
from metrics_core.formats.mapping.paths import Path, is_path, parse_path
from metrics_core.formats.mapping.records import blocks_of, first_records, first_rows
from metrics_core.formats.mapping.tables import Mappings, load_mapped
from metrics_core.formats.parquet import MAGIC
from metrics_core.formats.parsing.chosen_columns import NO_COLUMN, WORD_OF, there
from metrics_core.formats.parsing.systems import FormatDetails
from metrics_core.formats.registry import (
    ASKED,
    KIND_TITLES,
    SPECIFIC,
    FirstRows,
    Kind,
    Loaded,
    Request,
    Sample,
)
from metrics_core.formats.source.lines import fields_listed, refuse
from metrics_core.formats.source.source import Source

_SHOWN = 5
_HINT = (
    'A record looks like {"query_id": "q1", "hits": [{"doc_id": "d2", "score": 9.0}]}; an object'
    ' like {"q1": ["d1", "d3"]}.'
)


def recognise_lists(sample: Sample) -> Mapping[Kind, int]:
    """By the lists of the first records: their names, or what is in them; by paths that the reader
    names."""
    if not sample.columns:
        return _infer_sample(sample).sureness
    if not any(map(is_path, sample.columns.values())) or not first_records(sample)[0]:
        return {}
    grades, numbers = "relevance" in sample.columns, {"score", "rank"} & sample.columns.keys()
    if grades or numbers:
        return {"qrels" if grades else "run": SPECIFIC}
    return _infer_sample(sample).sureness or dict.fromkeys(("run", "qrels"), ASKED)


def list_rows(sample: Sample) -> FirstRows | None:
    """The paths of nested records, and their first values; None for records of single values."""
    records, _ = first_records(sample)
    values = values_by_path(records)
    if all(len(path.steps) < 2 for path in values):
        return None
    rows = zip_longest(*([*map(str, own)] for own in values.values()), fillvalue="")
    return FirstRows([*map(str, values)], [list(row) for row in islice(rows, _SHOWN)])


def kinds_beside(sample: Sample) -> list[Kind]:
    """What records with judgments hold beside them: queries if they have a text, a run; nothing if
    they have no list of judgments by its name."""
    inference = _infer_sample(sample)
    if inference.sureness.get("qrels") != SPECIFIC:
        return []
    kinds: list[Kind] = [k for k, sure in inference.sureness.items() if sure == SPECIFIC]
    return [*kinds, *(("queries",) if inference.has_texts else ())]


def _infer_sample(sample: Sample) -> Inference:
    records, cut = first_records(sample)
    return infer(records, cut=cut)


def read_lists(source: Source, request: Request, given: Sequence[Records] | None = None) -> Loaded:
    """Of a file, or of the records `given`, a run of ranked lists, or judgments: a document has the
    grade beside it, else what is listed has grade 1, what is listed as negative grade 0."""
    of_parquet = infer(first_rows(source)) if source.magic.startswith(MAGIC) else None
    columns = set[str]() if of_parquet is None else _columns_of(_mappings_by(of_parquet, request))
    names, unused = dict[str, None](), dict[str, None]()
    last: Mappings = ()

    def mappings_of(records: Records) -> Mappings:
        nonlocal last
        look = [] if of_parquet else _look_at(source, records)
        inference = of_parquet or infer(look)
        if not request.columns:
            _refuse_unclear(source, inference)
        last = _mappings_by(inference, request) or last
        if not last:
            problem = LineProblem(None, "no lists of documents by query", KIND_TITLES[request.kind])
            raise refuse(source, [problem], hint=_HINT)
        used = _used(last) if request.columns else []
        names.update(dict.fromkeys(used or inference.names))
        others = [path for path in values_by_path(look) if path.steps] if used else inference.unused
        unused.update(dict.fromkeys(path for path in map(str, others) if path not in used))
        return last

    def details() -> FormatDetails:
        return FormatDetails("lists", f"Lists of documents: {', '.join(names) or 'by query'}")

    blocks = given or blocks_of(source, columns.__contains__)
    loaded = load_mapped(source, request, blocks, mappings_of, details, hint=_HINT)
    if not unused:
        return loaded
    message = f"not used: {_listed(list(unused))}"
    return replace(loaded, table=loaded.table.noting(Note("columns", message, len(unused))))


def _mappings_by(inference: Inference, request: Request) -> Mappings:
    """The mappings of the kind that is asked for. Paths that the reader names replace them, what
    they leave out being inferred."""
    columns = {role: parse_path(path) for role, path in there(request.columns).items()}
    inferred = inference.mappings.get(request.kind, [])
    if not columns:
        return inferred
    given = {WORD_OF.get(role, role): path for role, path in columns.items()}
    mapping = dict(next(iter(inferred), {}))
    if "doc" in given:
        mapping = {role: path for role, path in mapping.items() if role in ("query", "system")}
    if not given.keys().isdisjoint(NUMBERS):
        mapping = {role: path for role, path in mapping.items() if role not in NUMBERS}
    if request.columns.get("run") == NO_COLUMN:
        mapping.pop("system", None)
    if inference.query is not None:
        mapping.setdefault("query", (inference.query,))
    if request.kind == "qrels":
        mapping.setdefault("grade", parse_path("'1'"))
    return [mapping | given]


def _used(mappings: Mappings) -> list[str]:
    """The paths that mappings read, in the order of their roles."""
    own = (mapping[role] for mapping in mappings for role in mapping)
    paths = (path for paths in own for path in paths if path.constant is None)
    return list(dict.fromkeys(str(path).removeprefix("-") for path in paths))


def _columns_of(mappings: Mappings) -> set[str]:
    """The columns that mappings read."""
    paths = chain.from_iterable(path for mapping in mappings for path in mapping.values())
    return {path.steps[0].name for path in paths if path.steps}


def _look_at(source: Source, records: Records) -> list[Any]:
    """The records of JSON that show what all of them hold. Raises FileFormatError for a record
    that is no object."""
    values = records.values.listed()
    wrong = next((row for row, value in enumerate(values) if type(value) is not dict), None)
    if wrong is not None:
        line = None if records.lines is None else int(records.lines[wrong])
        problem = LineProblem(line, records.values.shown(wrong), "a record")
        raise refuse(source, [problem], hint=_HINT)
    return some_of(values, shape_of_record)


def _refuse_unclear(source: Source, inference: Inference) -> None:
    """Ask which numbers, or which of several lists, are meant."""
    if inference.rivals:
        found = f"{len(inference.rivals)} lists of documents: {_listed(inference.rivals)}"
        expected, role, paths = "one", "doc", inference.rivals
    elif inference.unnamed:
        found = f"objects without a recognised document id: {_listed(inference.unnamed)}"
        expected, role, paths = "document ids", "doc", inference.unnamed
    elif inference.unclear:
        found = f"numbers of unknown meaning for each document: {_listed(inference.unclear)}"
        expected, role, paths = "a recognised score or grade", "score", inference.unclear
    else:
        return
    hint = f"Choose one, for example columns {role}={paths[0]}. {fields_listed(source)}"
    raise refuse(source, [LineProblem(None, found, expected)], hint=hint)


def _listed(paths: Sequence[Path | str]) -> str:
    return ", ".join(map(str, paths[:_SHOWN])) + (", …" if len(paths) > _SHOWN else "")
