// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>

#include "fake_sysfs.h"
#include "topo/machine.h"
#include "unit.h"

static const struct topo two_nodes = { .nodes = 2, .llcs = 4, .cores = 2, .threads = 2 };

static void stage(struct fake_sysfs *fake)
{
	fake_sysfs_init(fake);
	fake_sysfs_stage(fake, &two_nodes);
}

static void assert_reason(const struct topo_machine *m, enum topo_item item, unsigned int who,
			  const char *words)
{
	const char *reason = topo_machine_reason(m, item, who);

	assert_non_null(reason);
	assert_contains(reason, words);
}

static void a_staged_machine_is_read_whole(void **state UNUSED)
{
	_cleanup_topo_machine_ struct topo_machine *m = NULL;
	_cleanup_fake_sysfs_ struct fake_sysfs fake = { 0 };

	stage(&fake);
	assert_success(topo_machine_read(fake.root, &m));
	assert_int_equal(m->n_cpus, 16);
	assert_int_equal(m->absences.n, 0);
	assert_int_equal(m->cpus[7].core, 6);
	assert_int_equal(m->cpus[7].core_id, 1);
	assert_int_equal(m->cpus[7].llc, 4);
	assert_int_equal(m->cpus[7].node, 0);
	assert_int_equal(m->cpus[8].node, 1);
	assert_int_equal(m->cpus[15].llc, 12);
	assert_int_equal(m->n_nodes, 2);
	assert_true(m->nodes[1].memory_bytes == UINT64_C(512) << 20);
	assert_int_equal(m->distances[1], 20);
	assert_int_equal(m->distances[3], 10);
}

static void an_unreadable_item_is_absent_with_its_reason(void **state UNUSED)
{
	_cleanup_topo_machine_ struct topo_machine *m = NULL;
	_cleanup_fake_sysfs_ struct fake_sysfs fake = { 0 };

	stage(&fake);
	fake_sysfs_remove(&fake, "cpu/cpu3/topology/core_id");
	fake_sysfs_remove(&fake, "cpu/cpu5/cache");
	fake_sysfs_write(&fake, "cpu/cpu8/topology/core_id", "many\n");
	fake_sysfs_write(&fake, "cpu/cpu9/topology/core_id", "4294967295\n");
	fake_sysfs_write(&fake, "cpu/cpu10/topology/core_id", "\n");
	fake_sysfs_write(&fake, "node/node1/meminfo", "Node 1 MemTotal: lots\n");
	fake_sysfs_remove(&fake, "node/node0/distance");
	assert_success(topo_machine_read(fake.root, &m));
	assert_true(m->cpus[3].core_id == TOPO_ABSENT);
	assert_reason(m, TOPO_ITEM_CORE_ID, 3, "topology/core_id: No such file");
	assert_reason(m, TOPO_ITEM_CORE_ID, 8, "core_id is \"many\", not a number");
	assert_reason(m, TOPO_ITEM_CORE_ID, 9, "not a number");
	assert_reason(m, TOPO_ITEM_CORE_ID, 10, "not a number");
	assert_reason(m, TOPO_ITEM_LLC, 5, "no cache is described");
	/* The others of that cache named CPU 5, which says nothing: they are not known either. */
	assert_true(m->cpus[4].llc == TOPO_ABSENT);
	assert_reason(m, TOPO_ITEM_LLC, 4, "disagree");
	assert_int_equal(m->cpus[8].llc, 8);
	assert_reason(m, TOPO_ITEM_MEMORY, 1, "no MemTotal");
	assert_true(m->nodes[0].has_memory);
	assert_reason(m, TOPO_ITEM_DISTANCE, 0, "distance: No such file");
	assert_true(m->nodes[1].has_distances);
}

static void contradictory_sibling_lists_are_absent(void **state UNUSED)
{
	_cleanup_topo_machine_ struct topo_machine *m = NULL;
	_cleanup_fake_sysfs_ struct fake_sysfs fake = { 0 };

	stage(&fake);
	fake_sysfs_write(&fake, "cpu/cpu1/topology/thread_siblings_list", "1\n");
	fake_sysfs_write(&fake, "cpu/cpu4/topology/thread_siblings_list", "5\n");
	fake_sysfs_write(&fake, "cpu/cpu8/topology/thread_siblings_list", "8-9,90\n");
	fake_sysfs_write(&fake, "cpu/cpu9/topology/thread_siblings_list", "8-9,90\n");
	fake_sysfs_write(&fake, "cpu/cpu12/topology/thread_siblings_list", "12-\n");
	assert_success(topo_machine_read(fake.root, &m));
	assert_reason(m, TOPO_ITEM_THREADS, 0, "disagree");
	/* What CPU 1 says of itself stands on its own. */
	assert_int_equal(m->cpus[1].core, 1);
	assert_int_equal(m->cpus[2].core, 2);
	assert_reason(m, TOPO_ITEM_THREADS, 4, "disagree");
	assert_reason(m, TOPO_ITEM_THREADS, 8, "disagree");
	assert_reason(m, TOPO_ITEM_THREADS, 9, "disagree");
	assert_reason(m, TOPO_ITEM_THREADS, 12, "has no end");
	assert_int_equal(m->cpus[14].core, 14);
}

