"""The command that explains: kinds, parts that add up, and what could be gained."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Callable
from pathlib import Path

import pytest

from metrics_core import formats
from metrics_core.__main__ import main
from metrics_core.base import wording as w
from metrics_core.explaining.headroom import headroom
from metrics_core.explaining.query_kinds import CHANGES, KINDS
from metrics_core.judging import join_judgments
from metrics_core.measures import parse_measure

SAMPLE = Path(__file__).parents[3] / "sample_runs"

Command = Callable[..., tuple[str, str]]


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Command:
    """Runs `explain` on the sample; gives what it wrote to stdout and stderr."""
    monkeypatch.chdir(SAMPLE)

    def run(*arguments: str, files: tuple[str, ...] = ("bm25.run", "dense.run")) -> tuple[str, str]:
        status = main(["explain", "qrels.txt", *files, *arguments])
        out, err = capsys.readouterr()
        assert status == (0 if out else 2)
        return out, err

    return run


@pytest.mark.parametrize("name", ["nDCG@10", "AP", "IPrecAvg", "Unjudged@10"])
def test_json_adds_up_and_starts_with_the_worst(command: Command, name: str) -> None:
    found = json.loads(command("-m", name, "--format", "json")[0])
    qrels = formats.read_qrels(SAMPLE / "qrels.txt")
    measure = parse_measure(name)
    run, baseline = (
        join_judgments(formats.read_run(SAMPLE / f"{n}.run"), qrels) for n in ("dense", "bm25")
    )
    scores = dict(zip(run.query_ids, measure.score(run).tolist(), strict=True))
    before = dict(zip(run.query_ids, measure.score(baseline).tolist(), strict=True))
    assert {record["query_id"] for record in found} == set(scores)
    gains = [record["difference"] * measure.declaration.direction for record in found]
    assert gains == sorted(gains)
    for record in found:
        assert record["score"] == scores[record["query_id"]]
        assert record["baseline_score"] == before[record["query_id"]]
        assert record["difference"] == record["score"] - record["baseline_score"]
        parts = [part["part"] for part in record["parts"]]
        whole = math.fsum([record["without_them"], *parts])
        assert whole == pytest.approx(record["difference"], abs=1e-12)
        assert [abs(part) for part in parts] == sorted(map(abs, parts), reverse=True)
        assert record["kind"] in KINDS and record["change"] in CHANGES


@pytest.mark.parametrize("name", ["nDCG@10", pytest.param("AP", marks=pytest.mark.thorough)])
def test_the_table_of_a_query_adds_up_as_printed(command: Command, name: str) -> None:
    for record in json.loads(command("-m", name, "--format", "json")[0])[:6]:
        out, _ = command("-m", name, "--query", record["query_id"], "--format", "markdown")
        cells = [line.split("|")[-2].strip() for line in out.splitlines() if line[:1] == "|"]
        *parts, whole = (float(cell.replace(w.MINUS, "-")) for cell in cells[2:])
        assert round(1000 * math.fsum(parts)) == round(1000 * whole)


def test_json_says_what_could_be_gained(command: Command) -> None:
    (record,) = json.loads(command("--query", "q098", "--format", "json")[0])
    qrels = formats.read_qrels(SAMPLE / "qrels.txt")
    run = join_judgments(formats.read_run(SAMPLE / "dense.run"), qrels)
    gains = headroom(run, parse_measure("nDCG@10"), 10)
    i = run.query_ids.index("q098")
    assert record["headroom"] == {
        "missing": gains.missing[i],
        "below": gains.below[i],
        "order": gains.order[i],
    }
    assert record["parts"][0] | {"part": 0} == {
        "doc_id": "FN-0175",
        "grade": 3.0,
        "rank": 5,
        "baseline_rank": 1,
        "part": 0,
    }
    (record,) = json.loads(command("--query", "q098", "-m", "Judged@5", "--format", "json")[0])
    assert record["headroom"] is None


def test_one_query_in_words(command: Command) -> None:
    out, _ = command("--query", "q098")
    head, sentence, scores, ledger, gains = out.strip().split("\n\n")
    assert head == "q098: broken; dense: ranked too low."
    assert "the only document graded 3 fell from rank 1 to rank 5" in sentence
    assert scores == "nDCG@10 of this query: dense 0.320, bm25 0.826, difference −0.507."
    assert [line.split() for line in ledger.splitlines()[1:]] == [
        ["FN-0175", "3", "5", "1", "−0.507"],
        ["(difference)", "−0.507"],
    ]
    assert gains.startswith("dense could gain") and "reordering its first 10 results" in gains
    assert (
        "| FN-0175 | 3 | 5 | 1 | −0.507 |" in command("--query", "q098", "--format", "markdown")[0]
    )


def test_what_is_there_without_the_documents_has_a_line(command: Command) -> None:
    # It counts what is listed, relevant or not: no document has a part.
    out, _ = command("--query", "q098", "-m", "NumRet")
    assert "(without them)" in out and "could gain" in out


def test_all_queries_name_the_document_that_made_most(command: Command) -> None:
    lines = command()[0].splitlines()
    assert lines[0].split()[:2] == ["query_id", "measure"]
    assert lines[1].split()[:3] == ["q098", "nDCG@10", "broken"] and "FN-0175" in lines[1]
    markdown = command("--format", "markdown")[0].splitlines()
    assert len(markdown) == len(lines) + 1 and markdown[2].startswith("| q098 | nDCG@10 | broken |")


@pytest.mark.parametrize(("name", "delimiter"), [("csv", ","), ("tsv", "\t")])
def test_a_line_for_each_document(command: Command, name: str, delimiter: str) -> None:
    rows = list(csv.DictReader(io.StringIO(command("--format", name)[0]), delimiter=delimiter))
    records = json.loads(command("--format", "json")[0])
    assert len(rows) == sum(max(1, len(record["parts"])) for record in records)
    first = records[0]
    assert (rows[0]["query_id"], rows[0]["doc_id"]) == ("q098", "FN-0175")
    assert float(rows[0]["part"]) == first["parts"][0]["part"]
    assert float(rows[0]["baseline_rank"]) == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--query", "q98"), "There is no judged query 'q98'."),
        (("-m", "AP,P@5"), "Only one measure can be explained at a time."),
        (("-m", "ERR_IA@5"), "ERR_IA@5"),
        (("--query", "q021", "--without-relevant", "leave out"), "no judged query 'q021'"),
    ],
)
def test_what_cannot_be_explained(command: Command, arguments: tuple[str, ...], said: str) -> None:
    assert said in command(*arguments)[1]


def test_a_run_against_itself(command: Command) -> None:
    assert "no run to compare with bm25" in command(files=("bm25.run", "bm25.run"))[1]
