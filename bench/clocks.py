# SPDX-License-Identifier: GPL-2.0-or-later
"""`ktstr test` with a clock of choice: verdict, cost, and the memory of its QEMU meanwhile."""

import json
import os
import resource
import shutil
import subprocess
import threading
import time
from dataclasses import dataclass

from guests import KTSTR, SECONDS
from peers import BUILD
from suites import records
from target import Failed

SUITE = os.path.join(BUILD, "tests", "suites", "clocks")
SAMPLE_SECONDS = 0.25
# Verdicts of tests that did all of their work.
ENDED = ("pass", "fail")


@dataclass
class Run:
    wall_ns: int
    cpu_ns: float
    pss_bytes: int  # 0: no sample fell into the time of a guest
    rss_bytes: int
    verdict: str


def build():
    done = subprocess.run(["ninja", "-C", BUILD, "tests/suites/clocks"], capture_output=True, text=True, check=False)
    if done.returncode:
        raise Failed("building the benchmarks:\n" + done.stdout + done.stderr)


def has_clocks():
    """Whether this ktstr has the option --clock."""
    done = subprocess.run([KTSTR, "test", "--help"], capture_output=True, text=True, check=False)
    return "--clock" in done.stdout


def descendants(pid):
    """Of a process, from one look at /proc: what ends meanwhile is left out."""
    parents = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat", encoding="utf-8", errors="replace") as f:
                parents[int(name)] = int(f.read().rpartition(")")[2].split()[1])
        except (OSError, ValueError, IndexError):
            continue
    found, grown = {pid}, True
    while grown:
        more = {p for p, parent in parents.items() if parent in found} - found
        found, grown = found | more, bool(more)
    return found - {pid}


def memory_of(pid):
    """(proportional, resident) bytes of a QEMU; None if it is not one, or has ended."""
    try:
        with open(f"/proc/{pid}/comm", encoding="utf-8") as f:
            if not f.read().startswith("qemu-system"):
                return None
        with open(f"/proc/{pid}/smaps_rollup", encoding="utf-8") as f:
            rows = dict(line.split(":", 1) for line in f if line.startswith(("Pss:", "Rss:")))
        return tuple(int(rows[key].split()[0]) * 1024 for key in ("Pss", "Rss"))
    except (OSError, KeyError, ValueError):
        return None


class Watch(threading.Thread):
    """Samples the memory of all QEMUs below a process; the largest sums are kept."""

    def __init__(self, pid):
        super().__init__()
        self.pid, self.most, self.over = pid, (0, 0), threading.Event()

    def run(self):
        while not self.over.wait(SAMPLE_SECONDS):
            seen = [m for m in map(memory_of, descendants(self.pid)) if m]
            self.most = tuple(max(old, sum(m[i] for m in seen)) for i, old in enumerate(self.most))

    def stop(self):
        self.over.set()
        self.join()


def watched(command):
    """(status, standard output, standard error, cost so far) of a command and all processes it has waited for."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    began = time.monotonic_ns()
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace") as process:
        watch = Watch(process.pid)
        watch.start()
        try:
            out, err = process.communicate(timeout=SECONDS)
        finally:
            watch.stop()
            process.kill()
    wall = time.monotonic_ns() - began
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1e9
    return process.returncode, out, err, (wall, cpu, *watch.most)


def run(test, *options):
    """One test in one clone. Whether it passed does not matter, but it has to have run to its end."""
    directory = records()
    command = [KTSTR, "test", SUITE, "-k", f"*:{test}", "--jobs", "1", "--ahead", "0", "--format", "json", "-o", directory, *options]
    try:
        status, out, err, cost = watched(command)
        tests = [line for line in map(json.loads, out.splitlines()) if line["report"] == "test"]
        if len(tests) != 1:
            raise Failed(f"{test} {' '.join(options)} ended with {status}:\n{out}{err[-2000:]}")
        told = tests[0]
        if told["verdict"] not in ENDED and told["reason"] != "host-busy":
            raise Failed(f"{test} {' '.join(options)}: {told['verdict']}, {told['reason']}: {told['why']}")
        return Run(*cost, told["verdict"] if told["verdict"] in ENDED else told["reason"])
    finally:
        shutil.rmtree(directory)
