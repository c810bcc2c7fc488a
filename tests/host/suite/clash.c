// SPDX-License-Identifier: GPL-2.0-or-later
/* An author's functions that are called as some of ours. None of these may ever be called by us. */
#include <ktstr/short.h>
#include <stdlib.h>

#define OURS(name)       \
	void name(void); \
	void name(void)  \
	{                \
		abort(); \
	}
OURS(strbuf_append)
OURS(strbuf_append_bytes)
OURS(error_free)
OURS(json_key)
OURS(json_begin_object)
OURS(cpuset_add)
OURS(topology_check)
OURS(work_start)
OURS(wire_stage_name)
OURS(report_part)
OURS(report_open_line)
OURS(validate_entries)
OURS(entries_find)
OURS(run_test)
OURS(body_start)
OURS(io_write_all)
OURS(clock_monotonic_ns)
OURS(yyjson_read_opts)

static void says_one_thing(struct ktstr_ctx *ctx)
{
	EXPECT(ctx, 1 > 2, "as %s", "ever");
}
KTSTR_TEST(clash) = { .run = says_one_thing };
