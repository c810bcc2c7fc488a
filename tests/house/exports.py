# SPDX-License-Identifier: GPL-2.0-or-later
"""What objects of the shipped programs offer to each other and nobody takes.

A function or variable that only its own file uses is static; one that only tests use needs a
line in tests/house/exports/<room>: the name and the reason why a test must reach it.
"""

import json
import os
import re
import shlex
import subprocess

import tree

# What others link against, and what starts a program.
PUBLIC = re.compile(r"main|ktstr_\w+")
# DEFINE_ERROR_DOMAIN makes these, wanted or not.
DOMAIN = re.compile(r"\w+_error(_domain)?")
NM = re.compile(r"^(?:[0-9a-fA-F]+)?\s+([A-Za-z])\s+(\S+)$")


def objects(build, root=tree.ROOT):
    """(source below the root, object file) of everything that src/ compiles"""
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as f:
        entries = json.load(f)
    found = []
    for entry in entries:
        source = os.path.relpath(os.path.join(entry["directory"], entry["file"]), root)
        words = shlex.split(entry["command"])
        target = words[words.index("-o") + 1] if "-o" in words else ""
        # tests and benches compile some of it once more.
        if source.startswith("src/") and target.startswith("src/"):
            found.append((source, os.path.join(entry["directory"], target)))
    return found


def symbols(paths):
    """object file -> (names it defines, names it wants)"""
    done = subprocess.run(["nm", "-g", *paths], capture_output=True, text=True, check=False)
    found, here = {}, (set(), set())
    for line in done.stdout.splitlines():
        match = NM.match(line)
        if match:
            here[match[1] in "Uwv"].add(match[2])
        elif line.endswith(":"):
            here = found.setdefault(line[:-1], (set(), set()))
    return found


def unused(offers, wants):
    """source -> names, without those that another source wants"""
    left = {}
    for source, names in sorted(offers.items()):
        others = set().union(*(w for other, w in wants.items() if other != source))
        rest = sorted(n for n in names - others if not PUBLIC.fullmatch(n) and not DOMAIN.fullmatch(n) and not n.startswith("__"))
        if rest:
            left[source] = rest
    return left


def unused_of_build(build):
    pairs = objects(build)
    missing = [o for _, o in pairs if not os.path.exists(o)]
    if missing:
        raise RuntimeError(f"{missing[0]} is not built")
    table = symbols([o for _, o in pairs])
    offers, wants = {}, {}
    for source, path in pairs:
        defined, wanted = table.get(path, (set(), set()))
        offers.setdefault(source, set()).update(defined)
        wants.setdefault(source, set()).update(wanted)
    return unused(offers, wants)


def excused(root=tree.ROOT):
    """room -> {name: reason}"""
    directory = os.path.join(root, "tests", "house", "exports")
    found = {}
    for room in sorted(os.listdir(directory)) if os.path.isdir(directory) else []:
        with open(os.path.join(directory, room), encoding="utf-8") as f:
            rows = [line.split("#")[0].strip().partition(" ") for line in f]
        found[room] = {name: reason.strip() for name, _, reason in rows if name}
    return found


def complaints(left, excuses):
    wrong, seen = [], set()
    for source, names in left.items():
        room = source.split("/")[1]
        for name in names:
            seen.add((room, name))
            if name not in excuses.get(room, {}):
                wrong.append(f"{source}: {name} is used by nobody else: make it static, or delete it, or say in tests/house/exports/{room} why a test must reach it")
    for room, rows in excuses.items():
        for name, reason in rows.items():
            if (room, name) not in seen:
                wrong.append(f"tests/house/exports/{room}: {name} needs no excuse any more; take the line out")
            elif not reason:
                wrong.append(f"tests/house/exports/{room}: {name} has no reason")
    return wrong
