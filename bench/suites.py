# SPDX-License-Identifier: GPL-2.0-or-later
"""`ktstr test` with tests that do nothing: what is left is the harness."""

import json
import os
import re
import shutil
import subprocess
import tempfile
import time

from guests import KTSTR, SECONDS, timed
from peers import BUILD
from target import ROOT, Failed

SUITE = os.path.join(BUILD, "tests", "suites", "trivial")
STAGES = os.path.join(BUILD, "bench", "harness_stages")
DIRECTORY = os.path.join(ROOT, "build", "bench", "harness")


def build():
    command = ["ninja", "-C", BUILD, "tests/suites/trivial", "bench/harness_stages"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise Failed("building the benchmarks:\n" + done.stdout + done.stderr)


def records():
    """A directory for records, on the disk where a project would have them."""
    os.makedirs(DIRECTORY, exist_ok=True)
    return tempfile.mkdtemp(dir=DIRECTORY)


def patterns(n):
    return [word for i in range(1, n + 1) for word in ("-k", f"*:trivial_{i:02}")]


def trivial(n, *options):
    """Cost of the first n tests, all of which passed."""
    directory = records()
    try:
        cost, said = timed([KTSTR, "test", SUITE, *patterns(n), *options, "--jobs", "1", "-o", directory])
        if not re.search(rf"^{n} tests?: {n} passed", said, re.M):
            raise Failed(f"not all of {n} tests passed:\n{said}")
        return cost
    finally:
        shutil.rmtree(directory)


def stages(*options):
    """[(step, ns)] of one test; together they are the whole process."""
    directory = records()
    told = os.path.join(directory, "stages")
    began = time.monotonic_ns()
    command = [STAGES, "test", SUITE, *patterns(1), *options, "--jobs", "1", "-o", os.path.join(directory, "out")]
    try:
        done = subprocess.run(command, env={**os.environ, "STAGES_BEGAN": str(began), "STAGES_FILE": told}, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, check=False, timeout=SECONDS)
        ended = time.monotonic_ns()
        if done.returncode:
            raise Failed(done.stdout + done.stderr)
        with open(told, encoding="utf-8") as f:
            found = json.load(f)
    finally:
        shutil.rmtree(directory)
    steps = {}
    for name, ns in [*found["stages"], ("process end", ended - found["ended"])]:
        steps[name] = steps.get(name, 0) + ns
    return list(steps.items())
