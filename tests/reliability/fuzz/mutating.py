"""Changes to whole files: blind ones to bytes, and ones that know how a format is built."""

from __future__ import annotations

import io
import json
import random
import re
import struct
import zipfile
from collections.abc import Callable
from typing import Any

import pyarrow as pa

from tests.reliability.fuzz.seeds import PACKINGS, beir, zipped

TOKENS = [
    *("", " ", "\t", "\n", "\r", "\r\n", "\0", '"', '""', "'", ",", ";", "|", "#", "<", ">", "&"),
    *(
        "0",
        "-1",
        "1e400",
        "-inf",
        "nan",
        "NaN",
        "0x10",
        "1_000",
        "0,9",
        "٣",
        "1.5",
        "128",
        "1" * 40,
    ),
    *("9" * 5_000, "1e-9999", "1e99999999999", ".", "+", "-", "--1", "1e", "True", "null", "NA"),
    *(
        "\u2028",
        "\ufeff",
        "\x0b",
        "\x0c",
        "\x1c",
        "\x85",
        "\xa0",
        "\u200b",
        "\u202e",
        "😀",
        "é",
        "e\u0301",
    ),
    *("q1", "doc-1", "query_id", "doc_id", "score", "relevance", "rank", "metadata", "text", "id"),
    *("a" * 5_000, "../../x", "{", "}", "[", "]", ":", "\\", "\\u0000", "\\ud800", "retrieved"),
    *("<top>", "</top>", "<num>", "<DOC>", "<!--", "-->", "&#x110000;", "&#0;", "&#99999999999;"),
    *("<![CDATA[", "&amp", "<topic number='1", "<title>", "<text>", "</text>", "<query>"),
]
VALUES: list[Any] = [
    *(None, True, False, 0, -1, 10**30, 1.5, "", "x", "1", "\ud800", "a\0b", float("nan"), [], {}),
    *([[]], [{}], {"a": {}}, ["d1", "d1"], [1], {"query_id": 1}, {"metadata": {"id": 1}}),
]
PLACES = [
    *("corpus.jsonl", "queries.jsonl.gz", "qrels/test.tsv", "qrels/x.tsv", "x.run", "a/b.res"),
    *("../corpus.jsonl", "/queries.jsonl", "C:\\x", "\ufffd.run", "__MACOSX/x", "qrels/"),
]
_SPLITTER = re.compile(r"([ \t,;|\n<>\"]+)")

Mutation = Callable[[random.Random, bytes], bytes]


def byte_flip(rng: random.Random, data: bytes) -> bytes:
    """One bit, or one byte, changed; at the ends more often, where headers and footers stand."""
    if not data:
        return b"\0"
    near = rng.choice((len(data), 40, 400))
    at = rng.randrange(min(near, len(data)))
    at = len(data) - 1 - at if rng.random() < 0.5 else at
    value = data[at] ^ (1 << rng.randrange(8)) if rng.random() < 0.6 else rng.randrange(256)
    return data[:at] + bytes([value]) + data[at + 1 :]


def cut(rng: random.Random, data: bytes) -> bytes:
    """The beginning, the end, or all but a part."""
    a, b = sorted(rng.randrange(len(data) + 1) for _ in range(2))
    return rng.choice((data[:a], data[a:], data[:a] + data[b:]))


def splice(rng: random.Random, data: bytes) -> bytes:
    """A part repeated, or moved elsewhere."""
    a, b = sorted(rng.randrange(len(data) + 1) for _ in range(2))
    at = rng.randrange(len(data) + 1)
    return data[:at] + data[a:b] * rng.choice((1, 1, 2, 30)) + data[at:]


