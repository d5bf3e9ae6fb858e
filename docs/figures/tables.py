"""The tables of a page in Markdown."""

from pathlib import Path

DOCS = Path(__file__).parent.parent


def cells(line):
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def lists(page, *columns):
    """The head and the rows of the first table of a page that has these columns."""
    lines = (DOCS / page).read_text(encoding="utf-8").splitlines()
    for place, line in enumerate(lines):
        if line.startswith("|") and set(columns) <= set(cells(line)):
            end = next(k for k in range(place, len(lines) + 1) if k == len(lines) or not lines[k].startswith("|"))
            return cells(line), [cells(row) for row in lines[place + 2:end]]
    raise SystemExit(f"{page} has no table with the columns {', '.join(columns)}")


def table(page, *columns):
    """The same, each row as a dictionary."""
    head, rows = lists(page, *columns)
    return [dict(zip(head, row)) for row in rows]


def number(text):
    """The number that a cell begins with, or None."""
    try:
        return float(text.replace(",", " ").split()[0])
    except (IndexError, ValueError):
        return None
