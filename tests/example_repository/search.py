"""The search of a small help centre: which articles hold the words of a query, rare ones first.

python search.py > search.run
"""

import csv
import json
import math
import re
from collections import Counter
from pathlib import Path

WEIGHTS = {"title": 2, "text": 1}
HERE = Path(__file__).parent


def words(text: str) -> list[str]:
    return [word.removesuffix("s") for word in re.findall(r"[a-z0-9]+", text.lower())]


def main() -> None:
    lines = (HERE / "articles.jsonl").read_text("utf-8").splitlines()
    articles = {line["doc_id"]: line for line in map(json.loads, lines)}
    counts: dict[str, Counter[str]] = {}
    for doc_id, article in articles.items():
        counts[doc_id] = Counter()
        for field, weight in WEIGHTS.items():
            counts[doc_id].update(
                {w: weight * n for w, n in Counter(words(article[field])).items()}
            )
    spread = Counter(word for own in counts.values() for word in own)
    with (HERE / "queries.csv").open(encoding="utf-8", newline="") as file:
        for query in csv.DictReader(file):
            asked = [word for word in words(query["text"]) if word in spread]
            scores = {
                doc_id: sum(math.log(len(counts) / spread[w]) * min(own[w], 3) for w in asked)
                for doc_id, own in counts.items()
            }
            found = [pair for pair in scores.items() if pair[1]]
            best = sorted(found, key=lambda pair: (-pair[1], pair[0]))[:20]
            for rank, (doc_id, score) in enumerate(best, 1):
                print(query["query_id"], "Q0", doc_id, rank, f"{score:.4f}", "search")


main()
