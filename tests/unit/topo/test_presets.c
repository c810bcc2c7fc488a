// SPDX-License-Identifier: GPL-2.0-or-later
#include "topo/topology.h"

#include "unit.h"

/* Names and CPU counts as users know them; the table under test holds factors. */
static const struct {
	const char *name;
	unsigned int cpus, llcs, nodes;
} known[] = {
	{ "tiny-1llc", 4, 1, 1 },	   { "tiny-2llc", 4, 2, 1 },
	{ "odd-3llc", 9, 3, 1 },	   { "odd-5llc", 15, 5, 1 },
	{ "odd-7llc", 14, 7, 1 },	   { "smt-2llc", 8, 2, 1 },
	{ "smt-3llc", 12, 3, 1 },	   { "medium-4llc", 32, 4, 1 },
	{ "medium-8llc", 64, 8, 1 },	   { "large-4llc", 128, 4, 1 },
	{ "large-8llc", 128, 8, 1 },	   { "near-max-llc", 240, 15, 1 },
	{ "max-cpu", 252, 14, 1 },	   { "medium-4llc-nosmt", 32, 4, 1 },
	{ "medium-8llc-nosmt", 64, 8, 1 }, { "large-4llc-nosmt", 128, 4, 1 },
	{ "large-8llc-nosmt", 128, 8, 1 }, { "near-max-llc-nosmt", 240, 15, 1 },
	{ "max-cpu-nosmt", 252, 14, 1 },   { "numa2-4llc", 16, 4, 2 },
	{ "numa2-8llc", 128, 8, 2 },	   { "numa2-8llc-nosmt", 128, 8, 2 },
	{ "numa4-8llc", 32, 8, 4 },	   { "numa4-12llc", 192, 12, 4 },
};

static void all_24_are_there_with_their_counts(void **state UNUSED)
{
	unsigned int without_smt = 0;

	assert_int_equal(topo_n_presets, 24);
	assert_int_equal(ARRAY_SIZE(known), 24);
	for (size_t i = 0; i < topo_n_presets; i++) {
		const struct topo_preset *preset = topo_preset_find(known[i].name);

		assert_ptr_equal(preset, &topo_presets[i]);
		assert_success(topo_check(&preset->topology));
		assert_int_equal(topo_cpus(&preset->topology), known[i].cpus);
		assert_int_equal(preset->topology.llcs, known[i].llcs);
		assert_int_equal(preset->topology.nodes, known[i].nodes);
		without_smt += preset->topology.threads == 1;
		if (strstr(known[i].name, "nosmt"))
			assert_int_equal(preset->topology.threads, 1);
	}
	assert_int_equal(without_smt, 14);
}

static void a_name_or_a_topology_is_taken(void **state UNUSED)
{
	struct topo t;

	assert_success(topo_parse_or_preset("odd-5llc", &t));
	assert_int_equal(t.llcs, 5);
	assert_success(topo_parse_or_preset("2n4l2c1t,mem=1G:1G", &t));
	assert_true(t.has_memory);
}

static void an_unknown_preset_name_is_refused(void **state UNUSED)
{
	_cleanup_error_ struct error *err = NULL;
	struct topo t;

	assert_null(topo_preset_find("odd-5"));
	err = topo_parse_or_preset("odd-5", &t);
	assert_non_null(err);
	assert_contains(error_message(err), "\"odd-5\" is neither a preset nor a topology");
	assert_error_tag(topo_parse_or_preset("", &t), "topology-form");
	assert_error_tag(topo_parse_or_preset("1n", &t), "topology-form");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_24_are_there_with_their_counts),
		cmocka_unit_test(a_name_or_a_topology_is_taken),
		cmocka_unit_test(an_unknown_preset_name_is_refused),
	};

	return cmocka_run_group_tests_name("topo/presets", tests, NULL, NULL);
}
