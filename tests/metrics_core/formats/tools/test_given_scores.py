"""Scores by query in files: long and wide tables, and the files of evaluation tools."""

from __future__ import annotations

import io
import json
from typing import Any

import numpy as np
import pandas as pd
import pytest

from metrics_core import formats
from metrics_core.base.errors import FileFormatError
from metrics_core.formats import Loaded, read_all_tables, read_scores, read_set, table_bytes
from metrics_core.scoring.given_scores import scores_from_tables
from metrics_core.tables import GivenScores, Queries

NAN = float("nan")
WIDE = """query_id,run,faithfulness,correct,latency_ms
q1,a,0.5,1,812
q1,b,0.25,0,900
q2,a,0.75,1,800
q2,b,,0,1200
"""
PHOENIX = """example_id,repetition_number,input,output,error,latency_ms,start_time,trace_id,\
prompt_token_count,annotation_tone_label,annotation_tone_score,annotation_tone_annotator_kind,\
annotation_tone_error
e1,1,hi,a,,812.5,2025-01-01T00:00:00,t1,120,good,1.0,LLM,
e1,2,hi,b,,802.5,2025-01-01T00:00:00,t2,120,bad,0.0,LLM,
e2,1,ho,c,timeout,30000,2025-01-01T00:00:00,t3,120,bad,0.0,LLM,
e2,2,ho,d,,700,2025-01-01T00:00:00,t4,121,,,LLM,rate limit
"""
INSPECT = """sample_id,eval_id,log,id,epoch,input,target,score_match,score_graded,total_tokens,\
total_time,error
u1,e1,a.eval,1,1,what,yes,C,0.5,150,1.5,
u2,e1,a.eval,1,2,what,yes,I,0.75,150,1.25,
u3,e2,b.eval,1,1,what,yes,P,1,150,1.5,
u4,e2,b.eval,2,1,what,yes,,,150,1.5,boom
"""
LM_EVAL = [
    {"doc_id": 0, "filter": "strict-match", "metrics": ["exact_match"], "exact_match": 1.0},
    {"doc_id": 0, "filter": "flexible", "metrics": ["exact_match"], "exact_match": 0.0},
    {"doc_id": 1, "filter": "strict-match", "metrics": ["exact_match"], "exact_match": 0.0},
    {"doc_id": 1, "filter": "none", "metrics": ["acc"], "acc": 1.0, "doc": {"text": "x"}},
]
NUGGETS = [
    {"qid": "q1", "strict_vital_score": 0.5, "vital_score": 0.6},
    {"qid": "q2", "strict_vital_score": 0.7, "vital_score": 0.6},
    {"qid": "all", "strict_vital_score": 0.6, "vital_score": 0.9},
]


def load(content: str, name: str = "s.csv", **choices: Any) -> Loaded:
    (loaded,) = read_all_tables(content.encode(), name=name, **choices)
    return loaded


def read(content: str, name: str = "s.csv", **choices: Any) -> GivenScores:
    """The scores of a file whose kind nobody names."""
    loaded = load(content, name, **choices)
    assert isinstance(loaded.table, GivenScores)
    return loaded.table


def by_key(table: GivenScores, *columns: str) -> dict[tuple[str, ...], float]:
    rows = table.table.to_pylist()
    return {tuple(row[c] for c in columns): row["value"] for row in rows}


def lines(records: list[Any]) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


def messages(table: GivenScores) -> str:
    return "; ".join(note.message for note in table.notes)


def test_long_tables() -> None:
    text = "query_id,run,measure,value\nq1,a,correct,1\nq1,b,correct,0\nq2,a,correct,\n"
    table = read(text)
    assert by_key(table, "query_id", "run", "measure") == {
        ("q1", "a", "correct"): 1,
        ("q1", "b", "correct"): 0,
        ("q2", "a", "correct"): None,
    }
    assert "1 score missing, not counted as 0: correct of a (1)" in messages(table)


