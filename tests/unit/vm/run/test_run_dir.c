// SPDX-License-Identifier: GPL-2.0-or-later
#include "vm/run/run.h"

#include <signal.h>
#include <sys/file.h>
#include <sys/wait.h>

#include "dirs.h"

static bool exists(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0;
}

/* Names in the directory of all directories, without "." and "..". */
static int count_names(const struct dirs *f)
{
	_cleanup_free_ char *top = xasprintf("%s/vm", f->run);
	_cleanup_dir_ DIR *dir = opendir(top);
	int n = 0;

	assert_non_null(dir);
	while (readdir(dir))
		n++;
	return n - 2;
}

static void a_run_directory_is_private_and_removed_with_its_owner(void **state)
{
	struct dirs *f = *state;
	_cleanup_free_ char *path = NULL, *inner = NULL, *socket = NULL;
	struct vm_run_dir *dir = NULL;
	struct stat st;

	assert_success(vm_run_dir_new(&dir));
	assert_true(vm_run_dir_is_id(dir->id));
	path = xasprintf("%s/vm/%s", f->run, dir->id);
	assert_string_equal(dir->path, path);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0700);
	socket = vm_run_dir_file(dir, "qmp.sock");
	assert_success(io_replace_file(socket, "x", 1));
	inner = vm_run_dir_file(dir, "deep");
	assert_int_equal(mkdir(inner, 0700), 0);
	vm_run_dir_free(dir);
	assert_false(exists(path));
	assert_int_equal(count_names(f), 1); /* the guard */
	vm_run_dir_free(NULL);
}

static void what_is_published_can_be_read(void **state UNUSED)
{
	_cleanup_vm_run_dir_ struct vm_run_dir *dir = NULL;
	_cleanup_vm_run_info_ struct vm_run_info *read = NULL;
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	_cleanup_free_ char *path = NULL;
	struct vm_run_info info = { .memory_bytes = 512 << 20 };

	assert_success(vm_run_dir_new(&dir));
	assert_success(vm_run_dir_publish(dir, &info));
	info.memory_bytes *= 2;
	assert_success(vm_run_dir_publish(dir, &info));
	vm_run_info_deinit(&info);
	path = vm_run_dir_file(dir, "vm.json");
	assert_success(io_read_file(path, 1 << 20, &text));
	assert_success(vm_run_info_parse(text.at, text.n, path, &read));
	assert_string_equal(read->id, dir->id);
	assert_int_equal(read->owner.pid, getpid());
	assert_true(read->owner.start_time_jiffies > 0);
	assert_int_equal(read->memory_bytes, 1 << 30);
}

/* A child that makes a directory, tells its name and waits to be killed. */
static pid_t start_owner(char id[VM_RUN_DIR_ID_CHARS + 1])
{
	int ends[2];
	pid_t pid;

	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	pid = fork();
	if (pid == 0) {
		struct vm_run_info info = { 0 };
		struct vm_run_dir *dir = NULL;

		if (vm_run_dir_new(&dir) || vm_run_dir_publish(dir, &info) ||
		    write(ends[1], dir->id, VM_RUN_DIR_ID_CHARS) != VM_RUN_DIR_ID_CHARS)
			_exit(1);
		for (;;)
			pause();
	}
	assert_true(pid > 0);
	close(ends[1]);
	assert_int_equal(read(ends[0], id, VM_RUN_DIR_ID_CHARS), VM_RUN_DIR_ID_CHARS);
	id[VM_RUN_DIR_ID_CHARS] = 0;
	close(ends[0]);
	return pid;
}

