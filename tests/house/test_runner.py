# SPDX-License-Identifier: GPL-2.0-or-later
"""tests/run must not be fooled: each way of failing, in a small project of its own."""

import fnmatch
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

import tap
import tree

# What .ci/run sets is not meant for the toy builds here.
for name in ("KTSTR_ENFORCE_BUDGET", "KTSTR_ENFORCE_SKIPS", "UBSAN_OPTIONS"):
    os.environ.pop(name, None)

RUN = os.path.join(tree.ROOT, "tests", "run")

# suite -> what its program does
PROGRAMS = {
    "good": "echo 1..2; echo ok 1 - one; echo ok 2 - two",
    "failing": "echo 1..2; echo ok 1 - one; echo not ok 2 - the_broken_one; echo '# 0x1 != 0x2'; exit 1",
    "liar": "echo 1..1; echo not ok 1 - broken_with_status_zero; exit 0",
    "crash": "echo 1..2; echo ok 1 - one; echo 'last words' >&2; kill -SEGV $$",
    "leak": "echo 1..1; echo ok 1 - one; echo 'LeakSanitizer: 8 bytes' >&2; exit 23",
    "silent": "exit 0",
    "short": "echo 1..3; echo ok 1 - one",
    "unplanned": "echo ok 1 - one",
    "bailing": "echo 1..2; echo ok 1 - one; echo 'Bail out! no machine'; exit 1",
    "hanging": "echo 1..2; echo ok 1 - one; exec sleep 60",
    "reason": "echo 1..2; echo ok 1 - one; echo 'ok 2 - two # SKIP needs a guest'",
    "noreason": "echo 1..2; echo ok 1 - one; echo 'ok 2 - two # SKIP'",
    "cmockareason": "echo 1..2; echo '# skip: needs a guest'; echo 'not ok 1 # SKIP old_name'; echo 'ok 2 # SKIP new_name'",
    "allskipped": "echo '1..0 # SKIP needs a guest'",
    "nothing": "echo 1..0",
    "slow": "sleep 0.5; echo 1..1; echo ok 1 - one",
    "sanitizers": "echo 1..1; case $UBSAN_OPTIONS in *halt_on_error=1*) echo ok 1 - one;; *) echo not ok 1 - one;; esac",
    "todo": "echo 1..1; echo 'not ok 1 - later # TODO some day'",
}


def setUpModule():
    global directory
    directory = tempfile.TemporaryDirectory()
    source = os.path.join(directory.name, "source")
    os.mkdir(source)
    lines = ["project('fake')", "sh = find_program('sh')"]
    for suite, script in PROGRAMS.items():
        with open(os.path.join(source, suite), "w", encoding="utf-8") as f:
            f.write(script + "\n")
        lines.append(f"test('the-{suite}', sh, args: files('{suite}'), suite: '{suite}', protocol: 'tap', timeout: 4)")
    with open(os.path.join(source, "meson.build"), "w", encoding="utf-8") as f:
        f.write("\n".join(lines) + "\n")
    with open(os.path.join(directory.name, "BUDGET"), "w", encoding="utf-8") as f:
        f.writelines(f"{suite} {0.1 if suite == 'slow' else 10}\n" for suite in [*PROGRAMS, "empty"])
    subprocess.run(["meson", "setup", build(), source], check=True, capture_output=True)
    global together
    together = run(*PROGRAMS)


def tearDownModule():
    directory.cleanup()


def build():
    return os.path.join(directory.name, "build")


def run(*suites, enforce=None, first_in_path=None):
    env = dict(os.environ)
    if enforce:
        env["KTSTR_ENFORCE_" + enforce] = "1"
    if first_in_path:
        env["PATH"] = first_in_path + os.pathsep + env["PATH"]
    command = [RUN, "--budget", os.path.join(directory.name, "BUDGET"), build(), *suites]
    done = subprocess.run(command, capture_output=True, text=True, env=env, check=False)
    return done.returncode, done.stdout, done.stdout.splitlines()[-1] if done.stdout else ""


