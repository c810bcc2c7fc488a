/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Scheduling events of a guest, seen from outside by our plugin in QEMU: observe_begin() finds the
 * kernel's functions and writes a trace while the guest runs, observe_end() ends it.
 *
 * Nothing in the guest knows of it. What a kernel lacks blinds only its own kind of event, and the
 * trace says so.
 */
#ifndef KTSTR_OBSERVE_OBSERVE_H
#define KTSTR_OBSERVE_OBSERVE_H

#include "base/bytes.h"
#include "base/cancel.h"
#include "base/error.h"
#include "base/strbuf.h"
#include "vm/vm.h"

#define OBSERVE_ERRORS(X)                                            \
	X(OBSERVE_TRACE, "not-a-trace", "the bytes are not a trace") \
	X(OBSERVE_FILE, "trace-file", "the trace could not be written or read")
DECLARE_ERROR_DOMAIN(observe, OBSERVE, OBSERVE_ERRORS);

/* Kinds of events. Each is a row of events.c. */
enum observe_kind {
	OBSERVE_SWITCH,
	OBSERVE_WAKE,
	OBSERVE_NEW,
	OBSERVE_ENQUEUE,
	OBSERVE_DEQUEUE,
	OBSERVE_MIGRATE,
	OBSERVE_EXEC,
	OBSERVE_EXIT,
	OBSERVE_N_KINDS
};

enum { OBSERVE_LIMIT_VALUES = 12, OBSERVE_COMM_BYTES = 16 };

struct observe_observer;
/* The guest must have a virtual clock. The trace goes to `fd`, which stays open. */
struct error *observe_begin(struct vm *vm, int fd, const struct cancel *cancel,
			    struct observe_observer **ret) MUST_CHECK;
/* Writes what is left. NULL is fine. After it the guest is not observed any more. */
struct error *observe_end(struct observe_observer *observer) MUST_CHECK;

/* A trace that was read. */
struct observe_trace;

struct observe_value {
	const char *name; /* "next_pid" */
	bool known;	  /* false: the guest's memory could not be read */
	bool is_text;
	uint64_t number;
	char text[OBSERVE_COMM_BYTES + 1];
};

struct observe_event {
	uint64_t sequence; /* from 0, in the order of all CPUs */
	uint64_t time_ns;  /* it happened then, or up to early_ns before */
	uint32_t early_ns;
	bool has_cpu;
	uint32_t cpu;
	const char *kind; /* a word of events.c, or of a newer program */
	size_t n;
	struct observe_value values[OBSERVE_LIMIT_VALUES];
};

/* Borrows the bytes. OBSERVE_TRACE. */
struct error *observe_trace_open(struct bytes bytes, struct observe_trace **ret) MUST_CHECK;
void observe_trace_free(struct observe_trace *trace);
DEFINE_CLEANUP(observe_trace, struct observe_trace *, NULL, observe_trace_free);
#define _cleanup_observe_trace_ _cleanup_(cleanup_observe_trace)
/* Kinds that this kernel could not give, with the reason; empty: none is missing. */
const char *observe_trace_blind(const struct observe_trace *trace);
/* *ret_got is false at the end. A trace that is cut in the middle of an event is an error there. */
struct error *observe_trace_next(struct observe_trace *trace, struct observe_event *ret,
				 bool *ret_got) MUST_CHECK;

#endif
