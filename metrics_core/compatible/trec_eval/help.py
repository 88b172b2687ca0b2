"""The help text: the options, and what the measures asked for mean."""

from __future__ import annotations

from metrics_core.compatible.trec_eval.options import USAGE, Options
from metrics_core.compatible.trec_eval.table import FAMILIES, rows_of
from metrics_core.measures import declarations

_OPTIONS = (
    ("-q, --query_eval_wanted", "the scores of each query as well"),
    ("-n, --nosummary", "no lines over all queries"),
    ("-c, --complete_rel_info_wanted", "average over all judged queries"),
    ("-m, --measure NAME[.PARAMETERS]", "a measure or a family; may be given several times"),
    ("-l, --level_for_rel N", "lowest grade that counts as relevant (1)"),
    ("-M, --Max_retrieved_per_topic N", "only the best N documents of each query"),
    ("-J, --Judged_docs_only", "without the documents that nobody judged"),
    ("-N, --Number_docs_in_coll N", "size of the collection, for utility (0)"),
    ("-R, --Rel_info_format FORMAT", "qrels, qrels_jg, prefs or qrels_prefs (qrels)"),
    ("-T, --Results_format FORMAT", "trec_results, the only one"),
    ("-Z, --Zscore FILE", "z-scores, by lines of: query measure mean deviation"),
    ("-D, --Debug_level N[.QUERY]", "only this query; nothing more is printed"),
    ("--as VERSION", "print as 10.0 (the default) or 9.0.8 does"),
    ("-h, --help   -v, --version", ""),
)


_WITHOUT_MEASURE = {
    "runid": "The name in the last line of the results.",
    "relstring": "The first grades of the ranking, a character each: - where a document was not"
    " pooled, . where it was pooled and not judged, > above 9.",
    "prefs_num_prefs_poss": "Number of preferences.",
    "prefs_num_prefs_ful": "Number of preferences that the ranking fulfils.",
    "prefs_num_prefs_ful_ret": "Number of fulfilled preferences between two listed documents.",
}


def _explained(name: str) -> str:
    """What a measure means that is trec_eval's alone."""
    if name in _WITHOUT_MEASURE:
        return _WITHOUT_MEASURE[name]
    over = {"simp": "", "pair": ", pair by pair of documents"}.get(name.split("_")[1], "")
    if "avgjg" in name:
        over = ", judge by judge"
    if "Rnonrel" in name:
        over += ", as if each had judged as many documents nonrelevant as relevant"
    where = {"ret": ", both listed", "imp": ", at least one listed"}.get(name.split("_")[-1], "")
    return f"Share of the preferences that the ranking fulfils{over}{where}."


def help_text(options: Options) -> str:
    """The help, with a line for each measure given by -m."""
    lines = [*USAGE, "", *(f"  {name:<34}{what}".rstrip() for name, what in _OPTIONS), ""]
    lines += [f"Families of measures: {', '.join(FAMILIES)}", ""]
    explained = {d.name: d.explanation for d in declarations()}
    for row in rows_of(options.version):
        if row.name in options.measures:
            lines += [row.name, f"    {explained.get(row.ours) or _explained(row.name)}"]
    if not options.measures:
        lines.append("With -m the help says what each measure means.")
    return "\n".join(lines) + "\n"
