"""One run of training: test, fit, tell; and stop without losing what was made."""

from __future__ import annotations

import contextlib
import signal
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from graphtrees.cli.console import Console
from graphtrees.cli.data import Data
from graphtrees.cli.data.labelled import check_classes
from graphtrees.cli.data.reading import option_of
from graphtrees.cli.errors import INTERRUPTED, UserError
from graphtrees.cli.lines import column_lines, leaderboard_lines, report_ids
from graphtrees.cli.models import ENDINGS
from graphtrees.cli.output import check_place
from graphtrees.cli.settings import DEFAULT_TEST_SIZE, Settings


@dataclass(frozen=True)
class Places:
    """The files that a run writes; each can be written, as far as one can tell before."""

    output: Path | None
    summary: Path | None
    report: Path | None
    checkpoint: Path | None

    @classmethod
    def of(cls, settings: Settings) -> Places:
        paths = [settings.output, settings.report, settings.checkpoint]
        output, report, checkpoint = (None if one is None else Path(one) for one in paths)
        places = cls(output, _summary(settings.summary, output), report, checkpoint)
        for path, endings in (
            (output, ENDINGS), (places.summary, (".json",)), (report, (".html", ".htm")),
            (checkpoint, ENDINGS),
        ):  # fmt: skip
            if path is not None:
                check_place(path, endings)
        return places

    @property
    def written(self) -> list[Path]:
        """What a run leaves behind."""
        return [one for one in (self.output, self.summary, self.report) if one is not None]


def _summary(asked: str | None, output: Path | None) -> Path | None:
    if asked is not None or output is None:
        return None if asked is None else Path(asked)
    stem = output.name.removesuffix(".gz").removesuffix(".json")
    return output.with_name(f"{stem}.summary.json")


