"""The command line: the same numbers as the library, in every format."""

from __future__ import annotations

import json
import math
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from metrics_core import formats
from metrics_core.__main__ import main
from metrics_core.commands.reading_options import DEFAULT_MEASURES
from metrics_core.measures import declarations
from metrics_core.measures.declaring.description import describe_measure, format_signature
from metrics_core.scoring.evaluate import evaluate
from metrics_core.scoring.means import combine_scores

QRELS = "q1 0 d1 2\nq1 0 d2 0\nq2 0 d1 1\nq3 0 d9 1\n"
BM25 = "q1 Q0 d2 1 9 x\nq1 Q0 d1 2 8 x\nq2 Q0 d1 1 7 x\n"
DENSE = "q1 Q0 d1 1 9 x\nq2 Q0 d3 1 7 x\nq3 Q0 d9 1 2 x\n"
QUERIES = "query_id,text,category,run\nq1,a,Billing,x\nq2,b,Returns,y\n"

Command = Callable[..., tuple[str, str]]


@pytest.fixture
def command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Command:
    """Runs `evaluate` on the files above; gives what it wrote to stdout and stderr."""
    monkeypatch.chdir(tmp_path)
    files = {"qrels.txt": QRELS, "bm25.run": BM25, "dense.run": DENSE, "queries.csv": QUERIES}
    for name, content in files.items():
        Path(name).write_text(content)

    def run(*arguments: str, files: tuple[str, ...] = ("bm25.run", "dense.run")) -> tuple[str, str]:
        status = main(["evaluate", "qrels.txt", *files, *arguments])
        out, err = capsys.readouterr()
        assert status == (0 if out else 2)
        return out, err

    return run


def rows(tsv: str) -> list[list[str]]:
    return [line.split("\t") for line in tsv.splitlines()]


def test_tsv_is_the_means_in_full_precision(command: Command) -> None:
    out, _ = command("--format", "tsv", "-m", "ndcg_cut_10", "-m", "map", "-m", "NumRet")
    found = rows(out)
    assert found[0] == ["run", "query_id", "measure", "value"]
    runs = [formats.read_run("bm25.run"), formats.read_run("dense.run")]
    expected = combine_scores(
        evaluate(runs, formats.read_qrels("qrels.txt"), ["nDCG@10", "AP", "NumRet"])
    )
    assert [(r, m, v) for r, q, m, v in found[1:]] == [
        (row["run"], row["measure"], repr(row["value"])) for row in expected.to_dict("records")
    ]
    assert {r[1] for r in found[1:]} == {"all"}


@pytest.mark.parametrize(
    ("given", "names"),
    [
        (["AP,nDCG@3"], ["AP", "nDCG@3"]),
        (["AP, nDCG@3 ,"], ["AP", "nDCG@3"]),
        (["P.5,10"], ["P@5", "P@10"]),
        (["P.5,10,map_cut.3,7,RR"], ["P@5", "P@10", "AP@3", "AP@7", "RR"]),
        (["nDCG@5,10"], ["nDCG@5", "nDCG@10"]),
        (["ndcg_cut_5,10"], ["nDCG@5", "nDCG@10"]),
        (["iprec_at_recall.0.1,.20"], ["IPrec@0.1", "IPrec@0.2"]),
        (["RBP(p=0.5,rel=1),AP"], ["RBP(p=0.5,rel=1)", "AP"]),
        (["nDCG(gains={1:3,2:9})@10,AP"], ["nDCG(gains={1:3,2:9})@10", "AP"]),
        (["precision_at_3,ndcg_at_10"], ["P@3", "nDCG@10"]),
        (["AP,map", "AP"], ["AP"]),
    ],
)
def test_several_measures_at_once(command: Command, given: list[str], names: list[str]) -> None:
    asked = [word for name in given for word in ("-m", name)]
    out, _ = command("--format", "tsv", *asked, files=("bm25.run",))
    assert [row[2] for row in rows(out)[1:]] == names


@pytest.mark.parametrize("given", ["", ",", "10,AP", "AP,5", "P.5,x", "P.5,0", "P(rel=2,5)@3"])
def test_names_that_mean_nothing(command: Command, given: str) -> None:
    out, err = command("-m", given)
    assert not out and err


def test_residuals_in_plain_numbers(command: Command, capsys: pytest.CaptureFixture[str]) -> None:
    def printed(format: str) -> str:
        asked = ("residuals", "qrels.txt", "bm25.run", "-m", "nDCG@2,AP", "--per-query")
        assert main([*asked, "--format", format]) == 0
        return capsys.readouterr().out

    head = ["run", "query_id", "measure", "score", "lowest", "highest", "kind"]
    tsv = rows(printed("tsv"))
    assert tsv[0] == head
    table = rows(printed("table"))
    assert [r[:3] for r in table] == [r[:3] for r in tsv]
    assert tsv[1][:3] == ["bm25", "q1", "nDCG@2"]
    assert float(tsv[1][3]) == pytest.approx(1 / math.log2(3), abs=1e-15)
    assert printed("csv").replace(",", "\t") == printed("tsv")
    records = json.loads(printed("json"))
    assert [list(map(str, record.values())) for record in records] == tsv[1:]


