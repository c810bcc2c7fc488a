// SPDX-License-Identifier: LGPL-2.1-or-later
#include "ctprof/capture.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/io.h"
#include "ctprof/stages.h"
#include "ctprof/heap/heap.h"
#include "base/slice.h"

enum { BOOT_ID_BYTES = 256, NUMBER_BYTES = 16 };

static struct procfs_reading now_of(clockid_t clock)
{
	struct timespec t;

	if (clock_gettime(clock, &t) != 0)
		return (struct procfs_reading){ 0 };
	return (struct procfs_reading){ true, false,
					(uint64_t)t.tv_sec * NS_PER_SEC + (uint64_t)t.tv_nsec };
}

static struct procfs_reading reading_of_sysconf(int name)
{
	long value = sysconf(name);

	return (struct procfs_reading){ .known = value > 0,
					.value = value > 0 ? (uint64_t)value : 0 };
}

/*
 * System calls, netlink and BPF have the numbers of our own pid namespace. Where /proc was mounted
 * in another one, the same number is another process there, and only files may be read.
 */
static bool proc_is_our_pid_namespace(const char *root)
{
	_cleanup_free_ char *path = xasprintf("%s/proc/self", root);
	char ours[NUMBER_BYTES], theirs[NUMBER_BYTES];
	int ours_n = snprintf(ours, sizeof(ours), "%d", (int)getpid());
	ssize_t n = readlink(path, theirs, sizeof(theirs));

	return n == ours_n && memcmp(ours, theirs, (size_t)n) == 0;
}

/* Time namespaces are there since Linux 5.6. */
static struct procfs_reading namespace_of_us(const char *root, const char *name)
{
	_cleanup_free_ char *path = xasprintf("%s/proc/self/ns/%s", root, name);
	struct stat st;

	if (stat(path, &st) != 0)
		return (struct procfs_reading){ 0 };
	return (struct procfs_reading){ true, false, st.st_ino };
}

static void read_identity(const struct ctprof_options *options, struct ctprof_snapshot *snapshot)
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
	snapshot->captured_at_boottime_ns = now_of(CLOCK_BOOTTIME);
	snapshot->time_namespace = namespace_of_us(options->root, "time");
	/* Where /proc is of another one, that one's number is not known. */
	if (proc_is_our_pid_namespace(options->root))
		snapshot->pid_namespace = namespace_of_us(options->root, "pid");
}

static void disable_live_sources(struct ctprof_options *options)
{
	if (!options->live || proc_is_our_pid_namespace(options->root))
		return;
	options->live = false;
	if (options->note)
		options->note(
			"/proc shows another pid namespace than ours: no BPF, no taskstats, no heap counters; mount ours there, as unshare --mount-proc does",
			options->arg);
}

/* A path that gives all in one pass goes first; the walk does what is left of its sources. */
static struct error *take_threads(const struct ctprof_options *options,
				  struct ctprof_snapshot *snapshot)
{
	uint64_t began_ns = clock_monotonic_ns();
	struct error *err = ctprof_read_bpf(options, snapshot);

	return err ? err : ctprof_walk_threads(options, began_ns, snapshot);
}

static void read_host_state(const struct ctprof_options *options, struct ctprof_snapshot *snapshot)
{
	_cleanup_free_ char *pressure = xasprintf("%s/proc/pressure", options->root);

	procfs_pressure_read(pressure, "", &snapshot->pressure);
	procfs_sched_ext_read(options->root, &snapshot->strings, &snapshot->sched_ext);
}

static struct error *take_all(struct ctprof_options *options, struct ctprof_snapshot *snapshot)
{
	struct error *err;

	snapshot->captured_at_unix_ns = now_of(CLOCK_REALTIME).value;
	snapshot->has_presence = true;
	read_identity(options, snapshot);
	disable_live_sources(options);
	host_facts_read(options->root, &snapshot->host);
	snapshot->has_host = true;
	err = take_threads(options, snapshot);
	if (err)
		return err;
	/* What is quick first: the values of a thread should be of one moment. */
	ctprof_read_delays(options, snapshot);
	ctprof_read_heap(options, snapshot);
	ctprof_read_cgroups(options, snapshot);
	read_host_state(options, snapshot);
	snapshot->capture_end_unix_ns = now_of(CLOCK_REALTIME);
	if (snapshot->captured_at_boottime_ns.known)
		snapshot->capture_end_boottime_ns = now_of(CLOCK_BOOTTIME);
	return cancel_error(options->cancel, "taking a snapshot");
}

struct error *ctprof_capture_take(const struct ctprof_options *options, struct ctprof_snapshot *ret)
{
	struct ctprof_options all = *options;
	struct error *err;

	/* Whoever chooses by cgroup needs it. */
	if (options->cgroup_glob)
		all.sources |= METRIC_SOURCE_BIT(CGROUP);
	ctprof_snapshot_init(ret);
	err = take_all(&all, ret);
	if (err)
		ctprof_snapshot_deinit(ret);
	return err;
}
