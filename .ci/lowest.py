"""Print the lowest versions that pyproject.toml allows, as constraints for pip, one a line."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

LOWEST = re.compile(r"([A-Za-z0-9._-]+)>=([0-9][0-9A-Za-z.]*)")


def lowest_versions(project: dict) -> list[str]:
    """`name==version` for every requirement, those of all extras included."""
    extras = project["optional-dependencies"].values()
    listed = [*project["dependencies"], *(text for extra in extras for text in extra)]
    others = [text for text in listed if not text.startswith(project["name"] + "[")]
    found = {text: LOWEST.fullmatch(text) for text in others}
    without = [text for text, match in found.items() if match is None]
    if without:
        raise SystemExit(f"pyproject.toml: no lowest version in {', '.join(without)}")
    return sorted({f"{match[1]}=={match[2]}" for match in found.values() if match})


if __name__ == "__main__":
    path = Path(__file__).resolve().parents[1] / "pyproject.toml"
    print("\n".join(lowest_versions(tomllib.loads(path.read_text())["project"])))
