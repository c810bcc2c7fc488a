// SPDX-License-Identifier: GPL-2.0-or-later
#include "vm/template/template.h"

#include <sched.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <time.h>

#include "base/clock.h"
#include "templates.h"

static void an_unfinished_one_leaves_nothing(void **state UNUSED)
{
	struct vm_template_draft draft = { .lock_fd = -1 };
	struct cancel cancel = { 0 };

	assert_success(vm_template_draft_begin("k", &cancel, &draft));
	assert_success(fill_draft(&draft, TEMPLATE_RAM_BYTES));
	assert_true(template_has("k", ".new"));
	vm_template_draft_deinit(&draft);
	assert_int_equal(count_entries(), 0);
	vm_template_draft_deinit(&draft);
}

static void a_finished_template_is_private_and_complete(void **state UNUSED)
{
	_cleanup_vm_template_ struct vm_template *made = NULL;
	struct stat st;

	assert_success(make_template("k", TEMPLATE_RAM_BYTES, &made));
	assert_int_equal(stat(made->dir, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0700);
	assert_true(made->lock_fd >= 0);
	assert_false(template_has("k", ".new"));
	assert_int_equal(count_entries(), 2);
}

static void a_draft_with_a_missing_file_cannot_be_finished(void **state UNUSED)
{
	_cleanup_vm_template_draft_ struct vm_template_draft draft = { .lock_fd = -1 };
	struct vm_template *made = (struct vm_template *)&draft;
	struct cancel cancel = { 0 };

	assert_success(vm_template_draft_begin("k", &cancel, &draft));
	assert_success(fill_draft(&draft, TEMPLATE_RAM_BYTES));
	assert_error_tag(vm_template_draft_finish(&draft, &test_proof, NULL, 2, &made), "template");
	assert_ptr_equal(made, &draft);
	assert_false(template_has("k", ""));
}

/* Somebody else holds the lock: we wait, and can be told to stop. */
static void waiting_for_another_maker_can_be_cancelled(void **state UNUSED)
{
	_cleanup_vm_template_draft_ struct vm_template_draft first = { .lock_fd = -1 };
	struct vm_template_draft second = { .lock_fd = -1, .key = (char *)&first };
	struct cancel cancel = { 0 }, ours = { 0 };

	assert_int_equal(vm_template_maker("k"), 0);
	assert_success(vm_template_draft_begin("k", &cancel, &first));
	assert_success(fill_draft(&first, TEMPLATE_RAM_BYTES));
	assert_int_equal(vm_template_maker("k"), getpid());
	assert_int_equal(vm_template_maker("other"), 0);
	cancel_request(&ours);
	assert_error_tag(vm_template_draft_begin("k", &ours, &second), "cancelled");
	/* Untouched, like the other's work. */
	assert_ptr_equal(second.key, &first);
	assert_true(template_has("k", ".new"));
	/* Another key is nobody's business. */
	second.key = NULL;
	assert_success(vm_template_draft_begin("other", &cancel, &second));
	vm_template_draft_deinit(&second);
}

/* Like a maker that dies after its n-th step. The last one lives to the end. */
enum { STEPS = 9 };

static void die_if(int step, int at)
{
	if (step == at)
		kill(getpid(), SIGKILL);
}

static void make_and_die(int at)
{
	struct vm_template_draft draft = { .lock_fd = -1 };
	uint64_t ram_bytes = 0;
	struct vm_template_description d = { .proof = test_proof, .ram_bytes = { &ram_bytes, 1 } };
	_cleanup_free_ char *json = NULL, *final = template_path("k", "");
	struct cancel cancel = { 0 };

	if (vm_template_draft_begin("k", &cancel, &draft))
		_exit(2);
	die_if(0, at);
	if (vm_template_draft_make_dir(&draft))
		_exit(3);
	die_if(1, at);
	if (fill_file(draft.dir, "state", 'k', 1000))
		_exit(4);
	die_if(2, at);
	if (fill_file(draft.dir, "ram.0", 'k', TEMPLATE_RAM_BYTES / 2))
		_exit(5);
	die_if(3, at);
	json = xasprintf("%s/ram.0", draft.dir);
	if (truncate(json, TEMPLATE_RAM_BYTES))
		_exit(6);
	die_if(4, at);
	free(json);
	json = xasprintf("%s/template.json", draft.dir);
	d.key = draft.key;
	d.state_bytes = 1000;
	ram_bytes = TEMPLATE_RAM_BYTES;
	if (vm_template_description_write(&d, json))
		_exit(7);
	die_if(5, at);
	error_free(paths_remove(final));
	die_if(6, at);
	if (rename(draft.dir, final))
		_exit(8);
	die_if(7, at);
	flock(draft.lock_fd, LOCK_SH);
	die_if(8, at);
	_exit(9);
}

static void run_to_death(int at)
{
	pid_t pid = fork();
	int status;

	assert_true(pid >= 0);
	if (pid == 0)
		make_and_die(at);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

static void a_maker_may_die_between_any_two_steps(void **state UNUSED)
{
	for (int at = 0; at < STEPS; at++) {
		bool whole = at >= 7;

		run_to_death(at);
		assert_int_equal(can_open("k"), whole);
		put_template("k", TEMPLATE_RAM_BYTES);
		assert_true(can_open("k"));
		assert_int_equal(count_entries(), 2);
		/* The next round begins with nothing, or with a damaged one. */
		assert_success(vm_template_evict(0, NULL));
		assert_int_equal(count_entries(), 0);
		if (at % 2) {
			_cleanup_free_ char *ram = template_path("k", "/ram.0");

			put_template("k", TEMPLATE_RAM_BYTES);
			assert_int_equal(truncate(ram, 1), 0);
		}
	}
}

/* What nobody asks for again goes when the next template is made. */
static void a_dead_makers_leftovers_do_not_stay(void **state UNUSED)
{
	for (int at = 0; at < 7; at++) {
		run_to_death(at);
		assert_true(template_has("k", ".lock"));
		put_template("other", TEMPLATE_RAM_BYTES);
		assert_int_equal(count_entries(), 2);
		assert_true(can_open("other"));
		assert_success(vm_template_evict(0, NULL));
	}
}

/* Whoever comes second takes what the first has made. */
static void the_second_maker_finds_it_done(void **state UNUSED)
{
	_cleanup_vm_template_draft_ struct vm_template_draft first = { .lock_fd = -1 };
	_cleanup_vm_template_ struct vm_template *made = NULL;
	struct cancel cancel = { 0 };
	int status, ends[2];
	char go;
	pid_t pid;

	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	assert_success(vm_template_draft_begin("k", &cancel, &first));
	assert_success(fill_draft(&first, TEMPLATE_RAM_BYTES));
	pid = fork();
	if (pid == 0) {
		struct vm_template_draft second = { .lock_fd = -1 };
		struct vm_template *found = NULL;

		/* Our copy of the first maker's descriptor would hold its lock. */
		close(first.lock_fd);
		if (write(ends[1], "x", 1) != 1 || vm_template_draft_begin("k", &cancel, &second) ||
		    vm_template_draft_existing(&second, &found))
			_exit(2);
		_exit(found && found->lock_fd >= 0 && second.lock_fd < 0 ? 0 : 3);
	}
	assert_true(pid > 0);
	assert_int_equal(read(ends[0], &go, 1), 1);
	assert_success(vm_template_draft_finish(&first, &test_proof, NULL, 1, &made));
	/* Two users at once, so the second need not wait for the first to end. */
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	close(ends[0]);
	close(ends[1]);
}

enum { PROCESSES = 4, ROUNDS = 60 };

/* Everything of a template in use is there and belongs to its key. */
static bool is_whole(const struct vm_template *template, char with)
{
	_cleanup_strbuf_ struct strbuf ram = STRBUF_INIT;
	_cleanup_error_ struct error *err = NULL;

	err = io_read_file(template->ram_paths[0], 1 << 20, &ram);
	if (err || ram.n != TEMPLATE_RAM_BYTES)
		return false;
	for (size_t i = 0; i < ram.n; i++)
		if (ram.at[i] != with)
			return false;
	return true;
}

/* Alone with the draft: another maker's file of this name would be in the way. */
static struct error *make_alone(const char *key, struct vm_template **ret)
{
	_cleanup_vm_template_draft_ struct vm_template_draft draft = { .lock_fd = -1 };
	struct cancel cancel = { 0 };
	struct error *err;

	err = vm_template_draft_begin(key, &cancel, &draft);
	if (!err)
		err = vm_template_draft_existing(&draft, ret);
	if (err || *ret)
		return err;
	err = fill_draft(&draft, TEMPLATE_RAM_BYTES);
	if (!err)
		err = vm_template_draft_finish(&draft, &test_proof, NULL, 1, ret);
	return err;
}

static int busy_process(int number)
{
	static const char *const keys[] = { "a", "b" };

	for (int round = 0; round < ROUNDS; round++) {
		const char *key = keys[(round + number) % 2];
		_cleanup_vm_template_ struct vm_template *template = NULL;
		_cleanup_error_ struct error *err = NULL;

		err = vm_template_open(key, &template);
		if (err)
			return 2;
		if (!template)
			err = make_alone(key, &template);
		/* Removed before we could hold it: told so, nothing worse. */
		if (err && strstr(error_message(err), "as soon as it was made"))
			continue;
		if (err) {
			print_message("# %s\n", error_message(err));
			return 3;
		}
		if (!is_whole(template, key[0]))
			return 4;
		if (round % 3 == 0)
			error_free(vm_template_evict(0, NULL));
		if (!is_whole(template, key[0]))
			return 5;
		if (round == ROUNDS - 1 && number % 2)
			kill(getpid(), SIGKILL);
	}
	return 0;
}

/* No room for more than one: everybody removes what the others make, all the time. */
static void concurrent_makers_users_and_removers_do_not_interfere(void **state UNUSED)
{
	pid_t pids[PROCESSES];

	setenv("KTSTR_TEMPLATE_LIMIT_MB", "0", 1);
	for (int i = 0; i < PROCESSES; i++) {
		pids[i] = fork();
		assert_true(pids[i] >= 0);
		if (pids[i] == 0)
			_exit(busy_process(i));
	}
	for (int i = 0; i < PROCESSES; i++) {
		int status;

		assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
		if (i % 2 && WIFSIGNALED(status))
			assert_int_equal(WTERMSIG(status), SIGKILL);
		else
			assert_int_equal(status, 0);
	}
	unsetenv("KTSTR_TEMPLATE_LIMIT_MB");
	assert_success(vm_template_evict(0, NULL));
	assert_int_equal(count_entries(), 0);
}

static void a_model_is_kept_with_its_template(void **state UNUSED)
{
	const struct vm_model model = { .cpus = 4, .turn_ns = 7, .ipi_busy_max_ns = 8 };
	_cleanup_vm_template_draft_ struct vm_template_draft draft = { .lock_fd = -1 };
	_cleanup_vm_template_ struct vm_template *made = NULL, *found = NULL, *other = NULL;
	struct cancel cancel = { 0 };

	assert_success(vm_template_draft_begin("k", &cancel, &draft));
	assert_success(fill_draft(&draft, TEMPLATE_RAM_BYTES));
	assert_success(vm_template_draft_finish(&draft, &test_proof, &model, 1, &made));
	assert_success(vm_template_open("k", &found));
	assert_non_null(found);
	assert_memory_equal(&made->model, &model, sizeof(model));
	assert_memory_equal(&found->model, &model, sizeof(model));
	put_template("other", TEMPLATE_RAM_BYTES);
	assert_success(vm_template_open("other", &other));
	assert_int_equal(other->model.cpus, 0);
}

/* As an older ktstr left it: no clone is started from a machine whose errors are unknown. */
static void a_template_of_the_format_before_models_is_made_anew(void **state UNUSED)
{
	_cleanup_free_ char *path = template_path("k", "/template.json");
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	char *format;

	put_template("k", TEMPLATE_RAM_BYTES);
	assert_true(can_open("k"));
	assert_success(io_read_file(path, 1 << 20, &text));
	format = strstr(strbuf_str(&text), "\"format\": 2");
	assert_non_null(format);
	format[strlen("\"format\": ")] = '1';
	assert_success(io_replace_file(path, text.at, text.n));
	assert_false(can_open("k"));
	put_template("k", TEMPLATE_RAM_BYTES);
	assert_true(can_open("k"));
}

/* Between maker and user the lock may go to one who removes its file. */
static void a_draft_whose_lock_was_removed_cannot_be_finished(void **state UNUSED)
{
	_cleanup_vm_template_draft_ struct vm_template_draft draft = { .lock_fd = -1 };
	_cleanup_free_ char *lock = template_path("k", ".lock");
	_cleanup_vm_template_ struct vm_template *made = NULL;
	struct cancel cancel = { 0 };

	assert_success(vm_template_draft_begin("k", &cancel, &draft));
	assert_success(fill_draft(&draft, TEMPLATE_RAM_BYTES));
	assert_int_equal(unlink(lock), 0);
	assert_success(vm_template_draft_finish(&draft, &test_proof, NULL, 1, &made));
	/* What we hold now has the name: nobody removes it. */
	assert_success(vm_template_evict(0, NULL));
	assert_true(template_has("k", "/ram.0"));
	vm_template_free(take_ptr(made));
	assert_success(vm_template_evict(0, NULL));
	assert_int_equal(count_entries(), 0);
}

/* Some keep a guest ready for hours: whoever comes meanwhile does not wait for them. */
static void draft_does_not_wait_for_users_of_the_template(void **state UNUSED)
{
	_cleanup_vm_template_draft_ struct vm_template_draft draft = { .lock_fd = -1 };
	_cleanup_vm_template_ struct vm_template *used = NULL, *also = NULL;
	struct cancel cancel = { .deadline_ns = clock_monotonic_ns() + 60 * NS_PER_SEC };

	put_template("k", TEMPLATE_RAM_BYTES);
	assert_success(vm_template_open("k", &used));
	assert_success(vm_template_draft_begin("k", &cancel, &draft));
	assert_success(vm_template_draft_existing(&draft, &also));
	assert_non_null(also);
}

/* In a child with its own mounts: 0 is as expected. */
static int fill_cache(const struct dirs *f, const char *size)
{
	_cleanup_free_ char *options = xasprintf("size=%s", size);
	struct vm_template *made = NULL;
	struct error *err;

	if (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
	    mkdir(f->cache, 0700) < 0 || mount("tmpfs", f->cache, "tmpfs", 0, options) < 0)
		return 77;
	err = make_template("k", 1 << 20, &made);
	if (!err)
		return 2;
	err = vm_template_draft_explain(
		&(struct vm_template_draft){ .dir = f->cache, .lock_fd = -1 }, err);
	if (!error_is(err, &vm_error_domain, VM_CACHE_FULL))
		return 3;
	if (!strstr(error_message(err), " KiB are free in ") ||
	    !strstr(error_message(err), f->cache))
		return 4;
	/* No room, but that was not the reason. */
	err = vm_template_draft_explain(
		&(struct vm_template_draft){ .dir = f->cache, .lock_fd = -1 },
		vm_error(VM_TEMPLATE, EROFS, "x"));
	if (error_is(err, &vm_error_domain, VM_CACHE_FULL))
		return 6;
	return count_entries() == 0 ? 0 : 5;
}

static void a_full_cache_is_reported_with_its_size_and_left_clean(void **state)
{
	/* Full within the state, within RAM, and so that only the description does not fit. */
	static const char *const sizes[] = { "4k", "12k", "512k", "1028k" };

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		pid_t pid = fork();
		int status;

		assert_true(pid >= 0);
		if (pid == 0)
			_exit(fill_cache(*state, sizes[i]));
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_true(WIFEXITED(status));
		skip_unless(WEXITSTATUS(status) != 77, "a file system cannot be mounted here");
		if (WEXITSTATUS(status))
			fail_msg("size %s: %d", sizes[i], WEXITSTATUS(status));
		assert_success(paths_remove(((struct dirs *)*state)->cache));
	}
}

static void only_enospc_is_reported_as_a_full_cache(void **state)
{
	struct dirs *f = *state;
	struct vm_template_draft draft = { .dir = f->top, .lock_fd = -1 };

	assert_null(vm_template_draft_explain(&draft, NULL));
	assert_error_tag(vm_template_draft_explain(&draft, vm_error(VM_TEMPLATE, EIO, "x")),
			 "template");
	assert_error_tag(vm_template_draft_explain(&draft, base_error(BASE_IO, ENOSPC, "x")),
			 "cache-full");
	assert_error_tag(vm_template_draft_explain(&draft, vm_error(VM_CACHE_FULL, ENOSPC, "x")),
			 "cache-full");
	assert_error_tag(vm_template_draft_explain(&draft, base_error(BASE_CANCELLED, 0, "x")),
			 "cancelled");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define IN_DIRS(name) cmocka_unit_test_setup_teardown(name, make_dirs, remove_dirs)
		IN_DIRS(an_unfinished_one_leaves_nothing),
		IN_DIRS(a_finished_template_is_private_and_complete),
		IN_DIRS(a_draft_with_a_missing_file_cannot_be_finished),
		IN_DIRS(waiting_for_another_maker_can_be_cancelled),
		IN_DIRS(a_maker_may_die_between_any_two_steps),
		IN_DIRS(a_dead_makers_leftovers_do_not_stay),
		IN_DIRS(the_second_maker_finds_it_done),
		IN_DIRS(concurrent_makers_users_and_removers_do_not_interfere),
		IN_DIRS(a_draft_whose_lock_was_removed_cannot_be_finished),
		IN_DIRS(a_model_is_kept_with_its_template),
		IN_DIRS(a_template_of_the_format_before_models_is_made_anew),
		IN_DIRS(draft_does_not_wait_for_users_of_the_template),
		IN_DIRS(a_full_cache_is_reported_with_its_size_and_left_clean),
		IN_DIRS(only_enospc_is_reported_as_a_full_cache),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
