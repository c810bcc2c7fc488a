# SPDX-License-Identifier: GPL-2.0-or-later
"""The tree is as clang-format-19 would write it; other versions disagree with it."""

import os
import shutil
import subprocess
import tempfile
import unittest

import tap
import tree

TOOL = "clang-format-19"


def complaints(paths, root=tree.ROOT):
    command = [TOOL, "--dry-run", "-Werror", *paths]
    return subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)


@unittest.skipUnless(shutil.which(TOOL), f"{TOOL} is not installed")
class Format(unittest.TestCase):
    def test_every_c_file_is_formatted(self):
        paths = [f for f in tree.files() if f.endswith((".c", ".h")) and not f.startswith("tests/data/")]
        done = complaints(paths)
        self.assertEqual(done.returncode, 0, "run `make format`\n" + done.stderr)

    def test_a_badly_formatted_file_is_found(self):
        with tempfile.TemporaryDirectory() as root:
            shutil.copy(os.path.join(tree.ROOT, ".clang-format"), root)
            with open(os.path.join(root, "a.c"), "w", encoding="utf-8") as f:
                f.write("int  f( void ){ return 1 ; }\n")
            self.assertNotEqual(complaints(["a.c"], root).returncode, 0)


if __name__ == "__main__":
    tap.main(__name__)