def number(rng: random.Random, data: bytes) -> bytes:
    """A number of two, four or eight bytes put somewhere, as lengths and counts are."""
    kind, most = rng.choice((("<H", 2**16), ("<I", 2**32), ("<Q", 2**64), (">I", 2**32)))
    value = rng.choice((0, 1, most - 1, most // 2, most // 2 - 1, rng.randrange(most)))
    packed = struct.pack(kind, value)
    at = rng.randrange(max(len(data) - len(packed), 0) + 1)
    if rng.random() < 0.5:
        at = max(len(data) - rng.randrange(1, 64), 0)
    return data[:at] + packed + data[at + len(packed) :]


def token(rng: random.Random, data: bytes) -> bytes:
    """Words of a text swapped, doubled, dropped, or other ones in their place."""
    text = data.decode("utf-8", "surrogateescape")
    parts = _SPLITTER.split(text)
    at, other = rng.randrange(len(parts)), rng.randrange(len(parts))
    change = rng.randrange(5)
    if change == 0:
        parts[at], parts[other] = parts[other], parts[at]
    elif change == 1:
        parts.insert(at, parts[other])
    elif change == 2:
        del parts[at]
    else:
        parts[at] = rng.choice(TOKENS)
    return "".join(parts).encode("utf-8", "surrogateescape")


def tree(rng: random.Random, data: bytes) -> bytes:
    """JSON with a value, a key or the depth of a part changed."""
    try:
        text = data.decode()
        lines = text.strip().split("\n") if text.lstrip().startswith("{") else [text]
        values = [json.loads(line) for line in lines]
    except (ValueError, RecursionError):
        return token(rng, data)
    at = rng.randrange(len(values))
    values[at] = _changed(rng, values[at])
    style: dict[str, Any] = rng.choice(({}, {"indent": 1}, {"separators": (",", ":")}))
    if len(values) > 1:
        style = {}
    dumped = "\n".join(json.dumps(v, ensure_ascii=rng.random() < 0.5, **style) for v in values)
    if rng.random() < 0.1:
        depth = rng.choice((90, 110, 900, 1_100, 60_000))
        mark = rng.choice(("[", '{"a":'))
        close = "]" if mark == "[" else "}"
        dumped = re.sub(r"\b\d+\b", lambda m: mark * depth + m[0] + close * depth, dumped, count=1)
    return dumped.encode("utf-8", "surrogatepass")


def _changed(rng: random.Random, value: Any) -> Any:
    """A JSON value with one place in it changed."""
    if not isinstance(value, (dict, list)) or not value or rng.random() < 0.2:
        return rng.choice(VALUES)
    keys = list(value) if isinstance(value, dict) else range(len(value))
    key = rng.choice(list(keys))
    if rng.random() < 0.15:
        if isinstance(value, dict):
            value[rng.choice(TOKENS)] = value.pop(key)
        else:
            value.insert(key, rng.choice(VALUES))
        return value
    if rng.random() < 0.1:
        del value[key]
        return value
    value[key] = _changed(rng, value[key])
    return value


def encoded(rng: random.Random, data: bytes) -> bytes:
    """The text in another encoding, or with a byte order mark."""
    text = data.decode("utf-8", "replace")
    name = rng.choice(("utf-16", "utf-16-le", "utf-32", "latin-1", "utf-8-sig", "cp037", "utf-7"))
    return text.encode(name, "replace")


def packed(rng: random.Random, data: bytes) -> bytes:
    """The file packed, once or twice."""
    data = rng.choice(list(PACKINGS.values()))(data)
    return rng.choice(list(PACKINGS.values()))(data) if rng.random() < 0.1 else data


def in_a_set(rng: random.Random, data: bytes) -> bytes:
    """The file as a member of a BEIR set or of an archive of odd names."""
    if rng.random() < 0.4:
        return beir(data)
    chosen = rng.sample(PLACES, rng.randrange(1, 5))
    return zipped(dict.fromkeys([*chosen, "queries.jsonl"], data))


def directory(rng: random.Random, data: bytes) -> bytes:
    """A zip file with a field of a header or of its directory changed."""
    marks = [m.start() for m in re.finditer(rb"PK(?:\x01\x02|\x03\x04|\x05\x06)", data)]
    if not marks:
        return byte_flip(rng, data)
    at = rng.choice(marks) + rng.randrange(4, 46)
    value = rng.choice((b"\0", b"\xff", b"\1", b"\xff\xff\xff\xff", b"\0\0\0\0", b"../x"))
    return data[:at] + value + data[at + len(value) :]


def footer(rng: random.Random, data: bytes) -> bytes:
    """A Parquet file with something in its footer changed, or the footer's length."""
    if not data.endswith(b"PAR1") or len(data) < 12:
        return byte_flip(rng, data)
    length = min(int.from_bytes(data[-8:-4], "little"), len(data) - 8)
    if rng.random() < 0.1:
        lie = rng.choice((0, 1, max(length - 1, 0), 2**31, 2**32 - 1))
        return data[:-8] + struct.pack("<I", lie) + b"PAR1"
    start = len(data) - 8 - length
    body = bytearray(data[start:-8])
    for _ in range(rng.randrange(1, 4)):
        if not body:
            break
        at = rng.randrange(len(body))
        near = (body[at] ^ 1, (body[at] + 2) % 256, rng.randrange(256))
        body[at] = rng.choice((0, 0x80, 0xFF, 0x7F, *near))
        if rng.random() < 0.1:  # a number of many bytes in the place of one
            body[at : at + 1] = bytes(rng.choices((0x80, 0xFF), k=rng.randrange(1, 9))) + b"\x0f"
    return data[:start] + bytes(body) + struct.pack("<I", len(body)) + b"PAR1"


def inside(rng: random.Random, data: bytes) -> bytes:
    """A file packed with LZ4, once or twice, with something in it changed."""
    try:
        plain = pa.CompressedInputStream(pa.BufferReader(data), "lz4").read()
    except (OSError, ValueError):
        return byte_flip(rng, data)
    change = inside if plain.startswith(LZ4) else rng.choice(BLIND)
    return PACKINGS[".lz4"](change(rng, plain))


LZ4 = b"\x04\x22\x4d\x18"
BLIND: tuple[Mutation, ...] = (byte_flip, byte_flip, cut, splice, number)
TEXT: tuple[Mutation, ...] = (token, token, token, encoded)
WRAPPING: tuple[Mutation, ...] = (packed, in_a_set)


def mutated(rng: random.Random, data: bytes) -> bytes:
    """A file with up to six changes that suit what it is."""
    suited: tuple[Mutation, ...] = BLIND
    if data.startswith(b"PAR1"):
        suited = (*BLIND, footer, footer, footer)
    elif zipfile.is_zipfile(io.BytesIO(data)):
        suited = (*BLIND, directory, directory)
    elif data.startswith(LZ4):
        suited = (*BLIND, *[inside] * 12)
    elif data.lstrip()[:1] in (b"{", b"["):
        suited = (*BLIND, *TEXT, tree, tree, tree, tree)
    elif b"\0" not in data:
        suited = (*BLIND, *TEXT, *TEXT)
    for _ in range(rng.choice((1, 1, 1, 2, 2, 3, 6))):
        data = rng.choice(suited)(rng, data)
    if rng.random() < 0.15:
        data = rng.choice(WRAPPING)(rng, data)
        if rng.random() < 0.2:
            data = rng.choice((*BLIND, directory))(rng, data)
    return data[: 1 << 20]
