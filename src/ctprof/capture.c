// SPDX-License-Identifier: LGPL-2.1-or-later
#include "ctprof/capture.h"

#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/io.h"
#include "ctprof/walk.h"
#include "procfs/slice.h"

enum { BOOT_ID_BYTES = 256 };

static uint64_t unix_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (uint64_t)t.tv_sec * NS_PER_SEC + (uint64_t)t.tv_nsec;
}

static struct reading reading_of_sysconf(int name)
{
	long value = sysconf(name);

	return (struct reading){ .known = value > 0, .value = value > 0 ? (uint64_t)value : 0 };
}

static void read_identity(const struct capture_options *options, struct snapshot *snapshot)
{
	_cleanup_free_ char *path = xasprintf("%s/proc/sys/kernel/random/boot_id", options->root);
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	struct slice id;

	error_free(io_read_file(path, BOOT_ID_BYTES, &text));
	id = slice_trim((struct slice){ strbuf_str(&text), text.n });
	snapshot->boot_id = intern_add_n(&snapshot->strings, id.at, id.n);
	if (!options->live)
		return;
	/* Ours and not those of the machine that a tree of files was taken from. */
	snapshot->user_hz = reading_of_sysconf(_SC_CLK_TCK);
	snapshot->page_size = reading_of_sysconf(_SC_PAGESIZE);
}

static struct error *take_all(const struct capture_options *options, struct snapshot *snapshot)
{
	uint64_t began_ns = clock_monotonic_ns();
	struct error *err;

	snapshot->captured_at_unix_ns = unix_ns();
	snapshot->has_presence = true;
	read_identity(options, snapshot);
	host_facts_read(options->root, &snapshot->host);
	snapshot->has_host = true;
	err = walk_threads(options, began_ns, snapshot);
	snapshot->capture_end_unix_ns = (struct reading){ .known = true, .value = unix_ns() };
	return err;
}

struct error *capture_take(const struct capture_options *options, struct snapshot *ret)
{
	struct error *err;

	snapshot_init(ret);
	err = take_all(options, ret);
	if (err)
		snapshot_deinit(ret);
	return err;
}
