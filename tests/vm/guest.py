# SPDX-License-Identifier: GPL-2.0-or-later
"""Boots the agent with the default kernel under QEMU (TCG), with nothing of ours between but the agent itself."""

import json
import os
import re
import shutil
import socket
import subprocess
import tempfile

import ktwire

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.environ.get("KTSTR_BUILD_DIR", os.path.join(ROOT, "build", "debug"))
AGENT = os.path.join(BUILD, "src", "agent", "ktstr-agent.stripped")
APPLETS = "sh cat echo ls sleep true false wc sha256sum head tail dd stat id tty stty mount grep ps kill od ip env pwd readlink hostname rm".split()


def kernel():
    """The image of the default kernel, or None."""
    ktstr = os.environ.get("KTSTR") or os.path.join(BUILD, "src", "cli", "ktstr")
    if not os.path.exists(ktstr):
        return None
    told = subprocess.run([ktstr, "kernel", "info", os.environ.get("KTSTR_KERNEL", "default"), "--json"],
                          capture_output=True, text=True, check=False)
    return json.loads(told.stdout)["paths"]["bzImage"] if told.returncode == 0 else None


def missing():
    """Why no guest can be booted here, or None."""
    if not shutil.which("qemu-system-x86_64"):
        return "qemu-system-x86_64 is not installed"
    if not shutil.which("busybox"):
        return "busybox is not installed"
    if not kernel():
        return "no kernel is in the cache: ktstr kernel fetch"
    return None


def libraries(program):
    text = subprocess.run(["ldd", program], capture_output=True, text=True, check=False).stdout
    return re.findall(r"(/\S+)", text)


def read(path):
    with open(path, "rb") as f:
        return f.read()


def initramfs(extra=()):
    busybox = shutil.which("busybox")
    entries = [("init", 0o100755, read(AGENT)), ("bin", 0o40755, b""), ("bin/busybox", 0o100755, read(busybox))]
    entries += [("bin/" + name, 0o120777, b"busybox") for name in APPLETS]
    directories = {"bin"}
    for path in libraries(busybox):
        parts = path.strip("/").split("/")
        for i in range(1, len(parts)):
            directory = "/".join(parts[:i])
            if directory not in directories:
                directories.add(directory)
                entries.append((directory, 0o40755, b""))
        entries.append((path.strip("/"), 0o100755, read(path)))
    entries += [(name, 0o40755, b"") for name in ("dev", "proc", "sys", "tmp", "run", "ktstr")]
    return ktwire.cpio([*entries, *extra])


class Guest:
    """A booted machine; `host` speaks with its agent, `console` is the kernel's text."""

    def __init__(self, cpus="1,sockets=1,cores=1,threads=1", memory="256M", append="", extra=(),
                 port="ktstr.ctl"):
        self.directory = tempfile.mkdtemp(prefix="ktstr-guest-")
        self.console_path = os.path.join(self.directory, "console")
        initrd = os.path.join(self.directory, "initrd")
        with open(initrd, "wb") as f:
            f.write(initramfs(extra))
        ours, theirs = socket.socketpair()
        args = ["qemu-system-x86_64", "-machine", "q35", "-smp", cpus, "-m", memory, "-nodefaults", "-no-user-config",
                "-display", "none", "-no-reboot", "-kernel", kernel(), "-initrd", initrd,
                "-chardev", f"file,id=con,path={self.console_path}", "-serial", "chardev:con"]
        words = "console=ttyS0 panic=-1 mitigations=off tsc=reliable no_timer_check " + append
        args += ["-accel", "tcg,thread=single", "-cpu", "Nehalem,level=32",
                 "-chardev", f"socket,id=ctl,fd={theirs.fileno()}", "-device", "virtio-serial-pci,max_ports=4",
                 "-device", f"virtserialport,chardev=ctl,name={port}"]
        args += ["-append", words]
        # Any answer may take a while on a slow machine without hardware virtualisation.
        self.host = ktwire.Host(ours, limit_s=180)
        self.process = subprocess.Popen(args, pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL)
        theirs.close()

    @property
    def console(self):
        return read(self.console_path).decode(errors="replace")

    def wait(self, limit_s=60):
        return self.process.wait(limit_s)

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.host.sock.close()
        shutil.rmtree(self.directory)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
