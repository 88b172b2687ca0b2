"""trec_eval's own command line: the same options, files, lines and exit status.

    python -m metrics_core trec_eval -q -m map -m P.5,10 qrels run

prints what version 10.0 prints; `--as 9.0.8`, before or among the other options, what 9.0.8 prints
where the two differ. To have it under its old name:

    alias trec_eval='python -m metrics_core trec_eval'

options   the command line        table     the measures: names, parameters, families
files     bytes to columns        labels    columns to judged ranks
values    scores of measures      gains     measures whose gains the user gives
groups, preferences               the formats with several judges, and their measures
zscores   -Z                      report    sums, means, and the printed lines
"""

from metrics_core.compatible.trec_eval.command import evaluate, main

__all__ = ["evaluate", "main"]
