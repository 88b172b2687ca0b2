"""To judge page: the documents to judge next, one at a time, with keys for the grades."""

from dashboard import session
from dashboard.app_pages.parts import judging


def render() -> None:
    """Show the next document in the queue, its query, and the effect of the grades so far."""
    judging.queue_part(session.study_context())


if __name__ == "__main__":
    render()
