"""Interpret a header: which columns contain ids, scores, grades or texts, and which kind of table
they form."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from metrics_core.formats.registry import (
    AMBIGUOUS,
    CERTAIN,
    IF_REQUESTED,
    KINDS,
    LIKELY,
    POSSIBLE,
    Kind,
)
from metrics_core.formats.values import is_number

ROLES: dict[str, tuple[str, ...]] = {
    "query_id": ("queryid", "qid", "topicid", "topic", "queryno", "qno", "topicno", "query"),
    "doc_id": (
        *("docno", "docid", "doc", "document", "documentid", "corpusid", "pid", "passageid"),
        *("item", "itemid", "productid", "iid"),
    ),
    "score": ("score", "sim", "similarity", "rsv"),
    "relevance": ("relevance", "rel", "grade", "label", "rating", "judgment", "judgement", "gain"),
    "rank": ("rank", "position", "pos"),
    "subtopic": ("subtopic", "subtopicid", "subtopicno", "subtopicnumber", "intent", "aspect"),
    "iteration": ("iteration", "iter", "q0", "0"),
    "tag": ("tag", "run", "runid", "runname", "runtag", "system"),
}
"""Recognised names for each column of runs and judgments, in the form that `fold_name` returns.
Preferred names come first.

If a file has both docno and docid, docno is the document id; PyTerrier's docid is an index
number.
"""

OTHER_NAMES: dict[str, tuple[str, ...]] = {
    "query_id": (
        *("querytext", "turnid", "user", "userid", "uid", "useridx"),
        *("customerid", "session", "sessionid", "sessiontype"),
    ),
    "doc_id": ("movieid", "asin", "itemidx", "articleid", "aid"),
    "score": ("prediction", "predictedrating", "relevancescore", "est"),
    "relevance": ("escilabel", "rui"),
    "rank": ("docposition",),
    "tag": ("model", "method", "snapshotname", "algorithm", "algo", "recommender", "retriever"),
}
"""Further names for each role, recognised only in runs and judgments. Names in `ROLES` take
precedence."""

NAMES = {role: (*names, *OTHER_NAMES.get(role, ())) for role, names in ROLES.items()}

DISTANCES = ("distance", "distances", "dist")
"""Names of columns in which smaller is better. They can be negated and used as scores."""

JUDGED_RANKS_COLUMNS = ("run", "query_id", "retrieved", "judged", "doc_id", "rank")
"""Columns of a table of judged ranks (the ranks of judged documents). Such a table has ranks but is
not a complete run."""

QUERY_IDS = (
    "queryid",
    "qid",
    "id",
    *ROLES["query_id"][2:-1],
    "number",
    "num",
    *OTHER_NAMES["query_id"][1:],
)
QUERY_TEXTS = ("text", "query", "querytext", "title", "question", "keywords")
DOCUMENT_IDS = (*ROLES["doc_id"][:2], "id", *ROLES["doc_id"][2:], *OTHER_NAMES["doc_id"])
DOCUMENT_TEXTS = ("text", "body", "content", "contents", "description", "passage", "abstract")

MAX_PLAUSIBLE_GRADE, MIN_PLAUSIBLE_GRADE = 127, -10
_LONG_TEXT = 200
"""Mean text length in characters above which texts are treated as documents rather than queries, if
there is no other evidence."""


_CACHED_HEADERS = 4
_JUDGED = ("relevance", "rel", "grade")
"""Columns that occur in judgments but not in tables of queries."""
_RECBOLE = re.compile(r":(?:token|float)(?:_seq)?$")
_SEPARATORS = re.compile(r"[\s_\-]+")


def fold_name(name: str) -> str:
    """Return a column name in lower case, without blanks, underscores and hyphens.

    The type that RecBole appends (`user_id:token`) is removed too."""
    return _SEPARATORS.sub("", _RECBOLE.sub("", name.lower()))


def find_position(names: Sequence[str], preferred_names: Sequence[str]) -> int:
    """Return the index of the first of `preferred_names` that a header contains. Returns -1 if it
    contains none."""
    positions = _folded_positions(tuple(names))
    return next((positions[name] for name in preferred_names if name in positions), -1)


@lru_cache(_CACHED_HEADERS)
def _folded_positions(names: tuple[str, ...]) -> dict[str, int]:
    """Map each column name, folded by `fold_name`, to the index of the first column with this name.

    The result is cached, because some forty names are searched in each header, and a header may
    have a hundred thousand fields."""
    positions: dict[str, int] = {}
    for index, name in enumerate(names):
        positions.setdefault(fold_name(name), index)
    return positions


def is_column_name(name: str) -> bool:
    """Return whether a name is a recognised column name of runs or judgments."""
    return any(fold_name(name) in names for names in NAMES.values())


def looks_like_header(fields: Sequence[str]) -> bool:
    """Return whether the fields of a TREC line are column names.

    Most of the fields must be recognised names, and no field may be a number."""
    names = [field for field in fields if fold_name(field) not in ("0", "q0")]
    known_count = sum(map(is_column_name, names))
    return known_count * 2 > len(names) > 1 and not any(map(is_number, names))


@dataclass(frozen=True)
class HeaderRoles:
    """The roles of the columns in a header, for one kind of table.

    roles    index of the column of each role
    others   indexes of other columns
    missing  required roles without a column"""

    roles: Mapping[str, int]
    others: Sequence[int] = field(default=())
    missing: Sequence[str] = field(default=())


def infer_header_roles(names: Sequence[str], kind: Kind) -> HeaderRoles:
    """Return the roles of the columns in a table of this kind."""
    if kind in ("run", "qrels"):
        return _run_or_qrels_roles(names, kind)
    if kind == "scores":  # `score_columns` interprets them, with their values
        return HeaderRoles({}, range(len(names)))
    ids, texts = (QUERY_IDS, QUERY_TEXTS) if kind == "queries" else (DOCUMENT_IDS, DOCUMENT_TEXTS)
    id_name = "query_id" if kind == "queries" else "doc_id"
    roles = {id_name: find_position(names, ids), "text": find_position(names, texts)}
    if kind == "documents":
        roles["title"] = find_position(names, ("title",))
        has_text = max(roles["text"], roles["title"]) >= 0 or _is_document_table(names)
        missing = [] if has_text else ["text"]
    else:
        missing = [] if roles["text"] >= 0 or _is_query_table(names) else ["text"]
    if roles[id_name] < 0:
        missing.insert(0, id_name)
    used_indexes = {index for index in roles.values() if index >= 0}
    return HeaderRoles(
        {role: index for role, index in roles.items() if index >= 0},
        [i for i in range(len(names)) if i not in used_indexes],
        missing,
    )


def name_document_columns(fields: Sequence[str]) -> list[str]:
    """Return column names for the fields of documents.

    The first recognised fields become title and text. Any other field that is already named doc_id,
    title or text is renamed."""
    names_by_index = {
        find_position(fields, ("title",)): "title",
        find_position(fields, DOCUMENT_TEXTS): "text",
    }
    reserved_names = ("doc_id", "title", "text")
    return [
        names_by_index.get(index, f"{name} (field)" if name in reserved_names else name)
        for index, name in enumerate(fields)
    ]


def _is_query_table(names: Sequence[str]) -> bool:
    """Return whether a table consists of an unambiguous query id and details of the query, such as
    a category."""
    other_roles = ("doc_id", "score", "relevance", "rank", "subtopic")
    is_other_table = any(find_position(names, ROLES[role]) >= 0 for role in other_roles)
    id_names = (*ROLES["query_id"][:-1], *OTHER_NAMES["query_id"][1:])
    return len(names) > 1 and not is_other_table and find_position(names, id_names) >= 0


def _is_document_table(names: Sequence[str]) -> bool:
    """Return whether a table consists of an unambiguous document id and details of the document,
    such as a price."""
    other_roles = ("query_id", "score", "relevance", "rank")
    is_other_table = any(find_position(names, ROLES[role]) >= 0 for role in other_roles)
    return len(names) > 1 and not is_other_table and find_position(names, NAMES["doc_id"]) >= 0


def _run_or_qrels_roles(names: Sequence[str], kind: Kind) -> HeaderRoles:
    roles = {role: find_position(names, column_names) for role, column_names in NAMES.items()}
    value = "score"
    if kind == "qrels":
        value = "relevance"
        if roles["relevance"] < 0:
            roles["relevance"], roles["score"] = roles["score"], -1
    elif roles["score"] < 0 and roles["rank"] >= 0:
        value = "rank"
    required = ("query_id", "doc_id", value)
    expected_indexes = {roles[role] for role in (*required, "rank", "iteration", "tag")}
    used_roles = [*required, "rank"]
    if kind == "run":
        used_roles.append("tag")
    if kind == "qrels":
        used_roles.append("subtopic" if roles["subtopic"] >= 0 else "iteration")
        expected_indexes.add(roles["subtopic"])
    return HeaderRoles(
        {role: index for role, index in roles.items() if index >= 0 and role in used_roles},
        [i for i in range(len(names)) if i not in expected_indexes],
        [role for role in required if roles[role] < 0],
    )


def recognise_columns(names: Sequence[str], rows: Sequence[Sequence[str]]) -> dict[Kind, int]:
    """Return the possible kinds of a table, each with a confidence, based on its header and some
    rows. The result is empty if no kind is possible."""
    complete = {kind: not infer_header_roles(names, kind).missing for kind in KINDS}
    possible: dict[Kind, int] = {
        kind: POSSIBLE for kind, is_complete in complete.items() if is_complete
    }
    query, doc = find_position(names, ROLES["query_id"]), find_position(names, NAMES["doc_id"])
    if (query >= 0 and doc >= 0) or complete["run"] or complete["qrels"]:
        return possible | _recognise_run_or_qrels(names, rows, complete)
    if find_position(names, _JUDGED) >= 0 and {"id", "query"} <= set(map(fold_name, names)):
        return {"qrels": POSSIBLE}  # `id` may be that of the document, which is asked
    if complete["queries"] and (query >= 0 or not complete["documents"]):
        return possible | {"queries": CERTAIN}
    if complete["documents"] and doc >= 0:
        return possible | {"documents": CERTAIN}
    if complete["documents"]:
        return possible | _recognise_texts(names, rows)
    return possible | dict.fromkeys(_nearest_kinds(names, query, doc), POSSIBLE - 10)


def _recognise_run_or_qrels(
    names: Sequence[str],
    rows: Sequence[Sequence[str]],
    is_complete: Mapping[Kind, bool],
) -> dict[Kind, int]:
    has_grades = find_position(names, NAMES["relevance"]) >= 0
    score = find_position(names, NAMES["score"])
    if has_grades and is_complete["run"] and score < 0:
        return dict.fromkeys(
            ("run", "qrels"), AMBIGUOUS
        )  # a rank, and a rating that may be a grade
    if has_grades:
        return {"qrels": CERTAIN, "run": LIKELY if is_complete["run"] else 0}
    if not is_complete["run"]:
        nearest: dict[Kind, int] = {"run": POSSIBLE - 10, "qrels": POSSIBLE - 10}
        if is_complete["queries"]:
            nearest["queries"] = LIKELY
        return nearest
    if score < 0:
        return {"run": CERTAIN}
    values = [row[score].strip() for row in rows if len(row) > score]
    has_grades = are_whole_grades(values)
    if has_grades and [fold_name(name) for name in names] == ["queryid", "corpusid", "score"]:
        return {"qrels": LIKELY + 1, "run": LIKELY}  # BEIR's header; a run may have it too
    return {"run": CERTAIN, "qrels": LIKELY if has_grades else IF_REQUESTED}


def are_small_grades(values: Sequence[str]) -> bool:
    """Return whether all strings are small whole numbers, as is typical of grades."""
    return bool(values) and all(
        re.fullmatch(r"-?\d{1,3}", v, re.ASCII)
        and MIN_PLAUSIBLE_GRADE <= int(v) <= MAX_PLAUSIBLE_GRADE
        for v in values
    )


def are_whole_grades(values: Sequence[str]) -> bool:
    """Return whether all strings are small whole numbers, perhaps written with decimals (2.0)."""
    return are_small_grades([re.sub(r"\.0*$", "", value) for value in values])


def _recognise_texts(names: Sequence[str], rows: Sequence[Sequence[str]]) -> dict[Kind, int]:
    """Return the confidence that a table of ids and texts contains queries or documents, based on
    the length of the texts."""
    has_title = find_position(names, ("title",)) >= 0 and find_position(names, DOCUMENT_TEXTS) >= 0
    text_index = find_position(names, DOCUMENT_TEXTS)
    lengths = [len(row[text_index]) for row in rows if len(row) > text_index >= 0]
    if has_title or (lengths and sum(lengths) / len(lengths) > _LONG_TEXT):
        return {"documents": LIKELY, "queries": POSSIBLE}
    return {"queries": LIKELY, "documents": POSSIBLE}


def _nearest_kinds(names: Sequence[str], query: int, doc: int) -> list[Kind]:
    """Return the kinds of table that a header was probably meant for, although it lacks a required
    column."""
    if query >= 0 and find_position(names, (*ROLES["score"], *ROLES["rank"])) >= 0:
        return ["run"]
    if query >= 0 and find_position(names, ROLES["relevance"]) >= 0:
        return ["qrels"]
    if doc >= 0:
        return ["documents"]
    return ["queries"] if query >= 0 and len(names) > 1 else []
