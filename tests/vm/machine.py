# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs `ktstr` as people do, and looks for what it may have left behind."""

import os
import shutil
import subprocess
import unittest

import guest

KTSTR = os.environ.get("KTSTR") or os.path.join(guest.BUILD, "src", "cli", "ktstr")
TIMEOUT = 300


def shell(script, *options, **kwargs):
    """The finished process of `ktstr shell --exec script`."""
    kwargs.setdefault("timeout", TIMEOUT)
    return subprocess.run([KTSTR, "shell", *options, "--exec", script], capture_output=True, check=False, **kwargs)


def ktstr(*arguments):
    return subprocess.run([KTSTR, *arguments], capture_output=True, check=False, timeout=TIMEOUT)


def children(pid, name="qemu-system"):
    """Processes of that name below pid, from /proc."""
    found = []
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{entry}/stat", encoding="utf-8", errors="replace") as f:
                text = f.read()
        except OSError:
            continue
        comm = text[text.index("(") + 1:text.rindex(")")]
        state, parent = text[text.rindex(")") + 2:].split()[:2]
        if comm.startswith(name) and int(parent) == pid and state != "Z":
            found.append(int(entry))
    return found


def decided(once, is_busy, times=5):
    """The first answer of once(attempt) that is one: host-busy says only that nothing was measured, and to measure again.

    Every verdict stands as it is. A host that is busy to the end has proved nothing; tests/SKIPS does not allow that.
    """
    for attempt in range(times):
        answer = once(attempt)
        if not is_busy(answer):
            return answer
    raise unittest.SkipTest(f"the host was too busy {times} times, so nothing was measured")


class GuestTest(unittest.TestCase):
    """Skips where no guest can run; each test sees only VMs of its own."""

    def setUp(self):
        why = guest.missing()
        if why:
            self.skipTest(why)

    def sh(self, script, *options, **kwargs):
        """Standard output of a script that must succeed and say nothing on standard error."""
        done = shell(script, *options, **kwargs)
        self.assertEqual((done.returncode, done.stderr), (0, b""), done)
        return done.stdout.decode()


def have(program):
    return shutil.which(program) is not None
