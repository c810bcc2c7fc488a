# SPDX-License-Identifier: GPL-2.0-or-later
"""Speaks TAP for Python tests: `tap.main(__name__)` instead of unittest.main().

A test's name is its method's without "test_"; a skip needs a reason, as everywhere.
"""

import sys
import unittest


class TapResult(unittest.TestResult):
    def __init__(self):
        super().__init__()
        self.number = 0
        self.broken = {}

    def startTest(self, test):
        super().startTest(test)
        self.broken[test] = []

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self.broken.setdefault(test, []).append(self.failures[-1][1])

    def addError(self, test, err):
        super().addError(test, err)
        self.broken.setdefault(test, []).append(self.errors[-1][1])
        if not hasattr(test, "_testMethodName"):
            self.line(False, str(test), self.broken[test])

    def addSubTest(self, test, subtest, err):
        super().addSubTest(test, subtest, err)
        if err:
            where = self.failures if issubclass(err[0], test.failureException) else self.errors
            self.broken[test].append(f"{subtest._subDescription()}\n{where[-1][1]}")

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        test = getattr(test, "test_case", test)
        if self.broken[test] is None or self.broken[test]:
            return  # skipped already, or a sub-test failed, which counts more
        self.broken[test] = None
        self.line(True, name_of(test), directive=f" # SKIP {reason}")

    def stopTest(self, test):
        super().stopTest(test)
        if self.broken[test] is not None:
            self.line(not self.broken[test], name_of(test), self.broken[test])

    def line(self, ok, name, output=(), directive=""):
        self.number += 1
        print(f"{'ok' if ok else 'not ok'} {self.number} - {name}{directive}")
        for text in output:
            for line in text.splitlines():
                print(f"# {line}")
        sys.stdout.flush()


def name_of(test):
    return test._testMethodName.removeprefix("test_")


def main(module):
    suite = unittest.defaultTestLoader.loadTestsFromModule(sys.modules[module])
    print(f"1..{suite.countTestCases()}", flush=True)
    result = TapResult()
    suite.run(result)
    sys.exit(0 if result.wasSuccessful() else 1)
