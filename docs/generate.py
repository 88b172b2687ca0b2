"""Write docs/measures.md and docs/formats.md from the declarations: `python docs/generate.py`.

`--check` writes nothing and exits 1 where a page is out of date.
"""

from __future__ import annotations

import math
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from metrics_core.formats import Format, formats
from metrics_core.measures import Declaration, declarations
from metrics_core.measures.parameters import written

_FOLDER = Path(__file__).resolve().parent
_NOTE = "<!-- Written by docs/generate.py from the declarations; change those. -->\n\n"
_ENDINGS = "Any of them may be packed as `.gz`, `.zst`, or `.zip` with one member."
_PARAMETER = re.compile(r"\{(\w+)\}")
_COMBINED = {
    "mean": "",
    "sum": ", summed over queries",
    "geometric": "; over queries the geometric mean, a score below 0.00001 counting as that",
}
_KINDS = {"run": "runs", "qrels": "judgments", "queries": "queries", "documents": "documents"}


def measures_page() -> str:
    """Every measure: what it answers, formula, parameters, range, names elsewhere, source."""
    parts = [
        "# Measures\n\n",
        _NOTE,
        "Names follow ir_measures: `nDCG@10`, `P(rel=2)@5`, `nDCG(dcg='exp-log2')@10`. trec_eval's"
        " names (`ndcg_cut_10`) and everyday ones (`precision@5`, `mrr`) are understood too, in any"
        " case.\n\n",
        "For all of them: results are ranked by score, highest first, equal scores by doc_id, last"
        " in byte order first (as trec_eval). A document is relevant from grade `rel` on, 1 unless"
        " said otherwise; an unjudged document and a negative grade count as not relevant. A judged"
        " query that the run does not list scores 0 and counts, as does a judged query without any"
        " relevant document; a query without judgments is left out.\n\n",
    ]
    parts += [_measure(d) for d in declarations()]
    return "".join(parts).rstrip() + "\n"


def _measure(d: Declaration) -> str:
    names = [f"`{n}`" for n in d.aliases]
    trec = [f"`{_PARAMETER.sub(_shown, n)}`" for n in d.trec_eval]
    lines = [
        f"## {d.name}: {d.title}\n\n{d.explanation}\n\n$${d.formula}$$\n\n",
        f"- Parameters: {_parameters(d)}\n",
        f"- Range: {_range(d)}{_COMBINED[d.aggregation]}\n",
    ]
    if names:
        lines.append(f"- Also understood: {', '.join(names)}\n")
    if trec:
        lines.append(f"- In trec_eval: {', '.join(trec)}\n")
    lines.append(f"- Source: {d.reference}\n\n")
    return "".join(lines)


def _shown(parameter: re.Match[str]) -> str:
    return {"cutoff": "k", "recall": "r"}.get(parameter[1], "x")


def _parameters(d: Declaration) -> str:
    if not d.parameters:
        return "none"
    said = []
    for p in d.parameters:
        if p.required:
            said.append(f"`@{p.name}` (needed)" if p.name == d.at else f"`{p.name}` (needed)")
        elif p.name == "cutoff":
            said.append("`@cutoff` (without it the whole list counts)")
        else:
            choices = f", one of {', '.join(map(repr, p.choices))}" if p.choices else ""
            said.append(f"`{p.name}` ({written(p.default)}{choices})")
    return ", ".join(said)


def _range(d: Declaration) -> str:
    low, high = d.range
    if math.isinf(low):
        return "any number"
    return f"from {low:g}" if math.isinf(high) else f"{low:g} to {high:g}"


def formats_page() -> str:
    """Every file format with an example."""
    parts = [
        "# File formats\n\n",
        _NOTE,
        "The format is recognised from the content, and said. Text is UTF-8; UTF-16 with a byte"
        f" order mark is decoded. {_ENDINGS} Ids are text and stay byte for byte as they"
        " are.\n\n",
    ]
    parts += [_format(f) for f in formats()]
    return "".join(parts).rstrip() + "\n"


def _format(f: Format) -> str:
    kinds = ", ".join(_KINDS[k] for k in f.kinds)
    endings = ", ".join(f"`{e}`" for e in f.endings)
    example = f"\n```\n{f.example}\n```\n" if f.example else ""
    return (
        f"## {f.title}\n\n{f.explanation}\n\n- Short name: `{f.name}`\n- Holds: {kinds}\n"
        f"- Usual endings: {endings}\n{example}\n"
    )


PAGES = {"measures.md": measures_page, "formats.md": formats_page}


def main() -> int:
    """Write the pages, or check them."""
    check = "--check" in sys.argv[1:]
    stale = []
    for name, page in PAGES.items():
        path = _FOLDER / name
        if not check:
            path.write_text(page(), "utf-8")
        elif not path.exists() or path.read_text("utf-8") != page():
            stale.append(name)
    for name in stale:
        print(f"out of date: docs/{name}; run python docs/generate.py", file=sys.stderr)
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
