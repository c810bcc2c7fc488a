# SPDX-License-Identifier: GPL-2.0-or-later
"""The fixture scheduler in a guest: it schedules, goes when told, and fails in each way it promises."""

import io
import os
import re
import subprocess
import tarfile
import unittest

import guest
import machine
import tap

FIFO = os.path.join(guest.BUILD, "bpf", "scx_ktfifo")
SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "fifo.sh")
ENABLED = ["enabled", "ktfifo"]
DISABLED = ["disabled"]


class InGuest(unittest.TestCase):
    """One guest for all: schedulers come and go there one after the other."""

    @classmethod
    def setUpClass(cls):
        cls.why = guest.missing()
        if cls.why:
            return
        with open(SCRIPT, encoding="utf-8") as f:
            done = machine.shell(f.read(), "-t", "1n1l2c1t", "-i", FIFO)
        cls.said = done.stderr.decode(errors="replace")
        cls.seen = {}
        if done.returncode == 0:
            with tarfile.open(fileobj=io.BytesIO(done.stdout)) as archive:
                cls.seen = {os.path.basename(m.name): archive.extractfile(m).read().decode(errors="replace")
                            for m in archive if m.isfile()}
            if not cls.seen:
                cls.why = "the kernel has no sched_ext"

    def setUp(self):
        if self.why:
            self.skipTest(self.why)
        self.assertTrue(self.seen, self.said)

    def lines(self, name):
        return self.seen[name].splitlines()

    def ended(self, name, status, during, said="scx_ktfifo: attached\n"):
        """What is true of every scheduler that has ended; its standard error."""
        self.assertEqual(self.seen[name + ".out"], said, self.seen[name + ".err"])
        self.assertEqual(self.lines(name + ".during"), during)
        self.assertEqual(self.lines(name + ".after"), DISABLED)
        self.assertEqual(int(self.seen[name + ".rc"]), status, self.seen[name + ".err"])
        return self.seen[name + ".err"]

    def kernel_said(self, name, reason):
        self.assertRegex(self.seen[name + ".kernel"], r'"ktfifo" enabled')
        self.assertRegex(self.seen[name + ".kernel"], rf'"ktfifo" disabled \({reason}\)')

    def dump(self, told):
        found = re.search(r"\n-- BEGIN SCX DUMP --\n(.*)\n-- END SCX DUMP --\n$", told, re.S)
        self.assertTrue(found, told)
        return found[1]

    def shares(self, name):
        """Ticks of CPU time that odd and even spinners got meanwhile."""
        before, after = ({int(p): int(t) for p, t in map(str.split, self.lines(name + end))} for end in (".before", ".cpu"))
        gained = {pid: after[pid] - before[pid] for pid in before}
        self.assertEqual(sorted(pid % 2 for pid in gained), [0, 0, 1, 1])
        return ([t for pid, t in gained.items() if pid % 2 == odd] for odd in (1, 0))

    def test_sigint_detaches_the_scheduler(self):
        told = self.ended("plain", 0, ENABLED)
        self.kernel_said("plain", "unregistered from user space")
        self.assertEqual(told, "scx_ktfifo: exit kind 64, code 0\nscx_ktfifo: reason: unregistered from user space\n")

    def test_a_second_one_is_refused_and_the_first_stays(self):
        self.assertEqual((self.seen["second.out"], int(self.seen["second.rc"])), ("", 1))
        self.assertIn("scx_ktfifo: attaching the scheduler: Device or resource busy\n", self.seen["second.err"])
        self.assertEqual(self.lines("second.after"), ENABLED)

    def test_sigterm_stops_the_scheduler_and_verbose_logs_libbpf(self):
        self.assertIn("libbpf: ", self.ended("terminated", 0, ENABLED))
        self.kernel_said("terminated", "unregistered from user space")

    def test_all_spinning_processes_get_their_share(self):
        self.ended("fair", 0, ENABLED)
        odd, even = self.shares("fair")
        self.assertGreater(min(odd + even), 20, (odd, even))
        self.assertLess(max(sum(odd), sum(even)), 2 * min(sum(odd), sum(even)), (odd, even))

    def test_lopsided_gives_even_pids_far_more(self):
        self.ended("lopsided", 0, ENABLED)
        odd, even = self.shares("lopsided")
        self.assertGreater(min(odd), 0, (odd, even))
        # 20 to 1, were it not for a busy host: time that a guest's CPU waits for it counts as used.
        self.assertGreater(sum(even), 3 * sum(odd), (odd, even))

    def test_it_may_exit_before_anything_is_loaded(self):
        self.assertEqual(self.ended("early", 3, DISABLED, ""), "")
        self.assertNotIn("ktfifo", self.seen["early.kernel"])

    def test_an_exit_later_leaves_no_scheduler(self):
        self.assertEqual(self.ended("later", 4, ENABLED), "")
        self.kernel_said("later", "unregistered from user space")

    def test_a_crash_leaves_no_scheduler(self):
        # The shell of the guest adds a word of its own on standard error.
        self.ended("crash", 128 + 11, ENABLED)
        self.kernel_said("crash", "unregistered from user space")

    def test_loaded_but_never_attached(self):
        self.assertEqual(self.ended("loaded", 0, DISABLED, ""), "")
        self.assertIn("anon_inode:bpf-prog", self.seen["loaded.fds"])
        self.assertNotIn("ktfifo", self.seen["loaded.kernel"])

    def test_the_verifiers_log_comes_out(self):
        told = self.ended("refused", 1, DISABLED, "")
        log = re.search(r"-- BEGIN PROG LOAD LOG --\n(.*)-- END PROG LOAD LOG --", told, re.S)
        self.assertTrue(log, told)
        self.assertIn("return state.exit_dump[state.kept];", log[1])
        self.assertRegex(log[1], r"unbounded .* not allowed|invalid access to map value")
        self.assertIn("scx_ktfifo: loading the scheduler: ", told)
        self.assertNotIn("ktfifo", self.seen["refused.kernel"])

    def test_an_error_ends_it_with_its_text(self):
        told = self.ended("error", 1, ENABLED)
        self.kernel_said("error", "scx_bpf_error")
        self.assertIn("ktfifo: error on purpose", self.seen["error.kernel"])
        self.assertTrue(told.startswith("scx_ktfifo: exit kind 1025, code 0\nscx_ktfifo: reason: scx_bpf_error\n"
                                        "scx_ktfifo: message: error on purpose\n"), told)
        self.assertIn("scx_bpf_error (error on purpose)\n", self.dump(told))

    def test_a_stall_is_the_watchdogs(self):
        told = self.ended("stall", 1, ENABLED)
        self.kernel_said("stall", "runnable task stall")
        message = re.search(r"ktfifo: (sh\[\d+\] failed to run for [\d.]+s)", self.seen["stall.kernel"])[1]
        self.assertTrue(told.startswith(f"scx_ktfifo: exit kind 1026, code 0\nscx_ktfifo: reason: runnable task stall\n"
                                        f"scx_ktfifo: message: {message}\n"), told)
        self.assertRegex(told, r"scx_ktfifo: kept [1-9]\d* tasks\n")
        # The dump is whole: what the task waits for, and the counters at its end.
        self.assertRegex(self.dump(told), r"(?s)CPU states\n.*\n  R sh\[\d+\] .*-\d+ms\n.*\nEvent counters\n")

    def test_after_all_that_it_can_be_loaded_again(self):
        self.ended("again", 0, ENABLED)
        self.kernel_said("again", "unregistered from user space")


