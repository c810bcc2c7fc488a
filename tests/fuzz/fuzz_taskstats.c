// SPDX-License-Identifier: GPL-2.0-or-later
/* covers: src/procfs/taskstats_decode.c */
#include "fuzz.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "procfs/taskstats.h"

enum { FAMILY = 27 };

static void check_reading(struct procfs_reading reading)
{
	if (!reading.known && reading.value)
		abort();
}

static void check_values(const struct procfs_taskstats_values *values)
{
	for (int i = 0; i < PROCFS_N_TASKSTATS_DELAYS; i++) {
		check_reading(values->delays[i].count);
		check_reading(values->delays[i].total_ns);
		check_reading(values->delays[i].max_ns);
		check_reading(values->delays[i].min_ns);
		if (values->delays[i].min_ns.known && values->version < 15)
			abort();
	}
	check_reading(values->tgid);
	check_reading(values->hiwater_rss_bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	uint8_t *copy = memcpy(malloc(n ? n : 1), data, n);
	struct bytes datagram = { copy, n };
	struct procfs_taskstats_values values;
	struct procfs_taskstats_reply reply;
	uint16_t family = 0;
	uint32_t seq = 0;
	int errnum;

	procfs_taskstats_reply_parse(datagram, FAMILY, &reply);
	if (reply.kind != PROCFS_TASKSTATS_REPLY_SHORT)
		fuzz_mark_deep();
	if (reply.kind == PROCFS_TASKSTATS_REPLY_ERRNO && reply.errnum <= 0)
		abort();
	if (reply.kind == PROCFS_TASKSTATS_REPLY_VALUES)
		check_values(&reply.values);
	/* The struct alone, which chance rarely wraps rightly. */
	procfs_taskstats_values_parse(datagram, &values);
	check_values(&values);
	if (n >= 12)
		memcpy(&seq, copy + 8, sizeof(seq));
	if (procfs_taskstats_family_parse(datagram, seq, &family, &errnum) != (errnum == 0) ||
	    (errnum == 0 && family < 16))
		abort();
	free(copy);
	return 0;
}
