"""Recorded lines: `bench SCENE key=value ...`, the same with `peer`, `bench-solve` or `steps`, and `# key: text` about the machine."""

import copy


class Record:
    """The content of a file: `about` the machine, and `lines`, each a dictionary with the scene under "scene"."""

    def __init__(self, path):
        self.about, self.lines = {}, []
        with open(path, encoding="utf-8") as file:
            for line in file:
                if line.startswith("# "):
                    key, _, text = line[2:].strip().partition(": ")
                    self.about[key] = text
                elif line.startswith(("bench ", "peer ", "bench-solve ", "steps ")):
                    self.lines.append(parsed(line))

    def without(self, key):
        """The record with only those lines that have no such key."""
        record = copy.copy(self)
        record.lines = [line for line in self.lines if key not in line]
        return record

    def of_threads(self, count):
        return [line for line in self.lines if line["threads"] == count]

    def thread_counts(self):
        return sorted({line["threads"] for line in self.lines})


def parsed(line):
    _, scene, *pairs = line.split()
    values = dict(pair.split("=", 1) for pair in pairs)
    return {"scene": scene} | {key: number(value) for key, value in values.items()}


def number(text):
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text
