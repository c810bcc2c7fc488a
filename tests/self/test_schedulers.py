# SPDX-License-Identifier: GPL-2.0-or-later
"""Every fault of the fixture scheduler has its own verdict, and leaves what explains it."""

import json
import os

import judged
import tap
from judged import SCHEDULERS, json_tests, ktstr, load, suite


class Schedulers(judged.Judged):
    SUITE = "schedulers"
    OPTIONS = ("-k", "*:[!u]*", "--jobs", "2")

    def test_one_without_a_fault_passes(self):
        record = self.judged("plain", "pass", "none", parts=[])
        self.assertEqual((record["scheduler_run"]["ops"], record["scheduler_run"]["end"]), ("ktfifo", "stopped"))
        self.assertEqual(len(record["workers"]), 4)
        self.assertEqual((record["scheduler_run"]["restarts"], record["scheduler_run"]["asked"]), (0, True))
        for worker in record["workers"]:
            self.assertGreaterEqual(worker["ext_samples"], 2)
            self.assertEqual((worker["other_samples"], worker["other_ns"]), (0, 0))
            self.assertGreater(worker["ext_ns"], 0)

    def test_an_exit_before_it_is_attached(self):
        record = self.judged("load_exits", "fail", "scheduler-load", "ended with exit code 3 before it was attached",
                             parts=["scheduler-load"])
        self.assertFalse(record["scheduler_run"]["attached"])

    def test_the_verifiers_log_is_kept(self):
        self.judged("verifier_refuses", "fail", "scheduler-verifier", r"verifier refused program 'fifo_init': .+ \(the log", kept=["scheduler.stderr"],
                    parts=["scheduler-verifier"])
        log = self.kept_text("verifier_refuses", "scheduler.stderr").partition("-- BEGIN PROG LOAD LOG --\n")[2].splitlines()
        end = next(i for i, line in enumerate(log) if line.startswith("processed "))
        self.assertIn(log[end - 1].strip(), self.results["verifier_refuses"]["why"])

    def test_a_scheduler_that_is_never_attached_fails(self):
        record = self.judged("never_attached", "fail", "scheduler-attach", r"runs, but was not attached within \d+ ms",
                             parts=["scheduler-attach"])
        self.assertTrue(record["scheduler_run"]["started"])
        self.assertFalse(record["scheduler_run"]["attached"])

    def test_a_failing_init_is_a_failed_load_in_the_kernels_words(self):
        record = self.judged("init_fails", "fail", "scheduler-load", r"the kernel says: .*ops\.init\(\) failed \(-22\)",
                             parts=["scheduler-load"])
        self.assertFalse(record["scheduler_run"]["attached"])

    def test_a_scheduler_that_schedules_nothing_is_inconclusive(self):
        record = self.judged("partial", "inconclusive", "scheduler-unused", "0 % of its CPU time under sched_ext",
                             parts=["scheduler-unused"] * 4)
        self.assertEqual({w["ext_samples"] for w in record["workers"]}, {0})

    def test_a_scheduler_that_restarts_fails(self):
        self.judged("restarts", "fail", "scheduler-exited", "was ended by the kernel|detached and attached again", parts=["scheduler-exited"])

    def test_one_that_may_restart_is_counted(self):
        record = self.judged("may_restart", "pass", "none", parts=[])
        self.assertEqual(record["scheduler_run"]["restarts"], 1)

    def test_an_unclean_end_is_judged(self):
        self.judged("stops_with_a_code", "fail", "scheduler-stop", "asked to end, scx_ktfifo ended with exit code 7",
                    parts=["scheduler-stop"])
        self.judged("stops_with_a_crash", "fail", "scheduler-stop", r"signal 11 \(SIGSEGV\)", parts=["scheduler-stop"])

    def test_a_stall_that_the_work_did_not_outlast_is_seen(self):
        record = self.judged("stalls_to_the_end", "fail", "scheduler-exited", r"the kernel says: runnable task stall",
                             parts=["scheduler-exited"])
        self.assertIn("failed to run", self.kept_text("stalls_to_the_end", "sched_ext.dump"))
        self.assertTrue(record["scheduler_run"]["kernel_reason"].startswith("runnable task stall"))

    def exited(self, test, words, end):
        record = self.judged(test, "fail", "scheduler-exited", words, kept=["kernel.log"], parts=["scheduler-exited"])
        self.assertTrue(record["scheduler_run"]["attached"])
        self.assertEqual(record["scheduler_run"]["end"], end)

    def test_an_exit_during_the_test(self):
        self.exited("exits_later", "exit code 4", "exited 4")

    def test_a_crash_during_the_test(self):
        self.exited("crashes_later", r"signal 11 \(SIGSEGV\)", "signalled 11")

    def test_an_error_of_the_scheduler_has_its_text_and_dump(self):
        self.exited("errors_later", "the kernel says: scx_bpf_error.*error on purpose", "exited 1")
        self.assertIn("error on purpose", self.kept_text("errors_later", "sched_ext.dump"))

    def test_a_stall_is_told_in_the_kernels_words(self):
        self.exited("stalls", r"the kernel says: runnable task stall.*failed to run for [\d.]+s", "exited 1")
        self.assertIn("failed to run", self.kept_text("stalls", "sched_ext.dump"))


