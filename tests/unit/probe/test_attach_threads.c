// SPDX-License-Identifier: GPL-2.0-or-later
#include "probe/probe.h"

#include <sys/resource.h>

#include "probe/state.h"
#include "target.h"

struct scene {
	struct target target;
	struct procfs_task_dir tasks;
	struct probe_known_threads known;
};

static struct scene scene_start(void)
{
	struct scene s = { .target = target_start("KTSTR_TARGET") };

	assert_success(procfs_task_dir_open("/proc", s.target.pid, &s.tasks));
	return s;
}

static void scene_end(struct scene *s)
{
	probe_known_threads_deinit(&s->known);
	assert_int_equal(s->known.n_open, 0);
	procfs_task_dir_close(&s->tasks);
	target_end(&s->target);
}

static void update(struct scene *s)
{
	struct procfs_id_list listed;

	assert_success(procfs_task_dir_list(&s->tasks, &listed));
	probe_known_threads_update(&s->known, &s->tasks, &listed);
	procfs_id_list_deinit(&listed);
}

static struct probe_known_thread *find(struct scene *s, pid_t tid)
{
	for (size_t i = 0; i < s->known.rows.n; i++)
		if (s->known.rows.at[i].tid == tid)
			return &s->known.rows.at[i];
	return NULL;
}

static int count_descriptors(void)
{
	DIR *dir = opendir("/proc/self/fd");
	int n = 0;

	assert_non_null(dir);
	while (readdir(dir))
		n++;
	closedir(dir);
	return n;
}

static void known_threads_follow_the_process(void **state UNUSED)
{
	struct scene s = scene_start();
	struct target_thread one = target_new_thread(&s.target), two = target_new_thread(&s.target);
	struct target_thread three;
	int before = count_descriptors();

	update(&s);
	assert_int_equal(s.known.rows.n, 3);
	assert_int_equal(count_descriptors(), before + 3);
	find(&s, one.tid)->has_pointer = find(&s, two.tid)->has_pointer = true;
	find(&s, two.tid)->thread_pointer = 4711;

	target_ask(&s.target, "end 1");
	wait_until_gone(s.target.pid, one.tid);
	three = target_new_thread(&s.target);
	update(&s);
	assert_int_equal(s.known.rows.n, 3);
	assert_int_equal(count_descriptors(), before + 3);
	assert_int_equal(s.known.n_open, 3);
	if (three.tid != one.tid)
		assert_null(find(&s, one.tid));
	/* What was known of a thread that stayed is still known; a new one starts empty. */
	assert_true(find(&s, two.tid)->has_pointer);
	assert_int_equal(find(&s, two.tid)->thread_pointer, 4711);
	assert_false(find(&s, three.tid)->has_pointer);
	for (size_t i = 1; i < s.known.rows.n; i++)
		assert_true(s.known.rows.at[i - 1].tid < s.known.rows.at[i].tid);
	scene_end(&s);
	assert_true(count_descriptors() < before);
}

static void a_living_thread_is_confirmed_with_its_name(void **state UNUSED)
{
	struct scene s = scene_start();
	struct target_thread one = target_new_thread(&s.target);

	update(&s);
	assert_success(probe_known_thread_confirm(find(&s, one.tid), &s.tasks));
	assert_true(find(&s, one.tid)->has_stat);
	assert_string_equal(find(&s, one.tid)->stat.comm, "probe-target");
	assert_success(probe_known_thread_confirm(find(&s, one.tid), &s.tasks));
	scene_end(&s);
}

static void assert_gone(struct scene *s, struct probe_known_thread *thread)
{
	_cleanup_error_ struct error *err = probe_known_thread_confirm(thread, &s->tasks);

	assert_non_null(err);
	assert_int_equal(error_errno(err), ESRCH);
}

static void a_thread_that_ended_is_not_confirmed(void **state UNUSED)
{
	struct scene s = scene_start();
	struct target_thread one = target_new_thread(&s.target);

	update(&s);
	assert_success(probe_known_thread_confirm(find(&s, one.tid), &s.tasks));
	target_ask(&s.target, "end 1");
	wait_until_gone(s.target.pid, one.tid);
	assert_gone(&s, find(&s, one.tid));
	scene_end(&s);
}

static void a_zombie_is_not_confirmed(void **state UNUSED)
{
	struct scene s = scene_start();

	update(&s);
	/* glibc's own word for a thread that it listed ends with the thread. */
	find(&s, s.target.pid)->method = PROBE_METHOD_PTRACE;
	kill(s.target.pid, SIGKILL);
	wait_for_status(s.target.pid, s.target.pid, "State", "Z");
	assert_gone(&s, find(&s, s.target.pid));
	/* Found dead when first met, it needs no list to be dead. */
	probe_known_threads_deinit(&s.known);
	update(&s);
	assert_gone(&s, find(&s, s.target.pid));
	scene_end(&s);
}

static void another_start_time_is_another_thread(void **state UNUSED)
{
	struct scene s = scene_start();
	struct probe_known_thread *thread;

	update(&s);
	thread = find(&s, s.target.pid);
	assert_success(probe_known_thread_confirm(thread, &s.tasks));
	thread->stat.start_time_jiffies--;
	thread->method = PROBE_METHOD_PTRACE;
	assert_gone(&s, thread);
	scene_end(&s);
}

