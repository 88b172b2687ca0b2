"""Read the files of other tools. Each module recognises and reads the files of one family."""

# Importing a module declares its formats.
from metrics_core.formats.tools import (  # noqa: F401
    autorag,
    azure,
    castorini,
    conversations,
    engines,
    given_scores,
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
