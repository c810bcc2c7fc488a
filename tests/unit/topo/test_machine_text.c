// SPDX-License-Identifier: GPL-2.0-or-later
#include "fake_sysfs.h"
#include "topo/machine.h"
#include "unit.h"

static const char whole[] = "machine 1\n"
			    "cpus 0-3\n"
			    "nodes 0-1\n"
			    "threads 0-1\n"
			    "threads 2-3\n"
			    "core-id 0 0-3\n"
			    "llc 0-1\n"
			    "llc 2-3\n"
			    "node 0 0-1\n"
			    "node 1 2-3\n"
			    "memory 0 1048576\n"
			    "memory 1 0\n"
			    "distance 0 10 20\n"
			    "distance 1 20 10\n"
			    "end\n";

static struct error *parse(const char *text, struct topo_machine **ret)
{
	return topo_machine_parse(text, strlen(text), ret);
}

static void assert_round_trip(const char *text)
{
	_cleanup_topo_machine_ struct topo_machine *m = NULL;
	_cleanup_strbuf_ struct strbuf s = STRBUF_INIT;

	assert_success(parse(text, &m));
	topo_machine_format(m, &s);
	assert_string_equal(strbuf_str(&s), text);
}

static void a_machine_survives_a_round_trip_through_text(void **state UNUSED)
{
	_cleanup_topo_machine_ struct topo_machine *m = NULL;

	assert_success(parse(whole, &m));
	assert_int_equal(m->n_cpus, 4);
	assert_int_equal(m->cpus[3].core, 2);
	assert_int_equal(m->cpus[3].llc, 2);
	assert_int_equal(m->cpus[3].node, 1);
	assert_int_equal(m->cpus[3].core_id, 0);
	assert_true(m->nodes[0].memory_bytes == 1048576);
	assert_int_equal(m->distances[1], 20);
	assert_round_trip(whole);
}

static void absent_items_travel_with_their_reasons(void **state UNUSED)
{
	assert_round_trip("machine 1\ncpus 0-1\nnodes ?\nthreads 0-1\ncore-id 3 0\n"
			  "absent llc 0-1 no cache is described\n"
			  "absent core-id 1 it is \"x\"\n"
			  "absent node 0-1 node/online: Permission denied\nend\n");
	assert_round_trip("machine 1\ncpus 5\nnodes -\nthreads 5\ncore-id 3 5\nllc 5\nend\n");
	assert_round_trip("machine 1\ncpus 0\nnodes 0\nthreads 0\ncore-id 3 0\nllc 0\nnode 0 0\n"
			  "absent memory 0 a\nabsent distance 0 b\nend\n");
}

/* `from` in the good text becomes `to`; the result is refused with these words. */
static void assert_broken(const char *from, const char *to, const char *words)
{
	_cleanup_strbuf_ struct strbuf s = STRBUF_INIT;
	_cleanup_error_ struct error *err = NULL;
	const char *at = strstr(whole, from);
	struct topo_machine *m = NULL;

	assert_non_null(at);
	strbuf_append_bytes(&s, whole, (size_t)(at - whole));
	strbuf_append(&s, to);
	strbuf_append(&s, at + strlen(from));
	err = topo_machine_parse(strbuf_str(&s), s.n, &m);
	if (!err)
		fail_msg("\"%s\" for \"%s\" was accepted", to, from);
	assert_null(m);
	if (!strstr(error_message(err), words))
		fail_msg("\"%s\" for \"%s\": %s, wanted %s", to, from, error_message(err), words);
}

static void malformed_machine_texts_are_refused(void **state UNUSED)
{
	assert_broken("machine 1", "machine 2", "does not begin");
	assert_broken("machine 1", "Machine 1", "does not begin");
	assert_broken("cpus 0-3\n", "", "line 2 does not list the CPUs");
	assert_broken("cpus 0-3", "cpus ", "no CPU is online");
	assert_broken("cpus 0-3", "cpus 0-9999", "CPU list");
	assert_broken("cpus 0-3", "cpus 0-4", "CPU 4 is given 0 times");
	assert_broken("cpus 0-3", "cpus 0-2", "a CPU that is not online");
	assert_broken("nodes 0-1\n", "", "line 3 does not list the nodes");
	assert_broken("nodes 0-1", "nodes 0-256", "node 256, at most 256");
	assert_broken("nodes 0-1", "nodes 0", "a node that is not online");
	assert_broken("nodes 0-1", "nodes -", "a node that is not online");
	assert_broken("threads 0-1", "threads 0-2", "given twice");
	assert_broken("threads 2-3\n", "", "the thread siblings of CPU 2 is given 0 times");
	assert_broken("threads 0-1", "threads", "no CPUs");
	assert_broken("threads 0-1", "threads 0-1 ", "a blank at the end");
	assert_broken("threads 0-1", "threads 0-1 2", "more than expected");
	assert_broken("threads 0-1", "strands 0-1", "unknown keyword at \"strands 0-1\"");
	assert_broken("core-id 0 0-3", "core-id x 0-3", "no number");
	assert_broken("core-id 0 0-3", "core-id 4294967295 0-3", "no number");
	assert_broken("node 1 2-3", "node 2 2-3", "a node that is not online");
	assert_broken("memory 1 0\n", "", "the memory of node 1 is given 0 times");
	assert_broken("memory 1 0", "memory 0 0", "given twice");
	assert_broken("memory 1 0", "memory 2 0", "no node that is online");
	assert_broken("memory 1 0", "memory 1 18446744073709551616", "no number of bytes");
	assert_broken("memory 1 0", "memory 1 -1", "no number of bytes");
	assert_broken("distance 0 10 20", "distance 0 10", "a distance too few");
	assert_broken("distance 0 10 20", "distance 0 10 256", "a distance too few");
	assert_broken("distance 0 10 20", "distance 0 10 20 30", "more than expected");
	assert_broken("end\n", "", "\"end\" is not the last line");
	assert_broken("end\n", "end", "\"end\" is not the last line");
	assert_broken("end\n", "end\nend\n", "\"end\" is not the last line");
	assert_broken("end\n", "end 1\n", "unknown keyword");
}

