// SPDX-License-Identifier: GPL-2.0-or-later
#include "vm/run/run.h"

#include <signal.h>
#include <sys/wait.h>

#include "dirs.h"

static void without_a_run_directory_the_list_is_empty(void **state)
{
	struct dirs *f = *state;
	_cleanup_vm_run_list_ struct vm_run_list list = { 0 };
	struct stat st;

	assert_success(vm_run_list_read(&list));
	assert_int_equal(list.entries.n, 0);
	/* Looking leaves nothing. */
	assert_int_not_equal(stat(f->run, &st), 0);
}

static void each_vm_state_is_listed(void **state UNUSED)
{
	_cleanup_vm_run_dir_ struct vm_run_dir *bare = NULL, *starting = NULL, *running = NULL,
					       *ended = NULL;
	_cleanup_vm_run_list_ struct vm_run_list list = { 0 };
	struct vm_run_info info = { .started_at_sec = 10 };
	const struct vm_run_entry *entry;

	assert_success(vm_run_dir_new(&ended));
	assert_success(vm_run_dir_new(&running));
	assert_success(vm_run_dir_new(&starting));
	assert_success(vm_run_dir_new(&bare));
	assert_success(vm_run_dir_publish(starting, &info));
	info.started_at_sec = 9;
	info.qemu = vm_run_process_of(getpid());
	assert_success(vm_run_dir_publish(running, &info));
	info.started_at_sec = 8;
	info.qemu.start_time_jiffies++;
	assert_success(vm_run_dir_publish(ended, &info));
	vm_run_info_deinit(&info);

	assert_success(vm_run_list_read(&list));
	assert_int_equal(list.entries.n, 4);
	/* The oldest first, those that do not say last. */
	assert_string_equal(list.entries.at[0].id, ended->id);
	assert_string_equal(list.entries.at[1].id, running->id);
	assert_string_equal(list.entries.at[2].id, starting->id);
	assert_string_equal(list.entries.at[3].id, bare->id);
	entry = vm_run_list_find(&list, running->id);
	assert_non_null(entry);
	assert_string_equal(vm_run_state_name(entry->state), "running");
	assert_int_equal(entry->info->owner.pid, getpid());
	assert_string_equal(vm_run_state_name(list.entries.at[0].state), "ended");
	assert_string_equal(vm_run_state_name(list.entries.at[2].state), "starting");
	assert_string_equal(vm_run_state_name(list.entries.at[3].state), "starting");
	assert_null(list.entries.at[3].info);
}

/* A description that is a pipe, a directory, rubbish, or another VM's does not stop the list. */
static void unreadable_vm_descriptions_are_listed_too(void **state UNUSED)
{
	static const char *const rubbish[] = { "", "{", "{\"schema\":1}", "\xff" };

	for (size_t i = 0; i < ARRAY_SIZE(rubbish) + 3; i++) {
		_cleanup_vm_run_dir_ struct vm_run_dir *good = NULL, *bad = NULL;
		_cleanup_vm_run_list_ struct vm_run_list list = { 0 };
		_cleanup_free_ char *path = NULL;
		struct vm_run_info info = { 0 };
		const struct vm_run_entry *entry;

		assert_success(vm_run_dir_new(&good));
		assert_success(vm_run_dir_new(&bad));
		assert_success(vm_run_dir_publish(good, &info));
		path = vm_run_dir_file(bad, "vm.json");
		if (i < ARRAY_SIZE(rubbish)) {
			assert_success(io_replace_file(path, rubbish[i], strlen(rubbish[i])));
		} else if (i == ARRAY_SIZE(rubbish)) {
			assert_int_equal(mkfifo(path, 0600), 0);
		} else if (i == ARRAY_SIZE(rubbish) + 1) {
			assert_int_equal(mkdir(path, 0700), 0);
		} else {
			_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

			vm_run_info_format(&info, &text); /* that of `good` */
			assert_success(io_replace_file(path, text.at, text.n));
		}
		vm_run_info_deinit(&info);
		assert_success(vm_run_list_read(&list));
		assert_int_equal(list.entries.n, 2);
		entry = vm_run_list_find(&list, good->id);
		assert_int_equal(entry->state, VM_RUN_STARTING);
		assert_null(entry->problem);
		entry = vm_run_list_find(&list, bad->id);
		assert_int_equal(entry->state, VM_RUN_UNREADABLE);
		assert_null(entry->info);
		assert_contains(entry->problem, "vm.json");
	}
}

static void the_dead_are_not_listed(void **state UNUSED)
{
	_cleanup_vm_run_list_ struct vm_run_list list = { 0 };
	struct vm_run_dir *dir = NULL;
	struct vm_run_info info = { 0 };
	pid_t pid = fork();

	if (pid == 0) {
		if (!vm_run_dir_new(&dir) && !vm_run_dir_publish(dir, &info))
			kill(getpid(), SIGKILL);
		_exit(1);
	}
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_success(vm_run_list_read(&list));
	assert_int_equal(list.entries.n, 0);
}

static void a_unique_id_prefix_finds_its_vm(void **state UNUSED)
{
	struct vm_run_entry entries[] = { { .id = (char *)"aa000001" },
					  { .id = (char *)"aa000002" },
					  { .id = (char *)"bb000001" } };
	struct vm_run_list list = { .entries = { .at = entries, .n = 3 } };

	assert_ptr_equal(vm_run_list_find(&list, "aa000002"), &entries[1]);
	assert_ptr_equal(vm_run_list_find(&list, "b"), &entries[2]);
	assert_null(vm_run_list_find(&list, "aa"));
	assert_null(vm_run_list_find(&list, "cc"));
	assert_null(vm_run_list_find(&list, ""));
}

static void no_vm_and_several_are_told_apart(void **state UNUSED)
{
	struct vm_run_entry entries[] = { { .id = (char *)"aa000001" },
					  { .id = (char *)"aa000002" } };
	struct vm_run_list list = { .entries = { .at = entries, .n = 2 } };
	_cleanup_error_ struct error *none = NULL, *several = NULL;
	const struct vm_run_entry *entry = NULL;

	assert_success(vm_run_list_get(&list, "vm:aa000002", &entry));
	assert_ptr_equal(entry, &entries[1]);
	none = vm_run_list_get(&list, "vm:cc", &entry);
	several = vm_run_list_get(&list, "aa", &entry);
	assert_string_equal(error_tag(none), "absent");
	assert_contains(error_message(none), "no VM has an id that begins with \"cc\"");
	assert_string_equal(error_tag(several), "absent");
	assert_contains(error_message(several), "2 VMs have an id that begins with \"aa\"");
	assert_ptr_equal(entry, &entries[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define IN_DIRS(name) cmocka_unit_test_setup_teardown(name, make_dirs, remove_dirs)
		IN_DIRS(without_a_run_directory_the_list_is_empty),
		IN_DIRS(each_vm_state_is_listed),
		IN_DIRS(unreadable_vm_descriptions_are_listed_too),
		IN_DIRS(the_dead_are_not_listed),
		IN_DIRS(a_unique_id_prefix_finds_its_vm),
		IN_DIRS(no_vm_and_several_are_told_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
