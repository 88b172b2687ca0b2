"""TREC topics and documents in their tags, and BEIR sets."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path

import pytest

from metrics_core.base.errors import FileFormatError
from metrics_core.formats import Loaded, is_set, read, read_documents, read_queries, read_set
from metrics_core.tables import Queries

SGML = """<top>

<num> Number: 301
<title> International Organized Crime

<desc> Description:
Identify organizations
that participate.

<narr> Narrative:
A relevant document must.
</top>

<top>
<num> Number: 302 <title> Polio &amp; more
</top>
"""

XML = """<?xml version="1.0"?>
<!DOCTYPE web [ <!ELEMENT topic (query)> ]>
<!-- <topic number="0"> a comment
     of two lines -->
<web>
<topic number="101" type="faceted">
  <query>ritz carlton</query>
  <description>Find information.</description>
  <subtopic number="1" type="inf">Find more.</subtopic>
</topic>
<topic number='102'><query>x &lt; y</query></topic>
</web>
"""

DOCUMENTS = """<DOC>
<DOCNO> d1 </DOCNO>
<title>One</title>
<text>first <b>line</b>
second</text>
</DOC>
<doc><docno>d2</docno>no other
tags</doc>
"""


def test_sgml_topics() -> None:
    loaded = read(SGML.encode(), name="topics.txt")
    assert (loaded.kind, loaded.format) == ("queries", "topics")
    frame = read_queries(SGML.encode(), name="topics.txt").frame
    assert list(frame.itertuples(index=False, name=None)) == [
        (
            "301",
            "International Organized Crime",
            "Identify organizations that participate.",
            "A relevant document must.",
        ),
        ("302", "Polio & more", None, None),
    ]
    assert list(frame.columns) == ["query_id", "text", "description", "narrative"]


def test_xml_topics() -> None:
    frame = read_queries(XML.encode(), name="topics.xml").frame
    assert frame["query_id"].tolist() == ["101", "102"]
    assert frame["text"].tolist() == ["ritz carlton", "x < y"]
    assert frame["type"].tolist() == ["faceted", None]


def test_topics_with_question() -> None:
    text = "<topics><topic number='1'><query>a</query><question>what?</question></topic></topics>"
    frame = read_queries(text.encode(), name="x").frame
    assert frame.to_dict("records") == [{"query_id": "1", "text": "a", "question": "what?"}]


INDRI = """<parameters>
<index>/data/index</index>
<query><type>indri</type><number>701</number><text>#combine(oil &amp; gas)</text></query>
<query>
  <number>702</number>
  <text>pearl farming</text>
