/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Why work could not begin. */
#ifndef KTSTR_WORK_ERROR_H
#define KTSTR_WORK_ERROR_H

#include "base/error.h"

#define WORK_ERRORS(X)                                                           \
	X(WORK_SPEC, "work-spec", "the description of the work is not valid")    \
	X(WORK_START, "work-start", "a worker could not be started")             \
	X(WORK_PLACE, "work-place", "a worker could not be put into its cgroup") \
	X(WORK_LATE, "work-late", "workers were not ready in time")
DECLARE_ERROR_DOMAIN(work, WORK, WORK_ERRORS);

#endif
