"""trec_eval's command line: the same options, files, output lines and exit statuses.

    metrics-core trec_eval -q -m map -m P.5,10 qrels run

prints the output of version 10.0; with `--as 9.0.8`, before or among the other options, the output
of 9.0.8. To use it under its original name:

    alias trec_eval='metrics-core trec_eval'

    options      the command line, the requested measures, the help
    table        the measures: names, families, parameters
    files        bytes to columns, results and qrels
    judgments    the formats of judgments, each from columns to judged ranks and scores
    preferences  the format of preferences, and its measures
    values       scores of measures
    gains        measures with user-defined gains of levels
    report       z-scores, sums, means, and the printed lines
    c_program    numbers and exit as in C
"""

from metrics_core.compatible.trec_eval.command import evaluate, main

__all__ = ["evaluate", "main"]
