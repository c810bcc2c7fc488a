// SPDX-License-Identifier: GPL-2.0-or-later
#include "ctprof/group/names.h"

#include "made_snapshot.h"
#include "unit.h"

struct fixture {
	struct ctprof_snapshot snapshot;
	struct ctprof_group_keys *keys;
	struct ctprof_group_names names;
};

static void begin(struct fixture *f, struct ctprof_group_rules rules)
{
	ctprof_snapshot_init(&f->snapshot);
	f->keys = ctprof_group_keys_new(&rules);
}

static void ready(struct fixture *f)
{
	ctprof_group_keys_add(f->keys, &f->snapshot);
	ctprof_group_names_init(&f->names, f->keys, &f->snapshot);
}

static void end(struct fixture *f)
{
	ctprof_group_names_deinit(&f->names);
	ctprof_group_keys_free(f->keys);
	ctprof_snapshot_deinit(&f->snapshot);
}

static void assert_text(const struct fixture *f, uint32_t id, const char *expected)
{
	assert_string_equal(intern_text(ctprof_group_keys_texts(f->keys), id), expected);
}

static void memory_is_keyed_by_the_process_pattern_on_every_axis(void **state UNUSED)
{
	struct fixture f;

	begin(&f, (struct ctprof_group_rules){ .axis = CTPROF_GROUP_AXIS_COMM_EXACT });
	add_thread(&f.snapshot, 5, 5, "worker-7", "x", "/a");
	ready(&f);
	/* Always the pattern, even of a name that is alone with it. */
	assert_text(&f, ctprof_group_names_smaps(&f.names, &f.snapshot.threads.at[0]),
		    "worker-{N}");
	end(&f);
}

static void literal_names_carry_the_process_id_for_memory(void **state UNUSED)
{
	struct fixture f;

	begin(&f, (struct ctprof_group_rules){ .axis = CTPROF_GROUP_AXIS_PCOMM,
					       .literal_names = true });
	add_thread(&f.snapshot, 5, 5, "worker-7", "x", "/a");
	ready(&f);
	assert_text(&f, ctprof_group_names_smaps(&f.names, &f.snapshot.threads.at[0]),
		    "worker-7[5]");
	end(&f);
}

static void a_path_has_one_key_however_often_it_is_asked_for(void **state UNUSED)
{
	struct fixture f;
	uint32_t a, b;

	begin(&f, (struct ctprof_group_rules){ .axis = CTPROF_GROUP_AXIS_CGROUP });
	add_thread(&f.snapshot, 5, 5, "p", "x", "/a-1");
	add_thread(&f.snapshot, 6, 6, "p", "x", "/a-2");
	ready(&f);
	a = ctprof_group_names_cgroup(&f.names, f.snapshot.threads.at[0].cgroup);
	b = ctprof_group_names_cgroup(&f.names, f.snapshot.threads.at[1].cgroup);
	assert_int_equal(a, b);
	assert_int_equal(ctprof_group_names_cgroup(&f.names, f.snapshot.threads.at[0].cgroup), a);
	assert_text(&f, a, "/a-{N}");
	end(&f);
}

static void keys_are_numbered_in_the_order_of_arrival(void **state UNUSED)
{
	_cleanup_ctprof_key_table_ struct ctprof_key_table table = { 0 };

	assert_int_equal(ctprof_key_table_add(&table, &(struct ctprof_group_key){ 1, 2, 3 }), 0);
	assert_int_equal(ctprof_key_table_add(&table, &(struct ctprof_group_key){ 1, 3, 2 }), 1);
	assert_int_equal(ctprof_key_table_add(&table, &(struct ctprof_group_key){ 0, 0, 0 }), 2);
	assert_int_equal(ctprof_key_table_add(&table, &(struct ctprof_group_key){ 1, 2, 3 }), 0);
	assert_int_equal(ctprof_key_table_add(&table, &(struct ctprof_group_key){ 0, 0, 0 }), 2);
	assert_int_equal(table.keys.n, 3);
}

static void every_key_is_found_again_when_there_are_many(void **state UNUSED)
{
	enum { MANY = 5000 };
	_cleanup_ctprof_key_table_ struct ctprof_key_table table = { 0 };

	for (int round = 0; round < 2; round++) {
		for (uint32_t i = 0; i < MANY; i++)
			assert_int_equal(
				ctprof_key_table_add(&table,
						     &(struct ctprof_group_key){ i % 7, i / 7, i }),
				i);
	}
	assert_int_equal(table.keys.n, MANY);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(memory_is_keyed_by_the_process_pattern_on_every_axis),
		cmocka_unit_test(literal_names_carry_the_process_id_for_memory),
		cmocka_unit_test(a_path_has_one_key_however_often_it_is_asked_for),
		cmocka_unit_test(keys_are_numbered_in_the_order_of_arrival),
		cmocka_unit_test(every_key_is_found_again_when_there_are_many),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
