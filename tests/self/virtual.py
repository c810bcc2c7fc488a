# SPDX-License-Identifier: GPL-2.0-or-later
"""Tests in virtual time: runs with a seed, and what must be the same in all of them."""

import json
import os
import subprocess
import tempfile

import guest
from judged import SCHEDULERS, SUITES, json_tests, ktstr, load

SECONDS = 3600
RACE = "two_wake_ups"
RACE_OFTEN = "two_wake_ups_often"


def kernels():
    """id -> whether a scheduler can be loaded, the newest first"""
    listed = json.loads(ktstr("kernel", "list", "--json").stdout)["kernels"]
    return {k["id"]: k["sched_ext"] == "usable" for k in listed}


def run(binary, test, *options):
    """[(what was reported, record)] of each run of one test, in the order of their seeds; records are gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="ktstr-virtual-") as scratch:
        done = ktstr("test", binary, "-k", f"*:{test}", "--files", SCHEDULERS, "--clock", "virtual", "--format", "json",
                     "-o", os.path.join(scratch, "out"), *options, timeout=SECONDS)
        if not done.stdout or done.stderr:
            raise AssertionError(f"{options}: exit code {done.returncode}: {done.stderr}{done.stdout}")
        tests, _ = json_tests(done.stdout)
        return [(t, load(t["record"])) for t in sorted(tests, key=lambda t: t["index"])]


def run_one(binary, test, *options):
    (only,) = run(binary, test, *options)
    return only


def suite(name):
    return os.path.join(SUITES, name)


def check_race(case, told):
    """The race is why the test failed, if it did."""
    if told["verdict"] != "pass":
        case.assertEqual((told["verdict"], told["reason"]), ("fail", "scheduler-exited"), told)
        case.assertIn("two wake-ups met", told["why"])


def find_race(case, test, last, at_once, wants_all=False):
    """seed -> (what was reported, record) of seeds 1 to last; unless all are wanted, until one has passed and one has failed."""
    seen = {}
    for first in range(1, last + 1, at_once):
        for told, record in run(suite("races"), test, "--seeds", f"{first}..{min(first + at_once - 1, last)}"):
            check_race(case, told)
            seen[record["seed"]] = (told, record)
        if not wants_all and len(by_verdict(seen)) == 2:
            break
    case.assertEqual(set(by_verdict(seen)), {"pass", "fail"})
    return seen


def by_verdict(seen):
    """verdict -> seeds"""
    found = {}
    for seed, (told, _) in seen.items():
        found.setdefault(told["verdict"], []).append(seed)
    return found


def check_same(case, first, other):
    """Two runs (what was reported, record) are one: verdict, digest, and what the guest itself says."""
    for member in ("verdict", "reason", "why"):
        case.assertEqual(other[0][member], first[0][member])
    case.assertEqual(other[1]["digest"], first[1]["digest"], f"{first[1]['notes']} {other[1]['notes']}")
    # Digests that never differ prove nothing.
    for member in ("notes", "workers", "stages"):
        case.assertEqual(other[1][member], first[1][member])


def with_limit(limit_ms, path):
    """tests/suites/limits.c with a limit of its own, built as an author would."""
    env = {**os.environ, "PKG_CONFIG_LIBDIR": os.path.join(guest.BUILD, "src", "suite")}
    flags = subprocess.run(["pkg-config", "--cflags", "--libs", "--static", "ktstr"], env=env, capture_output=True, text=True, check=True).stdout
    subprocess.run(["cc", "-std=gnu11", "-g", "-O2", "-static", f"-DLIMIT_MS={limit_ms:.6f}", os.path.join(guest.ROOT, "tests", "suites", "limits.c"),
                    *flags.split(), "-o", path], check=True)
    return path


def gap_ms(record):
    """The longest gap of a worker, to the nanosecond; what the check compares."""
    return max(worker["max_gap_ns"] for worker in record["workers"]) / 1e6