def test_queries_that_match_nothing_say_so(command: Command) -> None:
    Path("other.csv").write_text("query_id,text,category\n001,a,x\n002,b,y\n")
    out, err = command("--queries", "other.csv", "--by", "category")
    assert not out
    assert "other.csv contains none of the judged queries" in err
    assert "'q1', 'q2', 'q3'" in err and "'001', '002'" in err
    out, err = command("--queries", "other.csv")
    assert out and "note: --queries: not read, because only --by needs this file" in err


def test_per_query_values_come_before_their_mean(command: Command) -> None:
    out, _ = command("--format", "tsv", "-m", "AP", "--per-query", files=("bm25.run",))
    assert rows(out)[1:] == [
        ["bm25", "q1", "AP", "0.5"],
        ["bm25", "q2", "AP", "1.0"],
        ["bm25", "q3", "AP", "0.0"],
        ["bm25", "all", "AP", "0.5"],
    ]


def test_usual_measures_and_a_table_without_options(command: Command) -> None:
    out, _ = command()
    head, *lines = out.splitlines()
    assert head.split() == ["run", "query_id", *DEFAULT_MEASURES]
    assert [line.split()[:2] for line in lines] == [["bm25", "all"], ["dense", "all"]]


@pytest.mark.parametrize("format", ["table", "markdown", "latex", "csv", "json"])
def test_every_format_has_the_same_number(command: Command, format: str) -> None:
    out, _ = command("--format", format, "-m", "RR@1", files=("dense.run",))
    assert "0.667" in out or "0.6666666666666666" in out
    if format == "json":
        assert json.loads(out) == [
            {"run": "dense", "query_id": "all", "measure": "RR@1", "value": 2 / 3}
        ]


def test_means_by_group(command: Command) -> None:
    options = ("--by", "category", "--queries", "queries.csv", "--format", "tsv", "-m", "AP")
    out, _ = command(*options)
    assert rows(out) == [
        ["run", "category", "measure", "value"],
        ["bm25", "Billing", "AP", "0.5"],
        ["bm25", "Returns", "AP", "1.0"],
        ["bm25", "(none)", "AP", "0.0"],
        ["dense", "Billing", "AP", "1.0"],
        ["dense", "Returns", "AP", "0.0"],
        ["dense", "(none)", "AP", "1.0"],
    ]


def test_a_group_column_named_run_does_not_hide_the_runs(command: Command) -> None:
    out, _ = command("--by", "run", "--queries", "queries.csv", "--format", "tsv", "-m", "AP")
    assert rows(out)[0] == ["run", "query run", "measure", "value"]
    assert rows(out)[1] == ["bm25", "x", "AP", "0.5"]


def test_by_needs_queries_that_have_the_column(command: Command) -> None:
    out, err = command("--by", "category")
    assert (out, "--queries FILE" in err) == ("", True)
    out, err = command("--by", "colour", "--queries", "queries.csv")
    assert out == ""
    assert "no column 'colour'" in err and "category, run" in err


def test_notes_go_to_stderr_with_their_first_examples(command: Command) -> None:
    _, err = command("-m", "P@9", files=("bm25.run",))
    assert err == (
        "note: bm25: 1 judged query without results; scored 0 (first: q3)\nnote: bm25: P@9 exceeds"
        " the depth of the run (at most 2 documents per query)\n"
    )


def test_a_name_of_two_meanings_says_which_it_took(command: Command) -> None:
    _, err = command("-m", "accuracy@10", "-m", "ndcg@10")
    assert "note: measures: accuracy@10 is read as Accuracy@10" in err
    assert "“accuracy” for Success@10" in err and "ndcg@10 is read" not in err


def test_a_missing_file_is_told(command: Command) -> None:
    out, err = command(files=("nowhere.run",))
    assert out == "" and err.startswith("nowhere.run: expected a file, found no such file")


def test_measures_lists_all_with_their_names(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["measures"]) == 0
    out = capsys.readouterr().out
    lines = out.splitlines()
    for declaration in declarations():
        assert format_signature(declaration) in [line.split("  ")[0] for line in lines]
        assert describe_measure(declaration).answer.split(".")[0][:60] in out
    assert "R(rel)@k  Recall\n" in out


