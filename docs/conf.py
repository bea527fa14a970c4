"""How the site is built: `sphinx-build -W docs build/site`. See CONTRIBUTING.md."""

from __future__ import annotations

import sys
from pathlib import Path

from sphinx.application import Sphinx

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "_site"))

from members import own_members, show_signature  # noqa: E402

import graphtrees  # noqa: E402

project = "graphtrees"
author = "the graphtrees developers"
version = release = graphtrees.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "sphinx_copybutton",
    "command_help",  # in _site: what `--help` says
]
exclude_patterns = ["README.md"]  # the list of pages for readers of the folder
myst_heading_anchors = 4

smartquotes = False  # quotes are those of Python

# In docstrings `name` is a name of Python.
default_role = "py:obj"
numpydoc_show_class_members = False  # the template lists them
autodoc_member_order = "bysource"
toc_object_entries_show_parents = "hide"
autodoc_typehints = "none"  # docstrings say what may be given
autosummary_generate = True
autosummary_context = {"shown": own_members()}
templates_path = ["_site/templates"]

html_theme = "furo"
html_title = f"graphtrees {version}"
html_static_path = ["_site/static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_copyright = False
html_show_sourcelink = False
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True


def setup(app: Sphinx) -> None:
    app.connect("autodoc-process-signature", show_signature)
