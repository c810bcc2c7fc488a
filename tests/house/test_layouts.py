# SPDX-License-Identifier: GPL-2.0-or-later
"""The table of jemalloc's layouts says what the real builds say when asked."""

import os
import shutil
import subprocess
import tempfile
import unittest

import tap
import tree

BUILDS = os.path.join(tree.ROOT, "build", "deps", "jemalloc")
TABLE = os.path.join("src", "probe", "layouts.def")
PARTS = ("tools/layout-table", "tools/layout", TABLE)


def check(root):
    return subprocess.run([os.path.join(root, "tools", "layout-table"), "--check"], capture_output=True, text=True, check=False)


@unittest.skipUnless(os.path.isdir(BUILDS), "build/deps has no jemalloc: run tools/setup")
class Layouts(unittest.TestCase):
    def test_every_build_has_its_row(self):
        done = check(tree.ROOT)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def damaged(self, old, new):
        """The check's answer in a copy whose table has one word changed."""
        with tempfile.TemporaryDirectory() as root:
            for part in PARTS:
                source, copy = os.path.join(tree.ROOT, part), os.path.join(root, part)
                os.makedirs(os.path.dirname(copy), exist_ok=True)
                (shutil.copytree if os.path.isdir(source) else shutil.copy)(source, copy)
            os.makedirs(os.path.join(root, "build", "deps"))
            os.symlink(BUILDS, os.path.join(root, "build", "deps", "jemalloc"))
            table = os.path.join(root, TABLE)
            with open(table, encoding="utf-8") as f:
                text = f.read()
            self.assertIn(old, text)
            with open(table, "w", encoding="utf-8") as f:
                f.write(text.replace(old, new))
            return check(root)

    def test_a_wrong_offset_is_found(self):
        self.assertEqual(self.damaged("0x338", "0x338").returncode, 0)
        done = self.damaged("0x338", "0x330")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("0x338", done.stdout)

    def test_a_missing_row_is_found(self):
        done = self.damaged("0xa88, 0x370", "0xa90, 0x370")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("page64k", done.stdout)


if __name__ == "__main__":
    tap.main(__name__)
