"""What every drawn part is made of: escaped text, sentences, run names, bars, headings.

Each part is one HTML string whose root has the class `lens`; dashboard/style.css draws it. The
parts pass through the sanitiser of `st.html`, so they hold no script, no inline svg and no event
handlers, and colours are CSS variables only, which follow light and dark by themselves.
"""

from __future__ import annotations

import html
import math
import re
from collections.abc import Mapping

from dashboard.theme import SLOTS, RunStyle
from metrics_core import wording as w
from metrics_core.findings import Sentence

Styles = Mapping[str, RunStyle]


def escaped(value: object) -> str:
    """A user's text as HTML, safe between tags and in attributes."""
    return html.escape(str(value), quote=True)


def isolated(value: object) -> str:
    """A user's text whose writing direction does not reach its neighbours."""
    return f"<bdi>{escaped(value)}</bdi>"


def unseen(text: str) -> str:
    """Text for screen readers only; `text` is HTML."""
    return f'<span class="unseen">{text}</span>'


def unspoken(markup: str, kind: str = "") -> str:
    """Markup that screen readers pass over, because the same is said in words."""
    return f'<span class="{kind}" aria-hidden="true">{markup}</span>'


def with_code(text: str) -> str:
    """A message in which `backticks` mark what stands in a file."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escaped(text))


def style_of(styles: Styles, run: str) -> RunStyle:
    """The run's style; a run without one is grey."""
    return styles.get(run) or RunStyle(run, SLOTS)


def run_color(style: RunStyle) -> str:
    """The attribute that gives an element the run's colour as --run."""
    return f'style="--run:{style.css_color}"'


def dot(style: RunStyle) -> str:
    """The run's marker in its colour and shape."""
    return f'<span class="dot {style.symbol}" {run_color(style)} aria-hidden="true"></span>'


def run_label(style: RunStyle) -> str:
    """Marker and name of a run, and the word baseline where it is one."""
    tag = ' <span class="tag">baseline</span>' if style.role == "baseline" else ""
    name = f"<span>{isolated(style.name)}{tag}</span>"
    return f'<span class="run {length(style.name)}">{dot(style)}{name}</span>'


def length(text: str, most: int = 14) -> str:
    """ "short" for a text that keeps to its line, "long" for one that may break: nothing is cut."""
    return "short" if len(text) <= most else "long"


def run_text(style: RunStyle, kind: str = "") -> str:
    """The name of a run in its colour, within a text."""
    kind = kind or length(style.name)
    return f'<span class="named {kind}" {run_color(style)}>{isolated(style.name)}</span>'


def spans(sentence: Sentence, styles: Styles) -> str:
    """The spans of a sentence: run names in their colours, what qualifies in muted text."""
    parts = []
    before = "strong"
    for span in sentence.spans:
        if span.role == "run" and span.text in styles:
            style = styles[span.text]
            # Within a muted clause the baseline is no news: it stays as quiet as the clause.
            quiet = style.role == "baseline" and before == "muted"
            parts.append(run_text(style, "quiet" if quiet else "loud"))
            continue
        before = span.role
        parts.append(f'<span class="{span.role}">{escaped(span.text)}</span>')
    return "".join(parts)


def sentence(sentence: Sentence, styles: Styles) -> str:
    """The headline of a page."""
    return f'<div class="lens verdict"><h1>{spans(sentence, styles)}</h1></div>'


def second(sentence: Sentence, styles: Styles) -> str:
    """The smaller line below the headline; nothing for an empty sentence."""
    return f'<p class="lens second">{spans(sentence, styles)}</p>' if sentence else ""


def section(
    title: str,
    explanation: str | Sentence = "",
    csv_href: str | None = None,
    styles: Styles | None = None,
) -> str:
    """The heading of a part, one muted line that says how to read it, and a link to its CSV."""
    link = f'<a class="csv" href="{escaped(csv_href)}">CSV</a>' if csv_href else ""
    if isinstance(explanation, Sentence):
        explanation = spans(explanation, styles or {})
    else:
        explanation = escaped(explanation)
    line = f"<p>{explanation}</p>" if explanation else ""
    heading = f"<h2>{escaped(title)}</h2>"
    return f'<div class="lens section"><div>{heading}{line}</div>{link}</div>'


def nothing(title: str, text: str = "") -> str:
    """What stands where there is nothing to show: what was asked, and what to do."""
    line = f"<p>{escaped(text)}</p>" if text else ""
    return f'<div class="lens nothing"><h2>{escaped(title)}</h2>{line}</div>'


def blocks(label: str, heads: str, rows: str) -> str:
    """A table whose rows become blocks on a narrow screen."""
    return (
        f'<table class="blocks" role="table" aria-label="{escaped(label)}"><thead>'
        f'<tr role="row">{heads}</tr></thead><tbody>{rows}</tbody></table>'
    )


def column_head(markup: str, kind: str = "") -> str:
    """A column's head. The roles are spelt out because a narrow screen turns rows into blocks,
    and a table that is not displayed as one loses its roles in some browsers."""
    return f'<th role="columnheader" scope="col" class="{kind}">{markup}</th>'


def row_head(markup: str, kind: str = "") -> str:
    """The cell that names a row."""
    return f'<th role="rowheader" scope="row" class="{kind}">{markup}</th>'


def cell(markup: str, kind: str = "") -> str:
    """Any other cell."""
    return f'<td role="cell" class="{kind}">{markup}</td>'


def percent(share: float) -> str:
    """A length as CSS, kept within its track."""
    return f"{min(max(share, 0.0), 1.0) * 100:.2f}%"


def meter(value: float, style: RunStyle) -> str:
    """A thin bar on 0 to 1 in the run's colour; its number stands beside it."""
    if math.isnan(value):
        return ""
    fill = f"width:{percent(value)};background:{style.css_color}"
    return f'<span class="meter" aria-hidden="true"><i style="{fill}"></i></span>'


def tone(value: float | None) -> str:
    """ "better" or "worse" by the sign that is shown, "" for zero and for no value."""
    shown = w.difference(value)
    if shown.startswith("+"):
        return "better"
    return "worse" if shown.startswith(w.MINUS) else ""


def change(value: float | None, *, clear: bool, hint: str = "") -> str:
    """A difference; coloured and heavier only where it is clear of chance."""
    kind = f"{tone(value)} clear" if clear and tone(value) else "unclear"
    title = f' title="{escaped(hint)}"' if hint else ""
    return f'<span class="change {kind}"{title}>{w.difference(value)}</span>'


def side_bar(value: float, scale: float) -> str:
    """A thin bar for a difference: losses grow from the right, wins from the left."""
    width = percent(abs(value) / scale if scale > 0 and not math.isnan(value) else 0)
    kind = tone(value)
    return f'<span class="meter {kind}" aria-hidden="true"><i style="width:{width}"></i></span>'
