# SPDX-License-Identifier: GPL-2.0-or-later
"""A cache and a run directory of a test's own, with the kernels of the real ones; and what dead owners left in them."""

import os
import shutil
import subprocess
import tempfile
import time

import machine

# Kernels are large and never change; which QEMU there is does not either.
SHARED = ("kernels", "qemu")
GONE_S = 60


def real_cache():
    found = os.environ.get("KTSTR_CACHE_DIR")
    if found:
        return found
    return os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "ktstr")


class PrivateCache:
    def __init__(self):
        self.top = tempfile.mkdtemp(prefix="ktstr-templates-")
        self.cache = os.path.join(self.top, "cache")
        self.run_directory = os.path.join(self.top, "run")
        self.templates = os.path.join(self.cache, "templates")
        os.mkdir(self.cache)
        self.link_kernels(self.cache)
        self.env = dict(os.environ, KTSTR_CACHE_DIR=self.cache, KTSTR_RUN_DIR=self.run_directory)
        self.shm = self.shared_memory()

    @staticmethod
    def link_kernels(where):
        for name in SHARED:
            target = os.path.join(real_cache(), name)
            if os.path.exists(target):
                os.symlink(target, os.path.join(where, name))

    def start(self, script, *options, wrapper=()):
        return subprocess.Popen([*wrapper, machine.KTSTR, "shell", *options, "--exec", script], env=self.env,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def sh(self, script, *options, wrapper=()):
        """(status, standard output, standard error) of one guest."""
        with self.start(script, *options, wrapper=wrapper) as process:
            out, err = process.communicate(timeout=machine.TIMEOUT)
            return process.returncode, out.decode(), err.decode(errors="replace")

    def entries(self):
        return sorted(os.listdir(self.templates)) if os.path.isdir(self.templates) else []

    def whole_templates(self):
        return [name for name in self.entries() if "." not in name]

    def halves(self):
        """Directories by the name of a template that are none."""
        wanted = {"template.json", "state", "ram.0"}
        return [name for name in self.whole_templates() if not wanted <= set(os.listdir(os.path.join(self.templates, name)))]

    def qemus(self):
        """Our QEMUs, known by their environment: they may have lost their parent."""
        mark = f"KTSTR_CACHE_DIR={self.cache}\0".encode()
        found = []
        for entry in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{entry}/comm", encoding="utf-8") as f:
                    name = f.read()
                with open(f"/proc/{entry}/environ", "rb") as f:
                    if name.startswith("qemu-system") and mark in f.read() + b"\0":
                        found.append(int(entry))
            except OSError:
                continue
        return found

    def qemus_after_a_while(self):
        """Empty as soon as all are gone; a killed process takes a moment to go."""
        end = time.monotonic() + GONE_S
        while (left := self.qemus()) and time.monotonic() < end:
            time.sleep(0.02)
        return left

    @staticmethod
    def shared_memory():
        return {name for name in os.listdir("/dev/shm") if "ktstr" in name or "qemu" in name}

    def run_directories(self):
        top = os.path.join(self.run_directory, "vm")
        return [name for name in os.listdir(top) if name != ".lock"] if os.path.isdir(top) else []

    def close(self):
        shutil.rmtree(self.top)
