"""Write the golden files that today's format lacks: `python tests/golden/write.py`.

Run it when the format gets a new version, and commit the folder that it makes. Files that are there
are never written again: they are what users have on their disks.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from sklearn.base import clone

from graphtrees.files.layout import VERSION

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))
from golden_tasks import TASKS, answers, examples  # noqa: E402


def main() -> None:
    folder = HERE / f"v{VERSION}"
    folder.mkdir(exist_ok=True)
    for name, (estimator, about, make_targets) in TASKS.items():
        if (folder / f"{name}.json").exists():
            continue
        X = examples(about)
        model = clone(estimator).fit(X, make_targets(len(X)))
        model.save(folder / f"{name}.json")
        text = json.dumps(answers(model, about))
        (folder / f"{name}.answers.json").write_text(text + "\n")


if __name__ == "__main__":
    main()
