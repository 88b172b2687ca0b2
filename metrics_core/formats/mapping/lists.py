"""Lists of documents by query, read by a mapping that is inferred, or given as paths."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import islice, zip_longest

from metrics_core.base.errors import LineProblem
from metrics_core.base.notes import Note
from metrics_core.formats.mapping.axes import PythonValues, Records
from metrics_core.formats.mapping.documents import look_at, values_by_path
from metrics_core.formats.mapping.infer import NUMBERS, ROLE_OF, Inference, infer
from metrics_core.formats.mapping.paths import Path, is_path, parse_path
from metrics_core.formats.mapping.records import blocks_of, first_records, first_rows
from metrics_core.formats.mapping.tables import Mappings, load_mapped
from metrics_core.formats.parquet import MAGIC
from metrics_core.formats.parsing.chosen_columns import NO_COLUMN, there
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
from metrics_core.formats.source.lines import refuse
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


def read_lists(source: Source, request: Request) -> Loaded:
    """A run of ranked lists, or judgments: a document has the grade beside it, else what is listed
    has grade 1, what is listed as negative grade 0."""
    is_parquet = source.magic.startswith(MAGIC)
    known = infer(first_rows(source)) if is_parquet else None
    names, unused = dict[str, None](), dict[str, None]()
    last: Mappings = ()

    def mappings_of(records: Records) -> Mappings:
        nonlocal last
        _refuse_others(source, records)
        inference = known or infer(look_at(records))
        if not request.columns:
            _refuse_unclear(source, inference)
        chosen = _chosen(inference, request)
        last = chosen or inference.mappings.get(request.kind, last)
        if not last:
            problem = LineProblem(None, "no list of documents by query", KIND_TITLES[request.kind])
            raise refuse(source, [problem], hint=_HINT)
        names.update(dict.fromkeys(inference.names))
        unused.update(dict.fromkeys(map(str, inference.unused)))
        return last

    def details() -> FormatDetails:
        return FormatDetails("lists", f"Lists of documents: {', '.join(names) or 'by query'}")

    blocks = blocks_of(source, known.columns if known else ())
    loaded = load_mapped(source, request, blocks, mappings_of, details, hint=_HINT)
    if not unused:
        return loaded
    message = f"not used: {', '.join(unused)}"
    return replace(loaded, table=loaded.table.noting(Note("columns", message, len(unused))))


def _chosen(inference: Inference, request: Request) -> Mappings:
    """The mapping by the paths that the reader names, what they leave out being inferred; none
    without a path."""
    columns = {role: parse_path(path) for role, path in there(request.columns).items()}
    if not columns:
        return ()
    given = {ROLE_OF.get(role, role): path for role, path in columns.items()}
    own = dict(next(iter(inference.mappings.get(request.kind, ())), {}))
    if "doc" in given:
        own = {role: path for role, path in own.items() if role in ("query", "system")}
    if not given.keys().isdisjoint(NUMBERS):
        own = {role: path for role, path in own.items() if role not in NUMBERS}
    if request.columns.get("run") == NO_COLUMN:
        own.pop("system", None)
    if inference.query is not None:
        own.setdefault("query", (inference.query,))
    if request.kind == "qrels":
        own.setdefault("grade", parse_path("'1'"))
    return [own | given]


def _refuse_others(source: Source, records: Records) -> None:
    """Refuse a record that is no object."""
    if not isinstance(records.values, PythonValues):
        return
    values = records.values
    wrong = next((n for n, value in enumerate(values.values) if type(value) is not dict), None)
    if wrong is not None:
        line = None if records.lines is None else int(records.lines[wrong])
        problem = LineProblem(line, values.shown(wrong), "a record")
        raise refuse(source, [problem], hint=_HINT)


def _refuse_unclear(source: Source, inference: Inference) -> None:
    """Ask which numbers, or which of several lists, are meant."""
    if inference.rivals:
        found = f"{len(inference.rivals)} lists of documents: {_listed(inference.rivals)}"
        expected, role, paths = "one", "doc", inference.rivals
    elif inference.unclear:
        found = f"numbers beside the documents: {_listed(inference.unclear)}"
        expected, role, paths = "names that say what they are", "score", inference.unclear
    else:
        return
    hint = f"Say which counts, such as columns {role}={paths[0]}"
    raise refuse(source, [LineProblem(None, found, expected)], hint=hint)


def _listed(paths: Sequence[Path]) -> str:
    return ", ".join(map(str, paths[:_SHOWN])) + (", …" if len(paths) > _SHOWN else "")
