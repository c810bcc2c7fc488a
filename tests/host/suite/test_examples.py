# SPDX-License-Identifier: GPL-2.0-or-later
"""examples/ is a project of its own: it builds in an empty directory with what `make install` leaves."""

import glob
import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest

import tap
import tree

BUILD = os.environ["KTSTR_BUILD_DIR"]
EXAMPLES = os.path.join(tree.ROOT, "examples")
# Nothing of ours: no compiler flags, no paths into the tree.
CLEAN = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "LC_ALL": "C.UTF-8"}


def installed(directory):
    """The environment in which pkg-config finds the ktstr that was installed there."""
    subprocess.run(["meson", "install", "-C", BUILD, "--no-rebuild", "--destdir", directory], check=True, capture_output=True)
    found = glob.glob(os.path.join(directory, "**", "ktstr.pc"), recursive=True)
    assert len(found) == 1, found
    return {**CLEAN, "PKG_CONFIG_LIBDIR": os.path.dirname(found[0]), "PKG_CONFIG_SYSROOT_DIR": directory}


def uninstalled():
    return {**CLEAN, "PKG_CONFIG_LIBDIR": os.path.join(BUILD, "src", "suite")}


def run(command, cwd, env):
    return subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, timeout=240, check=False)


class Examples(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.directory = os.path.join(scratch.name, "project")
        self.root = os.path.join(scratch.name, "root")
        shutil.copytree(EXAMPLES, self.directory)

    def listed(self, program):
        done = run([os.path.join(self.directory, program), "--list", "--json"], "/", CLEAN)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return json.loads(done.stdout)["tests"]

    def check_all(self, env):
        done = run(["make"], self.directory, env)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("warning", done.stderr)
        sources = sorted(f[:-2] for f in os.listdir(EXAMPLES) if f.endswith(".c"))
        self.assertEqual(sources, ["fair", "hello", "schedulers"])
        names = {s: [t["name"] for t in self.listed(s)] for s in sources}
        self.assertEqual(names, {"fair": ["two_cells_share_fairly"], "hello": ["hello"],
                                 "schedulers": ["fair_under_fifo", "fair_under_the_kernel", "forgotten_tasks"]})

    def test_they_build_with_what_is_installed(self):
        self.check_all(installed(self.root))

    def test_they_build_with_what_is_only_built(self):
        self.check_all(uninstalled())

    def test_a_linker_that_collects_garbage_keeps_the_tests(self):
        flags = run(["pkg-config", "--cflags", "--libs", "--static", "ktstr"], self.directory, uninstalled()).stdout.split()
        linkers = [[]] + ([["-fuse-ld=lld"]] if shutil.which("ld.lld") else [])
        for linker in linkers:
            with self.subTest(linker):
                command = ["cc", *linker, "-static", "-ffunction-sections", "-fdata-sections", "-Wl,--gc-sections", "fair.c", "-o", "fair", *flags]
                done = run(command, self.directory, CLEAN)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual([t["name"] for t in self.listed("fair")], ["two_cells_share_fairly"])

    def test_an_example_is_short(self):
        for path in glob.glob(os.path.join(EXAMPLES, "*.c")):
            with open(path, encoding="utf-8") as f:
                text = f.read()
            for block in re.findall(r"^KTSTR_TEST\(.*?^\};", text, re.S | re.M):
                with self.subTest(path):
                    self.assertLessEqual(len(block.splitlines()), 20)

    def test_the_readme_names_every_file(self):
        with open(os.path.join(EXAMPLES, "README.md"), encoding="utf-8") as f:
            text = f.read()
        for name in os.listdir(EXAMPLES):
            if name != "README.md":
                self.assertIn(f"`{name}`", text)


if __name__ == "__main__":
    tap.main(__name__)
