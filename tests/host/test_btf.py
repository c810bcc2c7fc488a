# SPDX-License-Identifier: GPL-2.0-or-later
"""The room btf on a real kernel's types: bpftool and a compiler say what must come out."""

import json
import lzma
import os
import random
import re
import shutil
import subprocess
import tempfile
import unittest

import tap

DUMP = os.environ["KTSTR_BTF_DUMP"]
KTSTR = os.environ["KTSTR"]
PATIENCE_S = 200
SAMPLE = 1500
# Through nameless structs, arrays and structs of structs; some of them newer than others.
DEEP = (
    ("struct task_struct", "se.avg.util_avg"),
    ("struct task_struct", "thread_info.flags"),
    ("struct task_struct", "cpus_mask.bits[0]"),
    ("struct task_struct", "pending.list.prev"),
    ("struct rq", "cfs.nr_queued"),
    ("struct rq", "scx.local_dsq.nr"),
    ("struct module", "mem[2].base"),
    ("struct page", "_refcount.counter"),
    ("struct page", "lru.next"),
    ("struct page", "_mapcount.counter"),
    ("struct sk_buff", "cb[40]"),
    ("struct bpf_map", "name[15]"),
)


def program(name):
    found = shutil.which(name, path=os.environ["PATH"] + ":/usr/sbin:/sbin")
    if not found:
        raise unittest.SkipTest(f"{name} is not installed, so nobody else can say what is right")
    return found


def run(*words, **more):
    done = subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE_S, check=False, **more)
    assert done.returncode == 0, f"{words}: {done.stderr[-2000:]}"
    return done.stdout


