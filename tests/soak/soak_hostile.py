# SPDX-License-Identifier: GPL-2.0-or-later
"""tests/vm/test_hostile.py with many more lies: `make test-hostile`, with the sanitizers on."""

import tap
import test_hostile
from share import rounds

test_hostile.LIES = rounds(10000)
Hostile = test_hostile.Hostile

if __name__ == "__main__":
    tap.main(__name__)
