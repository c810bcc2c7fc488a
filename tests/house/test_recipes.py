# SPDX-License-Identifier: GPL-2.0-or-later
"""docs/HOWTO.md is true: each recipe touches only the files that its section names, is built, and works.

All recipes are checked against the text and against each other. Those that are built, in one copy of the tree, are
those of rooms that the last commits touched, or all where KTSTR_RECIPES=all (`make test-recipes`).
"""

import functools
import glob
import json
import os
import re
import subprocess
import tempfile
import unittest

import lastrun
import scratch
import tap
import tree

PAGE = os.path.join("docs", "HOWTO.md")
DIRECTORY = os.path.join(tree.ROOT, "tests", "house", "recipes")
BUILD = os.environ["KTSTR_BUILD_DIR"]
TARGET = os.path.join("src", "cli", "ktstr")
# Writes the completion that goldens try.
GENERATOR = os.path.join("src", "cli", "ktstr-gen")
SECONDS = 120
REFIT = "a row that was added or moved is in its place: refit it with `python3 tests/house/refit.py {}` (docs/HOWTO.md)"


class Recipe:
    """A patch whose first lines say what it is for, and how it is seen to work."""

    def __init__(self, path):
        self.path = path
        self.name = os.path.basename(path).removesuffix(".patch")
        with open(path, encoding="utf-8") as f:
            head, _, body = f.read().partition("\ndiff ")
        self.rooms = self.words(head, "rooms")
        self.tests = self.words(head, "tests")
        # Each command line for bash is followed by what its output must match.
        self.tries = re.findall(r"^# try: (.*)\n# shows: (.*)$", head, re.M)
        self.files = sorted(set(re.findall(r"^(?:\+\+\+ b|--- a)/(.+?)[ \t]*$", body, re.M)))

    @staticmethod
    def words(head, key):
        return [word for line in re.findall(rf"^# {key}:(.*)$", head, re.M) for word in line.split()]


def read_all():
    return {r.name: r for r in map(Recipe, sorted(glob.glob(os.path.join(DIRECTORY, "*.patch"))))}


def sections():
    """Name of a recipe -> patterns of the files that its section of the page names, <x> standing for a name."""
    found = {}
    for part in tree.text(PAGE).split("\n## ")[1:]:
        names = re.findall(r"\(\.\./tests/house/recipes/([\w-]+)\.patch\)", part)
        files = re.findall(r"^\| `([^`]+)` \|", part, re.M)
        for name in names:
            found[name] = [re.sub(r"<\w+>", r"[a-z0-9_-]+", re.escape(f)) for f in files]
    return found


def chosen(recipes):
    if os.environ.get("KTSTR_RECIPES") == "all":
        return recipes
    rooms = lastrun.touched()
    return {name: r for name, r in recipes.items() if set(r.rooms) & set(rooms)}


class Page(unittest.TestCase):
    def test_every_recipe_of_the_page_is_there_and_no_other(self):
        self.assertEqual(sorted(sections()), sorted(read_all()))

    def test_recipes_touch_only_the_files_that_the_page_names(self):
        named = sections()
        for name, recipe in read_all().items():
            with self.subTest(name):
                self.assertTrue(recipe.files and recipe.rooms and (recipe.tests or recipe.tries), "it says too little of itself")
                self.assertEqual([f for f in recipe.files if not any(re.fullmatch(p, f) for p in named.get(name, []))], [])

    def test_every_file_that_the_page_names_is_touched_by_its_recipe(self):
        recipes = read_all()
        for name, patterns in sections().items():
            with self.subTest(name):
                self.assertEqual([p for p in patterns if not any(re.fullmatch(p, f) for f in recipes[name].files)], [])

    def test_recipes_apply_one_after_the_other(self):
        with tempfile.TemporaryDirectory() as directory:
            copy = scratch.Scratch(directory)
            recipes = read_all().values()
            for recipe in recipes:
                copy.restore(recipe.files)
            for recipe in recipes:
                with self.subTest(recipe.name):
                    self.assertIsNone(copy.apply(recipe.path), REFIT.format(recipe.name))


class Built(unittest.TestCase):
    """One copy of the tree with all chosen recipes, built once."""

    @classmethod
    def setUpClass(cls):
        cls.copy = scratch.Scratch(os.path.join(tree.ROOT, "build", "recipes", "tree"))
        cls.copy.sync()
        for recipe in chosen(read_all()).values():
            why = cls.copy.apply(recipe.path)
            assert why is None, f"{recipe.name}: {why}: {REFIT.format(recipe.name)}"
        cls.build = os.path.join(cls.copy.directory, "build", "recipes")
        again = ["--reconfigure"] if os.path.exists(os.path.join(cls.build, "build.ninja")) else []
        # As build/debug, and with paths that are the same from there: ccache has most objects already.
        cls.run_tool("meson", "setup", *again, cls.build, cls.copy.directory, "--buildtype=debug", "-Dwerror=true",
                     "-Db_sanitize=address,undefined", "-Db_lundef=false")
        info = os.path.join(cls.build, "meson-info")
        with open(os.path.join(info, "intro-tests.json"), encoding="utf-8") as f:
            cls.programs = {t["name"]: t for t in json.load(f)}
        with open(os.path.join(info, "intro-targets.json"), encoding="utf-8") as f:
            files = {t["id"]: t["filename"] for t in json.load(f)}
        ids = [i for r in chosen(read_all()).values() for name in r.tests for i in cls.programs[name]["depends"]]
        cls.run_tool("ninja", "-C", cls.build, TARGET, GENERATOR, *(os.path.relpath(f, cls.build) for i in ids for f in files.get(i, [])))

    @classmethod
    def run_tool(cls, *command):
        done = subprocess.run(command, env={**os.environ, "CCACHE_NOHASHDIR": "1"}, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{command[:2]}\n{done.stdout[-4000:]}{done.stderr[-2000:]}"

    @classmethod
    @functools.cache
    def run_program(cls, name):
        """Once, however many recipes name it."""
        program = cls.programs[name]
        return subprocess.run(program["cmd"], cwd=program["workdir"] or cls.build, env={**os.environ, **program["env"]},
                              capture_output=True, text=True, timeout=SECONDS, check=False)

    def check(self, recipe):
        for name in recipe.tests:
            with self.subTest(test=name):
                done = self.run_program(name)
                self.assertEqual(done.returncode, 0, re.sub(r"(?m)^ok .*\n", "", done.stdout) + done.stderr)
        env = {**os.environ, "KTSTR": os.path.join(self.build, TARGET), "LC_ALL": "C.UTF-8"}
        for line, shows in recipe.tries:
            with self.subTest(line), tempfile.TemporaryDirectory() as directory:
                done = subprocess.run(["bash", "-c", line], cwd=directory, env=env, capture_output=True, text=True, timeout=SECONDS,
                                      check=False)
                self.assertRegex(done.stdout, re.compile(shows, re.M), done.stderr)


for found in chosen(read_all()).values():
    setattr(Built, f"test_recipe_{found.name.replace('-', '_')}_works", lambda self, recipe=found: self.check(recipe))


if __name__ == "__main__":
    tap.main(__name__)
