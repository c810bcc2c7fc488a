# SPDX-License-Identifier: GPL-2.0-or-later
"""drgn with debug information opens our vmcore without a word and sees in it what we see."""

import json
import os
import shutil
import subprocess
import unittest

import debugged
import tap

SYMBOLS = os.environ.get("KTSTR_SYMBOLS", "")
HERE = os.path.dirname(os.path.abspath(__file__))


def flat(value):
    """The bytes of a value that has no gaps."""
    kind = value["kind"]
    if kind == "bytes":
        return bytes.fromhex(value["hex"])
    if kind == "struct":
        return b"".join(flat(member["value"]) for member in value["members"])
    return value["value"].to_bytes(value["bits"] // 8, "little")


def entry(found):
    """(key, values) in hex, as drgn_says.py writes them."""
    key = found["key"].to_bytes(4, "little") if isinstance(found["key"], int) else flat(found["key"])
    values = [v["value"] for v in found["values"]] if "values" in found else [found["value"]]
    return key.hex(), [flat(value).hex() for value in values]


class Drgn(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.agreement = debugged.Agreement("drgn")
        release = debugged.kernel()
        guest = debugged.Guest(release)
        try:
            cls.prepared = guest.ask(debugged.PREPARE)
            cls.core = guest.write()
        finally:
            guest.close()
        shutil.copy(os.path.join(HERE, "drgn_says.py"), debugged.DIRECTORY)
        cls.status, cls.words = debugged.ask_peer("python3", "drgn_says.py", "core", "vmlinux", "said.json")
        if cls.status:
            raise AssertionError(cls.words)
        with open(os.path.join(debugged.DIRECTORY, "said.json"), encoding="utf-8") as f:
            cls.said = json.load(f)
        cls.seen = debugged.look(cls.core)
        cls.agreement.say(f"drgn {cls.said['version']}, Linux {release}, {os.stat(cls.core).st_blocks // 2048} MiB written")

    def agree(self, what, said, seen):
        """Equal, key by key; how much there was goes into the log."""
        differ = [key for key in said.keys() | seen.keys() if said.get(key) != seen.get(key)]
        self.agreement.say(f"{what}: {len(said.keys() & seen.keys()) - sum(k in said and k in seen for k in differ)} agree, "
                           f"{len(differ)} differ; drgn {len(said)}, we {len(seen)}")
        self.assertEqual({key: said.get(key) for key in differ[:10]}, {key: seen.get(key) for key in differ[:10]})
        self.assertTrue(said)

    def test_it_is_opened_without_a_word(self):
        self.assertEqual((self.status, self.words, self.said["complaints"]), (0, "", []))

    def test_the_guest_had_what_it_should(self):
        self.assertEqual(self.prepared, [])
        self.assertEqual(self.seen["scx"]["state"], "enabled")

    def test_tasks(self):
        members = ("tgid", "comm", "state", "cpu", "prio", "policy", "runtime_ns")
        self.agree("tasks", {int(pid): {**{m: t[m] for m in members}, "address": t["address"]} for pid, t in self.said["tasks"].items()},
                   {t["pid"]: {**{m: t[m] for m in members}, "address": int(t["address"], 16)} for t in self.seen["tasks"]["tasks"]})

    def test_runqueues(self):
        members = ("nr_running", "nr_switches", "clock", "cfs", "rt", "dl")
        self.agree("runqueues", {int(cpu): rq for cpu, rq in self.said["runqueues"].items()},
                   {rq["cpu"]: {**{m: rq[m] for m in members}, "curr": int(rq["curr"]["address"], 16), "curr_pid": rq["curr"]["pid"]}
                    for rq in self.seen["rq"]["cpus"]})

    def test_maps(self):
        members = ("name", "type", "key_bytes", "value_bytes", "max_entries")
        self.agree("maps", {int(i): {**{m: b[m] for m in members}, "flags": b["flags"], "address": b["address"]}
                            for i, b in self.said["maps"].items()},
                   {b["id"]: {**{m: b[m] for m in members}, "flags": int(b["flags"], 16), "address": int(b["address"], 16)}
                    for b in self.seen["maps"]["maps"]})

    def test_entries_of_maps(self):
        said = {b["name"]: b["entries"] for b in self.said["maps"].values() if b["name"].startswith("kt_") and "entries" in b}
        seen = {}
        for name in said:
            (found,) = debugged.look(self.core, "map", name)["maps"]
            seen[name] = dict(map(entry, found["entries"]))
        self.agree("entries of maps", {(name, key): value for name, all_ in said.items() for key, value in all_.items()},
                   {(name, key): value for name, all_ in seen.items() for key, value in all_.items()})

    def test_modules(self):
        self.agree("modules", self.said["modules"], {m["name"]: int(m["base"], 16) for m in self.seen["modules"]["modules"]})

    def test_symbols(self):
        lines = subprocess.run([SYMBOLS, self.core], capture_output=True, text=True, check=True).stdout.splitlines()
        kernel, module = {}, {}
        for line in lines:
            address, _, name = line.split(" ", 2)
            name, tab, _ = name.partition("\t")
            where = module if tab else kernel
            where[name, int(address, 16)] = where.get((name, int(address, 16)), 0) + 1
        for what, key, seen in (("symbols", "kallsyms", kernel), ("symbols of modules", "module_symbols", module)):
            said = {}
            for address, name in self.said[key]:
                said[name, address] = said.get((name, address), 0) + 1
            self.agree(what, said, seen)
        elf = {(name, address) for address, name in self.said["elf"]}
        known = sum(key in elf for key in kernel)
        self.agreement.say(f"symbols in vmlinux's own table: {known} of our {len(kernel)}")
        self.assertGreater(known, len(kernel) * 0.99)

    def test_stacks(self):
        """Where drgn goes on into a process we end; a CPU may stand where nobody can unwind, and we say so."""
        said = {int(pid): pcs for pid, pcs in self.said["stacks"].items()}
        seen = {s["pid"]: s for s in self.seen["stack"]["stacks"] if s["pid"]}
        unsure = {pid for pid, s in seen.items() if s.get("incomplete") or not all(f["reliable"] for f in s["frames"])}
        self.agreement.say(f"stacks that drgn cannot show: {sum(isinstance(pcs, str) for pcs in said.values())}, of which we are "
                           f"not sure: {len(unsure)}")
        self.assertLessEqual(len(unsure), debugged.CPUS)
        kernel = {pid: [pc for pc in pcs if pc >= 2**63] for pid, pcs in said.items() if not isinstance(pcs, str) and pid not in unsure}
        self.agree("stacks", kernel, {pid: [int(f["ip"], 16) for f in s["frames"]] for pid, s in seen.items() if pid in kernel})


if __name__ == "__main__":
    tap.main(__name__)
