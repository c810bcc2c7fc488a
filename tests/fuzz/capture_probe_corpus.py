#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Makes seeds for the fuzzers thread_list and tls_lookup from a live process.

    capture_probe_corpus.py PID LIBRARY THREAD_LIST_FILE TLS_LOOKUP_FILE

LIBRARY is part of the name of a mapped library with thread-local storage. What the
walks read is read from /proc/PID/mem and written in the form of fake_process.h: pages
get new numbers in the order they are met, offsets in a page stay. The tree's seeds
came from tests/unit/probe/target.c with several threads, as it is and after
`dlopen` of probe-tls-library.so and `touch` in one of them.
"""

import re
import struct
import subprocess
import sys

PAGE, ARENA_PAGES = 4096, 128


class Process:
    def __init__(self, pid):
        self.mem = open(f"/proc/{pid}/mem", "rb", buffering=0)
        self.bases = {}
        with open(f"/proc/{pid}/maps", encoding="utf-8") as maps:
            for line in maps:
                fields = line.split(maxsplit=5)
                if len(fields) == 6 and fields[5].startswith("/") and fields[2] == "00000000":
                    self.bases.setdefault(fields[5].strip(), int(fields[0].split("-")[0], 16))

    def path(self, part):
        return next(p for p in self.bases if re.search(part, p))

    def symbols(self, part):
        """Addresses in memory of the dynamic symbols."""
        path = self.path(part)
        out = subprocess.run(["readelf", "--dyn-syms", "-W", path], capture_output=True, text=True, check=True).stdout
        rows = (line.split() for line in out.splitlines())
        return {r[7].split("@")[0]: int(r[1], 16) + self.bases[path] for r in rows if len(r) == 8 and r[1] != "Value"}

    def read(self, address, form):
        self.mem.seek(address)
        return struct.unpack("<" + form, self.mem.read(struct.calcsize("<" + form)))[0]


class Seed:
    """Records of values, with real addresses translated."""

    def __init__(self, process):
        self.process, self.pages, self.records = process, {}, b""

    def place(self, address):
        page = self.pages.setdefault(address // PAGE, len(self.pages))
        assert page < ARENA_PAGES, "more pages than a seed has"
        return (page * PAGE + address % PAGE) // 8

    def pointer(self, at):
        target = self.process.read(at, "Q")
        if target:
            self.records += struct.pack("<BHH", 0, self.place(at), self.place(target))
        else:
            self.number(at)
        return target

    def number(self, at, form="Q"):
        value = self.process.read(at, form)
        self.records += struct.pack("<BH" + form, 2 if form == "Q" else 1, self.place(at), value)
        return value


class Fields:
    def __init__(self, process):
        self.process, self.libc = process, process.symbols(r"/libc\.so\.6$")

    def offset(self, name):
        return self.process.read(self.libc["_thread_db_" + name] + 8, "I")

    def size(self, name):
        return self.process.read(self.libc["_thread_db_" + name], "I") // 8


def threads(process, fields, rtld, seed):
    """Walks both lists; the struct of each thread."""
    found, heads = [], []
    for head in ("used", "user"):
        head = rtld["_rtld_global"] + fields.offset("rtld_global__dl_stack_" + head)
        heads.append(seed.place(head))
        node = seed.pointer(head + fields.offset("list_t_next"))
        while node != head:
            pthread = node - fields.offset("pthread_list")
            found.append(pthread)
            seed.pointer(pthread + 0x10)
            seed.number(pthread + fields.offset("pthread_tid"), "I")
            node = seed.pointer(node + fields.offset("list_t_next"))
    return found, heads


def capture_thread_list(process, fields, rtld):
    seed = Seed(process)
    _, heads = threads(process, fields, rtld, seed)
    head = struct.pack("<BHHHHH", fields.offset("list_t_next"), fields.offset("pthread_list"), fields.offset("pthread_tid"), 100, *heads)
    return head + seed.records


def capture_tls_lookup(process, fields, rtld, library):
    seed = Seed(process)
    base = process.bases[process.path(library)]
    r_debug, slots = rtld["_r_debug"], rtld["_rtld_global"] + fields.offset("rtld_global__dl_tls_dtv_slotinfo_list")
    seed.number(r_debug, "I")
    link_map = seed.pointer(r_debug + 8)
    while link_map:
        bias = process.read(link_map, "Q")
        # Only the library asked for needs the address it has.
        if bias == base:
            seed.pointer(link_map)
            module = seed.number(link_map + fields.offset("link_map_l_tls_modid"))
            seed.number(link_map + fields.offset("link_map_l_tls_offset"))
            break
        link_map = seed.pointer(link_map + 24)
    array = seed.pointer(slots)
    seed.number(array + fields.offset("dtv_slotinfo_list_len"))
    seed.number(array + fields.offset("dtv_slotinfo_list_slotinfo") + module * fields.size("dtv_slotinfo_list_slotinfo")
                + fields.offset("dtv_slotinfo_gen"))
    pthreads, slot = threads(process, fields, rtld, Seed(process))[0][:8], fields.size("dtv_dtv")
    for pthread in pthreads:
        dtv = seed.pointer(pthread + fields.offset("pthread_dtvp"))
        length = seed.number(dtv - slot)
        seed.number(dtv)
        if module <= length:
            seed.number(dtv + module * slot + fields.offset("dtv_t_pointer_val"))
    head = struct.pack("<HHH", seed.place(r_debug), seed.place(slots), seed.place(base))
    head += struct.pack("<HH", fields.offset("link_map_l_tls_modid"), fields.offset("link_map_l_tls_offset"))
    head += bytes([fields.offset("pthread_dtvp"), slot, fields.offset("dtv_t_pointer_val"), fields.offset("dtv_slotinfo_list_len"),
                   fields.offset("dtv_slotinfo_list_next"), fields.offset("dtv_slotinfo_list_slotinfo"),
                   fields.size("dtv_slotinfo_list_slotinfo"), fields.offset("dtv_slotinfo_gen"), len(pthreads)])
    return head + b"".join(struct.pack("<H", seed.place(p)) for p in pthreads) + seed.records


def main():
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    process = Process(int(sys.argv[1]))
    fields, rtld = Fields(process), process.symbols(r"/ld-linux[^/]*$")
    with open(sys.argv[3], "wb") as f:
        f.write(capture_thread_list(process, fields, rtld))
    with open(sys.argv[4], "wb") as f:
        f.write(capture_tls_lookup(process, fields, rtld, sys.argv[2]))


if __name__ == "__main__":
    main()
