// SPDX-License-Identifier: GPL-2.0-or-later
#include "ctprof/stages.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "fake_proc.h"

static struct error *walk(const struct ctprof_options *options, struct ctprof_snapshot *ret)
{
	ctprof_snapshot_init(ret);
	return ctprof_walk_threads(options, clock_monotonic_ns(), ret);
}

static void assert_in_order(const struct ctprof_snapshot *snapshot)
{
	for (size_t i = 1; i < snapshot->threads.n; i++) {
		const struct metric_thread_sample *a = &snapshot->threads.at[i - 1], *b = a + 1;

		assert_true(a->tgid < b->tgid || (a->tgid == b->tgid && a->tid < b->tid));
	}
}

static void small_and_large_processes_come_out_in_order(void **state UNUSED)
{
	enum { LARGE = 300, SMALL = 40 };
	char *root = staged_root_new();

	for (int i = 0; i < SMALL; i++)
		fake_thread(root, 100 + 10 * i, 100 + 10 * i, "small", 1);
	for (int i = 0; i < LARGE; i++) {
		_cleanup_free_ char *name = xasprintf("t%d", i);
		_cleanup_free_ char *line = xasprintf("%s\n", name);

		fake_file(root, 150, 1000 + i, "comm", line);
	}
	for (unsigned int jobs = 1; jobs <= 3; jobs++) {
		const struct ctprof_options options = {
			.root = root,
			.sources = METRIC_SOURCE_BIT(COMM),
			.jobs = jobs,
		};
		_cleanup_ctprof_snapshot_ struct ctprof_snapshot snapshot;

		assert_success(walk(&options, &snapshot));
		assert_int_equal(snapshot.threads.n, LARGE + SMALL);
		assert_in_order(&snapshot);
		assert_int_equal(snapshot.parse.tids_walked, LARGE + SMALL);
		for (size_t i = 0; i < snapshot.threads.n; i++) {
			const struct metric_thread_sample *t = &snapshot.threads.at[i];
			_cleanup_free_ char *name = t->tid >= 1000
							    ? xasprintf("t%d", (int)t->tid - 1000)
							    : xstrdup("small");

			assert_string_equal(intern_text(&snapshot.strings, t->comm), name);
			assert_string_equal(intern_text(&snapshot.strings, t->pcomm), "small");
		}
	}
	staged_root_free(root);
}

static void each_source_records_its_path_or_that_it_was_not_asked(void **state UNUSED)
{
	char *root = staged_root_new();
	const struct ctprof_options options = {
		.root = root,
		.sources = METRIC_SOURCE_BIT(COMM) | METRIC_SOURCE_BIT(AFFINITY),
		.jobs = 1,
	};
	_cleanup_ctprof_snapshot_ struct ctprof_snapshot snapshot;

	fake_thread(root, 1, 1, "x", 1);
	fake_thread(root, 2, 2, "x", 1);
	assert_success(walk(&options, &snapshot));
	assert_int_equal(snapshot.paths[METRIC_SOURCE_COMM], CTPROF_SNAPSHOT_PATH_PROCFS);
	assert_int_equal(snapshot.paths[METRIC_SOURCE_AFFINITY], CTPROF_SNAPSHOT_PATH_PROCFS);
	assert_int_equal(snapshot.paths[METRIC_SOURCE_STAT], CTPROF_SNAPSHOT_PATH_NONE);
	assert_int_equal(snapshot.reasons[METRIC_SOURCE_STAT][CTPROF_SNAPSHOT_REASON_NOT_ASKED], 2);
	assert_int_equal(snapshot.reasons[METRIC_SOURCE_COMM][CTPROF_SNAPSHOT_REASON_NOT_ASKED], 0);
	/* Not the walk's. */
	assert_int_equal(snapshot.reasons[METRIC_SOURCE_HEAP][CTPROF_SNAPSHOT_REASON_NOT_ASKED], 0);
	staged_root_free(root);
}

static void keep_line(const char *line, void *arg)
{
	strbuf_append(arg, line);
}

