// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/jemalloc_probe/jemalloc_probe.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/io.h"
#include "unit.h"

/* Wire words: scripts look for them. Written out here, not derived. */
static const char *const words[] = {
	"pid-missing",
	"readlink-failure",
	"maps-read-failure",
	"jemalloc-not-found",
	"jemalloc-in-dso",
	"arch-mismatch",
	"dwarf-parse-failure",
	"exe-identity-changed",
	"self-probe-rejected",
	"tid-enumeration-failure",
	"other",
};

static void the_fatal_tags_are_the_documented_list(void **state UNUSED)
{
#define TAG_(id, tag, meaning) tag,
	static const char *const all[] = { FATAL_ALL(TAG_) };

	assert_int_equal(ARRAY_SIZE(all), ARRAY_SIZE(words));
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		assert_string_equal(all[i], words[i]);
}

static void attach_errors_keep_their_tag(void **state UNUSED)
{
	for (int kind = 0; kind < PROBE_ATTACH_N_ERROR_KINDS; kind++) {
		_cleanup_error_ struct error *err = probe_attach_error(
			(enum probe_attach_error_kind)kind, 0, "x");

		assert_string_equal(fatal_tag(err), words[kind]);
	}
}

static void own_kinds_keep_their_tag_under_context(void **state UNUSED)
{
	_cleanup_error_ struct error *err = error_wrap(
		probe_attach_error(PROBE_ATTACH_EXE_IDENTITY_CHANGED, 0, "x"), "context");

	assert_string_equal(fatal_tag(err), "exe-identity-changed");
}

static void errors_without_a_fatal_tag_are_tagged_other(void **state UNUSED)
{
	_cleanup_error_ struct error *io = base_error(BASE_IO, EIO, "x");
	_cleanup_error_ struct error *thread = probe_thread_error(PROBE_THREAD_WAITPID, 0, "x");

	assert_string_equal(fatal_tag(io), "other");
	assert_string_equal(fatal_tag(thread), "other");
}

struct fake_proc {
	char root[64];
};

static int set_up(void **state)
{
	struct fake_proc *proc = xnew(struct fake_proc);

	strcpy(proc->root, "/tmp/ktstr-test-hint-XXXXXX");
	assert_non_null(mkdtemp(proc->root));
	*state = proc;
	return 0;
}

static int tear_down(void **state)
{
	struct fake_proc *proc = *state;
	_cleanup_free_ char *line = xasprintf("rm -rf '%s'", proc->root);

	free(proc);
	return system(line);
}

static void write_file(const struct fake_proc *proc, const char *dir, const char *name,
		       const char *text)
{
	_cleanup_free_ char *make = xasprintf("mkdir -p '%s/%s'", proc->root, dir);
	_cleanup_free_ char *path = xasprintf("%s/%s/%s", proc->root, dir, name);
	_cleanup_close_ int fd = -1;

	assert_int_equal(system(make), 0);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	assert_success(io_write_all(fd, path, text, strlen(text)));
}

static void yama_is_named_with_its_value(void **state)
{
	static const char *const expected[] = { "CAP_SYS_PTRACE", "ptrace_scope is 1",
						"ptrace_scope is 2", "ptrace_scope is 3" };

	for (int scope = 0; scope <= 3; scope++) {
		_cleanup_strbuf_ struct strbuf hint = STRBUF_INIT;
		char text[] = { (char)('0' + scope), '\n', '\0' };

		write_file(*state, "sys/kernel/yama", "ptrace_scope", text);
		hint_permission(((struct fake_proc *)*state)->root, 77, &hint);
		assert_contains(strbuf_str(&hint), expected[scope]);
		if (scope == 0)
			assert_null(strstr(strbuf_str(&hint), "yama"));
	}
}

static void without_yama_the_capability_is_named(void **state)
{
	_cleanup_strbuf_ struct strbuf hint = STRBUF_INIT;

	hint_permission(((struct fake_proc *)*state)->root, 77, &hint);
	assert_contains(strbuf_str(&hint), "CAP_SYS_PTRACE");
	assert_null(strstr(strbuf_str(&hint), "yama"));
}

static void another_tracer_is_named(void **state)
{
	_cleanup_strbuf_ struct strbuf hint = STRBUF_INIT;

	write_file(*state, "77", "status", "Name:\tx\nTracerPid:\t4711\n");
	hint_permission(((struct fake_proc *)*state)->root, 77, &hint);
	assert_contains(strbuf_str(&hint), "traced by process 4711");
}

static const char *exe_hint(void **state, char task_state, int errnum, struct strbuf *into)
{
	_cleanup_free_ char *line = xasprintf(
		"7 (a) %c 1 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 55 0 0\n", task_state);

	write_file(*state, "7", "stat", line);
	hint_exe(((struct fake_proc *)*state)->root, 7, errnum, into);
	return strbuf_str(into);
}

static void a_process_without_executable_is_a_zombie_or_a_kernel_thread(void **state)
{
	_cleanup_strbuf_ struct strbuf zombie = STRBUF_INIT, kernel = STRBUF_INIT;

	assert_contains(exe_hint(state, 'Z', ENOENT, &zombie), "zombie");
	assert_contains(exe_hint(state, 'S', ENOENT, &kernel), "kernel thread");
}

static void a_refusal_is_about_permission(void **state)
{
	_cleanup_strbuf_ struct strbuf hint = STRBUF_INIT;

	assert_contains(exe_hint(state, 'S', EACCES, &hint), "CAP_SYS_PTRACE");
}

static void no_hint_is_given_without_a_known_cause(void **state)
{
	_cleanup_strbuf_ struct strbuf hint = STRBUF_INIT;

	assert_string_equal(exe_hint(state, 'S', EIO, &hint), "");
	hint_exe(((struct fake_proc *)*state)->root, 8, ENOENT, &hint);
	assert_string_equal(strbuf_str(&hint), "");
}

#define with_proc(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_fatal_tags_are_the_documented_list),
		cmocka_unit_test(attach_errors_keep_their_tag),
		cmocka_unit_test(own_kinds_keep_their_tag_under_context),
		cmocka_unit_test(errors_without_a_fatal_tag_are_tagged_other),
		with_proc(yama_is_named_with_its_value),
		with_proc(another_tracer_is_named),
		with_proc(without_yama_the_capability_is_named),
		with_proc(a_process_without_executable_is_a_zombie_or_a_kernel_thread),
		with_proc(a_refusal_is_about_permission),
		with_proc(no_hint_is_given_without_a_known_cause),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
