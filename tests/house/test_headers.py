# SPDX-License-Identifier: GPL-2.0-or-later
"""Every header of the tree compiles alone, and twice, with the flags of its room; and so does every benchmark."""

import json
import os
import shlex
import subprocess
import unittest

import tap
import tree

BUILD = os.environ.get("KTSTR_BUILD_DIR", os.path.join(tree.ROOT, "build", "debug"))


def entries():
    """(path in the tree, directory to run in, arguments without input and output) of all that is or could be built"""
    with open(os.path.join(BUILD, "compile_commands.json"), encoding="utf-8") as f:
        listed = json.load(f)
    for entry in listed:
        words, kept = shlex.split(entry["command"]), []
        while words:
            word = words.pop(0)
            if word in ("-o", "-c", "-MQ", "-MF"):
                words.pop(0)
            elif word not in ("-MD", "-MMD"):
                kept.append(word)
        yield os.path.relpath(os.path.join(entry["directory"], entry["file"]), tree.ROOT), entry["directory"], kept


def commands():
    """room -> (directory to run in, arguments)"""
    found = {}
    for path, directory, kept in entries():
        parts = path.split(os.sep)
        if parts[0] != "src" or len(parts) < 3:
            continue
        # Directories of a room may be built for several programs: the one that needs the most is taken.
        found[parts[1]] = max(found.get(parts[1], ("", [])), (directory, kept), key=lambda c: len(c[1]))
    return found


def compile_text(text, room, found):
    directory, words = found.get(room, found["base"])
    command = [*words, "-I", os.path.join(tree.ROOT, "include"), "-Werror", "-fsyntax-only", "-x", "c", "-"]
    return subprocess.run(command, cwd=directory, input=text, capture_output=True, text=True, check=False)


class Headers(unittest.TestCase):
    def test_every_header_compiles_alone_and_twice(self):
        found = commands()
        headers = [f for f in tree.files() if f.startswith("src/") and f.endswith(".h")]
        self.assertTrue(headers)
        for path in headers:
            with self.subTest(path):
                name = path.removeprefix("src/")
                done = compile_text(f'#include "{name}"\n' * 2, name.split("/")[0], found)
                self.assertEqual(done.returncode, 0, done.stderr)

    def test_every_benchmark_compiles(self):
        """They are built when they are run, so only this notices what they miss."""
        benches = [e for e in entries() if e[0].startswith("bench" + os.sep)]
        self.assertGreater(len(benches), 8)
        for path, directory, words in benches:
            with self.subTest(path):
                done = subprocess.run([*words, "-fsyntax-only", os.path.join(tree.ROOT, path)], cwd=directory,
                                      capture_output=True, text=True, check=False)
                self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_header_that_lacks_an_include_would_be_found(self):
        done = compile_text("static inline size_t f(void) { return 0; }\n", "base", commands())
        self.assertNotEqual(done.returncode, 0)


PUBLIC = [f for f in tree.files() if f.startswith("include/") and f.endswith(".h")]

if PUBLIC:

    class PublicHeaders(unittest.TestCase):
        def test_every_public_header_compiles_with_nothing_but_libc(self):
            for path in PUBLIC:
                with self.subTest(path):
                    command = [os.environ.get("KTSTR_CC", "cc"), "-std=gnu11", "-Wall", "-Wextra", "-Werror"]
                    command += ["-I", os.path.join(tree.ROOT, "include"), "-fsyntax-only", "-x", "c", "-"]
                    text = f"#include <{path.removeprefix('include/')}>\n" * 2
                    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
                    self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    tap.main(__name__)
