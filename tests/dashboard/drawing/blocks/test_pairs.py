"""The ranking and the triangle of pairs: what cells say, what is coloured, who is bracketed."""

from __future__ import annotations

import re

import numpy as np
from markupsafe import Markup

from dashboard.answers.ranking import RankedMeasure, Ranking
from dashboard.drawing.blocks.pairs import (
    draw_pair_table,
    draw_ranking_and_pairs,
    draw_ranking_table,
    format_rank_range,
)
from dashboard.drawing.theme import RunStyle
from metrics_core.comparing.all_pairs.all_pairs import AllPairs
from metrics_core.measures import parse_measure
from tests.metrics_core.comparing.all_pairs.test_all_pairs import found_in, runs_like


def styles_of(found: AllPairs) -> dict[str, RunStyle]:
    return {run: RunStyle(run, i) for i, run in enumerate(found.runs)}


def link(run: str, base: str) -> str:
    return f"./?{run}-{base}"


def triangle(found: AllPairs) -> str:
    return str(draw_pair_table(found, styles_of(found), link, label="Pairs"))


def ranking_of(found: AllPairs) -> Ranking:
    columns = tuple(
        RankedMeasure(
            parse_measure(name), name, f"what {name} means", found.means,
            found.means - 0.1, found.means + 0.1, found.first, found.last,
        )
        for name in ("RR", "AP")
    )  # fmt: skip
    return Ranking(found.runs, columns, None)  # type: ignore[arg-type]


def ranked(found: AllPairs, *, many: bool = False) -> str:
    given = ranking_of(found), found.runs, found, styles_of(found), found.runs[0], "RR", link
    if many:
        return str(draw_ranking_and_pairs(*given, pairs=Markup()))
    return str(draw_ranking_table(*given, lambda key: f"./pairs?m={key}"))


def cells(html: str) -> list[str]:
    return re.findall(r'<td class="pair-cell.*?</td>', html)


def test_each_pair_stands_once_and_is_coloured_only_where_it_is_clear() -> None:
    found = found_in(runs_like([0.1, 0.2, 0.0, 0.201]))
    html = triangle(found)
    shown = cells(html)
    assert len(shown) == 6 and "pair-cell behind" not in html
    for cell, kind in zip(shown, found.verdict[np.triu_indices(4, 1)], strict=True):
        clear = kind == "better"
        assert ("--part" in cell) == clear == ("ahead" in cell)
        assert ("> significant<" in cell) == clear
    assert 'href="./?' in shown[0] and " vs " in shown[0] and "queries" in shown[0]
    assert "--part:100.00%" in shown[2]  # the best against the last
    assert html.count("<b>+") == 6 == html.count(">vs <span") - 3


def test_many_runs_have_cells_without_numbers_and_names_at_the_diagonal() -> None:
    html = triangle(found_in(runs_like(np.linspace(0, 0.3, 9))))
    assert "all-pairs many" in html and "<small>" not in html
    assert len(cells(html)) == 36 and 'colspan="8"' in html
    assert "not significant" in html and "to +0.3" in html
    assert html.count("<b>Compare these two</b>") == 36


def test_names_are_text_and_shortened_in_their_middle() -> None:
    found = found_in(runs_like([0.0, 0.1, 0.2]))
    long = "rerank-large-on-the-top-100-of-bm25-with-titles"
    html = triangle(AllPairs(**{**found.__dict__, "runs": ("<b>x", long, "c")}))
    assert "<b>x" not in html and "&lt;b&gt;x" in html
    assert f'title="{long}"' in html and "…" in html


def test_ranks_are_ranges_and_those_that_may_be_first_stand_out() -> None:
    assert format_rank_range(1, 4) == "1–4" and format_rank_range(3, 3) == "3"
    found = found_in(runs_like([0.1, 0.2, 0.0, 0.201]))
    html = ranked(found)
    assert html.count('"placed first">rank 1–2<') == 4 == html.count("placed first")
    assert html.count("rank 1–2") == 4 and html.count("rank 4") == 2
    assert 'href="./pairs?m=AP"' in html and "m=RR" not in html
    assert html.count('class="track"') == 8 and html.count('class="chosen"') == 5
    first = found.runs[0]
    assert f"./?{first}-{first}" not in html and f"./?{found.runs[1]}-{first}" in html
    alone = ranked(found_in(runs_like([0.0, 0.2, 0.4])))
    assert alone.count('"placed first">rank 1<') == 2 == alone.count("placed first")


def test_many_runs_stand_on_one_measure_on_a_scale_of_their_own() -> None:
    html = ranked(found_in(runs_like([0.1, 0.2, 0.0, 0.201])), many=True)
    assert html.count('class="track"') == 4
    assert "<span>0.3</span><span>0.9</span>" in html and "each run’s 95% CI</small>" in html
    ends = [
        (float(left), float(left) + float(width))
        for left, width in re.findall(r'style="left:([\d.]+)%;width:([\d.]+)%', html)
    ]
    assert min(ends)[0] < 20 and max(end for _, end in ends) > 80, "the scale is theirs"
    assert (
        "runs significantly ahead: 0, significantly behind: 2, not significantly different: 1"
    ) in html
