# SPDX-License-Identifier: GPL-2.0-or-later
"""The owner of a guest killed at two hundred random moments."""

import tap
from share import rounds
from test_templates import Killed

Killed.ROUNDS = rounds(200)


if __name__ == "__main__":
    tap.main(__name__)
