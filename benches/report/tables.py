"""Rewrite the tables of a Markdown file from recorded lines. A table whose record is missing stays.

Usage: tables.py FILE.md DIRECTORY

A table is between `<!-- table NAME: RECORD -->` and `<!-- end -->`; RECORD.txt is in the directory.
"""

import math
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

# Goals for the time of an update, divided by the time of touching all rows and blocks, with one thread and with two.
GOALS = {
    "spheres-16": "3, 2", "boxes-16-middle": "1.6, 1.2", "prb-8-middle": "3, 2", "hub-32": "0.6, 0.4", "tlexp-3-middle": "4, 2.5",
    "bclim-3-middle": "3, 2", "tllim-2-middle": "30, 20",
}

# Programs by the keys of their times, and how the call of one is named.
PROGRAMS = {
    "numpy_ms": "NumPy, `J @ Minv @ J.T`",
    "pinocchio_ms": "Pinocchio, `{}`",
    "mujoco_ms": "MuJoCo, `{}`",
    "siconos_ms": "Siconos, `{}`",
}

# Contact solvers by the keys of their times.
SOLVERS = {
    "ldy_ms": "ldy",
    "rows_ms": "ldy, W alone",
    "best_ms": "Siconos, the best of eight",
    "nsgs_ms": "Siconos, NSGS",
    "pin_ms": "Pinocchio, ADMM",
    "clarabel_ms": "Clarabel",
    "siconos_ms": "Siconos, the best of three",
}
FACTORS = (1, 2, 5, 10, 100)

# What problems and sequences from files are.
TITLES = {
    "arch27": "arch of 27 stones",
    "arch27-falls": "thinner arch of 27 stones, falls",
    "arch200": "arch of 200 stones",
    "boxes796": "heap of 130 boxes",
    "boxes6997": "heap of 1300 boxes",
    "dome12x24": "dome of 288 stones",
    "lowwall47500": "wall of 10 courses, 6255 bricks",
    "spheres9677": "heap of 3700 spheres",
    "spheres46483": "heap of 18500 spheres",
    "vault27x20": "vault of 553 stones",
    "wall9660": "wall of 1242 bricks",
    "wall49612": "wall of 6280 bricks",
    "boxes200": "heap of 200 boxes at rest (790 to 840)",
    "chain20": "chain of 20 links that falls against a wall (37 to 55)",
    "humanoids22": "22 humanoids (160 to 190)",
    "mixed200": "heap of 200 boxes, spheres, capsules at rest (560 to 590)",
    "pile300": "300 boxes, spheres, capsules that fall into a box (700 to 790)",
    "spheres2000": "2000 spheres that are poured into a box (5000 to 6200)",
    "stack10": "stack of 10 boxes (21 to 41)",
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


def goals(record):
    lines = [line | {"goal": GOALS[line["scene"]]} for line in wide(record, ["ratio"]) if line["scene"] in GOALS]
    return table([("scene", "scene"), ("goal, 1 and 2 threads", "goal")] + threaded(record, "here", "ratio"), lines)


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
    columns = [("scene", "scene"), ("bodies", "bodies"), ("dofs", "freedoms"), ("contacts", "contacts"), ("peer", "peer")]
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
    columns += threaded(record, "over legacy", "over_legacy") + [("setters, ms", "set_ms")]
    return table(columns, wide(record, ["update_ms", "legacy_update_ms", "over_legacy"]))


def solves(record):
    """Contact solvers on problems with bodies; - stands for not solved."""
    columns = [("problem", "scene"), ("constraints", "constraints"), ("tolerance", "tolerance")]
    columns += [(title, key) for key, title in SOLVERS.items() if key in record.lines[0]]
    columns += [("ldy, warm", "warm_ms"), ("1000 sweeps", "sweeps_ms")]
    return table(columns, [titled(line) | {"tolerance": exponent(line["tolerance"])} for line in record.lines])


def titled(line):
    return line | {"scene": TITLES.get(line["scene"], line["scene"])}


def exponent(number):
    return f"{number:.0e}".replace("e-0", "e-")


def profile(record):
    """Performance profiles (Dolan and Moré): the share of problems that a solver solves within a factor of the quickest one's time."""
    keys = [key for key in SOLVERS if key in record.lines[0]]
    times = [[line[key] if isinstance(line[key], (int, float)) else math.inf for key in keys] for line in record.lines]
    ratios = [[time / min(row) for time in row] for row in times if min(row) < math.inf]
    yield "| solver | " + " | ".join(f"{factor:g}" for factor in FACTORS) + " | solved |"
    yield "| --- |" + " ---: |" * (len(FACTORS) + 1)
    for solver, key in enumerate(keys):
        shares = [sum(row[solver] <= factor for row in ratios) / len(times) for factor in (*FACTORS, sys.float_info.max)]
        yield f"| {SOLVERS[key]} | " + " | ".join(f"{share:.2f}" for share in shares) + " |"


def steps(record):
    """Milliseconds a step, the median and the 99th percentile, for each tolerance."""
    tolerances = sorted({line["tolerance"] for line in record.lines}, reverse=True)
    columns = [("sequence", "scene"), ("steps", "steps"), ("a sweep", "sweep_ms")]
    merged = {}
    for line in record.lines:
        row = merged.setdefault(line["scene"], titled(line))
        solved = "" if line["solved"] == line["steps"] else f" ({line['solved']} solved)"
        row[line["tolerance"]] = f"{significant(line['median_ms'])}, {significant(line['p99_ms'])}{solved}"
    return table(columns + [(exponent(tolerance), tolerance) for tolerance in tolerances], merged.values())


def machine(record):
    about = record.about
    yield f"{about['date']}, {about['processor']}, {about['compilers']}, `{about['command']}`,"
    yield f"load average {about['load average before']} before and {about['load average after']} after."


TABLES = {
    "machine": machine,
    "updates": updates,
    "goals": goals,
    "rows": rows,
    "scaling": scaling,
    "peers": peers,
    "neutral": neutral,
    "neutral_peers": neutral_peers,
    "solves": solves,
    "profile": profile,
    "steps": steps,
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
