"""Judge: what to judge next, one document at a time, by keys."""

from dashboard import session
from dashboard.app_pages.parts import judging


def render() -> None:
    """The next document of the queue, its query, and what the grades changed."""
    judging.queue_part(session.study_context())


if __name__ == "__main__":
    render()
