#!/usr/bin/env -S python3 -IS
"""`gh api` for the comments of one pull request, which stand in the file COMMENTS, each with
its author. With the token `read` it refuses to write, as GitHub does; `mute` may not ask whose it
is."""

import json
import os
import re
import sys
from pathlib import Path

KEPT = Path(os.environ["COMMENTS"])
OURS = "github-actions[bot]"


def main(words: list[str]) -> str | None:
    comments = json.loads(KEPT.read_text()) if KEPT.exists() else []
    if "graphql" in words:
        assert "query={viewer{login}}" in words, words
        if os.environ["GH_TOKEN"] == "mute":
            return "gh: Resource not accessible by integration"
        print(OURS)
        return None
    path = next(word for word in words if word.startswith("repos/shop/search/issues/"))
    if "--method" not in words:
        assert path.startswith("repos/shop/search/issues/7/comments?"), path
        asked = re.search(
            r'select\(\.user\.login == "(.+)" and \(\.body \| startswith\("(.+)"\)\)\) \| \.id$',
            words[words.index("--jq") + 1],
        )
        own = [c for c in comments if c["user"]["login"] == asked[1]]
        print(*(c["id"] for c in own if c["body"].startswith(asked[2])), sep="\n")
        return None
    if os.environ["GH_TOKEN"] == "read":
        return "gh: Resource not accessible by integration (HTTP 403)"
    field = next(word for word in words if word.startswith("body=@"))
    body = Path(field.removeprefix("body=@")).read_text()
    if words[words.index("--method") + 1] == "POST":
        assert path == "repos/shop/search/issues/7/comments", path
        comments.append({"id": 100 + len(comments), "body": body, "user": {"login": OURS}})
    else:
        own = next(c for c in comments if path.endswith(f"/issues/comments/{c['id']}"))
        own["body"] = body
    KEPT.write_text(json.dumps(comments))
    return None


sys.exit(main(sys.argv[1:]))
