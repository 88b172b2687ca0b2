"""What a header means: which columns are ids, scores, grades, texts, and so what the table is."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from metrics_core.formats.registry import ASKED, CERTAIN, IF_SAID, KINDS, LIKELY, POSSIBLE, Kind
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
"""Names of the columns of runs and judgments as `fold` leaves them, the first being preferred.

Where both stand, docno is the document's name; PyTerrier's docid then is a number of its index."""

FURTHER: dict[str, tuple[str, ...]] = {
    "query_id": (
        *("querytext", "user", "userid", "uid", "useridx"),
        *("customerid", "session", "sessionid", "sessiontype"),
    ),
    "doc_id": ("movieid", "asin", "itemidx", "articleid", "aid"),
    "score": ("prediction", "predictedrating", "relevancescore", "est"),
    "relevance": ("escilabel", "rui"),
    "rank": ("docposition",),
    "tag": ("model", "method", "snapshotname", "algorithm", "algo", "recommender", "retriever"),
}
"""Names that mean this in a run or judgments, and elsewhere anything; `ROLES` come first."""

NAMES = {role: (*known, *FURTHER.get(role, ())) for role, known in ROLES.items()}

DISTANCES = ("distance", "distances", "dist")
"""Columns that may stand for a score if they are turned round: smaller is better."""

RANKS_COLUMNS = ("run", "query_id", "retrieved", "judged", "doc_id", "rank")
"""The columns of judged ranks, which hold no run that the ranks would order."""

QUERY_IDS = (
    "queryid",
    "qid",
    "id",
    *ROLES["query_id"][2:-1],
    "number",
    "num",
    *FURTHER["query_id"][1:],
)
QUERY_TEXTS = ("text", "query", "querytext", "title", "question", "keywords")
DOCUMENT_IDS = (*ROLES["doc_id"][:2], "id", *ROLES["doc_id"][2:], *FURTHER["doc_id"])
DOCUMENT_TEXTS = ("text", "body", "content", "contents", "description", "passage", "abstract")

GREATEST_USUAL_GRADE, LEAST_USUAL_GRADE = 127, -10
_LONG_TEXT = 200
"""Characters from which a text is rather a document's than a query's, where nothing else tells."""


_HEADERS_KEPT = 4
_RECBOLE = re.compile(r":(?:token|float)(?:_seq)?$")
_BETWEEN = re.compile(r"[\s_\-]+")


def fold(name: str) -> str:
    """A column's name without case, blanks, underscores and hyphens, and without the type that
    RecBole writes behind it (`user_id:token`)."""
    return _BETWEEN.sub("", _RECBOLE.sub("", name.lower()))


def position(names: Sequence[str], known: Sequence[str]) -> int:
    """Where the most preferred of the `known` names stands in a header; -1 if none does."""
    places = _places(tuple(names))
    return next((places[name] for name in known if name in places), -1)


@lru_cache(_HEADERS_KEPT)
def _places(names: tuple[str, ...]) -> dict[str, int]:
    """The first place of each folded name. A header is asked for some forty names, and a file may
    begin with a hundred thousand fields: they are folded once."""
    places: dict[str, int] = {}
    for place, name in enumerate(names):
        places.setdefault(fold(name), place)
    return places


def is_known(name: str) -> bool:
    """Whether this is the name of a column of runs or judgments."""
    return any(fold(name) in names for names in NAMES.values())


def looks_like_header(fields: Sequence[str]) -> bool:
    """Whether these fields of a TREC line are column names: most are known, none is a number."""
    named = [field for field in fields if fold(field) not in ("0", "q0")]
    known = sum(map(is_known, named))
    return known * 2 > len(named) > 1 and not any(map(is_number, named))


@dataclass(frozen=True)
class Understood:
    """A header understood as one kind of table: the position of each role, and of the rest."""

    roles: Mapping[str, int]
    others: Sequence[int] = field(default=())
    missing: Sequence[str] = field(default=())


def understand(names: Sequence[str], kind: Kind) -> Understood:
    """Which columns of a table of this kind are which; `missing` names the ones it lacks."""
    if kind in ("run", "qrels"):
        return _judgable(names, kind)
    ids, texts = (QUERY_IDS, QUERY_TEXTS) if kind == "queries" else (DOCUMENT_IDS, DOCUMENT_TEXTS)
    id_name = "query_id" if kind == "queries" else "doc_id"
    roles = {id_name: position(names, ids), "text": position(names, texts)}
    if kind == "documents":
        roles["title"] = position(names, ("title",))
        told = max(roles["text"], roles["title"]) >= 0 or _is_catalogue(names)
        missing = [] if told else ["text"]
    else:
        missing = [] if roles["text"] >= 0 or _has_only_details(names) else ["text"]
    if roles[id_name] < 0:
        missing.insert(0, id_name)
    taken = {at for at in roles.values() if at >= 0}
    return Understood(
        {role: at for role, at in roles.items() if at >= 0},
        [i for i in range(len(names)) if i not in taken],
        missing,
    )


def document_columns(fields: Sequence[str]) -> list[str]:
    """What the fields of documents are called as columns beside doc_id: of those that are known the
    first is the title, or the text; one that would take another's place is told apart."""
    known = {position(fields, ("title",)): "title", position(fields, DOCUMENT_TEXTS): "text"}
    taken = ("doc_id", "title", "text")
    return [
        known.get(at, f"{name} (field)" if name in taken else name)
        for at, name in enumerate(fields)
    ]


