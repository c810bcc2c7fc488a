# SPDX-License-Identifier: GPL-2.0-or-later
"""What the drivers of ctprof share: captures, and files read with libzstd and json alone."""

import json
import os
import re
import shutil
import subprocess
import tempfile
import time
import unittest

KTSTR = os.environ["KTSTR"]
UNZSTD = os.environ["KTSTR_UNZSTD"]

# Generous: the machine may be busy.
PATIENCE_S = 60
NOBODY = 65534


def frames(path):
    """The whole snapshots of a file, and whether an incomplete one stands behind them."""
    done = subprocess.run([UNZSTD, path], capture_output=True, timeout=PATIENCE_S, check=False)
    if done.returncode not in (0, 3):
        raise AssertionError(f"{path} is damaged: {done.stderr!r}")
    return [json.loads(line) for line in done.stdout.splitlines()], done.returncode == 3


def births():
    """Of threads and processes since the machine started, as the kernel counts them."""
    with open("/proc/stat", encoding="utf-8") as f:
        return int(re.search(r"^processes (\d+)", f.read(), re.M)[1])


def known(snapshot, thread):
    """The sources and the names of the values that the file vouches for in a thread."""
    one = snapshot["presence"]["sets"][thread["presence"]]
    return set(one["sources"]), set(one["absent"]), set(one["also"])


def wait_until(condition, what, seconds=PATIENCE_S):
    end = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > end:
            raise AssertionError(f"not within {seconds} s: {what}")
        time.sleep(0.005)


class CtprofTest(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.dir = tempfile.mkdtemp(prefix="ktstr-ctprof-")
        os.chmod(self.dir, 0o755)
        self.addCleanup(shutil.rmtree, self.dir, ignore_errors=True)

    def path(self, name):
        return os.path.join(self.dir, name)

    def spawn(self, command, **how):
        process = subprocess.Popen(command, **how)

        def end():
            if process.poll() is None:
                process.kill()
            process.wait()
            for pipe in (process.stdin, process.stdout, process.stderr):
                if pipe:
                    pipe.close()

        self.addCleanup(end)
        return process

    def run_ktstr(self, *arguments, program=KTSTR, **how):
        return subprocess.run([program, "ctprof", "capture", *map(str, arguments)], text=True, capture_output=True,
                              stdin=subprocess.DEVNULL, timeout=PATIENCE_S, check=False, **how)

    def capture(self, *arguments, **how):
        """A capture that must succeed; its only snapshot and what was said."""
        path = self.path(f"{time.monotonic_ns()}.ctprof.zst")
        by_bpf = "--bpf" in arguments
        done = self.run_ktstr("-o", path, *arguments, *(["-v"] if by_bpf else []), **how)
        self.assertEqual(done.returncode, 0, done.stderr)
        snapshots, torn = frames(path)
        self.assertEqual((len(snapshots), torn), (1, False))
        self.assert_honest(snapshots[0])
        if by_bpf:
            self.assert_bpf(snapshots[0], done.stderr)
        return snapshots[0], done.stderr

    def assert_bpf(self, snapshot, stderr):
        """Who asks for BPF gets it. Only a machine that does not allow it is an excuse."""
        if "bpf" in snapshot["presence"]["paths"].values():
            return
        refused = re.search(r"not BPF: \[bpf-(permission|no-btf)\].*", stderr)
        self.assertTrue(refused, f"BPF was asked for and not used: {stderr}")
        self.skipTest(refused[0])

    def assert_honest(self, snapshot):
        """Every value that is missing has a reason, and every reason is counted once."""
        threads, presence = snapshot["threads"], snapshot["presence"]
        summary = snapshot["parse_summary"]
        self.assertGreaterEqual(summary["tids_walked"], len(threads))
        self.assertEqual(sum(summary["read_failures_by_file"].values()), summary["read_failures"])
        for source, path in presence["paths"].items():
            if path == "none":
                continue
            asked = [t for t in threads if source != "smaps_rollup" or t["tid"] == t["tgid"]]
            missing = sum(1 for t in asked if source not in known(snapshot, t)[0])
            reasons = presence["reasons"].get(source, {})
            self.assertEqual(missing, sum(reasons.values()), f"{source}: {reasons}")
        for thread in threads:
            self.assertTrue(thread["comm"] or thread["start_time_clock_ticks"], f"a ghost: {thread}")
        ids = [(t["tgid"], t["tid"]) for t in threads]
        self.assertEqual(ids, sorted(set(ids)))

    def assert_says(self, stderr, snapshot):
        """The summary line says what the file says."""
        walked, failures = re.search(r"^ctprof parse: (\d+) tids walked, (\d+) read failures", stderr, re.M).groups()
        self.assertEqual(int(walked), snapshot["parse_summary"]["tids_walked"])
        self.assertEqual(int(failures), snapshot["parse_summary"]["read_failures"])
        self.assertRegex(stderr, r"(?m)^ctprof cost: .* wall, .* CPU, .* written \(.* of JSON\), \d+ threads/s$")
