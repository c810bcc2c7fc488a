# SPDX-License-Identifier: GPL-2.0-or-later
"""A running many_threads, what it says about itself, and how long it stood still."""

import mmap
import os
import struct
import subprocess
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SCRATCH = os.path.join(ROOT, "build", "bench")

# struct stage of bench/stage.h
HEADER = struct.Struct("=5Q")
ROW = struct.Struct("=3Q")
WORD = struct.Struct("=Q")
ASKED, WINDOW, BEATS, LONGEST_GAP = 0, 8, 16, 24


class Failed(Exception):
    """Something did not run, or two answers differ."""


class Target:
    """`with Target(program, n) as target`: n threads that wait, each with known counters."""

    def __init__(self, program, n_threads, preload=None):
        self.n_threads = n_threads
        self.path = os.path.join(SCRATCH, f"stage.{os.getpid()}")
        environment = dict(os.environ)
        environment.pop("MALLOC_CONF", None)
        if preload:
            environment["LD_PRELOAD"] = preload
        self.process = subprocess.Popen([program, str(n_threads), self.path], env=environment, stdout=subprocess.PIPE)
        if self.process.stdout.readline() != b"ready\n":
            self.close()
            raise Failed(f"{os.path.basename(program)} with {n_threads} threads did not become ready")
        with open(self.path, "r+b") as f:
            self.map = mmap.mmap(f.fileno(), 0)
        self.pid = self.process.pid

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.close()

    def close(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()
        if os.path.exists(self.path):
            os.unlink(self.path)

    def word(self, offset):
        return WORD.unpack_from(self.map, offset)[0]

    def truth(self):
        """tid -> [allocated, deallocated], as jemalloc told each thread itself."""
        rows = (ROW.unpack_from(self.map, HEADER.size + i * ROW.size) for i in range(self.n_threads))
        return {tid: [allocated, deallocated] for tid, allocated, deallocated in rows}

    def check(self, found, who, but=()):
        """found has the shape of truth(), less the threads in `but`."""
        truth = {tid: values for tid, values in self.truth().items() if tid not in but}
        if found == truth:
            return
        wrong = [tid for tid in truth if found.get(tid) != truth[tid]]
        tid = wrong[0] if wrong else next(iter(set(found) - set(truth)))
        raise Failed(f"{who}: {len(wrong)} of {len(truth)} threads differ; thread {tid}: "
                     f"{found.get(tid)}, jemalloc itself says {truth.get(tid)}")

    def start_window(self):
        """From now on the heartbeat notes its longest pause anew."""
        asked = self.word(ASKED) + 1
        WORD.pack_into(self.map, ASKED, asked)
        self._wait(lambda: self.word(WINDOW) == asked)

    def longest_gap_ns(self):
        """Since start_window(); the beat that a stop delayed has come in."""
        beats = self.word(BEATS)
        self._wait(lambda: self.word(BEATS) >= beats + 2)
        return self.word(LONGEST_GAP)

    def _wait(self, condition):
        deadline = time.monotonic() + 30
        while not condition():
            if time.monotonic() > deadline or self.process.poll() is not None:
                raise Failed("the target's heartbeat stopped")
            time.sleep(0.0002)
