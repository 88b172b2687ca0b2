"""To judge page: the documents to judge next, one at a time, with keys for the grades."""

from dashboard import session
from dashboard.app_pages.parts import drawn_judging, judging


def render() -> None:
    """Show the next document in the queue, its query, and the effect of the grades so far."""
    context = session.study_context()
    if not drawn_judging.show_random_judging(context):
        judging.show_judging_queue(context)


if __name__ == "__main__":
    render()
