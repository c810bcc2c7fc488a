# SPDX-License-Identifier: GPL-2.0-or-later
"""The ways of asking that are held against each other, each as a user would start it."""

import collections
import json
import os
import resource
import shlex
import subprocess
import time
from dataclasses import dataclass

from target import ROOT, Failed

PROBE = os.path.join(ROOT, "build", "bin", "ktstr-jemalloc-probe")
BUILD = os.path.join(ROOT, "build", "release")
ENGINE = os.path.join(BUILD, "bench", "engine_cost")
# No init files, no network, no index left over from an earlier run.
GDB = ["gdb", "-nx", "-batch", "-iex", "set debuginfod enabled off", "-iex", "set index-cache enabled off"]
COMMAND_SECONDS = 600


@dataclass
class Cost:
    wall_ns: float
    cpu_ns: float


@dataclass
class Answer:
    cost: Cost
    output: str


def build():
    command = ["ninja", "-C", BUILD, "bench/engine_cost", "bench/many_threads", "bench/many_threads_bare"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise Failed("building the benchmarks:\n" + done.stdout + done.stderr)


def like_a_login():
    """A shell of Debian lets a program open 1,024 files until it asks for more."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    soft = 1024 if hard == resource.RLIM_INFINITY else min(1024, hard)
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def run(command):
    """Answer of a whole command: wall and CPU time with all its start and its end."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    began = time.monotonic_ns()
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=COMMAND_SECONDS, errors="replace")
    wall = time.monotonic_ns() - began
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        raise Failed(f"{' '.join(command)} ended with {done.returncode}:\n{done.stderr[-2000:]}")
    cpu = (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1e9
    return Answer(Cost(wall, cpu), done.stdout)


class PeerRoot:
    """Commands in the root that holds our peers; entering it is nobody's time."""

    LOOP = """
import json, resource, subprocess, sys, time
for line in sys.stdin:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    began = time.monotonic_ns()
    done = subprocess.run(json.loads(line), stdin=subprocess.DEVNULL, capture_output=True)
    wall = time.monotonic_ns() - began
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1e9
    words = [text.decode(errors="replace") for text in (done.stdout, done.stderr[-1000:])]
    print(json.dumps([done.returncode, wall, cpu, *words]), flush=True)
"""

    def __init__(self, directory=ROOT):
        inner = f"cd {shlex.quote(directory)} && exec python3 -c {shlex.quote(self.LOOP)}"
        self.process = subprocess.Popen([os.path.join(ROOT, "tools", "peer-root"), "sh", "-c", inner], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)

    def run(self, command):
        self.process.stdin.write(json.dumps(command) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise Failed("the peer root did not answer")
        status, wall, cpu, out, err = json.loads(line)
        if status:
            raise Failed(f"{' '.join(command)} ended with {status}:\n{err}")
        return Answer(Cost(wall, cpu), out)

    def close(self):
        self.process.stdin.close()
        self.process.wait(60)
        self.process.stdout.close()


@dataclass
class ProbeAnswer:
    cost: Cost
    stopped_threads: int
    stopped_ns: int
    unread: dict  # tag -> how many threads, of all snapshots


def probe(target, *options):
    """The command; every number of every snapshot must be what the target says."""
    answer = run([PROBE, "--pid", str(target.pid), "--json", *options])
    found = json.loads(answer.output)
    unread = collections.Counter()
    for snapshot in found["snapshots"]:
        errors = {t["tid"]: t["error_kind"] for t in snapshot["threads"] if "error_kind" in t}
        counters = {t["tid"]: [t["allocated_bytes"], t["deallocated_bytes"]]
                    for t in snapshot["threads"] if t["tid"] not in errors}
        target.check(counters, "ktstr-jemalloc-probe " + " ".join(options), but=errors)
        unread.update(errors.values())
    return ProbeAnswer(answer.cost, found["stopped_threads"], found["stopped_ns_total"], unread)


@dataclass
class EngineAnswer:
    evidence: str
    attach: Cost
    first: Cost
    later: list  # of Cost
    stopped_threads: int
    unread: int


def engine(target, policy, snapshots):
    """The library alone. Values are checked by probe(): here only that each thread has its entry."""
    found = json.loads(run([ENGINE, str(target.pid), str(snapshots), policy]).output)
    if found["threads"] != target.n_threads:
        raise Failed(f"engine_cost {policy}: {found['threads']} threads of {target.n_threads}")
    costs = [Cost(*pair) for pair in found["snapshots"]]
    return EngineAnswer(found["evidence"], Cost(*found["attach"]), costs[0], costs[1:],
                        found["stopped_threads"], found["errors"])


@dataclass
class GdbAnswer:
    cost: Cost
    loop_ns: int


def gdb(target):
    script = os.path.join(ROOT, "bench", "gdb_counters.py")
    answer = run([*GDB, "-p", str(target.pid), "-x", script])
    lines = [line for line in answer.output.splitlines() if line.startswith('{"loop_ns"')]
    if len(lines) != 1:
        raise Failed("gdb did not answer:\n" + answer.output[-2000:])
    found = json.loads(lines[0])
    target.check({int(tid): values for tid, values in found["threads"].items()}, "gdb")
    return GdbAnswer(answer.cost, found["loop_ns"])
