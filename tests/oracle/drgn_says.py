# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs in the peer root: what drgn, with debug information, says about a vmcore; JSON to a file.

usage: drgn_says.py VMCORE VMLINUX OUT
"""

import json
import logging
import sys

import drgn
from drgn.helpers.linux import (bpf_map_for_each, for_each_module, for_each_online_cpu, for_each_task, hlist_nulls_for_each_entry,
                                load_module_kallsyms, load_vmlinux_kallsyms, per_cpu, per_cpu_ptr, task_cpu, task_state_to_char)


class Complaints(logging.Handler):
    def __init__(self):
        super().__init__(logging.WARNING)
        self.said = []

    def emit(self, record):
        self.said.append(record.getMessage())


def text(array):
    return array.string_().decode(errors="replace")


def tasks(prog):
    return {int(t.pid): {"address": t.value_(), "tgid": int(t.tgid), "comm": text(t.comm), "state": task_state_to_char(t)[0],
                         "cpu": task_cpu(t), "prio": int(t.prio), "policy": int(t.policy),
                         "runtime_ns": int(t.se.sum_exec_runtime)} for t in for_each_task(prog)}


def runqueues(prog):
    found = {}
    for cpu in for_each_online_cpu(prog):
        rq = per_cpu(prog["runqueues"], cpu)
        found[cpu] = {"nr_running": int(rq.nr_running), "nr_switches": int(rq.nr_switches), "clock": int(rq.clock),
                      "curr": rq.curr.value_(), "curr_pid": int(rq.curr.pid), "cfs": int(rq.cfs.h_nr_queued),
                      "rt": int(rq.rt.rt_nr_running), "dl": int(rq.dl.dl_nr_running)}
    return found


def round_up(n):
    return (n + 7) // 8 * 8


def of_each_cpu(prog, pointer, n):
    return [prog.read(per_cpu_ptr(pointer, cpu).value_(), n).hex() for cpu in for_each_online_cpu(prog)]


def array(prog, bpf_map, percpu):
    whole = drgn.container_of(bpf_map, "struct bpf_array", "map")
    n, size = int(bpf_map.value_size), int(whole.elem_size)
    entries = {}
    for i in range(int(bpf_map.max_entries)):
        key = i.to_bytes(4, "little").hex()
        if percpu:
            entries[key] = of_each_cpu(prog, whole.pptrs[i], n)
        else:
            entries[key] = [prog.read(whole.value.address_of_().value_() + i * size, n).hex()]
    return entries


def table(prog, bpf_map, percpu):
    whole = drgn.container_of(bpf_map, "struct bpf_htab", "map")
    key_n, value_n = int(bpf_map.key_size), int(bpf_map.value_size)
    entries = {}
    for i in range(int(whole.n_buckets)):
        for element in hlist_nulls_for_each_entry("struct htab_elem", whole.buckets[i].head.address_of_(), "hash_node"):
            at = element.key.address_of_().value_()
            key = prog.read(at, key_n).hex()
            if percpu:
                pointer = drgn.Object(prog, "void *", address=at + round_up(key_n))
                entries[key] = of_each_cpu(prog, pointer, value_n)
            else:
                entries[key] = [prog.read(at + round_up(key_n), value_n).hex()]
    return entries


KINDS = {
    "ARRAY": (array, False), "PERCPU_ARRAY": (array, True), "HASH": (table, False), "LRU_HASH": (table, False),
    "PERCPU_HASH": (table, True), "LRU_PERCPU_HASH": (table, True),
}


def maps(prog):
    found = {}
    for bpf_map in bpf_map_for_each(prog):
        kind = bpf_map.map_type.format_(type_name=False).removeprefix("BPF_MAP_TYPE_")
        one = {"name": text(bpf_map.name), "type": kind.lower(), "address": bpf_map.value_(), "key_bytes": int(bpf_map.key_size),
               "value_bytes": int(bpf_map.value_size), "max_entries": int(bpf_map.max_entries), "flags": int(bpf_map.map_flags)}
        if kind in KINDS:
            read, percpu = KINDS[kind]
            one["entries"] = read(prog, bpf_map, percpu)
        found[int(bpf_map.id)] = one
    return found


def symbols(prog, index):
    return [[s.address, s.name] for s in index(prog, None, None, False)]


def stacks(prog):
    """pid -> instruction pointers; a function that was inlined has none of its own."""
    found = {}
    for task in for_each_task(prog):
        try:
            trace = prog.stack_trace(task)
        except (LookupError, ValueError, drgn.FaultError) as e:
            found[int(task.pid)] = str(e)
            continue
        found[int(task.pid)] = [frame.pc for frame in trace if not frame.is_inline]
    return found


def main():
    core, vmlinux, out = sys.argv[1:]
    complaints = Complaints()
    logging.getLogger("drgn").addHandler(complaints)
    prog = drgn.Program()
    prog.set_core_dump(core)
    prog.load_debug_info([vmlinux])
    said = {
        "version": drgn.__version__, "tasks": tasks(prog), "runqueues": runqueues(prog), "maps": maps(prog),
        "modules": {text(module.name): module.mem[0].base.value_() for module in for_each_module(prog)}, "stacks": stacks(prog),
        "kallsyms": symbols(prog, load_vmlinux_kallsyms(prog)), "module_symbols": symbols(prog, load_module_kallsyms(prog)),
        "elf": [[s.address, s.name] for s in prog.symbols()],
        "complaints": complaints.said,
    }
    with open(out, "w", encoding="utf-8") as f:
        json.dump(said, f)


if __name__ == "__main__":
    main()
