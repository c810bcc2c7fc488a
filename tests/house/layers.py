# SPDX-License-Identifier: GPL-2.0-or-later
"""Who may include whom: src/LAYERS against every #include and every link."""

import os
import re

import tree

INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.M)
DEP = re.compile(r"\b([a-z]+)_(?:dep|lib)\b")


def read(path):
    """room -> (layer, rooms it may use), and what is wrong with the file itself."""
    rooms, wrong = {}, []
    with open(path, encoding="utf-8") as f:
        for number, line in enumerate(f, 1):
            line = line.split("#")[0].strip()
            if not line:
                continue
            match = re.fullmatch(r"(\d+)\s+([a-z]+)(?:\s*->\s*([a-z ]+))?", line)
            if not match:
                wrong.append(f"LAYERS:{number}: cannot read {line!r}")
                continue
            rooms[match[2]] = (int(match[1]), (match[3] or "").split())
    return rooms, wrong


def check_rules(rooms):
    """Strictly downwards, which also means: no circle."""
    wrong = []
    for room, (layer, uses) in rooms.items():
        for used in uses:
            if used not in rooms:
                wrong.append(f"LAYERS: {room} names {used}, which has no line")
            elif rooms[used][0] >= layer:
                wrong.append(f"LAYERS: {room} (layer {layer}) may not stand on {used} (layer {rooms[used][0]})")
    return wrong


def allowed(room, rooms):
    return {room, "base", *rooms[room][1]}


def check_includes(root, rooms):
    wrong = []
    for room in tree.rooms(root):
        if room not in rooms:
            wrong.append(f"src/{room}: no line in src/LAYERS")
            continue
        directory = os.path.join(root, "src", room)
        for path in sorted(tree.walk(directory)):
            if not path.endswith((".c", ".h", ".def", ".inc")):
                continue
            text = tree.text(os.path.join("src", room, path), root) or ""
            for target in INCLUDE.findall(text):
                owner = target.split("/")[0]
                if "/" not in target or ".." in target:
                    wrong.append(f'src/{room}/{path}: "{target}" is not named from src/')
                elif owner not in allowed(room, rooms):
                    wrong.append(f"src/{room}/{path}: {room} may not include {target}")
    return wrong


def check_permissions(root, rooms):
    """A permission nobody uses is taken back: it would hide the day on which somebody does."""
    wrong = []
    for room in (r for r in tree.rooms(root) if r in rooms):
        directory = os.path.join(root, "src", room)
        paths = [os.path.join("src", room, p) for p in tree.walk(directory) if p.endswith((".c", ".h", ".def", ".inc"))]
        used = {t.split("/")[0] for p in paths for t in INCLUDE.findall(tree.text(p, root) or "")}
        wrong += [f"LAYERS: {room} may use {other} and does not" for other in rooms[room][1] if other not in used]
    return wrong


def check_links(root, rooms):
    wrong = []
    for room in (r for r in tree.rooms(root) if r in rooms):
        directory = os.path.join("src", room)
        paths = (os.path.join(directory, p) for p in tree.walk(os.path.join(root, directory)))
        for path in sorted(p for p in paths if os.path.basename(p) == "meson.build"):
            text = re.sub(r"#.*", "", tree.text(path, root))
            for used in sorted(set(DEP.findall(text))):
                if used in rooms and used not in allowed(room, rooms):
                    wrong.append(f"{path}: {room} may not link {used}")
    return wrong


def check_public(root):
    """include/ktstr is for test authors: libc and itself, nothing of ours."""
    wrong = []
    directory = os.path.join(root, "include", "ktstr")
    for base, _, names in os.walk(directory):
        for name in sorted(n for n in names if n.endswith(".h")):
            path = os.path.relpath(os.path.join(base, name), root)
            text = tree.text(path, root) or ""
            for target in INCLUDE.findall(text):
                if not target.startswith("ktstr/"):
                    wrong.append(f'{path}: may not include "{target}"')
            for target in re.findall(r"^\s*#\s*include\s+<(ktstr/[^>]+)>", text, re.M):
                if not os.path.exists(os.path.join(root, "include", target)):
                    wrong.append(f"{path}: <{target}> does not exist")
    return wrong


def check_table(text, rooms):
    """docs/ARCHITECTURE.md shows the same rooms, layers and permissions."""
    rows = re.findall(r"^\| (\d+) \| `([a-z]+)` \| [^|]+ \| ([^|]+) \|$", text, re.M)
    shown = {room: (int(layer), set(uses.split(", ")) - {"base", "libc"}) for layer, room, uses in rows}
    known = {room: (layer, set(uses)) for room, (layer, uses) in rooms.items()}
    wrong = [f"ARCHITECTURE.md: the row of {r} is not what LAYERS says" for r in known if r in shown and shown[r] != known[r]]
    wrong += [f"ARCHITECTURE.md: {r} has a row in one of both only" for r in sorted(known.keys() ^ shown.keys())]
    if len(rows) != len(shown):
        wrong.append("ARCHITECTURE.md: a room has two rows")
    return wrong


def check(root):
    path = os.path.join(root, "src", "LAYERS")
    rooms, wrong = read(path)
    wrong += check_rules(rooms)
    wrong += check_includes(root, rooms)
    wrong += check_permissions(root, rooms)
    wrong += check_links(root, rooms)
    wrong += check_public(root)
    return wrong
