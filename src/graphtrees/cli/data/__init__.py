"""DATA: whatever form a user's graphs come in, read whole or in pieces."""

from graphtrees.cli.data.detection import find_source
from graphtrees.cli.data.reading import (
    Reading,
    add_reading_options,
    given_options,
    reading_of,
)
from graphtrees.cli.data.source import Data, Source

__all__ = [
    "Data",
    "Reading",
    "Source",
    "add_reading_options",
    "find_source",
    "given_options",
    "reading_of",
]
