# SPDX-License-Identifier: GPL-2.0-or-later
"""The runner of tests killed at a hundred random moments, and four runners at once, three times over."""

import tap
import test_runners
from share import rounds

test_runners.Killed.ROUNDS = rounds(100)
test_runners.AtOnce.TIMES = rounds(3)
Killed, AtOnce = test_runners.Killed, test_runners.AtOnce


if __name__ == "__main__":
    tap.main(__name__)
