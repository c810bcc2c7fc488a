// SPDX-License-Identifier: GPL-2.0-or-later
#include "ctprof/heap/heap.h"

#include "probe/hostile_elf.h"
#include "probe/jemalloc_target.h"

static const struct ctprof_helper_limits limits = { .memory_bytes = UINT64_C(4) << 30,
						    .cpu_sec = 60,
						    .wall_ms = 60000 };

/* The table's index of each object of a process. */
static void add_all(struct ctprof_heap_objects *table, pid_t pid, uint32_t *first)
{
	struct probe_objects objects;

	assert_success(probe_objects_list("/proc", pid, &objects));
	for (size_t i = 0; i < objects.rows.n; i++) {
		uint32_t index = ctprof_heap_objects_add(table, &objects, &objects.rows.at[i]);

		assert_int_not_equal(index, CTPROF_HEAP_NO_OBJECT);
		assert_int_equal(ctprof_heap_objects_find(table, &objects, &objects.rows.at[i]),
				 index);
		if (i == 0)
			*first = index;
	}
	probe_objects_deinit(&objects);
}

static void a_file_mapped_by_many_processes_is_one_object(void **state UNUSED)
{
	struct target one = target_start("KTSTR_TARGET"), two = target_start("KTSTR_TARGET");
	struct ctprof_heap_objects table;
	uint32_t first, second;
	size_t n;

	target_ask(&one, "hello");
	target_ask(&two, "hello");
	ctprof_heap_objects_init(&table, "/proc");
	add_all(&table, one.pid, &first);
	n = table.rows.n;
	assert_true(n >= 2);
	for (int i = 0; i < 10; i++)
		add_all(&table, two.pid, &second);
	assert_int_equal(table.rows.n, n);
	assert_int_equal(first, second);
	assert_int_equal(table.rows.at[first].n_places, CTPROF_HEAP_PLACES);
	ctprof_heap_objects_resolve(&table, 2, &limits, NULL);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(table.rows.at[i].file.state, CTPROF_HEAP_KNOWN);
		assert_true(table.rows.at[i].facts->is_complete);
		assert_false(ctprof_heap_object_is_candidate(&table.rows.at[i]));
		assert_int_equal(table.rows.at[i].debug_info.state, CTPROF_HEAP_UNKNOWN);
	}
	ctprof_heap_objects_deinit(&table);
	target_end(&one);
	target_end(&two);
}

static char *plain_copy(const char *program)
{
	char *path = xstrdup("/tmp/ktstr-copy-XXXXXX");
	int fd = mkstemp(path);
	_cleanup_free_ char *command = xasprintf("cp %s %s && chmod 755 %s", program, path, path);

	close(fd);
	assert_int_equal(system(command), 0);
	return path;
}

/* Another inode, the same build: looked at twice, its debug information read once. */
static void files_of_one_build_share_their_counters(void **state UNUSED)
{
	_cleanup_free_ char *path = NULL;
	struct target one, two;
	struct ctprof_heap_objects table;
	uint32_t first, second;

	skip_without_jemalloc();
	path = plain_copy(target_path("KTSTR_JEMALLOC_TARGET"));
	one = target_start("KTSTR_JEMALLOC_TARGET");
	two = target_start_as(path, NULL);
	target_ask(&one, "hello");
	target_ask(&two, "hello");
	ctprof_heap_objects_init(&table, "/proc");
	add_all(&table, one.pid, &first);
	add_all(&table, two.pid, &second);
	assert_int_not_equal(first, second);
	ctprof_heap_objects_resolve(&table, 2, &limits, NULL);
	assert_true(ctprof_heap_object_is_candidate(&table.rows.at[first]));
	assert_true(ctprof_heap_object_is_candidate(&table.rows.at[second]));
	assert_int_equal(table.rows.at[first].twin, first);
	assert_int_equal(table.rows.at[first].debug_info.state, CTPROF_HEAP_KNOWN);
	if (table.rows.at[first].facts->build_id[0]) {
		assert_int_equal(table.rows.at[second].twin, first);
		assert_int_equal(table.rows.at[second].debug_info.state, CTPROF_HEAP_UNKNOWN);
	}
	ctprof_heap_objects_deinit(&table);
	target_end(&one);
	target_end(&two);
	unlink(path);
}

