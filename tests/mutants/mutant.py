# SPDX-License-Identifier: GPL-2.0-or-later
"""The patches of tests/mutants: what they say of themselves, and which of them a run takes."""

import glob
import hashlib
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "house"))
import tree  # noqa: E402

PER_ROOM = 2


class Mutant:
    def __init__(self, path):
        self.path = path
        self.name = os.path.basename(path).removesuffix(".patch")
        with open(path, encoding="utf-8") as f:
            head, _, body = f.read().partition("\ndiff ")
        words = dict(re.findall(r"^# (room|bug|tests):[ \t]*(.*?)[ \t]*$", head, re.M))
        self.room, self.bug = words.get("room", ""), words.get("bug", "")
        self.patterns = words.get("tests", "").split()
        self.files = list(dict.fromkeys(re.findall(r"^(?:\+\+\+ b|--- a)/(.+?)[ \t]*$", body, re.M)))

    def stems(self):
        """Names of the patched files as the unit tests of their room have them."""
        return [os.path.splitext(os.path.basename(f))[0] for f in self.files]


def read_all(root):
    return [Mutant(p) for p in sorted(glob.glob(os.path.join(root, "tests", "mutants", "*.patch")))]


def complaints(mutants, root):
    wrong = []
    directories = {**{r: os.path.join("src", r) for r in tree.rooms(root)}, "bpf": "bpf"}
    built = [r for r, directory in directories.items() if os.path.exists(os.path.join(root, directory, "meson.build"))]
    for mutant in mutants:
        if mutant.room not in built or not mutant.bug:
            wrong.append(f"{mutant.name}: its first lines must name a built room and the bug")
    for room in built:
        have = sum(m.room == room for m in mutants)
        if have < PER_ROOM:
            wrong.append(f"room {room} has {have} mutants, {PER_ROOM} wanted")
    return wrong


def rotated(mutants, seed, first=()):
    """The order of a slice: rooms of `first`, then the others, each shuffled by the seed."""
    def place(mutant):
        key = hashlib.sha256(f"{seed} {mutant.name}".encode()).hexdigest()
        return mutant.room not in first, key
    return sorted(mutants, key=place)
