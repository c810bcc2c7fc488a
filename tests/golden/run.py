# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs the cases of one directory and compares what they print. Speaks TAP.

usage: run.py --version VERSION DIRECTORY PROGRAM
"""

import argparse
import difflib
import os
import re
import subprocess
import sys
import tempfile

TIMEOUT_SECONDS = 20
STREAMS = ("stdout", "stderr")


def normalise(text, version, tmp):
    """Replaces what differs between two runs, and nothing else."""
    text = text.replace(tmp, "@TMP@")
    text = re.sub(rf"(?<![\d.]){re.escape(version)}(?![\d.])", "@VERSION@", text)
    return re.sub(r"\bpid=[0-9]+\b", "pid=@PID@", text)


def read(path):
    try:
        with open(path, encoding="utf-8") as f:
            return f.read()
    except FileNotFoundError:
        return ""


def run_case(case, program, version):
    """The differences of one case, as lines; none when it is as expected."""
    command = read(os.path.join(case, "cmd"))
    wanted_exit = read(os.path.join(case, "expected.exit")).strip()
    if not command.strip() or not wanted_exit:
        return ["cmd and expected.exit must not be missing or empty"]
    with tempfile.TemporaryDirectory(prefix="ktstr-golden-") as tmp:
        env = {
            "PATH": os.path.dirname(os.path.abspath(program)) + ":/usr/bin:/bin",
            "HOME": tmp,
            "TMPDIR": tmp,
            "LC_ALL": "C.UTF-8",
        }
        # Sanitizers change nothing that is printed, but must be heard when they speak.
        env.update({k: v for k, v in os.environ.items() if k.endswith("SAN_OPTIONS")})
        try:
            done = subprocess.run(
                ["bash", "-c", command], cwd=tmp, env=env, stdin=subprocess.DEVNULL,
                capture_output=True, timeout=TIMEOUT_SECONDS, check=False)
        except subprocess.TimeoutExpired:
            return [f"no end within {TIMEOUT_SECONDS} s"]
        seen = {
            name: normalise(getattr(done, name).decode("utf-8", "backslashreplace"), version, tmp)
            for name in STREAMS
        }
    wrong = []
    for name in STREAMS:
        expected = read(os.path.join(case, f"expected.{name}"))
        wrong += difflib.unified_diff(
            expected.splitlines(), seen[name].splitlines(), f"expected.{name}", name, lineterm="")
        if not wrong and expected != seen[name]:
            wrong.append(f"{name}: the last line ends differently")
    if str(done.returncode) != wanted_exit:
        wrong.append(f"exit {done.returncode}, expected {wanted_exit}")
    return wrong


def cases_of(directory):
    return sorted(entry.path for entry in os.scandir(directory) if entry.is_dir())


def main(arguments):
    parser = argparse.ArgumentParser()
    parser.add_argument("--version", required=True)
    parser.add_argument("directory")
    parser.add_argument("program")
    args = parser.parse_args(arguments)
    cases = cases_of(args.directory)
    print(f"1..{len(cases)}")
    failed = not cases
    for number, case in enumerate(cases, 1):
        wrong = run_case(case, args.program, args.version)
        failed = failed or bool(wrong)
        print(f"{'not ok' if wrong else 'ok'} {number} - {os.path.basename(case)}")
        for line in wrong:
            print(f"# {line}")
        sys.stdout.flush()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
