// SPDX-License-Identifier: GPL-2.0-or-later
#include "topo/topology.h"
#include "unit.h"

/* Counted out by hand through four nested loops, not by division. */
static void cpus_are_numbered_by_node_llc_core_and_thread(void **state UNUSED)
{
	const struct topo t = { .nodes = 3, .llcs = 6, .cores = 5, .threads = 2 };
	unsigned int cpu = 0, llc = 0, core = 0;

	for (unsigned int node = 0; node < 3; node++) {
		for (unsigned int l = 0; l < 2; l++, llc++) {
			assert_int_equal(topo_node_of_llc(&t, llc), node);
			for (unsigned int c = 0; c < 5; c++, core++) {
				for (unsigned int thread = 0; thread < 2; thread++, cpu++) {
					assert_int_equal(topo_llc_of_cpu(&t, cpu), llc);
					assert_int_equal(topo_core_of_cpu(&t, cpu), core);
					assert_int_equal(cpu % t.threads, thread);
					assert_int_equal(topo_node_of_cpu(&t, cpu), node);
				}
			}
		}
	}
	assert_int_equal(topo_cpus(&t), cpu);
	assert_int_equal(topo_cpus_per_llc(&t), 10);
	assert_int_equal(topo_llcs_per_node(&t), 2);
}

static void default_distances_are_10_and_20(void **state UNUSED)
{
	struct topo t = { .nodes = 2, .llcs = 2, .cores = 1, .threads = 1 };

	assert_int_equal(topo_distance(&t, 1, 1), 10);
	assert_int_equal(topo_distance(&t, 0, 1), 20);
	t.has_distances = true;
	t.distances[0][1] = 33;
	assert_int_equal(topo_distance(&t, 0, 1), 33);
}

static void total_memory_is_the_sum_of_the_nodes_or_0(void **state UNUSED)
{
	struct topo t = { .nodes = 2, .llcs = 2, .cores = 1, .threads = 1 };

	t.memory_bytes[0] = 5;
	t.memory_bytes[1] = 7;
	t.memory_bytes[2] = 100;
	assert_true(topo_memory_bytes(&t) == 0);
	t.has_memory = true;
	assert_true(topo_memory_bytes(&t) == 12);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cpus_are_numbered_by_node_llc_core_and_thread),
		cmocka_unit_test(default_distances_are_10_and_20),
		cmocka_unit_test(total_memory_is_the_sum_of_the_nodes_or_0),
	};

	return cmocka_run_group_tests_name("topo/shape", tests, NULL, NULL);
}