class OnTheHost(unittest.TestCase):
    """Only what ends before anything is loaded."""

    def run_with(self, *arguments):
        return subprocess.run([FIFO, *arguments], capture_output=True, text=True, timeout=60, check=False)

    def test_help_names_every_fault(self):
        done = self.run_with("--help")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for word in "exit exit-later crash no-attach verifier stall starve error lopsided race spin".split():
            self.assertRegex(done.stdout, rf"(?m)^  {word} ")

    def test_invalid_options_of_the_scheduler_are_refused(self):
        for arguments, words in ((("--fault", "boredom"), "--fault boredom: no such fault"),
                                 (("--slice-us", "0"), "--slice-us 0: expected a number from 1 to 1000000"),
                                 (("--timeout-ms", "30001"), "--timeout-ms 30001: expected a number from 1 to 30000"),
                                 (("--after-ms", "-1"), "--after-ms -1: expected a number from 0"),
                                 (("--after-ms", "1s"), "--after-ms 1s: expected a number from 0"),
                                 (("more",), "more: no argument expected"),
                                 (("--wrong",), "--wrong")):
            with self.subTest(arguments):
                done = self.run_with(*arguments)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertIn(words, done.stderr)

    def test_the_scheduler_links_only_libbpf_and_its_dependencies(self):
        told = subprocess.run(["readelf", "-dW", FIFO], capture_output=True, text=True, check=True).stdout
        needed = set(re.findall(r"\(NEEDED\).*\[(\S+?)\.so", told))
        self.assertIn("libbpf", needed)
        self.assertLessEqual(needed, {"libbpf", "libelf", "libz", "libc"})


if __name__ == "__main__":
    tap.main(__name__)
