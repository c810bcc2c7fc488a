# SPDX-License-Identifier: GPL-2.0-or-later
"""A guest whose shell waits for commands while `ktstr inspect` reads its memory."""

import json
import subprocess

import machine

END = "the-answer-ends-here"


def ktstr(*arguments):
    return subprocess.run([machine.KTSTR, *arguments], capture_output=True, check=False, timeout=machine.TIMEOUT)


def vm(*arguments):
    done = ktstr("vm", *arguments)
    done.check_returncode()
    return done.stdout.decode()


def inspect_source(source, *arguments):
    """What `ktstr inspect SOURCE …` prints; it must succeed and say nothing on standard error."""
    done = ktstr("inspect", source, *arguments)
    if done.returncode != 0 or done.stderr:
        raise AssertionError((done.returncode, done.stderr))
    return done.stdout.decode()


class ShellGuest:
    def __init__(self, *options):
        self.process = subprocess.Popen([machine.KTSTR, "shell", *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True, errors="surrogateescape")

    def send(self, script):
        self.process.stdin.write(script + "\n")
        self.process.stdin.flush()

    def ask(self, script):
        """The lines that the script prints in the guest."""
        self.send(f"{script}\necho {END}")
        lines = []
        for line in self.process.stdout:
            if line.rstrip("\n") == END:
                return lines
            lines.append(line.rstrip("\n"))
        raise AssertionError(f"the guest ended: {lines}")

    def close(self):
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait(machine.TIMEOUT)

    def listed(self):
        """Its row of `ktstr vm list`."""
        (found,) = [v for v in json.loads(vm("list", "--json"))["vms"] if v.get("owner", {}).get("pid") == self.process.pid]
        return found

    def id(self):
        return self.listed()["id"]

    def state(self):
        return self.listed()["state"]

    def source(self):
        return f"vm:{self.id()}"

    def inspect(self, *arguments):
        return inspect_source(self.source(), *arguments)
