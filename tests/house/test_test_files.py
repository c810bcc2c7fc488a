# SPDX-License-Identifier: GPL-2.0-or-later
"""src/<room>/<x>.c has tests/unit/<room>/test_<x>.c, and that file is really built."""

import json
import os
import re
import unittest

import tap
import tree

BUILD = os.environ.get("KTSTR_BUILD_DIR", os.path.join(tree.ROOT, "build", "debug"))

# Sources without a file of their own, and why that is enough.
EXCEPTIONS = (
    (r"src/base/clock\.c", "one call of clock_gettime(); the tests of cancel stand on it"),
    (r"src/\w+/error\.c", "one DEFINE_ERROR_DOMAIN; the tests of base cover what it makes"),
    (
        r"src/vm/(\w+/)?(boot|changed|exec|guest_ram|launch|load_module|start|vm|watch)\.c",
        "drives a guest; tests/vm boots real ones",
    ),
    (r"src/cli/(\w+/)?main(_\w+)?\.c", "holds tables only, or is a fixture; tests/golden and tests/host run the programs"),
    (r"src/harness/(guest_run|job|job_record)\.c", "drives guests; tests/vm and tests/self run real ones"),
    (r"src/cli/test/run\.c", "drives guests; tests/vm/test_runner.py and tests/self run real ones"),
    (r"src/cli/shell/(run|session)\.c", "drives a guest; tests/vm/test_shell.py runs real ones"),
    (r"src/agent/main\.c", "PID 1: tests/vm boots it"),
    (r"src/agent/mailbox\.c", "memory of a PCI device and an instruction that a plugin knows; tests/vm has both"),
    (r"src/plugin/\w+\.c", "runs inside QEMU; tests/vm/test_virtual.py, test_observe.py"),
    (r"src/observe/(events|observer)\.c", "a table, and what drives a guest; tests/vm/test_observe.py"),
    (r"src/suite/(body|ctx|main|run)\.c", "a test's process and its parent; tests/host/suite runs real test binaries"),
    (r"src/cli/(\w+/)?cmd_\w+\.c", "parses, calls a room, prints; tests/golden runs the programs"),
)


def wanted_test(path):
    """The test file a source needs, or None."""
    match = re.fullmatch(r"src/(\w+(?:/\w+)*)/(\w+)\.c", path)
    if not match or any(re.fullmatch(rule, path) for rule, _ in EXCEPTIONS):
        return None
    return f"tests/unit/{match[1]}/test_{match[2]}.c"


class TestFiles(unittest.TestCase):
    def setUp(self):
        self.files = set(tree.files())

    def test_every_source_has_its_test_file(self):
        wanted = {f: wanted_test(f) for f in sorted(self.files)}
        missing = [f for f, t in wanted.items() if t and t not in self.files]
        self.assertFalse(bool(missing), "no test file for\n" + "\n".join(missing))

    def test_every_test_file_is_built(self):
        with open(os.path.join(BUILD, "compile_commands.json"), encoding="utf-8") as f:
            entries = json.load(f)
        built = {os.path.relpath(os.path.join(e["directory"], e["file"]), tree.ROOT) for e in entries}
        tests = {f for f in self.files if re.fullmatch(r"tests/unit/(\w+/)+test_\w+\.c", f)}
        self.assertTrue(tests)
        self.assertEqual(sorted(tests - built), [])

    def test_every_exception_is_of_use(self):
        for rule, reason in EXCEPTIONS:
            with self.subTest(rule):
                self.assertTrue(any(re.fullmatch(rule, f) for f in self.files))
                self.assertTrue(reason)

    def test_a_source_without_a_test_is_found(self):
        self.assertEqual(wanted_test("src/elf/image.c"), "tests/unit/elf/test_image.c")
        self.assertEqual(wanted_test("src/cli/a/b.c"), "tests/unit/cli/a/test_b.c")
        self.assertIsNone(wanted_test("src/cli/cmd_probe.c"))


if __name__ == "__main__":
    tap.main(__name__)