class TrainingRun:
    """Data and settings, from which a model is made."""

    def __init__(self, data: Data, settings: Settings, places: Places, console: Console) -> None:
        from graphtrees.cli.auto import make_auto
        from graphtrees.cli.parameters import make_estimator
        from graphtrees.inspection import task_of

        self.data, self.settings, self.places, self.console = data, settings, places, console
        self.task = settings.task or task_of(data.y)
        labels = np.asarray(data.y)
        if self.task == "regression" and labels.dtype.kind not in "iufb":
            raise UserError(f"{data.name}: the labels are text; --task regression needs numbers")
        if settings.task is None:
            target = data.reading.target if data.reading else None
            check_classes(labels, f"{data.name}: {target or 'the target'!r}")
        verbose = 0 if console.quiet else 10 if console.verbose else 1
        if settings.auto is not None:
            kind = type(data.X).__name__.lower()
            self.model = make_auto(settings, self.task, kind, verbose)
        else:
            parameters = _with_relations(settings, console)
            self.model = make_estimator(settings.estimator, self.task, parameters, verbose)
        self.stopped = False
        self._refuse_lost_run()

    def _refuse_lost_run(self) -> None:
        """Never write over the rounds of a run that could go on."""
        path, resume = self.places.checkpoint, self.settings.resume
        if resume is not None and not Path(resume).is_file():
            raise UserError(f"--resume {resume}: there is no such file")
        if path is not None and path.exists() and resume is None:
            raise UserError(
                f"--checkpoint {path}: holds an earlier run; go on with --resume {path}, or "
                "remove the file to start anew"
            )

    def train(self) -> tuple[dict[str, Any], Any]:
        """Test as asked, fit, and tell both."""
        from graphtrees import __version__
        from graphtrees.cli import evaluation as ev
        from graphtrees.estimators.saving import forget_verbosity
        from graphtrees.validation.models import trees_of_members

        data, settings, model = self.data, self.settings, self.model
        part, options, folds = self._plan()
        self._announce()
        start, evaluation = time.monotonic(), None
        on_everything = part is None or settings.refit
        if folds is not None:
            evaluation = ev.cross_validate(model, data, folds, self.task, self.console)
        elif part is not None:
            rows = data.take(part[0])
            self._fit(rows, options, resumable=not settings.refit)
            evaluation = ev.evaluate(model, data, part, self.task)
            self._report(data.take(part[1]))
        if on_everything:
            self._fit(data, {}, resumable=True)
        forget_verbosity(model)
        seconds = time.monotonic() - start
        for line in leaderboard_lines(model, self.console):
            self.console.say(line)
        if evaluation is not None:
            _tell(evaluation, self.console)
        self.console.say(f"{self.console.bold('time')}      {seconds:.1f} s")
        return {
            "graphtrees": __version__,
            "task": self.task,
            "estimator": type(model).__name__,
            "parameters": model.get_params(deep=False),
            "examples": type(data.X).__name__.lower(),
            "n_examples": len(data),
            "columns": data.columns,
            "classes": list(model.classes_) if hasattr(model, "classes_") else None,
            "features": list(getattr(model, "feature_names_in_", [])) or None,
            "n_features": int(model.n_features_in_),
            "n_trees": sum(len(one.trees) for one in trees_of_members(model)),
            "leaderboard": [*getattr(model, "leaderboard_", [])] or None,
            "leaderboard_metric": model.leaderboard_.metric if settings.auto else None,
            "evaluation": None if evaluation is None else evaluation.to_dict(),
            "fitted_on": "everything" if on_everything else "the training part",
            "stopped_early": self.stopped,
            "seconds": round(seconds, 3),
        }, model

    def end(self, model: Any, written: str) -> int:
        """The exit code, and after Ctrl-C how to go on."""
        path = self.places.checkpoint
        if not self.stopped:
            if path is not None and self.places.output is not None:
                path.unlink(missing_ok=True)  # the model holds all of it
            return 0
        if path is not None:
            model.save(path)
        rounds = f"kept {model.n_iter_:,} of {model.n_estimators:,} rounds"
        left = path or self.places.output
        go_on = f"; to go on, run the same command with --resume {left}" if left else ""
        self.console.complain(f"{rounds}{go_on or '; name a file with -o to keep them'}", "stopped")
        return INTERRUPTED

    # ---- fitting ----------------------------------------------------------------------------

    def _fit(self, data: Data, options: dict[str, Any], resumable: bool) -> None:
        given = dict(options)
        if self.settings.cluster is not None:
            from graphtrees.cli.cluster import fit_on_cluster

            kept = self.places.checkpoint if resumable else None
            fit_on_cluster(self.model, data.X, data.y, self.settings.cluster, kept, given)
            return
        if resumable and self.places.checkpoint is not None:
            from graphtrees.estimators import Checkpoint

            given["callbacks"] = [Checkpoint(self.places.checkpoint)]
        if resumable and self.settings.resume is not None:
            given["resume_from"] = self.settings.resume
        in_main = threading.current_thread() is threading.main_thread()
        boosts = self.settings.estimator == "boosting" and self.settings.auto is None
        keeps = resumable and boosts and in_main
        with self._keeping_rounds() if keeps else contextlib.nullcontext():
            self.model.fit(data.X, data.y, **given)

    @contextlib.contextmanager
    def _keeping_rounds(self) -> Iterator[None]:
        """Let Ctrl-C end boosting with the rounds that are complete."""

        def stop(*_: object) -> None:
            self.stopped = True
            raise KeyboardInterrupt

        before = signal.signal(signal.SIGINT, stop)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)

    def _plan(self) -> tuple[Any, dict[str, Any], Any]:
        """The parts to train and test on, options of fit, or the folds of a cross-validation."""
        from graphtrees.cli import evaluation as ev

        settings, data = self.settings, self.data
        seed = self.model.random_state if isinstance(self.model.random_state, int) else 0
        if settings.cv is not None:
            return None, {}, ev.folds_of(data, self.task, settings.cv, seed)
        if settings.split is not None:
            return (*self._published(settings.split), None)
        share = DEFAULT_TEST_SIZE if settings.test_size is None else settings.test_size
        return (ev.hold_out(data, self.task, share, seed) if share else None), {}, None

    def _published(self, number: int) -> tuple[tuple, dict[str, Any]]:
        """The parts of a published split; its validation part serves early stopping."""
        data = self.data
        if not 0 <= number < len(data.splits):
            have = f"splits 0 to {len(data.splits) - 1}" if data.splits else "no published splits"
            raise UserError(f"--split {number}: {data.name} has {have}")
        split = data.splits[number]
        options = {}
        if getattr(self.model, "early_stopping", False) and len(split.get("validation", ())):
            held = data.take(split["validation"])
            options["eval_set"] = (held.X, held.y)
        return (split["train"], split["test"]), options

    # ---- telling ----------------------------------------------------------------------------

    def _report(self, test: Data) -> None:
        if self.places.report is not None:
            names, ids = report_ids(test)
            title = f"{self.data.name}: held-out examples"
            self.model.report(
                test.X, test.y, path=self.places.report, names=names, ids=ids, title=title
            )

    def _announce(self) -> None:
        data, say, bold = self.data, self.console.say, self.console.bold
        kind = type(data.X).__name__.lower()
        n_classes = len(np.unique(np.asarray(data.y)))
        labels = "numbers" if self.task == "regression" else _count_classes(n_classes)
        how = "" if self.settings.task else ", told from the labels"
        say(f"{bold('data')}      {data.name}: {len(data):,} {kind}, {labels}")
        for line in column_lines(data, self.console):
            say(line)
        say(f"{bold('task')}      {self.task}{how}")
        say(f"{bold('model')}     {type(self.model).__name__}")


def _with_relations(settings: Settings, console: Console) -> dict[str, Any]:
    """The parameters, with questions about edge types and features where those are asked for."""
    asked = [name for name in ("edge_type", "edge_features") if settings.reading.get(name)]
    if not asked or "operators" in settings.parameters:
        return settings.parameters
    words = " and ".join(option_of(name) for name in asked)
    console.note(f"note: --operators adjacency,relations, for {words}")
    return settings.parameters | {"operators": ("adjacency", "relations")}


def _count_classes(n: int) -> str:
    return f"{n} class{'es' if n != 1 else ''}"


def _tell(evaluation: Any, console: Console) -> None:
    parts = f"{evaluation.method}: {evaluation.n_train:,} train, {evaluation.n_test:,} test"
    console.say(f"{console.bold('test')}      {parts}")
    width = max(10, *(len(name) + 2 for name in evaluation.scores))
    for name, score in evaluation.scores.items():
        alone = evaluation.baseline.get(name)
        of = f"of {evaluation.rare_class}; " if name == "average_precision" else ""
        beside = "" if alone is None else f"   ({of}one answer for all: {alone:.4f})"
        console.say(f"          {name:<{width}}{score}{beside}")
