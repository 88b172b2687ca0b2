"""TREC topics and documents in their tags, and BEIR sets."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest

from metrics_core.errors import FileFormatError
from metrics_core.formats import Loaded, is_set, read, read_documents, read_queries, read_set

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
    (tmp_path / "a.run").write_text("q1 Q0 d1 1 2.5 t\n")
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("../corpus.jsonl", FILES["corpus.jsonl"])
    for source in (tmp_path, tmp_path / "a.run", b"PK\x03\x04", b"text", buffer.getvalue()):
        assert not is_set(source)
        with pytest.raises(FileFormatError):
            read_set(source)


def test_error_in_a_set_names_its_file() -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("corpus.jsonl", FILES["corpus.jsonl"] + "{\n")
    with pytest.raises(FileFormatError, match=r"set\.zip/corpus\.jsonl, line 2"):
        read_set(buffer.getvalue(), name="set.zip")
