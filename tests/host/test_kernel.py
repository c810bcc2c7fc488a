# SPDX-License-Identifier: GPL-2.0-or-later
"""`ktstr kernel` on a real kernel: the default one of this machine's cache, in a cache of the test's own.

bpftool, readelf and zstd say what must come out; nothing is downloaded.
"""

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import unittest

import tap

KTSTR = os.environ["KTSTR"]
PATIENCE_S = 120


def run(*words, cache=None, **env):
    """The finished process; the environment's own kernel does not count."""
    whole = {k: v for k, v in os.environ.items() if not k.startswith("KTSTR_KERNEL")}
    if cache:
        whole["KTSTR_CACHE_DIR"] = cache
    whole.update(env)
    return subprocess.run([KTSTR, *words], capture_output=True, text=True, env=whole, timeout=PATIENCE_S, check=False)


def need(program):
    if not shutil.which(program, path=os.environ["PATH"] + ":/usr/sbin:/sbin"):
        raise unittest.SkipTest(f"{program} is not installed, so nobody else can say what is right")
    return shutil.which(program, path=os.environ["PATH"] + ":/usr/sbin:/sbin")


def setUpModule():
    global real, directory, cache, ids
    done = run("kernel", "list", "--json")
    listed = json.loads(done.stdout) if done.returncode == 0 else {}
    if "default" not in listed:
        raise unittest.SkipTest("no kernel is cached here; `ktstr kernel fetch` gets one")
    real = {k["id"]: k for k in listed["kernels"]}
    directory = tempfile.TemporaryDirectory(prefix="ktstr-kernel-")
    cache = os.path.join(directory.name, "cache")
    done = run("kernel", "add", real[listed["default"]]["paths"]["bzImage"], cache=cache)
    assert done.returncode == 0, done.stderr
    ids = done.stdout.split()


def tearDownModule():
    directory.cleanup()


def info(wanted, in_cache=None):
    done = run("kernel", "info", "--json", *([wanted] if wanted else []), cache=in_cache or cache)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def functions(btf):
    """FUNC name -> names of its parameters, as bpftool reads them."""
    text = subprocess.run([need("bpftool"), "btf", "dump", "file", btf, "format", "raw"], capture_output=True, text=True,
                          check=True).stdout
    protos, funcs, current = {}, {}, None
    for line in text.splitlines():
        if line.startswith("["):
            current = re.match(r"\[(\d+)\] (\w+) '([^']*)'(.*)", line)
            if current and current[2] == "FUNC_PROTO":
                protos[int(current[1])] = []
            if current and current[2] == "FUNC":
                funcs[current[3]] = int(re.search(r"type_id=(\d+)", current[4])[1])
        elif current and current[2] == "FUNC_PROTO":
            protos[int(current[1])].append(re.match(r"\s*'([^']*)'", line)[1])
    return {name: protos[proto] for name, proto in funcs.items()}, text


