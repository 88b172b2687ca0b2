"""Charts: what is drawn, what a click returns, and that user text stays text."""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
from collections.abc import Callable

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pytest

from dashboard.drawing.figures.breakdown import difference_by_group, score_by_group
from dashboard.drawing.figures.colour import (
    READABLE,
    contrast_ratio,
    diverging_color,
    readable_color,
    rgba,
)
from dashboard.drawing.figures.curves import measure_by_cutoff, precision_recall, reranking_ceiling
from dashboard.drawing.figures.heatmap import difference_heatmap
from dashboard.drawing.figures.plotly_figure import UnvalidatedFigure
from dashboard.drawing.figures.queries import FADED, MOST_BARS, sorted_differences
from dashboard.drawing.figures.query_heatmap import score_heatmap
from dashboard.drawing.figures.removal import difference_after_removal
from dashboard.drawing.figures.run_against_run import run_against_run
from dashboard.drawing.figures.score_strips import MOST_POINTS, score_strips
from dashboard.drawing.figures.text import (
    LINE,
    escape,
    query_hover_text,
    short_names,
    shorten,
    wrap_html,
)
from dashboard.drawing.figures.zoomed import make_zoomable
from dashboard.drawing.theme import LIGHT, PALETTES, Palette, RunStyle, run_styles
from metrics_core.comparing.pairs import query_differences
from metrics_core.slicing.breakdowns import breakdown, find_groups
from metrics_core.slicing.crossed import cross_groups
from metrics_core.tables import Queries
from tests.dashboard.drawings import drawing_of

BOLD = "<b>bm25</b> & co"
HYBRID = "hybrid"
GROUPS = ("Billing", "R&D <x>", "Shipping", "Rest")
ORDER = ("Shipping", "R&D <x>", "Billing", "Rest")
REMOVED = (0.09, 0.05, 0.02, -0.002, -0.03, -0.05, -0.08)
KS = np.array([1, 2, 5, 10, 20, 50, 100])


def styles_of(*names: str, baseline: str = BOLD) -> dict[str, RunStyle]:
    slots = {n: i for i, n in enumerate(n for n in names if n != baseline)}
    return run_styles(names, slots, focus=names[0], baseline=baseline)


STYLES = styles_of(HYBRID, BOLD, "dense")


def curve_frame(*names: str, baseline: str = BOLD) -> pd.DataFrame:
    parts = []
    for i, name in enumerate(names):
        mean = 0.6 - 0.05 * i - 0.1 * np.log10(KS)
        gap = np.full(len(KS), np.nan) if name == baseline else mean - 0.4
        columns = {"mean": mean, "low": mean - 0.05, "high": mean + 0.05}
        gaps = {"difference": gap, "diff_low": gap - 0.03, "diff_high": gap + 0.03}
        parts.append(pd.DataFrame({"run": name, "k": KS, **columns, **gaps}))
    return pd.concat(parts, ignore_index=True)


def scores_of(n: int = 60, names: tuple[str, ...] = (HYBRID, BOLD, "dense")) -> pd.DataFrame:
    random = np.random.default_rng(7)
    ids = [f"q{i}" for i in range(n)]
    parts = [
        pd.DataFrame({"run": name, "query_id": ids, "nDCG@10": random.random(n)}) for name in names
    ]
    return pd.concat(parts, ignore_index=True)


def queries_of(n: int = 60) -> Queries:
    return Queries.from_columns(
        {
            "query_id": [f"q{i}" for i in range(n)],
            "text": [f"why <i>{i}</i> & so on" for i in range(n)],
            "category": [GROUPS[min(i % 11, 3)] for i in range(n)],
            "difficulty": [("easy", "hard")[i % 2] for i in range(n)],
        }
    )


def breakdown_of(by: str = "category") -> pd.DataFrame:
    return breakdown(scores_of(), queries_of(), "nDCG@10", by=by, baseline=BOLD)


def cells_of() -> pd.DataFrame:
    queries, scores = queries_of(), scores_of()
    ids = queries.frame["query_id"].tolist()
    groups = (find_groups(queries, ids, by) for by in ("category", "difficulty"))
    return cross_groups(scores, "nDCG@10", *groups, run=HYBRID, baseline=BOLD)


def differences_of(n: int = 60) -> pd.DataFrame:
    frame = query_differences(scores_of(n), "nDCG@10", HYBRID, BOLD)
    return frame.merge(queries_of(n).frame[["query_id", "text"]], on="query_id")


def draw_curves(palette: Palette) -> go.Figure:
    return measure_by_cutoff(curve_frame(*STYLES), drawing_of(STYLES, palette))


