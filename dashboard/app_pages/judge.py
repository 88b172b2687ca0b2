"""Judge: what to judge next, one document at a time, by keys."""

from dashboard import judging, session
from dashboard.page import Page

PAGE = Page("judge", "Judge", place=11, in_menu=False)


def render() -> None:
    """The next document of the queue, its query, and what the grades changed."""
    judging.queue_part(session.opened_study())


if __name__ == "__main__":
    render()
