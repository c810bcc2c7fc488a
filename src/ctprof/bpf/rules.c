// SPDX-License-Identifier: LGPL-2.1-or-later
#include "ctprof/bpf/sample.h"

#include <sched.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/io.h"
#include "base/slice.h"
#include "ctprof/walk/thread.h"
#include "procfs/cpu_list.h"

enum { RULES_FILE_BYTES = 1 << 20 };

static bool read_text(const char *root, const char *path, struct strbuf *into)
{
	_cleanup_free_ char *full = xasprintf("%s%s", root, path);
	_cleanup_error_ struct error *err = NULL;

	strbuf_clear(into);
	err = io_read_file(full, RULES_FILE_BYTES, into);
	return !err;
}

bool ctprof_bpf_rules_parse_cpus(const char *text, size_t n,
				 uint64_t cpus[CTPROF_BPF_RECORD_CPU_WORDS])
{
	_cleanup_procfs_cpu_ids_ struct procfs_cpu_ids list = { 0 };

	if (!procfs_cpu_list_parse(text, n, &list))
		return false;
	memset(cpus, 0, CTPROF_BPF_RECORD_CPU_WORDS * sizeof(*cpus));
	for (size_t i = 0; i < list.ids.n; i++) {
		uint32_t id = list.ids.at[i];

		if (id >= CTPROF_BPF_RECORD_CPU_WORDS * 64)
			return false;
		cpus[id / 64] |= UINT64_C(1) << (id % 64);
	}
	return true;
}

/*
 * Lines of /proc/PID/sched come and go with the kernel's version, its options and a switch that
 * anybody may turn at any time, so the file is asked, not the version. The line `slice` is there
 * for threads of a fair policy only: our own, or else that of process 1.
 */
static void read_sched(const char *root, struct strbuf *text, struct ctprof_bpf_rules *rules)
{
	int policy = sched_getscheduler(0);
	bool is_fair = policy == SCHED_OTHER || policy == SCHED_BATCH || policy == 7;
	const char *path = is_fair ? "/proc/thread-self/sched" : "/proc/1/sched";
	struct metric_thread_sample ours = { 0 };

	if (!is_fair) {
		policy = sched_getscheduler(1);
		is_fair = policy == SCHED_OTHER || policy == SCHED_BATCH || policy == 7;
	}
	if (!is_fair || !read_text(root, path, text) ||
	    !ctprof_walk_take(METRIC_SOURCE_SCHED, text->at, text->n, &ours, NULL))
		return;
	rules->shows_sched = true;
	rules->shows_slice = metric_sample_knows(&ours, METRIC_FAIR_SLICE_NS);
	rules->shows_stats = metric_sample_knows(&ours, METRIC_NR_WAKEUPS);
	rules->shows_core_forceidle = metric_sample_knows(&ours, METRIC_CORE_FORCEIDLE_SUM);
	rules->shows_ext = metric_sample_knows(&ours, METRIC_EXT_ENABLED);
}

/*
 * sched_getaffinity(2) shows those CPUs of a thread's own that are active; a CPU is online and not
 * active only while it comes or goes. The call fails when the kernel may have more CPUs than fit.
 */
static void read_cpus(const char *root, struct strbuf *text, struct ctprof_bpf_rules *rules)
{
	uint64_t fits[CTPROF_BPF_RECORD_CPU_WORDS];

	rules->has_cpus = sched_getaffinity(0, sizeof(fits), (cpu_set_t *)fits) == 0 &&
			  read_text(root, "/sys/devices/system/cpu/online", text) &&
			  ctprof_bpf_rules_parse_cpus(strbuf_str(text), text->n, rules->cpus);
}

static bool has_nohz_full(const char *root, struct strbuf *text)
{
	uint64_t cpus[CTPROF_BPF_RECORD_CPU_WORDS];

	/* "(null)" or empty where there is none; a malformed list counts as none. */
	return read_text(root, "/sys/devices/system/cpu/nohz_full", text) &&
	       ctprof_bpf_rules_parse_cpus(strbuf_str(text), text->n, cpus);
}

void ctprof_bpf_rules_read(const char *root, struct ctprof_bpf_rules *ret)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	struct ctprof_bpf_rules rules = {
		.user_hz = (uint64_t)sysconf(_SC_CLK_TCK),
		.page_size = (uint64_t)sysconf(_SC_PAGESIZE),
	};

	/* With another frequency the kernel rounds in another way. */
	rules.is_vtime_used = NS_PER_SEC % rules.user_hz != 0 || has_nohz_full(root, &text);
	read_sched(root, &text, &rules);
	read_cpus(root, &text, &rules);
	if (read_text(root, "/proc/sys/kernel/task_delayacct", &text)) {
		rules.counts_cpu_delays = text.n > 0;
		rules.counts_delays = text.n > 0 && text.at[0] == '1';
	}
	*ret = rules;
}

enum {
	LOADAVG_BYTES = 256,
	LOADAVG_AVERAGES = 3,
	OWN_LINKS = 2, /* of a directory without others in it */
};

bool ctprof_thread_count_parse(const char *loadavg, size_t n, uint64_t *ret)
{
	struct slice rest = { loadavg, n }, word = { 0 }, running;

	for (int i = 0; i <= LOADAVG_AVERAGES; i++)
		if (!slice_take_word(&rest, &word))
			return false;
	return slice_take_until(&word, '/', &running) && slice_u64(word, ret);
}

/* A directory has a link from each directory in it; the one of a process that is gone has none. */
static uint64_t threads_of(const char *root, pid_t pid)
{
	_cleanup_free_ char *path = xasprintf("%s/proc/%d/task", root, (int)pid);
	struct stat st;

	return stat(path, &st) == 0 && st.st_nlink > OWN_LINKS ? st.st_nlink - OWN_LINKS : 0;
}

bool ctprof_thread_count_read(const struct ctprof_options *options, uint64_t *ret)
{
	_cleanup_free_ char *path = xasprintf("%s/proc/loadavg", options->root);
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	uint64_t n = 0;

	if (!options->n_pids) {
		error_free(io_read_file(path, LOADAVG_BYTES, &text));
		return ctprof_thread_count_parse(strbuf_str(&text), text.n, ret);
	}
	for (size_t i = 0; i < options->n_pids; i++)
		n += threads_of(options->root, options->pids[i]);
	*ret = n;
	return true;
}
