# SPDX-License-Identifier: GPL-2.0-or-later
"""Nothing is exported for nobody."""

import os
import subprocess
import tempfile
import unittest

import exports
import tap
import tree

BUILD = os.environ.get("KTSTR_BUILD_DIR", os.path.join(tree.ROOT, "build", "debug"))


class Tree(unittest.TestCase):
    def test_everything_exported_is_used_or_excused(self):
        left = exports.unused_of_build(BUILD)
        wrong = exports.complaints(left, exports.excused())
        self.assertFalse(bool(wrong), "\n".join(wrong))

    def test_objects_are_read(self):
        paths = [o for s, o in exports.objects(BUILD) if s == "src/base/strbuf.c"]
        self.assertTrue(paths)
        defined, wanted = exports.symbols(paths * 2)[paths[0]]
        self.assertIn("strbuf_append", defined)
        self.assertIn("xreallocarray", wanted)


class Planted(unittest.TestCase):
    OFFERS = {"src/vm/a.c": {"vm_a", "vm_b"}, "src/vm/b.c": {"vm_c"}, "src/cli/main.c": {"main", "ktstr_version"}}
    WANTS = {"src/vm/a.c": {"vm_c", "vm_b"}, "src/vm/b.c": {"vm_a"}, "src/cli/main.c": set()}

    def test_a_name_that_only_its_own_file_wants_is_found(self):
        self.assertEqual(exports.unused(self.OFFERS, self.WANTS), {"src/vm/a.c": ["vm_b"]})

    def test_the_complaint_names_the_file_for_an_excuse(self):
        wrong = exports.complaints({"src/vm/a.c": ["vm_b"]}, {})
        self.assertIn("src/vm/a.c: vm_b is used by nobody else", wrong[0])
        self.assertIn("tests/house/exports/vm", wrong[0])

    def test_an_export_with_a_reason_is_excused(self):
        self.assertEqual(exports.complaints({"src/vm/a.c": ["vm_b"]}, {"vm": {"vm_b": "no guest can lie so"}}), [])

    def test_a_line_without_a_reason_is_found(self):
        self.assertIn("has no reason", exports.complaints({"src/vm/a.c": ["vm_b"]}, {"vm": {"vm_b": ""}})[0])

    def test_an_unneeded_excuse_is_found(self):
        self.assertIn("vm_b needs no excuse", exports.complaints({}, {"vm": {"vm_b": "why"}})[0])

    def test_exports_of_a_real_object_are_read(self):
        with tempfile.TemporaryDirectory() as directory:
            pairs = {"a": "int used(void) { return 1; }\nint alone(void) { return used(); }\n", "b": "int used(void);\nint main(void) { return used(); }\n"}
            paths = []
            for name, text in pairs.items():
                paths.append(os.path.join(directory, name + ".o"))
                subprocess.run([os.environ.get("KTSTR_CC", "cc"), "-c", "-x", "c", "-", "-o", paths[-1]], input=text, text=True, check=True)
            table = exports.symbols(paths)
            offers = {p: table[p][0] for p in paths}
            wants = {p: table[p][1] for p in paths}
            self.assertEqual(exports.unused(offers, wants), {paths[0]: ["alone"]})

    def test_rows_are_read(self):
        with tempfile.TemporaryDirectory() as root:
            directory = os.path.join(root, "tests", "house", "exports")
            os.makedirs(directory)
            with open(os.path.join(directory, "vm"), "w", encoding="utf-8") as f:
                f.write("# words\nvm_b  no guest can lie so\n")
            self.assertEqual(exports.excused(root), {"vm": {"vm_b": "no guest can lie so"}})


if __name__ == "__main__":
    tap.main(__name__)