def draw_reranking(palette: Palette) -> go.Figure:
    frame = curve_frame(*STYLES)[["run", "k", "mean"]]
    return reranking_ceiling(frame, drawing_of(STYLES, palette))


def draw_recall(palette: Palette) -> go.Figure:
    recall = np.linspace(0, 1, 11)
    parts = [
        pd.DataFrame({"run": n, "recall": recall, "precision": 0.8 - 0.5 * recall}) for n in STYLES
    ]
    return precision_recall(pd.concat(parts), drawing_of(STYLES, palette))


def draw_differences(palette: Palette) -> go.Figure:
    return difference_by_group(breakdown_of(), drawing_of(STYLES, palette), order=ORDER)


def draw_scores(palette: Palette) -> go.Figure:
    return score_by_group(breakdown_of(), drawing_of(STYLES, palette), order=ORDER)


def draw_heatmap(palette: Palette) -> go.Figure:
    return difference_heatmap(
        cells_of(), palette=palette, rows_title="category", columns_title="difficulty"
    )


def draw_bars(palette: Palette, shown: set[str] | None = None, n: int = 60) -> go.Figure:
    frame = differences_of(n)
    return sorted_differences(frame, drawing_of(STYLES, palette), visible_ids=shown)


def draw_points(palette: Palette, shown: set[str] | None = None) -> go.Figure:
    return run_against_run(
        differences_of(), drawing_of(STYLES, palette), tie_threshold=0.01, visible_ids=shown
    )


def draw_score_heatmap(palette: Palette, n: int = 60) -> go.Figure:
    wide = scores_of(n).pivot(index="query_id", columns="run", values="nDCG@10")
    frame = queries_of(n).frame[["query_id", "text"]].join(wide, on="query_id")
    return score_heatmap(frame, drawing_of(STYLES, palette))


def draw_strips(palette: Palette, shown: set[str] | None = None, n: int = 60) -> go.Figure:
    frame = scores_of(n, (HYBRID, BOLD)).rename(columns={"nDCG@10": "score"})
    told = queries_of(n).frame.set_index("query_id")
    frame["text"] = frame["query_id"].map(told["text"])
    frame["group"] = frame["query_id"].map(told["category"])
    summed = frame.groupby(["group", "run"])["score"].agg(["mean", "count"]).reset_index()
    means = summed.rename(columns={"count": "queries"})
    return score_strips(frame, means, GROUPS, drawing_of(STYLES, palette), visible_ids=shown)


def draw_removal(palette: Palette, differences: tuple[float, ...] = REMOVED) -> go.Figure:
    return difference_after_removal(np.array(differences), 3, drawing_of(STYLES, palette))


DRAW: dict[str, Callable[[Palette], go.Figure]] = {
    "curves": draw_curves,
    "recall": draw_recall,
    "reranking": draw_reranking,
    "differences": draw_differences,
    "scores": draw_scores,
    "heatmap": draw_heatmap,
    "bars": draw_bars,
    "points": draw_points,
    "score heatmap": draw_score_heatmap,
    "strips": draw_strips,
    "removal": draw_removal,
}


def all_text(figure: go.Figure) -> str:
    """Every text of a figure that Plotly would interpret: not the ids in customdata."""
    spec = figure.validated_figure.to_dict()
    for trace in spec["data"]:
        for row in trace.get("customdata", []):
            row[0] = ""
            heatmap = trace["type"] == "bar" and len(row) == 3 and "category" in str(row[2])
            if heatmap or (len(row) == 3 and row[1] in STYLES):
                row[1] = ""
    return json.dumps(spec, default=str, ensure_ascii=False)


@pytest.mark.parametrize("name", DRAW)
@pytest.mark.parametrize("palette", PALETTES.values(), ids=PALETTES)
def test_every_figure_carries_its_whole_layout(name: str, palette: Palette) -> None:
    layout = DRAW[name](palette).layout
    assert layout.paper_bgcolor == layout.plot_bgcolor == "rgba(0,0,0,0)"
    assert layout.dragmode is False
    assert layout.showlegend is False
    assert layout.uirevision == "ranklens"
    assert layout.font.size == 13
    assert layout.font.color == palette.ink
    assert layout.hoverlabel.bgcolor == palette.page
    assert layout.height >= 76
    assert not layout.template.to_plotly_json().get("layout")
    for axis in (layout.xaxis, layout.yaxis):
        assert axis.fixedrange is True
        assert axis.showline is False
    assert not (layout.xaxis.showgrid and layout.yaxis.showgrid) or name == "points"


@pytest.mark.parametrize("name", DRAW)
def test_figures_are_the_same_bytes_each_time(name: str) -> None:
    assert (
        UnvalidatedFigure(DRAW[name](LIGHT)).to_json()
        == UnvalidatedFigure(DRAW[name](LIGHT)).to_json()
    )


