# SPDX-License-Identifier: GPL-2.0-or-later
"""The machine asked for is the machine that boots: what the guest's own /sys says, worked out here once more."""

import re
import subprocess

import machine
import tap

# Everything the guest's kernel knows, one line per fact.
FACTS = r"""
cd /sys/devices/system/cpu
echo online $(cat online)
for c in cpu[0-9]*; do
  echo $c threads $(cat $c/topology/thread_siblings_list)
  for i in $c/cache/index*; do [ "$(cat $i/level)" = 3 ] && echo $c llc $(cat $i/shared_cpu_list); done
  for n in $c/node*; do echo $c node ${n##*node}; done
done
cd ../node
for n in node[0-9]*; do
  echo $n cpus $(cat $n/cpulist)
  echo $n distances $(cat $n/distance)
  echo $n memory $(grep MemTotal $n/meminfo)
done
"""


def ranges(numbers):
    """The kernel's way of writing a set of CPUs."""
    out, numbers = [], sorted(numbers)
    while numbers:
        n = 1
        while n < len(numbers) and numbers[n] == numbers[0] + n:
            n += 1
        out.append(str(numbers[0]) if n == 1 else f"{numbers[0]}-{numbers[n - 1]}")
        numbers = numbers[n:]
    return ",".join(out)


def expected(nodes, llcs, cores, threads, remote=20):
    cpus = llcs * cores * threads
    per_llc, per_node = cores * threads, cpus // nodes
    facts = {f"online {ranges(range(cpus))}"}
    for c in range(cpus):
        first = c // threads * threads
        facts.add(f"cpu{c} threads {ranges(range(first, first + threads))}")
        first = c // per_llc * per_llc
        facts.add(f"cpu{c} llc {ranges(range(first, first + per_llc))}")
        facts.add(f"cpu{c} node {c // per_node}")
    for n in range(nodes):
        facts.add(f"node{n} cpus {ranges(range(n * per_node, (n + 1) * per_node))}")
        row = " ".join(str(10 if m == n else remote) for m in range(nodes))
        facts.add(f"node{n} distances {row}")
    return facts


def parse(word):
    return [int(n) for n in re.fullmatch(r"(\d+)n(\d+)l(\d+)c(\d+)t", word).groups()]


class Topology(machine.GuestTest):
    def facts(self, word, *options):
        lines = set(self.sh(FACTS, "-t", word, *options).splitlines())
        memory = {line for line in lines if " memory " in line}
        return lines - memory, memory

    def test_one_cpu(self):
        self.assertEqual(self.facts("1n1l1c1t")[0], expected(*parse("1n1l1c1t")))

    def test_two_caches(self):
        self.assertEqual(self.facts("1n2l2c1t")[0], expected(*parse("1n2l2c1t")))

    def test_hyperthreads(self):
        self.assertEqual(self.facts("1n2l2c2t")[0], expected(*parse("1n2l2c2t")))

    def test_two_nodes_booted_cold(self):
        self.assertEqual(self.facts("2n4l2c1t", "--cold")[0], expected(*parse("2n4l2c1t")))

    def test_two_nodes_cloned(self):
        # The first use may boot; the second is a clone for certain.
        self.facts("2n4l2c1t")
        self.assertEqual(self.facts("2n4l2c1t")[0], expected(*parse("2n4l2c1t")))

    def test_memory_and_distances_of_nodes(self):
        facts, memory = self.facts("2n2l1c1t,mem=512M:256M,dist=10:31:31:10")
        self.assertEqual(facts, expected(2, 2, 1, 1, remote=31))
        kb = {int(m[1]): int(m[2]) for m in (re.match(r"node(\d+) memory .* (\d+) kB", line) for line in memory)}
        # The kernel keeps some for itself before it counts, more of the first node.
        self.assertTrue(300 * 1024 < kb[0] < 512 * 1024, kb)
        self.assertTrue(200 * 1024 < kb[1] < 256 * 1024, kb)

    def test_impossible_topologies_are_refused_before_booting(self):
        for word in ("0n1l1c1t", "2n3l1c1t", "1n1l1c", "many"):
            with self.subTest(word):
                done = machine.shell("true", "-t", word, timeout=10)
                self.assertNotEqual(done.returncode, 0)
                self.assertIn(word.encode(), done.stderr)

    def test_mismatch_is_an_error_that_says_which(self):
        # A kernel argument takes CPUs away: asked for two, one comes up.
        done = subprocess.run([machine.KTSTR, "shell", "-t", "1n1l2c1t", "--kernel-args", "nr_cpus=1", "--exec", "true"],
                              capture_output=True, text=True, check=False, timeout=machine.TIMEOUT)
        self.assertNotEqual(done.returncode, 0)
        self.assertRegex(done.stderr, r"(?i)cpu.*\b1\b|\b1\b.*cpu")
        self.assertEqual(done.stdout, "")


if __name__ == "__main__":
    tap.main(__name__)
