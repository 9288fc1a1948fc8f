# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Configuration of Sphinx; tools/build_docs.py makes the pages that it reads and calls it."""

import os
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import gpuarray  # noqa: E402

# The notebook and the examples run on the cpu device everywhere.
os.environ["GPUARRAY_DEVICE"] = "cpu"

project = "gpuarray"
author = "The gpuarray developers"
project_copyright = author
version = release = gpuarray.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.intersphinx",
    "myst_nb",
    "sphinx_design",
    "docstrings",
]
exclude_patterns = ["files"]
suppress_warnings = ["myst.header"]  # a page may begin a table of a level that it has not
smartquotes = False
default_role = "code"  # docstrings write `name` for code

autodoc_typehints = "signature"
autodoc_member_order = "alphabetical"
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 240
toc_object_entries_show_parents = "hide"

intersphinx_mapping = {
    "numpy": ("https://numpy.org/doc/stable", os.environ["GPUARRAY_DOCS_NUMPY_INVENTORY"])
}

myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 4
nb_execution_mode = "force"
nb_execution_raise_on_error = True
nb_execution_timeout = 60

html_theme = "pydata_sphinx_theme"
html_title = "gpuarray"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sourcelink = False
html_theme_options = {
    "collapse_navigation": True,
    "navigation_with_keys": False,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "show_prev_next": False,
}
html_context = {"default_mode": "auto"}
html_sidebars = {"index": []}
