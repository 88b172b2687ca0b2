"""Odd and bad input through the command line, row by row.

A refusal has status 2, nothing on stdout, and on stderr the file, the line where there is one, what
was found, what was expected and how to mend it. What is accepted gives the number of a clean twin
of the file, and a note where the reader should know.
"""

from __future__ import annotations

import gzip
import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from metrics_core.__main__ import main

QRELS = "q1 0 d1 1\nq1 0 d2 0\nq2 0 d1 1\n"
RUN = "q1 Q0 d2 1 2.5 tag\nq1 Q0 d1 2 1.5 tag\nq2 Q0 d1 1 3 tag\n"
AP = 0.75  # 1/2 and 1

Content = str | bytes | Callable[[], bytes]
"""What is in a file; large ones are made by the test that needs them."""


class Outcome(NamedTuple):
    status: int
    out: str
    err: str

    @property
    def value(self) -> float:
        """The value of the last line on stdout."""
        assert self.status == 0, self.err
        return float(self.out.splitlines()[-1].split("\t")[-1])


Evaluate = Callable[..., Outcome]


@pytest.fixture
def evaluate(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Evaluate:
    """Writes the files and evaluates them by AP; `runs` are further runs by file name."""

    def run(
        *options: str,
        qrels: Content = QRELS,
        run: Content = RUN,
        qrels_name: str = "qrels.txt",
        run_name: str = "bm25.run",
        queries: Content = "",
        runs: dict[str, Content] | None = None,
        measures: tuple[str, ...] = ("AP",),
    ) -> Outcome:
        files = {qrels_name: qrels, run_name: run, **(runs or {})}
        if queries:
            (tmp_path / "queries.csv").write_bytes(as_bytes(queries))
            options = (*options, "--queries", str(tmp_path / "queries.csv"))
        for name, content in files.items():
            (tmp_path / name).write_bytes(as_bytes(content))
        asked = [part for name in measures for part in ("-m", name)]
        paths = [str(tmp_path / name) for name in files]
        status = main(["evaluate", *paths, *asked, "--format", "tsv", *options])
        outcome = Outcome(status, *capsys.readouterr())
        assert "Traceback" not in outcome.err
        assert (outcome.status == 2) == (outcome.out == "")
        return outcome

    return run


def as_bytes(content: Content) -> bytes:
    made = content() if callable(content) else content
    return made.encode() if isinstance(made, str) else made


def parquet(**columns: Any) -> bytes:
    return table_bytes(pa.table(columns))


def table_bytes(table: pa.Table) -> bytes:
    buffer = io.BytesIO()
    pq.write_table(table, buffer)
    return buffer.getvalue()


def zipped(**members: str) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return buffer.getvalue()


TWICE = pa.table([["q1"], ["d1"], [1.0], [2.0]], ["query_id", "doc_id", "score", "score"])


def many_cells() -> bytes:
    few = pa.nulls(20_000_000, pa.int8()).fill_null(0)
    return parquet(query_id=few, doc_id=few, score=few)


def bomb() -> bytes:
    return RUN.encode() + (b"#" * 9_999 + b"\n") * 30_000


LINE = "A TREC run line is: query_id Q0 doc_id rank score run_name"

# The run's content, its file name, its line or None, and what stderr says besides file and line.
BAD_RUNS: dict[str, tuple[Content, str, int | None, tuple[str, ...]]] = {
    "five columns": (RUN + "q1 Q0 d3 3 tag\n", "x.run", 4, ("6 columns, found 5", LINE)),
    "score NaN": (RUN + "q1 Q0 d3 3 NaN tag\n", "x.run", 4, ("finite", "`NaN`", "Remove the doc")),
    "score inf": (RUN + "q1 Q0 d3 3 -inf tag\n", "x.run", 4, ("finite", "`-inf`", "Remove the")),
    "score 1e400": (RUN + "q1 Q0 d3 3 1e400 tag\n", "x.run", 4, ("`1e400`", "double precision")),
    "score abc": (
        RUN + "q1 Q0 d3 3 abc tag\n",
        "x.run",
        4,
        ("finite number as the score", "`abc`"),
    ),
    "score 0,9": (RUN + "q1 Q0 d3 3 0,9 tag\n", "x.run", 4, ("`0,9`", "comma; write 0.9")),
    "score 1_000": (RUN + "q1 Q0 d3 3 1_000 tag\n", "x.run", 4, ("`1_000`", "thousands")),
    "score ٣": (RUN + "q1 Q0 d3 3 ٣ tag\n", "x.run", 4, ("`٣`", "digits other than 0 to 9")),
    "score 0x10": (RUN + "q1 Q0 d3 3 0x10 tag\n", "x.run", 4, ("`0x10`", "hexadecimal")),
    "document twice": (
        RUN + "q1 Q0 d1 3 0.5 tag\n",
        "x.run",
        4,
        ("document d1 of query q1 a second time", "--duplicates best"),
    ),
    "Latin-1": (
        (RUN + "q1 Q0 café 3 1 tag\n").encode("latin-1"),
        "x.run",
        4,
        ("UTF-8", "0xE9 at byte", "--encoding latin-1"),
    ),
    "NUL byte": (RUN + "q1 Q0 d\0 3 1 tag\n", "x.run", 4, ("NUL byte at byte", "binary")),
    "empty": ("", "x.run", None, ("an empty file", "complete")),
    "header only": ("query_id Q0 doc_id rank score tag\n", "x.run", None, ("only a header",)),
    "header only, CSV": ("query_id,doc_id,score\n", "x.csv", None, ("only a header",)),
    "last line cut off": (RUN + "q1 Q0 d3", "x.run", 4, ("6 columns", "seems to be truncated")),
    "judgments as a run": (QRELS, "x.run", None, ("looks like judgments", "swapped", "QRELS RUN")),
    "CSV short row": ("qid,docid,score\nq1,d1,1\nq1,d2\n", "x.csv", 3, ("3 columns", "docid")),
    "CSV extra column": ("qid,docid,score\nq1,d1,1,9\n", "x.csv", 2, ("3 columns, found 4",)),
    "CSV header twice": ("qid,docid,score,score\nq1,d1,1,2\n", "x.csv", 1, ("`score` more than",)),
    "JSON NaN": (
        '{"q1": {"d1": 1.5,\n"d2": NaN}}',
        "x.json",
        2,
        ("`NaN`", "does not allow this number"),
    ),
    "JSON key twice": ('{"q1": {"d1": 1.5,\n"d1": 2.5}}', "x.json", 2, ("`d1` twice", "keep")),
    "JSON deep": ('{"q":' * 100_000, "x.json", None, ("nested too deeply", "at most 100 levels")),
    "JSON digits": ('{"q1": {"d1":\n' + "1" * 5000 + "}}", "x.json", 2, ("5,000 characters",)),
    "JSON half a character": ('{"q1": {"d1": 1.5,\n"d\\ud800": 2}}', "x.json", 2, ("half a char",)),
    "JSON cut off": ('{"q1": {"d1": 1.5,\n"d2"', "x.json", 2, ("truncated",)),
    "Parquet nested": (
        parquet(query_id=["q1"], doc_id=[["d1"]], score=[1.0]),
        "x.parquet",
        None,
        ("lists or structs in `doc_id`", "Drop the column"),
    ),
    "Parquet column twice": (table_bytes(TWICE), "x.parquet", None, ("`score` more than once",)),
    "Parquet cut off": (
        parquet(query_id=["q1"], doc_id=["d1"], score=[1.0])[:-9],
        "x.parquet",
        None,
        ("damaged", "Write it again"),
    ),
    "Parquet bomb": (
        many_cells,
        "x.parquet",
        None,
        ("20,000,000 rows", "this size is intended"),
    ),
    "gzip bomb": (
        lambda: gzip.compress(bomb(), 6),
        "x.run.gz",
        None,
        ("unpacks to more", "--limit"),
    ),
    "zstd bomb": (
        lambda: pa.Codec("zstd").compress(bomb(), asbytes=True),
        "x.run.zst",
        None,
        ("unpacks to more", "--limit"),
    ),
    "gzip cut off": (gzip.compress(RUN.encode())[:20], "x.run.gz", None, ("damaged or truncated",)),
    "zip of several": (zipped(a=RUN, b=RUN), "x.zip", None, ("2 files: `a`, `b`", "unpack it")),
    "zip that leads out": (
        zipped(**{"../x.run": RUN}),
        "x.zip",
        None,
        ("points outside the archive", "Create the zip again"),
    ),
    "200,000 columns": (",".join(["c"] * 200_000), "x.csv", 1, ("at most 4,096 columns",)),
    "a 10 MB line": (
        RUN + "q1 Q0 " + "x" * 11_000_000 + "\n",
        "x.run",
        4,
        ("lines of at most 10 MB", "line breaks"),
    ),
}

BAD_QRELS: dict[str, tuple[Content, int | None, tuple[str, ...]]] = {
    "three columns": (QRELS + "q1 d3 1\n", 4, ("4 columns, found 3", "query_id 0 doc_id rel")),
    "five columns": (QRELS + "q1 0 d3 1 x\n", 4, ("4 columns, found 5", "query_id 0 doc_id rel")),
    "grades differ": (
        QRELS + "q1 0 d1 2\n",
        4,
        ("d1 of query q1 has grade 2, but an earlier row has grade 1", "Keep the correct grade"),
    ),
    "grade 0.5": (QRELS + "q1 0 d3 0.5\n", 4, ("whole number", "`0.5`", "--grades real")),
    "grade in words": (
        QRELS + "q1 0 d3 relevant\n",
        4,
        ("whole number", "`relevant`", "give each a value", "--grades word=number"),
    ),
    "grade 128": (QRELS + "q1 0 d3 128\n", 4, ("between -127 and 127", "`128`", "wrong column")),
    "empty": ("", None, ("an empty file", "complete")),
    "header only": ("query_id iter doc_id relevance\n", None, ("only a header",)),
    "a run as judgments": (RUN, None, ("looks like a run", "swapped", "QRELS RUN")),
    "NUL byte": (QRELS + "q1 0 d\0 1\n", 4, ("NUL byte at byte",)),
}


def assert_refused(outcome: Outcome, name: str, line: int | None, says: tuple[str, ...]) -> None:
    assert (outcome.status, outcome.out) == (2, "")
    place = name if line is None else f"{name}, line {line}"
    first = next(text for text in outcome.err.splitlines() if not text.startswith("note: "))
    assert f"/{place}: expected " in first and ", found " in first, outcome.err
    for part in says:
        assert part in outcome.err


@pytest.mark.parametrize(("content", "name", "line", "says"), BAD_RUNS.values(), ids=list(BAD_RUNS))
def test_a_bad_run_is_refused(
    evaluate: Evaluate, content: Content, name: str, line: int | None, says: tuple[str, ...]
) -> None:
    assert_refused(evaluate(run=content, run_name=name), name, line, says)


@pytest.mark.parametrize(("content", "line", "says"), BAD_QRELS.values(), ids=list(BAD_QRELS))
def test_bad_judgments_are_refused(
    evaluate: Evaluate, content: Content, line: int | None, says: tuple[str, ...]
) -> None:
    assert_refused(evaluate(qrels=content), "qrels.txt", line, says)


def test_query_metadata_twice_is_refused(evaluate: Evaluate) -> None:
    queries = "query_id,text,category\nq1,a,x\nq2,b,x\nq1,a,y\n"
    outcome = evaluate("--by", "category", queries=queries)
    assert_refused(outcome, "queries.csv", 4, ("query q1 a second time", "Keep one row"))


# Accepted: the value of the clean twin, and the note, if there is to be one.

RECORDS = [("q1", "d2", 2.5), ("q1", "d1", 1.5), ("q2", "d1", 3.0)]
CSV = "query_id,doc_id,score\n" + "".join(f"{q},{d},{s}\n" for q, d, s in RECORDS)
JSON = json.dumps({"q1": {"d2": 2.5, "d1": 1.5}, "q2": {"d1": 3.0}})
INTERLEAVED = "q1 Q0 d2 1 2.5 t\nq2 Q0 d1 1 3 t\nq1 Q0 d1 2 1.5 t\n"

GOOD_RUNS: dict[str, tuple[Content, str, str]] = {
    "seven columns": (
        RUN.replace("tag", "my run", 1),
        "x.run",
        "1 line with more than six columns",
    ),
    "CRLF": (RUN.replace("\n", "\r\n"), "x.run", ""),
    "CR": (RUN.replace("\n", "\r"), "x.run", ""),
    "no final newline": (RUN.rstrip("\n"), "x.run", ""),
    "comments": ("# by hand\n" + RUN, "x.run", "1 comment line (#), skipped (first: # by hand)"),
    "blank lines": (RUN.replace("\n", "\n\n"), "x.run", "3 blank lines, skipped"),
    "byte order mark": ("\ufeff" + RUN, "x.run", ""),
    "UTF-16": (RUN.encode("utf-16"), "x.run", ""),
    "header": ("query_id Q0 doc_id rank score run\n" + RUN, "x.run", "is a header"),
    "interleaved": (INTERLEAVED, "x.run", ""),
    "rank contradicts": (
        RUN.replace("d2 1", "d2 9"),
        "x.run",
        "in 1 of 2 queries the rank column contradicts the scores",
    ),
    "tabs": (RUN.replace(" ", "\t"), "x.run", ""),
    "lone quote": ('q3 Q0 "x 1 1 t\n' + RUN + 'q3 Q0 y" 2 0 t\n', "x.run", "without judgments"),
    "CSV": (CSV, "x.csv", ""),
    "TSV with a lone quote": (
        CSV.replace(",", "\t") + 'q2\t"d9\t1\n',
        "x.tsv",
        "",
    ),
    "JSON": (JSON, "x.json", ""),
    "Parquet": (
        parquet(
            **dict(zip(["query_id", "doc_id", "score"], zip(*RECORDS, strict=True), strict=True))
        ),
        "x.parquet",
        "",
    ),
    "gzip": (gzip.compress(RUN.encode()), "x.run.gz", ""),
    "zip of one": (zipped(**{"x.run": RUN}), "x.zip", ""),
}


@pytest.mark.parametrize(("content", "name", "note"), GOOD_RUNS.values(), ids=list(GOOD_RUNS))
def test_an_odd_run_scores_as_its_clean_twin(
    evaluate: Evaluate, content: Content, name: str, note: str
) -> None:
    outcome = evaluate(run=content, run_name=name)
    assert outcome.value == AP
    assert outcome.err.startswith("note: ") and note in outcome.err if note else not outcome.err


GOOD_QRELS: dict[str, tuple[Content, str]] = {
    "same grade twice": (
        QRELS + "q1 0 d1 1\n",
        "rows repeated with the same grade: 1; each judgment counts once",
    ),
    "negative grade": (QRELS + "q1 0 d3 -2\n", "grades: 1; their documents count as not relevant"),
    "comment and blank": ("# x\n\n" + QRELS, "1 comment line (#), skipped"),
    "CRLF": (QRELS.replace("\n", "\r\n"), ""),
    "header": ("query_id iter doc_id rel\n" + QRELS, "is a header"),
}


@pytest.mark.parametrize(("content", "note"), GOOD_QRELS.values(), ids=list(GOOD_QRELS))
def test_odd_judgments_score_as_their_clean_twin(
    evaluate: Evaluate, content: Content, note: str
) -> None:
    outcome = evaluate(qrels=content)
    assert outcome.value == AP
    assert note in outcome.err if note else not outcome.err


ODD_IDS = ["001", "1e5", "True", "NA", "null", "9007199254740993", "<b>x</b>", "'; --", "\u202ex"]


@pytest.mark.parametrize("odd", [i.replace(" ", "") for i in ODD_IDS])
def test_ids_that_look_like_values_match_as_text(evaluate: Evaluate, odd: str) -> None:
    qrels = QRELS.replace("q1", odd).replace("d1", f"{odd}x")
    plain = RUN.replace("q1", odd).replace("d1", f"{odd}x")
    as_csv = CSV.replace("q1", odd).replace("d1", f"{odd}x")
    assert evaluate(qrels=qrels, run=plain).value == AP
    assert evaluate(qrels=qrels, run=as_csv, run_name="x.csv").value == AP


@pytest.mark.parametrize("mark", ["\u2028", "\xa0", "\x0b", "\x0c"])
def test_odd_blanks_inside_an_id_do_not_split_it(evaluate: Evaluate, mark: str) -> None:
    odd = f"d{mark}1"
    outcome = evaluate(qrels=QRELS.replace("d1", odd), run=RUN.replace("d1", odd))
    assert outcome.value == AP and not outcome.err


def test_parquet_numbers_as_ids(evaluate: Evaluate) -> None:
    run = parquet(query_id=[1, 1, 2], doc_id=[2, 2**53 + 1, 2**53 + 1], score=[2.5, 1.5, 3])
    qrels = f"1 0 {2**53 + 1} 1\n1 0 2 0\n2 0 {2**53 + 1} 1\n"
    assert evaluate(qrels=qrels, run=run, run_name="x.parquet").value == AP


def test_choices_that_errors_offer(evaluate: Evaluate) -> None:
    twice = "q1 Q0 d1 9 0.5 tag\n" + RUN + "q1 Q0 d1 3 9 tag\n"
    best = evaluate("--duplicates", "best", run=twice)
    assert best.value == 1
    assert "repeated documents: 2; only the highest score of each is used" in best.err
    assert evaluate("--duplicates", "first", run=twice).value == AP
    latin = RUN.replace("d1", "é").encode("latin-1")
    qrels = QRELS.replace("d1", "é").encode("latin-1")
    assert evaluate("--encoding", "latin-1", run=latin, qrels=qrels).value == AP
    real = QRELS.replace("d1 1", "d1 0.5")
    assert evaluate("--grades", "real", qrels=real, measures=("nDCG@1",)).value == 0.5


# Judging


def test_all_scores_tied(evaluate: Evaluate) -> None:
    tied = "q1 Q0 d1 1 0 t\nq1 Q0 d2 2 0 t\nq1 Q0 d3 3 0 t\nq2 Q0 d1 1 0 t\n"
    outcome = evaluate(run=tied)
    assert outcome.value == pytest.approx((1 / 3 + 1) / 2)  # d3, d2, d1: by id, last first
    assert "all scores of every query are tied; ties broken by document id" in outcome.err
    assert "other tie orders give AP 0.667 to 1.000" in outcome.err


def test_many_scores_tied(evaluate: Evaluate) -> None:
    tied = RUN + "q1 Q0 d7 3 1.5 t\n"
    outcome = evaluate(run=tied, measures=("P@1", "AP"))
    # d7 comes before d1: 1/3 instead of 1/2
    assert outcome.value == pytest.approx((1 / 3 + 1) / 2)
    assert "50% of rows have tied scores; 2 of 4 rows; ties broken by document id" in outcome.err
    assert "other tie orders give AP 0.667 to 0.750\n" in outcome.err


def test_ties_that_no_measure_sees(evaluate: Evaluate) -> None:
    tied = RUN + "q2 Q0 d8 2 1 tag\nq2 Q0 d9 3 1 tag\n"
    outcome = evaluate(run=tied)
    assert outcome.value == AP
    assert "other tie orders give the same scores" in outcome.err


def test_scores_that_differ_below_single_precision(evaluate: Evaluate) -> None:
    near = "q1 Q0 d1 1 1.0000000001 t\nq1 Q0 d2 2 1 t\nq2 Q0 d1 1 3 t\n"
    outcome = evaluate(run=near)
    assert outcome.value == 1  # in single precision d2 would come first
    assert "1 near-tie that trec_eval before 10.0 and pytrec_eval treat as tied" in outcome.err


@pytest.mark.parametrize(
    ("own", "hint"),
    [
        (["001", "002", "003", "004"], "001 and 1"),
        (["a", "b", "c", "d"], "Load judgments for these queries."),
        (["1\u200b", "b", "c", "d"], "clean-ids"),
    ],
)
def test_no_query_in_common(evaluate: Evaluate, own: list[str], hint: str) -> None:
    run = "".join(f"{q} Q0 d1 1 1 t\n" for q in own)
    qrels = "".join(f"{q} 0 d1 1\n" for q in "1234")
    outcome = evaluate(qrels=qrels, run=run)
    assert (outcome.status, outcome.out) == (2, "")
    shown = ", ".join(own[:3])
    assert (
        f"have no query in common: the run has {shown}; the judgments have 1, 2, 3." in outcome.err
    )
    assert hint in outcome.err


def test_no_judged_document_in_common(evaluate: Evaluate) -> None:
    outcome = evaluate(run=RUN.replace("d1", "x").replace("d2", "y"))
    assert outcome.value == 0
    assert "none of the run's documents is judged, so every score is 0" in outcome.err


def test_a_judged_query_that_is_not_retrieved_counts_zero(evaluate: Evaluate) -> None:
    outcome = evaluate(qrels=QRELS + "q3 0 d1 1\n")
    assert outcome.value == pytest.approx(1.5 / 3)
    assert "1 judged query without results; scored 0 (first: q3)" in outcome.err


def test_a_query_that_is_not_judged_is_left_out(evaluate: Evaluate) -> None:
    outcome = evaluate(run=RUN + "q8 Q0 d1 1 1 t\nq9 Q0 d1 1 1 t\n")
    assert outcome.value == AP
    assert "2 queries without judgments; excluded (first: q8, q9)" in outcome.err


def test_a_judged_query_without_relevant_documents(evaluate: Evaluate) -> None:
    qrels = QRELS + "q3 0 d1 0\n"
    run = RUN + "q3 Q0 d1 1 1 t\n"
    zero = evaluate(qrels=qrels, run=run)
    assert zero.value == pytest.approx(1.5 / 3)
    assert "1 judged query without a relevant document; scored 0 (first: q3)" in zero.err
    out = evaluate("--without-relevant", "leave out", qrels=qrels, run=run)
    assert out.value == AP
    assert "1 judged query without a relevant document; excluded (first: q3)" in out.err


@pytest.mark.parametrize("odd", ["d1\u200b", "\ufeffd1", "d1\xa0"])
def test_ids_that_match_only_when_cleaned(evaluate: Evaluate, odd: str) -> None:
    # A byte order mark at the start of a line, and blanks no column is split at.
    run = RUN.replace("d1", odd)
    as_it_stands = evaluate(run=run)
    assert as_it_stands.value == 0
    assert "1 document id in the judgments would match the run after" in as_it_stands.err
    assert "with clean-ids (" in as_it_stands.err and "(first: 'd1' and " in as_it_stands.err
    assert evaluate("--clean-ids", run=run).value == AP


def test_ids_that_match_only_in_one_normal_form(evaluate: Evaluate) -> None:
    run, qrels = RUN.replace("d1", "cafe\u0301"), QRELS.replace("d1", "caf\u00e9")
    assert "would match the run after" in evaluate(run=run, qrels=qrels).err
    assert evaluate("--clean-ids", run=run, qrels=qrels).value == AP


def test_two_ids_that_cleaning_makes_one_are_refused(evaluate: Evaluate) -> None:
    outcome = evaluate("--clean-ids", run=RUN + "q1 Q0 d1\u200b 3 1 t\n")
    assert outcome.status == 2
    assert "bm25.run, with clean ids: " in outcome.err
    assert "document d1 of query q1 a second time" in outcome.err


def test_two_files_with_the_same_rows_are_two_runs(evaluate: Evaluate) -> None:
    outcome = evaluate(runs={"copy.run": RUN})
    first, second = outcome.out.splitlines()[1:]
    assert first.replace("bm25", "copy") == second and "shown once" not in outcome.err


def test_two_runs_of_one_name_are_told_apart(evaluate: Evaluate) -> None:
    outcome = evaluate(runs={"bm25.txt": RUN.replace("2.5", "1")})
    assert [line.split("\t")[0] for line in outcome.out.splitlines()[1:]] == ["bm25", "bm25 (2)"]
    assert "two runs are named bm25, so one is shown as bm25 (2)" in outcome.err


@pytest.mark.parametrize("k", ["0", "-1", "2.5", "ten", "1e400", "nan", "99999999999"])
def test_a_cutoff_that_is_none(evaluate: Evaluate, k: str) -> None:
    outcome = evaluate(measures=(f"P@{k}",))
    assert (outcome.status, outcome.out) == (2, "")
    assert "P: cutoff must be a" in outcome.err


def test_a_cutoff_beyond_the_run_is_noted(evaluate: Evaluate) -> None:
    outcome = evaluate(measures=("P@2", "R@1000"))
    assert outcome.value == 1
    assert "R@1000 exceeds the depth of the run (at most 2 documents per query)" in outcome.err


def test_a_query_without_a_category_is_in_the_group_none(evaluate: Evaluate) -> None:
    outcome = evaluate("--by", "category", queries="query_id,text,category\nq1,a,x\nq2,b,\n")
    assert outcome.out.splitlines()[1:] == ["bm25\tx\tAP\t0.5", "bm25\t(none)\tAP\t1.0"]


def test_a_file_name_is_shown_and_names_nothing_else(evaluate: Evaluate) -> None:
    outcome = evaluate(run_name="=x;<b>.run")
    assert outcome.out.splitlines()[1].startswith("'=x;<b>\t")
    as_csv = evaluate("--format", "csv", run_name="=x;<b>.run")
    assert as_csv.out.splitlines()[1].startswith("'=x;<b>,")
