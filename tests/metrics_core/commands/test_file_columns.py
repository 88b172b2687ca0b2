"""`--columns`: each file is read by those of the columns named that it has."""

from __future__ import annotations

from pathlib import Path

import pytest

from metrics_core.__main__ import main

COLUMNS = "query=u,doc=i,grade=stars,score=guess"


def written(folder: Path, **files: str) -> dict[str, str]:
    for name, text in files.items():
        (folder / f"{name}.csv").write_text(text)
    return {name: str(folder / f"{name}.csv") for name in files}


def test_each_file_is_read_by_its_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = written(
        tmp_path,
        truth="u,i,stars\na,x,0\na,y,5\n",
        guessed="u,i,guess\na,x,0.5\na,y,0.25\n",
        trec="a Q0 y 1 5 t\n",
    )
    asked = ["evaluate", *files.values(), "-m", "RR", "--columns", COLUMNS, "--format", "csv"]
    assert main(asked) == 0
    assert capsys.readouterr().out.splitlines()[1:] == ["guessed,all,RR,0.5", "trec,all,RR,1.0"]


def test_paths_alone_are_columns_of_records(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "truth.txt").write_text("q 0 x 0\nq 0 y 1\n")
    run = tmp_path / "run.jsonl"
    run.write_text(
        '{"search": {"key": "q"}, "out": [{"ref": "x", "w": 2}, {"ref": "y", "w": 1}]}\n'
    )
    files = [str(tmp_path / "truth.txt"), str(run)]
    columns = "query=search.key,doc=out[].ref,score=out[].w"
    assert main(["evaluate", *files, "-m", "RR", "--columns", columns, "--format", "csv"]) == 0
    assert capsys.readouterr().out.splitlines()[1:] == ["run,all,RR,0.5"]
    assert main(["evaluate", *files, "--columns", "query=find.key,doc=hits[].ref"]) == 2
    assert "No file has a column `find.key`" in capsys.readouterr().err


def test_a_system_can_be_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = written(
        tmp_path,
        truth="query_id,doc_id,grade\na,x,0\na,y,5\nb,x,1\n",
        tv="query_id,doc_id,score,model\na,x,2,p\nb,x,1,p\na,y,1,q\nb,y,3,q\n",
        trec="a Q0 y 1 5 t\n",
    )
    asked = ["evaluate", *files.values(), "-m", "RR", "--format", "csv"]
    assert main(asked) == 0
    assert [line.split(",")[0] for line in capsys.readouterr().out.splitlines()[1:]] == [
        *("p", "q", "trec")
    ]
    assert main([*asked, "--columns", "system=-"]) == 0
    assert capsys.readouterr().out.splitlines()[1:] == ["tv,all,RR,0.5", "trec,all,RR,0.5"]
    assert main(["evaluate", files["truth"], files["trec"], "--columns", "system=-"]) == 2
    assert "No file has a column `-`" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main([*asked, "--columns", "score=-"])
    assert "only system and repeat may be '-'" in capsys.readouterr().err


def test_files_without_a_header(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = written(tmp_path, truth="a,x,0\na,y,5\n", guessed="a,x,0.5\na,y,0.25\n")
    asked = ["evaluate", *files.values(), "-m", "RR", "--format", "csv"]
    assert main(asked) == 2
    assert "columns query=1,doc=2,score=3" in capsys.readouterr().err
    assert main([*asked, "--columns", "query=1,doc=2,grade=3,score=3"]) == 0
    assert capsys.readouterr().out.splitlines()[1:] == ["guessed,all,RR,0.5"]


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ("query=u,doc=i,grade=stars,score=guest", "no column `guest`"),
        (
            "score=guest",
            "No file has a column `guest`.\nAvailable columns: `u`, `i`, `stars`, `guess`",
        ),
        ("who=u", "Unknown column role 'who'"),
        ("query", "'query' is not of the form ROLE=NAME"),
    ],
)
def test_what_no_file_has(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], columns: str, words: str
) -> None:
    files = written(tmp_path, truth="u,i,stars\na,x,0\n", guessed="u,i,guess\na,x,0.5\n")
    try:
        assert main(["evaluate", *files.values(), "--columns", columns]) == 2
    except SystemExit as left:
        assert left.code == 2
    assert words in capsys.readouterr().err


def test_judgments_and_a_run_are_never_the_same_list(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "rag.jsonl"
    file.write_text('{"id": "q", "chunks": ["a", "b"], "gold": ["c"]}\n')
    both = ["evaluate", str(file), str(file), "-m", "R@5"]
    assert main(both) == 2
    assert "Choose one, for example columns doc=gold[]." in capsys.readouterr().err
    assert main([*both, "--columns", "query=id,doc=chunks[]"]) == 2
    assert "The list chunks[] would be used both" in capsys.readouterr().err
    assert main(["formats", "--of", str(file)]) == 0
    suggested = capsys.readouterr().out
    assert "as a run      --columns 'query=id,doc=chunks[]'" in suggested
    assert "as judgments  --columns \"query=id,doc=gold[],grade='1'\"" in suggested
