"""Write docs/measures.md and docs/formats.md from the declarations: `python docs/generate.py`.

`--check` writes nothing and exits 1 where a page is out of date.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from metrics_core.base import plugins
from metrics_core.base import wording as w
from metrics_core.formats import Format, formats
from metrics_core.formats.registry import tools
from metrics_core.formats.source.limits import (
    DEFAULT_SIZE,
    MAX_COLUMNS,
    MAX_FILES,
    MAX_RUNS,
    RATIO_FROM,
    TABLE_FROM,
    TABLE_RATIO,
    TYPICAL_RATIO,
    VALUES_FROM,
    VALUES_PER_BYTE,
    Limit,
    format_size,
)
from metrics_core.formats.source.unpacking import PACKINGS
from metrics_core.measures import declarations
from metrics_core.measures.declaring.description import (
    RULES_OF_ALL,
    Description,
    WorkedValue,
    describe_measure,
)
from metrics_core.measures.declaring.families import Family, group_by_family
from metrics_core.measures.declaring.other_packages import EVERYWHERE, Difference
from metrics_core.measures.declaring.parameters import JUDGED_ONLY
from metrics_core.measures.declaring.worked_example import COLUMNS, GRADES, LISTED, SUBTOPICS

_FOLDER = Path(__file__).resolve().parent
_NOTE = "<!-- Written by docs/generate.py from the declarations; change those. -->\n\n"
_ENDINGS = (
    f"Each file may be compressed as {', '.join(f'`{p.ending}`' for p in PACKINGS)}, or as `.zip`"
    " with one member."
)
_LIMIT = (
    f"A file may take {format_size(DEFAULT_SIZE)} unpacked, with at most"
    f" {Limit().cell_limit:,} cells and {MAX_COLUMNS:,} columns. A compressed file of more"
    f" than {format_size(RATIO_FROM)} may unpack to at most {TYPICAL_RATIO} times its size;"
    " compressed JSON or CSV with more than"
    f" {VALUES_FROM:,} values may have at most {VALUES_PER_BYTE} values per compressed byte. A"
    f" Parquet table of more than {format_size(TABLE_FROM)} may take at most {TABLE_RATIO} times"
    " the size of its file. Larger files are refused before they are loaded. Unpack or split the"
    ' file, or raise the limit: `--limit 8GB` on the command line or `limit="8GB"` in Python.'
    f" A file may contain {MAX_RUNS:,} runs, a set {MAX_FILES:,} files; split larger ones."
)
_NO_TABLES = (
    "A collection of ir_datasets needs no file: use `--collection NAME` in place of QRELS on the"
    " command line (in the Ranklens folder `pip install '.[ir_datasets]'`). It also provides"
    " queries and documents if needed. It announces downloads before they start.\n\n"
    "Excel, YAML, PDF, NumPy, pickle, SQLite, Git LFS pointers and web pages are not read. The"
    " error names the kind of file and how to convert it. Pickles are never loaded."
)
_KINDS = {
    "run": "runs",
    "qrels": "judgments",
    "queries": "queries",
    "documents": "documents",
    "scores": "scores",
}


def measures_page() -> str:
    """Every measure: what it answers, formula, parameters, range, names elsewhere, source."""
    described_ones = {
        f: [describe_measure(d) for d in ds] for f, ds in group_by_family(declarations()).items()
    }
    parts = ["# Measures\n\n", _NOTE, _NAMES, _contents(described_ones), _for_all(), _example()]
    for family, measures in described_ones.items():
        parts.append(f"## {family.title}\n\n")
        if family.question:
            parts.append(f"*{family.question}*\n\n")
        parts += [_measure(m) for m in measures]
    parts.append(_differences())
    return "".join(parts).rstrip() + "\n"


_NAMES = """\
Measures have names such as `nDCG@10`, `P(rel=2)@5` and `nDCG(dcg='exp-log2')@10`. The number after
the @ is how many results count. Parameters are in parentheses and optional. Names follow
ir_measures; trec_eval's names (`ndcg_cut_10`) and common ones (`precision@5`, `mrr`) also work, in
upper or lower case. `metrics-core measures` prints this list, and the page Measures of
the dashboard shows it.

