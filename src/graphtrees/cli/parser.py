"""The commands and how they are read. No NumPy here: `--help` is to be instant."""

from __future__ import annotations

import argparse
import re
from typing import NamedTuple, NoReturn

from graphtrees.cli.errors import did_you_mean


class Command(NamedTuple):
    """Where a command lives, and what it is for."""

    module: str
    usage: str
    purpose: str


_HOME = "graphtrees.cli.commands"
COMMANDS = {
    "demo": Command(
        f"{_HOME}.demo", "graphtrees demo [options]",
        "train on a small task made on the spot, and show what was learned",
    ),
    "train": Command(
        f"{_HOME}.train", "graphtrees train DATA [--target COLUMN] [-o model.json] [options]",
        "train a model, test it, and write it",
    ),
    "predict": Command(
        f"{_HOME}.predict", "graphtrees predict MODEL DATA [-o predictions.csv] [options]",
        "apply a model to data, in pieces",
    ),
    "explain": Command(
        f"{_HOME}.explain", "graphtrees explain MODEL DATA -o report.html [options]",
        "write a page that shows how a model decides",
    ),
    "inspect": Command(
        f"{_HOME}.inspect", "graphtrees inspect MODEL_OR_DATA [options]",
        "look at data before training, or into a model",
    ),
    "datasets": Command(
        f"{_HOME}.datasets", "graphtrees datasets [options]",
        "list the data sets that can be used by name",
    ),
}  # fmt: skip

DATA_HELP = """\
DATA is one of
  a folder of tables     edges.csv, vertices.csv with their features, graphs.csv for many graphs
                         (each also as .tsv, .csv.gz or .parquet; without vertices.csv the
                         vertices are those that edges name)
  .parquet               files with a row for each graph, as graphs.to_parquet writes them
  a lone table           .csv, .tsv or .parquet, with a column of SMILES or with edges
  molecules              a .smi or .sdf file
  -                      a table on standard input
  .graphml or .gml       a file, or a folder of them
  a TU collection        a zip file, or a folder with NAME_A.txt
  the name of a data set as listed by `graphtrees datasets`, or tu:NAME
"""


class Parser(argparse.ArgumentParser):
    """One sentence for a wrong option, and not a page of usage."""

    def error(self, message: str) -> NoReturn:
        guess = self._guess(message).removesuffix("?")
        end = "?" if guess else "."
        self.exit(2, f"graphtrees: error: {message}{guess}{end} See `{self.prog} --help`.\n")

    def _guess(self, message: str) -> str:
        """A "did you mean" for an option or a choice that is nearly one of ours."""
        if match := re.match(r"unrecognized arguments: .*?(--[\w-]+)", message):
            known = [word for action in self._actions for word in action.option_strings]
            return did_you_mean(match[1], [word for word in known if word.startswith("--")], "")
        if match := re.search(r"invalid choice: '([^']*)' \(choose from (.*)\)", message):
            return did_you_mean(match[1], re.findall(r"[\w-]+", match[2]))
        return ""


class _Version(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        from graphtrees import __version__

        print(f"graphtrees {__version__}")
        parser.exit()


def top_parser() -> Parser:
    listed = "\n".join(f"  {name:<10}{command.purpose}" for name, command in COMMANDS.items())
    parser = Parser(
        "graphtrees",
        usage="graphtrees COMMAND [options]",
        description="Decision trees, random forests and boosting that learn directly on graphs.",
        epilog=f"commands:\n{listed}\n\n`graphtrees COMMAND --help` tells more.\n\n{DATA_HELP}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="print the version and exit")
    parser.add_argument(
        "command", nargs="?", choices=tuple(COMMANDS), metavar="COMMAND", help=argparse.SUPPRESS
    )
    return parser


def command_parser(name: str) -> Parser:
    """The parser of a command, still without options."""
    command = COMMANDS[name]
    return Parser(
        f"graphtrees {name}",
        usage=command.usage,
        description=f"{command.purpose[0].upper()}{command.purpose[1:]}.",
        epilog=DATA_HELP if "DATA" in command.usage else None,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )


def add_output_options(parser: Parser) -> None:
    """The options that all commands share, after their own."""
    say = parser.add_argument_group("what is said")
    say.add_argument("-q", "--quiet", action="store_true", help="say nothing but errors")
    say.add_argument(
        "-v", "--verbose", action="count", default=0, help="say more; twice: tracebacks too"
    )
    say.add_argument("--json", action="store_true", help="print the result as JSON, and only that")
