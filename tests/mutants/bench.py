# SPDX-License-Identifier: GPL-2.0-or-later
"""A copy of the tree, its build, and the tests that judge a mutant in it."""

import concurrent.futures
import difflib
import fnmatch
import json
import os
import signal
import subprocess
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "house"))
import scratch  # noqa: E402
import taplog  # noqa: E402

# Unit tests take milliseconds. A mutant that hangs needs no more than half of what meson would allow.
TIMEOUT_SHARE = 0.5
# So many test programs are built and run before the next ones are: most mutants need only the first.
CHUNK = 8
SANITIZERS = {"UBSAN_OPTIONS": "halt_on_error=1", "ASAN_OPTIONS": "detect_stack_use_after_return=1"}


class Red(Exception):
    """The tree fails a test without any mutant."""


class Bench:
    def __init__(self, root, number=0, green=None):
        directory = os.path.join(root, "build", "mutants", f"tree{number or ''}")
        self.copy = scratch.Scratch(directory, root)
        self.build = os.path.join(self.copy.directory, "build", "mutants")
        # Programs that are green in the tree as it is; benches of one run share it.
        self.green = set() if green is None else green
        self.planted = None
        self.env = dict(os.environ)
        for name, value in SANITIZERS.items():
            self.env.setdefault(name, value)
        # Copies differ in nothing but their place.
        self.build_env = dict(os.environ, CCACHE_NOHASHDIR="1")

    def prepare(self):
        self.copy.sync()
        # Again each time: meson does not notice a room that is new.
        again = ["--reconfigure"] if os.path.exists(os.path.join(self.build, "build.ninja")) else []
        # No -Werror: a bug is to be caught by a test, not by an unused variable.
        command = ["meson", "setup", *again, self.build, self.copy.directory, "--buildtype=debug",
                   "-Db_sanitize=address,undefined", "-Db_lundef=false"]
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=self.build_env)
        if done.returncode:
            sys.exit(f"mutants: {' '.join(command)}\n{done.stdout[-4000:]}{done.stderr[-2000:]}")
        self.known = taplog.planned_tests(self.build)
        info = os.path.join(self.build, "meson-info")
        with open(os.path.join(info, "intro-targets.json"), encoding="utf-8") as f:
            self.targets = {t["id"]: t["filename"] for t in json.load(f)}
        with open(os.path.join(info, "intro-tests.json"), encoding="utf-8") as f:
            self.programs = {(s.partition(":")[2], t["name"]): t for t in json.load(f) for s in t["suite"]}

    def stages(self, mutant):
        """Lists of tests, those first that most likely notice."""
        rest = [k for k in self.known if k[0] == "unit" and k[1].startswith(mutant.room + "/")]
        named = [k for k in self.known if any(fnmatch.fnmatch(k[1], p) for p in mutant.patterns) and k not in rest]
        own = [k for k in rest if os.path.basename(k[1]) in mutant.stems()]
        rest = [k for k in rest if k not in own]

        def likeness(key):
            return -max(difflib.SequenceMatcher(None, os.path.basename(key[1]), s).ratio() for s in mutant.stems())
        rest.sort(key=likeness)
        chunks = [own, *(rest[i:i + CHUNK] for i in range(0, len(rest), CHUNK)), named]
        return [c for c in chunks if c]

    def alone(self, mutant):
        """Whether some of its tests want the machine for themselves."""
        return any(not self.programs[k].get("is_parallel", True) for stage in self.stages(mutant) for k in stage)

    def compile(self, tests):
        """None, or the compiler's words. Only what the tests run is built."""
        ids = [self.programs[k]["depends"] for k in tests]
        files = []
        if all(ids):
            files = [os.path.relpath(f, self.build) for some in ids for i in some for f in self.targets.get(i, [])]
        done = subprocess.run(["ninja", "-C", self.build, *dict.fromkeys(files)], env=self.build_env,
                              capture_output=True, text=True, check=False)
        return done.stdout[-2000:] if done.returncode else None

    def run(self, tests, stop=True):
        """The programs that failed; with `stop` none is begun after the first."""
        red, over = [], threading.Event()

        def one(key):
            if over.is_set():
                return
            program = self.run_program(key)
            if program.count("failed"):
                red.append(program)
                if stop:
                    over.set()
        together = [k for k in tests if self.programs[k].get("is_parallel", True)]
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            list(pool.map(one, together))
        for key in tests:
            if key not in together:
                one(key)
        return red

    def run_program(self, key):
        test = self.programs[key]
        limit = test["timeout"] * TIMEOUT_SHARE if test["timeout"] > 0 else None
        start = time.monotonic()
        with subprocess.Popen(test["cmd"], cwd=test["workdir"], env={**self.env, **test["env"]}, start_new_session=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            try:
                out, err = process.communicate(timeout=limit)
                result = "FAIL" if process.returncode else "OK"
            except subprocess.TimeoutExpired:
                result = "TIMEOUT"
            try:
                os.killpg(process.pid, signal.SIGKILL)  # also what it left behind
            except ProcessLookupError:
                pass
            if result == "TIMEOUT":
                out, err = process.communicate()
        entry = {"duration": time.monotonic() - start, "returncode": process.returncode, "result": result,
                 "stdout": out.decode(errors="replace"), "stderr": err.decode(errors="replace")}
        return taplog.read_entry(entry, *key, test["protocol"])

    def must_be_green(self, tests):
        """A test judges only after it was seen green without any mutant."""
        unknown = [k for k in tests if k not in self.green]
        if not unknown:
            return
        self.clean()
        why = self.compile(unknown)
        if why:
            raise Red(f"the tree does not build without any\n{why}")
        red = self.run(unknown, stop=False)
        if red:
            raise Red("the tree is not green without any\n  " + "\n  ".join(map(words, red)))
        self.green.update(unknown)

    def plant(self, mutant):
        """None, or why the patch does not apply."""
        if self.planted is mutant:
            return None
        self.planted = mutant
        return self.copy.apply(mutant.path)

    def clean(self):
        if self.planted:
            self.copy.restore(self.planted.files)
        self.planted = None

    def judge(self, mutant):
        """(verdict, explanation) of one mutant; the copy is clean afterwards."""
        stages = self.stages(mutant)
        if not stages:
            return "untested", f"no unit test of room {mutant.room!r}, no test named"
        try:
            for tests in stages:
                self.must_be_green(tests)
                why = self.plant(mutant)
                if why:
                    return "no patch", why.splitlines()[0]
                why = self.compile(tests)
                if why:
                    errors = [line for line in why.splitlines() if "error:" in line]
                    return "no build", (errors or why.splitlines()[-1:])[0]
                red = self.run(tests)
                if red:
                    return self.killed(red, tests)
        finally:
            self.clean()
        return "SURVIVED", f"{sum(map(len, stages))} test programs saw nothing"

    def killed(self, red, tests):
        """Running out of time proves a bug only where the tree itself, now, does not."""
        if all(late(p) for p in red):
            self.clean()
            names = {p.name for p in red}
            again = [k for k in tests if k[1] in names]
            if self.compile(again) or self.run(again):
                return "unsure", words(red[0]) + "; so does the tree without it now"
        return "killed", words(red[0])


def late(program):
    failed = [t for t in program.tests if t.verdict == "failed"]
    return all(t.name == "(program)" and t.reason.startswith(taplog.LATE) for t in failed)


def words(program):
    failed = [t for t in program.tests if t.verdict == "failed"]
    first = failed[0].reason if failed[0].name.startswith("(") else failed[0].name
    return f"{program.name} {first}" + (f" and {len(failed) - 1} more" if len(failed) > 1 else "")
