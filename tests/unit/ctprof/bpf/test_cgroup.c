// SPDX-License-Identifier: GPL-2.0-or-later
#include "ctprof/bpf/sample.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "unit.h"

/* A cgroup of our own below the root of the mount; its number is its inode's. */
struct own {
	struct ctprof_bpf_cgroups cgroups;
	struct intern strings;
	char *name, *dir;
	uint64_t id;
};

static uint64_t number_of(const char *dir)
{
	struct stat st;

	assert_int_equal(stat(dir, &st), 0);
	return st.st_ino;
}

static void own_make(struct own *own)
{
	ctprof_bpf_cgroups_init(&own->cgroups);
	intern_init(&own->strings);
	own->name = xasprintf("/ktstr test %d (x)", (int)getpid());
	own->dir = procfs_cgroup_mount_dir(&own->cgroups.mount, own->name);
	if (!own->dir || mkdir(own->dir, 0755) < 0) {
		print_message("# skip: no cgroup can be made here\n");
		skip();
	}
	own->id = number_of(own->dir);
}

static void own_free(struct own *own)
{
	rmdir(own->dir);
	free(own->dir);
	free(own->name);
	intern_deinit(&own->strings);
	ctprof_bpf_cgroups_deinit(&own->cgroups);
}

static void a_number_has_the_path_that_proc_shows(void **state)
{
	struct own own;
	uint32_t path = 0;

	(void)state;
	own_make(&own);
	assert_true(ctprof_bpf_cgroups_find(&own.cgroups, own.id, &own.strings, &path));
	assert_string_equal(intern_text(&own.strings, path), own.name);
	/* The top of the mount is the root. */
	assert_true(ctprof_bpf_cgroups_find(&own.cgroups, number_of(own.cgroups.mount.path),
					    &own.strings, &path));
	assert_string_equal(intern_text(&own.strings, path), "/");
	own_free(&own);
}

static void a_cgroup_that_is_gone_has_no_path(void **state)
{
	struct own own;
	uint32_t path = 77;

	(void)state;
	own_make(&own);
	assert_int_equal(rmdir(own.dir), 0);
	assert_false(ctprof_bpf_cgroups_find(&own.cgroups, own.id, &own.strings, &path));
	assert_false(ctprof_bpf_cgroups_find(&own.cgroups, 0, &own.strings, &path));
	assert_false(ctprof_bpf_cgroups_find(&own.cgroups, UINT64_MAX, &own.strings, &path));
	assert_int_equal(path, 77);
	own_free(&own);
}

static void each_number_is_asked_once(void **state)
{
	struct own own;
	uint32_t path = 0;

	(void)state;
	own_make(&own);
	assert_true(ctprof_bpf_cgroups_find(&own.cgroups, own.id, &own.strings, &path));
	/* From now on nothing can be asked any more. */
	close(own.cgroups.mount_fd);
	own.cgroups.mount_fd = -1;
	/* The table grows meanwhile. */
	for (uint64_t id = 1000000; id < 1000500; id++) {
		uint32_t none;

		assert_false(ctprof_bpf_cgroups_find(&own.cgroups, id, &own.strings, &none));
	}
	path = 0;
	assert_true(ctprof_bpf_cgroups_find(&own.cgroups, own.id, &own.strings, &path));
	assert_string_equal(intern_text(&own.strings, path), own.name);
	own_free(&own);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_number_has_the_path_that_proc_shows),
		cmocka_unit_test(a_cgroup_that_is_gone_has_no_path),
		cmocka_unit_test(each_number_is_asked_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
