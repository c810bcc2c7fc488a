# SPDX-License-Identifier: GPL-2.0-or-later
"""A busy host, on purpose."""

import subprocess


class Load:
    """Shells that never sleep, ended by their numbers."""

    def __init__(self, n):
        self.shells = [subprocess.Popen(["sh", "-c", "while :; do :; done"]) for _ in range(n)]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for shell in self.shells:
            shell.kill()
            shell.wait()
