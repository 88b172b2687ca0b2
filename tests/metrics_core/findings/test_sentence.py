"""Sentences as data."""

from __future__ import annotations

from metrics_core.findings.sentence import Sentence, muted_span, run_span, strong_span


def test_a_statement_is_parted_from_what_qualifies_it() -> None:
    told = (
        run_span("dense")
        + strong_span(" leads from k = 2; ")
        + muted_span("below it may be chance. ")
        + run_span("b")
    )
    said, rest = told.statement_and_rest
    assert (said.text, rest.text) == ("dense leads from k = 2", "Below it may be chance. b")
    assert [span.role for span in said.spans] == ["run", "strong"]
    assert (
        strong_span("All. ").statement_and_rest[0].text,
        strong_span("All. ").statement_and_rest[1],
    ) == ("All", Sentence())
    assert muted_span("only this").statement_and_rest == (Sentence(), muted_span("Only this"))