"""


def _contents(families: Mapping[Family, Sequence[Description]]) -> str:
    lines = ["## Which measure answers what?\n\n", "| Question | Measures |\n|---|---|\n"]
    for family, measures in families.items():
        links = " · ".join(f"[{m.name}](#{_anchor(m.name)})" for m in measures)
        question = f"**{family.question}**<br>" if family.question else ""
        lines.append(f"| {question}{family.title} | {links} |\n")
    return "".join(lines) + "\n"


def _anchor(name: str) -> str:
    """GitHub's anchor of a heading."""
    return re.sub(r"[^\w\- ]", "", name.lower()).replace(" ", "-")


def _for_all() -> str:
    lines = "".join(f"- {sentence}\n" for sentence in RULES_OF_ALL)
    return (
        "## Rules for all measures\n\n"
        f"{lines}- Nearly all accept `judged_only=True`: {JUDGED_ONLY.meaning}.\n\n"
        "An entry states where it differs; “default” means that these rules apply.\n\n"
    )


def _example() -> str:
    """The list on which every measure is worked out, as a table."""
    heads = "".join(f" {rank} |" for rank in range(1, len(LISTED) + 1))
    documents = "".join(f" {doc} |" for doc in LISTED)
    grades = "".join(f" {GRADES.get(doc, 'unjudged')} |" for doc in LISTED)
    columns = "".join(
        f"| {name} |{''.join(f' {values[doc]} |' for doc in LISTED)}\n"
        for name, values in COLUMNS.items()
    )
    rest = {doc: grade for doc, grade in GRADES.items() if doc not in LISTED}
    more = {doc: ", ".join(f"{n} {v[doc]}" for n, v in COLUMNS.items()) for doc in rest}
    apart = " and ".join(f"{doc} (grade {grade}, {more[doc]})" for doc, grade in rest.items())
    return (
        "## The worked example\n\n"
        "Every measure is worked out by hand on one query. The run lists six documents:\n\n"
        f"| rank |{heads}\n|---|{'---|' * len(LISTED)}\n| document |{documents}\n"
        f"| grade |{grades}\n{columns}\n"
        f"Two more are judged and not listed: {apart}. So the relevant documents are a, c, e and f"
        " (R = 4); a negative grade means that the document is unjudged."
        " log2 is the logarithm to base 2, log the natural one.\n\n"
        f"{_subtopics()}"
    )


def _subtopics() -> str:
    """The same example judged by subtopic."""
    rows = "".join(
        f"| {name} | {', '.join(f'{doc} {grade}' for doc, grade in grades.items())} |\n"
        for name, grades in SUBTOPICS.items()
    )
    return (
        "Measures of subtopics take the same list with these grades:\n\n"
        f"| subtopic | documents and their grades |\n|---|---|\n{rows}\n"
    )


def _measure(m: Description) -> str:
    more = f" {m.more}" if m.more else ""
    title = f"**{m.title}** · " if m.title != m.name else ""
    lines = [
        f"### {m.name}\n\n",
        f"{title}`{m.signature}`\n\n",
        f"{m.answer}{more}\n\n```math\n{m.formula}\n```\n\n",
        _parameters(m),
        f"- Range: {m.range}{f'; {m.aggregation}' if m.aggregation else ''}\n",
    ]
    lines += [f"- Needs: {m.needs}\n"] if m.needs else []
    lines += [f"- {_TREATED[what]}: {sentence}\n" for what, sentence in m.exceptions]
    lines += [f"- {w.sentence_case(m.defaults)}: default\n"] if m.defaults else []
    lines.append(f"- {_elsewhere(m)}\n")
    lines.append(f"- Source: {m.reference}\n")
    lines.append("- Worked out:\n")
    lines += [f"  - {_worked(x)}\n" for x in m.worked]
    lines += [f"- Differs from {d.package}: {d.what} {d.why}\n" for d in m.differences]
    return "".join(lines) + "\n"


