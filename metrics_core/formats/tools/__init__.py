"""Files that other tools write, a module a family: how one is known, and what it holds."""

# Importing a module declares its formats: a line for each.
from metrics_core.formats.tools import (  # noqa: F401
    autorag,
    azure,
    castorini,
    conversations,
    engines,
    gold_sets,
    letor,
    mteb,
    opensearch,
    quepid_csv,
    quepid_json,
    question_answering,
    ragas,
    rank_eval,
    ranx,
    recommenders,
    sentence_transformers,
    trec_rag,
)
