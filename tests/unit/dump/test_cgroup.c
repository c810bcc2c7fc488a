// SPDX-License-Identifier: GPL-2.0-or-later
#include "dump/tasks.h"

#include "build_guest.h"

static enum kmem_status path_of(struct build_guest *g)
{
	guest_attach(g);
	strbuf_clear(&g->out);
	return dump_cgroup_path(g->kmem, guest_pointer(g, guest_task_at(0)), &g->out);
}

static void a_cgroup_path_is_built_from_the_root_down(void **state)
{
	struct build_guest *g = *state;

	assert_int_equal(path_of(g), KMEM_READ_OK);
	assert_string_equal(strbuf_str(&g->out), "/a/b");
	/* Its node has no parent: it is the root. */
	guest_u64(g, GROUPS_AT + 0x80 + 8, 0);
	assert_int_equal(path_of(g), KMEM_READ_OK);
	assert_string_equal(strbuf_str(&g->out), "/");
}

static void a_cycle_of_parents_gives_no_cgroup_path(void **state)
{
	struct build_guest *g = *state;

	guest_u64(g, GROUPS_AT + 0x80 + 0x40 + 8, guest_pointer(g, GROUPS_AT + 0x80));
	assert_int_equal(path_of(g), KMEM_READ_TORN);
	assert_int_equal(g->out.n, 0);
}

static void an_unreadable_name_gives_no_cgroup_path(void **state)
{
	struct build_guest *g = *state;

	guest_u64(g, GROUPS_AT + 0x80 + 16, 0x10);
	assert_int_equal(path_of(g), KMEM_READ_UNMAPPED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		guest_test(a_cgroup_path_is_built_from_the_root_down),
		guest_test(a_cycle_of_parents_gives_no_cgroup_path),
		guest_test(an_unreadable_name_gives_no_cgroup_path),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
