# SPDX-License-Identifier: GPL-2.0-or-later
"""What the probe does to a running process: nothing by default, and nothing lasting ever."""

import ctypes
import json
import os
import random
import shutil
import signal
import subprocess
import threading
import time

import tap
from support import (
    PROBE, HostTest, Target, counters, errors, methods, probe, state, status, tids, undisturbed, wait_until,
)

LIBC = ctypes.CDLL(None, use_errno=True)
SIGRTMIN = LIBC.__libc_current_sigrtmin()


class Watch:
    """Looks at the states of all threads as often as it can, from another thread."""

    def __init__(self, pid):
        self.pid, self.looks, self.seen, self.ended = pid, 0, set(), threading.Event()
        self.thread = threading.Thread(target=self.run)

    def run(self):
        while not self.ended.is_set():
            for tid in tids(self.pid):
                with open(f"/proc/{self.pid}/task/{tid}/stat", encoding="utf-8") as f:
                    self.seen.add(f.read().rsplit(") ", 1)[1][0])
            self.looks += 1

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.ended.set()
        self.thread.join()


class NoStop(HostTest):
    def test_reading_without_stops_makes_no_ptrace_call(self):
        """strace sees every call of the probe; none may be ptrace, kill or the like."""
        if not shutil.which("strace"):
            self.skipTest("strace is not installed")
        target = self.start_target("pie", threads=3)
        log = self.path("calls")
        answer = probe("--pid", target.pid, "--json", "--snapshots", "5", "--interval-ms", "5",
                       prefix=["strace", "-f", "-o", log], env={"ASAN_OPTIONS": "detect_leaks=0"})
        self.assertEqual(answer.code, 0, answer)
        with open(log, encoding="utf-8", errors="replace") as f:
            calls = f.read()
        self.assertIn("process_vm_readv(", calls)
        for call in ("ptrace(", "kill(", "tgkill(", "pidfd_send_signal(", "process_vm_writev("):
            self.assertNotIn(call, calls)

    def test_no_thread_is_ever_seen_stopped(self):
        target = self.start_target("pie", threads=3)
        with Watch(target.pid) as watch:
            document = self.read(target.pid, "--snapshots", "200", "--interval-ms", "1")
        self.assertGreater(watch.looks, 20)
        self.assertLessEqual(watch.seen, set("RSD"))
        self.assertEqual((document["stopped_threads"], document["stopped_ns_total"]), (0, 0))
        self.assertEqual(methods(document), {"glibc-thread-list"})

    def test_the_watch_for_stops_notices_ptrace(self):
        """The check above can fail: with --ptrace stops are seen."""
        target = self.start_target("pie", threads=3)
        with Watch(target.pid) as watch:
            for _ in range(20):
                self.read(target.pid, "--ptrace", "--snapshots", "200", "--interval-ms", "1")
                if "t" in watch.seen:
                    break
        self.assertIn("t", watch.seen)

    def test_reading_causes_no_context_switch_in_the_target(self):
        """A thread that sleeps for long gains no context switch by being read."""
        worker = self.start_worker(1 << 20)
        wait_until(lambda: state(worker.pid) == "S", "the worker sleeps")
        keys = ("voluntary_ctxt_switches", "nonvoluntary_ctxt_switches")
        before = [status(worker.pid)[k] for k in keys]
        self.read(worker.pid, "--snapshots", "50", "--interval-ms", "1")
        self.assertEqual([status(worker.pid)[k] for k in keys], before)
        self.read(worker.pid, "--ptrace")
        self.assertNotEqual([status(worker.pid)[k] for k in keys], before, "a stop does show here")


