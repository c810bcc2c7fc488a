# SPDX-License-Identifier: GPL-2.0-or-later
"""What tools/fuzz-report does to one fuzzer: run it, measure it, plant a bug under it."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "house"))
import scratch  # noqa: E402
import tree  # noqa: E402

LLVM = "-19"
OUT = os.path.join(tree.ROOT, "build", "fuzz-report")
WORK = os.path.join(tree.ROOT, "build", "fuzz-corpus")
PLANTED_SECONDS = 300
INPUT_SECONDS = 10
MEMORY_MB = 2048


def names():
    found = (re.fullmatch(r"fuzz_(\w+)\.c", n) for n in sorted(os.listdir(HERE)))
    return [m[1] for m in found if m and m[1] not in ("corpus_main", "deep")]


def seeds(name, root=tree.ROOT):
    return os.path.join(root, "tests", "fuzz", "corpus", name)


def covers(name):
    """The files that the fuzzer says it must cover."""
    with open(os.path.join(HERE, f"fuzz_{name}.c"), encoding="utf-8") as f:
        return [w for text in re.findall(r"/\*\s*covers:\s*(.*?)\*/", f.read(), re.S) for w in text.split() if w != "*"]


def configure(build, root=tree.ROOT):
    env = dict(os.environ, CC=f"clang{LLVM}", LLVM_PROFILE_FILE=os.devnull)
    flags = ["-fsanitize=fuzzer-no-link", "-fno-sanitize-recover=all", "-fprofile-instr-generate", "-fcoverage-mapping"]
    again = ["--reconfigure"] if os.path.exists(os.path.join(build, "build.ninja")) else []
    command = ["meson", "setup", *again, build, root, "-Dfuzz=true", "--buildtype=debugoptimized", "-Db_lundef=false",
               "-Db_sanitize=address,undefined", f"-Dc_args={flags}", "-Dc_link_args=-fprofile-instr-generate"]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"fuzz-report: {' '.join(command)}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")


def compile_fuzzer(build, name):
    """Returns None, or the compiler's words."""
    done = subprocess.run(["ninja", "-C", build, f"tests/fuzz/fuzz-{name}"], capture_output=True, text=True, check=False)
    return done.stdout[-4000:] if done.returncode else None


def compile_all(build, wanted):
    """In one go, with all CPUs; who does not compile is told by compile_fuzzer()."""
    subprocess.run(["ninja", "-k", "0", "-C", build, *(f"tests/fuzz/fuzz-{name}" for name in wanted)], capture_output=True, check=False)


def artifacts(directory):
    return sorted(n for n in os.listdir(directory) if n.startswith(("crash-", "timeout-", "oom-", "leak-", "slow-unit-")))


def run(build, name, directory, corpora, runs, seconds, profile=os.devnull):
    """One libFuzzer run; its log and whatever it found stand in `directory`."""
    os.makedirs(directory, exist_ok=True)
    for old in artifacts(directory):
        os.unlink(os.path.join(directory, old))
    stats = os.path.join(directory, "stats")
    if os.path.exists(stats):
        os.unlink(stats)
    command = [os.path.join(build, "tests", "fuzz", f"fuzz-{name}"), f"-runs={runs}", f"-max_total_time={seconds}",
               "-print_final_stats=1", f"-timeout={INPUT_SECONDS}", f"-rss_limit_mb={MEMORY_MB}", f"-artifact_prefix={directory}/"]
    words = os.path.join(HERE, f"{name}.dict")
    if os.path.exists(words):
        command.append(f"-dict={words}")
    env = dict(os.environ, KTSTR_FUZZ_STATS=stats, LLVM_PROFILE_FILE=profile)
    log = os.path.join(directory, "log")
    start = time.monotonic()
    with open(log, "wb") as f:
        code = subprocess.run([*command, *corpora], env=env, stdout=f, stderr=f, check=False).returncode
    took = time.monotonic() - start
    with open(log, encoding="utf-8", errors="replace") as f:
        text = f.read()
    units = re.search(r"stat::number_of_executed_units:\s*(\d+)", text)
    deep = None
    if os.path.exists(stats):
        with open(stats, encoding="utf-8") as f:
            deep = int(f.read().split()[1])
    found = [a for a in artifacts(directory) if not a.startswith("slow-unit-")]
    return {"code": code, "seconds": took, "executions": int(units[1]) if units else 0, "deep": deep, "found": found, "log": log}


