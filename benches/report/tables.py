"""Rewrite the tables of a Markdown file from recorded lines. A table whose record is missing stays.

Usage: tables.py FILE.md DIRECTORY

A table is between `<!-- table NAME: RECORD -->` and `<!-- end -->`; RECORD.txt is in the directory.
"""

import re
import sys
from pathlib import Path

from lines import Record


# Milliseconds an update that the legacy module took on another machine, in the simulations that scenes were made after,
# for the scene with the same number of blocks.
LEGACY = {
    "spheres-8": 2.47, "spheres-16": 25.5, "boxes-16-middle": 34.6, "prb-8-middle": 4.18, "hub-16": 31.4, "hub-32": 24786.0,
    "tlexp-3-middle": 23.4, "bclim-2-middle": 47.9, "bclim-3-middle": 914.0, "tllim-2-middle": 55.1,
}

# Programs by the keys of their times, and how the call of one is named.
PROGRAMS = {
    "numpy_ms": "NumPy, `J @ Minv @ J.T`",
    "pinocchio_ms": "Pinocchio, `{}`",
    "mujoco_ms": "MuJoCo, `{}`",
    "siconos_ms": "Siconos, `{}`",
}


def significant(value):
    """Three digits, and no exponent."""
    if not isinstance(value, float) or value == 0:
        return str(value)
    text = f"{value:.3g}"
    return f"{float(text):.0f}" if "e" in text else text


def cell(line, key):
    return significant(line[key]) if key in line else ""


def table(columns, lines):
    yield "| " + " | ".join(title for title, _ in columns) + " |"
    yield "| " + " | ".join("---" if key in ("scene", "peer") else "---:" for _, key in columns) + " |"
    for line in lines:
        yield "| " + " | ".join(cell(line, key) for _, key in columns) + " |"


def wide(record, keys):
    """One line a scene, with the keys of every number of threads: update_ms/2 is update_ms with two threads."""
    merged = {line["scene"]: dict(line) for line in record.of_threads(1)}
    for line in record.lines:
        for key in keys:
            merged[line["scene"]][f"{key}/{line['threads']}"] = line.get(key, "")
    return merged.values()


def threaded(record, title, key):
    counts = record.thread_counts()
    return [(f"{title}, {count} thread{'s' if count > 1 else ''}", f"{key}/{count}") for count in counts]


def updates(record):
    columns = [("scene", "scene"), ("constraints", "constraints"), ("blocks", "blocks")]
    columns += threaded(record, "update, ms", "update_ms") + [("touch, ms", "touch_ms"), ("stream, ms", "stream_ms")]
    columns += threaded(record, "ratio", "ratio") + [("textbook, ms", "textbook_ms"), ("speedup", "speedup")]
    if any(line["scene"] in LEGACY for line in record.lines):
        columns.append(("legacy, recorded, ms", "legacy_ms"))
    for line in record.lines:
        line["legacy_ms"] = LEGACY.get(line["scene"], "")
    return table(columns, wide(record, ["update_ms", "ratio"]))


def rows(record):
    columns = [
        ("scene", "scene"),
        ("first update, ms", "first_update_ms"),
        ("insert, ns", "insert_ns_per_block"),
        ("into new memory, ns", "first_insert_ns_per_block"),
        ("remove head first, ns", "remove_head_first_ns_per_block"),
        ("tail first, ns", "remove_tail_first_ns_per_block"),
        ("at random, ns", "remove_random_ns_per_block"),
        ("bytes a block", "bytes_per_block"),
        ("allocations an update", "allocations_per_update"),
        ("resident peak, MiB", "resident_peak_mib"),
    ]
    return table(columns, record.of_threads(1))


def scaling(record):
    columns = [("scene", "scene"), ("blocks", "blocks")] + threaded(record, "update, ns", "update_ns_per_block")
    columns += [("touch, ns", "touch_ns_per_block"), ("stream, ns", "stream_ns_per_block")]
    columns += [("textbook, ns", "textbook_ns_per_block")]
    return table(columns, wide(record, ["update_ns_per_block"]))


def peers(record):
    """Through the legacy face, beside MuJoCo."""
    record = record.without("face")
    columns = [("scene", "scene"), ("contacts", "contacts"), ("blocks", "blocks"), ("contacts there", "mujoco_contacts")]
    columns += [("blocks there", "mujoco_blocks"), ("MuJoCo, ms", "mujoco_ms")] + threaded(record, "ldy, ms", "ldy_ms")
    columns += threaded(record, "ratio", "ratio")
    return table(columns, wide(record, ["ldy_ms", "ratio"]))


def neutral_peers(record):
    """Through the neutral face: a line for each call of a peer."""
    columns = [("scene", "scene"), ("bodies", "bodies"), ("freedoms", "freedoms"), ("contacts", "contacts"), ("peer", "peer")]
    columns += [("peer, ms", "peer_ms"), ("ldy, ms", "ldy_ms"), ("of it setters", "set_ms"), ("ratio", "ratio")]
    columns += [("difference", "difference")]
    lines = [line for line in record.lines if line.get("face") == "neutral"]
    for line in lines:
        (key,) = line.keys() & PROGRAMS.keys()
        line["peer"], line["peer_ms"] = PROGRAMS[key].format(line["call"]), line[key]
        line["difference"] = f"{line['difference']:.0e}"
    return table(columns, lines)


def neutral(record):
    columns = [("scene", "scene"), ("blocks", "blocks"), ("legacy: blocks", "legacy_blocks")]
    columns += threaded(record, "update, ms", "update_ms") + threaded(record, "legacy: update, ms", "legacy_update_ms")
    columns += threaded(record, "over legacy", "over_legacy") + [("telling what changed, ms", "set_ms")]
    return table(columns, wide(record, ["update_ms", "legacy_update_ms", "over_legacy"]))


def machine(record):
    about = record.about
    yield f"{about['date']}, {about['processor']}, {about['compilers']}, `{about['command']}`,"
    yield f"load average {about['load average before']} before and {about['load average after']} after."


TABLES = {
    "machine": machine,
    "updates": updates,
    "rows": rows,
    "scaling": scaling,
    "peers": peers,
    "neutral": neutral,
    "neutral_peers": neutral_peers,
}


def main():
    text, directory = Path(sys.argv[1]), Path(sys.argv[2])

    def renewed(match):
        path = directory / f"{match['record']}.txt"
        if not path.exists():
            return match[0]
        lines = TABLES[match["name"]](Record(path))
        return "\n".join([match["start"], *lines, "<!-- end -->"])

    marked = r"(?P<start><!-- table (?P<name>\w+): (?P<record>\w+) -->)\n.*?<!-- end -->"
    text.write_text(re.sub(marked, renewed, text.read_text(encoding="utf-8"), flags=re.S), encoding="utf-8")


if __name__ == "__main__":
    main()
