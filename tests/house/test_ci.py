# SPDX-License-Identifier: GPL-2.0-or-later
"""Continuous integration runs every part, with budgets that bite and skips that fail, and adds up what they say."""

import contextlib
import importlib.machinery
import importlib.util
import io
import json
import os
import re
import subprocess
import tempfile
import unittest

import tap
import tree

RUN = os.path.join(tree.ROOT, ".ci", "run")
# Stands for make: notes how it was called, then does what the case wants for its first argument.
MAKE = """#!/bin/sh
echo "$PWD|$KTSTR_ENFORCE_BUDGET|$KTSTR_ENFORCE_SKIPS|$KTSTR_SOAK_SHARE|$(cat | wc -c)|$*" >> "$CALLS"
case $1 in
%s
*) echo 5 passed, 0 failed, 1 skipped;;
esac
"""


def rows(name):
    with open(os.path.join(tree.ROOT, "tests", name), encoding="utf-8") as f:
        return [words for words in (line.split("#")[0].split() for line in f) if words]


class Ci(unittest.TestCase):
    def run_ci(self, case="", stamps=None):
        """(exit status, output, last line, calls of make)"""
        with tempfile.TemporaryDirectory() as directory:
            make, calls = os.path.join(directory, "make"), os.path.join(directory, "calls")
            with open(make, "w", encoding="utf-8") as f:
                f.write(MAKE % case)
            os.chmod(make, 0o755)
            if stamps is not None:
                with open(os.path.join(directory, "suites-run.json"), "w", encoding="utf-8") as f:
                    f.write(stamps)
            env = dict(os.environ, PATH=directory + os.pathsep + os.environ["PATH"], CALLS=calls, KTSTR_CACHE_DIR=directory)
            done = subprocess.run(["bash", RUN], cwd="/", env=env, capture_output=True, text=True, check=False)
            with open(calls, encoding="utf-8") as f:
                said = [line.split("|") for line in f.read().splitlines()]
            return done.returncode, done.stdout, done.stdout.splitlines()[-1], said

    def test_every_part_runs_in_the_tree_without_input_with_budgets_and_skips_enforced(self):
        code, text, _, calls = self.run_ci()
        self.assertEqual(code, 0, text)
        for place, budget, skips, share, given, words in calls:
            self.assertEqual((place, budget, skips, given), (tree.ROOT, "1", "1", "0"))
            self.assertEqual(bool(share), not words.startswith(("test ", "test-mutants", "fuzz", "test-tsan")) and words != "test", words)
        commands = [call[-1] for call in calls]
        self.assertEqual(commands[0], "test")
        self.assertRegex(commands[1], r"^test-mutants MUTANTS=--slice 180 --at-least 6 --rotate \w+")
        self.assertEqual(commands[2], "fuzz-smoke SMOKE=--total 120")
        self.assertRegex(commands[3], r"^test-tsan ROOMS=(.* )?base( .*)? ctprof( .*)? harness\b")
        self.assertEqual(len(commands) - 4, len([r for r in rows("LONG") if float(r[1]) < 2400]))

    def test_the_last_line_is_the_sum_of_the_parts(self):
        code, text, last, calls = self.run_ci("test) echo 100 passed, 0 failed, 7 skipped;;")
        self.assertEqual((code, last), (0, f"{100 + 5 * (len(calls) - 1)} passed, 0 failed, {7 + len(calls) - 1} skipped"), text)

    def test_every_part_can_fail_the_run_and_none_ends_it(self):
        _, _, _, well = self.run_ci()
        parts = {call[-1].split()[0] for call in well}
        self.assertEqual(parts, {"test", "test-mutants", "fuzz-smoke", "test-tsan", "test-kernels", "test-long"})
        self.assertEqual({call[-1].split("ONLY=")[1].split("/")[0] for call in well if "ONLY=" in call[-1]}, {"soak", "hostile", "oracle"})
        code, text, last, calls = self.run_ci(f"{'|'.join(parts)}) echo 3 passed, 2 failed, 0 skipped; exit 2;;")
        self.assertEqual((code, len(calls)), (1, len(well)), text)
        self.assertEqual(last, f"{3 * len(well)} passed, {2 * len(well)} failed, 0 skipped")
        self.assertEqual(len(re.findall(r"^  FAILED  ", text, re.M)), len(well))

    def test_a_part_that_dies_or_has_a_bad_status_fails(self):
        code, text, _, _ = self.run_ci("""test) exit 0;;
test-mutants) kill -9 $$;;
fuzz-smoke) echo 9 passed, 0 failed, 0 skipped; exit 1;;
test-tsan) echo 9 passed, 0 failed, 0 skipped; echo but then;;""")
        self.assertEqual(code, 1, text)
        for part, failed, why in (("test", 1, "no count in its last line"), ("mutants", 2, "no count in its last line; exit status -9"),
                                  ("fuzz", 1, "exit status 1"), ("tsan", 1, "no count in its last line")):
            self.assertRegex(text, rf"\n  FAILED  {part} +\d+ s  \d+ passed, {failed} failed, 0 skipped  {why}\n")

    def test_it_says_when_each_suite_last_ran_whole(self):
        stamp = {"soak": {"at": "2026-01-02 03:04", "commit": "abc123", "closing": "7 passed, 0 failed, 0 skipped"}}
        _, text, _, _ = self.run_ci(stamps=json.dumps(stamp))
        self.assertRegex(text, r"\n  soak +2026-01-02 03:04 UTC, commit abc123: 7 passed, 0 failed, 0 skipped\n")
        self.assertRegex(text, r"\n  oracle +never on this machine\n")
        self.assertRegex(self.run_ci(stamps='{"soak": 3')[1], r"\n  soak +never on this machine\n")


