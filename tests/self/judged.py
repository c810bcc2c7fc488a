# SPDX-License-Identifier: GPL-2.0-or-later
"""One `ktstr test` whose report, records and kept files are looked at by several tests."""

import json
import os
import shutil
import subprocess
import tempfile
import unittest

import guest
from machine import KTSTR

SUITES = os.path.join(guest.BUILD, "tests", "suites")
SCHEDULERS = os.path.join(guest.BUILD, "bpf")
TIMEOUT = 600
EXIT = {"fail": 1, "broken": 3, "inconclusive": 3, "pass": 0, "skip": 0}


def suite(name):
    return os.path.join(SUITES, "self_" + name)


# The clock of guests whose test does not say; None: what `ktstr test` chooses.
CLOCK = os.environ.get("KTSTR_SELF_CLOCK")


def ktstr(*arguments, **kwargs):
    kwargs.setdefault("timeout", TIMEOUT)
    if CLOCK and arguments[0] == "test" and "--clock" not in arguments and "--list" not in arguments:
        arguments = (*arguments, "--clock", CLOCK)
    return subprocess.run([KTSTR, *arguments], capture_output=True, text=True, errors="replace", check=False, **kwargs)


def record_paths(directory):
    return sorted(os.path.join(base, name) for base, _, names in os.walk(directory) for name in names if name.endswith(".ktstr.json"))


def load(path):
    with open(path, encoding="utf-8") as f:
        return json.load(f)


def json_tests(text):
    """Lines of --format json: {name: result}, summary. The plan is first, the summary last, nothing twice."""
    lines = [json.loads(line) for line in text.splitlines()]
    tests = [line for line in lines if line["report"] == "test"]
    assert lines[0]["report"] == "plan" and lines[-1]["report"] == "summary", text
    assert len({t["index"] for t in tests}) == len(tests), text
    return tests, lines[-1]


class Case(unittest.TestCase):
    """Skips where no guest can run; has a directory of its own."""

    def setUp(self):
        why = guest.missing()
        if why:
            self.skipTest(why)
        self.directory = tempfile.mkdtemp(prefix="ktstr-self-")
        self.addCleanup(shutil.rmtree, self.directory, ignore_errors=True)

    def run_tests(self, name, *options, **kwargs):
        """(process, results by name of the test, directory of records), of a run of its own."""
        out = os.path.join(self.directory, "out")
        done = ktstr("test", suite(name), "--files", SCHEDULERS, "--format", "json", "-o", out, *options, **kwargs)
        tests, _ = json_tests(done.stdout)
        return done, {t["test"]: t for t in tests}, out


class Judged(unittest.TestCase):
    """SUITE run once, with OPTIONS; every test of the class asks about one of its tests.

    Where they are about time, ATTEMPTS is how often they may be measured again because the host was busy.
    """

    SUITE = None
    OPTIONS = ()
    ATTEMPTS = 1

    @classmethod
    def setUpClass(cls):
        cls.why = guest.missing()
        if cls.why:
            return
        cls.directory = tempfile.mkdtemp(prefix="ktstr-self-")
        cls.addClassCleanup(shutil.rmtree, cls.directory)
        for attempt in range(cls.ATTEMPTS):
            cls.out = os.path.join(cls.directory, f"out{attempt}")
            cls.done = ktstr("test", suite(cls.SUITE), "--files", SCHEDULERS, "--format", "json", "-o", cls.out, *cls.OPTIONS)
            tests, cls.summary = json_tests(cls.done.stdout)
            cls.results = {t["test"]: t for t in tests}
            if all(t["reason"] != "host-busy" for t in tests):
                return
        if cls.ATTEMPTS > 1:
            cls.why = f"the host was too busy {cls.ATTEMPTS} times, so nothing was measured"

    def setUp(self):
        if self.why:
            self.skipTest(self.why)

    def judged(self, test, verdict, reason, words="", kept=(), parts=None):
        """Verdict, reason and kept files, in report and record alike; the record, for more."""
        told = self.results[test]
        self.assertEqual((told["verdict"], told["reason"]), (verdict, reason), told)
        if words:
            self.assertRegex(told["why"], words)
        if parts is not None:
            self.assertEqual([p["reason"] for p in told["parts"]], parts, told)
        record = load(told["record"])
        self.assertEqual(record["state"], "finished")
        for member in ("verdict", "reason", "why", "name", "notes"):
            self.assertEqual(record.get(member), told.get(member), member)
        self.assertEqual([(p["reason"], p["text"]) for p in record["parts"]], [(p["reason"], p["text"]) for p in told["parts"]])
        self.assertEqual(record["test_name"], test)
        self.assertEqual((record["passed"], record["skipped"]), (verdict in ("pass", "skip"), verdict == "skip"))
        self.check_kept(told, record, set(kept))
        return record

    def check_kept(self, told, record, wanted):
        directory = told.get("kept")
        self.assertEqual(record.get("kept_dir"), directory)
        there = set(os.listdir(directory)) if directory else set()
        self.assertEqual(there, set(record.get("kept_files", [])))
        self.assertLessEqual(wanted, there, "is not kept")
        if told["verdict"] in ("pass", "skip"):
            self.assertEqual(there, set())

    def kept_text(self, test, name):
        with open(os.path.join(self.results[test]["kept"], name), encoding="utf-8", errors="replace") as f:
            return f.read()

    def test_records_summary_and_exit_code_agree(self):
        """Every test has one record, nothing else lies there, and the exit code is the worst verdict's."""
        records = [load(path) for path in record_paths(self.out)]
        self.assertEqual(sorted(r["test_name"] for r in records), sorted(self.results))
        verdicts = [t["verdict"] for t in self.results.values()]
        for verdict in EXIT:
            self.assertEqual(self.summary[verdict], verdicts.count(verdict), verdict)
        self.assertEqual(self.summary["not_run"], 0)
        worst = 1 if "fail" in verdicts else max(EXIT[v] for v in verdicts)
        self.assertEqual((self.done.returncode, self.done.stderr), (worst, ""))
        known = {os.path.basename(p) for p in record_paths(self.out)}
        known |= {r["frames_file"] for r in records if r.get("frames_file")}
        known |= {os.path.basename(t["kept"]) for t in self.results.values() if t.get("kept")}
        self.assertEqual(set(os.listdir(self.out)), known)
        self.assertFalse(self.summary["interrupted"])
