# SPDX-License-Identifier: GPL-2.0-or-later
"""Which way the host should look at a clone's RAM: a copy that is mapped, or reads of QEMU's memory."""

import json
import os
import subprocess

from figures import median, table
from peers import BUILD
from target import Failed

PROGRAM = os.path.join(BUILD, "bench", "vm_ram")
SHAPES = [(512, 0), (512, 300), (2048, 0), (2048, 300)]
CPU = 1


def ask(memory, fill):
    done = subprocess.run([PROGRAM, str(memory), str(fill)], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          check=False, timeout=900)
    if done.returncode:
        raise Failed(done.stderr)
    return json.loads(done.stdout)


class View:
    """CPU nanoseconds of one shape: medians of the rounds."""

    def __init__(self, memory, fill, rounds):
        told = [ask(memory, fill) for _ in range(rounds)]
        self.memory, self.fill, self.reads = memory, fill, told[0]["reads"]
        self.copied, self.grown = told[0]["copied bytes"], told[0]["copy after reading"]
        self.copying = median([t[f"copying {i}"][CPU] for t in told for i in range(5)])
        self.cost = {name: median([t[name][CPU] for t in told]) for name in told[0] if isinstance(told[0][name], list)}

    def each(self, way, size):
        return self.cost[f"{way} later {size}"] / self.reads

    def speed(self, way, when):
        """GB/s of reading everything by 1 MiB; the first MiB is left out."""
        return (self.memory - 1 << 20) / self.cost[f"{way} {when} all"]

    def even(self, size):
        """Reads after which the copy has paid."""
        gain = self.each("process", size) - self.each("copy", size)
        return f"{self.copying / gain:,.0f} ({self.copying / gain * size / 1e6:,.1f} MB)" if gain > 0 else "never"

    def name(self):
        return f"{self.memory} MiB" + (f", {self.fill} filled" if self.fill else "")


def report(rounds):
    views = [View(memory, fill, rounds) for memory, fill in SHAPES]
    reads = [[v.name(), way, f"{v.each(way, 64) / 1e3:.2f}", f"{v.each(way, 4096) / 1e3:.2f}",
              f"{v.speed(way, 'first'):.1f}", f"{v.speed(way, 'later'):.1f}"] for v in views for way in ("copy", "process")]
    copies = [[v.name(), f"{v.copying / 1e6:.0f}", f"{v.copied >> 20}", f"{v.grown >> 20}", v.even(64), v.even(4096)] for v in views]
    return "\n".join([
        table("Looking at a clone's RAM, CPU time", ["RAM", "way", "64 B, µs", "4 KiB, µs", "all, first, GB/s", "all, later, GB/s"], reads, left=2),
        table("What the copy costs, and the reads after which it has paid",
              ["RAM", "copying ms", "MiB", "MiB after reading all", "reads of 64 B", "reads of 4 KiB"], copies)])