class TestAll(unittest.TestCase):
    def test_a_part_that_fails_does_not_end_it_and_is_named(self):
        with tempfile.TemporaryDirectory() as directory:
            make = os.path.join(directory, "part")
            with open(make, "w", encoding="utf-8") as f:
                f.write('#!/bin/sh\nfor part; do :; done\necho "ran $part"\n[ "$part" != "$FAILING" ]\n')
            os.chmod(make, 0o755)
            for failing, code, end in (("b", 2, "FAILED: b"), ("", 0, "all of: a b c")):
                done = subprocess.run(["make", "-s", "test-all", f"MAKE={make}", "TEST_ALL=a b c"], cwd=tree.ROOT, check=False,
                                      env={**os.environ, "FAILING": failing, "MAKEFLAGS": ""}, capture_output=True, text=True)
                self.assertEqual((done.returncode, done.stdout.splitlines()[-1]), (code, end), done)
                self.assertEqual(re.findall(r"^ran (\w)$", done.stdout, re.M), ["a", "b", "c"])


# Stands for ktstr: a cache with these kernels, and an archive with those.
KTSTR = """#!/usr/bin/env python3
import json, sys
cached, archive = {!r}, {!r}
row = lambda name, kind: dict(id=name, version=name.split("-")[0], sched_ext=kind)
words = sys.argv[2:]
if words[0] == "info":
    print(json.dumps(row("6.18-cloud", "usable")))
elif words[0] == "list":
    print(json.dumps(dict(kernels=[row(*k) for k in cached.items()])))
elif words[0] == "fetch":
    name = "6.18-generic" if "--flavour" in words else words[-1]
    if name not in archive:
        sys.exit("no " + name)
    print(json.dumps(row(name, archive[name])))
"""


class Kernels(unittest.TestCase):
    """`make test-kernels` never takes the default kernel for another one."""

    def choose(self, cached, archive, only=()):
        loader = importlib.machinery.SourceFileLoader("kernels", os.path.join(tree.ROOT, "tests", "kernels"))
        kernels = importlib.util.module_from_spec(importlib.util.spec_from_loader("kernels", loader))
        loader.exec_module(kernels)
        with tempfile.TemporaryDirectory() as directory:
            ktstr = os.path.join(directory, "ktstr")
            with open(ktstr, "w", encoding="utf-8") as f:
                f.write(KTSTR.format(cached, archive))
            os.chmod(ktstr, 0o755)
            with contextlib.redirect_stdout(io.StringIO()) as said:
                return kernels.choose(ktstr, only), said.getvalue()

    def test_what_the_cache_does_not_have_is_fetched(self):
        default = {"6.18-cloud": "usable"}
        both = {"6.18-generic": "usable", "6.12": "absent"}
        self.assertEqual(self.choose(default, both)[0], both)
        self.assertEqual(self.choose({"6.19-cloud": "usable", **default, "6.1-cloud": "absent"}, {})[0],
                         {"6.19-cloud": "usable", "6.1-cloud": "absent"})
        self.assertEqual(self.choose({"7.2-cloud": "broken", **default}, both, ["vm/inspect"])[0], {"6.12": "absent"})
        self.assertEqual(self.choose({**default, "6.1-cloud": "absent"}, both, ["vm/sdt"])[0], {"6.18-generic": "usable"})

    def test_a_missing_kind_of_kernel_is_reported_and_none_at_all_fails(self):
        chosen, said = self.choose({"6.18-cloud": "usable"}, {"6.12": "absent"})
        self.assertEqual(chosen, {"6.12": "absent"})
        self.assertIn("nothing of it was tested", said)
        for archive in ({}, {"6.12": "usable"}):
            with self.assertRaisesRegex(SystemExit, "no kernel but the default one"):
                self.choose({"6.18-cloud": "usable"}, archive)


class Tables(unittest.TestCase):
    def test_every_long_program_has_a_row(self):
        with open(os.path.join(os.environ["KTSTR_BUILD_DIR"], "meson-info", "intro-tests.json"), encoding="utf-8") as f:
            there = {t["name"] for t in json.load(f) if {"soak", "hostile", "oracle"} & {s.partition(":")[2] for s in t["suite"]}}
        with open(os.path.join(tree.ROOT, "tests", "kernels"), encoding="utf-8") as f:
            there |= {"kernels/" + name for name in re.findall(r'"vm/(\w+)"', re.search(r"^TESTS = .*", f.read(), re.M)[0])}
        self.assertEqual({row[0] for row in rows("LONG")}, there)

    def test_rooms_of_the_rows_are_rooms(self):
        self.assertEqual({room for row in rows("LONG") for room in row[2:]} - set(tree.rooms()), set())

    def test_every_suite_has_a_budget(self):
        with open(os.path.join(tree.ROOT, ".ci", "parts.py"), encoding="utf-8") as f:
            suites = re.findall(r'"(\w+)"', re.search(r"^SUITES = .*", f.read(), re.M)[0])
        self.assertGreater(len(suites), 10)
        self.assertEqual(set(suites) - {row[0] for row in rows("BUDGET")}, set())


if __name__ == "__main__":
    tap.main(__name__)
