"""Ids that do not meet: which other reading of them would match, and that none is told without."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from metrics_core.base.errors import ParameterError, RanklensError
from metrics_core.checks import id_mismatch
from metrics_core.checks.id_mismatch import (
    find_document_mismatch,
    find_document_mismatches,
    find_query_mismatch,
    find_query_mismatches,
)
from metrics_core.checks.id_readings import parse_id_map, parse_id_transform
from metrics_core.checks.mapped_ids import IdMaps, map_ids
from metrics_core.judging import join_judgments
from metrics_core.measures import parse_measure
from metrics_core.scoring.scores import score_runs
from metrics_core.tables import Qrels, Queries, Run

Write = Callable[[str], str]


def same(number: str) -> str:
    return number


def files(in_run: Write = same, in_qrels: Write = same, query: Write = same) -> tuple[Run, Qrels]:
    """A run of thirty queries with twenty documents each, every third of them judged; ids are
    numbers as each side writes them."""
    numbers = random.Random(1)
    rows: dict[tuple[str, str], float] = {}
    judged = []
    for q in range(1, 31):
        for rank in range(20):
            doc = str(numbers.randrange(10**6))
            rows.setdefault((query(str(q)), in_run(doc)), -float(rank))
            if rank % 3 == 0:
                judged.append((str(q), in_qrels(doc), rank % 2))
    return (
        Run.from_columns("run", *map(list, zip(*rows, strict=True)), list(rows.values())),
        Qrels.from_columns(*map(list, zip(*judged, strict=True))),
    )


PLAIN = files()


@pytest.mark.parametrize(
    ("in_run", "in_qrels", "name"),
    [
        (lambda d: f"doc{d}#3_4", lambda d: f"doc{d}", "cut #"),
        (lambda d: f"MARCO_{d}", same, "after _"),
        (lambda d: f"D{d}", same, "drop D"),
        (lambda d: f"ft911-{d}", lambda d: f"FT911-{d}", "case"),
        (lambda d: f"{d}.0", same, ".0"),
        (lambda d: d.zfill(9), same, "zeros"),
        (lambda d: f" {d}", same, "blanks"),
        (lambda d: f"http%3A%2F%2Fx%2F{d}", lambda d: f"http://x/{d}", "percent"),
        (lambda d: f"b'd{d}'", lambda d: f"d{d}", "quotes"),
        (same, lambda d: f'b"{d}"', "quotes"),
        (lambda d: f'"{d}"', same, "quotes"),
        (lambda d: f"docs/a/{d}.pdf", lambda d: f"{d}.txt", "file name"),
        (lambda d: f"{d}-a-long-title-of-it"[:16], lambda d: f"{d}-a-long-title-of-it", "first 16"),
        (lambda d: f"MARCO_{d.zfill(8)}", same, "after _, zeros"),
        (lambda d: f"MARCO_{d}#1", same, "cut #, after _"),
    ],
)
def test_documents_that_another_reading_would_match(
    in_run: Write, in_qrels: Write, name: str
) -> None:
    run, qrels = files(in_run, in_qrels)
    found = find_document_mismatch(run, qrels)
    assert found is not None and name in found.reading.name
    assert found.n_matched_by_reading == found.n_possible > found.n_matched
    assert parse_id_map(found.reading.name).name == found.reading.name, "an option takes it back"
    maps = IdMaps(documents=parse_id_map(found.reading.name))
    mapped = join_judgments(map_ids(run, maps), map_ids(qrels, maps))
    assert (mapped.judged().count() == join_judgments(*PLAIN).judged().count()).all()
    note = found.note()
    assert found.option in note.message and len(note.examples) == 3 and note.loud


@pytest.mark.parametrize(
    ("query", "name"),
    [
        (lambda q: f"q{q}", "drop q"),
        (lambda q: f"{q}.1", "cut ."),
        (lambda q: f"{q}.0", ".0"),
        (lambda q: q.zfill(2), "zeros"),
        (lambda q: f"b'{q}'", "quotes"),
        (lambda q: f"topic-{q.zfill(3)}", "after -, zeros"),
    ],
)
def test_queries_that_another_reading_would_match(query: Write, name: str) -> None:
    run, qrels = files(query=query)
    found = find_query_mismatch(run, qrels)
    assert found is not None and (
        found.reading.name,
        found.n_matched_by_reading,
        found.n_possible,
    ) == (name, 30, 30)
    maps = IdMaps(queries=parse_id_map(name))
    mapped = join_judgments(map_ids(run, maps), map_ids(qrels, maps))
    assert not mapped.missing_queries


def test_where_ids_meet_or_cannot_nothing_is_told() -> None:
    assert find_document_mismatch(*PLAIN) is find_query_mismatch(*PLAIN) is None
    elsewhere, _ = files(lambda d: f"x{int(d) * 7919 % 10**6}")
    assert (
        find_document_mismatch(elsewhere, PLAIN[1])
        is find_query_mismatch(elsewhere, PLAIN[1])
        is None
    )
    assert find_query_mismatch(files(query=lambda q: f"z{int(q) + 500}")[0], PLAIN[1]) is None


def odd(number: str, if_odd: str, if_even: str) -> str:
    return (if_odd if int(number) % 2 else if_even) + number


@pytest.mark.parametrize(
    ("in_run", "in_qrels"),
    [
        # Two sources on a side: `wiki-7` and `blog-7` are two documents.
        (lambda d: odd(d, "wiki-", "blog-"), lambda d: odd(d, "blog-", "wiki-")),
        (lambda d: odd(d, "wiki-", "blog-"), lambda d: f"news-{d}"),
        (lambda d: f"news-{d}", lambda d: odd(d, "wiki-", "blog-")),
        # Some ids lack the part that is cut off the others.
        (lambda d: odd(d, "wiki-", "q"), lambda d: f"news-{d}"),
        # Sources of different readings on the two sides.
        (lambda d: f"{d}#{int(d) % 2}", lambda d: f"news-{d}"),
        # Two ids of the judgments, or of the run, would be one.
        (lambda d: str(int(d) // 1000), lambda d: f"{int(d) // 1000}-{d}"),
        (lambda d: f"{int(d) // 100}-{d}", lambda d: str(int(d) // 100)),
    ],
)
def test_a_reading_that_may_take_two_documents_for_one_is_not_proposed(
    in_run: Write, in_qrels: Write
) -> None:
    assert find_document_mismatch(*files(in_run, in_qrels)) is None


def test_a_part_is_cut_on_both_sides_only_if_no_id_matches_without() -> None:
    found = find_document_mismatch(*files(lambda d: f"wiki-{d}", lambda d: f"corpus/{d}"))
    assert found is not None and found.n_matched_by_reading == found.n_possible

    def in_qrels(number: str) -> str:
        return f"wiki-{number}" if int(number) % 101 == 0 else f"corpus/{number}"

    run, qrels = files(lambda d: f"wiki-{d}", in_qrels)
    assert 0 < join_judgments(run, qrels).judged().count().sum() < 0.02 * len(qrels)
    assert find_document_mismatch(run, qrels) is None


def test_ids_that_become_one_outside_of_the_sample_count_too() -> None:
    queries, docs = [str(q) for q in range(100)], [str(d) for d in range(1000, 1100)]
    qrels = Qrels.from_columns(queries, docs, [1] * 100)
    prefixed = [f"wiki-{doc}" for doc in docs]
    found = find_document_mismatch(Run.from_columns("run", queries, prefixed, [0.0] * 100), qrels)
    assert found is not None and found.sampled and found.reading.name == "after -"
    # Of another source, beyond the queries that are looked at.
    both = Run.from_columns("run", [*queries, "1"], [*prefixed, "blog-1000"], [0.0] * 101)
    found = find_document_mismatch(both, qrels)
    assert found is not None and found.sampled and found.reading.name == "drop wiki-"


def test_a_run_that_retrieves_some_judged_documents_is_not_searched(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of pooled judgments a run retrieves a part: nothing is wrong with its ids."""
    searched: list[object] = []
    every_reading = id_mismatch.find_possible_transforms
    monkeypatch.setattr(
        id_mismatch,
        "find_possible_transforms",
        lambda *ids: searched.append(ids) or every_reading(*ids),
    )
    pooled = files(lambda d: d if int(d) % 25 == 0 else f"other-{int(d) * 7919 % 10**6}")
    assert find_document_mismatch(*pooled) is None
    assert not find_document_mismatches(
        {"run": (join_judgments(*pooled), lambda: pytest.fail("loaded"))}, PLAIN[1]
    )
    assert not searched


