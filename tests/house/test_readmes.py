# SPDX-License-Identifier: GPL-2.0-or-later
"""The README of a room lists the room's files, and no others."""

import os
import tempfile
import unittest

import readmes
import tap
import tree


class Tree(unittest.TestCase):
    def test_readmes_name_all_files_of_their_room(self):
        wrong = readmes.check(tree.ROOT)
        self.assertFalse(bool(wrong), "\n".join(wrong))


class Planted(unittest.TestCase):
    def wrong(self, text, files=("a.c", "a.h", "rows.def", "in/b.c")):
        with tempfile.TemporaryDirectory() as root:
            for path in (*files, "meson.build"):
                full = os.path.join(root, "src", "vm", path)
                os.makedirs(os.path.dirname(full), exist_ok=True)
                with open(full, "w", encoding="utf-8"):
                    pass
            with open(os.path.join(root, "src", "vm", "README.md"), "w", encoding="utf-8") as f:
                f.write(text)
            return readmes.check_room(root, "vm")

    def test_a_whole_list_passes(self):
        self.assertEqual(self.wrong("| `a.h` | x |\n| `rows` | y |\n`in/b`"), [])
        self.assertEqual(self.wrong("`a`, `rows.def`, `in/b.c`"), [])

    def test_braces_are_a_list(self):
        self.assertEqual(self.wrong("`a`, `rows.def`, `in/{b,c}.c`", ("a.c", "rows.def", "in/b.c", "in/c.c")), [])

    def test_a_heading_and_an_item_say_where_files_are(self):
        self.assertEqual(self.wrong("`a`, `rows`\n## in/: below\n- `b.c` x\n"), [])
        self.assertEqual(self.wrong("- `in/` below: `b.c`\n  and on\n- `a`, `rows`\n"), [])
        self.assertEqual(self.wrong("- `in/` below\n- `b`, `a`, `rows`\n"), ["src/vm/README.md does not name in/b"])

    def test_a_glob_in_a_readme_names_files(self):
        self.assertEqual(self.wrong("`a*.c`", ("a.c", "a_b.c")), [])
        self.assertEqual(self.wrong("`a_*.c`", ("a.c", "a_b.c")), ["src/vm/README.md does not name a"])

    def test_a_file_the_readme_does_not_name_is_found(self):
        self.assertEqual(self.wrong("`a`, `rows`"), ["src/vm/README.md does not name in/b"])

    def test_a_header_alone_is_found(self):
        self.assertEqual(self.wrong("`a`", ("a.c", "b.h")), ["src/vm/README.md does not name b"])

    def test_a_name_without_backquotes_does_not_count(self):
        self.assertEqual(self.wrong("a", ("a.c",)), ["src/vm/README.md does not name a"])

    def test_a_file_that_is_gone_is_found(self):
        self.assertEqual(self.wrong("`a`, `old.c`", ("a.c",)), ["src/vm/README.md: there is no file old.c"])


if __name__ == "__main__":
    tap.main(__name__)
