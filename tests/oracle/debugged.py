# SPDX-License-Identifier: GPL-2.0-or-later
"""A guest with the newest kernel that has debug information in the archive, and its vmcore.

Everything stands in build/oracle, because the peer root sees nothing but this tree.
"""

import json
import os
import shlex
import shutil
import subprocess

import guest
import machine
import test_sdt
from shell_guest import ShellGuest

DIRECTORY = os.path.join(guest.ROOT, "build", "oracle")
MODULE = "dummy"
CPUS = 4
SECONDS = 1800
FILLER = os.environ.get("KTSTR_MAP_FILLER", "")
THREADS = os.environ.get("KTSTR_INSPECTED", "")
# A map of each kind, a scheduler with an arena, a thread that runs in user space and one in the kernel.
PREPARE = """
/filler >/tmp/filled & while [ ! -s /tmp/filled ]; do sleep 0.1; done
if [ -d /sys/kernel/sched_ext ]; then /sdt >/tmp/out 2>/tmp/err &
i=0; while ! grep -q attached /tmp/out && [ $i -lt 600 ]; do sleep 0.1; i=$((i+1)); done; cat /tmp/err; fi
/inspected >/tmp/pid & while [ ! -s /tmp/pid ]; do sleep 0.1; done
dd if=/dev/zero of=/dev/null bs=64M & sleep 1
"""


class Agreement:
    """What agreed, for the log of the test and for whoever started it: build/oracle/NAME.agreement."""

    def __init__(self, name):
        os.makedirs(DIRECTORY, exist_ok=True)
        self.path = os.path.join(DIRECTORY, name + ".agreement")
        with open(self.path, "w", encoding="utf-8"):
            pass

    def say(self, text):
        print("# " + text, flush=True)
        with open(self.path, "a", encoding="utf-8") as f:
            f.write(text + "\n")


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=SECONDS)
    if done.returncode:
        raise AssertionError(f"{shlex.join(command)} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


def newest_of_each_series():
    """Releases; the newest first."""
    releases = run(os.path.join(guest.ROOT, "tools", "debug-kernel"), "--list").split()
    return list({tuple(release.split(".")[:2]): release for release in reversed(releases)}.values())[::-1]


def kernel(*wanted):
    """Its release; it is in the cache afterwards, and its vmlinux is in DIRECTORY. Without a wish the newest."""
    os.makedirs(DIRECTORY, exist_ok=True)
    release, vmlinux = run(os.path.join(guest.ROOT, "tools", "debug-kernel"), *wanted).split()
    run(machine.KTSTR, "kernel", "fetch", release, "--sid", "--if-missing", "-q")
    here = os.path.join(DIRECTORY, "vmlinux")
    if os.path.exists(here):
        os.unlink(here)
    try:
        os.link(vmlinux, here)
    except OSError:
        shutil.copyfile(vmlinux, here)
    return release


class Guest(ShellGuest):
    """Frozen only while it is written."""

    def __init__(self, release, *options):
        super().__init__("--kernel", release, "-t", f"1n1l{CPUS}c1t", "-m", "1G", "--module", MODULE, "-i", f"{FILLER}:/filler",
                         "-i", f"{THREADS}:/inspected", "-i", f"{test_sdt.SDT}:/sdt", *options)

    def write(self, name="core"):
        path = os.path.join(DIRECTORY, name)
        self.inspect("--freeze", "--vmcore", path)
        return path


def look(core, *arguments):
    """What we say about a vmcore."""
    done = subprocess.run([machine.KTSTR, "inspect", core, *arguments, "--json", "--max-entries", "0"], capture_output=True,
                          check=False, timeout=SECONDS)
    if done.returncode or done.stderr:
        raise AssertionError((arguments, done.returncode, done.stderr))
    return json.loads(done.stdout)


def ask_peer(script, *arguments, given=None):
    """A command in the peer root, in DIRECTORY; (status, standard output and standard error)."""
    words = shlex.join([script, *arguments])
    done = subprocess.run([os.path.join(guest.ROOT, "tools", "peer-root"), "sh", "-c", f"cd {shlex.quote(DIRECTORY)} && exec {words}"],
                          stdin=None if given else subprocess.DEVNULL, input=given, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, check=False, timeout=SECONDS)
    # What the peer root says of its own making, the first time, is not the peer's.
    return done.returncode, "".join(line for line in done.stdout.splitlines(True) if not line.startswith("peer-root: "))
