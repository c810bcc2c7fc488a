# SPDX-License-Identifier: GPL-2.0-or-later
"""A room's README names its files: every .c and .def, and headers that have no .c."""

import fnmatch
import os
import re

import tree

# docs/CODING_STYLE.md says what they hold, in every room.
SAME_EVERYWHERE = ("error", "limits")
CODE = re.compile(r"`([^`\n]+)`")
NAME = re.compile(r"(?:[\w-]+/)*[\w-]+\.(?:c|h|def|inc|S|sh)")


def spread(word):
    """a_{b,c}.c is a_b.c and a_c.c"""
    match = re.search(r"\{([^{}]*)\}", word)
    if not match:
        return [word]
    return [w for part in match[1].split(",") for w in spread(word[: match.start()] + part.strip() + word[match.end() :])]


def stem(path):
    return re.sub(r"\.(c|h|def|inc)$|\.\[ch\]$", "", path)


def mentioned(text):
    """What stands between back quotes and could be a file, spread out."""
    return {w for code in CODE.findall(text) for word in re.split(r"[\s,]+(?![^{]*\})", code) for w in spread(word)}


def sections(text):
    """(directory, text): a heading `## walk/: …` and an item that begins with `walk/` say where the files of what follows are."""
    heading = item = ""
    for line in text.split("\n"):
        title, point = re.match(r"#+ (?:([\w/]+)/)?", line), re.match(r"- (?:`([\w/]+)/`)?", line)
        if title:
            heading, item = title[1] or "", ""
        elif point:
            item = point[1] or ""
        yield os.path.join(heading, item), line


def wanted(paths):
    """Stems of the files that need a word."""
    return {stem(p) for p in paths if os.path.basename(stem(p)) not in SAME_EVERYWHERE}


def check_room(root, room):
    directory = os.path.join(root, "src", room)
    if not os.path.exists(os.path.join(directory, "meson.build")):
        return []
    paths = [p for p in tree.walk(directory) if p.endswith((".c", ".h", ".def"))]
    readmes = sorted(p for p in tree.walk(directory) if os.path.basename(p) == "README.md")
    known, wrong = set(), []
    for readme in readmes:
        inside = os.path.dirname(readme)
        text = tree.text(os.path.join("src", room, readme), root)
        words = {(inside, w) for w in mentioned(text)} | {(os.path.join(inside, at), w) for at, line in sections(text) for w in mentioned(line)}
        known |= {stem(os.path.join(at, w)) for at, w in words} | {stem(w.removeprefix(room + "/")) for at, w in words}
        below = {at for at, _ in words}
        for word in sorted({w for _, w in words if NAME.fullmatch(w)}):
            places = (*(os.path.join(directory, at, word) for at in below), os.path.join(directory, word), os.path.join(root, "src", word), os.path.join(root, word), os.path.join(root, "include", word))
            if not any(map(os.path.exists, places)) and "/" not in word:
                wrong.append(f"src/{room}/{readme}: there is no file {word}")
    globs = [k for k in known if "*" in k]
    missing = sorted(s for s in wanted(paths) if s not in known and not any(fnmatch.fnmatch(s, g) for g in globs))
    return wrong + [f"src/{room}/README.md does not name {s}" for s in missing]


def check(root):
    return [w for room in tree.rooms(root) for w in check_room(root, room)]