/* Files are opened by their path as we see it: nothing is mapped where the object says. */
static struct probe_objects ourselves(void)
{
	static char root[32];

	snprintf(root, sizeof(root), "/proc/%d/root", (int)getpid());
	return (struct probe_objects){ .proc_root = (char *)"/proc",
				       .ns_root = root,
				       .pid = getpid() };
}

static void a_changed_file_is_another_one(void **state UNUSED)
{
	_cleanup_free_ char *path = plain_copy(target_path("KTSTR_TARGET"));
	struct probe_objects objects = ourselves();
	struct probe_object object = { .path = path };
	const struct timespec later[2] = { { 1, 0 }, { 1000000, 5 } };
	struct ctprof_heap_objects table;

	ctprof_heap_objects_init(&table, "/proc");
	assert_int_equal(ctprof_heap_objects_add(&table, &objects, &object), 0);
	assert_int_equal(utimensat(AT_FDCWD, path, later, 0), 0);
	assert_int_equal(ctprof_heap_objects_find(&table, &objects, &object),
			 CTPROF_HEAP_NO_OBJECT);
	assert_int_equal(errno, ENOENT);
	assert_int_equal(ctprof_heap_objects_add(&table, &objects, &object), 1);
	unlink(path);
	assert_int_equal(ctprof_heap_objects_add(&table, &objects, &object), CTPROF_HEAP_NO_OBJECT);
	assert_int_equal(errno, ENOENT);
	/* What cannot be opened any more is an error with its errno. */
	ctprof_heap_objects_resolve(&table, 1, &limits, NULL);
	assert_int_equal(table.rows.at[0].file.state, CTPROF_HEAP_FAILED);
	assert_int_equal(table.rows.at[0].file.error.errnum, ENOENT);
	assert_error_tag(ctprof_heap_error_make(&table.rows.at[0].file.error), "io");
	ctprof_heap_objects_deinit(&table);
}

static void a_file_that_is_not_elf_is_reported(void **state UNUSED)
{
	struct probe_objects objects = ourselves();
	struct probe_object object = { .path = (char *)"/etc/passwd" };
	struct ctprof_heap_objects table;

	ctprof_heap_objects_init(&table, "/proc");
	assert_int_equal(ctprof_heap_objects_add(&table, &objects, &object), 0);
	ctprof_heap_objects_resolve(&table, 1, &limits, NULL);
	assert_int_equal(table.rows.at[0].file.state, CTPROF_HEAP_FAILED);
	assert_error_tag(ctprof_heap_error_make(&table.rows.at[0].file.error), "not-elf");
	ctprof_heap_objects_deinit(&table);
}

static void parsing_an_endless_file_is_ended_by_the_time_limit(void **state UNUSED)
{
	static const struct ctprof_helper_limits soon = { .memory_bytes = UINT64_C(1) << 30,
							  .cpu_sec = 60,
							  .wall_ms = 3000 };
	_cleanup_free_ char *path = NULL;
	struct probe_objects objects = ourselves();
	struct probe_object hostile, good = { .path = (char *)target_path("KTSTR_TLS_LIBRARY") };
	struct ctprof_heap_objects table;

	skip_without_jemalloc();
	path = hostile_entries(target_path("KTSTR_JEMALLOC_TARGET"));
	hostile = (struct probe_object){ .path = path };
	ctprof_heap_objects_init(&table, "/proc");
	assert_int_equal(ctprof_heap_objects_add(&table, &objects, &hostile), 0);
	assert_int_equal(ctprof_heap_objects_add(&table, &objects, &good), 1);
	ctprof_heap_objects_resolve(&table, 1, &soon, NULL);
	unlink(path);
	assert_int_equal(table.rows.at[0].file.state, CTPROF_HEAP_KNOWN);
	assert_int_equal(table.rows.at[0].debug_info.state, CTPROF_HEAP_PANIC);
	assert_int_equal(table.rows.at[1].file.state, CTPROF_HEAP_KNOWN);
	ctprof_heap_objects_deinit(&table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_mapped_by_many_processes_is_one_object),
		cmocka_unit_test(files_of_one_build_share_their_counters),
		cmocka_unit_test(a_changed_file_is_another_one),
		cmocka_unit_test(a_file_that_is_not_elf_is_reported),
		cmocka_unit_test(parsing_an_endless_file_is_ended_by_the_time_limit),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
