"""The command `graphtrees`. Nothing heavy is imported until a command is known."""

from graphtrees.cli.app import main

__all__ = ["main"]
