# SPDX-License-Identifier: GPL-2.0-or-later
"""A probe killed at two thousand random moments, and a longer storm of signals."""

import tap
from share import rounds
from test_stops import Killed, Signals

Killed.ROUNDS = rounds(1000)
Signals.QUEUED = rounds(200000)
Signals.ONE_BY_ONE = rounds(2000)


if __name__ == "__main__":
    tap.main(__name__)
