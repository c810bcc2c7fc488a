# SPDX-License-Identifier: GPL-2.0-or-later
"""What a run of `meson test` says, counted by sub-test.

Meson's own verdict is not enough: it knows nothing of skips without a reason,
and cmocka before 1.1.6 prints a skipped test as "not ok 1 # SKIP name". So the
TAP text that each program printed is read again here, next to its exit status.
"""

import json
import os
import re
import signal

PLAN = re.compile(r"1\.\.(\d+)(?:\s*#\s*skip\S*\s*(.*))?\s*$", re.I)
TEST = re.compile(r"(not )?ok(?=\s|$)\s*(\d+)?\s*([^#]*?)\s*(?:#\s*(skip\S*|todo)\b\s*(.*?))?\s*$", re.I)
DID_NOT_RUN = "did not run"
LATE = "did not end in time"
BAIL = re.compile(r"Bail out!\s*(.*)")
REASON = re.compile(r"#\s*skip:\s*(.+)", re.I)


class SubTest:
    def __init__(self, name, verdict, reason="", output=()):
        self.name = name
        self.verdict = verdict  # passed, failed or skipped
        self.reason = reason
        self.output = list(output)


class Program:
    """One entry of the test log."""

    def __init__(self, suite, name, seconds):
        self.suite = suite
        self.name = name
        self.seconds = seconds
        self.tests = []
        self.stderr = []

    def fail(self, name, reason, output=()):
        self.tests.append(SubTest(name, "failed", reason, output))

    def count(self, verdict):
        return sum(t.verdict == verdict for t in self.tests)


def test_line(match, said):
    """One "ok" line; `said` is what was printed since the one before."""
    not_ok, _, name, directive, text = match.groups()
    name = name.lstrip("- ").strip()
    if directive and directive.lower().startswith("skip"):
        reasons = [r.group(1) for r in map(REASON.match, said) if r]
        if not name and re.fullmatch(r"\w+", text):
            name, text = text, ""  # cmocka puts the name where the reason belongs
        reason = text or (reasons[-1] if reasons else "")
        if not reason:
            return SubTest(name, "failed", "skipped without a reason")
        return SubTest(name, "skipped", reason)
    if directive:
        return SubTest(name, "failed", "TODO is no verdict here: fix it or skip it with a reason")
    return SubTest(name, "failed" if not_ok else "passed", output=said)


def read_tap(text, program):
    """Adds the sub-tests that `text` reports; what breaks the protocol is a failure."""
    planned, ran, said, bailed, last = None, 0, [], False, None
    for line in text.splitlines():
        plan, test, bail = PLAN.match(line), TEST.match(line), BAIL.match(line)
        if test:
            last = test_line(test, said)
            program.tests.append(last)
            ran += 1
            said = []
        elif plan:
            if planned is not None:
                program.fail("(plan)", "more than one plan")
            planned = int(plan.group(1))
            if planned == 0:
                if plan.group(2):
                    program.tests.append(SubTest("(all)", "skipped", plan.group(2)))
                else:
                    program.fail("(all)", "no test, and no reason why")
                return
        elif bail:
            bailed = True
            program.fail("(bail out)", bail.group(1) or "no reason given", said)
        elif line.startswith("#") and last and last.verdict == "failed" and not REASON.match(line):
            last.output.append(line)
        else:
            said.append(line)
    if planned is None and not bailed:
        program.fail("(plan)", "no plan: the program printed no complete TAP", said)
    elif planned is not None and planned != ran and not bailed:
        program.fail("(plan)", f"{planned} tests were planned, {ran} reported", said)


def read_entry(entry, suite, name, protocol):
    program = Program(suite, name, entry["duration"])
    stdout = entry.get("stdout") or ""
    # Meson adds a line of its own, which the verdict below says better.
    program.stderr = re.sub(r"\s*\(test program exited with.*?\)\s*$", "", entry.get("stderr") or "").splitlines()
    code, result = entry["returncode"], entry["result"]
    if result in ("TIMEOUT", "INTERRUPT"):
        if protocol == "tap":
            read_tap(stdout, program)
            program.tests = [t for t in program.tests if not t.name.startswith("(")]
        what = LATE if result == "TIMEOUT" else "was interrupted"
        program.fail("(program)", f"{what}: ended after {entry['duration']:.1f} s", stdout.splitlines())
        return program
    if protocol == "tap":
        read_tap(stdout, program)
    elif result == "SKIP":
        program.fail("(program)", "skipped without a reason")
    elif result in ("OK", "EXPECTEDFAIL"):
        program.tests.append(SubTest("(program)", "passed"))
    else:
        program.fail("(program)", f"exit status {code}", stdout.splitlines())
    # Shells report a signal as 128 + n; meson gives a negative number.
    number = -code if code < 0 else code - 128 if 128 < code < 160 else 0
    if number:
        try:
            word = signal.Signals(number).name
        except ValueError:
            word = f"signal {number}"
        # The unmet plan is part of the same story.
        unmet = [t.reason for t in program.tests if t.name == "(plan)"]
        program.tests = [t for t in program.tests if t.name != "(plan)"]
        program.fail("(program)", ": ".join([f"died of {word}", *unmet]))
    elif code and not program.count("failed"):
        program.fail("(program)", f"every sub-test passed, but the exit status is {code}", stdout.splitlines()[-20:])
    return program


def planned_tests(build):
    """(suite, name) -> protocol of every test that meson knows in this build."""
    with open(os.path.join(build, "meson-info", "intro-tests.json"), encoding="utf-8") as f:
        listed = json.load(f)
    return {(s.partition(":")[2], t["name"]): t["protocol"] for t in listed for s in t["suite"]}


def read_log(build, wanted):
    """The programs of one run. `wanted` is what should have run: (suite, name) -> protocol."""
    programs, missing = [], dict(wanted)
    path = os.path.join(build, "meson-logs", "testlog.json")
    lines = []
    if os.path.exists(path):
        with open(path, encoding="utf-8") as f:
            lines = f.readlines()
    for line in lines:
        entry = json.loads(line)
        prefix, _, name = entry["name"].rpartition(" / ")
        suites = prefix.partition(":")[2].split("+") if prefix else []
        key = next((k for k in missing if k[1] == name and (not suites or k[0] in suites)), None)
        if key is None:
            continue
        programs.append(read_entry(entry, key[0], name, missing.pop(key)))
    for suite, name in missing:
        program = Program(suite, name, 0.0)
        program.fail("(program)", DID_NOT_RUN + ": meson's log does not name it")
        programs.append(program)
    return programs
