"""What every page's frame holds."""

from __future__ import annotations

import re

from dashboard.frame import styles


def test_the_styles_hold_nothing_that_a_browser_could_take_for_a_tag() -> None:
    # The sanitiser of `st.html` drops a whole style in which "<" is followed by a letter.
    assert len(styles()) > 10_000 and not re.search(r"<[a-zA-Z/!?]", styles())
