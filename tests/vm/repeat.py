# SPDX-License-Identifier: GPL-2.0-or-later
"""One guest, run again and again through tests/vm/repeat.c; what it left is hashed here."""

import hashlib
import os
import subprocess

import guest

DRIVER = os.path.join(guest.BUILD, "tests", "vm", "repeat")
# Three processes that never sleep and one that does, so that CPUs are busy when the guest ends; then some that
# depends on randomness, on time and on who ran when.
BUSY = """for i in 1 2 3; do sh -c 'while :; do :; done' >/dev/null 2>&1 </dev/null & done
sleep 0.05; cat; echo; head -c 16 /dev/urandom | od -An -tx1; date; cat /proc/uptime /proc/schedstat /proc/interrupts
echo to standard error >&2; exit 7"""


class Run:
    """What one run left: bytes, and the RAM as a hash."""

    def __init__(self, pid, lines):
        self.error = None
        self.ram = []
        for line in lines:
            word, _, rest = line.partition(" ")
            if word == "error":
                self.error = rest
            elif word == "ram":
                self.ram.append(self.hash(pid, rest))
            elif word in ("console", "frames", "stdout", "stderr"):
                setattr(self, word, guest.read(f"/proc/{pid}/fd/{rest}"))
            elif word == "end":
                self.end = tuple(int(n) for n in rest.split())
            elif word == "guest_ns":
                self.guest_ns = int(rest)
            elif word == "touched":
                self.touched = rest == "1"

    @staticmethod
    def hash(pid, fd):
        digest = hashlib.sha256()
        with open(f"/proc/{pid}/fd/{fd}", "rb") as f:
            while chunk := f.read(1 << 22):
                digest.update(chunk)
        return digest.hexdigest()


class Repeat:
    def __init__(self, topology, command, mips=0):
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        self.process = subprocess.Popen([DRIVER, topology, str(mips), *command], **pipes)

    def ask(self, words):
        self.process.stdin.write(words + "\n")
        self.process.stdin.flush()
        lines = []
        for line in self.process.stdout:
            if line == ".\n":
                return lines
            lines.append(line.rstrip("\n"))
        raise EOFError("the driver ended: " + "\n".join(lines))

    def run(self, text="", how="run"):
        return Run(self.process.pid, self.ask(f"{how} {text}"))

    def diff(self):
        return "\n".join(self.ask("diff"))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()


def check_same(test, repeat, first, run):
    """Fails with the list of pages and their owners."""
    test.assertIsNone(run.error)
    test.assertEqual(run.console, first.console)
    test.assertEqual(run.frames, first.frames)
    if run.ram != first.ram:
        test.fail("RAM differs:\n" + repeat.diff())