@pytest.mark.parametrize("kind", ["csv", "tsv", "jsonl", "json", "parquet"])
def test_wide_tables_have_a_measure_per_column_of_numbers(kind: str) -> None:
    frame, buffer = pd.read_csv(io.StringIO(WIDE)), io.BytesIO()
    if kind == "parquet":
        frame.to_parquet(buffer)
    elif kind.startswith("json"):
        frame.to_json(buffer, orient="records", lines=kind == "jsonl")
    else:
        frame.to_csv(buffer, index=False, sep="\t" if kind == "tsv" else ",")
    (loaded,) = read_all_tables(buffer.getvalue(), name=f"s.{kind}")
    assert isinstance(loaded.table, GivenScores)
    assert loaded.table.measure_names == ["faithfulness", "correct", "latency_ms"]
    scores = scores_from_tables([loaded.table])
    assert (scores.runs, scores.query_ids) == (("a", "b"), ("q1", "q2"))
    expected = [[[0.5, 1, 812], [0.75, 1, 800]], [[0.25, 0, 900], [NAN, 0, 1200]]]
    np.testing.assert_array_equal(scores.values, expected)


def test_without_runs_the_kind_is_asked() -> None:
    text = "query_id,faithfulness\nq1,0.5\nq2,0.7\n"
    with pytest.raises(FileFormatError, match=r"kind=scores(?s:.)*kind=queries"):
        load(text, "x.csv")
    table = read_scores(text.encode(), name="x.csv")
    assert table.run_names == ["x"]
    assert load(text, "x.csv", kind="queries").kind == "queries"
    assert load(text, "scores.csv").kind == "scores"
    assert load(text, "queries.csv").kind == "queries"


def test_with_a_category_or_text_they_are_queries_as_before() -> None:
    for column in ("category", "text"):
        text = f"query_id,{column},faithfulness\nq1,c,0.5\nq2,d,0.7\n"
        assert load(text, "x.csv").kind == "queries"
        assert read_scores(text.encode(), name="x.csv").measure_names == ["faithfulness"]


def test_repeated_rows_are_asked_about_and_averaged_on_request() -> None:
    text = "query_id,run,correct\nq1,a,1\nq1,a,0\nq1,b,0\n"
    with pytest.raises(FileFormatError, match=r"line 3(?s:.)*columns repeat=NAME"):
        load(text)
    table = read(text, columns={"repeat": "-"})
    assert table.distinct_values("repeat") == ["1", "2"]
    assert scores_from_tables([table]).values.ravel().tolist() == [0.5, 0]
    named = read("query_id,run,round,correct\nq1,a,x,1\nq1,a,y,0\n", columns={"repeat": "round"})
    assert named.distinct_values("repeat") == ["x", "y"] and "2 repeats" in messages(named)


def test_ids_and_row_numbers_are_no_measures_until_chosen() -> None:
    rows = [f"q{i},a,{i % 2},{1000 + i},{i},{70 + i}" for i in range(8)]
    text = "query_id,run,correct,trace_id,row,latency_ms\n" + "\n".join(rows)
    table = read(text)
    assert table.measure_names == ["correct", "latency_ms"]
    assert "columns value=NAME" in messages(table)
    assert read(text, columns={"value": "row"}).measure_names == ["row"]


def test_columns_can_be_assigned() -> None:
    text = "case;system_under_test;faith\n1;a;0.5\n1;b;0.7\n"
    table = read(text, columns={"query": "case", "run": "system_under_test", "value": "faith"})
    assert by_key(table, "query_id", "run") == {("1", "a"): 0.5, ("1", "b"): 0.7}


@pytest.mark.parametrize("words", [("true", "false"), ("pass", "fail"), ("True", "False")])
def test_words_become_numbers_after_asking(words: tuple[str, str]) -> None:
    yes, no = words
    text = f"query_id,run,correct\nq1,a,{yes}\nq1,b,{no}\n"
    with pytest.raises(FileFormatError, match=f"grades {yes}=1,{no}=0"):
        load(text)
    assert read(text, grades={yes: 1, no: 0}).values.tolist() == [1, 0]