def section(suite):
    """What the run of all suites says about one of them: its counts, and its lines."""
    text = together[1]
    counts = re.search(rf"^  {suite} .* (\d+ passed, \d+ failed, \d+ skipped)$", text, re.M)[1]
    blocks = re.split(r"^(?=FAILED|skipped|slowest)", text, flags=re.M)
    return counts, "".join(b for b in blocks if b.startswith(("FAILED", "skipped")) and f"  the-{suite}  " in b)


class Kinds(unittest.TestCase):
    """One run of everything; each suite is judged by itself in it."""

    def expect(self, suite, counts, *words):
        got, text = section(suite)
        self.assertEqual(got, counts, text)
        for word in words:
            self.assertIn(word, text)

    def test_the_sum_is_the_last_line_and_the_status_is_bad(self):
        code, text, last = together
        counts = [section(suite)[0] for suite in PROGRAMS]
        sums = [sum(int(c.split()[i]) for c in counts) for i in (0, 2, 4)]
        self.assertEqual(last, "{} passed, {} failed, {} skipped".format(*sums), text)
        self.assertEqual(code, 1)

    def test_piped_output_has_no_colour(self):
        self.assertNotIn("\033", together[1])

    def test_passing_tests_are_counted_one_by_one(self):
        self.expect("good", "2 passed, 0 failed, 0 skipped")

    def test_a_failing_sub_test_is_shown_with_its_output(self):
        self.expect("failing", "1 passed, 1 failed, 0 skipped", "the_broken_one", "0x1 != 0x2")

    def test_a_failing_sub_test_counts_whatever_the_status(self):
        self.expect("liar", "0 passed, 1 failed, 0 skipped", "broken_with_status_zero")

    def test_a_crash_counts_and_names_its_signal(self):
        self.expect("crash", "1 passed, 1 failed, 0 skipped", "died of SIGSEGV: 2 tests were planned, 1 reported", "last words")

    def test_a_bad_status_after_passing_tests_counts(self):
        self.expect("leak", "1 passed, 1 failed, 0 skipped", "exit status is 23", "LeakSanitizer")

    def test_a_program_without_tap_counts(self):
        self.expect("silent", "0 passed, 1 failed, 0 skipped", "no plan")

    def test_a_plan_that_is_not_met_counts(self):
        self.expect("short", "1 passed, 1 failed, 0 skipped", "3 tests were planned, 1 reported")

    def test_a_missing_plan_counts(self):
        self.expect("unplanned", "1 passed, 1 failed, 0 skipped", "no plan")

    def test_bailing_out_counts(self):
        self.expect("bailing", "1 passed, 1 failed, 0 skipped", "no machine")

    def test_a_timeout_counts(self):
        self.expect("hanging", "1 passed, 1 failed, 0 skipped", "did not end in time")

    def test_a_skip_shows_its_reason(self):
        self.expect("reason", "1 passed, 0 failed, 1 skipped", "needs a guest")

    def test_a_skip_without_reason_is_a_failure(self):
        self.expect("noreason", "1 passed, 1 failed, 0 skipped", "without a reason")

    def test_a_cmocka_skip_takes_its_reason_from_the_line_before(self):
        self.expect("cmockareason", "0 passed, 1 failed, 1 skipped", "old_name: needs a guest", "new_name: skipped without")

    def test_an_empty_plan_without_reason_is_a_failure(self):
        self.expect("nothing", "0 passed, 1 failed, 0 skipped", "no test")

    def test_a_todo_is_a_failure(self):
        self.expect("todo", "0 passed, 1 failed, 0 skipped", "TODO")

    def test_undefined_behaviour_ends_a_program(self):
        self.expect("sanitizers", "1 passed, 0 failed, 0 skipped")


