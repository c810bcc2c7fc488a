/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A skip says why; the runner takes one without a reason as a failure. */
#ifndef KTSTR_TESTS_PROBE_SKIP_H
#define KTSTR_TESTS_PROBE_SKIP_H

#include "unit.h"

#define skip_unless(condition, reason)                         \
	do {                                                   \
		if (!(condition)) {                            \
			print_message("# skip: " reason "\n"); \
			skip();                                \
		}                                              \
	} while (0)

#endif
