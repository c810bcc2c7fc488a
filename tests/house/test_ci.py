# SPDX-License-Identifier: GPL-2.0-or-later
"""Continuous integration runs `make test` with budgets that bite, and believes its status."""

import os
import subprocess
import tempfile
import unittest

import tap
import tree


class Ci(unittest.TestCase):
    def run_ci(self, status):
        with tempfile.TemporaryDirectory() as folder:
            make = os.path.join(folder, "make")
            with open(make, "w", encoding="utf-8") as f:
                f.write(f'#!/bin/sh\necho "$PWD" "$KTSTR_ENFORCE_BUDGET" "$@"\nexit {status}\n')
            os.chmod(make, 0o755)
            env = dict(os.environ, PATH=folder + os.pathsep + os.environ["PATH"])
            script = os.path.join(tree.ROOT, ".ci", "run")
            return subprocess.run([script], cwd="/", env=env, capture_output=True, text=True, check=False)

    def test_it_runs_make_test_in_the_tree_with_budgets(self):
        self.assertEqual(self.run_ci(0).stdout.split(), [tree.ROOT, "1", "test"])

    def test_its_status_is_that_of_make(self):
        self.assertEqual([self.run_ci(n).returncode for n in (0, 2, 7)], [0, 2, 7])


if __name__ == "__main__":
    tap.main(__name__)