class Runs(unittest.TestCase):
    def expect(self, suites, code, last, *words, **more):
        got, text, line = run(*suites, **more)
        self.assertEqual((got, line), (code, last), text)
        for word in words:
            self.assertIn(word, text)

    def test_a_good_run_ends_well(self):
        self.expect(["good", "reason"], 0, "3 passed, 0 failed, 1 skipped", "slowest")

    def test_single_programs_of_a_suite(self):
        self.expect(["good", "--only", "the-good"], 0, "2 passed, 0 failed, 0 skipped")
        self.expect(["good", "reason", "--only", "the-good"], 1, "2 passed, 1 failed, 0 skipped", "suite reason has no tests")
        self.expect(["good", "--only", "the-best"], 1, "0 passed, 2 failed, 0 skipped", "the-best is not the name of a test")

    def test_a_run_with_only_skips_fails(self):
        self.expect(["allskipped"], 1, "0 passed, 0 failed, 1 skipped")

    def test_a_suite_without_tests_is_a_failure(self):
        self.expect(["empty"], 1, "0 passed, 1 failed, 0 skipped", "has no tests")

    def test_an_empty_suite_beside_a_good_one_is_a_failure(self):
        self.expect(["good", "empty"], 1, "2 passed, 1 failed, 0 skipped")

    def test_a_slow_suite_is_a_warning_here_and_a_failure_in_ci(self):
        self.expect(["slow"], 0, "1 passed, 0 failed, 0 skipped", "past twice its budget")
        self.expect(["slow"], 1, "1 passed, 1 failed, 0 skipped", "past twice its budget", enforce="BUDGET")

    def test_a_wall_clock_budget_is_checked(self):
        row = os.path.join(directory.name, "CLOCK")
        with open(row, "w", encoding="utf-8") as f:
            f.write("slow 10\nbrief 0.1\nample 100\n")
        slow = ["slow", "--budget", row]
        self.expect([*slow, "--clock", "ample"], 0, "1 passed, 0 failed, 0 skipped", " of 100 s ", " s of CPU", enforce="BUDGET")
        self.expect([*slow, "--clock", "brief"], 0, "1 passed, 0 failed, 0 skipped", "past twice its budget of 0.1 s")
        self.expect([*slow, "--clock", "brief"], 1, "1 passed, 1 failed, 0 skipped", "the whole run took", enforce="BUDGET")
        self.expect([*slow, "--clock", "unknown"], 1, "1 passed, 1 failed, 0 skipped", "the whole run has no line in tests/BUDGET")

    def test_a_skip_is_a_failure_in_ci_unless_its_reason_is_allowed(self):
        skips = os.path.join(directory.name, "SKIPS")
        for pattern, code, last in (("needs a *", 0, "1 passed, 0 failed, 1 skipped"), ("needs", 1, "1 passed, 1 failed, 0 skipped"),
                                    ("# needs a guest", 1, "1 passed, 1 failed, 0 skipped")):
            with open(skips, "w", encoding="utf-8") as f:
                f.write(pattern + "\n")
            self.expect(["reason", "--skips", skips], code, last, "needs a guest", enforce="SKIPS")
            self.expect(["reason", "--skips", skips], 0, "1 passed, 0 failed, 1 skipped")

    def test_a_whole_run_is_remembered_suite_by_suite_and_a_part_is_not(self):
        budget = os.path.join(tree.ROOT, "tests", "BUDGET")
        with tempfile.TemporaryDirectory() as cache:
            env = {**os.environ, "KTSTR_CACHE_DIR": cache}
            for words in (["--only", "the-good"], ["--budget", budget + "/../BUDGET"], []):
                self.assertFalse(os.listdir(cache), words)
                subprocess.run([RUN, build(), "good", "reason", *words], env=env, capture_output=True, check=False)
            with open(os.path.join(cache, "suites-run.json"), encoding="utf-8") as f:
                told = json.load(f)
        self.assertEqual({suite: row["closing"] for suite, row in told.items()},
                         {"good": "2 passed, 0 failed, 0 skipped", "reason": "1 passed, 0 failed, 1 skipped"})

    def test_a_second_run_of_a_build_waits_for_the_first(self):
        budget = ["--budget", os.path.join(directory.name, "BUDGET")]
        both = [subprocess.Popen([RUN, build(), suite, *budget], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
                for suite in ("slow", "good", "slow")]
        ends = [(run.communicate()[0].splitlines()[-1], run.returncode) for run in both]
        self.assertEqual(ends, [("1 passed, 0 failed, 0 skipped", 0), ("2 passed, 0 failed, 0 skipped", 0), ("1 passed, 0 failed, 0 skipped", 0)])

    def test_an_old_log_is_not_used_when_meson_fails(self):
        broken = os.path.join(directory.name, "broken")
        os.mkdir(broken)
        with open(os.path.join(broken, "meson"), "w", encoding="utf-8") as f:
            f.write("#!/bin/sh\necho meson is ill\nexit 1\n")
        os.chmod(os.path.join(broken, "meson"), 0o755)
        run("good")
        self.expect(["good"], 1, "0 passed, 1 failed, 0 skipped", "did not run", "meson is ill", first_in_path=broken)

    def test_a_directory_that_is_not_a_build_is_refused(self):
        done = subprocess.run([RUN, directory.name, "good"], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("not a configured build", done.stderr)


class Guests(unittest.TestCase):
    """What a machine without guests says: tests/run makes failures of it where skips are enforced."""

    def why(self, **env):
        program = "import guest; print(guest.missing() or '')"
        done = subprocess.run([sys.executable, "-c", program], cwd=os.path.join(tree.ROOT, "tests", "vm"), text=True, check=True,
                              env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1", **env}, capture_output=True)
        return done.stdout.strip()

    def allowed(self, reason):
        with open(os.path.join(tree.ROOT, "tests", "SKIPS"), encoding="utf-8") as f:
            return [p for p in f.read().splitlines() if p and fnmatch.fnmatchcase(reason, p)]

    def test_no_qemu_busybox_or_kernel_is_no_reason_to_skip(self):
        programs = tempfile.TemporaryDirectory()
        self.addCleanup(programs.cleanup)
        reasons = [self.why(PATH=programs.name)]
        for name in ("qemu-system-x86_64", "busybox"):
            os.symlink("/bin/true", os.path.join(programs.name, name))
            reasons.append(self.why(PATH=programs.name, KTSTR="/bin/false"))
        self.assertEqual([next((w for w in ("qemu", "busybox", "kernel") if w in r), r) for r in reasons], ["qemu", "busybox", "kernel"])
        self.assertEqual([self.allowed(r) for r in reasons], [[], [], []])

    def test_facts_of_the_machine_are_a_reason(self):
        for reason in ("this kernel has no Yama", "needs 4 CPUs", "needs root to become another user"):
            self.assertEqual(len(self.allowed(reason)), 1, reason)

    def test_make_ends_without_a_kernel_where_skips_are_enforced(self):
        with open(os.path.join(tree.ROOT, "Makefile"), encoding="utf-8") as f:
            rule = re.search(r"^KERNEL = (?:.*\\\n)*.*", f.read(), re.M)[0]
        with tempfile.TemporaryDirectory() as scratch:
            path = os.path.join(scratch, "Makefile")
            with open(path, "w", encoding="utf-8") as f:
                f.write(rule + "\nall:\n\t@$(call KERNEL,nowhere)\n\t@echo tests\n")
            for enforced, code, said in (("1", 2, ""), ("0", 0, "tests\n")):
                done = subprocess.run(["make", "-s", "-f", path], env={**os.environ, "KTSTR_ENFORCE_SKIPS": enforced, "MAKEFLAGS": ""},
                                      capture_output=True, text=True, check=False)
                self.assertEqual((done.returncode, done.stdout), (code, said), done.stderr)
                self.assertIn("no kernel for guests", done.stderr)

SUBTESTS = """
import unittest, tap
class Toy(unittest.TestCase):
    def test_failed_then_skipped(self):
        with self.subTest("first"):
            self.fail("seen")
        self.skipTest("later")
    def test_skipped_twice(self):
        for name in "ab":
            with self.subTest(name):
                self.skipTest("needs " + name)
tap.main(__name__)
"""


class PythonTests(unittest.TestCase):
    def test_a_skip_does_not_hide_a_failed_subtest(self):
        env = dict(os.environ, PYTHONPATH=os.path.join(tree.ROOT, "tests", "house"))
        told = subprocess.run([sys.executable, "-c", SUBTESTS], env=env, capture_output=True, text=True, check=False)
        self.assertEqual([line for line in told.stdout.splitlines() if not line.startswith("#")],
                         ["1..2", "not ok 1 - failed_then_skipped", "ok 2 - skipped_twice # SKIP needs a"])
        self.assertEqual(told.returncode, 1)


if __name__ == "__main__":
    tap.main(__name__)