static void kill_and_reap(pid_t pid)
{
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static void the_sweep_removes_only_directories_of_killed_owners(void **state)
{
	struct dirs *f = *state;
	_cleanup_vm_run_dir_ struct vm_run_dir *ours = NULL;
	char dead[VM_RUN_DIR_ID_CHARS + 1], alive[VM_RUN_DIR_ID_CHARS + 1];
	_cleanup_free_ char *dead_path = NULL, *alive_path = NULL, *stranger = NULL, *file = NULL;
	pid_t dead_pid, alive_pid;

	assert_success(vm_run_dir_new(&ours));
	dead_pid = start_owner(dead);
	alive_pid = start_owner(alive);
	dead_path = xasprintf("%s/vm/%s", f->run, dead);
	alive_path = xasprintf("%s/vm/%s", f->run, alive);
	stranger = xasprintf("%s/vm/not-an-id", f->run);
	assert_int_equal(mkdir(stranger, 0700), 0);
	file = put_file(f, "run/vm/0123456789", "somebody's", 0600);
	kill_and_reap(dead_pid);
	assert_true(exists(dead_path));
	vm_run_dir_sweep();
	assert_false(exists(dead_path));
	assert_true(exists(alive_path));
	assert_true(exists(ours->path));
	assert_true(exists(stranger));
	assert_true(exists(file));
	assert_int_equal(count_names(f), 5);
	kill_and_reap(alive_pid);
	vm_run_dir_sweep();
	assert_false(exists(alive_path));
}

static void creating_a_run_directory_sweeps_dead_ones(void **state)
{
	struct dirs *f = *state;
	char id[VM_RUN_DIR_ID_CHARS + 1];
	_cleanup_vm_run_dir_ struct vm_run_dir *dir = NULL;
	_cleanup_free_ char *path = NULL;

	kill_and_reap(start_owner(id));
	path = xasprintf("%s/vm/%s", f->run, id);
	assert_true(exists(path));
	assert_success(vm_run_dir_new(&dir));
	assert_false(exists(path));
}

/* Killed between mkdir and lock, or between putting aside and removing. */
static void incomplete_run_directories_are_swept(void **state)
{
	struct dirs *f = *state;
	_cleanup_free_ char *half = xasprintf("%s/vm/00c0ffee", f->run);
	_cleanup_free_ char *aside = xasprintf("%s/vm/.dead-00c0ffee", f->run);
	_cleanup_free_ char *other = xasprintf("%s/vm/.dead-somebody", f->run);

	assert_success(paths_make(half, 0700));
	assert_success(paths_make(aside, 0700));
	assert_success(paths_make(other, 0700));
	free(put_file(f, "run/vm/.dead-00c0ffee/vm.json", "{", 0600));
	vm_run_dir_sweep();
	vm_run_dir_sweep();
	assert_false(exists(half));
	assert_false(exists(aside));
	assert_true(exists(other));
}

/* While somebody makes a directory, one without a lock may be that very directory. */
static void the_sweep_waits_while_the_guard_is_locked(void **state)
{
	struct dirs *f = *state;
	_cleanup_free_ char *half = xasprintf("%s/vm/00c0ffee", f->run);
	_cleanup_free_ char *guard = NULL;
	_cleanup_close_ int fd = -1;

	assert_success(paths_make(half, 0700));
	guard = put_file(f, "run/vm/.lock", "", 0600);
	fd = open(guard, O_RDWR | O_CLOEXEC);
	assert_int_equal(flock(fd, LOCK_EX | LOCK_NB), 0);
	vm_run_dir_sweep();
	assert_true(exists(half));
	close(take_fd(fd));
	vm_run_dir_sweep();
	assert_false(exists(half));
}

/* Who looks at the lock holds it for a moment; that is not owning it. */
static void two_concurrent_checks_of_a_run_directory_agree(void **state)
{
	struct dirs *f = *state;
	_cleanup_free_ char *half = xasprintf("%s/vm/00c0ffee", f->run);
	_cleanup_free_ char *top = xasprintf("%s/vm", f->run);
	_cleanup_free_ char *lock = NULL;
	_cleanup_close_ int fd = -1, top_fd = -1;

	assert_success(paths_make(half, 0700));
	lock = put_file(f, "run/vm/00c0ffee/lock", "", 0600);
	top_fd = open(top, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	fd = open(lock, O_RDONLY | O_CLOEXEC);
	assert_int_equal(flock(fd, LOCK_SH | LOCK_NB), 0);
	assert_int_equal(vm_run_dir_owner(top_fd, "00c0ffee"), VM_RUN_DIR_OWNER_GONE);
	flock(fd, LOCK_UN);
	assert_int_equal(flock(fd, LOCK_EX | LOCK_NB), 0);
	assert_int_equal(vm_run_dir_owner(top_fd, "00c0ffee"), VM_RUN_DIR_OWNER_LIVES);
	assert_int_equal(vm_run_dir_owner(top_fd, "00c0fffe"), VM_RUN_DIR_OWNER_UNKNOWN);
}

static void sweeping_does_not_follow_symlinks(void **state)
{
	struct dirs *f = *state;
	_cleanup_free_ char *top = xasprintf("%s/vm", f->run);
	_cleanup_free_ char *link = xasprintf("%s/vm/00c0ffee", f->run);
	_cleanup_free_ char *aside = xasprintf("%s/vm/.dead-00c0ffef", f->run);
	_cleanup_free_ char *precious = xasprintf("%s/precious", f->top);
	_cleanup_free_ char *file = NULL;

	assert_success(paths_make(top, 0700));
	assert_success(paths_make(precious, 0700));
	file = put_file(f, "precious/file", "x", 0600);
	assert_int_equal(symlink(precious, link), 0);
	assert_int_equal(symlink(precious, aside), 0);
	vm_run_dir_sweep();
	assert_true(exists(file));
	assert_true(exists(link));
	assert_false(exists(aside));
}

static void a_directory_writable_by_others_is_refused(void **state)
{
	struct dirs *f = *state;
	_cleanup_free_ char *top = xasprintf("%s/vm", f->run);
	_cleanup_error_ struct error *err = NULL;
	struct vm_run_dir *dir = NULL;

	assert_success(paths_make(top, 0700));
	assert_int_equal(chmod(top, 0777), 0);
	err = vm_run_dir_new(&dir);
	assert_non_null(err);
	assert_contains(error_message(err), top);
	assert_null(dir);
}

enum { PROCESSES = 5, ROUNDS = 30 };

static bool is_listed(const char *id)
{
	_cleanup_vm_run_list_ struct vm_run_list list = { 0 };

	return !vm_run_list_read(&list) && vm_run_list_find(&list, id);
}

/* Makes, shows, sweeps and removes; its own directory must stay under all the others' sweeping. */
static int busy_process(int number)
{
	for (int round = 0; round < ROUNDS; round++) {
		struct vm_run_info info = { 0 };
		struct vm_run_dir *dir = NULL;

		if (vm_run_dir_new(&dir) || vm_run_dir_publish(dir, &info))
			return 2;
		vm_run_info_deinit(&info);
		vm_run_dir_sweep();
		if (!is_listed(dir->id))
			return 3;
		/* Some die with the directory in hand. */
		if (round == ROUNDS - 1 && number % 2)
			kill(getpid(), SIGKILL);
		vm_run_dir_free(dir);
	}
	return 0;
}

static void concurrent_runs_and_sweeps_do_not_interfere(void **state)
{
	struct dirs *f = *state;
	pid_t pids[PROCESSES];

	for (int i = 0; i < PROCESSES; i++) {
		pids[i] = fork();
		assert_true(pids[i] >= 0);
		if (pids[i] == 0)
			_exit(busy_process(i));
	}
	for (int i = 0; i < PROCESSES; i++) {
		int status;

		assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
		if (i % 2)
			assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
		else
			assert_int_equal(status, 0);
	}
	vm_run_dir_sweep();
	assert_int_equal(count_names(f), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define IN_DIRS(name) cmocka_unit_test_setup_teardown(name, make_dirs, remove_dirs)
		IN_DIRS(a_run_directory_is_private_and_removed_with_its_owner),
		IN_DIRS(what_is_published_can_be_read),
		IN_DIRS(the_sweep_removes_only_directories_of_killed_owners),
		IN_DIRS(creating_a_run_directory_sweeps_dead_ones),
		IN_DIRS(incomplete_run_directories_are_swept),
		IN_DIRS(the_sweep_waits_while_the_guard_is_locked),
		IN_DIRS(two_concurrent_checks_of_a_run_directory_agree),
		IN_DIRS(sweeping_does_not_follow_symlinks),
		IN_DIRS(a_directory_writable_by_others_is_refused),
		IN_DIRS(concurrent_runs_and_sweeps_do_not_interfere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