static void only_the_wanted_processes_are_walked(void **state UNUSED)
{
	static const pid_t some[] = { 30, 21, 7, 10, 30 }, none[] = { 7 };
	_cleanup_strbuf_ struct strbuf notes = STRBUF_INIT;
	char *root = staged_root_new();
	struct ctprof_options options = {
		.root = root,
		.sources = METRIC_SOURCE_BIT(COMM),
		.pids = some,
		.n_pids = ARRAY_SIZE(some),
		.jobs = 1,
		.note = keep_line,
		.arg = &notes,
	};
	struct ctprof_snapshot snapshot;

	fake_thread(root, 10, 10, "x", 1);
	fake_thread(root, 20, 20, "x", 1);
	fake_thread(root, 20, 21, "x", 1);
	/* /proc knows every thread, though it lists only leaders. */
	fake_text(root, "/proc/21/status", "Tgid:\t20\n");
	fake_thread(root, 30, 30, "x", 1);
	fake_thread(root, 40, 40, "x", 1);
	assert_success(walk(&options, &snapshot));
	assert_int_equal(snapshot.threads.n, 4);
	assert_int_equal(snapshot.threads.at[0].tgid, 10);
	assert_int_equal(snapshot.threads.at[2].tgid, 20);
	assert_int_equal(snapshot.threads.at[2].tid, 21);
	assert_int_equal(snapshot.threads.at[3].tgid, 30);
	assert_string_equal(strbuf_str(&notes), "there is no process 7");
	ctprof_snapshot_deinit(&snapshot);
	options.pids = none;
	options.n_pids = 1;
	assert_error_tag(walk(&options, &snapshot), "absent");
	ctprof_snapshot_deinit(&snapshot);
	staged_root_free(root);
}

/* An iterator found process 20, of which /proc has a name to add, and was not shown 10 and 30. */
static void processes_not_found_by_bpf_are_read_from_proc(void **state UNUSED)
{
	char *root = staged_root_new();
	const struct ctprof_options options = {
		.root = root,
		.sources = METRIC_SOURCE_BIT(COMM) | METRIC_SOURCE_BIT(STAT),
		.jobs = 2,
	};
	_cleanup_ctprof_snapshot_ struct ctprof_snapshot snapshot;
	struct metric_thread_sample found = {
		.tid = 20,
		.tgid = 20,
		.sources = METRIC_SOURCE_BIT(STAT),
		.start_ticks = 7,
	};

	fake_thread(root, 10, 10, "before", 1);
	fake_thread(root, 20, 20, "found", 7);
	fake_thread(root, 20, 21, "later", 8);
	fake_thread(root, 30, 30, "after", 1);
	ctprof_snapshot_init(&snapshot);
	metric_sample_set(&found, METRIC_MINFLT, 4711);
	vec_push(&snapshot.threads, found);
	snapshot.paths[METRIC_SOURCE_STAT] = CTPROF_SNAPSHOT_PATH_BPF;
	snapshot.parse.negative_dotted_values = 3;
	assert_success(ctprof_walk_threads(&options, 0, &snapshot));
	assert_int_equal(snapshot.threads.n, 3);
	assert_in_order(&snapshot);
	assert_int_equal(snapshot.threads.at[1].tid, 20);
	assert_int_equal(snapshot.threads.at[1].values[METRIC_MINFLT], 4711);
	assert_string_equal(intern_text(&snapshot.strings, snapshot.threads.at[1].comm), "found");
	assert_string_equal(intern_text(&snapshot.strings, snapshot.threads.at[0].comm), "before");
	assert_int_equal(snapshot.threads.at[2].values[METRIC_MINFLT], 110);
	assert_int_equal(snapshot.parse.tids_walked, 3);
	assert_int_equal(snapshot.parse.negative_dotted_values, 3);
	assert_int_equal(snapshot.paths[METRIC_SOURCE_STAT], CTPROF_SNAPSHOT_PATH_BPF);
	assert_int_equal(snapshot.paths[METRIC_SOURCE_COMM], CTPROF_SNAPSHOT_PATH_PROCFS);
	staged_root_free(root);
}

static void a_process_with_an_unreadable_task_directory_is_noted(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf notes = STRBUF_INIT;
	char *root = staged_root_new();
	const struct ctprof_options options = {
		.root = root,
		.sources = METRIC_SOURCE_BIT(COMM),
		.note = keep_line,
		.arg = &notes,
	};
	_cleanup_ctprof_snapshot_ struct ctprof_snapshot snapshot;

	fake_thread(root, 10, 10, "x", 1);
	fake_text(root, "/proc/20/task", "a file and no directory");
	/* One that is gone by now is nothing to tell. */
	fake_text(root, "/proc/30/comm", "x\n");
	assert_success(walk(&options, &snapshot));
	assert_int_equal(snapshot.threads.n, 1);
	assert_string_equal(strbuf_str(&notes),
			    "1 processes do not show their threads: Not a directory");
	assert_int_equal(snapshot.closed_processes, 1);
	staged_root_free(root);
}