def test_measures_explains_one_by_any_name(capsys: pytest.CaptureFixture[str]) -> None:
    for declaration in declarations():
        for name in (declaration.name, *declaration.aliases):
            assert main(["measures", name]) == 0
            out = " ".join(capsys.readouterr().out.split())
            assert out.startswith(f"{format_signature(declaration)}: {declaration.title}")
            assert " ".join(declaration.explanation.split()) in out
            assert all(p.meaning[1:] in out for p in declaration.parameters)
            assert all(measure in out for measure in declaration.worked)
    assert main(["measures", "recall_5", "R(rel=2)"]) == 0
    assert capsys.readouterr().out.count("R(rel)@k: Recall") == 2


def test_measures_says_which_name_is_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["measures", "reciprocal_rnak"]) == 2
    assert "Did you mean RR (reciprocal rank)?" in capsys.readouterr().err


def test_formats_lists_all(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["formats"]) == 0
    out = capsys.readouterr().out
    for declared in formats.formats():
        assert f"{declared.name} ({', '.join(declared.kinds)})" in out


@pytest.mark.parametrize("arguments", [[], ["evaluate"], ["nonsense"], ["evaluate", "qrels.txt"]])
def test_wrong_usage_has_status_2(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2
    out, err = capsys.readouterr()
    assert out == "" and "usage:" in err


def test_words_can_be_given_as_grades(command: Command) -> None:
    Path("qrels.txt").write_text("q1 0 d1 yes\nq1 0 d2 no\nq2 0 d1 1\n")
    out, _ = command("--grades", "yes=2, no=0", "--format", "tsv", "-m", "AP", files=("bm25.run",))
    assert rows(out)[1] == ["bm25", "all", "AP", "0.75"]


@pytest.mark.parametrize("grades", ["words", "yes=", "=1", "yes=much", "yes=nan", "yes=1,no"])
def test_other_ways_to_give_grades_are_refused(command: Command, grades: str) -> None:
    with pytest.raises(SystemExit):
        command("--grades", grades)


def test_as_a_program(command: Command) -> None:
    program = [sys.executable, "-m", "metrics_core", "evaluate", "qrels.txt", "bm25.run"]
    root = Path(formats.__file__).parents[2]
    done = subprocess.run(
        [*program, "-m", "AP", "--format", "tsv"],
        capture_output=True,
        text=True,
        env={"PYTHONPATH": str(root)},
        check=False,
    )
    assert (done.returncode, done.stdout.splitlines()[1]) == (0, "bm25\tall\tAP\t0.5")
    failed = subprocess.run(
        [*program, "-m", "precison@5"],
        capture_output=True,
        text=True,
        env={"PYTHONPATH": str(root)},
        check=False,
    )
    assert (failed.returncode, failed.stdout) == (2, "")
    assert failed.stderr.startswith("There is no measure 'precison'.\nDid you mean P (Precision)")


def test_residuals_say_how_far_the_unjudged_documents_reach(
    command: Command, capsys: pytest.CaptureFixture[str]
) -> None:
    command()
    assert main(["residuals", "qrels.txt", "dense.run", "-m", "P@1", "-m", "nDCG@5"]) == 0
    found = rows(capsys.readouterr().out)
    assert found[0] == ["run", "query_id", "measure", "score", "lowest", "highest", "kind"]
    # q1 and q3 have their relevant document first; q2's only result is unjudged.
    assert found[1] == ["dense", "all", "P@1", "0.667", "0.667", "1.000", "exact"]
    assert found[2][2] == "nDCG@5" and found[2][6] == "exact"
    assert main(["residuals", "qrels.txt", "dense.run", "-m", "P@1", "--per-query"]) == 0
    by_query = {row[1]: row[3:6] for row in rows(capsys.readouterr().out)[1:]}
    assert by_query["q2"] == ["0.000", "0.000", "1.000"]


def test_measures_of_the_documents(command: Command) -> None:
    Path("items.csv").write_text("doc_id,title,price\nd1,a,30\nd2,b,10\nd3,c,5\nd9,d,\n")
    names = ("-m", "MoneyP@2", "-m", "Coverage@2", "--format", "tsv")
    out, err = command("--documents", "items.csv", *names)
    values = {(run, name): float(value) for run, _, name, value in rows(out)[1:]}
    assert values == {
        ("bm25", "MoneyP@2"): (30 / 40 + 30 / 30 + 0) / 3,
        ("bm25", "Coverage@2"): 2 / 4,
        ("dense", "MoneyP@2"): (1 + 0) / 2,  # q3 shows d9, which has no price
        ("dense", "Coverage@2"): 3 / 4,
    }
    assert "note: dense: 1 query with undefined MoneyP@2; excluded (first: q3)" in err
    out, err = command(*names)
    assert (out, "No documents are loaded" in err, "'price'" in err) == ("", True, True)


def test_residuals_are_combined_as_the_scores_are(
    command: Command, capsys: pytest.CaptureFixture[str]
) -> None:
    names = ("-m", "GMAP", "-m", "NumRelRet", "-m", "NumQ", "-m", "nDCG@5", "-m", "NumNonrelRet")
    shown = {m: v for _, _, m, v in rows(command("--format", "tsv", *names)[0])[1:6]}
    assert main(["residuals", "qrels.txt", "bm25.run", *names]) == 0
    for _, _, name, score, low, high, _ in rows(capsys.readouterr().out)[1:]:
        assert float(score) == pytest.approx(float(shown[name]), abs=5e-4), name
        assert float(low) <= float(score) <= float(high), name
    with pytest.raises(SystemExit):
        main(["residuals", "qrels.txt", "bm25.run", "--highest", "-1"])


def test_a_sum_of_shares_is_no_count(command: Command) -> None:
    Path("items.csv").write_text("doc_id,price\nd1,1\nd2,1\nd3,1\nd9,1\n")
    out, _ = command("--documents", "items.csv", "-m", "Coverage@2", "-m", "NumRet")
    assert [line.split()[2:] for line in out.splitlines()[1:]] == [["0.500", "3"], ["0.750", "3"]]


def test_a_pattern_that_the_shell_left_stands_for_its_files(
    command: Command, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command(files=("*.run",)) == command()
    assert command(files=(str(Path("*.run").absolute()),))[0] == command()[0]
    assert main(["compare", "qrels.txt", "bm25.run", "d*.run"]) == 0
    for asked in (
        ["compare", "qrels.txt", "*.run", "dense.run"],
        ["explain", "qrels.txt", "bm25.run", "*.run"],
    ):
        capsys.readouterr()
        assert main(asked) == 2
        assert "*.run matches 2 files, but only one is allowed" in capsys.readouterr().err
    Path("odd[1].run").write_text(BM25)
    assert "odd[1]" in command("--format", "tsv", files=("odd[1].run",))[0]
    assert "*.res" in command(files=("*.res",))[1]


@pytest.mark.parametrize("packed", [False, True])
def test_a_beir_set_stands_for_its_judgments(
    command: Command, capsys: pytest.CaptureFixture[str], packed: bool
) -> None:
    folder = Path("set") / "qrels"
    folder.mkdir(parents=True)
    (folder.parent / "corpus.jsonl").write_text("no line of it is read")
    judged = [line.split() for line in QRELS.splitlines()]
    rows_of = "".join(f"{query}\t{doc}\t{grade}\n" for query, _, doc, grade in judged)
    (folder / "test.tsv").write_text("query-id\tcorpus-id\tscore\n" + rows_of)
    (folder / "train.tsv").write_text("query-id\tcorpus-id\tscore\nq9\td1\t1\n")
    given = shutil.make_archive("set", "zip", "set") if packed else "set"
    expected, _ = command()
    assert main(["evaluate", given, "bm25.run", "dense.run"]) == 0
    out, err = capsys.readouterr()
    assert out == expected and "using the judgments of the split test; other splits: train" in err
    assert evaluate("bm25.run", given, "AP").equals(evaluate("bm25.run", "qrels.txt", "AP"))
    shutil.rmtree(folder)
    if not packed:
        assert main(["evaluate", given, "bm25.run"]) == 2
        assert "expected judgments, found a BEIR set without" in capsys.readouterr().err


def test_a_file_is_explained_with_the_columns_that_answer_what_is_asked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def of(name: str, content: str) -> str:
        (tmp_path / name).write_text(content)
        assert main(["formats", "--of", str(tmp_path / name)]) == 0
        return capsys.readouterr().out.removeprefix(str(tmp_path / name))

    assert of("x.run", BM25) == ": a run, TREC run or qrels\n"
    assert "  text    text      a, b\n  column  category  B" in of("q.csv", QUERIES)
    shown = of("x.jsonl", '{"query_id": "q2", "docs": [{"id": "d4", "page": "x"}, {"id": "d9"}]}\n')
    assert ": file type not recognised: expected a run or judgments (qrels), found" in shown
    assert "  not used  docs[].page  x\n" in shown
    columns = "query=query_id,doc=docs[].id"
    assert f"  as a run      --columns '{columns}'   q2: d4, d9\n" in shown
    assert f"""  as judgments  --columns "{columns},grade='1'"   q2: d4, d9\n""" in shown
    far = '{"query_id": "q1", "found": [{"key": "d1", "distance": 0.1}]}\n'
    assert "score=-found[].distance" in of("y.jsonl", far)
    run = tmp_path / "x.jsonl"
    (tmp_path / "j").write_text("q2 0 d4 1\n")
    assert main(["evaluate", str(tmp_path / "j"), str(run), "--columns", columns]) == 0
    assert main(["formats", "--of", str(tmp_path / "none.csv")]) == 2
