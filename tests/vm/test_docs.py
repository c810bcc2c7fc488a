# SPDX-License-Identifier: GPL-2.0-or-later
"""docs/WRITING_TESTS.md is true: its files compile, its commands run, and say what it says they do."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "house"))

import guest
import tap
from machine import KTSTR, decided

PAGE = os.path.join(guest.ROOT, "docs", "WRITING_TESTS.md")
SUITE = os.path.join(guest.BUILD, "src", "suite")
# What is installed, and is in build/bin where ktstr is only built.
PROGRAMS = (KTSTR, os.path.join(guest.BUILD, "bpf", "scx_ktfifo"))


def blocks(text):
    """[(language, name, text)] of the fenced blocks, in their order."""
    return re.findall(r"^```(\w*) ?(\S*)\n(.*?)^```$", text, re.S | re.M)


def page():
    with open(PAGE, encoding="utf-8") as f:
        return f.read()


def dialogue(text):
    """[(command, output)] of a console block."""
    parts = re.split(r"^\$ (.*)\n", text, flags=re.M)
    assert parts[0] == "", parts[0]
    return list(zip(parts[1::2], parts[2::2]))


def masked(text):
    """Without what differs from run to run: numbers, hashes, directories, the kernel's name."""
    text = re.sub(r"on Linux [^\s,]+", "on Linux K", text)
    # The page is about a host without KVM and with several CPUs.
    text = re.sub(r", (real|virtual) clock(, \d+ at a time)?", "", text)
    text = re.sub(r"(?m) (real|virtual, seed \d+)$", "", text)
    text = re.sub(r", error bar [\d.]+ %", "", text)
    text = re.sub(r"searched in \S+,", "searched in F,", text)
    text = re.sub(r"-[0-9a-f]{16}\b", "-H", text)
    text = re.sub(r"\b\d{4}-\d\d-\d\dT[\d-]+", "T", text)
    text = re.sub(r"\d+ min \d\d s", "N s", text)
    text = re.sub(r"(?<![\w:])\d+(\.\d+)?(?![\w])", "N", text)
    return [re.sub(r" +", " ", line).rstrip() for line in text.splitlines()]


class Page(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.directory = scratch.name
        programs = os.path.join(scratch.name, "bin")
        os.mkdir(programs)
        for program in PROGRAMS:
            os.symlink(program, os.path.join(programs, os.path.basename(program)))
        self.project = os.path.join(scratch.name, "project")
        os.mkdir(self.project)
        self.env = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}", "PKG_CONFIG_PATH": SUITE, "LC_ALL": "C.UTF-8"}
        for _, name, text in blocks(page()):
            if name:
                with open(os.path.join(self.project, name), "w", encoding="utf-8") as f:
                    f.write(text)

    def run_line(self, command):
        return subprocess.run(["bash", "-c", command], cwd=self.project, env=self.env,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=600, check=False)

    def listed(self, name):
        done = self.run_line(f"./{name} --list")
        self.assertEqual(done.returncode, 0, done.stdout)
        return re.findall(r"^(\w+) ", done.stdout, re.M)

    def test_every_file_compiles_without_a_warning_and_lists_its_tests(self):
        named = [(name, text) for language, name, text in blocks(page()) if language == "c"]
        self.assertEqual([name for name, _ in named],
                         ["hello.c", "share.c", "fifo.c", "wakeups.c", "latency.c", "faults.c"])
        for name, text in named:
            with self.subTest(name):
                program = name[:-2]
                done = self.run_line(f"cc -Wall -Wextra -Werror -static {name} $(pkg-config --cflags --libs --static ktstr) -o {program}"
                                     if "ktstr/short.h" in text else f"cc -Wall -Wextra -Werror -static {name} -o {program}")
                self.assertEqual((done.returncode, done.stdout), (0, ""))
                declared = re.findall(r"^KTSTR_TEST\((\w+)\)", text, re.M)
                if declared:
                    self.assertEqual(self.listed(program), sorted(declared))

    def test_every_command_says_what_the_page_says(self):
        why = guest.missing()
        if why:
            self.skipTest(why)
        last = 0
        for language, _, text in blocks(page()):
            if language != "console":
                continue
            for command, said in dialogue(text):
                if command == "echo $?":
                    self.assertEqual(str(last), said.strip())
                    continue
                # The page says that a busy host may take a verdict about time away.
                done = decided(lambda n, line=command: self.run_again(n, line), lambda answer: "host-busy:" in answer.stdout)
                last = done.returncode
                with self.subTest(command):
                    self.assertEqual(masked(done.stdout), masked(said))

    def run_again(self, attempt, command):
        """As if it had not been run before: commands that follow see one run."""
        before = os.path.join(self.directory, "before")
        if attempt == 0:
            shutil.rmtree(before, ignore_errors=True)
            shutil.copytree(self.project, before, symlinks=True)
        else:
            shutil.rmtree(self.project)
            shutil.copytree(before, self.project, symlinks=True)
        return self.run_line(command)

    def test_what_the_page_links_to_is_there(self):
        for target in re.findall(r"\]\(([^)#]+)", page()):
            with self.subTest(target):
                self.assertTrue(os.path.exists(os.path.join(guest.ROOT, "docs", target)))


if __name__ == "__main__":
    tap.main(__name__)
