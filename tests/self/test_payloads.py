# SPDX-License-Identifier: GPL-2.0-or-later
"""Payloads that lie: what they print is theirs, what they claim is checked, what they forge is seen."""

import judged
import tap


class Payloads(judged.Judged):
    SUITE = "payloads"

    def test_fine_metrics_do_not_help_a_payload_that_failed(self):
        record = self.judged("claims_and_fails", "fail", "payload", "exit code 1, not 0", parts=["payload"])
        self.assertEqual([p["exit_code"] for p in record["payloads"]], [1])
        metrics = [m for entry in record["metrics"] for m in entry["metrics"]]
        self.assertEqual([(m["name"], m["unit"], m["polarity"]) for m in metrics if m["name"] == "ops_per_s"], [("ops_per_s", "ops", "HigherBetter")])
        self.assertEqual({a["member"] for a in record["absent"]} & set(record), set())
        self.assertIn({"name": "stats.worst_gap_ms", "unit": "ms", "polarity": "LowerBetter"}, record["measures"])

    def test_garbage_has_no_metrics(self):
        self.judged("prints_garbage", "fail", "payload", "metric ops_per_s is missing", parts=["payload"])

    def test_a_report_on_stdout_or_stderr_is_ignored(self):
        self.judged("reports_on_its_streams", "pass", "none", parts=[])

    def test_a_limit_of_a_rate_is_not_judged_in_virtual_time(self):
        virtual = judged.load(self.results["limits_a_rate"]["record"])["clock"] == "virtual"
        expected = ("inconclusive", "no-evidence", "rates are not judged with a virtual clock") if virtual else ("pass", "none")
        record = self.judged("limits_a_rate", *expected, parts=["no-evidence"] if virtual else [])
        polarity = {m["polarity"] for entry in record["metrics"] for m in entry["metrics"] if m["name"] == "ops_per_s"}
        self.assertEqual(polarity, {"Unknown" if virtual else "HigherBetter"})
        self.assertEqual([m["polarity"] for m in record["measures"] if m["name"] == "stats.total_iterations"], ["Unknown" if virtual else "HigherBetter"])

    def test_the_reports_descriptor_is_not_inherited(self):
        self.judged("writes_to_every_descriptor", "pass", "none", parts=[])

    def test_a_report_forged_through_proc_never_passes(self):
        # In its guest a payload is root and may write into any pipe. That its words become parts cannot be prevented
        # there; that the report is damaged is seen, because its true end comes behind the forged one.
        record = self.judged("forges_the_report", "fail", "expectation", "^forged$", parts=["expectation", "report"])
        self.assertRegex(record["parts"][1]["text"], "comes after the end")

    def test_a_test_that_is_killed_behind_a_forged_end_is_broken(self):
        self.judged("silences_the_test", "broken", "test-crashed", "signal 9 after the test's last report")


if __name__ == "__main__":
    tap.main(__name__)