@pytest.mark.parametrize("what", ["query", "document"])
def test_readings_are_looked_for_once_in_a_collection(
    what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    searched: list[object] = []
    every_reading = id_mismatch.find_possible_transforms
    monkeypatch.setattr(
        id_mismatch,
        "find_possible_transforms",
        lambda *ids: searched.append(ids) or every_reading(*ids),
    )

    def found(*runs: Run) -> dict[str, id_mismatch.Mismatch]:
        searched.clear()
        named = {str(number): run for number, run in enumerate(runs)}
        if what == "query":
            return find_query_mismatches(named, PLAIN[1])
        return find_document_mismatches(
            {n: (join_judgments(run, PLAIN[1]), lambda run=run: run) for n, run in named.items()},  # type: ignore[misc]
            PLAIN[1],
        )

    def written(write: Write) -> Run:
        return files(write)[0] if what == "document" else files(query=write)[0]

    # A few queries match, so that the run can be judged.
    prefixed = written(lambda i: i if what == "query" and int(i) < 4 else f"D{i}")
    strange = written(lambda i: i if what == "query" and int(i) < 4 else f"x{int(i) * 7919}")
    mismatches = found(PLAIN[0], prefixed, prefixed, strange)
    assert [*mismatches] == ["1", "2"] and len(searched) == 1
    assert {own.reading.name for own in mismatches.values()} == {"drop D"}
    assert not found(strange, strange, prefixed) and len(searched) == 1


def test_of_several_chunks_the_best_counts() -> None:
    run = Run.from_columns(
        "chunks",
        ["q1"] * 4,
        ["docA#2", "docB#1", "docA#1", "docC#9"],
        [1.0, 2.0, 3.0, 0.5],
    )
    qrels = Qrels.from_columns(["q1", "q1", "q1"], ["docA", "docB", "docB#1"], [2, 1, 0])
    maps = IdMaps(documents=parse_id_map("cut #"))
    mapped, judged = map_ids(run, maps), map_ids(qrels, maps)
    listed = dict(zip(mapped.doc_ids.to_pylist(), mapped.scores.tolist(), strict=True))
    assert listed == {"docA": 3.0, "docB": 2.0, "docC": 0.5}
    grades = dict(zip(judged.doc_ids.to_pylist(), judged.relevance.tolist(), strict=True))
    assert grades == {"docA": 2, "docB": 1}
    assert "one row dropped because the id mapping merged documents" in mapped.notes[
        -1
    ].message.replace("1 row", "one row")
    scores = score_runs([join_judgments(mapped, judged)], (parse_measure("nDCG@10"),))
    assert scores.values[0, 0, 0] == 1.0


def test_ids_that_are_cut_at_a_length() -> None:
    def whole(number: str) -> str:
        return f"doc{number.zfill(6)}{int(number) * 7919:012}"

    found = find_document_mismatch(*files(lambda d: whole(d)[:9], whole))
    assert found is not None and found.reading.name == "first 9"


def test_a_reading_that_makes_one_of_many_ids_matches_nothing() -> None:
    assert (
        find_document_mismatch(*files(lambda d: f"doc-{d}", lambda d: f"doc-{int(d) + 1}")) is None
    )


def test_one_side_can_be_named() -> None:
    maps = parse_id_map("run: drop MARCO_D; qrels: after _, case")
    assert [r.name for r in maps.run] == ["drop MARCO_D"]
    assert [r.name for r in maps.qrels] == ["after _", "case"]
    assert "in the run" in maps.description and "in the judgments" in maps.description


def test_two_queries_do_not_become_one() -> None:
    run, qrels = PLAIN
    maps = IdMaps(queries=parse_id_map("first 1"))
    for table in (run, qrels):
        with pytest.raises(RanklensError, match="This mapping of query ids merges two queries"):
            map_ids(table, maps)
    queries = Queries.from_columns({"query_id": ["11", "12"], "text": ["a", "b"]})
    with pytest.raises(RanklensError, match="This mapping of query ids merges two queries"):
        map_ids(queries, maps)


@pytest.mark.parametrize("name", ["", "cut", "first", "first x", "first 0", "shout", "drop "])
def test_a_reading_that_there_is_not(name: str) -> None:
    with pytest.raises(ParameterError, match="Unknown id mapping"):
        parse_id_transform(name)