def setUpModule():
    global kernel, btf, directory, raw
    bpftool = program("bpftool")
    done = subprocess.run([KTSTR, "kernel", "list", "--json"], capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    listed = json.loads(done.stdout) if done.returncode == 0 else {}
    if "default" not in listed:
        raise unittest.SkipTest("no kernel is cached here; `ktstr kernel fetch` gets one")
    kernel = next(k for k in listed["kernels"] if k["id"] == listed["default"])
    btf = os.path.join(os.path.dirname(kernel["paths"]["bzImage"]), "btf")
    if not os.path.exists(btf):
        raise unittest.SkipTest("the cached kernel has no BTF")
    directory = tempfile.TemporaryDirectory(prefix="ktstr-btf-")
    raw = run(bpftool, "btf", "dump", "file", btf, "format", "raw")


def tearDownModule():
    directory.cleanup()


def first_difference(ours, theirs):
    for number, (a, b) in enumerate(zip(ours.splitlines(), theirs.splitlines()), 1):
        if a != b:
            return f"line {number}: {a!r}, bpftool says {b!r}"
    return f"{len(ours.splitlines())} lines, bpftool has {len(theirs.splitlines())}"


def module_btf():
    """The types of some module of that kernel, or None."""
    top = os.path.join(os.path.dirname(btf), "modules")
    for where, _, names in sorted(os.walk(top)):
        for name in sorted(names):
            if not re.fullmatch(r"\w+\.ko(\.xz)?", name):
                continue
            with open(os.path.join(where, name), "rb") as f:
                bytes_ = f.read()
            ko, out = os.path.join(directory.name, "module.ko"), os.path.join(directory.name, "module.btf")
            with open(ko, "wb") as f:
                f.write(lzma.decompress(bytes_) if name.endswith(".xz") else bytes_)
            done = subprocess.run(["objcopy", "--dump-section", f".BTF={out}", ko, os.devnull], capture_output=True, check=False)
            if done.returncode == 0 and os.path.getsize(out) > 2000:
                return out
    return None


def sample():
    """Some members of structs whose names are theirs alone, and deep ones."""
    structs, members, current = {}, {}, None
    for line in raw.splitlines():
        head = re.match(r"\[\d+\] (\w+) '([^']*)'", line)
        if head:
            current = head[2] if head[1] == "STRUCT" and head[2] != "(anon)" else None
            if head[1] in ("STRUCT", "UNION", "ENUM", "TYPEDEF", "FWD"):
                structs[head[2]] = structs.get(head[2], 0) + 1
            if current:
                members[current] = []
        elif current and "bitfield_size" not in line:
            members[current].append(re.match(r"\t'([^']*)'", line)[1])
    rows = [(f"struct {s}", m) for s, ms in members.items() if structs[s] == 1 for m in ms if m != "(anon)"]
    chosen = random.Random(len(raw)).sample(rows, min(SAMPLE, len(rows)))
    # Those that another kernel does not have are no answers; most of them are.
    said = ask(DEEP)
    deep = [row for row, answer in zip(DEEP, said) if re.fullmatch(r"[\d ]+", answer)]
    assert len(deep) > len(DEEP) / 2, said
    return chosen + deep


def ask(rows):
    said = run(DUMP, "fields", btf, input="".join(f"{s} {p}\n" for s, p in rows)).splitlines()
    assert len(said) == len(rows)
    return said


class Types(unittest.TestCase):
    def test_every_type_of_a_kernel_is_what_bpftool_says(self):
        ours = run(DUMP, "types", btf)
        self.assertGreater(len(ours), 1000000)
        self.assertTrue(ours == raw, first_difference(ours, raw))

    def test_a_modules_types_continue_those_of_the_kernel(self):
        module = module_btf()
        if not module:
            self.skipTest("no module with BTF is cached for that kernel")
        theirs = run(program("bpftool"), "-B", btf, "btf", "dump", "file", module, "format", "raw")
        ours = run(DUMP, "types", module, btf)
        self.assertGreater(len(ours), 1000)
        self.assertTrue(ours == theirs, first_difference(ours, theirs))


class Layouts(unittest.TestCase):
    def test_members_lie_where_a_compiler_puts_them(self):
        cc = program("cc")
        header = os.path.join(directory.name, "kernel.h")
        with open(header, "w", encoding="utf-8") as f:
            f.write(run(program("bpftool"), "btf", "dump", "file", btf, "format", "c"))
        rows = sample()
        said = ask(rows)
        lines = []
        for (struct, path), answer in zip(rows, said):
            # The size of a flexible array is nobody's.
            has_size = not re.fullmatch(r"\d+ 0 0", answer)
            size = f"sizeof((({struct} *)0)->{path})" if has_size else "0"
            lines.append(f'printf("%lu %lu 0\\n", 8 * __builtin_offsetof({struct}, {path}), (unsigned long){size});')
        source = f'#define BPF_NO_PRESERVE_ACCESS_INDEX\n#include "{header}"\nint printf(const char *, ...);\nint main(void)\n{{\n' + "\n".join(lines) + "\nreturn 0;\n}\n"
        exe = os.path.join(directory.name, "layouts")
        # Kernels from 6.19 on have members that are structs with a tag and without a name.
        run(cc, "-w", "-fms-extensions", "-std=gnu11", "-O0", "-x", "c", "-", "-o", exe, input=source)
        theirs = run(exe).splitlines()
        self.assertGreater(len(theirs), SAMPLE)
        wrong = [f"{s}.{p}: {a}, the compiler says {b}" for (s, p), a, b in zip(rows, said, theirs) if a != b]
        self.assertEqual(wrong, [])

    def test_a_missing_type_or_member_is_named_with_a_suggestion(self):
        said = ask([("struct task_struct", "comn"), ("struct task_struc", "comm"), ("struct rq", "cfs.nr_queue.x")])
        self.assertRegex(said[0], r"no member 'comn'; did you mean .*\bcomm\b")
        self.assertRegex(said[1], r"no struct task_struc; did you mean .*\btask_struct\b")
        self.assertIn("no member", said[2])


if __name__ == "__main__":
    tap.main(__name__)