def test_percentages_are_refused_with_the_fix() -> None:
    with pytest.raises(
        FileFormatError, match=r"line 2(?s:.)*`87 %`(?s:.)*numbers such as 87 or shares"
    ):
        load("query_id,run,correct\nq1,a,87 %\nq1,b,55 %\n")


def test_other_texts_in_a_column_of_numbers_name_their_line() -> None:
    rows = "".join(f"q{i},a,{i % 3}\n" for i in range(300))
    with pytest.raises(FileFormatError, match=r"line 302(?s:.)*`oops` in `correct`"):
        load(f"query_id,run,correct\n{rows}q300,a,oops\n")


def test_trec_eval_lines() -> None:
    text = "num_ret\tq1\t5\nmap q1 0.5\nmap\tq2\t0.7\niprec_at_recall_0.10 q1 0.1\nmap all 0.6\n"
    table = read(text, "x.txt")
    assert by_key(table, "query_id", "run", "measure") == {
        ("q1", "x", "map"): 0.5,
        ("q2", "x", "map"): 0.7,
    }
    assert read(f"runid all bm25\n{text}", "x.txt").run_names == ["bm25"]
    wrong = read(text.replace("all 0.6", "all 0.8"), "x.txt")
    assert "gives 0.800 as the mean of map, but the mean over its queries is 0.600" in messages(
        wrong
    )


def test_ir_measures_lines() -> None:
    text = "q1\tnDCG@10\t0.5\nq2\tnDCG@10\t0.7\nall\tnDCG@10\t0.6\n"
    assert by_key(read(text, "x.txt"), "query_id", "measure") == {
        ("q1", "nDCG@10"): 0.5,
        ("q2", "nDCG@10"): 0.7,
    }


def test_phoenix() -> None:
    table = read(PHOENIX, "exp.csv")
    assert table.run_names == ["exp"] and table.distinct_values("repeat") == ["1", "2"]
    assert table.measure_names == ["latency_ms", "prompt_token_count", "tone"]
    values = by_key(table, "query_id", "repeat", "measure")
    assert values[("e1", "1", "tone")] == 1 and values[("e1", "2", "tone")] == 0
    assert all(values[("e2", "1", name)] is None for name in table.measure_names)
    assert values[("e2", "2", "tone")] is None and values[("e2", "2", "latency_ms")] == 700
    assert "2 answers with an error; left out, not counted as 0" in messages(table)
    assert table.details is not None
    assert "annotation_tone_annotator_kind" in table.details.column_names


def test_inspect() -> None:
    table = read(INSPECT, "samples.csv")
    assert table.measure_names == ["score_match", "score_graded", "total_tokens", "total_time"]
    values = by_key(table, "query_id", "run", "repeat", "measure")
    assert values[("1", "e1", "1", "score_match")] == 1
    assert values[("1", "e1", "2", "score_match")] == 0
    assert values[("1", "e2", "1", "score_match")] == 0.5
    assert all(values[("2", "e2", "1", name)] is None for name in table.measure_names)
    assert "unique within one task" in messages(table)


def test_answers_may_have_several_lines() -> None:
    text = INSPECT.replace(",what,", ',"user:\nwhat, and ""why""?\n",')
    assert read(text, "samples.csv").table == read(INSPECT, "samples.csv").table
    wide = 'query_id,run,answer,correct\nq1,a,"one\n\ntwo, three",1\nq1,b,"x\ny",0\n'
    assert read(wide).values.tolist() == [1, 0]


