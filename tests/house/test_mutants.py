# SPDX-License-Identifier: GPL-2.0-or-later
"""tests/mutants/run on a small tree: it must tell a killed mutant from every other kind.

And the mutants of this tree: each applies, each says its room and bug, each room has enough.
"""

import concurrent.futures
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

import scratch
import tap
import tree

sys.path.insert(0, os.path.join(tree.ROOT, "tests", "mutants"))
import mutant  # noqa: E402

RUN = os.path.join(tree.ROOT, "tests", "mutants", "run")

FILES = {
    "meson.build": """project('fake', 'c')
value = static_library('value', 'src/base/value.c')
test('base/value', executable('t', 'tests/t.c', link_with: value), suite: 'unit', protocol: 'tap', timeout: 4)
test('base/other', executable('o', 'tests/o.c', link_with: value), suite: 'unit', protocol: 'tap', timeout: 4)
""",
    "src/base/meson.build": "",
    "src/base/value.c": "int value(void);\nint value(void)\n{\n\treturn 1;\n}\n",
    "tests/o.c": """#include <stdio.h>
int value(void);
int main(void)
{
	int ok = value() < 9;

	printf("1..1\\n%s 1 - value_is_small\\n", ok ? "ok" : "not ok");
	return !ok;
}
""",
    "tests/t.c": """#include <stdio.h>
int value(void);
int main(void)
{
	int ok = value() == 1;

	printf("1..1\\n%s 1 - value_is_one\\n", ok ? "ok" : "not ok");
	return !ok;
}
""",
}


def patch(new, old="\treturn 1;", head="# room: base\n# bug: planted\n"):
    return head + f"""diff --git a/src/base/value.c b/src/base/value.c
--- a/src/base/value.c
+++ b/src/base/value.c
@@ -1,5 +1,5 @@
 int value(void);
 int value(void)
 {{
-{old}
+{new}
 }}
"""


PATCHES = {
    "killed": patch("\treturn 2;"),
    "crashing": patch("\treturn *(volatile int *)8;"),
    "hanging": patch("\tfor (;;) ;"),
    "surviving": patch("\treturn 1; /* no bug */"),
    "strange": patch("\treturn 2;", old="\treturn 7;"),
    "illegible": patch("\treturn 1"),
}


