// SPDX-License-Identifier: GPL-2.0-or-later
#include "topo/machine.h"

#include "fake_sysfs.h"
#include "unit.h"

static struct topo topology(const char *text)
{
	struct topo t;

	assert_success(topo_parse(text, &t));
	return t;
}

/* A machine that really is what the text says; the test then bends it. */
static struct topo_machine *machine(const char *text)
{
	_cleanup_fake_sysfs_ struct fake_sysfs fake = { 0 };
	struct topo t = topology(text);
	struct topo_machine *m = NULL;

	fake_sysfs_init(&fake);
	fake_sysfs_stage(&fake, &t);
	assert_success(topo_machine_read(fake.root, &m));
	return m;
}

static void assert_same(const char *wanted, const struct topo_machine *m)
{
	struct topo t = topology(wanted);

	assert_success(topo_compare(&t, m));
}

static void assert_differs(const char *wanted, const struct topo_machine *m, const char *tag,
			   const char *words)
{
	struct topo t = topology(wanted);
	_cleanup_error_ struct error *err = topo_compare(&t, m);

	if (!err)
		fail_msg("no difference was found, wanted: %s", words);
	assert_string_equal(error_tag(err), tag);
	assert_contains(error_message(err), wanted);
	assert_contains(error_message(err), words);
}

static void a_machine_that_matches_the_topology_passes(void **state UNUSED)
{
	static const char *const texts[] = {
		"1n1l1c1t", "1n2l2c1t", "1n2l2c2t", "2n4l2c1t",
		"1n3l3c1t", "4n4l2c2t", "1n7l2c1t", "3n3l1c1t,dist=10:11:12:11:10:13:12:13:10"
	};

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		_cleanup_topo_machine_ struct topo_machine *m = machine(texts[i]);

		assert_same(texts[i], m);
	}
}

static void each_difference_is_named(void **state UNUSED)
{
	static const struct {
		const char *is, *wanted, *words;
	} cases[] = {
		{ "1n2l2c1t", "1n2l2c2t", "CPU count: 4 found (0-3), 8 asked for" },
		{ "1n2l2c1t", "1n2l1c2t", "thread siblings of CPU 0: 0 found, 0-1 asked for" },
		{ "1n2l1c2t", "1n2l2c1t", "thread siblings of CPU 0: 0-1 found, 0 asked for" },
		{ "1n1l4c1t", "1n2l2c1t", "LLC of CPU 0: shared by 0-3 found, 0-1 asked for" },
		{ "1n4l2c1t", "2n4l2c1t", "node of CPU 4: 0 found, 1 asked for" },
		{ "2n4l2c1t", "1n4l2c1t", "node of CPU 4: 1 found, 0 asked for" },
		{ "2n2l1c1t", "2n2l1c1t,dist=10:21:21:10",
		  "distance from node 0 to node 1: 20 found, 21 asked for" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_topo_machine_ struct topo_machine *m = machine(cases[i].is);

		assert_differs(cases[i].wanted, m, "topology-mismatch", cases[i].words);
	}
}

static void a_difference_of_one_cpu_is_found(void **state UNUSED)
{
	_cleanup_topo_machine_ struct topo_machine *m = machine("2n4l2c2t");

	m->cpus[15].llc = 15;
	assert_differs("2n4l2c2t", m, "topology-mismatch",
		       "LLC of CPU 12: shared by 12-14 found, 12-15 asked for");
	m->cpus[15].llc = 12;
	m->cpus[15].core = 15;
	assert_differs("2n4l2c2t", m, "topology-mismatch", "thread siblings of CPU 14: 14 found");
	m->cpus[15].core = 14;
	m->cpus[15].node = 0;
	assert_differs("2n4l2c2t", m, "topology-mismatch", "node of CPU 15: 0 found");
	m->cpus[15].node = 1;
	m->distances[2] = 19;
	assert_differs("2n4l2c2t", m, "topology-mismatch", "distance from node 1 to node 0: 19");
	m->distances[2] = 20;
	assert_same("2n4l2c2t", m);
	m->cpus[15].number = 16;
	assert_differs("2n4l2c2t", m, "topology-mismatch", "CPU numbers: 0-14,16 found");
}

static void a_machine_with_other_nodes_is_refused(void **state UNUSED)
{
	_cleanup_topo_machine_ struct topo_machine *m = machine("2n2l1c1t");

	/* CPUs alone do not tell: a node without CPUs may be missing or too many. */
	m->n_nodes = 1;
	assert_differs("2n2l1c1t", m, "topology-mismatch", "node count: 1 found, 2 asked for");
	m->n_nodes = 2;
	m->nodes[1].number = 3;
	assert_differs("2n2l1c1t", m, "topology-mismatch", "node numbers: 3 found, 1 asked for");
}

static void what_is_not_known_is_not_taken_as_equal(void **state UNUSED)
{
	_cleanup_topo_machine_ struct topo_machine *m = machine("1n2l2c1t");

	m->cpus[3].llc = TOPO_ABSENT;
	topo_machine_set_absent(m, TOPO_ITEM_LLC, 3, "no cache is described");
	assert_differs("1n2l2c1t", m, "topology-mismatch", "LLC of CPU 2: shared by 2 found");
	m->cpus[2].llc = TOPO_ABSENT;
	assert_differs("1n2l2c1t", m, "topology-unknown",
		       "the last-level cache of CPU 2: not reported");
	m->cpus[2].llc = m->cpus[3].llc = 2;
	m->cpus[1].node = TOPO_ABSENT;
	topo_machine_set_absent(m, TOPO_ITEM_NODE, 1, "in no node's list");
	assert_differs("1n2l2c1t", m, "topology-unknown", "the node of CPU 1: in no node's list");
	m->cpus[1].node = 0;
	m->nodes[0].has_distances = false;
	assert_differs("1n2l2c1t", m, "topology-unknown", "the distances of node 0");
}

static void a_kernel_without_numa_has_one_node(void **state UNUSED)
{
	_cleanup_topo_machine_ struct topo_machine *m = machine("1n2l2c1t");

	m->no_numa = true;
	m->n_nodes = 0;
	for (unsigned int i = 0; i < m->n_cpus; i++)
		m->cpus[i].node = TOPO_ABSENT;
	assert_same("1n2l2c1t", m);
	assert_differs("2n2l2c1t", m, "topology-unknown", "node of CPU 0");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_machine_that_matches_the_topology_passes),
		cmocka_unit_test(each_difference_is_named),
		cmocka_unit_test(a_difference_of_one_cpu_is_found),
		cmocka_unit_test(a_machine_with_other_nodes_is_refused),
		cmocka_unit_test(what_is_not_known_is_not_taken_as_equal),
		cmocka_unit_test(a_kernel_without_numa_has_one_node),
	};

	return cmocka_run_group_tests_name("topo/compare", tests, NULL, NULL);
}
