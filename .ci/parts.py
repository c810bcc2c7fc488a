#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What continuous integration runs, 40 minutes at most on two quiet cores.

`make test` with budgets that bite and skips that fail, a slice of the mutants, some seconds of every
fuzzer, the thread sanitizer on rooms with threads, and of the long suites what still fits. Slices are
chosen by the rooms that the last commits touched, then by the commit. Every part can fail the run.
The last line is "N passed, N failed, N skipped", over all parts.
"""

import hashlib
import os
import re
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "tests", "house"))
sys.dont_write_bytecode = True
import lastrun  # noqa: E402

COMMITS = 10
MUTANT_SECONDS, MUTANTS_AT_LEAST, FUZZ_SECONDS = 180, 6, 120
SHARE = "0.05"
# A slice may take as long as tests/LONG says, and as long again.
PATIENCE = 2
CLOSING = re.compile(r"(\d+) passed, (\d+) failed, (\d+) skipped$")
SUITES = ("unit", "golden", "corpus", "house", "host", "vm", "self", "tsan", "recipes", "mutants", "fuzz", "kernels", "soak", "hostile", "oracle")


def rows(name):
    with open(os.path.join(ROOT, "tests", name), encoding="utf-8") as f:
        return [words for words in (line.split("#")[0].split() for line in f) if words]


def threaded():
    """Directories of src that start threads, and unit tests that do, as tests/run takes them."""
    found = set()
    for top in ("src", os.path.join("tests", "unit")):
        for base, _, names in os.walk(os.path.join(ROOT, top)):
            for name in (n for n in names if n.endswith(".c")):
                with open(os.path.join(base, name), encoding="utf-8") as f:
                    if "pthread_create(" not in f.read():
                        continue
                place = os.path.relpath(base, os.path.join(ROOT, top))
                if top == "src" and os.path.isdir(os.path.join(ROOT, "tests", "unit", place)):
                    found.add(place)
                elif top != "src" and name.startswith("test_"):
                    found.add(os.path.join(place, name[len("test_"):-len(".c")]))
    return sorted(f for f in found if not any(f.startswith(g + "/") for g in found))


class Run:
    def __init__(self):
        self.start = time.monotonic()
        self.budget = {words[0]: float(words[1]) for words in rows("BUDGET")}
        self.counts = [0, 0, 0]
        self.ends = []
        self.env = dict(os.environ, KTSTR_ENFORCE_BUDGET="1", KTSTR_ENFORCE_SKIPS="1")

    def left(self):
        return self.budget["ci"] - (time.monotonic() - self.start)

    def part(self, name, command, allowed, limit=None, **env):
        """Runs it; its last line is its count. Whatever ends badly is at least one failure."""
        print(f"== {name}: {' '.join(command)}", flush=True)
        start = time.monotonic()
        counted, why = [0, 0, 0], []
        with subprocess.Popen(command if limit is None else ["timeout", "--kill-after=30", str(int(limit)), *command], cwd=ROOT, env={**self.env, **env},
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, errors="replace") as process:
            last = ""
            for line in process.stdout:
                print(line, end="", flush=True)
                last = line.strip() or last
        seconds = time.monotonic() - start
        found = CLOSING.search(last)
        if found:
            counted = [int(n) for n in found.groups()]
        else:
            why.append("no count in its last line")
        if process.returncode and not counted[1]:
            why.append(f"exit status {process.returncode}")
        if seconds > 2 * allowed:
            why.append(f"{seconds:.0f} s, past twice its budget of {allowed:g} s")
        counted[1] += len(why)
        self.counts = [a + b for a, b in zip(self.counts, counted)]
        self.ends.append((name, seconds, counted, "; ".join(why)))

    def long_parts(self, commit, rooms):
        """The long runs in the order in which they are wanted: (name, seconds)."""
        def place(row):
            return not set(row[2:]) & set(rooms), hashlib.sha256(f"{commit} {row[0]}".encode()).hexdigest()
        return [(row[0], float(row[1])) for row in sorted(rows("LONG"), key=place)]

    def close(self):
        print("== parts")
        for name, seconds, counted, why in self.ends:
            text = "{} passed, {} failed, {} skipped".format(*counted)
            print(f"  {'FAILED' if counted[1] else 'passed'}  {name:28} {seconds:7.0f} s  {text}{'  ' + why if why else ''}")
        print("== last whole run of each suite")
        for suite in SUITES:
            print(f"  {suite:8} {lastrun.words(suite)}")
        total = time.monotonic() - self.start
        print(f"{total:.0f} s of {self.budget['ci']:g} s")
        if total > 2 * self.budget["ci"]:
            print("FAILED  past twice the budget of the whole run")
            self.counts[1] += 1
        print("{} passed, {} failed, {} skipped".format(*self.counts))
        return 1 if self.counts[1] or not self.counts[0] else 0


def command_for(program):
    """In the build that `make test` has made: another one would take longer than the slice."""
    suite, _, name = program.partition("/")
    if suite == "kernels":
        return ["make", "test-kernels", f"KERNELS=--only vm/{name}"]
    return ["make", "test-long", f"ONLY={program}"]


def main():
    run = Run()
    commit, rooms = lastrun.git("rev-parse", "HEAD"), lastrun.touched(COMMITS)
    print(f"== commit {commit or 'unknown'}; rooms touched by the last {COMMITS}: {' '.join(rooms) or 'none'}", flush=True)
    run.part("test", ["make", "test"], run.budget["ci"])
    order = f"--slice {MUTANT_SECONDS} --at-least {MUTANTS_AT_LEAST} --rotate {commit or 'none'}"
    order += f" --first {' '.join(rooms)}" if rooms else ""
    run.part("mutants", ["make", "test-mutants", f"MUTANTS={order}"], run.budget["mutants"])
    run.part("fuzz", ["make", "fuzz-smoke", f"SMOKE=--total {FUZZ_SECONDS}"], run.budget["fuzz"])
    run.part("tsan", ["make", "test-tsan", f"ROOMS={' '.join(threaded())}"], run.budget["tsan"])
    for name, seconds in run.long_parts(commit, rooms):
        if seconds > run.left():
            print(f"== {name}: {seconds:.0f} s do not fit into the {max(0, run.left()):.0f} s that are left", flush=True)
            continue
        run.part(name, command_for(name), seconds, limit=PATIENCE * seconds + 60, KTSTR_SOAK_SHARE=SHARE)
    return run.close()


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit("\ninterrupted")