static void malformed_absences_are_refused(void **state UNUSED)
{
	assert_broken("llc 2-3", "absent llc 2 x", "CPU 3 is given 0 times");
	assert_broken("end\n", "absent llc 2 x\nend\n", "CPU 2 is given 2 times");
	assert_broken("llc 2-3\n", "absent llc 2-3 x\nabsent llc 3 y\n", "CPU 3 is given 2 times");
	assert_broken("end\n", "absent llc 4 x\nend\n", "CPU 4, which is not online");
	assert_broken("end\n", "absent memory 4 x\nend\n", "node 4, which is not online");
	assert_broken("llc 2-3", "absent llc 2-3", "no reason");
	assert_broken("llc 2-3", "absent llc 2-3 ", "a blank");
	assert_broken("llc 2-3", "absent llc  x", "no reason");
	assert_broken("llc 2-3", "absent cache 2-3 x", "no item");
	assert_broken("llc 2-3", "absent llc 2-3 a\tb", "not plain text");
}

static void machine_texts_past_the_limits_are_refused(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf s = STRBUF_INIT;
	struct topo_machine *m = NULL;

	strbuf_append(&s, "machine 1\ncpus 0-1000\nnodes -\n");
	for (unsigned int i = 0; i <= TOPO_LIMIT_ABSENCES; i++)
		strbuf_appendf(&s, "absent llc %u x\n", i);
	assert_error_tag(parse(strbuf_str(&s), &m), "topology-machine");
	strbuf_clear(&s);
	strbuf_append(&s, "machine 1\ncpus 0\nnodes -\nabsent llc 0 ");
	strbuf_append_repeated(&s, 'x', TOPO_LIMIT_REASON);
	strbuf_append(&s, "\n");
	assert_error_tag(parse(strbuf_str(&s), &m), "topology-machine");
	strbuf_append_repeated(&s, ' ', TOPO_LIMIT_MACHINE_TEXT);
	assert_error_tag(parse(strbuf_str(&s), &m), "topology-machine");
	assert_error_tag(topo_machine_parse("", 0, &m), "topology-machine");
	assert_null(m);
}

static void a_cut_text_is_refused_at_every_length(void **state UNUSED)
{
	struct topo_machine *m = NULL;

	for (size_t n = 0; n < sizeof(whole) - 1; n++)
		assert_error_tag(topo_machine_parse(whole, n, &m), "topology-machine");
	assert_null(m);
}

static void the_text_of_252_cpus_is_short(void **state UNUSED)
{
	const struct topo t = { .nodes = 1, .llcs = 14, .cores = 18, .threads = 1 };
	_cleanup_topo_machine_ struct topo_machine *m = NULL, *again = NULL;
	_cleanup_strbuf_ struct strbuf s = STRBUF_INIT, s2 = STRBUF_INIT;
	_cleanup_fake_sysfs_ struct fake_sysfs fake = { 0 };

	fake_sysfs_init(&fake);
	fake_sysfs_stage(&fake, &t);
	assert_success(topo_machine_read(fake.root, &m));
	topo_machine_format(m, &s);
	assert_true(s.n < 16384);
	assert_success(topo_machine_parse(strbuf_str(&s), s.n, &again));
	topo_machine_format(again, &s2);
	assert_string_equal(strbuf_str(&s), strbuf_str(&s2));
	assert_int_equal(again->n_cpus, 252);
	assert_int_equal(again->cpus[251].llc, 234);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_machine_survives_a_round_trip_through_text),
		cmocka_unit_test(absent_items_travel_with_their_reasons),
		cmocka_unit_test(malformed_machine_texts_are_refused),
		cmocka_unit_test(malformed_absences_are_refused),
		cmocka_unit_test(machine_texts_past_the_limits_are_refused),
		cmocka_unit_test(a_cut_text_is_refused_at_every_length),
		cmocka_unit_test(the_text_of_252_cpus_is_short),
	};

	return cmocka_run_group_tests_name("topo/machine_text", tests, NULL, NULL);
}
