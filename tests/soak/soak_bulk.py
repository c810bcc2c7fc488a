# SPDX-License-Identifier: GPL-2.0-or-later
"""Much to carry for a guest with a virtual clock: a large file, much standard input and more output, twice the same."""

import hashlib
import os
import random
import subprocess
import sys
import tempfile
import time
import unittest

import guest
import machine
import tap
import virtual_guest
from share import rounds

FILE_MB = rounds(30, least=6)
INPUT_MB = rounds(20, least=4)
RUNS = 2
# What came in is named on standard error and goes out again, one stream after the other.
COMMAND = "sha256sum < /file >&2; tee /input < /dev/stdin | sha256sum >&2; cat /file /input"


def random_bytes(seed, megabytes):
    return random.Random(seed).randbytes(megabytes << 20)


@unittest.skipIf(guest.missing(), guest.missing())
class Bulk(unittest.TestCase):
    def carry(self, path, data):
        start = time.monotonic()
        done = subprocess.run([machine.KTSTR, "shell", "--clock", "virtual", "-v", "-t", "2", "-m", "512M", "-i", f"{path}:/file", "--exec", COMMAND],
                              input=data, capture_output=True, check=False, timeout=3600)
        return virtual_guest.Ended(done.returncode, done.stdout, done.stderr), time.monotonic() - start

    def test_all_bytes_arrive_in_both_directions_and_repeat(self):
        file, data = random_bytes(1, FILE_MB), random_bytes(2, INPUT_MB)
        digests = set()
        with tempfile.TemporaryDirectory() as scratch:
            path = os.path.join(scratch, "file")
            with open(path, "wb") as f:
                f.write(file)
            for _ in range(RUNS):
                ended, seconds = self.carry(path, data)
                self.assertEqual(ended.status, 0, ended.said)
                for sent in (file, data):
                    self.assertIn(hashlib.sha256(sent).hexdigest(), ended.said)
                # Not assertEqual: it would try to print the difference.
                self.assertTrue(ended.stdout == file + data, f"{len(ended.stdout)} bytes came out of the guest, or others")
                digests.add(ended.digest)
                print(f"{FILE_MB} MB file, {INPUT_MB} MB input, {len(ended.stdout) >> 20} MB output: {seconds:.1f} s, digest {ended.digest}",
                      file=sys.stderr, flush=True)
        self.assertEqual(len(digests), 1, digests)


if __name__ == "__main__":
    tap.main(__name__)
