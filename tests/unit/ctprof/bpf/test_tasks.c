// SPDX-License-Identifier: GPL-2.0-or-later
#include "ctprof/stages.h"

#include <sys/mount.h>
#include <sys/syscall.h>

#include "base/strbuf.h"
#include "parked.h"
#include "unit.h"

struct notes {
	struct strbuf text;
	unsigned int n;
};

/* *ret_sources: what all threads have. */
static struct error *read_bpf(const struct ctprof_options *options,
			      struct ctprof_snapshot *snapshot, uint32_t *ret_sources)
{
	struct error *err = ctprof_read_bpf(options, snapshot);

	*ret_sources = snapshot->threads.n ? METRIC_ALL_SOURCES : 0;
	for (size_t i = 0; i < snapshot->threads.n; i++)
		*ret_sources &= snapshot->threads.at[i].sources;
	return err;
}

static void note(const char *line, void *arg)
{
	struct notes *notes = arg;

	strbuf_append(&notes->text, line);
	notes->n++;
}

/* A snapshot by the iterator, or a skip with what it said. */
static uint32_t by_bpf(const pid_t *pids, size_t n_pids, uint32_t sources,
		       struct ctprof_snapshot *snapshot)
{
	struct notes notes = { 0 };
	struct ctprof_options options = {
		.root = "",
		.live = true,
		.bpf = true,
		.sources = sources,
		.pids = pids,
		.n_pids = n_pids,
		.note = note,
		.arg = &notes,
	};
	uint32_t complete = 0;

	assert_success(read_bpf(&options, snapshot, &complete));
	assert_int_equal(notes.n, 1);
	if (strstr(strbuf_str(&notes.text), "not BPF")) {
		assert_int_equal(complete, 0);
		assert_int_equal(snapshot->threads.n, 0);
		/* Refused by the verifier is no reason. */
		assert_true(strstr(strbuf_str(&notes.text), "[bpf-permission]") ||
			    strstr(strbuf_str(&notes.text), "[bpf-no-btf]"));
		print_message("# skip: %s\n", strbuf_str(&notes.text));
		strbuf_deinit(&notes.text);
		skip();
	}
	strbuf_deinit(&notes.text);
	return complete;
}

static void by_procfs(pid_t pid, uint32_t sources, struct ctprof_snapshot *snapshot)
{
	struct ctprof_options options = {
		.root = "",
		.live = true,
		.sources = sources,
		.jobs = 1,
		.pids = &pid,
		.n_pids = 1,
	};

	assert_success(ctprof_walk_threads(&options, 0, snapshot));
	ctprof_read_delays(&options, snapshot);
}

static unsigned int compare_texts(const char *what, const char *fast, const char *slow)
{
	if (strcmp(fast, slow) == 0)
		return 0;
	print_error("%s: '%s' by BPF, '%s' by /proc\n", what, fast, slow);
	return 1;
}

static bool same_cpus(const struct ctprof_snapshot *a, const struct metric_thread_sample *x,
		      const struct ctprof_snapshot *b, const struct metric_thread_sample *y)
{
	const struct ctprof_cpu_list *p = &a->cpu_lists.at[x->cpu_affinity];
	const struct ctprof_cpu_list *q = &b->cpu_lists.at[y->cpu_affinity];

	return p->n == q->n && memcmp(p->at, q->at, p->n * sizeof(*p->at)) == 0;
}

/* How many differences there are, each told. */
static unsigned int compare(const struct ctprof_snapshot *a, const struct metric_thread_sample *x,
			    const struct ctprof_snapshot *b, const struct metric_thread_sample *y)
{
	unsigned int bad = 0;

	bad += compare_texts("process", intern_text(&a->strings, x->pcomm),
			     intern_text(&b->strings, y->pcomm));
	bad += compare_texts("name", intern_text(&a->strings, x->comm),
			     intern_text(&b->strings, y->comm));
	bad += compare_texts("cgroup", intern_text(&a->strings, x->cgroup),
			     intern_text(&b->strings, y->cgroup));
	if (x->tid != y->tid || x->tgid != y->tgid || x->start_ticks != y->start_ticks ||
	    x->sources != y->sources || !same_cpus(a, x, b, y)) {
		print_error("%u/%u %llu 0x%x, %u/%u %llu 0x%x, or their CPUs\n", x->tgid, x->tid,
			    (unsigned long long)x->start_ticks, x->sources, y->tgid, y->tid,
			    (unsigned long long)y->start_ticks, y->sources);
		bad++;
	}
	for (enum metric_id id = 0; id < METRIC_N; id++) {
		if (metric_sample_knows(x, id) == metric_sample_knows(y, id) &&
		    x->values[id] == y->values[id])
			continue;
		print_error("%s of %u (%s): %d %llu by BPF, %d %llu by /proc\n",
			    metric_rows[id].name, x->tid, intern_text(&a->strings, x->comm),
			    metric_sample_knows(x, id), (unsigned long long)x->values[id],
			    metric_sample_knows(y, id), (unsigned long long)y->values[id]);
		bad++;
	}
	return bad;
}