</query>
<!-- <query><number>703</number><text>gone</text></query> -->
</parameters>
"""


def test_indri_queries() -> None:
    loaded = read(INDRI.encode(), name="queries.xml")
    assert (loaded.format, loaded.kind) == ("indri", "queries")
    assert isinstance(loaded.table, Queries)
    frame = loaded.table.frame
    assert frame[["query_id", "text"]].to_numpy().tolist() == [
        ["701", "#combine(oil & gas)"],
        ["702", "pearl farming"],
    ]
    with pytest.raises(FileFormatError) as caught:
        read(INDRI.replace("<number>702</number>", "").encode(), name="queries.xml")
    assert caught.value.problems[0].line == 4


CAST = [
    {
        "number": 31,
        "title": "throat cancer",
        "description": "About it.",
        "turn": [
            {"number": 1, "raw_utterance": "What is throat cancer?"},
            {"number": 2, "raw_utterance": "Is it treatable?", "passage_id": ["a"]},
        ],
    },
    {"number": 132, "turn": [{"number": "1-3", "participant": "User", "utterance": "And now?"}]},
]


@pytest.mark.parametrize("indent", [None, 2])
def test_the_turns_of_cast_are_queries(indent: int | None) -> None:
    loaded = read(json.dumps(CAST, indent=indent).encode(), name="eval_topics.json")
    assert (loaded.format, loaded.kind) == ("cast", "queries")
    assert isinstance(loaded.table, Queries)
    frame = loaded.table.frame
    assert frame[["query_id", "text", "topic", "turn"]].to_numpy().tolist() == [
        ["31_1", "What is throat cancer?", "31", "1"],
        ["31_2", "Is it treatable?", "31", "2"],
        ["132_1-3", "And now?", "132", "1-3"],
    ]
    assert frame["title"].tolist() == ["throat cancer", "throat cancer", None]
    assert frame["participant"].tolist() == [None, None, "User"]


@pytest.mark.parametrize("broken", [{"number": 1}, {"number": 1, "turn": [{}]}, {"turn": []}, "x"])
def test_broken_turns(broken: object) -> None:
    with pytest.raises(FileFormatError):
        read(json.dumps([*CAST, broken]).encode(), name="x.json", kind="queries")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("query_id,category,hard\n1,x,no\n2,y,yes\n", "x.csv"),
        ("qid\tcategory\thard\n1\tx\tno\n2\ty\tyes\n", "x.tsv"),
        (
            '{"qid": 1, "category": "x", "hard": "no"}\n{"qid": 2, "category": "y", "hard": "yes"}',
            "x",
        ),
    ],
)
def test_queries_without_text(text: str, name: str) -> None:
    for kind in (None, "queries"):
        loaded = read(text.encode(), name=name, kind=kind)  # type: ignore[arg-type]
        assert isinstance(loaded.table, Queries)
        assert loaded.table.frame.to_numpy().tolist() == [
            ["1", "", "x", "no"],
            ["2", "", "y", "yes"],
        ]
        assert loaded.table.groupings == []
        assert [n.message for n in loaded.notes] == [
            "no text column found, so the queries have no text"
        ]


@pytest.mark.parametrize(
    "text", ["id,price\n1,2\n", "query_id,score\n1,2\n", "query_id,rel\n1,2\n"]
)
def test_what_may_be_no_queries_needs_a_text(text: str) -> None:
    with pytest.raises(FileFormatError):
        read_queries(text.encode(), name="x.csv")


@pytest.mark.parametrize(
    "name", ["msmarco-docdev-queries.tsv", "docv2_dev_queries.tsv.gz", "corpus/topics.tsv"]
)
def test_queries_may_be_named_after_documents(name: str) -> None:
    text = "1\twhat is oil\n2\twhat is gas\n"
    assert read(text.encode(), name=name).kind == "queries"
    assert read(text.encode(), name="docs.tsv").kind == "documents"


def test_topic_without_number_or_twice() -> None:
    with pytest.raises(FileFormatError) as caught:
        read((SGML + "<top><title> x </top>").encode(), name="topics.txt")
    assert caught.value.problems[0].line == 17
    with pytest.raises(FileFormatError, match="query 301 a second time") as caught:
        read((SGML + SGML).encode(), name="topics.txt")
    assert caught.value.problems[0].line == 17


def test_documents() -> None:
    table = read_documents(DOCUMENTS.encode(), name="docs.trec").table
    assert [tuple(row.values()) for row in table.to_pylist()] == [
        ("d1", "One", "first line second"),
        ("d2", "", "no other tags"),
    ]
    assert read(DOCUMENTS.encode(), name="topics.x.txt").kind == "queries"


def test_entities_are_not_expanded() -> None:
    bomb = '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY f SYSTEM "file:///etc/passwd">]>\n'
    text = bomb + "<topics><topic number='1'><query>&a;&f;</query></topic></topics>"
    assert read_queries(text.encode(), name="x").frame["text"].tolist() == ["&a;&f;"]


FILES = {
    "corpus.jsonl": '{"_id": "d1", "title": "T", "text": "a"}\n',
    "queries.jsonl": '{"_id": "q1", "text": "a"}\n{"_id": "q2", "text": "b"}\n',
    "qrels/test.tsv": "query-id\tcorpus-id\tscore\nq1\td1\t1\n",
    "qrels/train.tsv": "query-id\tcorpus-id\tscore\nq2\td1\t1\n",
    "bm25.run": "q1 Q0 d1 1 2.5 bm25\n",
    "README.md": "A set.\n",
}


def zipped(prefix: str = "") -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in FILES.items():
            archive.writestr(prefix + name, content)
        archive.writestr("__MACOSX/._corpus.jsonl", "x")
    return buffer.getvalue()


def check(loaded: list[Loaded]) -> None:
    assert [item.kind for item in loaded] == ["documents", "queries", "qrels", "run"]
    assert [len(item.table) for item in loaded] == [1, 2, 1, 1]
    splits = [note for note in loaded[2].notes if note.kind == "splits"]
    assert [note.examples for note in splits] == [("train",)]
    assert loaded[2].table.query_ids == ["q1"]  # type: ignore[union-attr]
    assert loaded[3].table.name == "bm25"  # type: ignore[union-attr]


@pytest.mark.parametrize("prefix", ["", "scifact/"])
def test_set_in_a_zip(prefix: str) -> None:
    assert is_set(zipped(prefix))
    loaded = read_set(zipped(prefix), name="scifact.zip")
    check(loaded)
    assert loaded[0].file == f"scifact.zip/{prefix}corpus.jsonl"


def test_set_in_a_folder(tmp_path: Path) -> None:
    for name, content in FILES.items():
        path = tmp_path / "scifact" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    check(read_set(tmp_path))
    check(read_set(str(tmp_path / "scifact")))
    packed = tmp_path / "set.zip"
    packed.write_bytes(zipped())
    check(read_set(packed))


def test_what_is_no_set(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("q1 Q0 d1 1 2.5 t\n")
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("../corpus.jsonl", FILES["corpus.jsonl"])
    for source in (tmp_path, tmp_path / "a.txt", b"PK\x03\x04", b"text", buffer.getvalue()):
        assert not is_set(source)
        with pytest.raises(FileFormatError):
            read_set(source)


def test_error_in_a_set_names_its_file() -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("corpus.jsonl", FILES["corpus.jsonl"] + "{\n")
    with pytest.raises(FileFormatError, match=r"set\.zip/corpus\.jsonl, line 2"):
        read_set(buffer.getvalue(), name="set.zip")
