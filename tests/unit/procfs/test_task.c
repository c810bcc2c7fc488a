// SPDX-License-Identifier: GPL-2.0-or-later
#include "procfs/task.h"

#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "unit.h"

struct helper {
	pthread_t thread;
	pthread_barrier_t started;
	pthread_barrier_t may_end;
	pid_t tid;
};

static void *helper_main(void *arg)
{
	struct helper *h = arg;

	h->tid = (pid_t)syscall(SYS_gettid);
	pthread_setname_np(pthread_self(), "a (helper)");
	pthread_barrier_wait(&h->started);
	pthread_barrier_wait(&h->may_end);
	return NULL;
}

static void helper_start(struct helper *h)
{
	pthread_barrier_init(&h->started, NULL, 2);
	pthread_barrier_init(&h->may_end, NULL, 2);
	assert_int_equal(pthread_create(&h->thread, NULL, helper_main, h), 0);
	pthread_barrier_wait(&h->started);
}

static void helper_end(struct helper *h, const struct procfs_task_dir *task)
{
	pthread_barrier_wait(&h->may_end);
	pthread_join(h->thread, NULL);
	/* join returns when the kernel clears the tid, a moment before the thread leaves /proc. */
	while (procfs_task_dir_contains(task, h->tid))
		usleep(100);
}

static bool lists(const struct procfs_tid_list *list, pid_t tid)
{
	for (size_t i = 0; i < list->tids.n; i++)
		if (list->tids.at[i] == tid)
			return true;
	return false;
}

static void a_thread_is_listed_while_it_lives(void **state UNUSED)
{
	struct procfs_task_dir task = { 0 };
	struct procfs_tid_list list = { 0 };
	struct helper h;

	assert_success(procfs_task_dir_open("/proc", getpid(), &task));
	helper_start(&h);
	assert_success(procfs_task_dir_list(&task, &list));
	assert_true(lists(&list, getpid()));
	assert_true(lists(&list, h.tid));
	for (size_t i = 1; i < list.tids.n; i++)
		assert_true(list.tids.at[i - 1] < list.tids.at[i]);
	procfs_tid_list_deinit(&list);
	helper_end(&h, &task);
	assert_success(procfs_task_dir_list(&task, &list));
	assert_false(lists(&list, h.tid));
	procfs_tid_list_deinit(&list);
	procfs_task_dir_close(&task);
}

static void a_thread_that_went_is_gone_for_its_descriptor_too(void **state UNUSED)
{
	struct procfs_task_dir task = { 0 };
	char comm[PROCFS_COMM_MAX];
	struct procfs_stat stat;
	struct helper h;
	int fd = -1;

	assert_success(procfs_task_dir_open("/proc", getpid(), &task));
	helper_start(&h);
	assert_success(procfs_task_comm_open(&task, h.tid, &fd));
	assert_success(procfs_task_comm_read(fd, h.tid, comm));
	assert_string_equal(comm, "a (helper)");
	assert_success(procfs_task_stat_read(&task, h.tid, &stat));
	assert_string_equal(stat.comm, "a (helper)");
	helper_end(&h, &task);
	{
		_cleanup_error_ struct error *err = procfs_task_comm_read(fd, h.tid, comm);

		assert_non_null(err);
		assert_int_equal(error_errno(err), ESRCH);
	}
	assert_error_tag(procfs_task_stat_read(&task, h.tid, &stat), "io");
	close(fd);
	procfs_task_dir_close(&task);
}

static void a_process_that_went_lists_nothing(void **state UNUSED)
{
	struct procfs_task_dir task = { 0 };
	struct procfs_tid_list list = { 0 };
	pid_t child = fork();

	if (child == 0) {
		pause();
		_exit(0);
	}
	assert_success(procfs_task_dir_open("/proc", child, &task));
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	{
		_cleanup_error_ struct error *err = procfs_task_dir_list(&task, &list);

		assert_non_null(err);
		assert_null(list.tids.at);
	}
	procfs_task_dir_close(&task);
}

/* A staged folder: names that are no numbers, or no possible thread numbers, are not threads. */
static void strange_names_are_not_threads(void **state UNUSED)
{
	static const char *const names[] = { "7", "12", "x", "0", "99999999999", "3a" };
	char root[] = "/tmp/ktstr-task-XXXXXX";
	struct procfs_task_dir task = { 0 };
	struct procfs_tid_list list = { 0 };
	char path[128];

	assert_non_null(mkdtemp(root));
	snprintf(path, sizeof(path), "%s/42", root);
	mkdir(path, 0755);
	snprintf(path, sizeof(path), "%s/42/task", root);
	mkdir(path, 0755);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		snprintf(path, sizeof(path), "%s/42/task/%s", root, names[i]);
		mkdir(path, 0755);
	}
	assert_success(procfs_task_dir_open(root, 42, &task));
	assert_success(procfs_task_dir_list(&task, &list));
	assert_int_equal(list.tids.n, 2);
	assert_int_equal(list.tids.at[0], 7);
	assert_int_equal(list.tids.at[1], 12);
	procfs_tid_list_deinit(&list);
	procfs_task_dir_close(&task);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		snprintf(path, sizeof(path), "%s/42/task/%s", root, names[i]);
		rmdir(path);
	}
	snprintf(path, sizeof(path), "%s/42/task", root);
	rmdir(path);
	snprintf(path, sizeof(path), "%s/42", root);
	rmdir(path);
	rmdir(root);
}

static void a_missing_process_has_no_task_folder(void **state UNUSED)
{
	struct procfs_task_dir task = { 0 };

	assert_error_tag(procfs_task_dir_open("/proc", INT32_MAX, &task), "io");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_thread_is_listed_while_it_lives),
		cmocka_unit_test(a_thread_that_went_is_gone_for_its_descriptor_too),
		cmocka_unit_test(a_process_that_went_lists_nothing),
		cmocka_unit_test(strange_names_are_not_threads),
		cmocka_unit_test(a_missing_process_has_no_task_folder),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