/* Of a process whose threads stand still. */
static unsigned int compare_both_ways(void)
{
	_cleanup_ctprof_snapshot_ struct ctprof_snapshot fast, slow;
	struct parked parked;
	unsigned int bad = 0;

	ctprof_snapshot_init(&fast);
	ctprof_snapshot_init(&slow);
	if (!parked_start(&parked))
		return 1;
	by_bpf(&parked.pid, 1, CTPROF_BPF_SOURCES, &fast);
	by_procfs(parked.pid, CTPROF_BPF_SOURCES, &slow);
	parked_end(&parked);
	if (fast.threads.n != PARKED_THREADS + 1 || slow.threads.n != fast.threads.n)
		return 1;
	for (size_t i = 0; i < fast.threads.n; i++)
		bad += compare(&fast, &fast.threads.at[i], &slow, &slow.threads.at[i]);
	return bad;
}

static void bpf_and_procfs_agree_on_parked_threads(void **state)
{
	(void)state;
	skip_if_watched();
	assert_int_equal(compare_both_ways(), 0);
}

/* Numbers of threads and starts are those of our own namespaces. */
static void bpf_and_procfs_agree_in_pid_and_time_namespaces(void **state)
{
	_cleanup_ctprof_snapshot_ struct ctprof_snapshot any;
	int status;
	pid_t pid;

	(void)state;
	skip_if_watched();
	ctprof_snapshot_init(&any);
	by_bpf(NULL, 0, METRIC_SOURCE_BIT(STAT), &any);
	pid = fork();
	if (pid == 0) {
		int fd;

		if (unshare(CLONE_NEWPID | CLONE_NEWNS) < 0 ||
		    mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
			_exit(77);
		/* Not every kernel has time namespaces. */
		if (unshare(0x80) == 0) {
			fd = open("/proc/self/timens_offsets", O_WRONLY | O_CLOEXEC);
			if (fd < 0 || write(fd, "boottime 86400 5000000", 22) != 22)
				_exit(3);
			close(fd);
		}
		pid = fork();
		if (pid == 0) {
			if (mount("proc", "/proc", "proc", 0, NULL) < 0)
				_exit(77);
			_exit(compare_both_ways() ? 1 : 0);
		}
		waitpid(pid, &status, 0);
		_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 4);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	skip_unless(!WIFEXITED(status) || WEXITSTATUS(status) != 77, "no namespaces here");
	assert_int_equal(status, 0);
}

static uint64_t cpu_ticks(const struct metric_thread_sample *sample)
{
	assert_true(metric_sample_knows(sample, METRIC_UTIME_CLOCK_TICKS));
	return sample->values[METRIC_UTIME_CLOCK_TICKS] + sample->values[METRIC_STIME_CLOCK_TICKS];
}

/* What runs on must lie between what was read before and after. */
static void bpf_values_of_a_running_thread_lie_between_two_proc_reads(void **state)
{
	_cleanup_ctprof_snapshot_ struct ctprof_snapshot before, fast, after;
	uint32_t sources = CTPROF_BPF_SOURCES;
	pid_t pid = getpid();
	const struct metric_thread_sample *x, *y, *z;

	(void)state;
	ctprof_snapshot_init(&before);
	ctprof_snapshot_init(&fast);
	ctprof_snapshot_init(&after);
	by_procfs(pid, sources, &before);
	by_bpf(&pid, 1, sources, &fast);
	by_procfs(pid, sources, &after);
	assert_int_equal(before.threads.n, 1);
	assert_int_equal(fast.threads.n, 1);
	assert_int_equal(after.threads.n, 1);
	x = before.threads.at;
	y = fast.threads.at;
	z = after.threads.at;
	assert_int_equal(y->tid, pid);
	assert_int_equal(x->start_ticks, y->start_ticks);
	assert_int_equal(y->values[METRIC_STATE], 'R');
	for (enum metric_id id = 0; id < METRIC_N; id++) {
		if (metric_rows[id].kind != METRIC_KIND_SUM || !metric_sample_knows(x, id))
			continue;
		if (x->values[id] <= y->values[id] && y->values[id] <= z->values[id])
			continue;
		/* Split by ticks again each time; only their sum is sure. */
		if (id == METRIC_UTIME_CLOCK_TICKS || id == METRIC_STIME_CLOCK_TICKS)
			continue;
		fail_msg("%s: %llu, %llu, %llu", metric_rows[id].name,
			 (unsigned long long)x->values[id], (unsigned long long)y->values[id],
			 (unsigned long long)z->values[id]);
	}
	assert_in_range(cpu_ticks(y), cpu_ticks(x), cpu_ticks(z));
}

static void all_threads_are_there_and_sorted(void **state)
{
	_cleanup_ctprof_snapshot_ struct ctprof_snapshot all;
	bool found_self = false;
	uint32_t complete, everywhere = CTPROF_BPF_SOURCES;

	(void)state;
	ctprof_snapshot_init(&all);
	complete = by_bpf(NULL, 0, METRIC_ALL_SOURCES, &all);
	for (size_t i = 0; i < all.threads.n; i++) {
		const struct metric_thread_sample *at = &all.threads.at[i];

		everywhere &= at->sources;
		found_self |= at->tid == (uint32_t)getpid();
		if (i > 0)
			assert_true(at[-1].tgid < at->tgid ||
				    (at[-1].tgid == at->tgid && at[-1].tid < at->tid));
	}
	assert_true(found_self);
	assert_int_equal(complete, everywhere);
	assert_int_equal(all.paths[METRIC_SOURCE_STAT], CTPROF_SNAPSHOT_PATH_BPF);
	assert_int_equal(all.paths[METRIC_SOURCE_HEAP], CTPROF_SNAPSHOT_PATH_NONE);
	assert_true(complete & METRIC_SOURCE_BIT(STAT));
	assert_false(complete & METRIC_SOURCE_BIT(SMAPS));
}

static void a_thread_that_is_wanted_means_its_process(void **state)
{
	_cleanup_ctprof_snapshot_ struct ctprof_snapshot all, few;
	struct parked parked;
	pid_t pids[2];

	(void)state;
	skip_if_watched();
	ctprof_snapshot_init(&all);
	ctprof_snapshot_init(&few);
	assert_true(parked_start(&parked));
	by_bpf(&parked.pid, 1, METRIC_SOURCE_BIT(STAT), &all);
	pids[0] = getpid();
	pids[1] = (pid_t)all.threads.at[3].tid;
	by_bpf(pids, 2, METRIC_SOURCE_BIT(STAT), &few);
	parked_end(&parked);
	assert_int_equal(few.threads.n, 1 + PARKED_THREADS + 1);
	for (size_t i = 0; i < few.threads.n; i++)
		assert_true(few.threads.at[i].tgid == (uint32_t)pids[0] ||
			    few.threads.at[i].tgid == (uint32_t)parked.pid);
}

static void without_privilege_bpf_falls_back_to_proc_with_one_note(void **state)
{
	int status;
	pid_t pid;

	(void)state;
	skip_unless(getuid() == 0, "only root can become somebody else");
	pid = fork();
	if (pid == 0) {
		struct notes notes = { 0 };
		struct ctprof_options options = {
			.root = "",
			.live = true,
			.bpf = true,
			.sources = METRIC_ALL_SOURCES,
			.note = note,
			.arg = &notes,
		};
		struct ctprof_snapshot snapshot;
		uint32_t complete = 1;

		ctprof_snapshot_init(&snapshot);
		if (syscall(SYS_setuid, 65534) < 0)
			_exit(2);
		if (read_bpf(&options, &snapshot, &complete))
			_exit(3);
		_exit(notes.n != 1 || complete != 0 || snapshot.threads.n != 0 ||
		      !strstr(strbuf_str(&notes.text), "[bpf-"));
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static void bpf_is_not_used_for_a_staged_root_or_unless_asked(void **state)
{
	_cleanup_ctprof_snapshot_ struct ctprof_snapshot snapshot;
	struct ctprof_options options = { .root = "", .bpf = true, .sources = METRIC_ALL_SOURCES };
	uint32_t complete = 1;

	(void)state;
	ctprof_snapshot_init(&snapshot);
	assert_success(read_bpf(&options, &snapshot, &complete));
	options.live = true;
	options.bpf = false;
	assert_success(read_bpf(&options, &snapshot, &complete));
	options.bpf = true;
	options.sources = METRIC_SOURCE_BIT(SMAPS);
	assert_success(read_bpf(&options, &snapshot, &complete));
	assert_int_equal(complete, 0);
	assert_int_equal(snapshot.threads.n, 0);
}

static void a_loaded_iterator_serves_a_series(void **state)
{
	_cleanup_ctprof_snapshot_ struct ctprof_snapshot first, second;
	_cleanup_ctprof_bpf_tasks_ struct ctprof_bpf_tasks *tasks = NULL;
	struct ctprof_options options = {
		.root = "",
		.live = true,
		.bpf = true,
		.sources = METRIC_SOURCE_BIT(STATUS),
	};
	uint32_t complete = 0;

	(void)state;
	ctprof_snapshot_init(&first);
	ctprof_snapshot_init(&second);
	by_bpf(NULL, 0, METRIC_SOURCE_BIT(STATUS), &first);
	vec_clear(&first.threads);
	assert_success(ctprof_bpf_tasks_open(&tasks));
	options.bpf_tasks = tasks;
	assert_success(read_bpf(&options, &first, &complete));
	assert_success(read_bpf(&options, &second, &complete));
	assert_int_equal(complete, METRIC_SOURCE_BIT(STATUS));
	assert_true(first.threads.n > 1 && second.threads.n > 1);
}

static void bpf_is_not_loaded_for_few_threads(void **state)
{
	struct notes said = { 0 };
	_cleanup_ctprof_bpf_tasks_ struct ctprof_bpf_tasks *tasks = NULL;
	_cleanup_ctprof_snapshot_ struct ctprof_snapshot snapshot;
	const pid_t ours = getpid();
	struct ctprof_options options = {
		.root = "",
		.live = true,
		.bpf = true,
		.bpf_from_threads = 1000,
		.pids = &ours,
		.n_pids = 1,
		.sources = METRIC_SOURCE_BIT(STATUS),
		.note = note,
		.arg = &said,
	};
	uint32_t complete = 1;

	(void)state;
	ctprof_snapshot_init(&snapshot);
	assert_success(read_bpf(&options, &snapshot, &complete));
	assert_int_equal(complete, 0);
	assert_int_equal(snapshot.threads.n, 0);
	assert_contains(strbuf_str(&said.text), "through /proc, not BPF: there are ");
	assert_contains(strbuf_str(&said.text), "from 1000 on");
	strbuf_deinit(&said.text);
	/* From here on it must be allowed. */
	by_bpf(NULL, 0, METRIC_SOURCE_BIT(STATUS), &snapshot);
	vec_clear(&snapshot.threads);
	options.bpf_from_threads = 1;
	assert_success(read_bpf(&options, &snapshot, &complete));
	assert_true(snapshot.threads.n >= 1);
	assert_string_equal(strbuf_str(&said.text),
			    "threads are read through BPF: there are enough of them");
	strbuf_deinit(&said.text);
	vec_clear(&snapshot.threads);
	options.bpf_from_threads = 1000;
	assert_success(ctprof_bpf_tasks_open(&tasks));
	options.bpf_tasks = tasks;
	assert_success(read_bpf(&options, &snapshot, &complete));
	assert_true(snapshot.threads.n >= 1);
	assert_string_equal(strbuf_str(&said.text), "");
}

static void cancelling_returns_a_cancelled_error(void **state)
{
	_cleanup_ctprof_snapshot_ struct ctprof_snapshot snapshot;
	struct cancel cancel = { 0 };
	struct ctprof_options options = {
		.root = "",
		.live = true,
		.bpf = true,
		.sources = METRIC_ALL_SOURCES,
		.cancel = &cancel,
	};
	uint32_t complete;

	(void)state;
	ctprof_snapshot_init(&snapshot);
	by_bpf(NULL, 0, METRIC_SOURCE_BIT(STAT), &snapshot);
	cancel_request(&cancel);
	assert_error_tag(read_bpf(&options, &snapshot, &complete), "cancelled");
	assert_int_equal(snapshot.threads.n, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bpf_and_procfs_agree_on_parked_threads),
		cmocka_unit_test(bpf_and_procfs_agree_in_pid_and_time_namespaces),
		cmocka_unit_test(bpf_values_of_a_running_thread_lie_between_two_proc_reads),
		cmocka_unit_test(all_threads_are_there_and_sorted),
		cmocka_unit_test(a_thread_that_is_wanted_means_its_process),
		cmocka_unit_test(without_privilege_bpf_falls_back_to_proc_with_one_note),
		cmocka_unit_test(bpf_is_not_used_for_a_staged_root_or_unless_asked),
		cmocka_unit_test(a_loaded_iterator_serves_a_series),
		cmocka_unit_test(bpf_is_not_loaded_for_few_threads),
		cmocka_unit_test(cancelling_returns_a_cancelled_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
