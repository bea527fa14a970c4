"""Model files as bytes, gzipped or not, read within limits."""

from __future__ import annotations

import gzip
import os
import zlib
from pathlib import Path

from graphtrees.files.layout import UNPACKED_ALWAYS, UNPACKED_RATIO, ModelFileError


def read_data(path: Path) -> bytes:
    """The text of a model file, unpacked as far as a model may be."""
    with open(path, "rb") as file:
        if file.read(2) != b"\x1f\x8b":
            file.seek(0)
            return file.read()
        file.seek(0)
        most = most_unpacked(os.fstat(file.fileno()).st_size)
        try:
            data = gzip.GzipFile(fileobj=file).read(most + 1)
        except (OSError, EOFError, zlib.error) as error:
            raise ModelFileError(
                f"{path}: truncated, or not a graphtrees model: {error}"
            ) from error
    if len(data) > most:
        raise ModelFileError(
            f"{path}: a damaged model: it unpacks to more than {most} bytes, which no model does"
        )
    return data


def most_unpacked(size: int) -> int:
    """How many bytes a gzipped model file of this size may hold."""
    return max(UNPACKED_ALWAYS, UNPACKED_RATIO * size)


def pack(data: bytes) -> bytes:
    """Gzipped, so that `read_data` unpacks it: less tightly where all is alike."""
    packed = gzip.compress(data, mtime=0)
    if len(data) > most_unpacked(len(packed)):
        packed = gzip.compress(data, compresslevel=0, mtime=0)
    return packed
