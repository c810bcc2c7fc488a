// SPDX-License-Identifier: GPL-2.0-or-later
#include "ctprof/heap/heap.h"

#include <grp.h>

#include "probe/hostile_elf.h"
#include "probe/jemalloc_target.h"

static const struct ctprof_helper_limits limits = { .memory_bytes = UINT64_C(4) << 30,
						    .cpu_sec = 60,
						    .wall_ms = 60000 };

static int by_thread(const void *a, const void *b)
{
	const struct metric_thread_sample *left = a, *right = b;

	if (left->tgid != right->tgid)
		return left->tgid < right->tgid ? -1 : 1;
	return left->tid < right->tid ? -1 : left->tid > right->tid;
}

/* As the walk would have found it. */
static void add_process(struct ctprof_snapshot *s, pid_t pid)
{
	_cleanup_free_ char *path = xasprintf("/proc/%d/task", (int)pid);
	_cleanup_dir_ DIR *dir = opendir(path);
	struct dirent *entry;

	assert_non_null(dir);
	while ((entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			vec_push(&s->threads, (struct metric_thread_sample){
						      .tid = (uint32_t)atoi(entry->d_name),
						      .tgid = (uint32_t)pid });
	qsort(s->threads.at, s->threads.n, sizeof(*s->threads.at), by_thread);
}

static const struct metric_thread_sample *find_sample(const struct ctprof_snapshot *s, pid_t tid)
{
	for (size_t i = 0; i < s->threads.n; i++)
		if (s->threads.at[i].tid == (uint32_t)tid)
			return &s->threads.at[i];
	fail_msg("no sample of %d", (int)tid);
	return NULL;
}

static void check_counters(const struct ctprof_snapshot *s, pid_t tid,
			   struct target_counters expected)
{
	const struct metric_thread_sample *sample = find_sample(s, tid);

	assert_true(sample->sources & METRIC_SOURCE_BIT(HEAP));
	assert_true(metric_sample_knows(sample, METRIC_ALLOCATED_BYTES));
	assert_true(sample->values[METRIC_ALLOCATED_BYTES] == expected.allocated);
	assert_true(sample->values[METRIC_DEALLOCATED_BYTES] == expected.deallocated);
}

/* Every thread either has the source or is counted under one reason. */
static void check_honesty(const struct ctprof_snapshot *s)
{
	uint64_t n = 0;

	for (unsigned int i = 0; i < CTPROF_N_REASONS; i++)
		n += s->reasons[METRIC_SOURCE_HEAP][i];
	for (size_t i = 0; i < s->threads.n; i++)
		n += (s->threads.at[i].sources & METRIC_SOURCE_BIT(HEAP)) != 0;
	assert_true(n == s->threads.n);
}

static void take(struct ctprof_snapshot *s, unsigned int jobs,
		 const struct ctprof_helper_limits *within)
{
	const struct ctprof_options options = {
		.root = "", .live = true, .sources = METRIC_ALL_SOURCES, .jobs = jobs
	};

	ctprof_read_heap_within(&options, within, s);
	assert_true(s->probe.known);
	check_honesty(s);
}

static uint64_t reason(const struct ctprof_snapshot *s, enum ctprof_reason id)
{
	return s->reasons[METRIC_SOURCE_HEAP][id];
}

static void programs_and_libraries_give_what_they_count_themselves(void **state UNUSED)
{
	const char *library = jemalloc_library("default/lib/libjemalloc.so.2");
	_cleanup_free_ char *own = library ? xstrdup(library) : NULL;
	_cleanup_ctprof_snapshot_ struct ctprof_snapshot s;
	struct target program, again, with_library, plain;
	struct target_thread thread;
	struct target_counters expected[4];

	skip_without_jemalloc();
	skip_unless(own, "needs the jemalloc that set-up builds");
	program = target_start("KTSTR_JEMALLOC_TARGET");
	again = target_start("KTSTR_JEMALLOC_TARGET");
	plain = target_start("KTSTR_TARGET");
	with_library = target_with_library(own);
	target_ask(&plain, "hello");
	thread = target_new_thread(&program);
	expected[0] = target_counters_of(target_ask(&program, "on 1 alloc 123456"));
	expected[1] = target_counters_of(target_ask(&program, "on 0 count"));
	expected[2] = target_counters_of(target_ask(&again, "on 0 alloc 777"));
	expected[3] = target_counters_of(target_ask(&with_library, "on 0 alloc 4096"));
	for (unsigned int jobs = 1; jobs <= 4; jobs += 3) {
		ctprof_snapshot_init(&s);
		add_process(&s, program.pid);
		add_process(&s, again.pid);
		add_process(&s, plain.pid);
		add_process(&s, with_library.pid);
		add_process(&s, getpid());
		take(&s, jobs, &limits);
		check_counters(&s, thread.tid, expected[0]);
		check_counters(&s, program.pid, expected[1]);
		check_counters(&s, again.pid, expected[2]);
		check_counters(&s, with_library.pid, expected[3]);
		assert_false(
			metric_sample_knows(find_sample(&s, plain.pid), METRIC_ALLOCATED_BYTES));
		/* Ours is listed, not walked. Who came second to a file counts like the first. */
		assert_true(s.probe.tgids_walked == 4);
		assert_true(s.probe.jemalloc_detected == 3);
		assert_true(s.probe.probed_ok == 4);
		assert_true(s.probe.failed == 0);
		assert_int_equal(s.probe.dominant_failure, 0);
		assert_false(s.probe.privilege_dominant);
		assert_true(reason(&s, CTPROF_SNAPSHOT_REASON_NO_JEMALLOC) == 1);
		assert_true(reason(&s, CTPROF_SNAPSHOT_REASON_NOT_ASKED) ==
			    s.threads.n - s.probe.probed_ok - 1);
		assert_int_equal(s.paths[METRIC_SOURCE_HEAP], CTPROF_SNAPSHOT_PATH_MEMORY);
		ctprof_snapshot_deinit(&s);
	}
	ctprof_snapshot_init(&s);
	target_end(&program);
	target_end(&again);
	target_end(&plain);
	target_end(&with_library);
}

static void a_library_without_debug_information_is_known_by_the_table(void **state UNUSED)
{
	const char *library = jemalloc_library("debian/usr/lib/*/libjemalloc.so.2");
	_cleanup_ctprof_snapshot_ struct ctprof_snapshot s;
	struct target_counters expected;
	struct target target;

	skip_unless(library, "needs the library that set-up unpacks");
	target = target_with_library(library);
	expected = target_counters_of(target_ask(&target, "on 0 alloc 4096"));
	ctprof_snapshot_init(&s);
	add_process(&s, target.pid);
	take(&s, 2, &limits);
	check_counters(&s, target.pid, expected);
	target_end(&target);
}

static void kernel_threads_and_ended_processes_are_not_probe_failures(void **state UNUSED)
{
	_cleanup_ctprof_snapshot_ struct ctprof_snapshot s;
	struct target target = target_start("KTSTR_TARGET");
	bool has_kthreadd = access("/proc/2/task", F_OK) == 0;

	target_ask(&target, "hello");
	ctprof_snapshot_init(&s);
	add_process(&s, target.pid);
	if (has_kthreadd)
		add_process(&s, 2);
	target_end(&target);
	take(&s, 1, &limits);
	assert_true(s.probe.tgids_walked == 1 + (uint64_t)has_kthreadd);
	assert_true(reason(&s, CTPROF_SNAPSHOT_REASON_VANISHED) == 1);
	/* It is gone: that counts, as a process that is missing. */
	assert_true(s.probe.failed == 1);
	assert_string_equal(intern_text(&s.strings, s.probe.dominant_failure), "pid-missing");
	if (has_kthreadd)
		assert_true(reason(&s, CTPROF_SNAPSHOT_REASON_NO_MEMORY) == 1);
}

static void a_thread_that_is_another_by_now_is_not_read(void **state UNUSED)
{
	_cleanup_ctprof_snapshot_ struct ctprof_snapshot s;
	struct target target;

	skip_without_jemalloc();
	target = target_start("KTSTR_JEMALLOC_TARGET");
	target_ask(&target, "hello");
	ctprof_snapshot_init(&s);
	add_process(&s, target.pid);
	s.threads.at[0].start_ticks = 1;
	vec_push(&s.threads,
		 (struct metric_thread_sample){ .tid = 0x3ffffff, .tgid = (uint32_t)target.pid });
	take(&s, 1, &limits);
	assert_true(s.probe.jemalloc_detected == 1 && s.probe.probed_ok == 0);
	assert_true(s.probe.failed == 2);
	assert_true(reason(&s, CTPROF_SNAPSHOT_REASON_VANISHED) == 2);
	assert_string_equal(intern_text(&s.strings, s.probe.dominant_failure), "process-vm-readv");
	assert_false(s.probe.privilege_dominant);
	target_end(&target);
}

static void remember_note(const char *line, void *arg)
{
	free(*(char **)arg);
	*(char **)arg = xstrdup(line);
}

static void a_hostile_program_does_not_affect_other_processes(void **state UNUSED)
{
	static const struct ctprof_helper_limits soon = { .memory_bytes = UINT64_C(1) << 30,
							  .cpu_sec = 60,
							  .wall_ms = 3000 };
	_cleanup_free_ char *path = NULL, *note = NULL;
	struct ctprof_options options = { .root = "",
					  .live = true,
					  .sources = METRIC_SOURCE_BIT(HEAP),
					  .jobs = 1,
					  .note = remember_note,
					  .arg = &note };
	_cleanup_ctprof_snapshot_ struct ctprof_snapshot s;
	struct target hostile, again, good;
	struct target_counters expected;

	skip_without_jemalloc();
	path = hostile_entries(target_path("KTSTR_JEMALLOC_TARGET"));
	hostile = target_start_as(path, NULL);
	again = target_start_as(path, NULL);
	good = target_start("KTSTR_JEMALLOC_TARGET");
	target_ask(&hostile, "hello");
	target_ask(&again, "hello");
	expected = target_counters_of(target_ask(&good, "on 0 alloc 99"));
	ctprof_snapshot_init(&s);
	add_process(&s, hostile.pid);
	add_process(&s, again.pid);
	add_process(&s, good.pid);
	ctprof_read_heap_within(&options, &soon, &s);
	unlink(path);
	check_honesty(&s);
	check_counters(&s, good.pid, expected);
	/* Both of its processes count, and it was read once. */
	assert_true(s.probe.tgids_walked == 3 && s.probe.jemalloc_detected == 1);
	assert_true(s.probe.failed == 2);
	assert_string_equal(intern_text(&s.strings, s.probe.dominant_failure), "worker-panic");
	assert_false(s.probe.privilege_dominant);
	assert_true(reason(&s, CTPROF_SNAPSHOT_REASON_OTHER) == 2);
	assert_contains(note, "worker-panic");
	target_end(&hostile);
	target_end(&again);
	target_end(&good);
}

/* It is not "no jemalloc": nobody knows. */
static void a_library_with_endless_symbol_names_is_a_failure(void **state UNUSED)
{
	_cleanup_free_ char *path = hostile_symbols(target_path("KTSTR_TLS_LIBRARY"));
	_cleanup_ctprof_snapshot_ struct ctprof_snapshot s;
	struct target target = target_with_library(path);

	ctprof_snapshot_init(&s);
	add_process(&s, target.pid);
	take(&s, 1, &limits);
	unlink(path);
	target_end(&target);
	assert_true(s.probe.tgids_walked == 1 && s.probe.failed == 1);
	assert_string_equal(intern_text(&s.strings, s.probe.dominant_failure),
			    "dwarf-parse-failure");
	assert_true(reason(&s, CTPROF_SNAPSHOT_REASON_NO_JEMALLOC) == 0);
}

/* gcc has macros for its sanitizers, clang a question. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define WITHOUT_MEMORY "worker-panic"
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define WITHOUT_MEMORY "worker-panic"
#endif
#endif
#ifndef WITHOUT_MEMORY
#define WITHOUT_MEMORY "dwarf-parse-failure"
#endif

/* A helper that gets no more memory says so, or dies under a sanitizer; both count. */
static void too_little_memory_is_a_failure(void **state UNUSED)
{
	static const struct ctprof_helper_limits little = { .memory_bytes = UINT64_C(256) << 20,
							    .cpu_sec = 60,
							    .wall_ms = 60000 };
	_cleanup_free_ char *path = hostile_rodata(target_path("KTSTR_TLS_LIBRARY"),
						   UINT64_C(1) << 30, true);
	struct target target = target_with_library(path), plain = target_start("KTSTR_TARGET");
	_cleanup_ctprof_snapshot_ struct ctprof_snapshot s;

	ctprof_snapshot_init(&s);
	add_process(&s, target.pid);
	add_process(&s, plain.pid);
	take(&s, 1, &little);
	unlink(path);
	target_end(&target);
	target_end(&plain);
	assert_true(s.probe.tgids_walked == 2 && s.probe.failed == 1);
	assert_true(reason(&s, CTPROF_SNAPSHOT_REASON_NO_JEMALLOC) == 1);
	assert_true(reason(&s, CTPROF_SNAPSHOT_REASON_OTHER) == 1);
	assert_string_equal(intern_text(&s.strings, s.probe.dominant_failure), WITHOUT_MEMORY);
}

static void processes_of_other_users_are_reported_as_denied(void **state UNUSED)
{
	struct target target;
	pid_t stranger;
	int status;

	skip_unless(getuid() == 0, "needs root, to become somebody else");
	target = target_start("KTSTR_TARGET");
	target_ask(&target, "hello");
	stranger = fork();
	if (stranger == 0) {
		const struct ctprof_options options = {
			.root = "", .live = true, .sources = METRIC_ALL_SOURCES, .jobs = 1
		};
		struct ctprof_snapshot s;

		ctprof_snapshot_init(&s);
		add_process(&s, target.pid);
		if (setgroups(0, NULL) < 0 || setgid(65534) < 0 || setuid(65534) < 0)
			_exit(99);
		ctprof_read_heap(&options, &s);
		if (s.probe.failed != 1 || !s.probe.privilege_dominant)
			_exit(1);
		if (strcmp(intern_text(&s.strings, s.probe.dominant_failure), "readlink-failure"))
			_exit(2);
		_exit(reason(&s, CTPROF_SNAPSHOT_REASON_NO_PERMISSION) == 1 ? 0 : 3);
	}
	assert_int_equal(waitpid(stranger, &status, 0), stranger);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	target_end(&target);
}

static void the_heap_is_not_probed_unless_asked_and_live(void **state UNUSED)
{
	struct ctprof_options options = { .root = "", .live = true };
	_cleanup_ctprof_snapshot_ struct ctprof_snapshot s;

	ctprof_snapshot_init(&s);
	add_process(&s, getpid());
	ctprof_read_heap(&options, &s);
	assert_false(s.probe.known);
	assert_true(reason(&s, CTPROF_SNAPSHOT_REASON_NOT_ASKED) == s.threads.n);
	options = (struct ctprof_options){ .root = "", .sources = METRIC_ALL_SOURCES };
	ctprof_read_heap(&options, &s);
	assert_false(s.probe.known);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(programs_and_libraries_give_what_they_count_themselves),
		cmocka_unit_test(a_library_without_debug_information_is_known_by_the_table),
		cmocka_unit_test(kernel_threads_and_ended_processes_are_not_probe_failures),
		cmocka_unit_test(a_thread_that_is_another_by_now_is_not_read),
		cmocka_unit_test(a_hostile_program_does_not_affect_other_processes),
		cmocka_unit_test(a_library_with_endless_symbol_names_is_a_failure),
		cmocka_unit_test(too_little_memory_is_a_failure),
		cmocka_unit_test(processes_of_other_users_are_reported_as_denied),
		cmocka_unit_test(the_heap_is_not_probed_unless_asked_and_live),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
