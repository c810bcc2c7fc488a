// SPDX-License-Identifier: GPL-2.0-or-later
#include "vm/run/run.h"

#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "dirs.h"

/* Speaks for QEMU: one peer after the other, all it hears is kept. */
struct monitor {
	struct vm_run_dir *dir;
	pthread_t thread;
	int listener;
	bool running; /* what it says of its CPUs */
	struct strbuf heard;
};

static void answer(struct monitor *m, int fd, const char *line)
{
	char text[128];
	unsigned long long id = strtoull(strstr(line, "\"id\":") + 5, NULL, 10);

	strbuf_append(&m->heard, line);
	if (strstr(line, "\"stop\"") || strstr(line, "\"cont\""))
		m->running = strstr(line, "\"cont\"") != NULL;
	snprintf(text, sizeof(text), "{\"return\": {\"running\": %s}, \"id\": %llu}\n",
		 m->running ? "true" : "false", id);
	assert_true(write(fd, text, strlen(text)) > 0);
}

static void *monitor_main(void *arg)
{
	struct monitor *m = arg;
	int fd;

	while ((fd = accept(m->listener, NULL, NULL)) >= 0) {
		FILE *in = fdopen(dup(fd), "r");
		char line[512];

		assert_true(write(fd, "{\"QMP\": {}}\n", 12) == 12);
		while (fgets(line, sizeof(line), in))
			answer(m, fd, line);
		fclose(in);
		close(fd);
	}
	return NULL;
}

static void monitor_start(struct monitor *m, pid_t qemu, bool running)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	struct vm_run_info info = { .started_at_sec = 1, .qemu = vm_run_process_of(qemu) };

	*m = (struct monitor){ .running = running };
	assert_success(vm_run_dir_new(&m->dir));
	info.qmp_socket = vm_run_dir_file(m->dir, "qmp.sock");
	snprintf(address.sun_path, sizeof(address.sun_path), "%s", info.qmp_socket);
	m->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_int_equal(bind(m->listener, (struct sockaddr *)&address, sizeof(address)), 0);
	assert_int_equal(listen(m->listener, 1), 0);
	assert_success(vm_run_dir_publish(m->dir, &info));
	vm_run_info_deinit(&info);
	assert_int_equal(pthread_create(&m->thread, NULL, monitor_main, m), 0);
}

static void monitor_end(struct monitor *m)
{
	shutdown(m->listener, SHUT_RDWR);
	pthread_join(m->thread, NULL);
	close(m->listener);
	strbuf_deinit(&m->heard);
	vm_run_dir_free(m->dir);
}

static const struct vm_run_entry *entry_of(struct vm_run_list *list, const struct monitor *m)
{
	assert_success(vm_run_list_read(list));
	return vm_run_list_find(list, m->dir->id);
}

static void freezing_and_resuming_leave_no_mark(void **state UNUSED)
{
	_cleanup_vm_run_list_ struct vm_run_list list = { 0 };
	const struct vm_run_entry *entry;
	struct vm_run_freeze freeze;
	struct monitor m;

	monitor_start(&m, getpid(), true);
	entry = entry_of(&list, &m);
	assert_success(vm_run_control_freeze(entry));
	assert_false(m.running);
	assert_false(vm_run_freeze_adopt(m.dir->path, &freeze));
	vm_run_control_ask(&list);
	/* Wanted by somebody: it stays so. */
	assert_string_equal(vm_run_state_name(entry->state), "paused");
	assert_success(vm_run_control_resume(entry));
	assert_true(m.running);
	assert_null(strstr(strbuf_str(&m.heard), "quit"));
	monitor_end(&m);
}

static void guest_frozen_by_a_dead_process_is_resumed(void **state UNUSED)
{
	_cleanup_vm_run_list_ struct vm_run_list list = { 0 };
	struct vm_run_freeze freeze = VM_RUN_FREEZE_NONE;
	const struct vm_run_entry *entry;
	struct monitor m;

	monitor_start(&m, getpid(), false);
	entry = entry_of(&list, &m);
	assert_success(vm_run_freeze_begin(m.dir->path, &freeze));
	vm_run_control_ask(&list);
	assert_int_equal(entry->state, VM_RUN_PAUSED);
	/* As its death would do. */
	close(take_fd(freeze.fd));
	free(freeze.path);
	list.entries.at[0].state = VM_RUN_RUNNING;
	vm_run_control_ask(&list);
	assert_int_equal(entry->state, VM_RUN_RUNNING);
	assert_true(m.running);
	assert_false(vm_run_freeze_adopt(m.dir->path, &freeze));
	monitor_end(&m);
}

static void killing_ends_qemu(void **state UNUSED)
{
	_cleanup_vm_run_list_ struct vm_run_list list = { 0 };
	struct monitor m;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0)
		for (;;)
			pause();
	monitor_start(&m, pid, true);
	assert_success(vm_run_control_kill(entry_of(&list, &m)));
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_error_tag(vm_run_control_kill(vm_run_list_find(&list, m.dir->id)), "absent");
	monitor_end(&m);
}

static void a_vm_that_is_starting_cannot_be_controlled(void **state UNUSED)
{
	_cleanup_vm_run_dir_ struct vm_run_dir *dir = NULL;
	_cleanup_vm_run_list_ struct vm_run_list list = { 0 };
	const struct vm_run_entry *entry;

	assert_success(vm_run_dir_new(&dir));
	assert_success(vm_run_list_read(&list));
	entry = vm_run_list_find(&list, dir->id);
	assert_error_tag(vm_run_control_freeze(entry), "absent");
	assert_error_tag(vm_run_control_resume(entry), "absent");
	assert_error_tag(vm_run_control_kill(entry), "absent");
	vm_run_control_ask(&list);
	assert_int_equal(entry->state, VM_RUN_STARTING);
}

#define dirs_test(f) cmocka_unit_test_setup_teardown(f, make_dirs, remove_dirs)

int main(void)
{
	const struct CMUnitTest tests[] = {
		dirs_test(freezing_and_resuming_leave_no_mark),
		dirs_test(guest_frozen_by_a_dead_process_is_resumed),
		dirs_test(killing_ends_qemu),
		dirs_test(a_vm_that_is_starting_cannot_be_controlled),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
