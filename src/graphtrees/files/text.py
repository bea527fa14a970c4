"""JSON read piece by piece: nothing is built before its place and its size are checked."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import count
from typing import Any

from graphtrees._layout import MOST_NESTED
from graphtrees.files.layout import DEEPEST

_SPACE = re.compile(rb"[ \t\n\r]*+")
_STRING = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)
_WORD = re.compile(rb'[^\s,:"\[\]{}]++')  # a number, true, false, null
_PIECE = re.compile(rb'[^"\[\]{}]++|"[^"\\]*+(?:\\.[^"\\]*+)*+"|[\[\]{}]', re.DOTALL)
_BOM = b"\xef\xbb\xbf"


class NotJsonError(ValueError):
    """The text is cut off, or was never JSON."""


class Text:
    """A position in JSON text that reading moves on.

    `members` and `items` walk through an object or a list without building it. The
    value of a member must be read before the next member is asked for.
    """

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.place = len(_BOM) if data.startswith(_BOM) else 0

    def members(self) -> Iterator[str]:
        """The names in an object, in order; none may come twice."""
        self._open(b"{", "an object")
        if self._take(b"}"):
            return
        seen: set[str] = set()
        while True:
            name = self._name()
            if name in seen:
                raise ValueError(f"{name!r} is there twice")
            seen.add(name)
            self._expect(b":")
            yield name
            if self._take(b"}"):
                return
            self._expect(b",")

    def items(self) -> Iterator[int]:
        """The numbers 0, 1, ... of the items of a list."""
        self._open(b"[", "a list")
        if self._take(b"]"):
            return
        for number in count():
            yield number
            if self._take(b"]"):
                return
            self._expect(b",")

    def value(self, most: int) -> Any:
        """A whole value of at most so many items, not nested deeper than DEEPEST."""
        start = self._skip_space()
        self.place = self._end(start, most)
        return _parse(self.data[start : self.place])

    def skip(self) -> None:
        """Pass over a value of any size."""
        size = len(self.data)
        self.place = self._end(self._skip_space(), size, size)

    def numbers(self) -> list[Any]:
        """A flat list without strings, of any length."""
        start = self._skip_space()
        self._open(b"[", "a list")
        stop = self.data.find(b"]", start) + 1
        if stop == 0:
            raise NotJsonError(f"a list that starts at byte {start} has no end")
        piece = self.data[start:stop]
        if piece.count(b"[") > 1 or b"{" in piece or b'"' in piece:
            raise ValueError("a list of numbers is wanted")
        self.place = stop
        return _parse(piece)

    def is_next(self, pattern: bytes) -> bool:
        """Whether this comes next, spaces aside."""
        place = self.place
        match = all(self._take(pattern[k : k + 1]) for k in range(len(pattern)))
        self.place = place
        return match

    def end(self) -> None:
        """Nothing but space may be left."""
        if self._skip_space() != len(self.data):
            raise NotJsonError(f"more follows after byte {self.place}")

    def _name(self) -> str:
        match = _STRING.match(self.data, self._skip_space())
        if match is None:
            raise NotJsonError(f"a name is wanted at byte {self.place}")
        self.place = match.end()
        if match.end() - match.start() > 1000:
            raise ValueError("a name of more than 1000 characters")
        plain = match[0][1:-1]
        return plain.decode() if plain.isalnum() else _parse(match[0])

    def _end(self, start: int, most: int, most_nested: int = MOST_NESTED) -> int:
        """Where the value that starts here ends; it is measured and not built."""
        if self.data[start : start + 1] not in (b"[", b"{"):
            match = _STRING.match(self.data, start) or _WORD.match(self.data, start)
            if match is None:
                raise NotJsonError(f"a value is wanted at byte {start}")
            return match.end()
        place, depth, n_open, n_commas = start, 0, 0, 0
        for piece in _PIECE.finditer(self.data, start):
            if piece.start() != place:
                break
            place = piece.end()
            first = self.data[piece.start()]
            if first in b"[{":
                depth, n_open = depth + 1, n_open + 1
                if depth > DEEPEST:
                    raise ValueError(f"lists and objects nested more than {DEEPEST} deep")
            elif first in b"]}":
                depth -= 1
                if depth == 0:
                    return place
            elif first != ord('"'):
                n_commas += self.data.count(b",", piece.start(), place)
            if n_open + n_commas > most or n_open > most_nested:
                raise ValueError(f"more than {most} items, or {most_nested} lists and objects")
        raise NotJsonError(f"a value that starts at byte {start} has no end")

    def _skip_space(self) -> int:
        match = _SPACE.match(self.data, self.place)
        assert match is not None
        self.place = match.end()
        return self.place

    def _take(self, byte: bytes) -> bool:
        if self.data[self.place : self.place + 1] != byte:
            place = self._skip_space()
            if self.data[place : place + 1] != byte:
                return False
        self.place += 1
        return True

    def _open(self, byte: bytes, what: str) -> None:
        if not self._take(byte):
            if self.place == len(self.data):
                raise NotJsonError(f"the text ends where {what} is wanted")
            raise ValueError(f"{what} is wanted at byte {self.place}")

    def _expect(self, byte: bytes) -> None:
        if not self._take(byte):
            raise NotJsonError(f"{byte.decode()!r} is wanted at byte {self.place}")


def _parse(piece: bytes) -> Any:
    try:
        return _DECODER.decode(piece.decode())
    except json.JSONDecodeError as error:
        raise NotJsonError(str(error)) from None
    except UnicodeDecodeError as error:
        raise NotJsonError(f"not UTF-8: {error}") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        raise ValueError("a name is there twice in one object")
    return members


_DECODER = json.JSONDecoder(object_pairs_hook=_object)
