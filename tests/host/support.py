# SPDX-License-Identifier: GPL-2.0-or-later
"""What the drivers of this directory share: programs, targets, /proc, and the probe's answers."""

import contextlib
import json
import mmap
import os
import re
import shutil
import struct
import subprocess
import tempfile
import time
import unittest

PROBE = os.environ["KTSTR_PROBE"]
WORKER = os.environ["KTSTR_WORKER"]
TARGETS = os.environ["KTSTR_TARGETS"]
DEPS = os.environ["KTSTR_DEPS"]

MIB = 1 << 20
# Generous: the machine may be busy. Nothing waits this long unless something is broken.
PATIENCE_S = 60


def target_path(name):
    return os.path.join(TARGETS, "target-" + name)


def jemalloc_dir(variant):
    """The directory of libjemalloc.so.2 of a build in build/deps."""
    base = os.path.join(DEPS, "jemalloc", variant)
    for directory, _, names in os.walk(base):
        if "libjemalloc.so.2" in names:
            return directory
    raise unittest.SkipTest(f"build/deps has no libjemalloc.so.2 of kind '{variant}'")


def need_root(why):
    if os.geteuid() != 0:
        raise unittest.SkipTest(f"needs root {why}")


def wait_until(condition, what, seconds=PATIENCE_S):
    end = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > end:
            raise AssertionError(f"not within {seconds} s: {what}")
        time.sleep(0.005)


# --- /proc ---------------------------------------------------------------------------------


def tids(pid):
    return sorted(int(t) for t in os.listdir(f"/proc/{pid}/task"))


def status(pid, tid=None):
    """The fields of /proc/PID[/task/TID]/status, as text."""
    path = f"/proc/{pid}/task/{tid}/status" if tid else f"/proc/{pid}/status"
    with open(path, encoding="utf-8", errors="replace") as f:
        return dict(line.rstrip("\n").split(":\t", 1) for line in f if ":\t" in line)


def state(pid, tid=None):
    return status(pid, tid)["State"][0]


def undisturbed(pid):
    """Why a process is not simply running: a list of words, empty when all is well."""
    wrong = []
    for tid in tids(pid):
        try:
            fields = status(pid, tid)
        except (FileNotFoundError, ProcessLookupError):
            if tid == pid:
                raise
            continue  # a thread that has ended is not held by anybody
        if fields["State"][0] in "tT":
            wrong.append(f"thread {tid} is {fields['State']}")
        if fields["TracerPid"] != "0":
            wrong.append(f"thread {tid} is traced by {fields['TracerPid']}")
    return wrong


# --- targets -------------------------------------------------------------------------------

BEAT_SLOTS = 1024


class Beat:
    """The page of beat.h."""

    def __init__(self, path):
        self.path = path
        self.map = None

    def word(self, index):
        if not self.map:
            with open(self.path, "rb") as f:
                self.map = mmap.mmap(f.fileno(), (4 + BEAT_SLOTS) * 8, prot=mmap.PROT_READ)
        return struct.unpack_from("<q", self.map, index * 8)[0]

    signals = property(lambda self: self.word(0))
    out_of_order = property(lambda self: self.word(1))
    plain_signals = property(lambda self: self.word(3))

    def beats(self, n):
        return [self.word(4 + i) for i in range(n)]


