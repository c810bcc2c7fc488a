/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Does a live process prove a row of the layout table? */
#ifndef KTSTR_PROBE_VALIDATE_H
#define KTSTR_PROBE_VALIDATE_H

#include "probe/layout.h"
#include "probe/state.h"

/*
 * Looks at every thread twice: at least one must have allocated and hold what nothing else looks
 * like. An error names what did not fit, or what is missing. A process we may not read cannot be
 * asked: that is not an error here, each thread will say it later. BASE_CANCELLED when there was
 * no time to look. shift is one of layout_shifts() of the row.
 */
struct error *validate_layout(struct probe *probe, const struct layout *layout,
			      int64_t shift) MUST_CHECK;

#endif
