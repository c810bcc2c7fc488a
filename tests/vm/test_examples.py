# SPDX-License-Identifier: GPL-2.0-or-later
"""examples/ as a reader would use it: make, then `ktstr test`. tests/host/suite builds it in other ways."""

import json
import os
import shutil
import subprocess
import tempfile

import guest
import tap
import tree
from machine import KTSTR, GuestTest, decided


class Examples(GuestTest):
    def test_they_are_built_and_run(self):
        with tempfile.TemporaryDirectory() as scratch:
            directory = os.path.join(scratch, "project")
            shutil.copytree(os.path.join(tree.ROOT, "examples"), directory)
            env = {"PATH": os.environ["PATH"], "PKG_CONFIG_LIBDIR": os.path.join(guest.BUILD, "src", "suite")}
            subprocess.run(["make"], cwd=directory, env=env, check=True, capture_output=True)
            done, verdicts = decided(lambda n: self.run_examples(directory, f"out{n}"),
                                     lambda answer: ("inconclusive", "host-busy") in answer[1].values())
        self.assertEqual(verdicts, {"hello": ("pass", "none"), "two_cells_share_fairly": ("pass", "none")}, done)

    def run_examples(self, directory, out):
        done = subprocess.run([KTSTR, "test", "./fair", "./hello", "-o", out], cwd=directory, capture_output=True, text=True, timeout=600, check=False)
        verdicts = {}
        for name in os.listdir(os.path.join(directory, out)):
            if name.endswith(".ktstr.json"):
                with open(os.path.join(directory, out, name), encoding="utf-8") as f:
                    record = json.load(f)
                verdicts[record["test_name"]] = record["verdict"], record["reason"]
        return done, verdicts


if __name__ == "__main__":
    tap.main(__name__)