class Target:
    """A started process with what it said about itself."""

    def __init__(self, process, beat=None, n_beats=0):
        self.process = process
        self.pid = process.pid
        self.beat = beat
        self.n_beats = n_beats
        self.threads = {}  # tid: (allocated, deallocated), by mallctl
        self.idle = []
        self.raw = None

    def read_report(self):
        for line in self.process.stdout:
            words = dict(w.split("=", 1) for w in line.split()[1:] if "=" in w)
            if line.startswith("thread "):
                self.threads[int(words["tid"])] = (int(words["allocated"]), int(words["deallocated"]))
            elif line.startswith("idle "):
                self.idle.append(int(words["tid"]))
            elif line.startswith("raw "):
                self.raw = int(words["tid"])
            elif line == "ready\n":
                return
            else:
                raise AssertionError(f"target: {line.rstrip()}")
        raise AssertionError(f"the target ended with {self.process.wait()}")

    def wait_for_beats(self, more=3):
        """Every thread that beats must go on beating."""
        before = self.beat.beats(self.n_beats)
        wait_until(
            lambda: all(b >= a + more for a, b in zip(before, self.beat.beats(self.n_beats))),
            f"every thread of {self.pid} makes {more} more beats (from {before})",
        )

    def end(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        if self.process.stdout:
            self.process.stdout.close()


class HostTest(unittest.TestCase):
    """Starts processes and ends each of them, by its id, whatever happens."""

    maxDiff = None

    def setUp(self):
        self.dir = tempfile.mkdtemp(prefix="ktstr-host-")
        self.addCleanup(shutil.rmtree, self.dir, ignore_errors=True)

    def path(self, name):
        return os.path.join(self.dir, name)

    def spawn(self, command, **how):
        how.setdefault("stdout", subprocess.PIPE)
        how.setdefault("stdin", subprocess.DEVNULL)
        target = Target(subprocess.Popen(command, text=True, **how))
        self.addCleanup(target.end)
        return target

    def start_target(self, variant, *arguments, threads=0, idle=0, program=None, prefix=(), env=None, ready=True, **how):
        beat = Beat(self.path(f"beat-{time.monotonic_ns()}"))
        command = [*prefix, program or target_path(variant), "--threads", str(threads), "--idle", str(idle)]
        command += ["--beat", beat.path, *arguments]
        target = self.spawn(command, env=dict(os.environ, **(env or {})), **how)
        target.beat = beat
        target.n_beats = 1 + threads + idle
        if ready:
            target.read_report()
        return target

    def start_worker(self, size, *arguments, program=WORKER, env=None, prefix=()):
        marker = self.path(f"ready-{time.monotonic_ns()}")
        environment = dict(os.environ, KTSTR_WORKER_READY_MARKER_OVERRIDE=marker, **(env or {}))
        worker = self.spawn([*prefix, program, *arguments, str(size)], env=environment)
        line = worker.process.stdout.readline()
        self.assertEqual(line, f"jemalloc-alloc-worker ready pid={worker.pid} bytes={size}\n")
        return worker

    def probe(self, *arguments, **how):
        return probe(*arguments, **how)

    def read(self, pid, *arguments, **how):
        """A run that must succeed; its document."""
        answer = probe("--pid", str(pid), "--json", *arguments, **how)
        self.assertEqual((answer.code, answer.stderr), (0, ""), answer)
        return answer.document

    def assert_fatal(self, answer, kind):
        self.assertEqual(answer.code, 1, answer)
        self.assertEqual(answer.stdout, "", answer)
        self.assertEqual(answer.stderr.splitlines()[0], f"ktstr-probe-fatal: {kind}", answer)
        self.assertRegex(answer.stderr.splitlines()[1], r"^error: .{10}", answer)

    def assert_usage(self, answer, *words):
        self.assertEqual(answer.code, 2, answer)
        self.assertEqual(answer.stdout, "", answer)
        for word in words:
            self.assertIn(word, answer.stderr, answer)


# --- the probe -----------------------------------------------------------------------------


class Answer:
    def __init__(self, command, code, stdout, stderr):
        self.command, self.code, self.stdout, self.stderr = command, code, stdout, stderr

    @property
    def document(self):
        return json.loads(self.stdout)

    def __repr__(self):
        return f"{' '.join(self.command)}\nexit {self.code}\nstdout: {self.stdout}\nstderr: {self.stderr}"


def probe(*arguments, prefix=(), program=PROBE, env=None, timeout=PATIENCE_S, **how):
    command = [*prefix, program, *[str(a) for a in arguments]]
    how.setdefault("stdout", subprocess.PIPE)
    how.setdefault("errors", "replace")
    done = subprocess.run(
        command, env=dict(os.environ, **(env or {})), stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
        text=True, timeout=timeout, check=False, **how,
    )
    return Answer(command, done.returncode, done.stdout or "", done.stderr)


def counters(document, snapshot=0):
    """{tid: (allocated, deallocated)} of the threads that were read."""
    return {
        t["tid"]: (t["allocated_bytes"], t["deallocated_bytes"])
        for t in document["snapshots"][snapshot]["threads"]
        if "error" not in t
    }


def errors(document, snapshot=0):
    """{tid: error_kind} of the threads that were not."""
    return {t["tid"]: t["error_kind"] for t in document["snapshots"][snapshot]["threads"] if "error" in t}


def methods(document):
    return {t.get("method") for s in document["snapshots"] for t in s["threads"] if "error" not in t}


# --- other programs ------------------------------------------------------------------------

# The name is written far below the stack pointer, out of the way of the call itself; a
# string literal would make gdb call malloc inside the target and change the answer.
GDB_ASK = """
define ask_one
  set {char[20]}$area = $arg0
  set {unsigned long}($area + 64) = 0
  set {unsigned long}($area + 72) = 8
  set $failed = ((int (*)(char *, void *, unsigned long *, void *, unsigned long))mallctl)\
($area, (void *)($area + 64), (unsigned long *)($area + 72), (void *)0, 0ul)
end
define ask
  set $saved = (long)$sp
  set $area = ($saved - 2048) & ~63l
  set $sp = $area - 4096
  ask_one "thread.allocated\\0\\0\\0"
  set $allocated = {unsigned long}($area + 64)
  set $failed_first = $failed
  ask_one "thread.deallocated\\0"
  printf "asked %d %lu %lu %d %d\\n", $_gthread, $allocated, {unsigned long}($area + 64), $failed_first, $failed
  set $sp = $saved
end
set pagination off
set scheduler-locking on
info threads
thread apply all ask
detach
"""


def ask_with_gdb(directory, pid, command, env=None):
    """Holds a process with gdb, runs the command meanwhile, and asks mallctl in each thread.

    Returns what the command wrote and {tid: (allocated, deallocated)}.
    """
    gdb = shutil.which("gdb")
    if not gdb:
        raise unittest.SkipTest("gdb is not installed")
    script, output = os.path.join(directory, "ask.gdb"), os.path.join(directory, "held.json")
    with open(script, "w", encoding="utf-8") as f:
        f.write(f"shell {' '.join(command)} > {output}\n" + GDB_ASK)
    done = subprocess.run(
        [gdb, "-nx", "-batch", "-iex", "set debuginfod enabled off", "-iex", "set auto-load off",
         "-p", str(pid), "-x", script],
        capture_output=True, text=True, errors="replace", timeout=PATIENCE_S * 2, check=False,
        stdin=subprocess.DEVNULL, env=dict(os.environ, **(env or {})),
    )
    said = done.stdout + done.stderr
    lwps = {int(n): int(lwp) for n, lwp in re.findall(r"^\*?\s+(\d+)\s.*\(LWP (\d+)\)", done.stdout, re.M)}
    if not lwps:  # a program without libpthread is one process to gdb
        lwps = {1: pid}
    asked = {}
    for number, a, d, *failed in re.findall(r"^asked (\d+) (\d+) (\d+) (-?\d+) (-?\d+)$", done.stdout, re.M):
        if failed != ["0", "0"]:
            raise AssertionError(f"mallctl failed inside the target\n{said}")
        asked[lwps[int(number)]] = (int(a), int(d))
    if not asked:
        raise AssertionError(f"gdb got no answer\n{said}")
    with open(output, encoding="utf-8") as f:
        return f.read(), asked


@contextlib.contextmanager
def redis_server(directory, threads=4):
    """Debian's redis-server on a socket in the directory; yields (pid, run a client)."""
    base = os.path.join(DEPS, "redis", "usr")
    server = os.path.join(base, "bin", "redis-server")
    if not os.path.exists(server):
        raise unittest.SkipTest("build/deps has no redis-server")
    libraries = [f.path for f in os.scandir(os.path.join(base, "lib")) if f.name.endswith("-linux-gnu")]
    env = dict(os.environ, LD_LIBRARY_PATH=":".join(libraries))
    socket = os.path.join(directory, "socket")

    def client(program, *arguments):
        return subprocess.run(
            [os.path.join(base, "bin", program), "-s", socket, *arguments],
            env=env, capture_output=True, text=True, timeout=PATIENCE_S, check=False,
        ).stdout.strip()

    with open(os.path.join(directory, "redis.log"), "w", encoding="utf-8") as log:
        process = subprocess.Popen(
            [server, "--port", "0", "--unixsocket", socket, "--dir", directory, "--save", "",
             "--appendonly", "no", "--daemonize", "no", "--io-threads", str(threads)],
            env=env, stdout=log, stderr=log, stdin=subprocess.DEVNULL,
        )
    try:
        wait_until(lambda: client("redis-cli", "ping") == "PONG", "redis-server answers")
        yield process.pid, client
    finally:
        process.kill()
        process.wait()