static void a_cancelled_walk_is_an_error(void **state UNUSED)
{
	char *root = staged_root_new();
	struct cancel cancel = { .deadline_ns = 1 };
	const struct ctprof_options options = {
		.root = root,
		.sources = METRIC_SOURCE_BIT(COMM),
		.cancel = &cancel,
	};
	_cleanup_ctprof_snapshot_ struct ctprof_snapshot snapshot;

	fake_thread(root, 1, 1, "x", 1);
	assert_error_tag(walk(&options, &snapshot), "cancelled");
	assert_int_equal(snapshot.threads.n, 0);
	staged_root_free(root);
}

static void count_progress(const struct ctprof_progress *progress, void *arg)
{
	struct ctprof_progress *last = arg;

	assert_true(progress->processes_done >= last->processes_done);
	assert_string_equal(progress->stage, "threads");
	*last = *progress;
}

static void progress_ends_with_everything_done(void **state UNUSED)
{
	char *root = staged_root_new();
	struct ctprof_progress last = { 0 };
	const struct ctprof_options options = {
		.root = root,
		.sources = METRIC_SOURCE_BIT(COMM),
		.jobs = 1,
		.progress = count_progress,
		.arg = &last,
	};
	_cleanup_ctprof_snapshot_ struct ctprof_snapshot snapshot;

	fake_thread(root, 1, 1, "x", 1);
	fake_thread(root, 2, 2, "x", 1);
	fake_thread(root, 2, 3, "x", 1);
	assert_success(walk(&options, &snapshot));
	assert_int_equal(last.processes_done, 2);
	assert_int_equal(last.processes_total, 2);
	assert_int_equal(last.threads, 3);
	staged_root_free(root);
}

static void *short_lived(void *arg)
{
	atomic_fetch_add((atomic_ulong *)arg, 1);
	return NULL;
}

struct churn {
	atomic_bool stop;
	atomic_ulong born;
};

static void *give_birth(void *arg)
{
	struct churn *churn = arg;

	while (!atomic_load(&churn->stop)) {
		pthread_t thread;

		if (pthread_create(&thread, NULL, short_lived, &churn->born) == 0)
			pthread_join(thread, NULL);
	}
	return NULL;
}

/* Threads of our own process end while it is walked: kept or dropped, never half. */
static void threads_may_end_while_they_are_read(void **state UNUSED)
{
	enum { ROUNDS = 30 };
	const pid_t self = getpid();
	const struct ctprof_options options = {
		.root = "",
		.live = true,
		.sources = CTPROF_WALK_SOURCES & ~METRIC_SOURCE_BIT(SMAPS),
		.pids = &self,
		.n_pids = 1,
		.jobs = 2,
	};
	struct churn churn = { .born = 0 };
	pthread_t mother;

	assert_int_equal(pthread_create(&mother, NULL, give_birth, &churn), 0);
	for (int i = 0; i < ROUNDS; i++) {
		_cleanup_ctprof_snapshot_ struct ctprof_snapshot snapshot;
		uint64_t absent = 0;

		assert_success(walk(&options, &snapshot));
		/* We and the mother are there all the time. */
		assert_true(snapshot.threads.n >= 2);
		assert_true(snapshot.parse.tids_walked >= snapshot.threads.n);
		for (size_t t = 0; t < snapshot.threads.n; t++) {
			const struct metric_thread_sample *sample = &snapshot.threads.at[t];

			assert_true(sample->comm != 0 || sample->start_ticks != 0);
			absent += (uint64_t)__builtin_popcount(options.sources & ~sample->sources);
		}
		/* Each source that is not there has a reason. */
		for (size_t source = 0; source < METRIC_N_SOURCES; source++)
			for (size_t r = 0; options.sources >> source & 1 && r < CTPROF_N_REASONS;
			     r++)
				absent -= snapshot.reasons[source][r];
		assert_int_equal(absent, 0);
	}
	atomic_store(&churn.stop, true);
	pthread_join(mother, NULL);
	assert_true(churn.born > 0);
}

/* Threads 1000, 1001, … of a process that has only names. */
static void fake_names(const char *root, int tgid, int n)
{
	_cleanup_free_ char *path = xasprintf("/proc/%d/comm", tgid);
	_cleanup_free_ char *name = xasprintf("process-%d\n", tgid);

	fake_text(root, path, name);
	for (int i = 0; i < n; i++)
		fake_file(root, tgid, 1000 * tgid + i, "comm", "x\n");
}

