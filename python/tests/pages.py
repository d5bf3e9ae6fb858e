"""Programs of the pages, which the tests run."""

import pathlib
import re
import subprocess
import sys

PAGES = pathlib.Path(__file__).parent.parent.parent / "docs"


def run(page, module):
    """Run the programs of a page that import a module; what each printed, and what the page shows."""
    text = (PAGES / page).read_text(encoding="utf-8")
    for program, shown in re.findall(r"```python\n(.*?)```\n+```text\n(.*?)```", text, re.DOTALL):
        if f"import {module}\n" in program:
            done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
            yield done.stdout or done.stderr, shown
