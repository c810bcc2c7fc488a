# SPDX-License-Identifier: GPL-2.0-or-later
"""How much of a long run is wanted: KTSTR_SOAK_SHARE, 1 where nobody says; .ci/run takes a slice."""

import os


def rounds(n, least=1):
    return max(least, int(n * float(os.environ.get("KTSTR_SOAK_SHARE", "1"))))
