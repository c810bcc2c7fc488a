/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef KTSTR_BPFLOAD_LIMITS_H
#define KTSTR_BPFLOAD_LIMITS_H

enum {
	/* What libbpf says is kept up to here; of a longer log, the end. */
	BPFLOAD_LOG_BYTES = 64 << 10,
	/* Of a log, this many of its last lines go into an error. */
	BPFLOAD_LOG_LINES = 6,
	/*
	 * The kernel's own buffer of an iterator: a longer read brings no more, a shorter one may
	 * end in the middle of what the program wrote.
	 */
	BPFLOAD_READ_PAGES = 8,
};

#endif
