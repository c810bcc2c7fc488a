// SPDX-License-Identifier: GPL-2.0-or-later
#include "vm/image/image.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "elf/made_dynamic.h"
#include "elf/made_ld_cache.h"
#include "staged_root.h"
#include "told_archive.h"

static int setup(void **state)
{
	*state = staged_root_new();
	return 0;
}

static int teardown(void **state)
{
	staged_root_free(*state);
	return 0;
}

static void place(const char *root, const char *path, struct made_dynamic m)
{
	_cleanup_strbuf_ struct strbuf bytes = STRBUF_INIT;
	_cleanup_free_ char *full = xasprintf("%s%s", root, path);

	made_dynamic_append(&m, &bytes);
	staged_file(root, path, bytes.at, bytes.n);
	assert_int_equal(chmod(full, 0755), 0);
}

static void tell(struct vm_guest_files *g, struct strbuf *into)
{
	_cleanup_strbuf_ struct strbuf archive = STRBUF_INIT;
	struct wire_cpio_writer w;

	wire_cpio_writer_init(&w, wire_cpio_strbuf_sink, &archive);
	assert_success(vm_guest_files_write(g, &w));
	tell_archive(&archive, into);
}

static void guest_files_are_sorted_and_get_their_directories(void **state UNUSED)
{
	_cleanup_vm_guest_files_ struct vm_guest_files *g = vm_guest_files_new(NULL);
	_cleanup_strbuf_ struct strbuf told = STRBUF_INIT;

	assert_success(vm_guest_files_add_bytes(g, "/tmp/deep/f", 0600, "hello", 5));
	assert_success(vm_guest_files_add_link(g, "lib//x/./l", "target"));
	assert_success(vm_guest_files_add_bytes(g, "/bin/tool", 0755, "", 0));
	assert_success(vm_guest_files_add_device(g, "dev/null", S_IFCHR | 0666, 1, 3));
	assert_success(vm_guest_files_add_dir(g, "/root"));
	tell(g, &told);
	assert_string_equal(strbuf_str(&told), "040755 dev\n"
					       "020666 dev/null 1:3\n"
					       "040700 root\n"
					       "041777 tmp\n"
					       "040755 tmp/deep\n"
					       "100600 tmp/deep/f = hello\n"
					       "040755 usr\n"
					       "040755 usr/bin\n"
					       "100755 usr/bin/tool = \n"
					       "040755 usr/lib\n"
					       "040755 usr/lib/x\n"
					       "120777 usr/lib/x/l -> target\n");
	assert_true(vm_guest_files_has(g, "/bin/tool"));
	assert_false(vm_guest_files_has(g, "/bin/tools"));
}

static void equal_guest_files_are_merged_and_different_ones_conflict(void **state UNUSED)
{
	_cleanup_vm_guest_files_ struct vm_guest_files *g = vm_guest_files_new(NULL);
	_cleanup_strbuf_ struct strbuf archive = STRBUF_INIT, told = STRBUF_INIT;
	struct error *err;

	assert_success(vm_guest_files_add_link(g, "root/a", "/one"));
	assert_success(vm_guest_files_add_link(g, "root/a", "/one"));
	assert_success(vm_guest_files_add_bytes(g, "f", 0644, "xy", 2));
	assert_success(vm_guest_files_add_bytes(g, "f", 0644, "xy", 2));
	assert_success(vm_guest_files_pack(g, UINT64_MAX, &archive));
	tell_archive(&archive, &told);
	assert_string_equal(strbuf_str(&told),
			    "100644 f = xy\n040700 root\n120777 root/a -> /one\n");
	assert_error_tag(vm_guest_files_add_bytes(g, "f", 0644, "xz", 2), "guest-file-conflict");
	err = vm_guest_files_add_link(g, "root/a", "/two");
	assert_non_null(err);
	assert_string_equal(error_message(err), "/root/a: /one and /two");
	error_free(err);
	assert_error_tag(vm_guest_files_add_bytes(g, "../f", 0644, "", 0), "cpio-name");
}

