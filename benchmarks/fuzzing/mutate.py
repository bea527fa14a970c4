"""Bytes changed a little."""

from __future__ import annotations

import re

import numpy as np

TOKENS = (
    b"-1", b"0", b"1", b"1e400", b"-1e400", b"1e39", b"nan", b"NaN", b"inf", b"None", b"null", b"",
    b"\x00", b"\xff", b"\xe9", b"\xef\xbb\xbf", b"\r", b"\n\n", b",", b",,", b'"', b"'", b"\t",
    b"99999999999999999999", b"2147483648", b"-9223372036854775809", b"1.5", b"1_000", b"0x10",
    b"true", b"{}", b"[]", b"[[[[", b"<", b"]]>", b"&x;", b"$$$$", b"=1+1", b"\xed\xa0\x80",
    b"1e-400", b"16777217", b"+1", b" 1", "\u0661".encode(), "\u2212 1".encode(),
)  # fmt: skip


def mutate(data: bytes, rng: np.random.Generator) -> bytes:
    """One to three changes."""
    for _ in range(int(rng.integers(1, 4))):
        data = CHANGES[rng.integers(len(CHANGES))](data, rng)
    return data


def _span(data: bytes, rng: np.random.Generator) -> tuple[int, int]:
    start = int(rng.integers(0, len(data) + 1))
    return start, min(len(data), start + int(rng.integers(1, 1 + max(1, len(data) // 4))))


def _flip(data: bytes, rng: np.random.Generator) -> bytes:
    if not data:
        return data
    at = int(rng.integers(len(data)))
    return data[:at] + bytes([data[at] ^ (1 << int(rng.integers(8)))]) + data[at + 1 :]


def _cut(data: bytes, rng: np.random.Generator) -> bytes:
    start, stop = _span(data, rng)
    return data[:start] + data[stop:]


def _repeat(data: bytes, rng: np.random.Generator) -> bytes:
    start, stop = _span(data, rng)
    return data[:stop] + data[start:stop] + data[stop:]


def _end(data: bytes, rng: np.random.Generator) -> bytes:
    return data[: int(rng.integers(0, len(data) + 1))]


def _insert(data: bytes, rng: np.random.Generator) -> bytes:
    at = int(rng.integers(0, len(data) + 1))
    return data[:at] + TOKENS[rng.integers(len(TOKENS))] + data[at:]


def _replace_word(data: bytes, rng: np.random.Generator) -> bytes:
    """Another value in place of a number or a word."""
    words = list(re.finditer(rb"-?[\w.]+", data))
    if not words:
        return data
    word = words[rng.integers(len(words))]
    return data[: word.start()] + TOKENS[rng.integers(len(TOKENS))] + data[word.end() :]


def _swap_lines(data: bytes, rng: np.random.Generator) -> bytes:
    lines = data.split(b"\n")
    a, b = rng.integers(len(lines), size=2)
    lines[a], lines[b] = lines[b], lines[a]
    return b"\n".join(lines)


def _drop_line(data: bytes, rng: np.random.Generator) -> bytes:
    lines = data.split(b"\n")
    del lines[int(rng.integers(len(lines)))]
    return b"\n".join(lines)


CHANGES = (
    _flip, _cut, _repeat, _end, _insert, _insert, _replace_word, _replace_word, _replace_word,
    _swap_lines, _drop_line,
)  # fmt: skip
