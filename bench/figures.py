# SPDX-License-Identifier: GPL-2.0-or-later
"""Figures of several rounds, as text."""

import statistics


def median(values):
    return statistics.median(values)


def spread(values, unit_ns, digits=1):
    """Median and, behind it, the least: other users of the machine only ever add."""
    return f"{median(values) / unit_ns:.{digits}f} ({min(values) / unit_ns:.{digits}f})"


def ratio(theirs, ours):
    value = median(theirs) / median(ours)
    return f"{value:.0f}x" if value >= 10 else f"{value:.1f}x"


def table(title, heads, rows, left=1):
    """Markdown that is also readable on a terminal."""
    rows = [[str(cell) for cell in row] for row in rows]
    widths = [max(len(row[i]) for row in [heads, *rows]) for i in range(len(heads))]

    def line(cells):
        return "| " + " | ".join(c.ljust(w) if i < left else c.rjust(w) for i, (c, w) in enumerate(zip(cells, widths))) + " |"

    rule = "|" + "|".join("-" * (w + 1) + ("-" if i < left else ":") for i, w in enumerate(widths)) + "|"
    return "\n".join([f"\n**{title}**\n", line(heads), rule, *map(line, rows)])