static void the_highest_cache_counts_wherever_it_is_listed(void **state UNUSED)
{
	_cleanup_topo_machine_ struct topo_machine *m = NULL;
	_cleanup_fake_sysfs_ struct fake_sysfs fake = { 0 };

	stage(&fake);
	/* A small core without L3: its L2, shared with nobody else of the machine. */
	fake_sysfs_remove(&fake, "cpu/cpu12/cache/index3");
	fake_sysfs_remove(&fake, "cpu/cpu13/cache/index3");
	fake_sysfs_write(&fake, "cpu/cpu14/cache/index3/shared_cpu_list", "14-15\n");
	fake_sysfs_write(&fake, "cpu/cpu15/cache/index3/shared_cpu_list", "14-15\n");
	/* A fourth level on one LLC only. */
	for (unsigned int cpu = 8; cpu < 12; cpu++) {
		char path[64];

		snprintf(path, sizeof(path), "cpu/cpu%u/cache/index4/level", cpu);
		fake_sysfs_write(&fake, path, "4\n");
		snprintf(path, sizeof(path), "cpu/cpu%u/cache/index4/shared_cpu_list", cpu);
		fake_sysfs_write(&fake, path, cpu < 10 ? "8-9\n" : "10-11\n");
	}
	/* Listed in another order, with a level of another kind on top. */
	fake_sysfs_write(&fake, "cpu/cpu4/cache/index3/level", "1\n");
	fake_sysfs_write(&fake, "cpu/cpu4/cache/index2/level", "3\n");
	fake_sysfs_write(&fake, "cpu/cpu4/cache/index2/shared_cpu_list", "4-7\n");
	assert_success(topo_machine_read(fake.root, &m));
	assert_int_equal(m->absences.n, 0);
	assert_int_equal(m->cpus[3].llc, 0);
	assert_int_equal(m->cpus[9].llc, 8);
	assert_int_equal(m->cpus[11].llc, 10);
	assert_int_equal(m->cpus[4].llc, 4);
	assert_int_equal(m->cpus[7].llc, 4);
	assert_int_equal(m->cpus[13].llc, 12);
	assert_int_equal(m->cpus[15].llc, 14);
}

static void a_kernel_without_numa_has_no_nodes(void **state UNUSED)
{
	_cleanup_topo_machine_ struct topo_machine *m = NULL;
	_cleanup_fake_sysfs_ struct fake_sysfs fake = { 0 };

	stage(&fake);
	fake_sysfs_remove(&fake, "node");
	assert_success(topo_machine_read(fake.root, &m));
	assert_true(m->no_numa);
	assert_int_equal(m->n_nodes, 0);
	assert_true(m->cpus[0].node == TOPO_ABSENT);
	assert_int_equal(m->absences.n, 0);
}

static void nodes_that_cannot_be_read_leave_cpus_without_one(void **state UNUSED)
{
	struct topo_machine *m = NULL;
	_cleanup_fake_sysfs_ struct fake_sysfs fake = { 0 };

	stage(&fake);
	fake_sysfs_write(&fake, "node/node1/cpulist", "garbage");
	assert_success(topo_machine_read(fake.root, &m));
	assert_reason(m, TOPO_ITEM_NODE, 8, "CPU list \"garbage\"");
	assert_int_equal(m->cpus[0].node, 0);
	topo_machine_free(m);
	fake_sysfs_write(&fake, "node/node1/cpulist", "8-14\n");
	assert_success(topo_machine_read(fake.root, &m));
	assert_reason(m, TOPO_ITEM_NODE, 15, "in no node's list");
	topo_machine_free(m);
	fake_sysfs_remove(&fake, "node/online");
	assert_success(topo_machine_read(fake.root, &m));
	assert_false(m->no_numa);
	assert_int_equal(m->n_nodes, 0);
	assert_reason(m, TOPO_ITEM_NODE, 0, "online: No such file");
	topo_machine_free(m);
}

