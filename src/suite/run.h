/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One test, from its first report line to its last. */
#ifndef KTSTR_SUITE_RUN_H
#define KTSTR_SUITE_RUN_H

#include <ktstr/ktstr.h>

/* The exit code: 0 when the report is complete, whatever it says. */
int suite_run_test(const struct ktstr_entry *entry);

#endif