class Stops(HostTest):
    def test_every_thread_runs_on_afterwards(self):
        target = self.start_target("pie", threads=5, idle=2)
        for _ in range(5):
            document = self.read(target.pid, "--ptrace")
            self.assertEqual(document["stopped_threads"], 8)
            self.assertGreater(document["stopped_ns_total"], 0)
            self.assertEqual(methods(document), {"ptrace"})
            self.assertEqual(undisturbed(target.pid), [])
            target.wait_for_beats()

    def test_many_snapshots_count_their_stops(self):
        target = self.start_target("pie", threads=2)
        document = self.read(target.pid, "--ptrace", "--snapshots", "4", "--interval-ms", "1")
        self.assertEqual(document["stopped_threads"], 12)
        self.assertEqual(undisturbed(target.pid), [])

    def test_a_stopped_process_stays_stopped(self):
        target = self.start_target("pie", threads=2)
        os.kill(target.pid, signal.SIGSTOP)
        wait_until(lambda: all(state(target.pid, t) == "T" for t in tids(target.pid)), "the target stops")
        beats = target.beat.beats(3)
        for way in (["--ptrace"], [], ["--ptrace", "--snapshots", "3", "--interval-ms", "5"]):
            self.assertEqual(counters(self.read(target.pid, *way)), target.threads)
            self.assertEqual([state(target.pid, t) for t in tids(target.pid)], ["T"] * 3)
        self.assertEqual(target.beat.beats(3), beats, "nobody ran meanwhile")
        os.kill(target.pid, signal.SIGCONT)
        target.wait_for_beats()
        self.assertEqual(undisturbed(target.pid), [])

    def test_a_process_stopped_while_it_is_read_stays_stopped(self):
        target = self.start_target("pie", threads=2)
        for _ in range(10):
            run = subprocess.Popen([PROBE, "--pid", str(target.pid), "--json", "--ptrace", "--snapshots", "30",
                                    "--interval-ms", "1"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(random.uniform(0, 0.08))
            os.kill(target.pid, signal.SIGSTOP)
            self.assertEqual(run.wait(), 0)
            wait_until(lambda: all(state(target.pid, t) == "T" for t in tids(target.pid)),
                       "the stop still holds", seconds=5)
            os.kill(target.pid, signal.SIGCONT)
            target.wait_for_beats(1)

    def test_a_thread_that_cannot_stop_is_waited_for_and_released(self):
        """Shorter than the probe waits at its end, and longer."""
        for sleep_ms in (700, 5000):
            with self.subTest(sleep_ms=sleep_ms):
                target = self.start_target("pie", "--vfork", str(sleep_ms), threads=1)
                asleep = next(t for t in target.threads if t != target.pid)
                wait_until(lambda: state(target.pid, asleep) == "D", "the thread sleeps uninterruptibly")
                begun = time.monotonic()
                answer = probe("--pid", target.pid, "--json", "--ptrace")
                self.assertLess(time.monotonic() - begun, 20)
                self.assertEqual(answer.code, 0, answer)
                late = state(target.pid, asleep) == "D"
                # Far longer than the probe waits: else the machine was too slow to show anything.
                self.assertTrue(late or sleep_ms < 5000, "the thread woke before the probe gave up")
                if late or asleep in errors(answer.document):  # else it woke in time
                    self.assertEqual(errors(answer.document), {asleep: "waitpid"})
                self.assertEqual(counters(answer.document)[target.pid], target.threads[target.pid])
                self.assertEqual(undisturbed(target.pid), [])
                target.wait_for_beats(2)
                self.assertEqual(undisturbed(target.pid), [])
                self.assertEqual(counters(self.read(target.pid)), target.threads)

    def test_a_probe_killed_over_a_stopped_process_leaves_it_stopped(self):
        target = self.start_target("pie", threads=2)
        os.kill(target.pid, signal.SIGSTOP)
        wait_until(lambda: all(state(target.pid, t) == "T" for t in tids(target.pid)), "the target stops")
        for _ in range(10):
            run = subprocess.Popen([PROBE, "--pid", str(target.pid), "--json", "--ptrace", "--snapshots", "100000",
                                    "--interval-ms", "1"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(random.uniform(0.02, 0.15))
            run.kill()
            run.wait()
            wait_until(lambda: all(state(target.pid, t) == "T" for t in tids(target.pid)), "it is stopped as before")
        os.kill(target.pid, signal.SIGCONT)
        target.wait_for_beats()

    def test_reading_without_stops_works_under_another_tracer(self):
        target = self.start_target("pie", threads=2)
        self.trace(target)
        self.assertEqual(counters(self.read(target.pid)), target.threads)

    def test_another_tracer_makes_every_stop_fail(self):
        target = self.start_target("pie", threads=2)
        self.trace(target)
        answer = probe("--pid", target.pid, "--json", "--ptrace")
        self.assertEqual(answer.code, 1, answer)
        self.assertEqual(errors(answer.document), dict.fromkeys(tids(target.pid), "ptrace-seize"))
        self.assertIn("ktstr-probe-all-failed: single\n", answer.stderr)
        self.assertIn("Operation not permitted", answer.document["snapshots"][0]["threads"][0]["error"])
        self.assertIn("hint: ", answer.stderr)
        self.assertEqual(answer.document["stopped_threads"], 0)
        answer = probe("--pid", target.pid, "--json", "--ptrace", "--snapshots", "2", "--interval-ms", "1")
        self.assertEqual(answer.code, 1, answer)
        self.assertIn("ktstr-probe-all-failed: multi\n", answer.stderr)

    def trace(self, target):
        tracer = self.spawn([os.path.join(os.environ["KTSTR_TARGETS"], "tracer"), str(target.pid)])
        self.assertEqual(tracer.process.stdout.readline(), "ready\n")


class Signals(HostTest):
    """The probe takes threads out of their stops together with signals on their way."""

    QUEUED = 5000
    ONE_BY_ONE = 150

    def start_probing(self, target, snapshots):
        run = subprocess.Popen([PROBE, "--pid", str(target.pid), "--json", "--ptrace", "--snapshots", str(snapshots),
                                "--interval-ms", "1"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(Target(run).end)
        return run

    def queue(self, pid, value):
        while LIBC.sigqueue(pid, SIGRTMIN, ctypes.c_void_p(value)) != 0:
            if ctypes.get_errno() != 11:  # EAGAIN: the queue is full
                raise OSError(ctypes.get_errno(), "sigqueue")
            time.sleep(0.001)

    def test_queued_signals_are_delivered_in_order_during_stops(self):
        target = self.start_target("pie", threads=1)
        run = self.start_probing(target, 100000)
        value = 0
        try:
            wait_until(lambda: state(target.pid) in "RSt", "the target runs")
            end = time.monotonic() + 4
            while value < self.QUEUED or time.monotonic() < end:
                for _ in range(20):
                    value += 1
                    self.queue(target.pid, value)
                time.sleep(0.0005)
            self.assertIsNone(run.poll(), "the probe ran through the whole storm")
        finally:
            run.send_signal(signal.SIGTERM)
        stdout, stderr = run.communicate(timeout=60)
        self.assertEqual(run.returncode, 0, stderr)
        wait_until(lambda: target.beat.signals >= value, f"{value} signals arrive")
        self.assertEqual((target.beat.signals, target.beat.out_of_order), (value, 0))
        self.assertGreater(json.loads(stdout)["stopped_threads"], 100, "the probe did stop it")
        self.assertEqual(undisturbed(target.pid), [])

    def test_each_single_signal_arrives(self):
        target = self.start_target("pie", threads=1)
        run = self.start_probing(target, 100000)
        for i in range(1, self.ONE_BY_ONE + 1):
            os.kill(target.pid, signal.SIGUSR1)
            wait_until(lambda: target.beat.plain_signals == i, f"signal {i} arrives", seconds=10)
        run.send_signal(signal.SIGTERM)
        run.communicate(timeout=60)
        self.assertEqual(run.returncode, 0)
        self.assertEqual(target.beat.plain_signals, self.ONE_BY_ONE)

    def test_a_deadly_signal_still_kills(self):
        target = self.start_target("pie", threads=1)
        run = self.start_probing(target, 100000)
        time.sleep(0.2)
        os.kill(target.pid, signal.SIGTERM)
        self.assertEqual(target.process.wait(timeout=20), -signal.SIGTERM)
        run.communicate(timeout=60)
        self.assertGreaterEqual(run.returncode, 0, "the probe ends by itself")


class Killed(HostTest):
    """Whatever happens to the probe, the target goes on."""

    ROUNDS = 100  # for each of the two ways

    def kill_at_random_moments(self, *way):
        target = self.start_target("pie", threads=3)
        late = random.Random(7)
        begun = time.monotonic()
        probe("--pid", target.pid, *way)
        usual = time.monotonic() - begun
        killed = 0
        for i in range(self.ROUNDS):
            run = subprocess.Popen([PROBE, "--pid", str(target.pid), "--json", "--snapshots", "100000", "--interval-ms",
                                    "1", *way], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(late.uniform(0, usual * 1.5))
            run.kill()
            killed += run.wait() == -signal.SIGKILL
            target.wait_for_beats(1)
            wait_until(lambda: not undisturbed(target.pid), f"nobody is stopped after round {i}", seconds=5)
        self.assertEqual(killed, self.ROUNDS)
        self.assertEqual(counters(self.read(target.pid)), target.threads)

    def test_the_target_survives_a_hundred_killed_probes(self):
        self.kill_at_random_moments()

    def test_the_target_survives_a_hundred_killed_tracing_probes(self):
        self.kill_at_random_moments("--ptrace")


if __name__ == "__main__":
    tap.main(__name__)