class Mutants(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        # One directory for all: its copy and its build serve again.
        cls.directory = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.directory.cleanup)

    def setUp(self):
        shutil.rmtree(os.path.join(self.directory.name, "tests"), ignore_errors=True)
        for path, text in FILES.items():
            self.put(path, text)

    def put(self, path, text):
        full = os.path.join(self.directory.name, path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "w", encoding="utf-8") as f:
            f.write(text)

    def run_with(self, *names, options=()):
        for name in names:
            self.put(f"tests/mutants/{name}.patch", PATCHES[name])
        done = subprocess.run([RUN, "--root", self.directory.name, *options], capture_output=True, text=True, check=False)
        rows = {words[0]: " ".join(words[2:]) for words in map(str.split, done.stdout.splitlines()) if words and words[0] in names}
        return done.returncode, rows, done.stdout + done.stderr

    def test_killed_mutants_are_a_success_and_say_who_noticed(self):
        code, rows, text = self.run_with("killed", "crashing", "hanging")
        self.assertEqual(code, 0, text)
        self.assertIn("value_is_one", rows["killed"])
        self.assertRegex(rows["crashing"], "^killed")
        self.assertRegex(rows["hanging"], "^killed.*did not end in time")
        self.assertIn("3 killed, 0 survived, 0 broken", text)

    def test_any_other_mutant_is_a_failure(self):
        code, rows, text = self.run_with("killed", "surviving", "strange", "illegible")
        self.assertEqual(code, 1, text)
        self.assertRegex(rows["surviving"], "^SURVIVED")
        self.assertRegex(rows["strange"], "^no patch")
        self.assertRegex(rows["illegible"], "^no build")
        # Nothing of the ones before is left in the copy.
        self.assertRegex(rows["killed"], "^killed")
        self.assertIn("1 killed, 1 survived, 2 broken", text)

    def test_two_copies_give_the_verdicts_of_one(self):
        code, rows, text = self.run_with("killed", "surviving", "crashing", options=["--jobs", "2"])
        self.assertEqual(code, 1, text)
        self.assertEqual([rows[n].split()[0] for n in ("killed", "surviving", "crashing")], ["killed", "SURVIVED", "killed"])

    def test_a_mutant_the_files_own_test_misses_goes_to_its_room(self):
        self.put("tests/t.c", FILES["tests/t.c"].replace("== 1", "> 0"))
        self.put("tests/mutants/large.patch", patch("\treturn 10;"))
        self.put("tests/mutants/negative.patch", patch("\treturn -1;"))
        code, rows, text = self.run_with(options=["large", "negative"])
        self.assertEqual(code, 0, text)
        self.assertRegex(text, "large .*base/other value_is_small")
        self.assertRegex(text, "negative .*base/value value_is_one")

    def test_a_slice_ends_after_its_time_but_not_before_its_floor(self):
        for name in ("killed", "crashing", "surviving"):
            self.put(f"tests/mutants/{name}.patch", PATCHES[name])
        mutants = mutant.read_all(self.directory.name)
        seed = next(str(n) for n in range(1000) if mutant.rotated(mutants, str(n))[-1].name == "surviving")
        code, rows, text = self.run_with("killed", "crashing", "surviving",
                                         options=["--slice", "0", "--at-least", "2", "--rotate", seed])
        self.assertEqual((code, set(rows)), (0, {"killed", "crashing"}), text)
        self.assertIn("2 of 3 judged: 2 killed", text)

    def test_running_out_of_time_counts_only_where_the_tree_itself_does_not(self):
        # From its second run on the clean program hangs as well.
        seen = os.path.join(self.directory.name, "seen")
        self.put("tests/t.c", FILES["tests/t.c"].replace("#include <stdio.h>", "#include <stdio.h>\n#include <unistd.h>").replace(
            "\n\tprintf", f'\n\tif (access("{seen}", F_OK) == 0)\n\t\tfor (;;)\n\t\t\tpause();\n\tfclose(fopen("{seen}", "w"));\n\tprintf'))
        code, rows, text = self.run_with("killed", options=["killed"])
        self.assertEqual(code, 1, text)
        self.assertRegex(rows["killed"], "^unsure.*did not end in time")

    def test_one_mutant_is_not_enough_for_a_room(self):
        code, _, text = self.run_with("killed")
        self.assertEqual(code, 1)
        self.assertIn("room base has 1 mutants, 2 wanted", text)

    def test_a_failing_tree_is_reported_before_any_mutant(self):
        self.put("src/base/value.c", FILES["src/base/value.c"].replace("return 1", "return 3"))
        code, _, text = self.run_with("killed")
        self.assertEqual(code, 1)
        self.assertIn("not green without any", text)


class OfThisTree(unittest.TestCase):
    def test_every_room_has_enough_and_every_mutant_says_what_it_is(self):
        self.assertEqual(mutant.complaints(mutant.read_all(tree.ROOT), tree.ROOT), [])

    def test_every_mutant_applies_and_changes_the_product_only(self):
        def why(one):
            done = subprocess.run(["git", "apply", "--check", one.path], cwd=tree.ROOT, capture_output=True, text=True, check=False)
            return done.stderr if done.returncode else [f for f in one.files if not f.startswith(("src/", "bpf/"))] or None
        mutants = mutant.read_all(tree.ROOT)
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            wrong = {m.name: text for m, text in zip(mutants, pool.map(why, mutants)) if text}
        self.assertEqual(wrong, {})


class Copies(unittest.TestCase):
    def test_a_directory_that_is_gone_is_gone_in_the_copy(self):
        with tempfile.TemporaryDirectory() as directory:
            root, copy = os.path.join(directory, "tree"), os.path.join(directory, "copy")
            os.makedirs(os.path.join(root, "cases", "old", "deep"))
            for name in ("cases/old/deep/cmd", "cases/kept"):
                with open(os.path.join(root, name), "w", encoding="utf-8") as f:
                    f.write(name)
            subprocess.run(["git", "init", "-q", root], check=True)
            scratch.Scratch(copy, root).sync()
            self.assertTrue(os.path.isfile(os.path.join(copy, "cases", "old", "deep", "cmd")))
            shutil.rmtree(os.path.join(root, "cases", "old"))
            scratch.Scratch(copy, root).sync()
            self.assertEqual(os.listdir(os.path.join(copy, "cases")), ["kept"])


if __name__ == "__main__":
    tap.main(__name__)
