# SPDX-License-Identifier: GPL-2.0-or-later
"""The program that runs corpora as tests goes red when it must and names the input.

And the fuzzers of this tree: each has its corpus, its planted bug and files that it covers.
"""

import os
import re
import subprocess
import sys
import tempfile
import unittest

import tap
import tree

FUZZ = os.path.join(tree.ROOT, "tests", "fuzz")
sys.path.insert(0, FUZZ)
import fuzzing  # noqa: E402

FUZZER = r"""
#include <stdlib.h>
#include "fuzz.h"
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	if (n < 2 || data[0] != 'K')
		return 0;
	fuzz_mark_deep();
	if (n == 5)
		abort();
	return 0;
}
"""


def setUpModule():
    global directory, program
    directory = tempfile.TemporaryDirectory()
    program = os.path.join(directory.name, "corpus")
    sources = [os.path.join(FUZZ, n) for n in ("fuzz_corpus_main.c", "fuzz_deep.c")]
    command = [os.environ.get("KTSTR_CC", "cc"), "-D_GNU_SOURCE", "-I", FUZZ, "-o", program, *sources, "-x", "c", "-"]
    subprocess.run(command, input=FUZZER, text=True, check=True)


def tearDownModule():
    directory.cleanup()


class Corpora(unittest.TestCase):
    def run_on(self, files, *more):
        with tempfile.TemporaryDirectory() as corpus:
            for name, data in files.items():
                with open(os.path.join(corpus, name), "wb") as f:
                    f.write(data)
            return subprocess.run([program, corpus, *more], capture_output=True, text=True, check=False)

    def test_a_good_corpus_passes(self):
        done = self.run_on({"a": b"Kx", "b": b"K" * 3})
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("1..5", done.stdout)
        self.assertNotIn("not ok", done.stdout)

    def test_an_empty_corpus_fails(self):
        done = self.run_on({})
        self.assertEqual(done.returncode, 1)
        self.assertIn("not ok 1 - corpus_has_files", done.stdout)

    def test_a_missing_corpus_fails(self):
        done = subprocess.run([program, os.path.join(directory.name, "missing")], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("not ok 1 - corpus_has_files", done.stdout)

    def test_a_corpus_that_passes_no_validation_fails(self):
        done = self.run_on({"a": b"\0"})
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout, "not ok .* corpus_gets_past_the_first_validation")

    def test_a_crash_names_the_input_and_can_be_repeated(self):
        # Only a shortened copy of it has five bytes.
        files = {"long": b"K234567"}
        done = self.run_on(files)
        self.assertLess(done.returncode, 0)
        said = re.search(r"input: long, variant (\d+) \(5 bytes\)", done.stderr)
        self.assertTrue(said, done.stderr)
        self.assertLess(self.run_on(files, "long", said[1]).returncode, 0)
        self.assertEqual(self.run_on(files, "long", "0").returncode, 0)

    def test_a_second_run_makes_the_same_inputs(self):
        self.assertEqual(self.run_on({"long": b"K234567"}).stderr, self.run_on({"long": b"K234567"}).stderr)

    def test_a_file_past_the_limit_fails(self):
        done = self.run_on({"a": b"K" * ((1 << 20) + 1)})
        self.assertEqual(done.returncode, 1)
        self.assertIn("larger than", done.stdout)


class Fuzzers(unittest.TestCase):
    def test_every_fuzzer_has_a_row_a_corpus_and_a_planted_bug(self):
        rows = re.findall(r"^  '(\w+)': \[", tree.text("tests/fuzz/meson.build"), re.M)
        planted = [n.removesuffix(".patch") for n in os.listdir(os.path.join(FUZZ, "planted"))]
        self.assertEqual(sorted(rows), fuzzing.names())
        self.assertEqual(sorted(os.listdir(os.path.join(FUZZ, "corpus"))), fuzzing.names())
        self.assertEqual(sorted(planted), fuzzing.names())

    def test_every_planted_bug_applies_and_says_what_it_is(self):
        wrong = {}
        for name in fuzzing.names():
            patch = f"tests/fuzz/planted/{name}.patch"
            done = subprocess.run(["git", "apply", "--check", patch], cwd=tree.ROOT, capture_output=True, text=True, check=False)
            if done.returncode:
                wrong[name] = done.stderr
            elif not tree.text(patch).startswith("# bug: "):
                wrong[name] = "its first line is not `# bug: ...`"
        self.assertEqual(wrong, {})

    def test_every_fuzzer_covers_files_that_exist(self):
        for name in fuzzing.names():
            covers = fuzzing.covers(name)
            self.assertTrue(covers, name)
            self.assertEqual([path for path in covers if not os.path.isfile(os.path.join(tree.ROOT, path))], [], name)
            self.assertEqual(len(covers), len(set(covers)), f"{name} names a file twice")


if __name__ == "__main__":
    tap.main(__name__)
