# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs that end early: signals, deadlines, targets that become another program or die."""

import json
import os
import shutil
import signal
import subprocess
import time

import tap
from support import (
    MIB, PROBE, TARGETS, Answer, HostTest, Target, counters, errors, need_root, probe, state, target_path, tids, undisturbed,
    wait_until,
)

MANY = ["--snapshots", "100000", "--interval-ms", "2"]
RECORD = '{"name": "a test", "metrics": []}\n'


def wait_for_waits(run, n):
    """Until the probe has waited so often: it does so between two snapshots."""
    def waits():
        with open(f"/proc/{run.pid}/status", encoding="utf-8") as f:
            return next(int(line.split()[1]) for line in f if line.startswith("voluntary_ctxt_switches"))
    wait_until(lambda: waits() >= n, f"{n} waits of the probe")


class Interrupted(HostTest):
    def start_probe(self, *arguments):
        run = subprocess.Popen([PROBE, "--json", *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               text=True)
        self.addCleanup(Target(run).end)
        return run

    def record(self):
        path = self.path("run.ktstr.json")
        with open(path, "w", encoding="utf-8") as f:
            f.write(RECORD)
        return path

    def assert_record_untouched(self, path):
        with open(path, encoding="utf-8") as f:
            self.assertEqual(f.read(), RECORD)
        left = set(os.listdir(self.dir)) - {os.path.basename(path), os.path.basename(path) + ".lock"}
        self.assertEqual([n for n in left if not n.startswith("beat-")], [])

    def test_sigint_and_sigterm_print_what_was_read_so_far(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            for way in ([], ["--ptrace"]):
                with self.subTest(signal=number.name, way=way):
                    target = self.start_target("pie", threads=3)
                    run = self.start_probe("--pid", target.pid, *MANY, *way)
                    wait_for_waits(run, 20)
                    run.send_signal(number)
                    stdout, stderr = run.communicate(timeout=20)
                    self.assertEqual((run.returncode, stderr), (0, ""))
                    document = json.loads(stdout)
                    self.assertIs(document["interrupted"], True)
                    self.assertGreater(len(document["snapshots"]), 1)
                    self.assertLess(len(document["snapshots"]), 100000)
                    self.assertEqual(counters(document), target.threads)
                    self.assertEqual(undisturbed(target.pid), [])
                    target.wait_for_beats(1)

    def test_an_interrupted_run_does_not_change_its_record(self):
        target = self.start_target("pie", threads=1)
        path = self.record()
        run = self.start_probe("--pid", target.pid, *MANY, "--sidecar", path)
        wait_for_waits(run, 20)
        run.terminate()
        stdout, stderr = run.communicate(timeout=20)
        self.assertEqual(run.returncode, 3, stderr)
        self.assertIs(json.loads(stdout)["interrupted"], True)
        self.assertIn("sidecar append failed (exit 3): " + path, stderr)
        self.assert_record_untouched(path)

    def test_the_deadline_ends_a_run_and_says_so(self):
        target = self.start_target("pie", threads=3)
        for way in ([], ["--ptrace"]):
            with self.subTest(way=way):
                begun = time.monotonic()
                answer = probe("--pid", target.pid, "--json", *MANY, "--abort-after-ms", "300", *way)
                self.assertLess(time.monotonic() - begun, 10)
                self.assertEqual(answer.code, 0, answer)
                self.assertEqual(answer.stderr, "ktstr-probe-deadline: abort after 300ms\n")
                self.assertIs(answer.document["interrupted"], True)
                self.assertEqual(counters(answer.document), target.threads)
                self.assertEqual(undisturbed(target.pid), [])
                target.wait_for_beats(1)

    def test_a_run_past_its_deadline_does_not_change_its_record(self):
        target = self.start_target("pie", threads=1)
        path = self.record()
        answer = probe("--pid", target.pid, "--json", *MANY, "--abort-after-ms", "200", "--sidecar", path)
        self.assertEqual(answer.code, 3, answer)
        self.assertEqual(answer.stderr.splitlines()[0], "ktstr-probe-deadline: abort after 200ms")
        self.assertIn("sidecar append failed (exit 3): " + path, answer.stderr)
        self.assert_record_untouched(path)

    def test_a_deadline_that_is_not_reached_changes_nothing(self):
        target = self.start_target("pie", threads=1)
        document = self.read(target.pid, "--abort-after-ms", "3600000")
        self.assertIs(document["interrupted"], False)
        self.assertEqual(counters(document), target.threads)

    def test_a_deadline_in_the_wait_ends_the_wait(self):
        target = self.start_target("pie", threads=1)
        begun = time.monotonic()
        answer = probe("--pid", target.pid, "--json", "--snapshots", "2", "--interval-ms", "3600000",
                       "--abort-after-ms", "500")
        self.assertLess(time.monotonic() - begun, 15)
        self.assertEqual((answer.code, answer.document["interrupted"], len(answer.document["snapshots"])), (0, True, 1))

    def test_a_thread_that_cannot_stop_holds_up_neither_deadline_nor_signal(self):
        """A thread in vfork() sleeps uninterruptibly; what is asked of the probe is kept all the same."""
        target = self.start_target("pie", "--vfork", "6000", threads=1)
        wait_until(lambda: any(state(target.pid, t) == "D" for t in tids(target.pid)), "a thread waits for its child")
        answer = probe("--pid", target.pid, "--json", "--ptrace", "--abort-after-ms", "500")
        self.assertEqual((answer.code, answer.document["interrupted"]), (0, True), answer)
        self.assertEqual(counters(answer.document)[target.pid], target.threads[target.pid])
        run = self.start_probe("--pid", target.pid, "--ptrace", "--snapshots", "100", "--interval-ms", "10")
        time.sleep(0.5)
        run.send_signal(signal.SIGINT)
        stdout, _ = run.communicate(timeout=20)
        self.assertIs(json.loads(stdout)["interrupted"], True)

    def test_a_deadline_of_a_millisecond_ends_the_search_for_debug_information(self):
        """Very many units to search take seconds; the deadline does not wait for them."""
        target = self.spawn([os.path.join(TARGETS, "target-big")])
        target.read_report()
        whole = probe("--pid", target.pid, "--json")
        if whole.code:
            self.assert_fatal(whole, "dwarf-parse-failure")
        else:  # the table knows this build
            self.assertEqual(whole.document["evidence"], "layout-table")
        # Early deadlines end different parts of the search.
        for ms in (1, 5, 10, 20, 30):
            with self.subTest(ms=ms):
                answer = probe("--pid", target.pid, "--json", "--abort-after-ms", ms)
                self.assertEqual((answer.code, answer.stderr), (0, f"ktstr-probe-deadline: abort after {ms}ms\n"), answer)
                self.assertIs(answer.document["interrupted"], True)
                self.assertEqual(answer.document["snapshots"], [])


class TargetChanges(HostTest):
    def test_another_program_between_snapshots_is_fatal(self):
        other = self.path("other")
        shutil.copy(target_path("static"), other)
        for way in ([], ["--ptrace"]):
            with self.subTest(way=way):
                target = self.start_target("pie", "--exec", other)
                run = subprocess.Popen([PROBE, "--json", "--pid", str(target.pid), *MANY, *way],
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
                self.addCleanup(Target(run).end)
                wait_for_waits(run, 20)
                os.kill(target.pid, signal.SIGUSR2)
                stdout, stderr = run.communicate(timeout=20)
                self.assertEqual((run.returncode, stdout), (1, ""), stderr)
                self.assertEqual(stderr.splitlines()[0], "ktstr-probe-fatal: exe-identity-changed")
                target.read_report()
                self.assertEqual(os.readlink(f"/proc/{target.pid}/exe"), other)
                self.assertEqual(undisturbed(target.pid), [])

    def test_the_same_program_again_is_fatal_too(self):
        """Same file, other memory: no number of the old image may be shown for the new one."""
        program = target_path("pie")
        for way in ([], ["--ptrace"], ["--no-ptrace"]):
            with self.subTest(way=way):
                target = self.start_target("pie", "--exec", program, threads=2, program=program)
                run = subprocess.Popen([PROBE, "--json", "--pid", str(target.pid), *MANY, *way],
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
                self.addCleanup(Target(run).end)
                wait_for_waits(run, 20)
                os.kill(target.pid, signal.SIGUSR2)
                stdout, stderr = run.communicate(timeout=30)
                self.assertEqual((run.returncode, stdout), (1, ""), stderr)
                self.assertEqual(stderr.splitlines()[0], "ktstr-probe-fatal: exe-identity-changed")
                self.assertIn("ran exec", stderr)
                target.read_report()
                self.assertEqual(undisturbed(target.pid), [])

    def test_snapshots_before_the_targets_death_are_printed(self):
        for way in ([], ["--ptrace"], ["--no-ptrace"]):
            with self.subTest(way=way):
                # The death must come after the first snapshot; with --ptrace there are waits before it as well.
                self.assertTrue(any(self.kept_after_death(n, way) for n in (20, 200)),
                                "nothing was ever kept of a target that died")

    def kept_after_death(self, n_waits, way):
        target = self.start_target("pie", threads=3)
        run = subprocess.Popen([PROBE, "--json", "--pid", str(target.pid), *MANY, *way],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(Target(run).end)
        wait_for_waits(run, n_waits)
        target.process.kill()
        target.process.wait()
        stdout, stderr = run.communicate(timeout=20)
        if run.returncode == 1:  # it died before there was anything to keep
            self.assertRegex(stderr, r"\Aktstr-probe-fatal: (exe-identity-changed|pid-missing)\nerror: .*\n")
            return False
        self.assertEqual(run.returncode, 0, stderr)
        document = json.loads(stdout)
        self.assertIs(document["target_ended"], True)
        self.assertIs(document["interrupted"], True)
        self.assertEqual(counters(document), target.threads)
        self.assertIn(f"warning: process {target.pid} ended after ", stderr)
        return True

    def test_exit_or_exec_of_the_target_while_attaching_is_reported(self):
        """Not that it has no jemalloc, nor that its library is out of reach."""
        other = os.path.join(TARGETS, "short-lived")
        for end, kind, words in ((signal.SIGUSR2, "exe-identity-changed", "ran exec"),
                                 (signal.SIGKILL, "pid-missing", "ended while its files were read")):
            with self.subTest(end=end.name):
                target = self.start_target("pie", "--exec", other, threads=1)
                answer = self.probe_while(target, end, other)
                self.assert_fatal(answer, kind)
                self.assertIn(words, answer.stderr)

    def probe_while(self, target, end, other):
        """Strace holds the probe once it has the maps, until the target has ended or run exec."""
        strace = shutil.which("strace")
        if not strace:
            self.skipTest("strace is not installed")
        trace = self.path(f"trace-{end}")
        run = subprocess.Popen([strace, "-o", trace, "-P", f"/proc/{target.pid}/maps", "-e", "trace=openat",
                                "-e", "inject=openat:delay_exit=700000", PROBE, "--json", "--pid", str(target.pid)],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               env=dict(os.environ, ASAN_OPTIONS="detect_leaks=0"))
        self.addCleanup(Target(run).end)
        wait_until(lambda: os.path.exists(trace) and os.path.getsize(trace), "the maps are open")
        os.kill(target.pid, end)
        if end == signal.SIGKILL:
            target.process.wait()
        else:
            wait_until(lambda: os.readlink(f"/proc/{target.pid}/exe") == other, "it ran exec")
        stdout, stderr = run.communicate(timeout=20)
        return Answer(["probe"], run.returncode, stdout, stderr)

    def test_counters_of_an_ended_thread_are_never_stale(self):
        """Its stack stays mapped; the record of what it had must not be read from there."""
        worker = self.start_worker(MIB, "--churn")
        document = self.read_any(worker.pid, "--snapshots", "100", "--interval-ms", "1")
        births = {}
        for i in range(len(document["snapshots"])):
            for thread in document["snapshots"][i]["threads"]:
                if "error" in thread:
                    self.assertIn(thread["error_kind"], ("process-vm-readv", "ptrace-seize", "ptrace-interrupt",
                                                         "waitpid", "thread-pointer"))
                elif thread["tid"] != worker.pid:
                    births.setdefault(thread["tid"], set()).add(thread["start_time_jiffies"])
                    self.assertLess(thread["allocated_bytes"], MIB, "a helper never has the main thread's bytes")
        self.assertTrue(births, "no helper was ever read")

    def read_any(self, pid, *arguments):
        answer = probe("--pid", pid, "--json", *arguments)
        self.assertEqual(answer.code, 0, answer)
        return answer.document

    def test_a_reused_tid_is_another_thread(self):
        """The first owner's stack went to a third thread; nobody may be shown its bytes."""
        need_root("to ask the kernel for a thread number")
        # With few descriptors threads cannot be held open; their start time has to do.
        for limit in ([], ["prlimit", "--nofile=16"]):
            with self.subTest(limit=limit):
                # The exchange must lie between two snapshots; a busy machine needs more time.
                self.assertTrue(any(self.exchange_number(pause, limit) for pause in (0.3, 1, 3)),
                                "the first snapshot always came too late")

    def exchange_number(self, pause_s, limit):
        target = self.start_target("pie", threads=1)
        number = next(t for t in target.threads if t != target.pid)
        first = target.threads[number]
        interval = str(int(pause_s * 1000) + 700)
        run = subprocess.Popen([*limit, PROBE, "--json", "--pid", str(target.pid), "--snapshots", "2",
                                "--interval-ms", interval], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(Target(run).end)
        time.sleep(pause_s)
        os.kill(target.pid, signal.SIGHUP)
        try:
            target.read_report()
        except AssertionError as e:
            self.skipTest(f"this system gives no thread a wanted number ({e})")
        in_time = run.poll() is None
        second = target.threads[number]
        stdout, stderr = run.communicate(timeout=30)
        self.assertEqual(run.returncode, 0, stderr)
        document = json.loads(stdout)
        if not in_time or counters(document, 0).get(number) != first:
            return False
        after = counters(document, 1)
        # Right, or not there: then its entry says that the thread is another one.
        if number not in after:
            self.assertEqual(errors(document, 1)[number], "process-vm-readv")
        else:
            self.assertEqual(after[number], second)
        return True

    def test_a_process_whose_main_thread_exited_is_read_or_explained(self):
        """The first thread is a zombie, the others live: they are read, or the reason is told."""
        target = self.start_target("pie", "--leave-main", threads=2)
        wait_until(lambda: "Z" in open(f"/proc/{target.pid}/stat", encoding="utf-8").read(), "the main thread ends")
        living = [t for t in tids(target.pid) if t != target.pid]
        try:
            os.readlink(f"/proc/{target.pid}/exe")
            has_exe = True
        except FileNotFoundError:
            has_exe = False
        for way in ([], ["--ptrace"], ["--no-ptrace"]):
            with self.subTest(way=way):
                answer = probe("--pid", target.pid, "--json", *way)
                if not has_exe:  # it belongs to the thread that left
                    self.assert_fatal(answer, "readlink-failure")
                    self.assertIn("main thread", answer.stderr)
                    continue
                self.assertEqual(counters(answer.document), {t: target.threads[t] for t in living})
                self.assertEqual(list(errors(answer.document)), [target.pid])


if __name__ == "__main__":
    tap.main(__name__)
