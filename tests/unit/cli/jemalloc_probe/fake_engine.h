/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The probe's engine played from a script, with the interface of probe/probe.h. */
#ifndef KTSTR_TESTS_CLI_FAKE_ENGINE_H
#define KTSTR_TESTS_CLI_FAKE_ENGINE_H

#include "cli/jemalloc_probe/jemalloc_probe.h"
#include "probe/probe.h"

struct fake_thread {
	pid_t tid;
	const char *comm;
	uint64_t start_time_jiffies; /* 0: unknown */
	uint64_t allocated_bytes, deallocated_bytes;
	int error_errno; /* not 0: ptrace-seize was refused with it */
};

struct fake_engine {
	/* What probe_attach() answers: 0 is success, else one of these. */
	enum { FAKE_ATTACH_OK, FAKE_ATTACH_NOT_FOUND, FAKE_ATTACH_CANCELLED } attach;
	const struct fake_thread *threads; /* of each snapshot */
	size_t n_threads;
	uint64_t grows_by;		    /* allocated_bytes, from snapshot to snapshot */
	int fail_listing_at;		    /* number of the snapshot, from 1; 0 never */
	int interrupt_at;		    /* that snapshot comes back interrupted */
	int replaced_at;		    /* from that snapshot on the target has other memory */
	void (*after_snapshot)(int number); /* NULL: nothing happens */
	bool finish_cancelled;		    /* the end did not wait for a late thread */
	const struct probe_other *others;
	size_t n_others;
	/* What was seen. */
	int n_snapshots, n_attached, n_freed;
	enum probe_stop_policy stop;
};

extern struct fake_engine fake_engine;

/* A report with these threads in each of n snapshots, one second apart. */
struct probe_report fake_report(const struct fake_thread *threads, size_t n_threads, size_t n);

#endif
