# SPDX-License-Identifier: GPL-2.0-or-later
"""Ways to a guest that has run a command, each as a user would start it."""

import json
import os
import resource
import shutil
import subprocess
import time

from peers import BUILD, Cost, PeerRoot
from target import ROOT, Failed

KTSTR = os.path.join(ROOT, "build", "bin", "ktstr")
RUNNER = os.path.join(BUILD, "bench", "vm_runner")
STAGES = os.path.join(BUILD, "bench", "vm_stages")
SECONDS = 900


def build():
    command = ["ninja", "-C", BUILD, "bench/vm_ram", "bench/vm_runner", "bench/vm_stages"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise Failed("building the benchmarks:\n" + done.stdout + done.stderr)


def timed(command):
    """Cost of a whole command and of all the processes it has waited for, and its output."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    began = time.monotonic_ns()
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
                          timeout=SECONDS, errors="replace")
    wall = time.monotonic_ns() - began
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        raise Failed(f"{' '.join(command)} ended with {done.returncode}:\n{done.stderr[-2000:]}")
    return Cost(wall, (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1e9), done.stdout


def shell(topology, memory_mib, *options):
    return timed([KTSTR, "shell", "-t", topology, "-m", str(memory_mib), *options, "--exec", "true"])[0]


def stages(topology, memory_mib):
    """[(step, ns)] of one clone; together they are the whole process."""
    began = time.monotonic_ns()
    done = subprocess.run([STAGES, str(began), topology, str(memory_mib)], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, check=False, timeout=SECONDS)
    ended = time.monotonic_ns()
    if done.returncode:
        raise Failed(done.stderr)
    told = json.loads(done.stdout)
    return [*map(tuple, told["stages"]), ("process end", ended - told["ended"])]


class Runner:
    """A process that holds guests ready; see bench/vm_runner.c."""

    def __init__(self, topology, memory_mib):
        self.process = subprocess.Popen([RUNNER, topology, str(memory_mib)], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)

    def ask(self, *words):
        try:
            self.process.stdin.write(" ".join(map(str, words)) + "\n")
            self.process.stdin.flush()
            return json.loads(self.process.stdout.readline())
        except (OSError, ValueError) as e:
            raise Failed(f"vm_runner: {words}: {e}") from e

    def prepare(self, how="prepare"):
        """The spare has long been there when it is wanted."""
        self.ask(how)
        time.sleep(1)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait(SECONDS)
        self.process.stdout.close()


class Vng:
    """virtme-ng in the peer root, with the same kernel. The root sees only this tree."""

    def __init__(self):
        directory = os.path.join(ROOT, "build", "bench", "vng")
        os.makedirs(directory, exist_ok=True)
        told = json.loads(timed([KTSTR, "kernel", "info", os.environ.get("KTSTR_KERNEL", "default"), "--json"])[1])
        self.image = os.path.join(directory, "bzImage")
        shutil.copyfile(told["paths"]["bzImage"], self.image)
        self.root = PeerRoot(directory)

    def run(self, cpus, memory_mib):
        return self.root.run(["vng", "-r", "./bzImage", "--disable-kvm", "-p", str(cpus), "-m", f"{memory_mib}M", "--", "true"]).cost

    def close(self):
        self.root.close()
