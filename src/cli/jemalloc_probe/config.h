/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KTSTR_CLI_JEMALLOC_PROBE_CONFIG_H
#define KTSTR_CLI_JEMALLOC_PROBE_CONFIG_H

#include "base/macros.h"

enum {
	SNAPSHOTS_MAX = 100000,
	MILLISECONDS_MAX = 3600000, /* an hour */
	/* Threads of all snapshots together that one result holds: about half a gigabyte. */
	REPORT_THREADS_MAX = 2 << 20,
};

/* What the command line says; the rows stand in program.c. */
struct probe_config {
	int32_t pid;
	uint32_t snapshots;
	uint64_t interval_ms;	 /* 0: not given */
	uint64_t abort_after_ms; /* 0: not given */
	const char *sidecar;	 /* NULL: not given */
	const char *object;	 /* NULL: not given */
	bool json;
	bool verbose;
	bool ptrace;
	bool no_ptrace;
	size_t threads_max; /* no option; 0 means REPORT_THREADS_MAX */
};

#endif