class RealKernel(unittest.TestCase):
    def setUp(self):
        self.kernel = info(ids[0])

    def test_release_is_that_of_the_file(self):
        with open(self.kernel["paths"]["bzImage"], "rb") as f:
            image = f.read()
        # What `file` prints, from where the boot protocol says it stands.
        at = int.from_bytes(image[0x20E:0x210], "little") + 0x200
        banner = image[at:image.index(b"\0", at)].decode()
        self.assertEqual(self.kernel["release"], banner.split()[0])
        self.assertEqual(ids, [self.kernel["release"]])

    def test_vmlinux_is_what_zstd_makes_of_the_payload(self):
        zstd = need("zstd")
        with open(self.kernel["paths"]["bzImage"], "rb") as f:
            payload = f.read()
        start = payload.index(b"\x28\xb5\x2f\xfd", 0x4000)
        done = subprocess.run([zstd, "-dc", "--long=31", "-"], input=payload[start:], capture_output=True, check=False)
        with open(self.kernel["paths"]["vmlinux"], "rb") as f:
            vmlinux = f.read()
        # What follows the stream is no zstd, so the tool's status says nothing.
        self.assertGreater(len(vmlinux), 1 << 20)
        self.assertEqual(done.stdout[:len(vmlinux)] == vmlinux, True)

    def test_build_id_is_the_one_readelf_finds(self):
        text = subprocess.run([need("readelf"), "-n", self.kernel["paths"]["vmlinux"]], capture_output=True, text=True,
                              check=True).stdout
        self.assertEqual(self.kernel["build_id"], re.search(r"Build ID: ([0-9a-f]+)", text)[1])

    def test_btf_is_the_section(self):
        path = self.kernel["paths"]["vmlinux"]
        text = subprocess.run([need("readelf"), "-SW", path], capture_output=True, text=True, check=True).stdout
        offset, size = (int(n, 16) for n in re.search(r"\.BTF\s+PROGBITS\s+\w+\s+(\w+)\s+(\w+)", text).groups())
        with open(self.kernel["paths"]["btf"], "rb") as ours, open(path, "rb") as whole:
            whole.seek(offset)
            self.assertEqual(ours.read() == whole.read(size), True)

    def test_check_agrees_with_bpftool_on_every_kernel_there_is(self):
        seen = 0
        for kernel in real.values():
            with self.subTest(kernel["id"]):
                done = run("kernel", "check", "--json", kernel["id"])
                answer = json.loads(done.stdout)
                funcs, text = functions(kernel["paths"]["btf"])
                scx = {n: p for n, p in funcs.items() if n.startswith("scx_bpf_") and not n.endswith("_impl")}
                leaky = sorted(n for n, p in scx.items() if "aux" in p)
                if "STRUCT 'sched_ext_ops'" not in text:
                    expected = "absent"
                else:
                    expected = "broken" if leaky else "usable"
                self.assertEqual(answer["sched_ext"], expected)
                self.assertEqual(answer["functions"], len(scx))
                self.assertEqual(answer["leaky"], len(leaky))
                self.assertEqual(done.returncode, 0 if expected == "usable" else 1)
                if expected == "broken":
                    self.assertEqual(sorted(answer["sched_ext_reason"].split(": ")[1].split(", ")), leaky)
                seen += 1
        self.assertGreater(seen, 0)


