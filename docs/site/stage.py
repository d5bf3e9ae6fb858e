"""Copy all pages of the repository to a folder that Sphinx reads: docs, and the pages outside of it.

Usage: stage.py FOLDER TAGS

TAGS is Doxygen's list of the C functions: the page of functions gets links to its reference.

A link to a page leads to its new place, a link to any other file of the repository becomes a download. Links of an index become its
table of contents, in their order.
"""

import os
import re
import shutil
import sys
import xml.etree.ElementTree
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
# Pages outside of docs.
PLACES = {
    "README.md": "overview.md",
    "CHANGELOG.md": "upgrading/changelog.md",
    "CONTRIBUTING.md": "developers/contributing.md",
    "SECURITY.md": "trust/security.md",
    "python/README.md": "reference/python-guide.md",
    "python/examples/singular.ipynb": "tutorials/singular.ipynb",
}
# Additions of the site: text by page, another title of a page, and the gallery after another page.
C, RUST = '<a href="../c/index.html">C and C++</a>', '<a href="../rust/ldy/index.html">Rust</a>'
ADDED = {"reference/index.md": f"\nThe references of {C} and of {RUST} have pages of their own.\n"}
TITLES = {"overview.md": "Overview"}
GALLERY = {"index.md": ("tutorials/index.md", "gallery/index")}
LINK = re.compile(r"\]\(([^)\s#]*)(#[^)\s]*)?\)")


def places():
    """The path in the folder of each page and picture, by the path in the repository."""
    docs = [path for path in (ROOT / "docs").rglob("*") if path.is_file() and path.suffix in (".md", ".svg", ".png")]
    found = {str(path.relative_to(ROOT)): str(path.relative_to(ROOT / "docs")) for path in docs if "site" not in path.parts}
    # sphinx-gallery makes a page of each example.
    examples = {f"python/examples/{path.name}": f"gallery/{path.stem}.rst" for path in (ROOT / "python/examples").glob("*.py")}
    return found | PLACES | examples


def relinked(text, source, moved, folder):
    """The text of a page with its links as they are in the folder."""
    here = Path(moved[source]).parent

    def link(match):
        target, anchor = match[1], match[2] or ""
        if not target or "://" in target:
            return match[0]
        path = os.path.normpath(Path(source).parent / target)
        if not (ROOT / path).is_file():
            sys.exit(f"{source}: {target} is no file")
        if path not in moved:
            moved[path] = f"files/{path}"
        place = folder / moved[path]
        if moved[path].startswith("files/") and not place.exists():
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / path, place)
        return f"]({os.path.relpath(moved[path], here)}{anchor})"

    parts = re.split(r"(^```.*?^```$)", text, flags=re.DOTALL | re.MULTILINE)
    return "".join(part if part.startswith("```") else LINK.sub(link, part) for part in parts)


def contents(text, index, indexes):
    """A hidden table of contents: the pages below the folder of an index that it links to, each once, and the indexes of folders."""
    folder, entries = Path(index).parent, []
    for target in (match[1] for match in LINK.finditer(text)):
        path = os.path.normpath(folder / target) if target else ""
        below = os.path.relpath(path, folder)
        own = not below.startswith("..") and ("/" not in below or Path(path) in indexes or not (Path(path).parent / "index.md") in indexes)
        if Path(path).suffix in (".md", ".ipynb") and own and below not in entries:
            entries.append(below)
    if index in GALLERY:
        before, added = GALLERY[index]
        entries.insert(entries.index(before) + 1, added)
    return "\n".join(["", "```{toctree}", ":hidden:", "", *entries, "```", ""])


def with_references(text, tags):
    """The list of functions of C, each with a link to its reference."""
    functions = xml.etree.ElementTree.parse(tags).iterfind(".//member[@kind='function']")
    places = {member.findtext("name"): f"{member.findtext('anchorfile')}#{member.findtext('anchor')}" for member in functions}

    def link(match):
        return f'| <a href="../c/{places[match[1]]}"><code>{match[1]}</code></a>'

    return re.sub(r"^\| `(\w+)`", link, text, flags=re.MULTILINE)


def main():
    folder, tags = map(Path, sys.argv[1:])
    shutil.rmtree(folder, ignore_errors=True)
    moved = places()
    indexes = {Path(place) for place in moved.values() if place.endswith("index.md")}
    for source, place in list(moved.items()):
        target = folder / place
        target.parent.mkdir(parents=True, exist_ok=True)
        if place.endswith(".md"):
            text = relinked((ROOT / source).read_text(encoding="utf-8"), source, moved, folder)
            if place in TITLES:
                text = re.sub("^# .*", f"# {TITLES[place]}", text, count=1)
            text += ADDED.get(place, "")
            if place == "reference/functions.md":
                text = with_references(text, tags)
            target.write_text(text + (contents(text, place, indexes) if Path(place) in indexes else ""), encoding="utf-8")
        elif not place.startswith("gallery/"):
            shutil.copy(ROOT / source, target)
    shutil.copytree(ROOT / "python/examples", folder / "examples", ignore=shutil.ignore_patterns("*.ipynb", "__pycache__"))
    (folder / "examples/README.rst").write_text("Gallery\n=======\n\nPrograms in Python, run when this site was made.\n", encoding="utf-8")


if __name__ == "__main__":
    main()
