"""Write the four sample runs from the sample articles and queries.

python sample_runs/build.py           write the runs
python sample_runs/build.py --check   compare them with the files on disk, exit 1 on difference

No run sees the qrels or the category and difficulty of a query. Scores are rounded before
sorting, so that the last bits of floating-point results, which differ between machines, decide
nothing.
"""

import argparse
import csv
import json
import math
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path

import numpy as np
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS, TfidfVectorizer
from sklearn.pipeline import make_union

FOLDER = Path(__file__).resolve().parent
DEPTH = 100
DECIMALS = 4
# RRF scores lie near 1 / 60, so they need more places to keep neighbouring ranks apart.
FUSION_DECIMALS = 8

# Textbook values; they are not to be tuned on the qrels.
BM25_K1 = 1.2
BM25_B = 0.75
DENSE_DIMENSIONS = 100
FUSION_K = 60

# A hyphen stays inside a word, because an error code such as "CAM-310" is one word.
WORD = re.compile(r"[^\W_]+(?:-[^\W_]+)*")

Articles = dict[str, tuple[str, str]]
"""doc_id -> (title, text)."""
Run = dict[str, list[tuple[str, float]]]
"""query_id -> (doc_id, score), best first."""
Scorer = Callable[[str], dict[str, float]]


def read_articles(path: Path) -> Articles:
    """Read the articles; the category is left out on purpose."""
    lines = path.read_text(encoding="utf-8").splitlines()
    records = [json.loads(line) for line in lines]
    return {record["doc_id"]: (record["title"], record["text"]) for record in records}


def read_queries(path: Path) -> dict[str, str]:
    """Read query_id -> text; category and difficulty are left out on purpose."""
    with path.open(encoding="utf-8", newline="") as source:
        return {row["query_id"]: row["text"] for row in csv.DictReader(source)}


def stem(word: str) -> str:
    """Cut a plural ending, nothing more; words with digits are codes and stay as they are."""
    if len(word) < 4 or not word.isalpha() or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies"):
        return word[:-3] + "y"
    return word[:-1] if word.endswith("s") else word


def tokenise(text: str) -> list[str]:
    """Split into lower-case stems without stop words."""
    words = WORD.findall(text.lower())
    return [stem(word) for word in words if word not in ENGLISH_STOP_WORDS]


def bm25_scorer(articles: Articles) -> Scorer:
    """Score by BM25 over title and text as one field."""
    texts = {doc_id: f"{title} {text}" for doc_id, (title, text) in articles.items()}
    counts = {doc_id: Counter(tokenise(text)) for doc_id, text in texts.items()}
    lengths = {doc_id: count.total() for doc_id, count in counts.items()}
    mean_length = sum(lengths.values()) / len(lengths)
    document_frequency = Counter(word for count in counts.values() for word in count)

    def weight(word: str, doc_id: str) -> float:
        frequency = counts[doc_id][word]
        containing = document_frequency[word]
        idf = math.log(1 + (len(counts) - containing + 0.5) / (containing + 0.5))
        norm = BM25_K1 * (1 - BM25_B + BM25_B * lengths[doc_id] / mean_length)
        return idf * frequency * (BM25_K1 + 1) / (frequency + norm)

    def score(query: str) -> dict[str, float]:
        words = tokenise(query)
        return {doc_id: math.fsum(weight(word, doc_id) for word in words) for doc_id in counts}

    return score


def dense_scorer(articles: Articles) -> Scorer:
    """Score by cosine in a latent semantic space of words and character n-grams."""
    texts = [f"{title}. {text}" for title, text in articles.values()]
    words = TfidfVectorizer(tokenizer=tokenise, token_pattern=None, sublinear_tf=True)
    characters = TfidfVectorizer(analyzer="char_wb", ngram_range=(3, 5), sublinear_tf=True)
    vectorizer = make_union(words, characters)
    # ARPACK from a fixed start converges to machine precision, far below the rounding of scores.
    svd = TruncatedSVD(DENSE_DIMENSIONS, algorithm="arpack", random_state=0)
    documents = unit_rows(svd.fit_transform(vectorizer.fit_transform(texts)))

    def score(query: str) -> dict[str, float]:
        vector = unit_rows(svd.transform(vectorizer.transform([query])))[0]
        return dict(zip(articles, (documents @ vector).tolist(), strict=True))

    return score


