// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/topo/topo.h"

#include "sample.h"

static void assert_cpus(const struct view *view, unsigned int from, unsigned int to,
			const char *list)
{
	_cleanup_strbuf_ struct strbuf s = STRBUF_INIT;

	view_format_cpus(view, from, to, &s);
	assert_string_equal(strbuf_str(&s), list);
}

static void a_topology_is_grouped_as_it_counts(void **state UNUSED)
{
	_cleanup_view_ struct view view = { 0 };
	unsigned int from, to;

	sample_view("2n4l3c2t,mem=1G:512M", &view);
	assert_int_equal(view.m->n_cpus, 24);
	assert_int_equal(view_count(&view, VIEW_NODE, 0, 24), 2);
	assert_int_equal(view_count(&view, VIEW_LLC, 0, 24), 4);
	assert_int_equal(view_count(&view, VIEW_CORE, 0, 24), 12);
	assert_int_equal(view_count(&view, VIEW_CORE, 6, 12), 3);
	view_node_rows(&view, 1, &from, &to);
	assert_cpus(&view, from, to, "12-23");
	assert_int_equal(view_group_end(&view, VIEW_CORE, 22), 24);
	assert_true(view.is_regular);
	assert_true(view.m->nodes[1].memory_bytes == 512 << 20);
	assert_int_equal(view.m->distances[1], 20);
}

static void cpus_far_apart_still_make_a_topology(void **state UNUSED)
{
	_cleanup_topo_machine_ struct topo_machine *m = sample_machine(sample_apart);
	_cleanup_strbuf_ struct strbuf s = STRBUF_INIT;
	_cleanup_view_ struct view view = { 0 }, again = { 0 };
	unsigned int from, to;

	view_of_machine(m, &view);
	assert_cpus(&view, 0, view_group_end(&view, VIEW_LLC, 0), "0-1,4-5");
	assert_cpus(&view, 0, view_group_end(&view, VIEW_CORE, 0), "0,4");
	view_node_rows(&view, 2, &from, &to);
	assert_int_equal(to, 0);
	/* Memory without CPUs is no part of the form. */
	assert_false(view.is_regular);
	m->n_nodes = 2;
	m->distances[2] = 21;
	m->distances[3] = 10;
	view_of_machine(m, &again);
	assert_true(again.is_regular);
	topo_format(&again.regular, &s);
	assert_string_equal(strbuf_str(&s), "2n2l2c2t,dist=10:21:21:10");
}

static void default_distances_are_left_out_of_a_topology(void **state UNUSED)
{
	_cleanup_topo_machine_ struct topo_machine *m = sample_machine(sample_apart);
	_cleanup_strbuf_ struct strbuf s = STRBUF_INIT;
	_cleanup_view_ struct view view = { 0 };

	m->n_nodes = 2;
	m->distances[0] = m->distances[3] = 10;
	m->distances[1] = m->distances[2] = 20;
	view_of_machine(m, &view);
	assert_true(view.is_regular);
	topo_format(&view.regular, &s);
	assert_string_equal(strbuf_str(&s), "2n2l2c2t");
}

static void a_machine_with_unknown_parts_is_not_a_regular_topology(void **state UNUSED)
{
	_cleanup_topo_machine_ struct topo_machine *m = sample_machine(sample_unknown);
	_cleanup_view_ struct view view = { 0 };
	unsigned int from, to;

	view_of_machine(m, &view);
	assert_false(view.is_regular);
	view_node_rows(&view, TOPO_ABSENT, &from, &to);
	assert_cpus(&view, from, to, "3");
	assert_int_equal(view_count(&view, VIEW_CORE, 0, 3), 3);
	assert_int_equal(view_count_known(&view, VIEW_CORE), 1);
	assert_int_equal(view_count_known(&view, VIEW_LLC), 1);
}

static void a_machine_with_uneven_groups_is_not_a_regular_topology(void **state UNUSED)
{
	static const char *const uneven[] = {
		/* Cores with one and two threads, LLCs with one and two cores, nodes likewise. */
		"threads 0\nthreads 1-2\nllc 0-2\nnode 0 0-2\n",
		"threads 0\nthreads 1\nthreads 2\nllc 0\nllc 1-2\nnode 0 0-2\n",
	};

	for (size_t i = 0; i < ARRAY_SIZE(uneven); i++) {
		_cleanup_topo_machine_ struct topo_machine *m = NULL;
		_cleanup_strbuf_ struct strbuf s = STRBUF_INIT;
		_cleanup_view_ struct view view = { 0 };

		strbuf_appendf(&s,
			       "machine 1\ncpus 0-2\nnodes 0\ncore-id 0 0-2\n%smemory 0 1\n"
			       "distance 0 10\nend\n",
			       uneven[i]);
		m = sample_machine(strbuf_str(&s));
		view_of_machine(m, &view);
		assert_false(view.is_regular);
	}
}

static void without_numa_there_is_one_node(void **state UNUSED)
{
	_cleanup_topo_machine_ struct topo_machine *m = sample_machine(
		"machine 1\ncpus 0-1\nnodes -\nthreads 0\nthreads 1\ncore-id 0 0-1\nllc 0-1\nend\n");
	_cleanup_view_ struct view view = { 0 };

	view_of_machine(m, &view);
	assert_true(view.is_regular);
	assert_int_equal(view.regular.nodes, 1);
	assert_int_equal(view.regular.cores, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_topology_is_grouped_as_it_counts),
		cmocka_unit_test(cpus_far_apart_still_make_a_topology),
		cmocka_unit_test(default_distances_are_left_out_of_a_topology),
		cmocka_unit_test(a_machine_with_unknown_parts_is_not_a_regular_topology),
		cmocka_unit_test(a_machine_with_uneven_groups_is_not_a_regular_topology),
		cmocka_unit_test(without_numa_there_is_one_node),
	};

	return cmocka_run_group_tests_name("cli/topo/view", tests, NULL, NULL);
}
