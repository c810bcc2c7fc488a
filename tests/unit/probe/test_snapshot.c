// SPDX-License-Identifier: GPL-2.0-or-later
#include "probe/probe.h"

#include <sys/resource.h>

#include "base/clock.h"
#include "jemalloc_target.h"
#include "probe/state.h"

enum { N_THREADS = 6 };

/* A process whose threads have allocated different amounts, and what each says of itself. */
struct scene {
	struct target target;
	struct target_thread threads[N_THREADS + 1]; /* [0] is the main thread */
	struct target_counters counters[N_THREADS + 1];
	struct probe *probe;
	struct probe_snapshot snapshot;
};

static struct scene scene_start(enum probe_stop_policy stop)
{
	struct scene s = { .target = target_start("KTSTR_JEMALLOC_TARGET") };

	s.threads[0] = target_thread_of(target_ask(&s.target, "hello"));
	for (int i = 1; i <= N_THREADS; i++) {
		s.threads[i] = target_new_thread(&s.target);
		s.counters[i] = target_counters_of(
			target_ask(&s.target, "on %d alloc %d", i, 100000 * i));
	}
	s.counters[0] = target_counters_of(target_ask(&s.target, "on 0 count"));
	s.probe = attach_to(&s.target, stop);
	return s;
}

static void scene_end(struct scene *s)
{
	probe_snapshot_deinit(&s->snapshot);
	probe_free(s->probe);
	target_end(&s->target);
}

static void look(struct scene *s)
{
	probe_snapshot_deinit(&s->snapshot);
	assert_success(probe_take_snapshot(s->probe, &s->snapshot));
	for (size_t i = 1; i < s->snapshot.n_threads; i++)
		assert_true(s->snapshot.threads[i - 1].tid < s->snapshot.threads[i].tid);
}

static void assert_all(const struct scene *s, enum probe_method method)
{
	assert_int_equal(s->snapshot.n_threads, N_THREADS + 1);
	assert_false(s->snapshot.interrupted);
	for (int i = 0; i <= N_THREADS; i++) {
		const struct probe_thread *thread = find_thread(&s->snapshot, s->threads[i].tid);

		assert_thread(&s->snapshot, s->threads[i].tid, s->counters[i]);
		assert_int_equal(thread->method, method);
		assert_non_null(thread->comm);
		assert_true(thread->has_start_time);
		assert_true(thread->start_time_jiffies > 0);
	}
}

static void assert_thread_fails(const struct scene *s, pid_t tid, const char *tag, int errnum)
{
	const struct probe_thread *thread = find_thread(&s->snapshot, tid);

	if (!thread || !thread->error)
		fail_msg("thread %d has no error", (int)tid);
	assert_string_equal(error_tag(thread->error), tag);
	assert_int_equal(error_errno(thread->error), errnum);
	/* An error has no number beside it. */
	assert_int_equal(thread->allocated_bytes, 0);
	assert_int_equal(thread->deallocated_bytes, 0);
}

static void counters_agree_with_the_threads_own(void **state UNUSED)
{
	struct scene s;
	uint64_t before_ns;

	skip_without_jemalloc();
	s = scene_start(PROBE_STOP_IF_NEEDED);
	before_ns = clock_monotonic_ns();
	look(&s);
	assert_all(&s, PROBE_METHOD_GLIBC);
	assert_true(s.snapshot.monotonic_ns >= before_ns);
	assert_true(s.snapshot.monotonic_ns <= clock_monotonic_ns());
	assert_true(s.snapshot.timestamp_unix_sec > 1700000000);
	assert_int_equal(probe_facts(s.probe).stopped_threads, 0);
	assert_int_equal(probe_facts(s.probe).stopped_ns, 0);
	scene_end(&s);
}

static void later_snapshots_see_later_numbers(void **state UNUSED)
{
	struct scene s;

	skip_without_jemalloc();
	s = scene_start(PROBE_STOP_NEVER);
	for (int round = 0; round < 5; round++) {
		s.counters[3] = target_counters_of(target_ask(&s.target, "on 3 alloc 50000"));
		s.counters[3] = target_counters_of(target_ask(&s.target, "on 3 free"));
		look(&s);
		assert_all(&s, PROBE_METHOD_GLIBC);
	}
	assert_true(s.counters[3].deallocated >= 5 * 50000);
	scene_end(&s);
}

static void stopping_gives_the_same_numbers(void **state UNUSED)
{
	struct scene s;

	skip_without_jemalloc();
	s = scene_start(PROBE_STOP_ALWAYS);
	look(&s);
	assert_all(&s, PROBE_METHOD_PTRACE);
	assert_int_equal(probe_facts(s.probe).stopped_threads, N_THREADS + 1);
	assert_true(probe_facts(s.probe).stopped_ns > 0);
	look(&s);
	assert_all(&s, PROBE_METHOD_PTRACE);
	/* Asked for, so each time anew. */
	assert_int_equal(probe_facts(s.probe).stopped_threads, 2 * (N_THREADS + 1));
	for (int i = 0; i <= N_THREADS; i++)
		assert_string_equal(thread_status(s.target.pid, s.threads[i].tid, "TracerPid"),
				    "0");
	scene_end(&s);
}

