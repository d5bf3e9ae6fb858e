"""The settings of Sphinx. `make site` runs it on the folder that stage.py makes."""

from importlib.metadata import metadata
from pathlib import Path

import ldy

project = "ldy"
author = "the maintainers of ldy"
version = release = ldy.__version__
extensions = [
    "myst_nb",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["examples", "files", "gallery/*.ipynb"]
# Warnings about links to names of other packages would need their inventories from the network.
nitpicky = False

myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 4
nb_execution_mode = "force"
nb_execution_raise_on_error = True
nb_execution_timeout = 300

numpydoc_show_class_members = False
autosummary_generate = True
autodoc_typehints = "none"
# Not in the environment of the site.
autodoc_mock_imports = ["torch"]

sphinx_gallery_conf = {
    # Examples run in processes of their own: Sphinx forks, and JAX has threads.
    "parallel": 2,
    "examples_dirs": "examples",
    "gallery_dirs": "gallery",
    "filename_pattern": r"\.py$",
    "ignore_pattern": r"__init__",
    "abort_on_example_error": True,
    "only_warn_on_example_error": False,
    "reset_argv": "site_arguments.arguments",
    "download_all_examples": False,
    "show_signature": False,
    "within_subsection_order": "FileNameSortKey",
    "copyfile_regex": r".*\.xml",
}

html_theme = "furo"
html_title = f"ldy {release}"
# Where the project lives, if the package says so.
urls = dict(url.split(", ") for url in metadata("ldy").get_all("Project-URL", []))
html_theme_options = {"footer_icons": [{"name": name, "url": url, "html": name, "class": ""} for name, url in urls.items()]}
html_static_path = ["static"]
html_extra_path = ["extra"]
html_css_files = ["site.css"]
html_favicon = "static/favicon.svg"
html_show_sourcelink = False
html_show_copyright = False
html_copy_source = False
# autosummary looks for relative ones in the folder of the pages.
templates_path = [str(Path(__file__).parent / "templates")]
copybutton_prompt_text = "$ "