def _has_only_details(names: Sequence[str]) -> bool:
    """Whether these are details of queries, such as a category, by an id that can be no other's."""
    others = ("doc_id", "score", "relevance", "rank", "subtopic")
    alien = any(position(names, ROLES[role]) >= 0 for role in others)
    known = (*ROLES["query_id"][:-1], *FURTHER["query_id"][1:])
    return len(names) > 1 and not alien and position(names, known) >= 0


def _is_catalogue(names: Sequence[str]) -> bool:
    """Whether these are details of documents, such as a price, by an id that can be no other's."""
    others = ("query_id", "score", "relevance", "rank")
    alien = any(position(names, ROLES[role]) >= 0 for role in others)
    return len(names) > 1 and not alien and position(names, NAMES["doc_id"]) >= 0


def _judgable(names: Sequence[str], kind: Kind) -> Understood:
    roles = {role: position(names, known) for role, known in NAMES.items()}
    value = "score"
    if kind == "qrels":
        value = "relevance"
        if roles["relevance"] < 0:
            roles["relevance"], roles["score"] = roles["score"], -1
    elif roles["score"] < 0 and roles["rank"] >= 0:
        value = "rank"
    wanted = ("query_id", "doc_id", value)
    quiet = {roles[role] for role in (*wanted, "rank", "iteration", "tag")}
    used = [*wanted, "rank"]
    if kind == "run":
        used.append("tag")
    if kind == "qrels":
        used.append("subtopic" if roles["subtopic"] >= 0 else "iteration")
        quiet.add(roles["subtopic"])
    return Understood(
        {role: at for role, at in roles.items() if at >= 0 and role in used},
        [i for i in range(len(names)) if i not in quiet],
        [role for role in wanted if roles[role] < 0],
    )


def recognise_columns(names: Sequence[str], rows: Sequence[Sequence[str]]) -> dict[Kind, int]:
    """How sure a header and some rows are of each kind of table; empty where nothing is known."""
    complete = {kind: not understand(names, kind).missing for kind in KINDS}
    possible: dict[Kind, int] = {
        kind: POSSIBLE for kind, is_complete in complete.items() if is_complete
    }
    query, doc = position(names, ROLES["query_id"]), position(names, NAMES["doc_id"])
    if (query >= 0 and doc >= 0) or complete["run"] or complete["qrels"]:
        return possible | _recognise_judgable(names, rows, complete)
    if complete["queries"] and (query >= 0 or not complete["documents"]):
        return possible | {"queries": CERTAIN}
    if complete["documents"] and doc >= 0:
        return possible | {"documents": CERTAIN}
    if complete["documents"]:
        return possible | _recognise_texts(names, rows)
    return possible | dict.fromkeys(_nearest(names, query, doc), POSSIBLE - 10)


def _recognise_judgable(
    names: Sequence[str],
    rows: Sequence[Sequence[str]],
    complete: Mapping[Kind, bool],
) -> dict[Kind, int]:
    graded = position(names, NAMES["relevance"]) >= 0
    score = position(names, NAMES["score"])
    if graded and complete["run"] and score < 0:
        return dict.fromkeys(("run", "qrels"), ASKED)  # a rank, and a rating that may be the truth
    if graded:
        return {"qrels": CERTAIN, "run": LIKELY if complete["run"] else 0}
    if not complete["run"]:
        nearest: dict[Kind, int] = {"run": POSSIBLE - 10, "qrels": POSSIBLE - 10}
        if complete["queries"]:
            nearest["queries"] = LIKELY
        return nearest
    if score < 0:
        return {"run": CERTAIN}
    values = [row[score].strip() for row in rows if len(row) > score]
    graded = whole_grades(values)
    if graded and [fold(name) for name in names] == ["queryid", "corpusid", "score"]:
        return {"qrels": LIKELY + 1, "run": LIKELY}  # BEIR's head; a run may have it, too
    return {"run": CERTAIN, "qrels": LIKELY if graded else IF_SAID}


def usual_grades(values: Sequence[str]) -> bool:
    """Whether these texts are all small whole numbers, as grades are."""
    return bool(values) and all(
        re.fullmatch(r"-?\d{1,3}", v, re.ASCII)
        and LEAST_USUAL_GRADE <= int(v) <= GREATEST_USUAL_GRADE
        for v in values
    )


def whole_grades(values: Sequence[str]) -> bool:
    """Whether these texts are all small whole numbers, perhaps written as decimals: 2.0."""
    return usual_grades([re.sub(r"\.0*$", "", value) for value in values])


def _recognise_texts(names: Sequence[str], rows: Sequence[Sequence[str]]) -> dict[Kind, int]:
    """A bare id and a text: queries or documents, by the columns and the length."""
    titled = position(names, ("title",)) >= 0 and position(names, DOCUMENT_TEXTS) >= 0
    at = position(names, DOCUMENT_TEXTS)
    lengths = [len(row[at]) for row in rows if len(row) > at >= 0]
    if titled or (lengths and sum(lengths) / len(lengths) > _LONG_TEXT):
        return {"documents": LIKELY, "queries": POSSIBLE}
    return {"queries": LIKELY, "documents": POSSIBLE}


def _nearest(names: Sequence[str], query: int, doc: int) -> list[Kind]:
    """Kinds a header may be meant as though it lacks a column."""
    if query >= 0 and position(names, (*ROLES["score"], *ROLES["rank"])) >= 0:
        return ["run"]
    if query >= 0 and position(names, ROLES["relevance"]) >= 0:
        return ["qrels"]
    if doc >= 0:
        return ["documents"]
    return ["queries"] if query >= 0 and len(names) > 1 else []
