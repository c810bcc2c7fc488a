# SPDX-License-Identifier: GPL-2.0-or-later
"""What the headers of a room declare, and whether its names say which room they belong to."""

import os
import re

import tree

COMMENT = re.compile(r'"(?:\\.|[^"\\\n])*"|/\*.*?\*/|//[^\n]*', re.S)
DEFINE = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)", re.M)
UNDEF = re.compile(r"^[ \t]*#[ \t]*undef[ \t]+(\w+)", re.M)
DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", re.M)
ATTRIBUTE = re.compile(r"__attribute__\s*\(\((?:[^()]|\([^()]*\))*\)\)|\bPRINTF_LIKE\s*\([^()]*\)|\b(?:MUST_CHECK|NEVER_NULL)\b")
GUARD = re.compile(r"\bDEFINE_CLEANUP\s*\(\s*(\w+)[^;]*")
DOMAIN = re.compile(r"\bDECLARE_ERROR_DOMAIN\s*\(\s*(\w+)\s*,\s*(\w+)")
# A limit under another word; METRIC_MAX and the like are not limits but answers.
# Rows of a table that speak of a limit, and are none.
SPEAK_OF_LIMITS = ("CHECKS_AT_MOST", "CTPROF_CGROUP_MERGE_MOST", "PROCFS_CGROUP_FORM_LIMIT")
LIMIT = re.compile(r"(?:^|_)(?:LIMIT|MOST)(?:_|$)|^MAX_")

# base is the language of all rooms: each header has a prefix of its own, some have several.
BASE = {
    "alloc": ("alloc_", "x"),
    "bytes": ("bytes_", "cursor_"),
    "clock": ("clock_", "NS_PER_"),
    "cleanup": ("cleanup_", "_cleanup_", "take_", "DEFINE_CLEANUP", "file", "dir"),
    "error": ("error_", "base_", "DECLARE_ERROR_", "DEFINE_ERROR_"),
    "macros": ("",),
    "paths": ("paths_", "lock_"),
    "shell_word": ("shell_",),
}


def strip(text):
    """Without comments, and with empty strings."""
    return COMMENT.sub(lambda m: '""' if m[0].startswith('"') else " ", text)


def blocks(text):
    """(text in front of a brace or semicolon at the top, what the braces hold) of each declaration."""
    depth, start, opened, head = 0, 0, 0, ""
    for i, c in enumerate(text):
        if c == "{":
            if depth == 0:
                head, opened = text[start:i], i + 1
            depth += 1
        elif c == "}" and depth:
            depth -= 1
            if depth == 0:
                yield head, text[opened:i]
                start = i + 1
        elif c == ";" and depth == 0:
            yield text[start:i], None
            start = i + 1


def constants(body):
    """Names of an enum's constants; rows that a macro makes are not seen."""
    flat = None
    while flat != body:
        flat, body = body, re.sub(r"\w*\s*\([^()]*\)", " ", body)
    return [m[1] for m in (re.match(r"\s*(\w+)\s*(=.*)?$", part, re.S) for part in body.split(",")) if m]


def declared(text):
    """(kind, name) of what a header declares: function, variable, type, tag, constant, macro."""
    text = strip(text)
    # One that does not outlive its header is not declared.
    found = [("macro", name) for name in DEFINE.findall(text) if name not in UNDEF.findall(text)]
    text = ATTRIBUTE.sub(" ", DIRECTIVE.sub("", text))
    found += [("error domain", name) for pair in DOMAIN.findall(text) for name in pair]
    found += [("scope guard", name) for name in GUARD.findall(text)]
    text = GUARD.sub(" ", DOMAIN.sub(" ", text))
    for head, body in blocks(text):
        head = " ".join(head.split())
        tag = re.search(r"\b(struct|union|enum) (\w+)$", head)
        if body is not None and re.search(r"\benum( \w+)?$", head):
            found += [("constant", name) for name in constants(body)]
        if body is not None and tag:
            found.append((tag[1], tag[2]))
            continue
        if head.startswith("typedef"):
            name = re.search(r"\(\s*\*\s*(\w+)\s*\)", head) or re.search(r"\b(\w+)\s*\([^()]*\)$", head) or re.search(r"(\w+)$", head)
            found.append(("type", name[1]))
            continue
        call = re.match(r"[^=]*?\b(\w+)\s*\(", head)
        if call and not re.match(r"_Static_assert", head):
            found.append(("function", call[1]))
        elif head.startswith("extern"):
            name = re.search(r"(\w+)\s*(\[[^\]]*\]\s*)*$", head)
            found.append(("variable", name[1]))
    return found


def headers(root):
    """room -> paths below src/"""
    found = {}
    for room in tree.rooms(root):
        directory = os.path.join(root, "src", room)
        found[room] = sorted(os.path.join(room, p) for p in tree.walk(directory) if p.endswith(".h"))
    return found


def prefixes(path):
    """The words with which names of a header begin; None when nobody else includes it."""
    room, stem = path.split("/")[0], os.path.basename(path).removesuffix(".h")
    if room == "base":
        return BASE.get(stem, (stem + "_",))
    if room == "cli":
        return ("cli_",) if path.startswith("cli/frame/") else None
    return (room + "_",)


def bears(name, words):
    plain = name.removeprefix("_cleanup_")
    return any(n.startswith(w) or n.startswith(w.upper()) or n.strip("_").upper() == w.strip("_").upper() for n in (name, plain) for w in words)


def dropped(text):
    """Macros that a table of rows takes away again: nobody else sees them."""
    tables = re.findall(r'^\s*#\s*include\s+"([^"]+\.def)"', text, re.M)
    return {name for table in tables if os.path.exists(os.path.join(tree.ROOT, "src", table)) for name in re.findall(r"^\s*#\s*undef\s+(\w+)", tree.text("src/" + table) or "", re.M)}


def check_header(path, text):
    # Declares what another program has.
    if path == "plugin/qemu.h":
        return []
    words = prefixes(path)
    ours = dropped(text)
    guard = "KTSTR_" + re.sub(r"\W", "_", path).upper()
    wrong = []
    for kind, name in declared(text):
        # A macro that ends with _ is at home in its file.
        if words is None or name == guard or (kind == "macro" and name.endswith("_") and not name.startswith("_cleanup_")):
            continue
        if (kind == "macro" and name in ours) or (path.startswith("suite/") and name.startswith("ktstr_")):
            # The types of include/ktstr are the author's, and suite holds what is in them.
            continue
        if not bears(name, words):
            wrong.append(f"src/{path}: {kind} {name} does not begin with {words[0]}")
    return wrong


def check_limits(path, text):
    if path.split("/")[0] in ("base", "cli"):
        return []
    good = re.compile(path.split("/")[0].upper() + r"_LIMIT_")
    names = [name for kind, name in declared(text) if kind in ("constant", "macro") and not name.startswith("KTSTR_")]
    return [f"src/{path}: {n} is not called {good.pattern}…" for n in names if LIMIT.search(n) and n not in SPEAK_OF_LIMITS and not good.match(n)]


def check(root, rule):
    """What is wrong in the headers of all rooms."""
    return [w for paths in headers(root).values() for p in paths for w in rule(p, tree.text(os.path.join("src", p), root) or "")]
