# SPDX-License-Identifier: GPL-2.0-or-later
"""A copy of the tree to plant bugs in: uncommitted work included, the original untouched.

The copy stays between runs and only files that differ are written, so that a build in
it recompiles what a patch changed and nothing else.
"""

import filecmp
import os
import shutil
import subprocess

import tree


class Scratch:
    def __init__(self, directory, root=tree.ROOT):
        self.directory = os.path.abspath(directory)
        self.root = root

    def sync(self):
        """Makes the copy equal to the tree; returns the paths that were written."""
        wanted = tree.files(self.root)
        written = []
        for path in wanted:
            source, target = os.path.join(self.root, path), os.path.join(self.directory, path)
            if os.path.isfile(target) and filecmp.cmp(source, target, shallow=False):
                continue
            os.makedirs(os.path.dirname(target), exist_ok=True)
            # Not copy2: an old time stamp would hide a revert from ninja.
            shutil.copyfile(source, target)
            shutil.copymode(source, target)
            written.append(path)
        for path in set(tree.walk(self.directory)) - set(wanted):
            os.unlink(os.path.join(self.directory, path))
        self.remove_empty_directories()
        os.makedirs(os.path.join(self.directory, "build"), exist_ok=True)
        deps = os.path.join(self.directory, "build", "deps")
        if not os.path.islink(deps):
            os.symlink(os.path.join(self.root, "build", "deps"), deps)
        return written

    def remove_empty_directories(self):
        """git has none, and a directory may mean something: each below tests/golden is a case."""
        for at, _, _ in os.walk(self.directory, topdown=False):
            below = os.path.relpath(at, self.directory).split(os.sep)[0]
            if below not in (".", "build") and not os.listdir(at):
                os.rmdir(at)

    def restore(self, paths):
        """Makes these files equal to the tree's again."""
        for path in paths:
            source, target = os.path.join(self.root, path), os.path.join(self.directory, path)
            if os.path.isfile(source):
                if not self.same(path):
                    os.makedirs(os.path.dirname(target), exist_ok=True)
                    shutil.copyfile(source, target)
            elif os.path.isfile(target):
                os.unlink(target)

    def apply(self, patch):
        """None, or why the patch does not apply."""
        # Inside another repository git would apply nothing to an ignored directory, and say nothing.
        env = dict(os.environ, GIT_CEILING_DIRECTORIES=os.path.dirname(self.directory))
        env.pop("GIT_DIR", None)
        done = subprocess.run(["git", "apply", "--whitespace=nowarn", patch], cwd=self.directory,
                              env=env, capture_output=True, text=True, check=False)
        if done.returncode:
            return done.stderr.strip() or "git apply failed"
        if not self.changed(patch):
            return "the patch changes nothing"
        return None

    def changed(self, patch):
        with open(patch, encoding="utf-8") as f:
            names = [line[6:].split("\t")[0].strip() for line in f if line.startswith(("+++ b/", "--- a/"))]
        return [n for n in dict.fromkeys(names) if not self.same(n)]

    def same(self, path):
        pair = [os.path.join(self.root, path), os.path.join(self.directory, path)]
        return all(map(os.path.isfile, pair)) and filecmp.cmp(*pair, shallow=False)
