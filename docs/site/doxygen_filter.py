"""Doxygen's view of a header: each comment before a declaration becomes a comment that Doxygen reads.

Usage: doxygen_filter.py HEADER   prints the header

The headers have plain comments: a sentence, `- name: text` for parameters, `Returns`, `Safety:`. A method of C++ without a
comment that calls a function of C takes over that function's first sentence.
"""

import re
import sys
from pathlib import Path

COMMENT = re.compile(r"/\*(?!\*)(.*?)\*/", re.DOTALL)
PARAMETER = re.compile(r"^(\s*)- ([A-Za-z_][\w]*(?:, [A-Za-z_]\w*)*): ", re.MULTILINE)


def marked(text, declaration):
    """The text of a comment with the commands of Doxygen."""
    names = set(re.findall(r"\w+", declaration))

    def parameter(match):
        listed = match[2].split(", ")
        return f"{match[1]}@param {','.join(listed)} " if set(listed) <= names else match[0]

    # A minus at the beginning of a line is no list.
    text = re.sub(r"(?<![.;:,\n])\n\s*- ", " - ", text)
    text = PARAMETER.sub(parameter, text)
    text = re.sub(r"^(\s*)Returns ", r"\1@return ", text, flags=re.MULTILINE)
    text = re.sub(r"^(\s*)Safety:", r"\1@par Safety", text, flags=re.MULTILINE)
    return re.sub(r"(?<![\w/@:])#(?=\w)", r"\\#", text)


# What needs no comment in a header: the beginning of a line, and the comment for Doxygen; none hides the line.
PLAIN = (
    (r"#define \w+$", None),
    (r"#define LDY_VERSION_(MAJOR|MINOR|PATCH) ", "A part of the version of this header."),
    (r"#define LDY_\w+_INIT ", "The initial value of the structure: its size, and zeros."),
    (r"#define LDY_(RESULT|LAYOUT)\b", "Of the header itself."),
    (r"(void|int) ldy_layout_\w+", "For the linker; programs do not call it."),
    (r"enum \w+ \{", "The constants of one kind. Their numbers never change."),
    (r"typedef (struct|enum) \w+ \w+;", "The structure or enumeration of this name."),
)


def with_plain_comments(source):
    lines = source.split("\n")
    for number, line in enumerate(lines):
        for start, comment in PLAIN:
            if re.match(start, line) and not (number and lines[number - 1].rstrip().endswith("*/")):
                lines[number] = f"/** {comment} */ {line}" if comment and not line.startswith("#") else line
                if line.startswith("#"):
                    lines[number] = f"/** {comment} */\n{line}" if comment else ""
                break
    return "\n".join(lines)


def filtered(source):
    out, place = [], 0
    for match in COMMENT.finditer(source):
        line = source[source.rfind("\n", 0, match.start()) + 1:match.start()]
        after = source[match.end():match.end() + 2000]
        declaration = re.split(r"[;{]", after, maxsplit=1)[0]
        out.append(source[place:match.start()])
        if line.strip():
            out.append(f"/**<{match[1]}*/")
        elif re.match(r"\n[ \t]*\n|\s*(#if|#endif|#else|#include|$)", after) and not out[0].strip():
            out.append(f"/** @file\n{match[1]}*/")
        elif re.match(r"[ \t]*\n[ \t]*\S", after) and not re.match(r"\s*#(if|endif|else|include|ifndef)", after):
            out.append(f"/**{marked(match[1], declaration)}*/")
        else:
            out.append(match[0])
        place = match.end()
    return "".join(out) + source[place:]


def with_c_comments(source):
    """Methods without a comment refer to the function of C that they call."""
    lines, out = source.split("\n"), []
    for number, line in enumerate(lines):
        before = lines[number - 1].rstrip() if number else ""
        statement = line.strip().startswith(("return", "if", "for", "throw", "using"))
        starts = re.match(r"(?:  )?(?:\[\[nodiscard\]\] |inline )*[A-Za-z:~].*\w+ \(.*", line)
        if starts and not statement and not before.endswith("*/") and not before.strip().startswith("template"):
            body = "\n".join(lines[number:number + 25])
            end = body.find("\n\n")
            called = re.search(r"(?<!\w)(ldy_[a-z_]+) \(", body[:end if end > 0 else None])
            if called:
                out.append(f"  /** @copybrief {called[1]}\n  See ::{called[1]}. */")
        out.append(line)
    return "\n".join(out)


def main():
    path = Path(sys.argv[1])
    source = path.read_text(encoding="utf-8")
    sys.stdout.write(with_plain_comments(filtered(with_c_comments(source) if path.suffix == ".hpp" else source)))


if __name__ == "__main__":
    main()
