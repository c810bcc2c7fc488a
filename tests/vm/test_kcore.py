# SPDX-License-Identifier: GPL-2.0-or-later
"""A kernel that looks at itself: `ktstr inspect /proc/kcore` inside a guest, against that guest's /proc."""

import json

import machine
import tap
import test_inspect


class Kcore(machine.GuestTest):
    @classmethod
    def setUpClass(cls):
        cls.guest = None
        if machine.guest.missing():
            return
        cls.guest = test_inspect.start("-i", f"{machine.KTSTR}:/ktstr")
        cls.before = test_inspect.proc(cls.guest)
        cls.seen = {view: cls.look(view) for view in ("tasks", "uptime", "rq", "uname", "modules")}
        cls.after = test_inspect.proc(cls.guest)

    @classmethod
    def tearDownClass(cls):
        if cls.guest:
            cls.guest.close()

    @classmethod
    def look(cls, view):
        """What it said, and which process said it."""
        said = cls.guest.ask(f"sh -c 'echo $$; exec /ktstr inspect /proc/kcore {view} --json --max-entries 0' 2>&1")
        return json.loads("\n".join(said[1:])) | {"by": int(said[0])}

    def test_every_thread_that_lived_all_the_time_is_there_as_proc_says(self):
        test_inspect.compare_threads(self, self.seen["tasks"] | {
            # Itself came and went, too.
            "tasks": [task for task in self.seen["tasks"]["tasks"] if task["pid"] != self.seen["tasks"]["by"]],
            "total": self.seen["tasks"]["total"] - 1}, self.before, self.after)

    def test_it_sees_itself_run(self):
        (task,) = [task for task in self.seen["tasks"]["tasks"] if task["pid"] == self.seen["tasks"]["by"]]
        self.assertEqual((task["comm"], task["state"], task["on_cpu"]), ("ktstr", "R", 1))

    def test_it_is_on_one_of_the_runqueues(self):
        cpus = self.seen["rq"]["cpus"]
        self.assertEqual([rq["cpu"] for rq in cpus], list(range(int(self.guest.ask("nproc")[0]))))
        (own,) = [rq for rq in cpus if rq["curr"]["pid"] == self.seen["rq"]["by"]]
        self.assertEqual(own["curr"]["comm"], "ktstr")
        self.assertGreaterEqual(own["nr_running"], 1)
        for rq in cpus:
            self.assertTrue(rq["online"])

    def test_time_lies_between_what_the_guest_read(self):
        test_inspect.compare_uptime(self, self.seen["uptime"], self.before, self.after)

    def test_uname(self):
        test_inspect.compare_uname(self, self.seen["uname"], self.guest)

    def test_modules(self):
        test_inspect.compare_modules(self, self.seen["modules"], self.guest)


if __name__ == "__main__":
    tap.main(__name__)
