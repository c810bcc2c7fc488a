# SPDX-License-Identifier: GPL-2.0-or-later
import os
import tempfile
import unittest

import layers
import tap
import tree


class Tree(unittest.TestCase):
    def setUp(self):
        self.wrong = layers.check(tree.ROOT)

    def test_every_include_and_link_goes_downwards(self):
        self.assertEqual(self.wrong, [])

    def test_every_room_has_a_readme(self):
        # A room begins with its meson.build; headers alone are a promise to others.
        for room in tree.rooms():
            directory = os.path.join(tree.ROOT, "src", room)
            if os.path.exists(os.path.join(directory, "meson.build")):
                with self.subTest(room=room):
                    self.assertTrue(os.path.exists(os.path.join(directory, "README.md")))


    def test_the_table_of_rooms_says_the_same(self):
        rooms, _ = layers.read(os.path.join(tree.ROOT, "src", "LAYERS"))
        self.assertEqual(layers.check_table(tree.text("docs/ARCHITECTURE.md"), rooms), [])


class Planted(unittest.TestCase):
    """Each rule goes red on a small tree that breaks it."""

    RULES = "0 base\n1 json\n1 elf\n2 probe -> elf\n"
    USED = {"src/probe/used.c": '#include "elf/a.h"\n'}

    def wrong(self, files, rules=RULES):
        with tempfile.TemporaryDirectory() as root:
            base = {"src/LAYERS": rules, "src/base/a.h": "", "src/elf/a.c": '#include "base/a.h"\n', **self.USED}
            for path, text in {**base, **files}.items():
                full = os.path.join(root, path)
                os.makedirs(os.path.dirname(full), exist_ok=True)
                with open(full, "w", encoding="utf-8") as f:
                    f.write(text)
            return "\n".join(layers.check(root))

    def test_a_clean_tree_has_nothing_wrong(self):
        self.assertEqual(self.wrong({"src/probe/x.c": '#include "elf/a.h"\n'}), "")

    def test_an_include_of_a_room_above_is_found(self):
        self.assertIn("elf may not include probe/p.h", self.wrong({"src/elf/b.h": '# include "probe/p.h"\n'}))

    def test_a_subdirectory_obeys_the_rules_of_its_room(self):
        self.assertIn("elf may not include probe/p.h", self.wrong({"src/elf/in/b.c": '#include "probe/p.h"\n'}))

    def test_an_include_of_an_unnamed_neighbour_is_found(self):
        self.assertIn("probe may not include json/j.h", self.wrong({"src/probe/b.c": 'int x;\n#include "json/j.h"\n'}))

    def test_base_including_anything_is_found(self):
        self.assertIn("base may not include elf/e.h", self.wrong({"src/base/b.c": '#include "elf/e.h"\n'}))

    def test_an_include_without_its_room_is_found(self):
        self.assertIn("is not named from src/", self.wrong({"src/elf/b.c": '#include "a.h"\n'}))

    def test_an_include_through_dots_is_found(self):
        self.assertIn("is not named from src/", self.wrong({"src/elf/b.c": '#include "base/../probe/p.h"\n'}))

    def test_a_forbidden_link_is_found(self):
        self.assertIn("elf may not link json", self.wrong({"src/elf/meson.build": "d = [base_dep, json_dep]\n"}))

    def test_a_room_without_a_line_is_found(self):
        self.assertIn("src/vm: no line", self.wrong({"src/vm/a.c": ""}))

    def test_a_rule_that_points_upwards_is_found(self):
        self.assertIn("elf (layer 1) may not stand on probe", self.wrong({}, "0 base\n1 elf -> probe\n2 probe\n"))

    def test_a_permission_that_nobody_uses_is_found(self):
        self.assertIn("probe may use json and does not", self.wrong({}, self.RULES.replace("-> elf", "-> elf json")))

    def test_a_stale_row_of_the_table_is_found(self):
        rooms = {"base": (0, []), "elf": (1, []), "probe": (2, ["elf"])}
        good = "| 0 | `base` | all | libc |\n| 1 | `elf` | files | base |\n| 2 | `probe` | heaps | elf |\n"
        self.assertEqual(layers.check_table(good, rooms), [])
        self.assertIn("the row of probe", layers.check_table(good.replace("heaps | elf", "heaps | base"), rooms)[0])
        self.assertIn("the row of elf", layers.check_table(good.replace("1 | `elf`", "2 | `elf`"), rooms)[0])
        self.assertIn("two rows", layers.check_table(good + "| 1 | `elf` | files | base |\n", rooms)[0])
        self.assertIn("elf has a row in one", layers.check_table(good.replace("`elf`", "`efl`"), rooms)[1])

    def test_a_cycle_of_rooms_is_found(self):
        self.assertIn("may not stand on", self.wrong({}, "0 base\n1 elf -> json\n1 json -> elf\n"))

    def test_a_rule_about_an_unknown_room_is_found(self):
        self.assertIn("names btf", self.wrong({}, "0 base\n1 elf -> btf\n"))

    def test_an_unreadable_rule_is_found(self):
        self.assertIn("cannot read", self.wrong({}, "0 base\n1 elf\nprobe over elf\n"))

    def test_a_public_header_that_reaches_inside_is_found(self):
        self.assertIn("may not include", self.wrong({"include/ktstr/ktstr.h": '#include "base/error.h"\n'}))


if __name__ == "__main__":
    tap.main(__name__)
