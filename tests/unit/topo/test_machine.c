// SPDX-License-Identifier: GPL-2.0-or-later
#include "topo/machine.h"

#include "unit.h"

static struct topo_machine *machine_of(const char *cpus, const char *nodes)
{
	struct topo_cpuset c, n;

	assert_success(topo_cpuset_parse(cpus, strlen(cpus), &c));
	assert_success(topo_cpuset_parse(nodes, strlen(nodes), &n));
	return topo_machine_new(&c, &n);
}

static void cpus_and_nodes_are_found_by_number(void **state UNUSED)
{
	_cleanup_topo_machine_ struct topo_machine *m = machine_of("0,2-3,9,100", "0,4");

	assert_int_equal(m->n_cpus, 5);
	assert_int_equal(m->n_nodes, 2);
	for (unsigned int i = 0; i < m->n_cpus; i++)
		assert_ptr_equal(topo_machine_cpu(m, m->cpus[i].number), &m->cpus[i]);
	assert_null(topo_machine_cpu(m, 1));
	assert_null(topo_machine_cpu(m, 101));
	assert_ptr_equal(topo_machine_node(m, 4), &m->nodes[1]);
	assert_null(topo_machine_node(m, 1));
}

static void everything_is_absent_at_first(void **state UNUSED)
{
	_cleanup_topo_machine_ struct topo_machine *m = machine_of("0", "0");

	for (int item = 0; item < TOPO_N_ITEMS; item++) {
		uint32_t *value = topo_cpu_item(&m->cpus[0], (enum topo_item)item);

		assert_int_equal(value != NULL, topo_items[item].of == TOPO_OF_CPU);
		if (value)
			assert_true(*value == TOPO_ABSENT);
		assert_null(topo_machine_reason(m, (enum topo_item)item, 0));
	}
	assert_false(m->nodes[0].has_memory);
}

static void cpus_that_share_a_value_are_collected(void **state UNUSED)
{
	_cleanup_topo_machine_ struct topo_machine *m = machine_of("0-5", "0");
	_cleanup_strbuf_ struct strbuf s = STRBUF_INIT;
	struct topo_cpuset set;

	m->cpus[1].llc = m->cpus[3].llc = m->cpus[4].llc = 1;
	topo_machine_sharing(m, TOPO_ITEM_LLC, 1, &set);
	topo_cpuset_format(&set, &s);
	assert_string_equal(strbuf_str(&s), "1,3-4");
}

static void equal_reasons_share_a_row(void **state UNUSED)
{
	_cleanup_topo_machine_ struct topo_machine *m = machine_of("0-9", "0");

	topo_machine_set_absent(m, TOPO_ITEM_LLC, 1, "gone");
	topo_machine_set_absent(m, TOPO_ITEM_LLC, 2, "gone");
	topo_machine_set_absent(m, TOPO_ITEM_NODE, 2, "gone");
	topo_machine_set_absent(m, TOPO_ITEM_LLC, 3, "bell \a and more  ");
	assert_int_equal(m->absences.n, 3);
	assert_string_equal(topo_machine_reason(m, TOPO_ITEM_LLC, 2), "gone");
	assert_string_equal(topo_machine_reason(m, TOPO_ITEM_LLC, 3), "bell ? and more");
	assert_null(topo_machine_reason(m, TOPO_ITEM_LLC, 4));
	assert_null(topo_machine_reason(m, TOPO_ITEM_NODE, 1));
}

static void absence_reasons_past_the_limit_are_merged(void **state UNUSED)
{
	_cleanup_topo_machine_ struct topo_machine *m = machine_of("0-8191", "0");
	char reason[32];

	for (unsigned int cpu = 0; cpu < 8192; cpu++) {
		snprintf(reason, sizeof(reason), "reason %u", cpu);
		topo_machine_set_absent(m, cpu % 2 ? TOPO_ITEM_LLC : TOPO_ITEM_NODE, cpu, reason);
	}
	assert_true(m->absences.n <= TOPO_LIMIT_ABSENCES);
	assert_string_equal(topo_machine_reason(m, TOPO_ITEM_LLC, 1), "reason 1");
	assert_contains(topo_machine_reason(m, TOPO_ITEM_LLC, 8191), "too many");
	assert_contains(topo_machine_reason(m, TOPO_ITEM_NODE, 8190), "too many");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cpus_and_nodes_are_found_by_number),
		cmocka_unit_test(everything_is_absent_at_first),
		cmocka_unit_test(cpus_that_share_a_value_are_collected),
		cmocka_unit_test(equal_reasons_share_a_row),
		cmocka_unit_test(absence_reasons_past_the_limit_are_merged),
	};

	return cmocka_run_group_tests_name("topo/machine", tests, NULL, NULL);
}