def fuzz(build, name, runs, seconds):
    work = os.path.join(WORK, name)
    os.makedirs(work, exist_ok=True)
    return run(build, name, os.path.join(OUT, name), [work, seeds(name)], runs, seconds)


def coverage(build, name):
    """Lines of the named files that the corpora reach: (path, covered, all) each."""
    directory = os.path.join(OUT, name, "coverage")
    os.makedirs(directory, exist_ok=True)
    raw, merged = os.path.join(directory, "raw"), os.path.join(directory, "merged")
    run(build, name, directory, [os.path.join(WORK, name), seeds(name)], 0, 0, profile=raw)
    subprocess.run([f"llvm-profdata{LLVM}", "merge", "-sparse", raw, "-o", merged], check=True)
    program = os.path.join(build, "tests", "fuzz", f"fuzz-{name}")
    out = subprocess.run([f"llvm-cov{LLVM}", "export", "-summary-only", f"-instr-profile={merged}", program],
                         check=True, capture_output=True, text=True).stdout
    found = {os.path.realpath(f["filename"]): f["summary"]["lines"] for f in json.loads(out)["data"][0]["files"]}
    rows = []
    for path in covers(name):
        lines = found.get(os.path.realpath(os.path.join(tree.ROOT, path)), {"covered": 0, "count": 0})
        rows.append((path, lines["covered"], lines["count"]))
    return rows


def planted(name):
    """(seconds until the planted bug was found, None) or (None, why not)."""
    patch = os.path.join(HERE, "planted", f"{name}.patch")
    if not os.path.exists(patch):
        return None, f"no tests/fuzz/planted/{name}.patch"
    copy = scratch.Scratch(os.path.join(OUT, "tree"))
    copy.sync()
    build = os.path.join(copy.directory, "build", "fuzz")
    try:
        configure(build, copy.directory)
        why = copy.apply(patch) or compile_fuzzer(build, name)
        if why:
            return None, why
        with tempfile.TemporaryDirectory() as fresh:
            # Only the seeds of the tree: what earlier runs collected would make it too easy.
            result = run(build, name, os.path.join(OUT, name, "planted"), [fresh, seeds(name)], -1, PLANTED_SECONDS)
        if not result["found"]:
            return None, f"not found in {result['seconds']:.0f} s"
        return result["seconds"], None
    finally:
        copy.sync()


def merge(build, name):
    """Adds what the work corpus reaches beyond the seeds; returns the names of new files."""
    target = seeds(name)
    os.makedirs(target, exist_ok=True)
    with tempfile.TemporaryDirectory() as chosen:
        program = os.path.join(build, "tests", "fuzz", f"fuzz-{name}")
        subprocess.run([program, "-set_cover_merge=1", chosen, target, os.path.join(WORK, name)],
                       env=dict(os.environ, LLVM_PROFILE_FILE=os.devnull), check=True, capture_output=True)
        # Files with a name of their own were chosen by people and stay.
        for old in os.listdir(target):
            if re.fullmatch(r"[0-9a-f]{40}", old) and not os.path.exists(os.path.join(chosen, old)):
                os.unlink(os.path.join(target, old))
        have = {read(os.path.join(target, n)) for n in os.listdir(target)}
        fresh = [n for n in sorted(os.listdir(chosen)) if read(os.path.join(chosen, n)) not in have]
        for entry in fresh:
            shutil.copyfile(os.path.join(chosen, entry), os.path.join(target, entry))
    return fresh


def read(path):
    with open(path, "rb") as f:
        return f.read()
