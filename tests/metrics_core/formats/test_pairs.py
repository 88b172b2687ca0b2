"""Pairs of a query and a document, in the shapes in which people have them."""

from __future__ import annotations

import pytest

from metrics_core.base.errors import FileFormatError
from metrics_core.formats.pairs import read_pairs

PAIRS = [("1", "001"), ("1", "d2"), ("2", "d3")]


@pytest.mark.parametrize(
    "text",
    [
        "1\t001\n1\td2\n2\td3\n",
        "1 001\n1  d2\n\n2 d3\n",
        "1,001\n1,d2\n2,d3\n",
        '"1",001\n1,d2\n2,"d3"\n',
        "user,item\n1,001\n1,d2\n2,d3\n",
        "# seen\nquery_id\tdoc_id\n1\t001\n1\td2\n2\td3\n",
        "docno,qid\n001,1\nd2,1\nd3,2\n",
        "userId,itemId,timestamp\n1,001,5\n1,d2,6\n2,d3,7\n",
        "1 0 001 0\n1 0 d2 2\n2 0 d3 1\n",
        "1 Q0 001 1 3.5 a\n1 Q0 d2 2 2.5 a\n2 Q0 d3 1 1 a\n",
        "1\t001\n1\t001\n1\td2\n2\td3\n",
        "1\t001\r\n1\td2\r\n2\td3",
    ],
)
def test_pairs_in_many_looks(text: str) -> None:
    read = read_pairs(text.encode(), name="seen.txt").to_pandas()
    assert list(zip(read["query_id"], read["doc_id"], strict=True)) == PAIRS


@pytest.mark.parametrize(
    ("text", "told", "line"),
    [
        ("1\td1\n2\td2\tx\n", "expected 2 columns, found 3", 2),
        ("1,d1\n,d2\n", "a query_id in every row", 2),
        ("a b c\nd e f\n", "expected", 1),
        ("", "an empty file", None),
    ],
)
def test_what_are_no_pairs_is_refused_with_its_line(text: str, told: str, line: int | None) -> None:
    with pytest.raises(FileFormatError, match=told) as caught:
        read_pairs(text.encode(), name="seen.txt")
    assert caught.value.problems[0].line == line
