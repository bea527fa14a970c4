"""What a user's first script does: import, load MUTAG, fit 20 trees, predict.

Run as a program; the whole process is timed from outside, the steps from inside.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

start = time.perf_counter()
import graphtrees as gt  # noqa: E402

imported = time.perf_counter()
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from data import load  # noqa: E402

task = load("MUTAG")
loaded = time.perf_counter()
model = gt.GraphBoostingClassifier(n_estimators=20, random_state=0).fit(task.X, task.y)
fitted = time.perf_counter()
model.predict(task.X)
predicted = time.perf_counter()
steps = {
    "import": imported - start,
    "load": loaded - imported,
    "fit": fitted - loaded,
    "predict": predicted - fitted,
}
print(json.dumps(steps | {"is_generated": task.is_generated}))
