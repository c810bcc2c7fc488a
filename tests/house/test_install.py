# SPDX-License-Identifier: GPL-2.0-or-later
"""What `make install` leaves: programs that run from there, with their pages."""

import os
import re
import subprocess
import tempfile
import unittest

import tap
import tree

BUILD = os.environ.get("KTSTR_BUILD_DIR", os.path.join(tree.ROOT, "build", "debug"))
WORKER = "ktstr-jemalloc-alloc-worker"
# Schedulers for the tests of users; their --help says all there is.
SCHEDULERS = {"scx_ktfifo", "scx_ktsdt"}


def readelf(option, path):
    return subprocess.run(["readelf", "-W", option, path], check=True, capture_output=True, text=True).stdout


def run_paths(path):
    """The RPATH and RUNPATH entries of an ELF file."""
    return re.findall(r"\((?:RPATH|RUNPATH)\).*", readelf("-d", path))


def is_elf(path):
    if os.path.islink(path) or not os.path.isfile(path):
        return False
    with open(path, "rb") as f:
        return f.read(4) == b"\x7fELF"


class Install(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.TemporaryDirectory()
        command = ["meson", "install", "-C", BUILD, "--no-rebuild", "--destdir", cls.directory.name]
        subprocess.run(command, check=True, capture_output=True)
        cls.files = [os.path.join(b, n) for b, _, names in os.walk(cls.directory.name) for n in names]
        cls.programs = {os.path.basename(f): f for f in cls.files if os.path.basename(os.path.dirname(f)) == "bin"}

    @classmethod
    def tearDownClass(cls):
        cls.directory.cleanup()

    def setUp(self):
        if not self.programs:
            self.skipTest("this build installs no program yet")

    def test_installed_ktstr_runs_and_says_its_version(self):
        done = subprocess.run([self.programs["ktstr"], "--version"], cwd="/", capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(os.path.join(tree.ROOT, "meson.build"), encoding="utf-8") as f:
            self.assertIn(re.search(r"version: '([^']+)'", f.read())[1], done.stdout)

    def test_make_stages_every_installed_program(self):
        """`make` is tools/stage-bin without names; the tests build by other ways."""
        with tempfile.TemporaryDirectory() as staged:
            done = subprocess.run([os.path.join(tree.ROOT, "tools", "stage-bin"), BUILD, staged], capture_output=True,
                                  text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertEqual(sorted(os.listdir(staged)), sorted(self.programs))

    def test_every_program_answers_help(self):
        for name, path in sorted(self.programs.items()):
            if name != WORKER:
                with self.subTest(name):
                    done = subprocess.run([path, "--help"], cwd="/", capture_output=True, text=True, check=False)
                    self.assertEqual(done.returncode, 0, done.stderr)
                    self.assertIn(name, done.stdout)

    def test_schedulers_are_installed_and_refuse_what_they_do_not_know(self):
        self.assertLessEqual(SCHEDULERS, set(self.programs))
        for name in sorted(SCHEDULERS):
            for words in (["--no-such-option"], ["word"]):
                with self.subTest(name, words=words):
                    done = subprocess.run([self.programs[name], *words], cwd="/", capture_output=True, text=True, check=False)
                    self.assertEqual(done.returncode, 2, done)
                    self.assertIn(words[0].lstrip("-"), done.stderr)

    def test_no_installed_file_has_a_run_path(self):
        found = {f: run_paths(f) for f in self.files if is_elf(f)}
        self.assertTrue(found)
        self.assertEqual({f: p for f, p in found.items() if p}, {})

    def test_every_program_has_a_page_and_a_completion(self):
        names = {os.path.relpath(f, self.directory.name) for f in self.files}
        for program in sorted(set(self.programs) - {WORKER} - SCHEDULERS):
            with self.subTest(program):
                self.assertTrue(any(re.search(rf"/man1/{program}\.1(\.gz)?$", n) for n in names), "no man page")
                for place in (rf"bash-completion/completions/{program}(\.bash)?", rf"zsh/site-functions/_{program}",
                              rf"fish/vendor_completions\.d/{program}\.fish"):
                    self.assertTrue(any(re.search(rf"/{place}$", n) for n in names), place)

    def test_installed_worker_keeps_its_symbols_and_debug_information(self):
        if WORKER not in self.programs:
            self.skipTest("this build installs no worker yet")
        sections = readelf("-S", self.programs[WORKER])
        self.assertIn(".symtab", sections)
        self.assertIn(".debug_info", sections)


class Planted(unittest.TestCase):
    def test_a_run_path_is_found(self):
        with tempfile.TemporaryDirectory() as directory:
            program = os.path.join(directory, "a")
            command = [os.environ.get("KTSTR_CC", "cc"), "-x", "c", "-", "-o", program, f"-Wl,-rpath,{directory}"]
            subprocess.run(command, input="int main(void) { return 0; }\n", text=True, check=True)
            self.assertEqual(len(run_paths(program)), 1)


if __name__ == "__main__":
    tap.main(__name__)