static void every_thread_of_a_large_process_is_read_once(void **state UNUSED)
{
	/* Around what one worker reads alone, and whole and broken stretches. */
	static const int sizes[] = { 256, 257, 384, 385 };

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		char *root = staged_root_new();
		const struct ctprof_options options = {
			.root = root,
			.sources = METRIC_SOURCE_BIT(COMM),
			.jobs = 3,
		};
		_cleanup_ctprof_snapshot_ struct ctprof_snapshot snapshot;

		fake_names(root, 7, sizes[i]);
		assert_success(walk(&options, &snapshot));
		assert_int_equal(snapshot.threads.n, sizes[i]);
		assert_in_order(&snapshot);
		assert_int_equal(snapshot.parse.tids_walked, sizes[i]);
		staged_root_free(root);
	}
}

static void large_processes_keep_their_names_apart(void **state UNUSED)
{
	char *root = staged_root_new();
	const struct ctprof_options options = {
		.root = root,
		.sources = METRIC_SOURCE_BIT(COMM),
		.jobs = 2,
	};
	_cleanup_ctprof_snapshot_ struct ctprof_snapshot snapshot;

	for (int tgid = 1; tgid <= 3; tgid++)
		fake_names(root, tgid, 300);
	assert_success(walk(&options, &snapshot));
	assert_int_equal(snapshot.threads.n, 900);
	for (size_t i = 0; i < snapshot.threads.n; i++) {
		const struct metric_thread_sample *t = &snapshot.threads.at[i];
		_cleanup_free_ char *name = xasprintf("process-%u", t->tgid);

		assert_int_equal(t->tid / 1000, t->tgid);
		assert_string_equal(intern_text(&snapshot.strings, t->pcomm), name);
		assert_true(t->read_at_ns < NS_PER_SEC * 60);
	}
	staged_root_free(root);
}

static void cancel_at_progress(const struct ctprof_progress *progress UNUSED, void *arg)
{
	cancel_request(arg);
}

/* What was listed and not read is given back: the sanitizer sees what is not. */
static void a_cancel_leaves_listed_threads_unread(void **state UNUSED)
{
	char *root = staged_root_new();
	struct cancel cancel = { .deadline_ns = 0 };
	const struct ctprof_options options = {
		.root = root,
		.sources = METRIC_SOURCE_BIT(COMM),
		.jobs = 2,
		.cancel = &cancel,
		.progress = cancel_at_progress,
		.arg = &cancel,
	};
	_cleanup_ctprof_snapshot_ struct ctprof_snapshot snapshot;

	fake_names(root, 1, 300);
	assert_error_tag(walk(&options, &snapshot), "cancelled");
	assert_int_equal(snapshot.threads.n, 0);
	staged_root_free(root);
}

/* A large process among those that were found is not walked again. */
static void found_threads_of_a_large_process_are_filled(void **state UNUSED)
{
	char *root = staged_root_new();
	const struct ctprof_options options = {
		.root = root,
		.sources = METRIC_SOURCE_BIT(COMM),
		.jobs = 3,
	};
	_cleanup_ctprof_snapshot_ struct ctprof_snapshot snapshot;

	fake_names(root, 5, 300);
	ctprof_snapshot_init(&snapshot);
	for (uint32_t i = 0; i < 290; i++)
		vec_push(&snapshot.threads,
			 (struct metric_thread_sample){ .tid = 5000 + i, .tgid = 5 });
	assert_success(ctprof_walk_threads(&options, 0, &snapshot));
	assert_int_equal(snapshot.threads.n, 290);
	for (size_t i = 0; i < snapshot.threads.n; i++) {
		const struct metric_thread_sample *t = &snapshot.threads.at[i];

		assert_int_equal(t->tid, 5000 + i);
		assert_string_equal(intern_text(&snapshot.strings, t->comm), "x");
		assert_string_equal(intern_text(&snapshot.strings, t->pcomm), "process-5");
	}
	staged_root_free(root);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(small_and_large_processes_come_out_in_order),
		cmocka_unit_test(each_source_records_its_path_or_that_it_was_not_asked),
		cmocka_unit_test(only_the_wanted_processes_are_walked),
		cmocka_unit_test(processes_not_found_by_bpf_are_read_from_proc),
		cmocka_unit_test(a_process_with_an_unreadable_task_directory_is_noted),
		cmocka_unit_test(a_cancelled_walk_is_an_error),
		cmocka_unit_test(progress_ends_with_everything_done),
		cmocka_unit_test(threads_may_end_while_they_are_read),
		cmocka_unit_test(every_thread_of_a_large_process_is_read_once),
		cmocka_unit_test(large_processes_keep_their_names_apart),
		cmocka_unit_test(a_cancel_leaves_listed_threads_unread),
		cmocka_unit_test(found_threads_of_a_large_process_are_filled),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