static void program_brings_its_libraries_and_the_links_to_them(void **state)
{
	_cleanup_vm_guest_files_ struct vm_guest_files *g = vm_guest_files_new(*state);
	_cleanup_strbuf_ struct strbuf told = STRBUF_INIT;

	place(*state, "/opt/app/bin/prog",
	      (struct made_dynamic){ .interpreter = "/lib64/ld.so",
				     .needed = { "liba.so.1" },
				     .rpath = "$ORIGIN/../lib" });
	staged_link(*state, "/lib64", "usr/lib64");
	place(*state, "/usr/lib64/ld-2.so", (struct made_dynamic){ 0 });
	staged_link(*state, "/usr/lib64/ld.so", "ld-2.so");
	place(*state, "/opt/app/lib/liba.so.1.5", (struct made_dynamic){ 0 });
	staged_link(*state, "/opt/app/lib/liba.so.1", "liba.so.1.5");
	assert_success(vm_guest_files_add_program(g, "/opt/app/bin/prog"));
	tell(g, &told);
	assert_string_equal(strbuf_str(&told), "040755 opt\n"
					       "040755 opt/app\n"
					       "040755 opt/app/bin\n"
					       "100755 opt/app/bin/prog\n"
					       "040755 opt/app/lib\n"
					       "120777 opt/app/lib/liba.so.1 -> liba.so.1.5\n"
					       "100755 opt/app/lib/liba.so.1.5\n"
					       "040755 usr\n"
					       "040755 usr/lib64\n"
					       "100755 usr/lib64/ld-2.so\n"
					       "120777 usr/lib64/ld.so -> ld-2.so\n");
}

static void program_at_another_place_leaves_no_path_of_the_host(void **state)
{
	_cleanup_vm_guest_files_ struct vm_guest_files *g = vm_guest_files_new(*state);
	_cleanup_strbuf_ struct strbuf told = STRBUF_INIT;

	place(*state, "/srv/of/mine/prog",
	      (struct made_dynamic){ .interpreter = "/usr/lib64/ld.so", .needed = { "liba.so" } });
	staged_link(*state, "/srv/link", "of/mine/prog");
	place(*state, "/usr/lib64/ld.so", (struct made_dynamic){ 0 });
	place(*state, "/usr/lib64/liba.so", (struct made_dynamic){ 0 });
	staged_file(*state, "/srv/of/mine/data", "abc", 3);
	assert_success(vm_guest_files_add_program_at(g, "/srv/link", "/t/prog"));
	assert_success(vm_guest_files_add_program_at(g, "/srv/of/mine/data", "/t/data"));
	tell(g, &told);
	assert_string_equal(strbuf_str(&told), "040755 t\n"
					       "100644 t/data = abc\n"
					       "100755 t/prog\n"
					       "040755 usr\n"
					       "040755 usr/lib64\n"
					       "100755 usr/lib64/ld.so\n"
					       "100755 usr/lib64/liba.so\n");
}

static void program_that_finds_libraries_by_its_place_stays_there(void **state)
{
	_cleanup_vm_guest_files_ struct vm_guest_files *g = vm_guest_files_new(*state);
	_cleanup_strbuf_ struct strbuf told = STRBUF_INIT;

	place(*state, "/opt/bin/prog",
	      (struct made_dynamic){ .needed = { "liba.so" }, .runpath = "$ORIGIN" });
	place(*state, "/opt/bin/liba.so", (struct made_dynamic){ 0 });
	assert_success(vm_guest_files_add_program_at(g, "/opt/bin/prog", "/t/prog"));
	tell(g, &told);
	assert_string_equal(strbuf_str(&told), "040755 opt\n"
					       "040755 opt/bin\n"
					       "100755 opt/bin/liba.so\n"
					       "100755 opt/bin/prog\n"
					       "040755 t\n"
					       "120777 t/prog -> /opt/bin/prog\n");
}