class Unfair(judged.Judged):
    """Alone: whatever runs beside it makes the error bar longer."""

    SUITE = "schedulers"
    OPTIONS = ("-k", "unfair")
    ATTEMPTS = 5

    def test_an_unfair_one_fails(self):
        self.judged("unfair", "fail", "check", r"spread of busy is [\d.]+ % \(limit 20 %\)", parts=["check"])


class BrokenKernels(judged.Case):
    """Kernels that cannot be tested with a scheduler are told before anything is booted."""

    def kernel_with(self, state):
        """A cache whose only kernel is the default one, but for what was found out about its sched_ext."""
        real = json.loads(ktstr("kernel", "info", "default", "--json").stdout)
        files = os.path.dirname(real["paths"]["bzImage"])
        kernel = os.path.join(self.directory, "cache", "kernels", real["id"])
        os.makedirs(kernel)
        for name in os.listdir(files):
            if name != "metadata.json":
                os.symlink(os.path.join(files, name), os.path.join(kernel, name))
        told = load(os.path.join(files, "metadata.json"))
        self.assertEqual(told["sched_ext"], "usable")
        with open(os.path.join(kernel, "metadata.json"), "w", encoding="utf-8") as f:
            json.dump({**told, "sched_ext": state, "sched_ext_reason": "as this test wants it"}, f)
        return real["id"]

    def verdict_with(self, state):
        out, kernel = os.path.join(self.directory, "out"), self.kernel_with(state)
        done = ktstr("test", suite("schedulers"), "-k", "plain", "--files", SCHEDULERS, "--kernel", kernel,
                     "--format", "json", "-o", out, env={**os.environ, "KTSTR_CACHE_DIR": os.path.join(self.directory, "cache")})
        (told,), _ = json_tests(done.stdout)
        record = load(told["record"])
        self.assertEqual((record["state"], record["verdict"], record["reason"]), ("finished", told["verdict"], told["reason"]))
        # No guest: nothing is known of what would have executed it.
        self.assertNotIn("accel", record)
        self.assertNotIn("kept", told)
        return done.returncode, told["verdict"], told["reason"]

    def test_a_kernel_with_broken_btf_is_broken(self):
        self.assertEqual(self.verdict_with("broken"), (3, "broken", "kernel-btf"))

    def test_a_kernel_without_sched_ext_is_a_skip(self):
        self.assertEqual(self.verdict_with("absent"), (0, "skip", "needs-sched-ext"))


if __name__ == "__main__":
    tap.main(__name__)
