# SPDX-License-Identifier: GPL-2.0-or-later
"""What was done lately: which rooms the last commits changed, and when each suite last ran whole on this machine."""

import json
import os
import re
import subprocess
import tempfile
import time

import tree


def path():
    env = os.environ
    cache = env.get("KTSTR_CACHE_DIR") or os.path.join(env.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "ktstr")
    return os.path.join(cache, "suites-run.json")


def read():
    try:
        with open(path(), encoding="utf-8") as f:
            told = json.load(f)
    except (OSError, ValueError):
        return {}
    return told if isinstance(told, dict) else {}


def git(*arguments):
    """What git says of the tree; nothing where there is no history."""
    command = ["git", "-c", "safe.directory=*", "-C", tree.ROOT, *arguments]
    try:
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


def touched(commits=10):
    """Rooms that the last commits changed, the most recent first; before them those with changes that are not committed."""
    names = [line[3:] for line in git("status", "--porcelain").splitlines()]
    names += git("log", f"-{commits}", "--format=", "--name-only").splitlines()
    found = (re.match(r"(?:src|tests/unit)/(\w+)/|(bpf)/", n) for n in names)
    return list(dict.fromkeys(m[1] or m[2] for m in found if m))


def mark(closings):
    """These suites ran whole, now, with these ends. A cache that cannot be written is no reason to fail."""
    row = {"at": time.strftime("%Y-%m-%d %H:%M", time.gmtime()), "commit": git("rev-parse", "--short", "HEAD")}
    told = {**read(), **{suite: {**row, "closing": closing} for suite, closing in closings.items()}}
    try:
        os.makedirs(os.path.dirname(path()), exist_ok=True)
        handle, new = tempfile.mkstemp(dir=os.path.dirname(path()), prefix=".suites-run.")
        with os.fdopen(handle, "w", encoding="utf-8") as f:
            json.dump(told, f, indent=1)
        os.replace(new, path())
    except OSError:
        pass


def words(suite):
    row = read().get(suite)
    if not isinstance(row, dict):
        return "never on this machine"
    return f"{row.get('at')} UTC, commit {row.get('commit') or 'unknown'}: {row.get('closing')}"
