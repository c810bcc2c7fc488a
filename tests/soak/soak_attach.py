# SPDX-License-Identifier: GPL-2.0-or-later
"""A thousand attaches of healthy schedulers, each in a guest of its own: none may be judged wrong."""

import judged
import tap
from share import rounds

ATTACHES = rounds(1000, least=4)


class Attaches(judged.Case):
    def test_healthy_schedulers_are_never_failed(self):
        done, _, out = self.run_tests("attach", "--repeat", str(ATTACHES // 2), "--jobs", "2", timeout=14000)
        records = [judged.load(path) for path in judged.record_paths(out)]
        self.assertEqual(len(records), ATTACHES // 2 * 2, done.stderr)
        wrong = [(r["name"], r["reason"], r["why"]) for r in records if r["verdict"] != "pass"]
        self.assertEqual(wrong, [])
        names = {r["scheduler_run"]["ops"] for r in records}
        self.assertEqual(names, {"ktfifo", "ktsdt"})


if __name__ == "__main__":
    tap.main(__name__)
