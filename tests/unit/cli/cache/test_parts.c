// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/cache/parts.h"

#include <fcntl.h>
#include <sys/file.h>

#include "staged_root.h"

enum { FILE_BYTES = 8192 };

static char *begin(void)
{
	char *root = staged_root_new();

	setenv("KTSTR_CACHE_DIR", root, 1);
	return root;
}

static void put(const char *root, const char *path)
{
	static const char bytes[FILE_BYTES];

	staged_file(root, path, bytes, sizeof(bytes));
}

static bool is_there(const char *root, const char *path)
{
	_cleanup_free_ char *full = xasprintf("%s%s", root, path);

	return access(full, F_OK) == 0;
}

/* As flock(1) and the tools do. */
static int hold(const char *root, const char *path, int how)
{
	_cleanup_free_ char *full = staged_path(root, path);
	int fd = open(full, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(flock(fd, how), 0);
	return fd;
}

static struct cache_cleaning clean(const char *name, bool dry_run)
{
	struct cache_cleaning cleaning = { 0 };

	assert_success(cache_part_clean(cache_part_find(name), dry_run, &cleaning));
	return cleaning;
}

static void sizes_are_those_on_disk(void **state UNUSED)
{
	char *root = begin();

	put(root, "/qemu/a");
	put(root, "/qemu/deeper/b");
	assert_true(cache_part_bytes(cache_part_find("qemu")) >= 2 * FILE_BYTES);
	assert_int_equal(cache_part_bytes(cache_part_find("apt")), 0);
	assert_null(cache_part_find("nothing"));
	staged_root_free(root);
}

static void a_dry_run_removes_nothing(void **state UNUSED)
{
	char *root = begin();

	put(root, "/kernel-apt/lists/a");
	put(root, "/roots/sid/bin/sh");
	put(root, "/templates/0123456789abcdef/ram.0");
	assert_true(clean("kernel-apt", true).removed_bytes >= FILE_BYTES);
	assert_true(clean("roots", true).removed_bytes >= FILE_BYTES);
	assert_true(clean("templates", true).removed_bytes >= FILE_BYTES);
	assert_true(is_there(root, "/kernel-apt/lists/a") && is_there(root, "/roots/sid/bin/sh"));
	assert_true(is_there(root, "/templates/0123456789abcdef/ram.0"));
	/* Not even a lock is made. */
	assert_false(is_there(root, "/roots/sid.lock") || is_there(root, "/kernels"));
	staged_root_free(root);
}

static void cleaning_a_part_removes_its_unused_files_only(void **state UNUSED)
{
	char *root = begin();

	put(root, "/kernel-apt/lists/a");
	put(root, "/apt/debian/lists/a");
	put(root, "/kernels/6.18/bzImage");
	assert_true(clean("kernel-apt", false).removed_bytes >= FILE_BYTES);
	assert_false(is_there(root, "/kernel-apt"));
	assert_true(is_there(root, "/apt/debian/lists/a"));
	assert_true(is_there(root, "/kernels/6.18/bzImage"));
	assert_int_equal(clean("kernel-apt", false).removed_bytes, 0);
	staged_root_free(root);
}

static void a_part_in_use_is_kept(void **state UNUSED)
{
	char *root = begin();
	int fd;

	put(root, "/kernel-apt/lists/a");
	fd = hold(root, "/kernels/lock", LOCK_EX);
	for (int dry_run = 0; dry_run < 2; dry_run++) {
		struct cache_cleaning cleaning = clean("kernel-apt", dry_run);

		assert_int_equal(cleaning.removed_bytes, 0);
		assert_true(cleaning.used_bytes >= FILE_BYTES);
	}
	assert_true(is_there(root, "/kernel-apt/lists/a"));
	close(fd);
	assert_true(clean("kernel-apt", false).removed_bytes >= FILE_BYTES);
	staged_root_free(root);
}

static void cleaning_keeps_only_the_root_in_use(void **state UNUSED)
{
	char *root = begin();
	struct cache_cleaning cleaning;
	int fd;

	put(root, "/roots/sid/bin/sh");
	put(root, "/roots/trixie/bin/sh");
	fd = hold(root, "/roots/sid.lock", LOCK_SH);
	cleaning = clean("roots", false);
	assert_true(cleaning.removed_bytes >= FILE_BYTES && cleaning.used_bytes >= FILE_BYTES);
	assert_true(is_there(root, "/roots/sid/bin/sh"));
	assert_false(is_there(root, "/roots/trixie") || is_there(root, "/roots/trixie.lock"));
	close(fd);
	staged_root_free(root);
}

static void templates_that_are_cloned_from_are_kept(void **state UNUSED)
{
	char *root = begin();
	struct cache_cleaning cleaning;
	int fd;

	put(root, "/templates/0123456789abcdef/ram.0");
	put(root, "/templates/0123456789abcdef/template.json");
	put(root, "/templates/fedcba9876543210/ram.0");
	put(root, "/templates/fedcba9876543210/template.json");
	fd = hold(root, "/templates/0123456789abcdef.lock", LOCK_SH);
	cleaning = clean("templates", true);
	assert_true(cleaning.removed_bytes >= 2 * FILE_BYTES);
	assert_true(cleaning.used_bytes >= 2 * FILE_BYTES);
	cleaning = clean("templates", false);
	assert_true(cleaning.removed_bytes >= 2 * FILE_BYTES);
	assert_true(is_there(root, "/templates/0123456789abcdef/ram.0"));
	assert_false(is_there(root, "/templates/fedcba9876543210"));
	close(fd);
	assert_true(clean("templates", false).removed_bytes >= 2 * FILE_BYTES);
	/* The empty directory is used by nobody. */
	cleaning = clean("templates", false);
	assert_int_equal(cleaning.removed_bytes, 0);
	assert_int_equal(cleaning.used_bytes, 0);
	staged_root_free(root);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sizes_are_those_on_disk),
		cmocka_unit_test(a_dry_run_removes_nothing),
		cmocka_unit_test(cleaning_a_part_removes_its_unused_files_only),
		cmocka_unit_test(a_part_in_use_is_kept),
		cmocka_unit_test(cleaning_keeps_only_the_root_in_use),
		cmocka_unit_test(templates_that_are_cloned_from_are_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