class Cache(unittest.TestCase):
    """Each test has a copy of the cache that it may spoil."""

    def setUp(self):
        self.directory = tempfile.TemporaryDirectory(prefix="ktstr-kernel-")
        self.addCleanup(self.directory.cleanup)
        self.cache = os.path.join(self.directory.name, "cache")
        shutil.copytree(cache, self.cache)
        self.id = ids[0]
        self.kernels = os.path.join(self.cache, "kernels")

    def ktstr(self, *words, **env):
        return run("kernel", *words, cache=self.cache, **env)

    def test_a_kernel_is_found_by_id_version_series_path_and_default(self):
        version = info(self.id, self.cache)["version"]
        series = ".".join(version.split(".")[:2])
        for word in (self.id, version, series, "newest", os.path.join(self.kernels, self.id), "default"):
            with self.subTest(word):
                self.assertEqual(info(word, self.cache)["id"], self.id)
        self.assertEqual(self.ktstr("info", KTSTR_KERNEL=series).returncode, 0)
        done = self.ktstr("info", KTSTR_KERNEL="1.0")
        self.assertEqual((done.returncode, "ktstr kernel fetch 1.0" in done.stderr), (1, True), done.stderr)

    def test_a_cached_kernel_is_not_fetched_again(self):
        done = self.ktstr("fetch", "--if-missing", PATH="/nonexistent")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, self.id + "\n", ""))

    def test_a_cut_file_is_damage_and_never_used(self):
        path = os.path.join(self.kernels, self.id, "vmlinux")
        os.truncate(path, os.path.getsize(path) - 1)
        listed = json.loads(self.ktstr("list", "--json").stdout)
        self.assertEqual(listed["kernels"], [])
        self.assertNotIn("default", listed)
        self.assertIn("vmlinux has", listed["damaged"][0]["reason"])
        self.assertIn("damaged", self.ktstr("list").stdout)
        done = self.ktstr("info", self.id)
        self.assertEqual(done.returncode, 1)
        self.assertIn(f"ktstr kernel remove {self.id}", done.stderr)
        self.assertEqual(self.ktstr("remove", self.id).returncode, 0)
        self.assertEqual(sorted(os.listdir(self.kernels)), ["lock"])

    def test_a_changed_byte_is_found_by_check(self):
        with open(os.path.join(self.kernels, self.id, "vmlinux"), "r+b") as f:
            f.seek(1 << 20)
            byte = f.read(1)
            f.seek(1 << 20)
            f.write(bytes([byte[0] ^ 1]))
        self.assertEqual(self.ktstr("list").returncode, 0)
        done = self.ktstr("check", self.id)
        self.assertEqual(done.returncode, 1)
        self.assertIn("vmlinux is not the file that was cached", done.stderr)

    def test_a_vmlinux_and_a_directory_can_be_added(self):
        kernel = os.path.join(self.kernels, self.id)
        other = os.path.join(self.directory.name, "other")
        for path in (os.path.join(kernel, "vmlinux"), kernel):
            with self.subTest(path):
                done = run("kernel", "add", path, cache=other)
                self.assertEqual((done.returncode, done.stdout), (0, self.id + "\n"), done.stderr)
                self.assertEqual(info(self.id, other)["build_id"], info(self.id, self.cache)["build_id"])

    def test_killing_at_any_moment_leaves_no_half_kernel(self):
        image = os.path.join(self.directory.name, "image")
        shutil.copy(os.path.join(self.kernels, self.id, "bzImage"), image)
        other = os.path.join(self.directory.name, "other")
        env = dict(os.environ, KTSTR_CACHE_DIR=other)
        for wait in [n / 50 for n in range(1, 40, 3)]:
            child = subprocess.Popen([KTSTR, "kernel", "add", image], env=env, stdout=subprocess.DEVNULL,
                                     stderr=subprocess.DEVNULL)
            with contextlib.suppress(subprocess.TimeoutExpired):
                child.wait(wait)
            child.send_signal(signal.SIGKILL)
            child.wait()
            done = run("kernel", "list", "--json", cache=other)
            listed = json.loads(done.stdout)
            self.assertEqual(listed["damaged"], [])
            for kernel in listed["kernels"]:
                self.assertNotIn("not the file", run("kernel", "check", kernel["id"], cache=other).stderr)
            shutil.rmtree(os.path.join(other, "kernels", self.id), ignore_errors=True)
        # Whatever the dead left, the next writer removes.
        self.assertEqual(run("kernel", "add", image, cache=other).returncode, 0)
        self.assertEqual(sorted(os.listdir(os.path.join(other, "kernels"))), sorted([self.id, "lock"]))

    def test_several_writers_wait_for_each_other(self):
        image = os.path.join(self.directory.name, "image")
        shutil.copy(os.path.join(self.kernels, self.id, "bzImage"), image)
        other = os.path.join(self.directory.name, "other")
        env = dict(os.environ, KTSTR_CACHE_DIR=other)
        children = [subprocess.Popen([KTSTR, "kernel", "add", image], env=env, stdout=subprocess.PIPE,
                                     stderr=subprocess.PIPE, text=True) for _ in range(3)]
        for child in children:
            out, err = child.communicate(timeout=PATIENCE_S)
            self.assertEqual((child.returncode, out), (0, self.id + "\n"), err)
        self.assertEqual(sorted(os.listdir(os.path.join(other, "kernels"))), sorted([self.id, "lock"]))


if __name__ == "__main__":
    tap.main(__name__)
