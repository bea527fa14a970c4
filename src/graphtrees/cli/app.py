"""From the command line to an exit code: 0 done, 2 the user's mistake, 130 interrupted."""

from __future__ import annotations

import importlib
import os
import signal
import sys
import threading
import traceback
import warnings
from collections.abc import Sequence
from typing import Any

from graphtrees.cli.console import Console
from graphtrees.cli.errors import INTERRUPTED, PROBLEMS, sentence
from graphtrees.cli.parser import COMMANDS, add_output_options, command_parser, top_parser

DONE, USER_ERROR, BROKEN_PIPE = 0, 2, 141


class Stopped(BaseException):
    """Ctrl-C. Not a KeyboardInterrupt: `fit` would keep its rounds and let the command go on."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and say how it went.

    Examples
    --------
    >>> from graphtrees.cli import main
    >>> main(["inspect", "no-such-file.json"])
    2
    """
    words = list(sys.argv[1:] if argv is None else argv)
    console = Console()
    before = _on_interrupt(_stop)
    try:
        return _run(words, console)
    except SystemExit as leaving:  # argparse: --help, --version, or a wrong option
        return leaving.code if isinstance(leaving.code, int) else USER_ERROR
    except (KeyboardInterrupt, Stopped):
        console.complain("interrupted; nothing was written", "stopped")
        return INTERRUPTED
    except BrokenPipeError:  # `graphtrees datasets | head`: nobody reads on
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BROKEN_PIPE
    except PROBLEMS as problem:
        if console.verbose > 1:
            traceback.print_exc()
        console.complain(sentence(problem))
        return USER_ERROR
    finally:
        _on_interrupt(before)


def _stop(*_: object) -> None:
    raise Stopped


def _on_interrupt(handler: Any) -> Any:
    """Set what Ctrl-C does, where this thread may; returns what it did before."""
    if handler is None or threading.current_thread() is not threading.main_thread():
        return None
    return signal.signal(signal.SIGINT, handler)


def _run(words: list[str], console: Console) -> int:
    chosen = top_parser().parse_args(words[:1])
    if chosen.command is None:
        top_parser().print_help()
        return DONE
    command = importlib.import_module(COMMANDS[chosen.command].module)
    parser = command_parser(chosen.command)
    command.configure(parser)
    add_output_options(parser)
    arguments = parser.parse_args(words[1:])
    console.set(arguments.quiet, arguments.verbose, arguments.json)
    with warnings.catch_warnings():
        warnings.simplefilter("always", UserWarning)
        # Text that differs from row to row, and dates, are used only by those who insist.
        warnings.filterwarnings("ignore", "feature .* is text that ", UserWarning)
        warnings.showwarning = lambda message, *_, **__: console.note(f"note: {message}")
        code = command.run(arguments, console)
    sys.stdout.flush()
    return code or DONE
