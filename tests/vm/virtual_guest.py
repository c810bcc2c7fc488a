# SPDX-License-Identifier: GPL-2.0-or-later
"""`ktstr shell --clock virtual`, what it says of the clock, and tests/vm/unruly.c in the guest."""

import os
import re
import subprocess

import machine

UNRULY = os.environ.get("KTSTR_UNRULY", "")
OPTIONS = ("--clock", "virtual", "-v", "-i", f"{UNRULY}:/unruly")


class Ended:
    """How a guest ended; the digest is of all that it sent."""

    def __init__(self, status, stdout, stderr):
        self.status = status
        self.stdout = stdout
        self.said = stderr.decode(errors="replace")
        told = re.search(r"digest ([0-9a-f]{16}), the guest's clock shows ([\d.]+) s", self.said)
        self.digest, self.guest_s = (told[1], float(told[2])) if told else (None, None)
        error = re.search(r"(?m)^error: (.*)$", self.said)
        self.error = error[1] if error else None

    def __repr__(self):
        return f"status {self.status}, {len(self.stdout)} bytes of output, said {self.said}"


def run(script, *options, **kwargs):
    if "input" not in kwargs:
        kwargs.setdefault("stdin", subprocess.DEVNULL)
    done = machine.shell(script, *OPTIONS, *options, **kwargs)
    return Ended(done.returncode, done.stdout, done.stderr)


def start(script, *options):
    return subprocess.Popen([machine.KTSTR, "shell", *OPTIONS, *options, "--exec", script], stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def finish(process):
    out, err = process.communicate(timeout=machine.TIMEOUT)
    return Ended(process.returncode, out, err)