/* The next thread gets the number we ask the kernel for; false if we may not, or somebody was
 * quicker. */
static bool next_tid_is(pid_t tid)
{
	FILE *f = fopen("/proc/sys/kernel/ns_last_pid", "we");

	if (!f)
		return false;
	fprintf(f, "%d", (int)tid - 1);
	return fclose(f) == 0;
}

/*
 * A thread that was known and ended, and whose number the newest thread has. Somebody else on the
 * machine may take a number first and keep it, so another thread is tried then.
 */
static bool number_used_again(struct scene *s, pid_t *ret)
{
	for (unsigned int threads = 0, i = 0; i < 50; i++) {
		struct target_thread one = target_new_thread(&s->target);

		update(s);
		find(s, one.tid)->has_pointer = true;
		target_ask(&s->target, "end %u", ++threads);
		wait_until_gone(s->target.pid, one.tid);
		if (!next_tid_is(one.tid))
			return false;
		threads++;
		if (target_new_thread(&s->target).tid == one.tid) {
			*ret = one.tid;
			return true;
		}
	}
	return false;
}

/* Its descriptor belongs to the dead one: the number must not stay bad for ever. */
static void a_reused_tid_is_a_new_thread_after_one_update(void **state UNUSED)
{
	struct scene s = scene_start();
	pid_t tid = 0;
	bool again = number_used_again(&s, &tid);

	if (!again)
		scene_end(&s);
	skip_unless(again, "needs the right to choose the next thread's number");
	update(&s);
	assert_gone(&s, find(&s, tid));
	update(&s);
	assert_success(probe_known_thread_confirm(find(&s, tid), &s.tasks));
	assert_false(find(&s, tid)->has_pointer);
	scene_end(&s);
}

/* With too few descriptors threads are told apart by their start time. */
static void known_threads_work_with_few_descriptors(void **state UNUSED)
{
	struct scene s = scene_start();
	struct target_thread threads[40];
	struct rlimit old, few;
	size_t without = 0;
	int before;

	for (size_t i = 0; i < ARRAY_SIZE(threads); i++)
		threads[i] = target_new_thread(&s.target);
	before = count_descriptors();
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &old), 0);
	few = (struct rlimit){ 48, old.rlim_max };
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
	update(&s);
	assert_int_equal(s.known.rows.n, ARRAY_SIZE(threads) + 1);
	/* Half are left for everyone else. */
	assert_int_equal(s.known.n_open, 24);
	assert_int_equal(count_descriptors(), before + 24);
	for (size_t i = 0; i < s.known.rows.n; i++)
		assert_success(probe_known_thread_confirm(&s.known.rows.at[i], &s.tasks));
	/* Which threads went without depends on their numbers, and those may begin anew. */
	while (find(&s, threads[without].tid)->comm_fd >= 0)
		assert_true(++without < ARRAY_SIZE(threads));
	target_ask(&s.target, "end %zu", without + 1);
	wait_until_gone(s.target.pid, threads[without].tid);
	assert_true(find(&s, threads[without].tid)->has_stat);
	assert_gone(&s, find(&s, threads[without].tid));
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &old), 0);
	scene_end(&s);
}

/* glibc knows a thread by its number in its own namespace; here 10 is two different threads. */
static void thread_pointers_are_taken_only_where_missing(void **state UNUSED)
{
	struct probe_known_thread rows[] = {
		{ .tid = 10, .inner_tid = 3, .comm_fd = -1 },
		{ .tid = 11,
		  .inner_tid = 1,
		  .comm_fd = -1,
		  .has_pointer = true,
		  .thread_pointer = 1,
		  .method = PROBE_METHOD_PTRACE },
		{ .tid = 12, .inner_tid = 10, .comm_fd = -1 },
	};
	struct probe_listed_thread listed[] = { { 1, 110 }, { 3, 100 }, { 10, 120 } };
	struct probe_known_threads known = { .rows = { rows, 3, 3 } };
	struct probe_thread_list list = { { listed, 2, 3 }, true };

	assert_false(probe_known_threads_take_pointers(&known, &list));
	assert_true(rows[0].has_pointer);
	assert_int_equal(rows[0].thread_pointer, 100);
	assert_int_equal(rows[0].method, PROBE_METHOD_GLIBC);
	/* What is known stays as it is. */
	assert_int_equal(rows[1].thread_pointer, 1);
	assert_int_equal(rows[1].method, PROBE_METHOD_PTRACE);
	assert_false(rows[2].has_pointer);
	list.threads.n = 3;
	assert_true(probe_known_threads_take_pointers(&known, &list));
	assert_int_equal(rows[2].thread_pointer, 120);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_threads_follow_the_process),
		cmocka_unit_test(a_living_thread_is_confirmed_with_its_name),
		cmocka_unit_test(a_thread_that_ended_is_not_confirmed),
		cmocka_unit_test(a_zombie_is_not_confirmed),
		cmocka_unit_test(another_start_time_is_another_thread),
		cmocka_unit_test(a_reused_tid_is_a_new_thread_after_one_update),
		cmocka_unit_test(known_threads_work_with_few_descriptors),
		cmocka_unit_test(thread_pointers_are_taken_only_where_missing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