static void threads_that_went_vanish_and_new_ones_appear(void **state UNUSED)
{
	struct scene s;
	struct target_thread late;
	struct target_counters counters;

	skip_without_jemalloc();
	s = scene_start(PROBE_STOP_IF_NEEDED);
	look(&s);
	target_ask(&s.target, "end 2");
	wait_until_gone(s.target.pid, s.threads[2].tid);
	look(&s);
	assert_int_equal(s.snapshot.n_threads, N_THREADS);
	assert_null(find_thread(&s.snapshot, s.threads[2].tid));
	late = target_new_thread(&s.target);
	counters = target_counters_of(target_ask(&s.target, "on 7 alloc 777"));
	look(&s);
	assert_int_equal(s.snapshot.n_threads, N_THREADS + 1);
	assert_thread(&s.snapshot, late.tid, counters);
	assert_int_equal(probe_facts(s.probe).stopped_threads, 0);
	scene_end(&s);
}

static struct probe_known_thread *known(struct scene *s, pid_t tid)
{
	for (size_t i = 0; i < s->probe->known.rows.n; i++)
		if (s->probe->known.rows.at[i].tid == tid)
			return &s->probe->known.rows.at[i];
	return NULL;
}

/* glibc keeps the stack of a dead thread, with its last numbers still in it. */
static void a_pointer_to_a_dead_threads_stack_gives_no_number(void **state UNUSED)
{
	struct scene s;

	skip_without_jemalloc();
	s = scene_start(PROBE_STOP_IF_NEEDED);
	look(&s);
	target_ask(&s.target, "end 5");
	wait_until_gone(s.target.pid, s.threads[5].tid);
	/* As if thread 4 had ended and left its place there just now. */
	known(&s, s.threads[4].tid)->thread_pointer = s.threads[5].pointer;
	look(&s);
	assert_thread_fails(&s, s.threads[4].tid, "process-vm-readv", ESRCH);
	/* The bad pointer is not believed twice. */
	look(&s);
	assert_thread(&s.snapshot, s.threads[4].tid, s.counters[4]);
	scene_end(&s);
}

/* A descriptor bound to the thread tells it from a later one with its number and its stack. */
static void a_thread_that_went_after_it_was_listed_gives_no_number(void **state UNUSED)
{
	struct scene s;
	int ended;

	skip_without_jemalloc();
	s = scene_start(PROBE_STOP_IF_NEEDED);
	look(&s);
	/* Its file is that of a thread that has ended; its pointer is a living one's. */
	target_ask(&s.target, "end 5");
	wait_until_gone(s.target.pid, s.threads[5].tid);
	ended = known(&s, s.threads[5].tid)->comm_fd;
	known(&s, s.threads[5].tid)->comm_fd = known(&s, s.threads[4].tid)->comm_fd;
	known(&s, s.threads[4].tid)->comm_fd = ended;
	look(&s);
	assert_thread_fails(&s, s.threads[4].tid, "process-vm-readv", ESRCH);
	look(&s);
	assert_thread(&s.snapshot, s.threads[4].tid, s.counters[4]);
	scene_end(&s);
}

static void a_pointer_into_nowhere_is_an_error_with_its_address(void **state UNUSED)
{
	struct scene s;

	skip_without_jemalloc();
	s = scene_start(PROBE_STOP_NEVER);
	look(&s);
	known(&s, s.threads[1].tid)->thread_pointer = 0x1000000;
	known(&s, s.threads[2].tid)->thread_pointer = 8;
	look(&s);
	assert_thread_fails(&s, s.threads[1].tid, "process-vm-readv", EFAULT);
	assert_contains(error_message(find_thread(&s.snapshot, s.threads[1].tid)->error), "0xff");
	assert_thread_fails(&s, s.threads[2].tid, "tls-arithmetic", 0);
	look(&s);
	assert_all(&s, PROBE_METHOD_GLIBC);
	scene_end(&s);
}

/* A thread that could not be checked is unknown; that it went would be a guess. */
static void running_out_of_descriptors_is_reported(void **state UNUSED)
{
	struct rlimit old, none;
	struct scene s;
	int next;

	skip_without_jemalloc();
	s = scene_start(PROBE_STOP_NEVER);
	next = dup(STDIN_FILENO);
	close(next);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &old), 0);
	none = (struct rlimit){ (rlim_t)next, old.rlim_max };
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	look(&s);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &old), 0);
	assert_int_equal(s.snapshot.n_threads, N_THREADS + 1);
	for (int i = 0; i <= N_THREADS; i++)
		assert_thread_fails(&s, s.threads[i].tid, "process-vm-readv", EMFILE);
	look(&s);
	assert_all(&s, PROBE_METHOD_GLIBC);
	scene_end(&s);
}

