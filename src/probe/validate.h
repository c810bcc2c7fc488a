/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Does a live process agree with a row of the layout table? */
#ifndef KTSTR_PROBE_VALIDATE_H
#define KTSTR_PROBE_VALIDATE_H

#include "probe/layout.h"
#include "probe/state.h"

/*
 * Looks at every thread twice. An error names what did not fit. A process we
 * may not read cannot be asked: that is no error here, each thread will say it later.
 * BASE_CANCELLED when there was no time to look. shift is layout_shift() of the row.
 */
struct error *validate_layout(struct probe *probe, const struct layout *layout,
			      int64_t shift) MUST_CHECK;

#endif
