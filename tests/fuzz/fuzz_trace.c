// SPDX-License-Identifier: GPL-2.0-or-later
/* covers: src/observe/trace.c */
/* Any bytes as a trace: each event lies inside, its values are those of the head, and it ends. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "observe/observe.h"

static void check(const struct observe_event *event)
{
	fuzz_mark_deep();
	if (event->n > OBSERVE_LIMIT_VALUES || !event->kind)
		abort();
	for (size_t i = 0; i < event->n; i++)
		if (!event->values[i].name || strlen(event->values[i].text) > OBSERVE_COMM_BYTES)
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	_cleanup_observe_trace_ struct observe_trace *trace = NULL;
	struct error *err = observe_trace_open((struct bytes){ data, n }, &trace);
	bool got = !err;

	for (size_t i = 0; got; i++) {
		struct observe_event event;

		err = observe_trace_next(trace, &event, &got);
		if (!err && got)
			check(&event);
		/* Each takes bytes. */
		if (i > n)
			abort();
	}
	error_free(err);
	return 0;
}
