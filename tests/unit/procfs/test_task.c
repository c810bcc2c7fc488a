// SPDX-License-Identifier: GPL-2.0-or-later
#include "procfs/task.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "staged_root.h"
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

static bool lists(const struct procfs_id_list *list, pid_t tid)
{
	for (size_t i = 0; i < list->ids.n; i++)
		if (list->ids.at[i] == tid)
			return true;
	return false;
}

static void a_thread_is_listed_while_it_lives(void **state UNUSED)
{
	struct procfs_task_dir task = { 0 };
	struct procfs_id_list list = { 0 };
	struct helper h;

	assert_success(procfs_task_dir_open("/proc", getpid(), &task));
	helper_start(&h);
	assert_success(procfs_task_dir_list(&task, &list));
	assert_true(lists(&list, getpid()));
	assert_true(lists(&list, h.tid));
	for (size_t i = 1; i < list.ids.n; i++)
		assert_true(list.ids.at[i - 1] < list.ids.at[i]);
	procfs_id_list_deinit(&list);
	helper_end(&h, &task);
	assert_success(procfs_task_dir_list(&task, &list));
	assert_false(lists(&list, h.tid));
	procfs_id_list_deinit(&list);
	procfs_task_dir_close(&task);
}

static void the_descriptor_of_an_ended_thread_reports_it_gone(void **state UNUSED)
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

static void an_ended_process_lists_no_threads(void **state UNUSED)
{
	struct procfs_task_dir task = { 0 };
	struct procfs_id_list list = { 0 };
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
		assert_null(list.ids.at);
	}
	procfs_task_dir_close(&task);
}

/* A staged directory: names that are no numbers, or no possible thread numbers, are not threads. */
static void entries_that_are_not_thread_ids_are_skipped(void **state UNUSED)
{
	static const char *const names[] = { "7", "12", "x", "0", "99999999999", "3a" };
	char root[] = "/tmp/ktstr-task-XXXXXX";
	struct procfs_task_dir task = { 0 };
	struct procfs_id_list list = { 0 };
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
	assert_int_equal(list.ids.n, 2);
	assert_int_equal(list.ids.at[0], 7);
	assert_int_equal(list.ids.at[1], 12);
	procfs_id_list_deinit(&list);
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

static void a_missing_process_has_no_task_directory(void **state UNUSED)
{
	struct procfs_task_dir task = { 0 };

	assert_error_tag(procfs_task_dir_open("/proc", INT32_MAX, &task), "io");
}

static int read_list(const char *root, size_t limit, struct procfs_id_list *ret)
{
	_cleanup_close_ int dir = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	assert_true(dir >= 0);
	return procfs_id_list_read(dir, limit, ret);
}

static void only_positive_numbers_are_listed_and_in_order(void **state UNUSED)
{
	static const char *const names[] = { "/20/x", "/3/x",  "/100/x",	"/self/x",
					     "/0/x",  "/-1/x", "/2147483648/x", "/7a/x" };
	char *root = staged_root_new();
	struct procfs_id_list list = { VEC_INIT };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		staged_file(root, names[i], "", 0);
	assert_int_equal(read_list(root, 100, &list), 0);
	assert_int_equal(list.ids.n, 3);
	assert_int_equal(list.ids.at[0], 3);
	assert_int_equal(list.ids.at[1], 20);
	assert_int_equal(list.ids.at[2], 100);
	assert_int_equal(read_list(root, 2, &list), E2BIG);
	procfs_id_list_deinit(&list);
	staged_root_free(root);
}

static void more_entries_than_fit_into_one_answer(void **state UNUSED)
{
	enum { N = 1500 };
	char *root = staged_root_new();
	struct procfs_id_list list = { VEC_INIT };

	for (int i = 1; i <= N; i++) {
		_cleanup_free_ char *path = xasprintf("%s/%d", root, i);

		close(open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
	}
	assert_int_equal(read_list(root, N, &list), 0);
	assert_int_equal(list.ids.n, N);
	for (int i = 0; i < N; i++)
		assert_int_equal(list.ids.at[i], i + 1);
	procfs_id_list_deinit(&list);
	staged_root_free(root);
}

static void only_a_directory_can_be_listed(void **state UNUSED)
{
	struct procfs_id_list list = { VEC_INIT };
	_cleanup_close_ int file = open("/dev/null", O_RDONLY | O_CLOEXEC);

	assert_int_equal(procfs_id_list_read(file, 10, &list), ENOTDIR);
	assert_int_equal(procfs_id_list_read(-1, 10, &list), EBADF);
	procfs_id_list_deinit(&list);
}

static void sorting_removes_duplicate_ids(void **state UNUSED)
{
	struct procfs_id_list list = { VEC_INIT };

	procfs_id_list_sort(&list);
	vec_push(&list.ids, 9);
	vec_push(&list.ids, 4);
	vec_push(&list.ids, 9);
	procfs_id_list_sort(&list);
	assert_int_equal(list.ids.n, 2);
	assert_int_equal(list.ids.at[0], 4);
	vec_push(&list.ids, 9);
	procfs_id_list_sort(&list);
	assert_int_equal(list.ids.n, 2);
	procfs_id_list_deinit(&list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_thread_is_listed_while_it_lives),
		cmocka_unit_test(the_descriptor_of_an_ended_thread_reports_it_gone),
		cmocka_unit_test(an_ended_process_lists_no_threads),
		cmocka_unit_test(entries_that_are_not_thread_ids_are_skipped),
		cmocka_unit_test(a_missing_process_has_no_task_directory),
		cmocka_unit_test(only_positive_numbers_are_listed_and_in_order),
		cmocka_unit_test(more_entries_than_fit_into_one_answer),
		cmocka_unit_test(only_a_directory_can_be_listed),
		cmocka_unit_test(sorting_removes_duplicate_ids),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
