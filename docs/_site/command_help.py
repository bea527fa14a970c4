"""A directive that writes a section for each command of `graphtrees`, from its own `--help`."""

from __future__ import annotations

import argparse
import importlib

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from graphtrees.cli.parser import COMMANDS, DATA_HELP, add_output_options, command_parser


class CommandHelp(SphinxDirective):
    """A section for each command: usage, purpose and options."""

    def run(self) -> list[nodes.Node]:
        data = section("data", "What DATA may be")
        data += literal(DATA_HELP.partition("\n")[2])
        return [*map(describe, COMMANDS), data]


def section(anchor: str, title: str) -> nodes.section:
    found = nodes.section(ids=[anchor])
    found += nodes.title(text=title)
    return found


def literal(text: str) -> nodes.literal_block:
    return nodes.literal_block(text, text, language="none")


def describe(name: str) -> nodes.section:
    parser = command_parser(name)
    importlib.import_module(COMMANDS[name].module).configure(parser)
    add_output_options(parser)
    found = section(name, f"graphtrees {name}")
    found += nodes.paragraph(text=parser.description)
    found += literal(str(parser.usage))
    for group in parser._action_groups:
        actions = [
            action for action in group._group_actions if action.help is not argparse.SUPPRESS
        ]
        if actions:
            found += nodes.rubric(text=str(group.title).capitalize())
            found += options(parser, actions)
    return found


def options(parser: argparse.ArgumentParser, actions: list[argparse.Action]) -> nodes.Node:
    """A definition list: the option as it is written, and what it does."""
    listed = nodes.definition_list()
    for action in actions:
        value = "" if action.nargs == 0 else f" {action.metavar or ''}".rstrip()
        words = ", ".join(action.option_strings) + value or str(action.metavar or action.dest)
        term = nodes.term("", "", nodes.literal(text=words))
        text = parser._get_formatter()._expand_help(action) if action.help else ""
        body = nodes.definition("", nodes.paragraph(text=text))
        listed += nodes.definition_list_item("", term, body)
    return listed


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_directive("command-help", CommandHelp)
    return {"parallel_read_safe": True}
