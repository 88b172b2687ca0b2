"""Question answering: passages of DPR, Contriever and FlashRAG, the provenance of KILT, and
BioASQ."""

from __future__ import annotations

from metrics_core.formats.declaring import declare
from metrics_core.formats.mapping.presets import Preset
from metrics_core.formats.registry import TOOL_AMBIGUOUS, Tool

_QUERY = "query=q_id || id || question"
_POSITIVE = " || ".join(f"positive_ctxs[].{name}" for name in ("passage_id", "psg_id", "id"))

declare(
    Preset(
        "dpr",
        "DPR questions and passages",
        endings=(".json", ".jsonl"),
        explanation="Question files of DPR and Contriever: retrieved passages (ctxs) are read as a"
        " run and as documents, positive passages (positive_ctxs) as judgments with grade 1."
        " Negative passages and has_answer are not read, because they were not judged.",
        example='[{"question": "who wrote it", "answers": ["…"], "ctxs": [{"id": "doc-7", "title":'
        ' "A title", "text": "…", "score": "81.5", "has_answer": false}]}]',
        recognised_by=("question", "ctxs || positive_ctxs"),
        tables={
            "run": f"{_QUERY} doc=ctxs[]?.id || ctxs[]?.passage_id score=ctxs[]?.score",
            "qrels": f"{_QUERY} doc={_POSITIVE} grade='1'",
            "queries": f"{_QUERY} text=question",
            "documents": "doc=ctxs[]?.id || ctxs[]?.passage_id body=ctxs[]?",
        },
        needs={"run": "ctxs", "qrels": "positive_ctxs", "documents": "ctxs"},
        tools=(
            Tool(
                "DPR, Contriever",
                "the JSON of questions with their `ctxs`, or training data with `positive_ctxs`",
                "a run and documents, or judgments; also queries",
                "judgments of retrieved passages: has_answer records a string match, not relevance",
                ("rag",),
            ),
        ),
    )
)

_PROVENANCE = "output[]?.provenance[]?.wikipedia_id"

declare(
    Preset(
        "kilt",
        "KILT records",
        endings=(".jsonl",),
        explanation="KILT records: the provenance pages of each output. In a prediction file they"
        " are a run; in a gold file they are relevant documents. You choose how the file is read.",
        example='{"id": "q1", "input": "who wrote it", "output": [{"answer": "…", "provenance":'
        ' [{"wikipedia_id": "doc-7", "title": "A title"}]}]}',
        recognised_by=("id", "input", "output[].provenance[].wikipedia_id"),
        sureness=TOOL_AMBIGUOUS,
        tables={
            "run": f"query=id doc={_PROVENANCE}",
            "qrels": f"query=id doc={_PROVENANCE} grade='1'",
            "queries": "query=id text=input",
        },
        duplicates="first",
        tools=(
            Tool(
                "KILT",
                "the JSON Lines file of predictions, or the gold file",
                "a run, or judgments",
                "whether a file is a run or judgments (you choose); grades and paragraphs",
                ("rag",),
            ),
        ),
    ),
    together=False,
)

declare(
    Preset(
        "flashrag",
        "FlashRAG intermediate data",
        endings=(".json",),
        explanation="FlashRAG's intermediate_data.json: the retrieved documents of each question"
        " are a run, with their texts. Its gold answers are texts, not document ids.",
        example='[{"id": "q1", "question": "who wrote it", "golden_answers": ["…"], "output":'
        ' {"retrieval_result": [{"id": "doc-7", "contents": "A title. A text."}]}}]',
        recognised_by=("id", "output.retrieval_result"),
        tables={
            "run": "query=id doc=output.retrieval_result[].id"
            " score=output.retrieval_result[].score",
            "queries": "query=id text=question",
            "documents": "doc=output.retrieval_result[].id body=output.retrieval_result[]",
        },
        tools=(
            Tool(
                "FlashRAG",
                "intermediate_data.json of a pipeline",
                "a run, the queries and the documents",
                "judgments (gold answers are given as text, not as document ids)",
                ("rag",),
            ),
        ),
    )
)

declare(
    Preset(
        "bioasq",
        "BioASQ questions",
        endings=(".json",),
        explanation="BioASQ questions with their documents. In a submission they are a run; in a"
        " golden file they are relevant documents. You choose how the file is read.",
        example='{"questions": [{"id": "q1", "body": "what is it", "documents":'
        ' ["http://www.ncbi.nlm.nih.gov/pubmed/7"]}]}',
        recognised_by=("questions[].id", "questions[].documents"),
        sureness=TOOL_AMBIGUOUS,
        tables={
            "run": "query=questions[].id doc=questions[].documents[]?",
            "qrels": "query=questions[].id doc=questions[].documents[]? grade='1'",
            "queries": "query=questions[].id text=questions[].body",
        },
        tools=(
            Tool(
                "BioASQ",
                "the JSON of questions, from a golden file or a submission",
                "a run, or judgments",
                "whether a file is a run or judgments (you choose)",
                ("search",),
            ),
        ),
    ),
    together=False,
)
