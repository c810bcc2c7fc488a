# SPDX-License-Identifier: GPL-2.0-or-later
"""Arena and allocator of a scheduler, seen from outside, against what its loader and /proc list."""

import json
import os
import re

import guest
import machine
import tap
from shell_guest import ShellGuest

SDT = os.path.join(guest.BUILD, "bpf", "scx_ktsdt")
SLEEPERS = 700
CHURN = 1500
MAGIC = 0x6B74736474000001
COOKIE = 0x9E3779B97F4A7C15
# sizeof(struct ktsdt_task_ctx) + sizeof(struct sdt_data)
ELEMENT = 72

# Processes that stay, processes that come and go, and holes where some of the first were.
PREPARE = f"""
cd /root; ./scx_ktsdt >/tmp/out 2>/tmp/err & echo $! >/tmp/pid
i=0; while ! grep -q attached /tmp/out && [ $i -lt 600 ]; do sleep 0.1; i=$((i+1)); done; cat /tmp/err
i=0; while [ $i -lt {SLEEPERS} ]; do sleep 100000 & [ $((i % 5)) = 0 ] && echo $! >>/tmp/some; i=$((i+1)); done
i=0; while [ $i -lt {CHURN} ]; do ( : ); i=$((i+1)); done
kill $(cat /tmp/some); i=0; while [ $i -lt 20 ]; do sleep 100000 & i=$((i+1)); done
"""
LIST = """n=$(grep -c ^end /tmp/out); kill -USR1 $(cat /tmp/pid); while [ $(grep -c ^end /tmp/out) = $n ]; do usleep 20000; done
sed -n '/^list/h;/^list/!H;$!d;x;p' /tmp/out"""


def members(value):
    return {member["name"]: member["value"] for member in value["members"]}


def of_loader(lines):
    """idx -> (genn, address, pid, tgid, cookie, tag), and how much was handed out and came back."""
    assert lines[0] == "list" and lines[-1].startswith("end "), lines[:3] + lines[-3:]
    found = {}
    for line in lines[1:-1]:
        idx, genn, address, pid, tgid, cookie, tag = line.split()
        found[int(idx)] = (int(genn), int(address, 16), int(pid), int(tgid), int(cookie), tag)
    return found, [int(n) for n in lines[-1].split()[1:]]


def of_memory(allocator):
    found = {}
    for entry in allocator["entries"]:
        payload = members(entry["payload"])
        found[entry["idx"]] = (entry["genn"], int(entry["user_addr"], 16), *(payload[name]["value"] for name in ("pid", "tgid", "cookie")),
                               payload["tag"]["text"])
    return found


def threads(machine_):
    """Numbers of all threads, from /proc."""
    return {int(line.split("/")[4]) for line in machine_.ask("ls -d /proc/[0-9]*/task/[0-9]*")}


