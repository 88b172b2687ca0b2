"""The parts of the Measures page: the list, and all about one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from dashboard.blocks import markup as m
from metrics_core import wording as w
from metrics_core.measures.declaring.description import FOR_ALL, Description, ParameterText, Worked
from metrics_core.measures.declaring.worked import COLUMNS, GRADES, LISTED, SUBTOPICS

Href = Callable[..., str]

_TREATED = {"unjudged": "Unjudged documents", "missing": "Missing queries", "ties": "Ties"}


def catalogue(
    groups: Mapping[str, Sequence[Description]], questions: Mapping[str, str], href: Href
) -> str:
    """The measures of each group: name, title and what each answers."""
    parts = []
    for title, told in groups.items():
        items = "".join(_entry(t, href) for t in told)
        head = m.section(title, questions.get(title, ""))
        parts.append(f'{head}<ul class="catalogue">{items}</ul>')
    return f'<div class="lens">{"".join(parts)}</div>'


def _entry(told: Description, href: Href) -> str:
    title = f" {m.escaped(told.title)}" if told.title != told.name else ""
    return (
        f'<li><a class="row" href="{m.escaped(href("measures", measure=told.name))}">'
        f'<span class="what"><b>{m.escaped(told.name)}</b>{title}'
        f"<small>{m.with_code(told.answer)}</small></span></a></li>"
    )


def no_measure(find: str, near: Sequence[str], href: Href) -> str:
    """What stands where no measure fits a search."""
    links = [
        f'<a href="{m.escaped(href("measures", measure=name))}">{m.escaped(name)}</a>'
        for name in near
    ]
    asked = f"<p>Did you mean {w.listing(links, 'or')}?</p>" if links else ""
    return f'<div class="lens nothing"><h2>No measure fits “{m.escaped(find)}”.</h2>{asked}</div>'


def head(told: Description, back: str, use: str, why_not: str) -> str:
    """Name, title and family, what the measure answers, and the link that chooses it."""
    title = f": {m.escaped(told.title)}" if told.title != told.name else ""
    chips = [m.escaped(told.signature), m.escaped(told.family.title)]
    listed = "".join(f"<li>{chip}</li>" for chip in chips)
    action = f'<a class="use" href="{m.escaped(use)}">Use this measure</a>' if use else ""
    said = f'<p class="muted">{m.with_code(why_not)}</p>' if why_not else ""
    more = f" {m.with_code(told.more)}" if told.more else ""
    return (
        f'<div class="lens query-head"><a class="back" href="{m.escaped(back)}">← All measures</a>'
        f"<h1>{m.escaped(told.name)}{title}</h1><ul>{listed}</ul></div>"
        f'<p class="lens explanation"><span class="strong">{m.with_code(told.answer)}</span>{more}'
        f'</p><div class="lens about">{action}{said}</div>'
    )


def parameters(told: Description) -> str:
    """What may be set, and to what."""
    if not told.parameters:
        return '<p class="lens about muted">It takes no parameters.</p>'
    heads = "".join(m.column_head(h) for h in ("Written", "Meaning", "May be", "Otherwise"))
    rows = "".join(_parameter(p) for p in told.parameters)
    return f'<div class="lens about">{m.blocks("Parameters", heads, rows)}</div>'


def _parameter(p: ParameterText) -> str:
    cells = [
        m.row_head(f"<code>{m.escaped(p.place)}</code>"),
        m.cell(m.escaped(w.sentence_case(p.meaning)), "meaning"),
        m.cell(m.escaped(p.allowed), "allowed"),
        m.cell(m.escaped(p.default), "default"),
    ]
    return f'<tr role="row">{"".join(cells)}</tr>'


def facts(told: Description) -> str:
    """Range, what is done with odd documents, names elsewhere, source, differences."""
    together = f"; {told.together}" if told.together else ""
    said = [("Range", m.escaped(told.range + together))]
    said += [("Needs", m.escaped(told.needs))] if told.needs else []
    said += [(_TREATED[what], m.escaped(sentence)) for what, sentence in told.unlike]
    if told.as_usual:
        rules = "".join(f"<li>{m.with_code(rule)}</li>" for rule in FOR_ALL)
        usual = f"<details><summary>as with every measure</summary><ul>{rules}</ul></details>"
        said.append((w.sentence_case(told.as_usual), usual))
    for package, names in told.names:
        mark = "<code>{}</code>" if package else "{}"
        listed = ", ".join(mark.format(m.escaped(name)) for name in names)
        said.append((f"In {package}" if package else "Also called", listed))
    said.append(("Source", m.escaped(told.reference)))
    said += [
        (f"Differs from {d.package}", m.with_code(f"{d.what} {d.why}")) for d in told.differences
    ]
    entries = "".join(f"<div><dt>{m.escaped(k)}</dt><dd>{v}</dd></div>" for k, v in said)
    return f'<div class="lens about"><dl class="facts-of">{entries}</dl></div>'


def worked(told: Description) -> str:
    """The shared example as squares, and the measure worked out on it."""
    squares = "".join(_square(i, doc) for i, doc in enumerate(LISTED, 1))
    rest = [f"grade {GRADES[doc]}" for doc in GRADES if doc not in LISTED]
    lines = "".join(
        f"<div><dt><code>{m.escaped(x.name)}</code></dt><dd>{_steps(x)}</dd></div>"
        for x in told.worked
    )
    return (
        f'<div class="lens about example"><ol aria-label="The listed documents">{squares}</ol>'
        f'<p class="muted">Judged, but not listed: {w.listing(rest)}.</p>'
        f"{_by_subtopic() if told.by_subtopic else ''}"
        f"{_of_documents() if told.of_documents else ''}"
        f'<dl class="facts-of">{lines}</dl></div>'
    )


def _by_subtopic() -> str:
    """The example's judgments by subtopic, with the rank of each document."""
    said = []
    for name, grades in SUBTOPICS.items():
        places = [f"{_place(doc)} grade {g}".replace("-", w.MINUS) for doc, g in grades.items()]
        said.append(f"<li>Subtopic {m.escaped(name)}: {w.listing(places)}</li>")
    return f'<ul class="muted">{"".join(said)}</ul>'


def _of_documents() -> str:
    """The columns of the example's documents, in the order of the list."""
    said = []
    for name, values in COLUMNS.items():
        listed = ", ".join(str(values[doc]) for doc in LISTED)
        rest = w.listing(str(value) for doc, value in values.items() if doc not in LISTED)
        said.append(f"<li>{w.sentence_case(name)}: {listed}; not listed: {rest}</li>")
    return f'<ul class="muted">{"".join(said)}</ul>'


def _place(doc: str) -> str:
    return f"rank {LISTED.index(doc) + 1}" if doc in LISTED else "not listed"


def _steps(x: Worked) -> str:
    return f"{'' if x.is_value else m.escaped(x.arithmetic) + ' = '}<b>{x.written}</b>"


def _square(rank: int, doc: str) -> str:
    grade = GRADES.get(doc)
    kind = "gx" if grade is None or grade < 0 else f"g{min(grade, 3)}"
    shown = "?" if grade is None or grade < 0 else f"{grade}"
    said = "unjudged" if grade is None else f"grade {grade}".replace("-", w.MINUS)
    return (
        f'<li><span class="chip {kind}" aria-hidden="true">{shown}</span>'
        f"<small>{rank}{m.unseen(f': {said}')}</small></li>"
    )