def _worked(x: WorkedValue) -> str:
    steps = "" if x.is_plain_value else f"`{x.arithmetic}` = "
    return f"`{x.name}` = {steps}**{x.value_text}**"


_TREATED = {"unjudged": "Unjudged documents", "missing": "Missing queries", "ties": "Ties"}


def _parameters(m: Description) -> str:
    own = [p for p in m.parameters if p.name != "judged_only"]
    if not own:
        return "- No parameters\n" if not m.parameters else "- No parameters but `judged_only`\n"
    rows = "".join(
        f"| `{p.notation}` | {p.meaning} | {p.allowed} | {p.default.removeprefix('default: ')} |\n"
        for p in own
    )
    head = "| Parameter | Meaning | May be | Default |\n|---|---|---|---|\n"
    without = "" if len(own) < len(m.parameters) else "- It takes no `judged_only`\n"
    return f"{head}{rows}\n{without}"


def _elsewhere(m: Description) -> str:
    said = []
    for package, names in m.names:
        listed = ", ".join(f"`{n}`" for n in names)
        said.append(f"{package}: {listed}" if package else f"also understood: {listed}")
    return f"Names: {'; '.join(said)}" if said else "Names: no other"


def _differences() -> str:
    """Where other packages give other numbers, and why."""
    measures: dict[Difference, list[str]] = {d: ["*"] for d in EVERYWHERE}
    for declaration in declarations():
        for difference in declaration.differences:
            measures.setdefault(difference, []).append(declaration.name)
    parts = []
    for package in dict.fromkeys(d.package for d in measures):
        rows = "".join(
            f"| {_linked(names)} | {d.what} | {d.why} |\n"
            for d, names in measures.items()
            if d.package == package
        )
        head = "| Measure | What differs | Why |\n|---|---|---|\n"
        parts.append(f"### Differences to {package}\n\n{head}{rows}\n")
    return (
        "## Where other packages differ\n\n"
        "The tests compare scores query by query on random data. These differences remain."
        f"\n\n{''.join(parts)}"
    )


def _linked(measures: Sequence[str]) -> str:
    """Measures as links; "*" is all of a package."""
    return " ".join("all" if m == "*" else f"[{m}](#{_anchor(m)})" for m in measures)


def formats_page() -> str:
    """Every file format with an example."""
    parts = [
        "# File formats\n\n",
        _NOTE,
        "Ranklens detects the format from the content and reports it. Text is UTF-8; UTF-16 with a"
        f" byte order mark is also decoded. {_ENDINGS} The command line accepts pipes, and `-` for"
        f" standard input. Ids are text and are kept byte for byte.\n\n{_LIMIT}\n\n",
        _tools(),
    ]
    parts += [_format(f) for f in sorted(formats(), key=lambda f: f.title.casefold())]
    return "".join(parts).rstrip() + "\n"


def _tools() -> str:
    """What is exported from which tool, by what the formats declare."""
    head = "| Tool | What to export | What Ranklens reads from it | Not in the file |\n"
    rows = "".join(f"| {t.name} | {t.export} | {t.makes} | {t.unknown or '–'} |\n" for t in tools())
    return f"## Files of other tools\n\n{head}|---|---|---|---|\n{rows}\n{_NO_TABLES}\n\n"


def _format(f: Format) -> str:
    kinds = ", ".join(_KINDS[k] for k in f.kinds)
    endings = ", ".join(f"`{e}`" for e in f.endings)
    example = f"\n```\n{f.example}\n```\n" if f.example else ""
    return (
        f"## {f.title}\n\n{f.explanation}\n\n- Short name: `{f.name}`\n- Contains: {kinds}\n"
        f"- Usual endings: {endings}\n{example}\n"
    )


PAGES = {"measures.md": measures_page, "formats.md": formats_page}


def main() -> int:
    """Write the pages, or check them."""
    os.environ[plugins.VARIABLE] = "none"  # what others add stands in their pages
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