def test_inspect_ids_of_two_tasks() -> None:
    frame = pd.read_csv(io.StringIO(INSPECT)).assign(task_name=["t", "t", "u", "u"], model="m")
    table = read(frame.to_csv(index=False), "samples.csv")
    assert table.query_ids == ["t: 1", "u: 1", "u: 2"] and table.run_names == ["m"]


@pytest.mark.parametrize("stamp", ["", "_2024-11-28T22-55-01.123456"])
def test_lm_eval(stamp: str) -> None:
    table = read(lines(LM_EVAL), f"out/model-a/samples_gsm8k_cot{stamp}.jsonl")
    assert by_key(table, "query_id", "run", "measure") == {
        ("gsm8k_cot: 0", "model-a", "exact_match (strict-match)"): 1,
        ("gsm8k_cot: 0", "model-a", "exact_match (flexible)"): 0,
        ("gsm8k_cot: 1", "model-a", "exact_match (strict-match)"): 0,
        ("gsm8k_cot: 1", "model-a", "acc"): 1,
    }
    assert read(lines(LM_EVAL), "out/model-a/mine.jsonl").query_ids == ["0", "1"]


def test_lm_eval_lists_are_no_scores_of_a_query() -> None:
    sample = {"doc_id": 0, "filter": "none", "metrics": ["word_perplexity", "acc"]}
    samples = [sample | {"doc_id": i, "word_perplexity": [-12.5, 50], "acc": 1.0} for i in (0, 1)]
    table = read(lines(samples), "out/model-a/samples_wikitext.jsonl")
    assert table.measure_names == ["acc"] and table.values.tolist() == [1, 1]
    assert "word_perplexity has a list instead of a number" in messages(table)


def test_nuggetizer() -> None:
    table = read(lines(NUGGETS), "mine.jsonl")
    assert table.run_names == ["mine"] and table.query_ids == ["q1", "q2"]
    assert by_key(table, "query_id", "measure")[("q2", "strict_vital_score")] == 0.7
    assert "mean of vital_score" in messages(table)
    assert "strict_vital_score, but" not in messages(table)


def promptfoo(provider: str, text: str, score: float, **more: Any) -> dict[str, Any]:
    result = {"provider": {"id": provider, "label": ""}, "prompt": {"raw": "{{q}}", "label": "P"}}
    result |= {"promptIdx": 0, "vars": {"q": text}, "success": score > 0.5, "score": score}
    result |= {"latencyMs": 812, "cost": 0.002, "namedScores": {"tone": 0.5}, "failureReason": 0}
    return result | more


@pytest.mark.parametrize("indent", [None, 2])
def test_promptfoo(indent: int | None) -> None:
    results = [
        promptfoo("openai:a", "hi", 1.0),
        promptfoo("openai:b", "hi", 0.25, error="Expected x", failureReason=1),
        promptfoo("openai:a", "ho", 1.0),
        promptfoo("openai:b", "ho", 0.0, error="API error", failureReason=2),
    ]
    content = {"evalId": "e", "results": {"version": 3, "results": results}, "config": {}}
    table = read(json.dumps(content, indent=indent), "eval.json")
    assert table.run_names == ["openai:a", "openai:b"] and table.query_ids == ["hi", "ho"]
    assert table.measure_names == ["score", "success", "latencyMs", "cost", "tone"]
    values = by_key(table, "query_id", "run", "measure")
    assert values[("hi", "openai:b", "score")] == 0.25
    assert values[("hi", "openai:b", "success")] == 0
    assert values[("hi", "openai:a", "tone")] == 0.5
    assert all(values[("ho", "openai:b", name)] is None for name in table.measure_names)
    assert "1 answer with an error" in messages(table)


def test_promptfoo_names_prompts_if_there_are_several() -> None:
    results = [
        promptfoo("openai:a", "hi", 1.0),
        promptfoo("openai:a", "hi", 0.5, promptIdx=1, prompt={"raw": "x", "label": "x"}),
    ]
    table = read(json.dumps({"results": {"results": results}}), "eval.json")
    assert table.run_names == ["P", "prompt 2"]


