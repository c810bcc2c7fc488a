// SPDX-License-Identifier: GPL-2.0-or-later
/* An author who forgot the tests. */
extern int nothing_to_see;
int nothing_to_see;