class Allocator(machine.GuestTest):
    machine_options = ()

    @classmethod
    def setUpClass(cls):
        cls.guest = None
        if guest.missing():
            return
        cls.guest = ShellGuest("-t", "1n1l4c1t", "-m", "1G", "-i", SDT, *cls.machine_options)
        cls.has_scx = bool(cls.guest.ask("ls -d /sys/kernel/sched_ext 2>/dev/null"))
        if not cls.has_scx:
            return
        cls.said = cls.guest.ask(PREPARE)
        alive = threads(cls.guest)
        cls.before, cls.counts = of_loader(cls.guest.ask(LIST))
        cls.seen = json.loads(cls.guest.inspect("sdt", "--freeze", "--json", "--max-entries", "0"))
        cls.after, _ = of_loader(cls.guest.ask(LIST))
        cls.alive = alive & threads(cls.guest)
        cls.arena = json.loads(cls.guest.inspect("arena", "--freeze", "--json", "--max-entries", "0"))
        cls.text = cls.guest.inspect("sdt", "--max-entries", "600")

    @classmethod
    def tearDownClass(cls):
        if cls.guest:
            cls.guest.close()

    def setUp(self):
        super().setUp()
        if not self.has_scx:
            self.skipTest("the kernel has no sched_ext")
        (self.allocator,) = self.seen["sdt_allocations"]

    def test_the_allocator_has_churned_and_uses_several_leaves(self):
        self.assertGreater(self.counts[0], SLEEPERS + CHURN)
        self.assertGreater(self.counts[1], CHURN)
        self.assertGreater(len(self.before), 512)
        self.assertGreater(max(self.before), 512)

    def test_every_entry_is_what_the_loader_lists(self):
        seen = of_memory(self.allocator)
        self.assertEqual(len(seen), len(self.allocator["entries"]))
        stayed = {idx for idx in self.before if self.after.get(idx) == self.before[idx]}
        self.assertGreater(len(stayed), 512)
        self.assertEqual({idx: seen.get(idx) for idx in stayed}, {idx: self.before[idx] for idx in stayed})
        # What was there neither before nor after came and went in between: hardly anything.
        self.assertLess(len([idx for idx in seen if seen[idx] not in (self.before.get(idx), self.after.get(idx))]), 16)
        gone = [idx for idx in self.before if idx not in self.after]
        self.assertLess(len(gone), 16)

    def test_every_thread_of_proc_has_one(self):
        pids = [entry[2] for entry in of_memory(self.allocator).values()]
        self.assertEqual(len(pids), len(set(pids)))
        self.assertGreater(len(self.alive), 512)
        self.assertEqual(sorted(self.alive - set(pids)), [])

    def test_values_are_those_that_belong_to_the_pid(self):
        for genn, _, pid, tgid, cookie, tag in of_memory(self.allocator).values():
            self.assertGreater(genn, 0)
            self.assertLessEqual(tgid, pid)
            self.assertEqual(cookie, pid * COOKIE % 2**64)
            self.assertEqual(tag, f"task{pid % 10}")

    def test_pointers_into_the_arena_are_followed(self):
        for entry in self.allocator["entries"]:
            common = members(members(entry["payload"])["common"]["deref"])
            self.assertEqual(common["magic"]["value"], MAGIC)
            self.assertEqual(common["text"]["text"], "all")

    def test_the_allocator_has_its_name_size_and_payload_type(self):
        self.assertEqual(self.allocator["allocator_name"], "scx_task_allocator")
        self.assertEqual(self.allocator["elem_size"], ELEMENT)
        self.assertGreater(self.allocator["payload_btf_type_id"], 0)
        self.assertIn(self.allocator["payload_type_guessed_by"], ("size", "size and name"))
        self.assertEqual(self.allocator["skipped_subtrees"], 0)
        for absent in ("truncated", "payload_type_reason", "not_walked", "skipped"):
            self.assertNotIn(absent, self.allocator)
        (static,) = self.seen["scx_static"]
        self.assertEqual((static["name"], static["max_alloc_bytes"], static["off"]), ("scx_common", 4096, 24))

    def test_pages_of_the_arena_hold_the_elements(self):
        (arena,) = self.arena["arenas"]
        start = int(arena["user_vm_start"], 16)
        self.assertNotEqual(start % 2**32, 0)
        self.assertEqual(arena["name"], "ktsdt_arena")
        pages = {int(page["user_addr"], 16): bytes.fromhex(page["hex"]).ljust(4096, b"\0") for page in arena["pages"]}
        self.assertEqual(len(pages), arena["total"])
        stayed = {idx for idx in self.before if self.after.get(idx) == self.before[idx]}
        crossing = 0
        for idx in stayed:
            genn, at, pid, _, cookie, _ = self.before[idx]
            page = at & ~4095
            crossing += at % 4096 + ELEMENT > 4096
            memory = pages[page] + pages.get(page + 4096, b"")
            data = memory[at - page:at - page + ELEMENT]
            self.assertEqual([int.from_bytes(data[i:i + 4], "little") for i in (0, 4, 8)], [idx, genn, pid])
            self.assertEqual(int.from_bytes(data[16:24], "little"), cookie)
        self.assertGreater(crossing, 4)

    def test_expressions_reach_variables_of_the_scheduler_and_its_arena(self):
        (static,) = self.seen["scx_static"]
        stayed = [idx for idx in self.before if self.after.get(idx) == self.before[idx]]
        _, at, pid, tgid, cookie, _ = self.before[stayed[0]]
        # The payload is behind a header of 8 bytes.
        for expression, value in (("scx_task_allocator.pool.elem_size", str(ELEMENT)),
                                  ("bpf:scx_common.memory", static["memory"]),
                                  ("map:.bss.scx_common.off", "24"),
                                  (f"((struct ktsdt_task_ctx *){at + 8:#x})->pid", str(pid)),
                                  (f"((struct ktsdt_task_ctx *)({at:#x} + 8))->tgid", str(tgid)),
                                  (f"((struct ktsdt_task_ctx *){at + 8:#x})->cookie", str(cookie)),
                                  (f"((struct ktsdt_task_ctx *){at + 8:#x})->common->magic", str(MAGIC))):
            self.assertEqual(self.guest.inspect("--expr", expression), f"{expression} = {value}\n")

    def test_text_is_cut_where_asked_and_says_so(self):
        head = self.text.splitlines()[0]
        self.assertRegex(head, r"^sdt_alloc scx_task_allocator \(elem_size=72, btf_type_id=\d+, a guess by size\): shown 600 of \d+ live \(truncated\)$")
        self.assertEqual(len(re.findall(r"^  idx=\d+ genn=\d+ user_addr=0x[0-9a-f]+ payload=", self.text, re.M)), 600)


class AllocatorWith5Levels(Allocator):
    machine_options = ("--cpu", "max,vendor=GenuineIntel,level=32")

    def test_the_guest_uses_the_intended_page_table_levels(self):
        self.assertEqual(self.guest.ask("grep -c la57 /proc/cpuinfo"), ["4"])


if __name__ == "__main__":
    tap.main(__name__)
