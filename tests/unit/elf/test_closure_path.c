// SPDX-License-Identifier: GPL-2.0-or-later
#include "elf/closure.h"

#include "staged_root.h"

static void told(void *context, const char *path, const char *target)
{
	strbuf_appendf(context, "%s -> %s\n", path, target ? target : "..");
}

static int setup(void **state)
{
	char *root = staged_root_new();

	staged_file(root, "/usr/lib/x/libreal.so.1.2", "x", 1);
	staged_link(root, "/usr/lib/x/libreal.so.1", "libreal.so.1.2");
	staged_link(root, "/lib", "usr/lib");
	staged_link(root, "/opt/lib.so", "/lib/x/../x/./libreal.so.1");
	staged_link(root, "/loop", "loop");
	staged_link(root, "/up", "../../../../opt");
	*state = root;
	return 0;
}

static int teardown(void **state)
{
	staged_root_free(*state);
	return 0;
}

static void path_walk_reports_each_symlink(void **state)
{
	_cleanup_strbuf_ struct strbuf real = STRBUF_INIT, links = STRBUF_INIT;

	assert_success(elf_closure_path_walk(*state, "/opt/lib.so", told, &links, &real));
	assert_string_equal(strbuf_str(&real), "/usr/lib/x/libreal.so.1.2");
	assert_string_equal(strbuf_str(&links), "/opt/lib.so -> /lib/x/../x/./libreal.so.1\n"
						"/lib -> usr/lib\n"
						"/usr/lib/x -> ..\n"
						"/usr/lib/x/libreal.so.1 -> libreal.so.1.2\n");
}

static void path_walk_stays_below_the_root(void **state)
{
	_cleanup_strbuf_ struct strbuf real = STRBUF_INIT;

	assert_success(elf_closure_path_walk(*state, "/up/../../opt/lib.so", NULL, NULL, &real));
	assert_string_equal(strbuf_str(&real), "/usr/lib/x/libreal.so.1.2");
	assert_success(elf_closure_path_walk(*state, "/..", NULL, NULL, &real));
	assert_string_equal(strbuf_str(&real), "/");
}

static void loops_and_missing_files_end_a_path_walk(void **state)
{
	_cleanup_strbuf_ struct strbuf real = STRBUF_INIT, lengthy = STRBUF_INIT;
	struct error *err = elf_closure_path_walk(*state, "/loop", NULL, NULL, &real);

	assert_int_equal(error_errno(err), ELOOP);
	error_free(err);
	err = elf_closure_path_walk(*state, "/usr/lib/none", NULL, NULL, &real);
	assert_int_equal(error_errno(err), ENOENT);
	error_free(err);
	assert_error_tag(elf_closure_path_walk(*state, "usr", NULL, NULL, &real), "io");
	strbuf_append_char(&lengthy, '/');
	strbuf_append_repeated(&lengthy, 'n', 300);
	assert_error_tag(elf_closure_path_walk(*state, strbuf_str(&lengthy), NULL, NULL, &real),
			 "io");
	assert_int_equal(real.n, 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(path_walk_reports_each_symlink, setup, teardown),
		cmocka_unit_test_setup_teardown(path_walk_stays_below_the_root, setup, teardown),
		cmocka_unit_test_setup_teardown(loops_and_missing_files_end_a_path_walk, setup,
						teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