/* Two checkouts of a tree differ in what their owners' umask left to others. */
static void permissions_do_not_depend_on_a_umask(void **state)
{
	static const struct {
		mode_t host;
		const char *told;
	} rows[] = {
		{ 0755, "100755 f = x\n" }, { 0775, "100755 f = x\n" },	 { 0700, "100755 f = x\n" },
		{ 0644, "100644 f = x\n" }, { 0664, "100644 f = x\n" },	 { 0600, "100644 f = x\n" },
		{ 0400, "100444 f = x\n" }, { 04750, "104755 f = x\n" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_vm_guest_files_ struct vm_guest_files *g = vm_guest_files_new(*state);
		_cleanup_free_ char *full = xasprintf("%s/f", (char *)*state);
		_cleanup_strbuf_ struct strbuf told = STRBUF_INIT;

		staged_file(*state, "/f", "x", 1);
		assert_int_equal(chmod(full, rows[i].host), 0);
		assert_success(vm_guest_files_add_host(g, "/f"));
		tell(g, &told);
		assert_string_equal(strbuf_str(&told), rows[i].told);
		assert_int_equal(unlink(full), 0);
	}
}

/* Neither the date of a file nor who owns it is in the archive. */
static void an_archive_is_the_same_when_a_file_was_touched(void **state)
{
	_cleanup_strbuf_ struct strbuf before = STRBUF_INIT, after = STRBUF_INIT;
	_cleanup_free_ char *full = xasprintf("%s/f", (char *)*state);
	static const struct timespec dates[] = { { .tv_sec = 1000 }, { .tv_sec = 1000 } };

	staged_file(*state, "/f", "x", 1);
	for (int i = 0; i < 2; i++) {
		_cleanup_vm_guest_files_ struct vm_guest_files *g = vm_guest_files_new(*state);

		assert_success(vm_guest_files_add_host(g, "/f"));
		assert_success(vm_guest_files_pack(g, UINT64_MAX, i ? &after : &before));
		assert_int_equal(utimensat(AT_FDCWD, full, dates, 0), 0);
	}
	assert_int_equal(before.n, after.n);
	assert_memory_equal(before.at, after.at, before.n);
}

static void library_known_from_the_cache_gets_a_link_where_the_loader_looks(void **state)
{
	static const struct made_cache_row rows[] = {
		{ "liba.so", "/opt/lib/liba.so", 0x0303, 0 },
		{ "libb.so", "/usr/lib/libb.so", 0x0303, 0 },
	};
	_cleanup_vm_guest_files_ struct vm_guest_files *g = vm_guest_files_new(*state);
	_cleanup_strbuf_ struct strbuf told = STRBUF_INIT, cache = STRBUF_INIT;

	made_ld_cache_append(rows, 2, &cache);
	staged_file(*state, "/etc/ld.so.cache", cache.at, cache.n);
	place(*state, "/prog", (struct made_dynamic){ .needed = { "liba.so", "libb.so" } });
	place(*state, "/opt/lib/liba.so", (struct made_dynamic){ 0 });
	place(*state, "/usr/lib/libb.so", (struct made_dynamic){ 0 });
	assert_success(vm_guest_files_add_program(g, "/prog"));
	tell(g, &told);
	assert_contains(strbuf_str(&told), "100755 opt/lib/liba.so\n");
	assert_contains(strbuf_str(&told),
			"120777 usr/lib/x86_64-linux-gnu/liba.so -> /opt/lib/liba.so\n");
	assert_false(vm_guest_files_has(g, "/usr/lib/x86_64-linux-gnu/libb.so"));
}

static void spec_gives_the_file_its_real_place_and_a_link(void **state)
{
	const char *root = *state;
	_cleanup_vm_guest_files_ struct vm_guest_files *g = vm_guest_files_new(NULL);
	_cleanup_free_ char *file = xasprintf("%s/d/data", root),
			    *colon = xasprintf("%s/a:b", root),
			    *renamed = xasprintf("%s/d/data:/srv/here", root),
			    *relative = xasprintf("%s/d/data:sub/", root),
			    *in_place = xasprintf("%s/d/data:%s/d/data", root, root);
	_cleanup_strbuf_ struct strbuf told = STRBUF_INIT;
	_cleanup_free_ char *wanted = NULL;

	staged_file(root, "/d/data", "x", 1);
	staged_file(root, "/a:b", "y", 1);
	assert_success(vm_guest_files_add_spec(g, file));
	assert_success(vm_guest_files_add_spec(g, renamed));
	assert_success(vm_guest_files_add_spec(g, relative));
	assert_success(vm_guest_files_add_spec(g, in_place));
	assert_success(vm_guest_files_add_spec(g, colon));
	tell(g, &told);
	wanted = xasprintf("040700 root\n"
			   "120777 root/a:b -> %s/a:b\n"
			   "120777 root/data -> %s/d/data\n"
			   "040755 root/sub\n"
			   "120777 root/sub/data -> %s/d/data\n"
			   "040755 srv\n"
			   "120777 srv/here -> %s/d/data\n",
			   root, root, root, root);
	assert_contains(strbuf_str(&told), wanted);
	assert_contains(strbuf_str(&told), "/d/data = x\n");
}

static void broken_specs_are_refused(void **state)
{
	_cleanup_vm_guest_files_ struct vm_guest_files *g = vm_guest_files_new(NULL);
	_cleanup_free_ char *dir = xasprintf("%s", (char *)*state);

	assert_error_tag(vm_guest_files_add_spec(g, ""), "guest-file-spec");
	assert_error_tag(vm_guest_files_add_spec(g, ":/x"), "guest-file-spec");
	assert_error_tag(vm_guest_files_add_spec(g, "file:"), "guest-file-spec");
	assert_error_tag(vm_guest_files_add_spec(g, "/no/such/file"), "io");
	assert_error_tag(vm_guest_files_add_host(g, dir), "guest-file-kind");
	assert_error_tag(vm_guest_files_add_spec(g, dir), "guest-file-kind");
	assert_error_tag(vm_guest_files_add_spec(g, "/dev/null"), "guest-file-kind");
}

/* Root may read everything, so somebody else tries. */
static void a_file_that_may_not_be_read_is_not_called_missing(void **state)
{
	_cleanup_free_ char *file = xasprintf("%s/secret", (char *)*state);
	int status = -1;
	pid_t pid;

	staged_file(*state, "/secret", "x", 1);
	assert_int_equal(chmod(*state, 0755), 0);
	assert_int_equal(chmod(file, 0), 0);
	pid = fork();
	if (pid == 0) {
		_cleanup_vm_guest_files_ struct vm_guest_files *g = vm_guest_files_new(NULL);
		_cleanup_error_ struct error *err = NULL;

		if (geteuid() == 0 && setresuid(65534, 65534, 65534) < 0)
			_exit(1);
		err = vm_guest_files_add_spec(g, file);
		_exit(error_errno(err) == EACCES ? 0 : 2);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static void file_that_shrinks_is_noticed(void **state)
{
	_cleanup_vm_guest_files_ struct vm_guest_files *g = vm_guest_files_new("/");
	_cleanup_strbuf_ struct strbuf archive = STRBUF_INIT;
	struct wire_cpio_writer w;

	(void)state;
	/* Has a size and no bytes. */
	skip_unless(access("/sys/kernel/mm/transparent_hugepage/enabled", R_OK) == 0,
		    "no file of sysfs to read");
	assert_success(vm_guest_files_add_host(g, "/sys/kernel/mm/transparent_hugepage/enabled"));
	wire_cpio_writer_init(&w, wire_cpio_strbuf_sink, &archive);
	assert_error_tag(vm_guest_files_write(g, &w), "guest-file-changed");
}

#define STAGED(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(guest_files_are_sorted_and_get_their_directories),
		cmocka_unit_test(equal_guest_files_are_merged_and_different_ones_conflict),
		STAGED(program_brings_its_libraries_and_the_links_to_them),
		STAGED(program_at_another_place_leaves_no_path_of_the_host),
		STAGED(program_that_finds_libraries_by_its_place_stays_there),
		STAGED(permissions_do_not_depend_on_a_umask),
		STAGED(an_archive_is_the_same_when_a_file_was_touched),
		STAGED(library_known_from_the_cache_gets_a_link_where_the_loader_looks),
		STAGED(spec_gives_the_file_its_real_place_and_a_link),
		STAGED(broken_specs_are_refused),
		STAGED(a_file_that_may_not_be_read_is_not_called_missing),
		cmocka_unit_test(file_that_shrinks_is_noticed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
