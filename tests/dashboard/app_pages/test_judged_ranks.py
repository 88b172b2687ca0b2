"""Runs that came as judged ranks: pages say what they say of the run, or what is not known."""

from __future__ import annotations

import re

import numpy as np
import pytest
import streamlit as st

from dashboard.address.address import Address
from dashboard.answers.document import find_document_card
from dashboard.answers.grading import judging_queue, next_documents_in_queue, unjudged_documents
from dashboard.answers.subset import export_subset
from dashboard.answers.unjudged import unjudged_effects
from dashboard.answers.what_if import apply_edits
from dashboard.files.files import SAMPLE_FOLDER
from dashboard.files.query_zip import read_query_zip
from dashboard.session.open_collection import collection_files, workspace
from dashboard.study.study import Study
from metrics_core import formats, read_qrels, read_run
from metrics_core.formats import Loaded
from metrics_core.tables import RankedRun
from tests.dashboard.conftest import opened, text_of
from tests.judged_ranks_of import judged_ranks_of

(QRELS_FILE,) = SAMPLE_FOLDER.rglob("qrels.txt")
QRELS = read_qrels(QRELS_FILE)
RUNS = {name: read_run(SAMPLE_FOLDER / f"{name}.run", name=name) for name in ("bm25", "dense")}
RANKS = {name: judged_ranks_of(run, QRELS) for name, run in RUNS.items()}
PAIR = {"run": "dense", "base": "bm25"}


def keep(identity: str, *ranked: str) -> None:
    """The example's judgments and two runs, these as judged ranks, as a collection."""
    kept = workspace()
    kept.get_or_create_collection("Mine", identity)
    kept.add_table(identity, formats.read(QRELS_FILE, name="qrels.txt"))
    for name, run in RUNS.items():
        loaded = Loaded(run, "trec", "TREC run", f"{name}.run")
        if name in ranked:
            (loaded,) = formats.read_set(formats.table_bytes(RANKS[name], "parquet"), name="ranks")
        assert kept.add_table(identity, loaded).status == "new"
        assert kept.add_table(identity, loaded).status == "known"


def shown(page: str, identity: str) -> str:
    """What the page says but for what hangs on which document is which, and on scores."""
    # How many are unjudged in both lists together hangs on which document is which.
    columns = {"cols": ["difference", "score:dense"]} if page == "queries" else {}
    said = text_of(opened(page, **PAIR, set=identity, **columns))
    said = re.sub(r"Can you rely on this result\?.*?Missing", "", said)
    # Nor can the overlap of lists be known without the documents of both.
    said = said.replace("overlap RBO query_id", "query_id")
    return said.partition(" This comparison")[0]


@pytest.mark.parametrize("page", ["", "curves", "queries"])
def test_what_needs_no_unjudged_document_is_the_same(page: str) -> None:
    keep("runs")
    keep("ranks", "bm25", "dense")
    st.cache_resource.clear()
    files = collection_files("ranks")
    assert sum(isinstance(f.table, RankedRun) for f in files) == 2, "kept, and read again"
    said = shown(page, "ranks")
    assert said == shown(page, "runs") and len(said) > 100


UNKNOWN = {
    "query": (
        "unjudged, so unknown here",
        "Only the ranks of judged documents were loaded for dense, so only judged documents are"
        " known.",
        "Only the ranks of judged documents were loaded for dense, but a list can be changed only"
        " if all its documents are known.",
        "dense, so their unjudged documents are unknown. If you judge another document here, this"
        " run can no longer be scored.",
    ),
    "firm": (
        "unknownOnly the ranks of judged documents were loaded for dense, without scores",
        "Only the ranks of judged documents were loaded for dense, so it is unknown which"
        " documents are unjudged.",
    ),
    "judge": ("their unjudged documents are unknown",),
    "data": ("Ranks of judged documents: run, query_id", "1,448 judged ones are identified"),
}


@pytest.mark.parametrize("page", UNKNOWN)
def test_what_is_not_known_is_said(page: str) -> None:
    keep("ranks", "dense")
    said = text_of(opened(page, rows="10", **PAIR, set="ranks"))
    assert not [text for text in UNKNOWN[page] if text not in said], said


