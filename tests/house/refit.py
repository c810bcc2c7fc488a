# SPDX-License-Identifier: GPL-2.0-or-later
"""Refits a recipe of docs/HOWTO.md that does not apply any more.

usage: tests/house/refit.py RECIPE

The first call copies the tree to build/refit/RECIPE, does what of the recipe still fits, and names the files where the
rest is to be done by hand, with what it was in FILE.rej. When no FILE.rej is left, another call writes the recipe and
removes the copy; without the copy it begins anew.
"""

import glob
import os
import re
import shutil
import subprocess
import sys

import scratch
import tree

DIRECTORY = os.path.join("tests", "house", "recipes")


def git(copy, *arguments, check=True):
    command = ["git", "-c", "user.name=refit", "-c", "user.email=refit@localhost", "-C", copy, *arguments]
    return subprocess.run(command, check=check, capture_output=True, text=True)


def begin(recipe, copy):
    scratch.Scratch(copy).sync()
    git(copy, "init", "--quiet")
    git(copy, "add", ".")
    git(copy, "commit", "--quiet", "--message", "the tree")
    git(copy, "apply", "--reject", "--whitespace=nowarn", recipe, check=False)


def left(copy):
    return sorted(os.path.relpath(p, copy) for p in glob.glob(os.path.join(copy, "**", "*.rej"), recursive=True))


def write(recipe, copy):
    with open(recipe, encoding="utf-8") as f:
        head = f.read().partition("\ndiff ")[0]
    git(copy, "add", "--intent-to-add", ".")
    lines = git(copy, "diff", "--unified=1", "--no-color", "--no-ext-diff").stdout.splitlines(keepends=True)
    with open(recipe, "w", encoding="utf-8") as f:
        f.write(head + "\n" + "".join(re.sub(r"^(@@ .+? @@) .*", r"\1", li) for li in lines if not li.startswith("index ")))


def main():
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__.strip())
    name = os.path.basename(sys.argv[1]).removesuffix(".patch")
    recipe = os.path.join(tree.ROOT, DIRECTORY, name + ".patch")
    copy = os.path.join(tree.ROOT, "build", "refit", name)
    if not os.path.isfile(recipe):
        sys.exit(f"refit: no recipe {os.path.relpath(recipe, tree.ROOT)}")
    if not os.path.isdir(os.path.join(copy, ".git")):
        begin(recipe, copy)
    rest = left(copy)
    if rest:
        print(f"Do by hand in {os.path.relpath(copy)} what these say, remove them, and call this again:")
        print("".join(f"  {path}\n" for path in rest), end="")
        sys.exit(1)
    write(recipe, copy)
    shutil.rmtree(copy)
    print(f"{os.path.relpath(recipe)} is written: see its diff, then make test-recipes")


if __name__ == "__main__":
    main()