static void distances_must_be_as_many_as_nodes(void **state UNUSED)
{
	static const char *const broken[] = { "10\n",	  "10 20 30\n", "10 x\n", "10 256\n",
					      "10 -20\n", "\n",		"10,20\n" };
	_cleanup_fake_sysfs_ struct fake_sysfs fake = { 0 };

	stage(&fake);
	for (size_t i = 0; i < ARRAY_SIZE(broken); i++) {
		_cleanup_topo_machine_ struct topo_machine *m = NULL;

		fake_sysfs_write(&fake, "node/node0/distance", broken[i]);
		assert_success(topo_machine_read(fake.root, &m));
		assert_reason(m, TOPO_ITEM_DISTANCE, 0, "not 2 numbers");
	}
}

static void a_machine_without_online_cpus_is_refused(void **state UNUSED)
{
	_cleanup_fake_sysfs_ struct fake_sysfs fake = { 0 };
	struct topo_machine *m = NULL;

	assert_error_tag(topo_machine_read("/nonexistent", &m), "io");
	fake_sysfs_init(&fake);
	fake_sysfs_write(&fake, "cpu/online", "\n");
	assert_error_tag(topo_machine_read(fake.root, &m), "topology-machine");
	fake_sysfs_write(&fake, "cpu/online", "0-");
	assert_error_tag(topo_machine_read(fake.root, &m), "topology-machine");
	fake_sysfs_remove(&fake, "cpu/online");
	assert_error_tag(topo_machine_read(fake.root, &m), "topology-machine");
	assert_null(m);
}

/* Lists around the size of the first read, with and without the newline. */
static void a_long_list_is_read_to_its_end(void **state UNUSED)
{
	_cleanup_fake_sysfs_ struct fake_sysfs fake = { 0 };

	fake_sysfs_init(&fake);
	for (unsigned int n = 60; n < 130; n++) {
		_cleanup_strbuf_ struct strbuf list = STRBUF_INIT;

		for (unsigned int i = 0; i < n; i++)
			strbuf_appendf(&list, "%s%u", i ? "," : "", 2 * i);
		for (int newline = 0; newline < 2; newline++) {
			_cleanup_topo_machine_ struct topo_machine *m = NULL;

			if (newline)
				strbuf_append_char(&list, '\n');
			fake_sysfs_write(&fake, "cpu/online", strbuf_str(&list));
			assert_success(topo_machine_read(fake.root, &m));
			assert_int_equal(m->n_cpus, n);
			assert_int_equal(m->cpus[n - 1].number, 2 * (n - 1));
		}
	}
}

/* Each line of lscpu: CPU,NODE,CACHE where CACHE is L1d:L1i:L2:L3 ids. */
static void this_machine_is_as_lscpu_sees_it(void **state UNUSED)
{
	_cleanup_topo_machine_ struct topo_machine *m = NULL;
	FILE *lscpu = popen("lscpu -p=CPU,NODE,CACHE 2>/dev/null", "r");
	unsigned int cpu, llc_first[512], n = 0;
	bool known[512] = { false };
	char line[256];

	assert_success(topo_machine_read("/sys", &m));
	while (lscpu && fgets(line, sizeof(line), lscpu)) {
		const struct topo_cpu *ours;
		unsigned long llc, node;
		char *colon, *rest;

		if (line[0] == '#')
			continue;
		cpu = (unsigned int)strtoul(line, &rest, 10);
		ours = topo_machine_cpu(m, cpu);
		assert_non_null(ours);
		n++;
		node = strtoul(rest + 1, NULL, 10);
		if (ours->node != TOPO_ABSENT)
			assert_int_equal(ours->node, node);
		colon = strrchr(line, ':');
		llc = colon ? strtoul(colon + 1, NULL, 10) : 512;
		if (llc >= 512 || ours->llc == TOPO_ABSENT)
			continue;
		if (!known[llc])
			llc_first[llc] = cpu;
		known[llc] = true;
		assert_int_equal(ours->llc, llc_first[llc]);
	}
	if (lscpu)
		pclose(lscpu);
	skip_unless(n > 0, "lscpu says nothing here");
	assert_int_equal(n, m->n_cpus);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_staged_machine_is_read_whole),
		cmocka_unit_test(an_unreadable_item_is_absent_with_its_reason),
		cmocka_unit_test(contradictory_sibling_lists_are_absent),
		cmocka_unit_test(the_highest_cache_counts_wherever_it_is_listed),
		cmocka_unit_test(a_kernel_without_numa_has_no_nodes),
		cmocka_unit_test(nodes_that_cannot_be_read_leave_cpus_without_one),
		cmocka_unit_test(distances_must_be_as_many_as_nodes),
		cmocka_unit_test(a_machine_without_online_cpus_is_refused),
		cmocka_unit_test(a_long_list_is_read_to_its_end),
		cmocka_unit_test(this_machine_is_as_lscpu_sees_it),
	};

	return cmocka_run_group_tests_name("topo/machine_read", tests, NULL, NULL);
}
