"""Follow every link within the site, with its anchor.

Usage: check_links.py FOLDER
"""

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

# Pages whose own generator answers for anchors. rustdoc's pages have links of its scripts that lead to no file, so they are left to it.
GENERATED = ("c", "rust")


class Page(HTMLParser):
    """The links of a page, and what can be linked to in it."""

    def __init__(self, path):
        super().__init__()
        self.links, self.anchors = set(), set()
        self.feed(path.read_text(encoding="utf-8", errors="replace"))

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name in ("id", "name") and value:
                self.anchors.add(value)
            elif name in ("href", "src") and value and tag not in ("base",):
                self.links.add(value)


def main():
    root = Path(sys.argv[1]).resolve()
    pages, wrong, followed = {}, [], 0

    def page(path):
        if path not in pages:
            pages[path] = Page(path)
        return pages[path]

    for path in sorted(root.rglob("*.html")):
        part = path.relative_to(root).parts[0]
        for link in page(path).links:
            address = urlsplit(link)
            if address.scheme or address.netloc or (address.path == "" and part in GENERATED):
                continue
            target = (path.parent / unquote(address.path)).resolve() if address.path else path
            target = target / "index.html" if target.is_dir() else target
            if part == "rust" and target.is_relative_to(root / "rust"):
                continue
            followed += 1
            anchor = unquote(address.fragment)
            if not target.is_file():
                wrong.append(f"{path.relative_to(root)}: {link}: no such file")
            elif anchor and target.suffix == ".html" and part not in GENERATED and anchor not in page(target).anchors:
                wrong.append(f"{path.relative_to(root)}: {link}: no such anchor")
    print(f"{len(pages)} pages, {followed} links within the site, {len(wrong)} wrong")
    if wrong:
        sys.exit("\n".join(wrong[:50]))


if __name__ == "__main__":
    main()
