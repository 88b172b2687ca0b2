"""trec_eval's own command line: the same options, files, lines and exit status.

    python -m metrics_core trec_eval -q -m map -m P.5,10 qrels run

prints what version 10.0 prints; `--as 9.0.8`, before or among the other options, what 9.0.8 prints
where the two differ. To have it under its old name:

    alias trec_eval='python -m metrics_core trec_eval'

options      the command line, the measures it asks for, the help
table        the measures: names, families, what each takes
files        bytes to columns, results and qrels
judgments    the formats of judgments, each from columns to judged ranks and scores
preferences  the format of preferences, and its measures
values       scores of measures          gains   where the user says what levels are worth
report       z-scores, sums, means, and the printed lines
c_program    numbers and endings as in C
"""

from metrics_core.compatible.trec_eval.command import evaluate, main

__all__ = ["evaluate", "main"]