def ragas_file(faithfulness: float, **more: Any) -> str:
    sample = {"user_input": "what", "retrieved_context_ids": ["d1"], "difficulty": "hard"}
    sample |= {"reference_context_ids": ["d1"], "faithfulness": faithfulness}
    return lines([sample | more, sample | {"user_input": "who"} | more])


def test_ragas_numbers_are_scores_of_their_run_and_no_columns() -> None:
    tables = {}
    for name, value in (("a", 0.5), ("b", 0.9)):
        loaded = read_set(ragas_file(value).encode(), name=f"{name}.jsonl")
        assert {one.kind for one in loaded} == {"run", "qrels", "queries", "scores"}
        (queries,) = (one.table for one in loaded if isinstance(one.table, Queries))
        assert queries.columns == ["difficulty"]
        (tables[name],) = (one.table for one in loaded if isinstance(one.table, GivenScores))
    scores = scores_from_tables([*tables.values()])
    assert scores.runs == ("a", "b") and [*map(str, scores.measures)] == ["faithfulness"]
    assert scores.values.ravel().tolist() == [0.5, 0.5, 0.9, 0.9]
    assert load(ragas_file(0.5), "a.jsonl").kind == "run"


def test_ragas_without_ids_has_scores_alone() -> None:
    text = "user_input,retrieved_contexts,response,faithfulness\n"
    text += "what,\"['a','b']\",r,0.5\nwho,\"['a']\",r,\n"
    for content in (text, "user_input,response,faithfulness\nwhat,r,0.5\nwho,r,\n"):
        table = read(content, "mine.csv")
        assert table.run_names == ["mine"]
        assert by_key(table, "query_id", "measure") == {
            ("what", "faithfulness"): 0.5,
            ("who", "faithfulness"): None,
        }


def test_autorag_numbers_beside_a_run_are_its_scores() -> None:
    record = {"qid": "q1", "query": "refund", "retrieval_gt": [["d7"]], "retrieval_f1": 0.5}
    record |= {"retrieved_ids": ["d7", "d3"], "retrieve_scores": [0.8, 0.5]}
    loaded = read_set(lines([record]).encode(), name="best_0.jsonl")
    (queries,) = (one.table for one in loaded if isinstance(one.table, Queries))
    (scores,) = (one.table for one in loaded if isinstance(one.table, GivenScores))
    assert queries.columns == []
    assert by_key(scores, "query_id", "run", "measure") == {("q1", "best_0", "retrieval_f1"): 0.5}


def test_scores_in_detailed_results_come_in_too() -> None:
    record = {"query": "refund", "retrieved": ["d7"], "expected": ["d7"], "metrics": {"mrr": 0.5}}
    loaded = read_set(json.dumps([record]).encode(), name="d.json")
    (scores,) = (one.table for one in loaded if isinstance(one.table, GivenScores))
    assert by_key(scores, "query_id", "measure") == {("refund", "mrr"): 0.5}


@pytest.mark.parametrize("kind", ["csv", "tsv", "jsonl", "parquet"])
@pytest.mark.parametrize("text", [WIDE, PHOENIX])
def test_what_is_written_reads_back(text: str, kind: str) -> None:
    table = read(text)
    again = read_scores(table_bytes(table, kind), name=f"other.{kind}")
    assert again.table.select(table.table.column_names).to_pylist() == table.table.to_pylist()


def test_the_format_is_listed() -> None:
    assert [f.name for f in formats.formats() if f.kinds == ("scores",)] == ["scores"]


def test_records_in_memory_are_those_of_a_file() -> None:
    frame = pd.read_csv(io.StringIO("query_id,run,correct,ms\nq1,a,1,20\nq1,b,,30\n"))
    table = read_scores(frame.to_dict("records"))
    assert table.table == read(frame.to_csv(index=False), "records.csv").table
    assert "1 score missing" in messages(table)
