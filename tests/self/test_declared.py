# SPDX-License-Identifier: GPL-2.0-or-later
"""Needs that are not met, failures that must happen, and the same run told in every format."""

import os
import re
import xml.etree.ElementTree as ET

import judged
import tap
from judged import EXIT, SUITES, json_tests, ktstr, load, record_paths, suite

HELD = r"ktstr_online_cpus\(ctx\) == 0: 2 CPUs are online"


class Declared(judged.Judged):
    SUITE = "declared"

    def skipped(self, test, reason, words, booted):
        record = self.judged(test, "skip", reason, words, parts=[reason])
        self.assertEqual("accel" in record, booted, "a guest is booted only for what it alone can tell")

    def test_a_need_of_the_function(self):
        self.skipped("need_in_the_function", "need", "only 2 CPUs", True)

    def test_needs_that_are_known_before_any_guest(self):
        for test, reason, words in (("needs_more_cpus", "needs-topology", "2 CPUs, the test needs at least 3"),
                                    ("needs_fewer_cpus", "needs-topology", "2 CPUs, the test takes at most 1"),
                                    ("needs_smt", "needs-topology", "SMT"),
                                    ("needs_an_option", "needs-kconfig", "CONFIG_NOBODY_HAS_THIS")):
            with self.subTest(test):
                self.skipped(test, reason, words, False)

    def test_an_expected_failure_that_happens_is_a_pass(self):
        record = self.judged("expects_what_happens", "pass", "failed-as-expected", HELD, parts=["failed-as-expected"])
        self.assertRegex("\n".join(record["notes"]), HELD)

    def test_another_failure_than_the_expected_one(self):
        self.judged("expects_another", "fail", "failed-otherwise", "payload was expected, but expectation happened",
                    parts=["failed-otherwise", "expectation"])

    def test_an_expected_failure_excuses_no_crash(self):
        self.judged("expects_and_fails_and_breaks", "fail", "failed-otherwise", "expectation happened as expected",
                    parts=["failed-otherwise", "expectation", "test-crashed"])

    def test_an_expected_failure_that_does_not_happen(self):
        self.judged("expects_and_passes", "fail", "did-not-fail", "expectation was expected", parts=["did-not-fail"])

    def test_a_skipped_or_broken_test_is_not_an_expected_failure(self):
        self.judged("expects_and_breaks", "broken", "test-crashed", parts=["test-crashed"])
        self.judged("expects_and_skips", "skip", "need", parts=["need"])

    def test_a_failure_names_its_place(self):
        record = self.judged("fails", "fail", "expectation", HELD, parts=["expectation"])
        (part,) = record["parts"]
        with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "suites", "self_declared.c"), encoding="utf-8") as f:
            source = f.read().splitlines()
        self.assertTrue(part["file"].endswith("self_declared.c"))
        self.assertIn("EXPECT(", source[part["line"] - 1])

    def test_the_heaviest_part_decides(self):
        self.judged("breaks", "broken", "test-crashed", parts=["test-crashed"])
        self.judged("breaks_after_a_failure", "fail", "expectation", parts=["expectation", "test-crashed"])
        self.judged("passes", "pass", "none", parts=[])


def read_ktap(text):
    """{name: (ok, directive, reason)} of KTAP version 1."""
    lines = text.splitlines()
    assert lines[0] == "KTAP version 1", text
    planned = int(re.fullmatch(r"1\.\.(\d+)", lines[1])[1])
    results = [re.fullmatch(r"(ok|not ok) (\d+) (\S+)(?: # (?:(SKIP|ERROR|TIMEOUT) )?([a-z-]+): .*)?", line)
               for line in lines if re.match(r"(not )?ok ", line)]
    assert [int(r[2]) for r in results] == list(range(1, planned + 1)), text
    return {r[3]: (r[1] == "ok", r[4], r[5] or "none") for r in results}


def read_junit(text):
    """{name: (what it has inside, reason)}."""
    found = {}
    for case in ET.fromstring(text).iter("testcase"):
        inside = [e for e in case if e.tag in ("failure", "error", "skipped")]
        assert len(inside) <= 1, text
        told = inside[0].get("type") or inside[0].get("message") if inside else "none"
        found[f"{case.get('classname')}:{case.get('name')}"] = (inside[0].tag if inside else None, told.split(":")[0])
    return found


class Formats(judged.Case):
    CHOSEN = ("passes", "fails", "breaks", "needs_more_cpus", "no_work")
    KTAP = {"pass": (True, None), "fail": (False, None), "skip": (True, "SKIP"), "broken": (False, "ERROR"),
            "inconclusive": (False, "ERROR")}
    JUNIT = {"pass": None, "fail": "failure", "skip": "skipped", "broken": "error", "inconclusive": "error"}

    def told_as(self, form):
        """Standard output, and what the records of that run say."""
        out = os.path.join(self.directory, form)
        chosen = [word for name in self.CHOSEN for word in ("-k", f"*:{name}")]
        done = ktstr("test", suite("declared"), suite("dialects"), *chosen, "--format", form, "-o", out)
        self.assertEqual((done.returncode, done.stderr), (1, ""))
        return done.stdout, {r["name"]: (r["verdict"], r["reason"]) for r in map(load, record_paths(out))}

    def test_every_format_says_what_the_records_say(self):
        text, records = self.told_as("json")
        self.assertEqual({v for v, _ in records.values()}, set(EXIT))
        self.assertEqual({t["name"]: (t["verdict"], t["reason"]) for t in json_tests(text)[0]}, records)

        text, again = self.told_as("ktap")
        self.assertEqual(again, records)
        self.assertEqual(read_ktap(text), {name: (*self.KTAP[v], r) for name, (v, r) in records.items()})

        text, again = self.told_as("junit")
        self.assertEqual(again, records)
        self.assertEqual(read_junit(text), {name: (self.JUNIT[v], r) for name, (v, r) in records.items()}, text)


class Statuses(judged.Case):
    """Exit codes of the whole, plain and for git bisect run."""

    ROWS = (
        # tests, plain (None: another test asks that), --bisect
        (("passes", "needs_more_cpus"), 0, 0),
        (("needs_more_cpus", "needs_smt"), 0, 125),
        (("breaks", "passes"), 3, 125),
        (("breaks", "fails"), None, 1),
    )

    def status(self, tests, *options):
        chosen = [word for name in tests for word in ("-k", f"*:{name}")]
        return ktstr("test", os.path.join(SUITES, "self_declared"), *chosen, "-q", *options, cwd=self.directory).returncode

    def test_exit_status_with_and_without_bisect(self):
        for tests, plain, bisect in self.ROWS:
            with self.subTest(tests=tests):
                self.assertEqual(self.status(tests, "--bisect"), bisect)
                if plain is not None:
                    self.assertEqual(self.status(tests), plain)


if __name__ == "__main__":
    tap.main(__name__)
