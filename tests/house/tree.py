# SPDX-License-Identifier: GPL-2.0-or-later
"""The files of the tree as git sees them: tracked, and new ones that are not ignored."""

import os
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def walk(root):
    """Without git (an unpacked archive) everything but the build tree counts."""
    found = []
    for base, directories, names in os.walk(root):
        directories[:] = [d for d in directories if d not in (".git", "__pycache__") and os.path.join(base, d) != os.path.join(root, "build")]
        found += [os.path.relpath(os.path.join(base, n), root) for n in names]
    return found


def files(root=ROOT):
    command = ["git", "-c", "safe.directory=*", "-C", root, "ls-files", "-z", "-co", "--exclude-standard"]
    try:
        found = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split("\0")
    except (OSError, subprocess.CalledProcessError):
        found = walk(root)
    return sorted(f for f in found if f and os.path.isfile(os.path.join(root, f)))


def text(path, root=ROOT):
    """The file's text, or None if it is not text."""
    with open(os.path.join(root, path), "rb") as f:
        data = f.read()
    if b"\0" in data:
        return None
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return None


def rooms(root=ROOT):
    src = os.path.join(root, "src")
    return sorted(d for d in os.listdir(src) if os.path.isdir(os.path.join(src, d)))