@pytest.mark.parametrize("name", DRAW)
def test_user_text_is_never_interpreted(name: str) -> None:
    text = all_text(DRAW[name](LIGHT))
    assert "<b>bm25</b> & co" not in text
    assert "<x>" not in text
    assert "<i>" not in text
    assert "<of>" not in text


@pytest.mark.parametrize("name", DRAW)
def test_bands_and_guides_do_not_take_the_mouse(name: str) -> None:
    for trace in DRAW[name](LIGHT).data:
        assert trace.hovertemplate or trace.hoverinfo in ("skip", "none")


def test_figures_import_no_streamlit() -> None:
    code = (
        "import sys, dashboard.drawing.figures.curves, dashboard.drawing.figures.breakdown,"
        " dashboard.drawing.figures.zoomed, dashboard.drawing.figures.heatmap,"
        " dashboard.drawing.figures.queries;"
        " sys.exit('streamlit' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_bands_above_belong_to_focus_and_baseline_below_to_the_focus() -> None:
    bands = [t for t in draw_curves(LIGHT).data if t.fill == "toself"]
    assert sorted(t.yaxis for t in bands) == ["y", "y", "y2"]
    below = next(t for t in bands if t.yaxis == "y2")
    assert below.fillcolor == rgba(STYLES[HYBRID].color(LIGHT), 0.16)


def lines_of(figure: go.Figure, yaxis: str = "y") -> list[go.Scatter]:
    return [t for t in figure.data if t.name and t.yaxis == yaxis]


def test_curves_mark_the_chosen_k_and_name_no_run() -> None:
    figure = draw_curves(LIGHT)
    (rule,) = figure.layout.shapes
    assert (rule.x0, rule.x1) == (10, 10)
    rows = curve_frame(*STYLES).query(f"run == '{HYBRID}'")
    clear = rows[(rows["diff_low"] > 0) | (rows["diff_high"] < 0)]["k"]
    (marked,) = (t for t in figure.data if t.mode == "lines+markers")
    ks = [k for k, y in zip(marked.x, marked.y, strict=True) if y is not None]
    assert ks == list(clear) != []
    axis, named, *_, label = figure.layout.annotations
    assert (axis.text, label.text) == ("k", f"{HYBRID}: significant")
    assert named.text.startswith("difference from &lt;b&gt;bm2") and named.hovertext == escape(BOLD)
    unclear = measure_by_cutoff(
        curve_frame(*STYLES).assign(diff_low=-1.0, diff_high=1.0), drawing_of(STYLES)
    )
    (unmarked,) = (t for t in unclear.data if t.mode == "lines+markers")
    assert not any(y is not None for y in unmarked.y)
    assert unclear.layout.annotations[-1].text == f"{HYBRID}: significant at no k"
    assert max(y for y in marked.y if y is not None) < figure.layout.yaxis2.tickvals[0]
    assert figure.layout.hoversort == "value descending"
    assert figure.layout.xaxis.unifiedhovertitle.text == "k = %{x}"
    # The axis follows the scores. It is a little longer, or Plotly draws no grid line at an end.
    (low, high), ticks = figure.layout.yaxis.range, figure.layout.yaxis.tickvals
    assert -0.02 < low < 0 == ticks[0]
    assert ticks[-2] < max(curve_frame(*STYLES)["high"]) <= ticks[-1] < high < ticks[-1] + 0.02
    assert list(figure.layout.xaxis.ticktext) == ["1", "2", "5", "10", "20", "50", "100"]
    lines = lines_of(figure)
    assert {t.line.dash for t in lines} == {"solid"}
    assert lines[-1].line.width == max(t.line.width for t in lines)


def test_where_lines_are_zoomed_what_they_say_stands_between_the_panels() -> None:
    chart = draw_curves(LIGHT)
    figure = make_zoomable(chart, drawing_of(STYLES))
    layout = figure.layout
    assert layout.dragmode == "zoom" and layout.hovermode == "x"
    assert not layout.xaxis.fixedrange and not layout.yaxis2.fixedrange
    assert layout.xaxis.tickmode == layout.yaxis.tickmode == "auto"
    assert (layout.yaxis.tickformat, layout.yaxis2.tickformat) == ("~r", "+~r")
    assert layout.yaxis2.domain[1] == layout.yaxis3.domain[0]
    assert layout.yaxis3.domain[1] == layout.yaxis.domain[0]
    read = figure.data[-1]
    assert read.yaxis == "y3" and list(read.x) == list(KS)
    above, below = read.hovertext[0].split("<br>")
    assert above.startswith("k = 1  ") and above.count("span style") == len(STYLES)
    assert below.count("span style") == len(STYLES) - 1 and BOLD not in above
    assert all(t.hoverinfo == "skip" and not t.hovertemplate for t in lines_of(figure))
    assert make_zoomable(chart, drawing_of(STYLES), "./curves?m=P").layout.meta == {
        "chooses": "./curves?m=P"
    }


def test_of_one_panel_it_stands_over_the_lines_and_of_many_runs_a_line_says_its_own() -> None:
    chart = draw_recall(LIGHT)
    figure = make_zoomable(chart, drawing_of(STYLES))
    assert figure.layout.height > chart.layout.height
    assert figure.layout.yaxis.domain[1] == figure.layout.yaxis3.domain[0] < 1
    assert figure.data[-1].hovertext[1].startswith("recall 0.1  ")
    styles = styles_of(*LONG, baseline=LONG[1])
    drawing = drawing_of(styles)
    many = measure_by_cutoff(curve_frame(*LONG, baseline=LONG[1]), drawing, coloured_runs=LONG[:5])
    assert make_zoomable(many, drawing).data == many.data
    assert make_zoomable(many, drawing).layout.hovermode == "closest"


def test_a_line_is_thin_beyond_the_rank_by_which_its_lists_end() -> None:
    ends = {HYBRID: 100, BOLD: 22, "dense": 100}
    figure = measure_by_cutoff(curve_frame(*STYLES), drawing_of(STYLES), end_by_run=ends)
    thick = [t for t in figure.data if t.mode == "lines" and not t.fill and not t.name]
    above, below = ([t for t in thick if t.yaxis == axis] for axis in ("y", "y2"))
    assert [max(t.x) for t in above] == [20] and not below, "the baseline's own"
    assert all(t.hoverinfo == "skip" for t in thick)


def test_the_axis_of_the_differences_stays_when_the_band_comes() -> None:
    whole = curve_frame(*STYLES)
    awaited = whole.assign(diff_low=np.nan, diff_high=np.nan)
    axes = [
        measure_by_cutoff(frame, drawing_of(STYLES)).layout.yaxis2 for frame in (awaited, whole)
    ]
    assert axes[0] == axes[1]


def test_curves_without_differences_have_one_panel() -> None:
    styles = styles_of(HYBRID, baseline=HYBRID)
    frame = curve_frame(HYBRID, baseline=HYBRID)
    figure = measure_by_cutoff(frame, drawing_of(styles, cutoff=500))
    assert "yaxis2" not in figure.to_dict()["layout"]
    assert not figure.layout.shapes
    assert figure.layout.height < draw_curves(LIGHT).layout.height


def test_the_axis_of_the_differences_follows_them() -> None:
    frame = curve_frame(*STYLES).assign(diff_low=np.nan, diff_high=np.nan)
    for scale, ends in ((1.0, (-0.1, 0.3)), (0.1, (-0.01, 0.03))):
        small = frame.assign(difference=frame["difference"] * scale)
        axis = measure_by_cutoff(small, drawing_of(STYLES)).layout.yaxis2
        assert (axis.tickvals[0], axis.tickvals[-1]) == ends
        # A run that differs much more does not make the run in focus flat.
        others = small["run"] != drawing_of(STYLES).focus
        small.loc[others, "difference"] *= 1000
        figure = measure_by_cutoff(small, drawing_of(STYLES))
        assert figure.layout.yaxis2 == axis
        notes = [note.text for note in figure.layout.annotations]
        assert notes[-1] == "off scale: dense", "some formats do not clip, so nothing shows it"
        below = [y for t in figure.data if t.yaxis == "y2" for y in t.y if y is not None and y == y]
        assert below and ends[0] <= min(below) and max(below) <= ends[1], "some formats do not clip"


def test_one_of_the_two_panels_can_be_drawn_alone() -> None:
    for panels, axis in (("scores", "yaxis"), ("differences", "yaxis2")):
        figure = measure_by_cutoff(curve_frame(*STYLES), drawing_of(STYLES), panels=panels)  # type: ignore[arg-type]
        layout = figure.to_dict()["layout"]
        assert {name for name in layout if name.startswith("yaxis")} == {axis}
        assert layout[axis]["domain"] == [0, 1]
        assert {t.yaxis for t in figure.data} == {axis.replace("axis", "")}


LONG = tuple(
    f"{model}_docs10_terms20_weight0.5-{date}"
    for model in (
        "bm25-plus-rm3.fb",
        "splade-v3.distilled",
        "e5-large-v2.passage",
        "colbert-v2.top",
    )
    for date in ("2026-03", "2026-04", "seed-42", "seed-43", "night")
)


def test_shortened_names_stay_different() -> None:
    names = [f"{b}-rather-long-name-of-a-run-b={b}-of-many-parameters-of-{b}" for b in range(12)]
    short = short_names(names)
    assert len(set(short.values())) == 12
    assert all("…" in text and len(text) < len(name) for name, text in short.items())
    long = [f"bge-reranker-v2-gemma-{a}-from-{b}-seed" for a in ("base", "large") for b in "gl"]
    assert max(map(len, short_names(["bm25", *long], 20).values())) <= 20
    assert short_names(["bm25", "dense"]) == {"bm25": "bm25", "dense": "dense"}
    assert shorten("abcdefghijklmnopqrst", 9) == "abcd…qrst"
    assert shorten("an item of very large size", 15, between_words=True) == "an item…size"


def test_what_all_long_names_share_is_left_out() -> None:
    asked = {
        "run.bm25.msmarco-passage.dev.small": "bm25",
        "run.dense-e5.msmarco-passage.dev.small": "dense-e5",
    }
    assert short_names(asked) == asked
    numbered = [f"experiment-2026-retrieval-run-{i}" for i in range(12)]
    assert short_names(numbered) == {
        name: name.removeprefix("experiment-2026-retrieval-") for name in numbered
    }
    within = ["prefix-long-long-long-long", "prefix-long-long-long-long-x"]
    assert list(short_names(within).values()) == ["long", "long-x"]
    assert short_names(["rag_v1", "rag_v2"]) == {"rag_v1": "rag_v1", "rag_v2": "rag_v2"}
    assert short_names(["x" * 40, "bm25"])["bm25"] == "bm25"


@pytest.mark.parametrize(
    "names",
    [
        [f"{'a' * 40}{letter}{'b' * 39}" for letter in "xyz"],
        ["bm25", *(f"a-run-{'x' * 30}-{letter}-{'y' * 30}-end" for letter in "AB"), "c" * 80],
        [f"{begin}{'m' * 70}{end}" for begin in ("alpha", "alphb") for end in ("one", "two")],
        [f"ColBERTv2MsMarcoDistilledFromCrossEncoder{letter}FinalRunSubmission" for letter in "AB"],
        ["x" * 80, "x" * 79],
    ],
)
def test_names_that_differ_in_little_are_cut_to_what_differs(names: list[str]) -> None:
    short = short_names(names, 16)
    assert len(set(short.values())) == len(names)
    assert max(map(len, short.values())) <= 16


def test_names_of_a_grid_of_settings_stay_different_and_short() -> None:
    names = [
        f"bge-{size}-on-passages-rate{rate}-with-warm-up-and-cosine-schedule-seed{seed}"
        for size in ("base", "large")
        for rate in (1, 2)
        for seed in (1, 2)
    ]
    short = short_names(names, 16)
    assert len(set(short.values())) == 8 and max(map(len, short.values())) <= 24


def test_rows_of_many_runs_stay_low_and_keep_their_marks_inside() -> None:
    names = LONG
    styles = styles_of(*names, baseline=names[1])
    frame = breakdown(
        scores_of(names=names), queries_of(), "nDCG@10", by="category", baseline=names[1]
    ).assign(mean=0.5)
    for figure in (
        difference_by_group(frame, drawing_of(styles), order=ORDER),
        score_by_group(frame, drawing_of(styles), order=ORDER),
    ):
        height = figure.data[0].width
        assert height <= 72
        for trace in figure.data[1:]:
            for row, y in zip(trace.customdata or (), trace.y, strict=False):
                centre = (ORDER.index(row[0]) + 0.5) * height
                assert abs(y - centre) < height / 2 - 2


def test_forty_groups_with_long_names_have_at_most_three_lines() -> None:
    groups = [f"questions about the {i}th of the matters that nobody sorted" for i in range(40)]
    frame = pd.DataFrame(
        {"group": groups, "run": HYBRID, "difference": 0.1, "diff_low": 0.0, "diff_high": 0.2,
         "mean": 0.5, "low": 0.4, "high": 0.6, "queries": 7}
    )  # fmt: skip
    figure = difference_by_group(frame, drawing_of(STYLES), order=groups)
    labels = [a for a in figure.layout.annotations if a.hovertext in groups]
    assert [a.hovertext for a in labels] == groups
    assert all(a.text.count("<br>") <= 3 for a in labels)
    assert figure.data[0].width >= 16 * 3


def test_of_many_runs_those_not_in_colour_are_grey_and_say_their_name() -> None:
    styles, loud = styles_of(*LONG, baseline=LONG[1]), LONG[:5]
    frame = curve_frame(*LONG, baseline=LONG[1])
    frame["difference"] /= 100  # all within the band of the run in focus
    figure = measure_by_cutoff(frame, drawing_of(styles), coloured_runs=loud)
    for yaxis, runs in (("y", 20), ("y2", 19)):
        lines = lines_of(figure, yaxis)
        grey = {t.name for t in lines if t.line.color == LIGHT.line}
        assert len(lines) == runs and grey == set(LONG) - set(loud)
        assert all("k = %{x}" in t.hovertemplate for t in lines)
    assert figure.layout.hovermode == "closest"
    colours = [(t.line.color, t.line.dash) for t in lines_of(figure) if t.name in loud]
    assert len(set(colours)) == 5


def test_a_click_on_a_point_tells_group_and_run() -> None:
    for figure in (draw_differences(LIGHT), draw_scores(LIGHT)):
        points = [t for t in figure.data if t.type == "scatter" and t.mode == "markers"]
        assert len({row[1] for t in points for row in t.customdata}) >= 2
        for trace in points:
            assert {row[1] for row in trace.customdata} < set(STYLES)
            assert trace.hovertemplate.startswith("%{customdata[2]}")


def test_a_click_anywhere_in_a_row_gives_its_group() -> None:
    order = ORDER
    for figure in (draw_differences(LIGHT), draw_scores(LIGHT)):
        rows = figure.data[0]
        assert [row[0] for row in rows.customdata] == list(order)
        assert rows.hoverinfo == "none"
        span = figure.layout.xaxis.range
        assert rows.base[0] == span[0]
        assert rows.base[0] + rows.x[0] == pytest.approx(span[1])
        for trace in figure.data[1:]:
            assert trace.customdata is None or {row[0] for row in trace.customdata} <= set(order)
    assert "R&D <x>" in order


def test_rows_of_both_breakdown_charts_stand_at_the_same_height() -> None:
    left, right = draw_differences(LIGHT), draw_scores(LIGHT)
    assert left.layout.height == right.layout.height
    assert left.layout.margin.t == right.layout.margin.t
    assert list(left.data[0].y) == list(right.data[0].y)


def test_scores_by_group_have_intervals_side_by_side_and_no_names() -> None:
    frame = breakdown_of().assign(mean=0.5)
    figure = score_by_group(frame, drawing_of(STYLES), order=ORDER)
    intervals, points = figure.data[1::2], figure.data[2::2]
    assert len(points) == len(intervals) == len(STYLES)
    assert len({float(t.y[0]) for t in points}) == len(STYLES), "equal scores are all seen"
    assert all(line.mode == "lines" and np.nanmin(line.x) < np.nanmax(line.x) for line in intervals)
    written = [note.text for note in figure.layout.annotations]
    assert len(written) == len(ORDER) and all("queries" in text for text in written)


def test_heatmap_cells_say_row_and_column_as_they_are() -> None:
    (trace,) = draw_heatmap(LIGHT).data
    cells = cells_of()
    filled = cells[cells["queries"] > 0]
    found = [(row[0], row[1]) for row in trace.customdata]
    turned = list(zip(filled["row"], filled["column"], strict=True))
    assert found == turned
    # The colour follows the number, but a mean of few queries has none.
    few = filled["queries"] < 5
    most = filled.loc[~few, "difference"].abs().max()
    wanted = [diverging_color(gap, max(most, 0.1), LIGHT) for gap in filled["difference"]]
    assert list(trace.marker.color) == np.where(few, LIGHT.page, wanted).tolist()
    assert list(trace.marker.line.width) == few.astype(int).to_list() and few.any()
    assert not any("<b>" in text for text in trace.text)


def test_empty_cells_are_blank() -> None:
    cells = cells_of()
    empty = (cells["row"] == "Rest") & (cells["column"] == "easy")
    cells.loc[empty, "queries"] = 0
    cells.loc[empty, "difference"] = np.nan
    figure = difference_heatmap(cells, palette=LIGHT, rows_title="a", columns_title="b")
    assert ["Rest", "easy"] not in [list(row[:2]) for row in figure.data[0].customdata]
    assert [a.text for a in figure.layout.annotations].count("no queries") == 1


def test_the_grouping_with_fewer_groups_makes_the_columns() -> None:
    turned = cells_of().rename(columns={"row": "column", "column": "row"})
    figure = difference_heatmap(turned, palette=LIGHT, rows_title="a", columns_title="b")
    upright = draw_heatmap(LIGHT)
    assert figure.layout.xaxis.range == upright.layout.xaxis.range
    first = figure.data[0].customdata[0]
    assert first[0] in ("easy", "hard", "all")


@pytest.mark.parametrize("palette", PALETTES.values(), ids=PALETTES)
def test_cell_colours_are_symmetric_and_their_text_can_be_read(palette: Palette) -> None:
    assert diverging_color(0, 0.3, palette) == palette.diverging_zero
    assert diverging_color(9, 0.3, palette) == palette.diverging_high
    assert diverging_color(-0.3, 0.3, palette) == palette.diverging_low
    for value in np.linspace(-0.3, 0.3, 61):
        ground = diverging_color(float(value), 0.3, palette)
        text = readable_color(ground, palette.ink, palette.page)
        assert contrast_ratio(text, ground) >= READABLE


def test_bars_stand_from_worst_to_best_like_the_table_and_carry_the_query() -> None:
    frame = differences_of().sort_values("difference", ignore_index=True)
    figure = draw_bars(LIGHT)
    at = {x: row for t in figure.data for x, row in zip(t.x, t.customdata, strict=True)}
    assert [at[i][0] for i in range(len(at))] == frame["query_id"].to_list()
    assert at[0][1] == escape(frame["text"][0])
    assert "→" in at[0][2]
    low, high = figure.layout.yaxis.range
    assert low < 0 < high


def test_a_filter_fades_the_other_marks_but_keeps_them() -> None:
    shown = {"q1", "q2", "q3"}
    bars = draw_bars(LIGHT, shown).data
    assert sum(len(t.x) for t in bars) == 60
    full = {LIGHT.better, LIGHT.worse, LIGHT.zero}
    clear = {row[0] for t in bars if t.marker.color in full for row in t.customdata}
    assert clear == shown
    points = [t for t in draw_points(LIGHT, shown).data if t.customdata is not None]
    opacity = {
        row[0]: o for t in points for row, o in zip(t.customdata, t.marker.opacity, strict=True)
    }
    assert {q for q, o in opacity.items() if o == 1} == shown
    assert {o for q, o in opacity.items() if q not in shown} == {FADED}


def test_thousands_of_queries_stay_light_and_keep_best_and_worst() -> None:
    frame = differences_of(5000)
    bars = draw_bars(LIGHT, n=5000).data
    ids = {row[0] for t in bars for row in t.customdata}
    assert len(ids) == MOST_BARS
    assert frame.loc[frame["difference"].idxmax(), "query_id"] in ids
    assert frame.loc[frame["difference"].idxmin(), "query_id"] in ids
    assert all(t.width >= 5 for t in bars)


def test_undefined_differences_are_left_out() -> None:
    frame = differences_of()
    frame.loc[:9, ["score", "difference"]] = np.nan
    frame.loc[:9, "outcome"] = None
    figure = sorted_differences(frame, drawing_of(STYLES))
    assert sum(len(t.x) for t in figure.data) == 50
    assert "NaN" not in UnvalidatedFigure(figure).to_json()


def test_run_against_run_is_square_with_a_shape_for_each_outcome() -> None:
    figure = draw_points(LIGHT)
    assert figure.layout.xaxis.range == figure.layout.yaxis.range
    assert figure.layout.yaxis.scaleanchor == "x"
    symbols = [t.marker.symbol for t in figure.data if t.mode == "markers"]
    assert symbols == ["circle", "triangle-up", "triangle-down"]
    wide = run_against_run(
        differences_of().assign(score=40.0),
        drawing_of(STYLES, measure="DCG@10"),
        tie_threshold=0.01,
    )
    assert wide.layout.xaxis.range[1] >= 40
    lower = run_against_run(
        differences_of(), drawing_of(STYLES, measure="NumNonrelRet"), tie_threshold=0.01
    )
    above, below = [note.text for note in figure.layout.annotations[-2:]]
    assert [note.text for note in lower.layout.annotations[-2:]] == [below, above]


@pytest.mark.parametrize("flat", [True, False])
def test_one_query_and_no_difference_still_draw(flat: bool) -> None:
    frame = pd.DataFrame(
        {"query_id": ["q"], "text": [""], "score": 0.5, "baseline_score": 0.5 if flat else 0.1,
         "difference": 0.0 if flat else 0.4, "outcome": "same" if flat else "better"}
    )  # fmt: skip
    figure = sorted_differences(frame, drawing_of(styles_of("a", "b", baseline="b")))
    assert figure.data[0].customdata[0][1] == "q"


def test_query_texts_in_hovers_are_short_and_escaped() -> None:
    text = query_hover_text("word <b> " * 40)
    assert text.endswith("…")
    assert "&lt;b&gt;" in text
    assert text.count("<br>") <= 2
    assert wrap_html("a<br>b") == "a&lt;br&gt;b"


@pytest.mark.parametrize("shown", [None, {f"q{i}" for i in range(0, 7000, 3)}])
def test_a_point_of_thousands_of_queries_is_light_and_leads_to_its_query(
    shown: set[str] | None,
) -> None:
    frame = differences_of(7000)
    figure = run_against_run(frame, drawing_of(STYLES), tie_threshold=0.01, visible_ids=shown)
    at = frame.set_index("query_id")
    points = [t for t in figure.data if t.customdata is not None]
    assert 500 < sum(len(t.x) for t in points) <= 2000
    for trace in points:
        ids = [row[0] for row in trace.customdata]
        assert list(trace.y) == at.loc[ids, "score"].to_list()
        assert list(trace.x) == at.loc[ids, "baseline_score"].to_list()
        wanted = [1.0 if shown is None or q in shown else FADED for q in ids]
        assert list(trace.marker.opacity) == wanted


def test_strips_thin_out_keep_the_extremes_and_fade_what_is_left_out() -> None:
    many = draw_strips(LIGHT, n=4000)
    points = [trace for trace in many.data if trace.customdata is not None]
    assert sum(len(trace.x) for trace in points) <= MOST_POINTS
    scores = scores_of(4000, (HYBRID, BOLD)).groupby("run")["nDCG@10"]
    assert {trace.x.min() for trace in points} == set(scores.min())
    assert {trace.x.max() for trace in points} == set(scores.max())
    (first, *_) = draw_strips(LIGHT, shown={"q3"}).data
    strong = [row[0] for row, seen in zip(first.customdata, first.marker.opacity, strict=True)
              if seen > 0.5]  # fmt: skip
    assert strong == ["q3"]
    strokes = [trace for trace in many.data if trace.customdata is None]
    assert [len(trace.x) for trace in strokes] == [len(GROUPS)] * 2


def test_a_cell_of_the_heatmap_of_scores_says_query_run_and_score() -> None:
    (cells,) = draw_score_heatmap(LIGHT).data
    empty = pd.DataFrame({run: [False, True] for run in STYLES})
    scores = pd.DataFrame({"query_id": ["a", "b"], "text": "", **dict.fromkeys(STYLES, 0.0)})
    framed = score_heatmap(scores, drawing_of(STYLES), empty_lists=empty).data[1]
    assert set(framed.x) == {1} and framed.marker.line.width == 1
    assert all(row[2].endswith("0.000, no results") for row in framed.customdata)
    assert len(cells.x) == 180 and (cells.marker.cmin, cells.marker.cmax) == (0, 1)
    query_id, _, numbers = cells.customdata[61]
    assert query_id == "q1" and numbers.endswith(f"{cells.marker.color[61]:.3f}")
    assert (cells.x[61], cells.base[61] + cells.y[61] / 2) == (1, 1)


def test_the_difference_after_removal_marks_its_crossing_beside_the_line() -> None:
    figure = draw_removal(LIGHT)
    line, points = figure.data
    assert line.y.tolist() == list(REMOVED) and list(points.x) == [0, 3]
    texts = [note.text for note in figure.layout.annotations]
    assert texts[:2] == ["all queries: <b>+0.090</b>", "without 3: <b>−0.002</b>"]
    assert list(figure.layout.yaxis.tickvals) == [-0.1, -0.05, 0, 0.05, 0.1]
    assert figure.layout.yaxis.zeroline and list(figure.layout.xaxis.tickvals) == [*range(7)]
    # The label of a line that rises is below its point.
    sides = [draw_removal(LIGHT, REMOVED), draw_removal(LIGHT, tuple(-y for y in REMOVED))]
    assert [side.layout.annotations[1].yanchor for side in sides] == ["bottom", "top"]


@pytest.mark.parametrize(("low", "high"), [(-0.78, 0.5), (-0.03, 0.11), (-4.0, 31.0), (0.2, 0.2)])
def test_axes_of_groups_reach_what_is_drawn_with_labels_that_fit(low: float, high: float) -> None:
    frame = pd.DataFrame(
        {"group": ORDER, "run": HYBRID, "difference": high, "diff_low": low, "diff_high": high,
         "mean": high, "low": low, "high": high, "queries": 12}
    )  # fmt: skip
    for draw in (difference_by_group, score_by_group):
        figure = draw(frame, drawing_of(STYLES), order=ORDER, label="bar: 95% interval")
        axis, notes = figure.layout.xaxis, [note.text for note in figure.layout.annotations]
        assert axis.range[0] < axis.tickvals[0] <= low and high <= axis.tickvals[-1] < axis.range[1]
        assert 4 <= len(axis.tickvals) <= 9 and sum(map(bool, axis.ticktext)) >= 3
        assert len({round(b - a, 9) for a, b in itertools.pairwise(axis.tickvals)}) == 1
        assert "bar: 95% interval" in notes
    assert draw_differences(LIGHT).layout.height == figure.layout.height - LINE