static void a_raw_clone_thread_is_not_stopped_if_forbidden(void **state UNUSED)
{
	struct scene s;
	const char *answer;
	pid_t raw;

	skip_without_jemalloc();
	s = scene_start(PROBE_STOP_NEVER);
	answer = target_ask(&s.target, "raw");
	raw = (pid_t)target_number(&answer);
	look(&s);
	assert_int_equal(s.snapshot.n_threads, N_THREADS + 2);
	assert_thread_fails(&s, raw, "thread-pointer", 0);
	/* It still has a name. */
	assert_non_null(find_thread(&s.snapshot, raw)->comm);
	assert_thread(&s.snapshot, s.threads[0].tid, s.counters[0]);
	assert_int_equal(probe_facts(s.probe).stopped_threads, 0);
	scene_end(&s);
}

static void a_raw_clone_thread_alone_is_stopped_if_needed(void **state UNUSED)
{
	struct scene s;
	const char *answer;
	pid_t raw;

	skip_without_jemalloc();
	s = scene_start(PROBE_STOP_IF_NEEDED);
	answer = target_ask(&s.target, "raw");
	raw = (pid_t)target_number(&answer);
	look(&s);
	/* It was made with the main thread's storage, and uses it. */
	assert_thread(&s.snapshot, raw, s.counters[0]);
	assert_int_equal(find_thread(&s.snapshot, raw)->method, PROBE_METHOD_PTRACE);
	assert_int_equal(find_thread(&s.snapshot, s.threads[1].tid)->method, PROBE_METHOD_GLIBC);
	assert_int_equal(probe_facts(s.probe).stopped_threads, 1);
	/* Its pointer is known now. */
	look(&s);
	assert_thread(&s.snapshot, raw, s.counters[0]);
	assert_int_equal(probe_facts(s.probe).stopped_threads, 1);
	scene_end(&s);
}

static void without_a_thread_list_all_are_stopped(void **state UNUSED)
{
	struct scene s;

	skip_without_jemalloc();
	s = scene_start(PROBE_STOP_IF_NEEDED);
	s.probe->has_glibc = false;
	look(&s);
	assert_all(&s, PROBE_METHOD_PTRACE);
	assert_int_equal(probe_facts(s.probe).stopped_threads, N_THREADS + 1);
	scene_end(&s);
}

static void a_cancel_before_the_snapshot_reads_no_thread(void **state UNUSED)
{
	struct cancel cancel = { 0 };
	struct scene s;

	skip_without_jemalloc();
	s = scene_start(PROBE_STOP_IF_NEEDED);
	s.probe->cancel = &cancel;
	cancel_request(&cancel);
	look(&s);
	assert_true(s.snapshot.interrupted);
	assert_int_equal(s.snapshot.n_threads, 0);
	scene_end(&s);
}

/* A thread that no stop reaches uses up the time; what was read before it stays. */
static void a_deadline_in_the_middle_keeps_what_was_read(void **state UNUSED)
{
	struct cancel cancel = { 0 };
	struct scene s;

	skip_without_jemalloc();
	s = scene_start(PROBE_STOP_ALWAYS);
	target_ask(&s.target, "vfork 1");
	wait_for_status(s.target.pid, s.threads[1].tid, "State", "D");
	cancel.deadline_ns = clock_monotonic_ns() + 200 * NS_PER_MS;
	s.probe->cancel = &cancel;
	look(&s);
	assert_true(s.snapshot.interrupted);
	assert_true(s.snapshot.n_threads >= 1);
	assert_true(s.snapshot.n_threads < N_THREADS + 1);
	if (s.threads[1].tid == s.snapshot.threads[s.snapshot.n_threads - 1].tid)
		assert_thread_fails(&s, s.threads[1].tid, "waitpid", 0);
	target_ask(&s.target, "vfork-end");
	scene_end(&s);
}

static void a_process_that_went_cannot_be_listed(void **state UNUSED)
{
	struct scene s;

	skip_without_jemalloc();
	s = scene_start(PROBE_STOP_IF_NEEDED);
	kill(s.target.pid, SIGKILL);
	waitpid(s.target.pid, NULL, 0);
	assert_error_tag(probe_take_snapshot(s.probe, &s.snapshot), "absent");
	assert_null(s.snapshot.threads);
	scene_end(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counters_agree_with_the_threads_own),
		cmocka_unit_test(later_snapshots_see_later_numbers),
		cmocka_unit_test(stopping_gives_the_same_numbers),
		cmocka_unit_test(threads_that_went_vanish_and_new_ones_appear),
		cmocka_unit_test(a_pointer_to_a_dead_threads_stack_gives_no_number),
		cmocka_unit_test(a_thread_that_went_after_it_was_listed_gives_no_number),
		cmocka_unit_test(a_pointer_into_nowhere_is_an_error_with_its_address),
		cmocka_unit_test(running_out_of_descriptors_is_reported),
		cmocka_unit_test(a_raw_clone_thread_is_not_stopped_if_forbidden),
		cmocka_unit_test(a_raw_clone_thread_alone_is_stopped_if_needed),
		cmocka_unit_test(without_a_thread_list_all_are_stopped),
		cmocka_unit_test(a_cancel_before_the_snapshot_reads_no_thread),
		cmocka_unit_test(a_deadline_in_the_middle_keeps_what_was_read),
		cmocka_unit_test(a_process_that_went_cannot_be_listed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