def unit_rows(matrix: np.ndarray) -> np.ndarray:
    """Scale every row to length 1; a row of zeros stays."""
    lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
    return matrix / np.where(lengths > 0, lengths, 1)


def titles_scorer(articles: Articles) -> Scorer:
    """Score by the share of a title's words, unstemmed, that the query contains."""
    titles = {doc_id: set(WORD.findall(title.lower())) for doc_id, (title, _) in articles.items()}

    def score(query: str) -> dict[str, float]:
        words = set(WORD.findall(query.lower())) - ENGLISH_STOP_WORDS
        return {doc_id: len(words & title) / len(title) for doc_id, title in titles.items()}

    return score


def rank(scores: dict[str, float], decimals: int) -> list[tuple[str, float]]:
    """Keep the best positive scores, in the order in which trec_eval would sort them."""
    rounded = [(doc_id, round(score, decimals)) for doc_id, score in scores.items()]
    positive = [(doc_id, score) for doc_id, score in rounded if score > 0]
    # trec_eval ignores the rank column and breaks equal scores by doc_id, last one first.
    positive.sort(key=lambda item: (item[1], item[0].encode()), reverse=True)
    return positive[:DEPTH]


def make_run(scorer: Scorer, queries: dict[str, str]) -> Run:
    """Rank the articles for each query."""
    return {query_id: rank(scorer(text), DECIMALS) for query_id, text in queries.items()}


def fuse(runs: list[Run]) -> Run:
    """Join runs by reciprocal-rank fusion."""
    fused: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    for run in runs:
        for query_id, ranking in run.items():
            for position, (doc_id, _) in enumerate(ranking, start=1):
                fused[query_id][doc_id] += 1 / (FUSION_K + position)
    return {query_id: rank(scores, FUSION_DECIMALS) for query_id, scores in fused.items()}


def format_run(name: str, run: Run, decimals: int) -> str:
    """Write a run in the TREC format; a query without results has no lines."""
    lines = [
        f"{query_id} Q0 {doc_id} {position} {score:.{decimals}f} {name}\n"
        for query_id, ranking in run.items()
        for position, (doc_id, score) in enumerate(ranking, start=1)
    ]
    return "".join(lines)


def build_runs() -> dict[str, str]:
    """Make all runs: name -> content of the file."""
    articles = read_articles(FOLDER / "articles.jsonl")
    queries = read_queries(FOLDER / "queries.csv")
    bm25 = make_run(bm25_scorer(articles), queries)
    dense = make_run(dense_scorer(articles), queries)
    titles = make_run(titles_scorer(articles), queries)
    return {
        "bm25": format_run("bm25", bm25, DECIMALS),
        "dense": format_run("dense", dense, DECIMALS),
        "hybrid": format_run("hybrid", fuse([bm25, dense]), FUSION_DECIMALS),
        "titles-only": format_run("titles-only", titles, DECIMALS),
    }


def main() -> int:
    """Write the runs, or compare them with the files on disk."""
    parser = argparse.ArgumentParser(description="Build the sample runs.")
    parser.add_argument("--check", action="store_true", help="compare only, exit 1 on difference")
    check = parser.parse_args().check
    different = []
    for name, content in build_runs().items():
        path = FOLDER / f"{name}.run"
        if not check:
            path.write_bytes(content.encode())
        elif not path.is_file() or path.read_bytes() != content.encode():
            different.append(path.name)
    for file_name in different:
        print(f"differs: {file_name}", file=sys.stderr)
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