def test_ties_and_a_document_of_the_other_run() -> None:
    keep("ranks", "dense")
    assert "so ties are unknown." in text_of(opened("firm", **PAIR, part="ties", set="ranks"))
    study = Study([RUNS["bm25"], RANKS["dense"]], QRELS)
    view = study.view(Address.create(**PAIR)).comparison
    unjudged_of_bm25 = unjudged_documents(study, view, "q065")["doc_id"].iloc[0]
    card = find_document_card(study, "q065", unjudged_of_bm25)
    assert card is not None
    known = card.standings.set_index("run")
    assert known["known"].to_dict() == {"bm25": True, "dense": False}
    assert known.loc["dense", "listed"] == 100
    judged = find_document_card(study, "q001", str(QRELS.doc_ids[0]))
    assert judged is not None and judged.standings["known"].all()
    said = text_of(opened("query", q="q065", doc=unjudged_of_bm25, **PAIR, set="ranks"))
    assert "unknown: of 100 listed, only the judged ones are known" in said


def test_a_layer_that_judges_further_documents_leaves_the_run_out() -> None:
    keep("ranks", "dense")
    layers = workspace().layers
    regraded = layers.create_layer("ranks", "me", {("q001", str(QRELS.doc_ids[0])): 0})
    said = text_of(opened("", set="ranks"))
    assert "dense" in said and "created with different judgments" not in said
    layers.remove_layer("ranks", regraded)
    layers.create_layer("ranks", "me", {("q001", "never judged"): 3})
    said = text_of(opened("", set="ranks"))
    why = (
        "The ranks of judged documents in dense were created with different judgments: query"
        " q001 had"
    )
    assert why in said and "Grades may change, but the same documents must be judged" in said
    asked = text_of(opened("", **PAIR, set="ranks"))
    assert "This link refers to something that is no longer here" in asked and why in asked
    (bm25,) = (e for e in workspace().entries("ranks") if e.name == "bm25")
    workspace().remove_entry("ranks", bm25.number)
    alone = text_of(opened("", set="ranks"))
    assert why in alone and "nDCG@10" in alone, "the layer is not on where no run could be scored"


def test_what_the_unjudged_could_do_is_a_bound_of_the_exact_one() -> None:
    whole, ranks = (Study(list(r.values()), QRELS) for r in (RUNS, RANKS))
    exact, wider = (
        unjudged_effects(s, s.view(Address.create(**PAIR)).comparison) for s in (whole, ranks)
    )
    assert wider.bounds.difference == exact.bounds.difference
    assert wider.bounds.lowest <= exact.bounds.lowest
    assert wider.bounds.highest >= exact.bounds.highest
    assert wider.share == exact.share and wider.shares.equals(exact.shares)
    view = ranks.view(Address.create(**PAIR)).comparison
    assert (
        judging_queue(ranks, view).empty
        and next_documents_in_queue(ranks, judging_queue(ranks, view), set(), 5).empty
    )
    assert unjudged_documents(ranks, view, "q065").empty
    assert apply_edits(ranks, view, "q065", ()) is None


def test_a_zip_of_some_queries_carries_them() -> None:
    study = Study([RUNS["bm25"], RANKS["dense"]], QRELS)
    view, ids = study.view(Address.create(**PAIR)).comparison, QRELS.query_ids[:7]
    cut = read_query_zip(export_subset(study, view, ids), "some.zip")
    assert set(cut.files) == {"qrels.txt", "bm25.run", "dense.run.parquet"}
    (dense,) = formats.read_judged_ranks(cut.files["dense.run.parquet"])
    qrels = read_qrels(cut.files["qrels.txt"], name="qrels.txt")
    again = Study([dense], qrels).all_scores(view.measure).values[0]
    before = (
        study.all_scores(view.measure)
        .select_queries(np.isin(QRELS.query_ids, ids))
        .select_runs(["dense"])
    )
    assert np.array_equal(again, before.values[0]) and dense.name == "dense"
