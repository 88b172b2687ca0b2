"""Sentences as data."""

from __future__ import annotations

from metrics_core.findings.sentence import Sentence, muted, run, strong


def test_a_statement_is_parted_from_what_qualifies_it() -> None:
    told = (
        run("dense") + strong(" leads from k = 2; ") + muted("below it may be chance. ") + run("b")
    )
    said, rest = told.parted
    assert (said.text, rest.text) == ("dense leads from k = 2", "Below it may be chance. b")
    assert [span.role for span in said.spans] == ["run", "strong"]
    assert (strong("All. ").parted[0].text, strong("All. ").parted[1]) == ("All", Sentence())
    assert muted("only this").parted == (Sentence(), muted("Only this"))
