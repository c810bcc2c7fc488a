# SPDX-License-Identifier: GPL-2.0-or-later
"""The driver itself: it must be able to say no."""

import contextlib
import io
import os
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "house"))
import run  # noqa: E402
import tap  # noqa: E402


class Driver(unittest.TestCase):
    def case(self, **files):
        with tempfile.TemporaryDirectory() as directory:
            for name, text in files.items():
                with open(os.path.join(directory, name.replace("_", ".")), "w", encoding="utf-8") as f:
                    f.write(text)
            return "\n".join(run.run_case(directory, "/bin/true", "1.2.3"))

    def test_a_case_as_expected_has_no_differences(self):
        self.assertEqual(self.case(cmd="echo a; echo b >&2; exit 3", expected_stdout="a\n",
                                   expected_stderr="b\n", expected_exit="3\n"), "")

    def test_another_exit_code_is_found(self):
        self.assertIn("exit 1, expected 0", self.case(cmd="exit 1", expected_exit="0\n"))

    def test_other_text_is_found_on_both_streams(self):
        self.assertIn("+a", self.case(cmd="echo a", expected_exit="0"))
        self.assertIn("+b", self.case(cmd="echo b >&2", expected_exit="0"))
        self.assertIn("-c", self.case(cmd="true", expected_stdout="c\n", expected_exit="0"))

    def test_a_missing_last_newline_is_found(self):
        self.assertIn("ends differently",
                      self.case(cmd="printf a", expected_stdout="a\n", expected_exit="0"))

    def test_an_empty_case_is_no_pass(self):
        self.assertIn("must not be missing", self.case())
        self.assertIn("must not be missing", self.case(cmd="true"))

    def test_a_directory_without_cases_fails(self):
        with tempfile.TemporaryDirectory() as directory:
            with contextlib.redirect_stdout(io.StringIO()):
                self.assertEqual(run.main(["--version", "1", directory, "/bin/true"]), 1)

    def test_only_the_whole_version_and_process_ids_are_replaced(self):
        self.assertEqual(run.normalise("v 1.2.3 11.2.3 1.2.34 pid=77 pid 77 tid=77 /t/x", "1.2.3", "/t"),
                         "v @VERSION@ 11.2.3 1.2.34 pid=@PID@ pid 77 tid=77 @TMP@/x")


if __name__ == "__main__":
    tap.main(__name__)
