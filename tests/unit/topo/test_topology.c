// SPDX-License-Identifier: GPL-2.0-or-later
#include "topo/topology.h"

#include <stdlib.h>

#include "unit.h"

/* The text is refused with this tag, and the message holds these words. */
static void assert_refused(const char *text, const char *tag, const char *words)
{
	struct topo t = { .nodes = 77 };
	_cleanup_error_ struct error *err = topo_parse(text, &t);

	if (!err)
		fail_msg("\"%s\" was accepted", text);
	if (strcmp(error_tag(err), tag) != 0 || !strstr(error_message(err), words))
		fail_msg("\"%s\": [%s] %s, wanted [%s] %s", text, error_tag(err),
			 error_message(err), tag, words);
	assert_int_equal(t.nodes, 77);
}

static void assert_round_trip(const char *text, const char *formatted)
{
	_cleanup_strbuf_ struct strbuf s = STRBUF_INIT;
	struct topo t, again;

	assert_success(topo_parse(text, &t));
	assert_success(topo_check(&t));
	topo_format(&t, &s);
	assert_string_equal(strbuf_str(&s), formatted);
	assert_success(topo_parse(strbuf_str(&s), &again));
	assert_true(topo_equal(&t, &again));
}

static void a_topology_is_parsed_from_four_numbers(void **state UNUSED)
{
	struct topo t;

	assert_success(topo_parse("2n4l8c3t", &t));
	assert_int_equal(t.nodes, 2);
	assert_int_equal(t.llcs, 4);
	assert_int_equal(t.cores, 8);
	assert_int_equal(t.threads, 3);
	assert_false(t.has_memory);
	assert_false(t.has_distances);
	assert_round_trip("2n4l8c3t", "2n4l8c3t");
	assert_round_trip("01n1l0002c1t", "1n1l2c1t");
	assert_round_trip("1n1024l1c1t", "1n1024l1c1t");
}

static void a_number_alone_means_that_many_cores(void **state UNUSED)
{
	assert_round_trip("8", "1n1l8c1t");
	assert_round_trip("1", "1n1l1c1t");
	assert_round_trip("4,mem=1G", "1n1l4c1t,mem=1G");
	assert_refused("0", "topology-range", "zero cores per LLC");
	assert_refused("5000", "topology-range", "");
	assert_refused("8 ", "topology-form", "'n' (nodes) is missing");
	assert_refused("99999999999", "topology-form", "'n' (nodes) is missing");
}

static void the_missing_letter_is_named(void **state UNUSED)
{
	assert_refused("", "topology-form", "'n' (nodes) is missing");
	assert_refused("2n", "topology-form", "'l' (LLCs) is missing");
	assert_refused("2n4", "topology-form", "'l' (LLCs) is missing after \"4\"");
	assert_refused("2n4l", "topology-form", "'c' (cores per LLC) is missing");
	assert_refused("2n4l2c", "topology-form", "'t' (threads per core) is missing");
	assert_refused("4l2c1t", "topology-form", "'n' (nodes) is missing before \"4l2c1t\"");
	assert_refused("1n2c1t", "topology-form", "'l' (LLCs) is missing before");
	assert_refused("1n1l1t", "topology-form", "'c' (cores per LLC) is missing before");
	assert_refused("nlct", "topology-form", "no number before 'n'");
	assert_refused("1nl1c1t", "topology-form", "no number before 'l'");
	assert_refused("1n1lc1t", "topology-form", "no number before 'c'");
	assert_refused("1n1l1ct", "topology-form", "no number before 't'");
	assert_refused("1n-1l1c1t", "topology-form", "'l'");
	assert_refused(" 1n1l1c1t", "topology-form", "'n'");
	assert_refused("1N1L1C1T", "topology-form", "'n'");
	assert_refused("2s4c2t", "topology-form", "sockets");
	assert_refused("2n4s4c2t", "topology-form", "sockets");
}

static void numbers_have_bounds(void **state UNUSED)
{
	assert_refused("0n1l1c1t", "topology-range", "zero nodes ('n')");
	assert_refused("1n0l1c1t", "topology-range", "zero LLCs ('l')");
	assert_refused("1n1l0c1t", "topology-range", "zero cores per LLC ('c')");
	assert_refused("1n1l1c0t", "topology-range", "zero threads per core ('t')");
	assert_refused("4294967296n1l1c1t", "topology-range", "32 bits");
	assert_refused("1n1l1c99999999999999999999999t", "topology-range", "32 bits");
	assert_refused("1n65536l65536c1t", "topology-range", "65536 x 65536 x 1 CPUs");
	assert_refused("1n65536l65536c4294967295t", "topology-range", "do not fit in 32 bits");
	assert_refused("1n1025l1c1t", "topology-range", "1025 CPUs, at most 1024");
	assert_refused("33n33l1c1t", "topology-range", "33 nodes, at most 32");
	assert_refused("2n3l1c1t", "topology-range", "3 LLCs cannot be divided evenly among 2");
	assert_refused("4n2l1c1t", "topology-range", "2 LLCs cannot be divided evenly among 4");
}

static void text_after_a_topology_is_refused(void **state UNUSED)
{
	assert_refused("1n1l1c1t ", "topology-form", "\" \" follows the end");
	assert_refused("1n1l1c1t1n", "topology-form", "\"1n\" follows the end");
	assert_refused("1n1l1c1t,mem=1G ", "topology-form", "\" \" follows the end");
	assert_refused("1n1l1c1t,", "topology-form", "neither mem= nor dist=");
	assert_refused("1n1l1c1t,cpu=3", "topology-form", "\"cpu=3\" is neither");
	assert_refused("1n1l1c1t,mem=1G,mem=1G", "topology-form", "comes twice");
	assert_refused("1n1l1c1t,dist=10,dist=10", "topology-form", "comes twice");
}

static void messages_show_foreign_text_safely(void **state UNUSED)
{
	char text[300] = "1n1l1c1t";

	assert_refused("1n1l1c1t\x1b[2J\n", "topology-form", "\"?[2J?\" follows");
	memset(text + 8, 'x', sizeof(text) - 9);
	text[sizeof(text) - 1] = '\0';
	assert_refused(text, "topology-form", "xxx...\" follows");
}

static void a_text_without_end_is_refused(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf s = STRBUF_INIT;

	strbuf_append_repeated(&s, '0', TOPO_LIMIT_TEXT_BYTES);
	strbuf_append(&s, "1n1l1c1t");
	assert_refused(strbuf_str(&s), "topology-form", "more than 8192 characters");
}

static void memory_is_parsed_per_node(void **state UNUSED)
{
	struct topo t;

	assert_success(topo_parse("2n4l2c1t,mem=1G:512M", &t));
	assert_true(t.has_memory);
	assert_true(t.memory_bytes[0] == UINT64_C(1) << 30);
	assert_true(t.memory_bytes[1] == UINT64_C(512) << 20);
	assert_round_trip("2n4l2c1t,mem=1G:512M", "2n4l2c1t,mem=1G:512M");
	assert_round_trip("1n1l1c1t,mem=2048K", "1n1l1c1t,mem=2M");
	assert_round_trip("1n1l1c1t,mem=1024M", "1n1l1c1t,mem=1G");
	assert_refused("2n4l2c1t,mem=1G", "topology-form", "mem: 1 size for 2 nodes");
	assert_refused("2n4l2c1t,mem=1G:1G:1G", "topology-form", "more than 2 sizes for 2 nodes");
	assert_refused("1n1l1c1t,mem=1G:1G", "topology-form", "more than 1 size for 1 node");
	assert_refused("1n1l1c1t,mem=", "topology-form", "size 0 is not a number");
	assert_refused("1n1l1c1t,mem=4096", "topology-form", "no unit K, M or G");
	assert_refused("1n1l1c1t,mem=1T", "topology-form", "no unit K, M or G");
	assert_refused("2n2l1c1t,mem=1G:0M", "topology-range", "node 1 has none");
	assert_refused("1n1l1c1t,mem=1500K", "topology-range", "node 0 is not in whole MiB");
	assert_refused("1n1l1c1t,mem=65537G", "topology-range", "64 TiB");
	assert_refused("2n2l1c1t,mem=65536G:1M", "topology-range", "64 TiB");
	assert_refused("1n1l1c1t,mem=70368744177664G", "topology-range", "too large");
	assert_refused("1n1l1c1t,mem=18446744073709551617M", "topology-form", "not a number up to");
}

static void distances_are_parsed_as_a_matrix(void **state UNUSED)
{
	struct topo t;

	assert_success(topo_parse("3n3l1c1t,dist=10:21:31:21:10:254:31:254:10", &t));
	assert_int_equal(topo_distance(&t, 0, 2), 31);
	assert_int_equal(topo_distance(&t, 2, 1), 254);
	assert_round_trip("2n4l2c1t,dist=10:21:21:10,mem=1G:1G",
			  "2n4l2c1t,mem=1G:1G,dist=10:21:21:10");
	assert_refused("2n2l1c1t,dist=10:21:21", "topology-form", "3 distances, 2 nodes need 4");
	assert_refused("2n2l1c1t,dist=10:21:21:10:10", "topology-form", "more than 4 distances");
	assert_refused("2n2l1c1t,dist=10::21:10", "topology-form", "distance 1 is not a number");
	assert_refused("2n2l1c1t,dist=10:256:256:10", "topology-form",
		       "distance 1 is not a number");
	assert_refused("2n2l1c1t,dist=11:21:21:10", "topology-range", "node 0 to itself is 11");
	assert_refused("2n2l1c1t,dist=10:21:21:0", "topology-range", "node 1 to itself is 0");
	assert_refused("2n2l1c1t,dist=10:10:10:10", "topology-range", "node 0 to node 1 is 10");
	assert_refused("2n2l1c1t,dist=10:255:255:10", "topology-range", "from 11 to 254");
	assert_refused("2n2l1c1t,dist=10:21:22:10", "topology-range",
		       "node 0 to node 1 is 21, but 22 the other way round");
}

static void topo_check_refuses_impossible_values(void **state UNUSED)
{
	struct topo t = TOPO_DEFAULT;

	assert_success(topo_check(&t));
	t.nodes = 0;
	assert_error_tag(topo_check(&t), "topology-range");
	t = TOPO_DEFAULT;
	t.has_memory = true;
	assert_error_tag(topo_check(&t), "topology-range");
	t.memory_bytes[0] = 1 << 20;
	assert_success(topo_check(&t));
	t.has_distances = true;
	assert_error_tag(topo_check(&t), "topology-range");
	t.distances[0][0] = 10;
	assert_success(topo_check(&t));
}

static void topologies_are_equal_if_they_describe_the_same_machine(void **state UNUSED)
{
	struct topo a, b;

	assert_success(topo_parse("2n4l2c1t", &a));
	/* The distances that hold where none are given. */
	assert_success(topo_parse("2n4l2c1t,dist=10:20:20:10", &b));
	assert_true(topo_equal(&a, &b));
	assert_success(topo_parse("2n4l2c1t,dist=10:21:21:10", &b));
	assert_false(topo_equal(&a, &b));
	assert_success(topo_parse("2n4l2c1t,mem=1G:1G", &b));
	assert_false(topo_equal(&a, &b));
	assert_success(topo_parse("2n4l2c1t,mem=1G:2G", &a));
	assert_false(topo_equal(&a, &b));
	assert_success(topo_parse("2n4l1c2t,mem=1G:2G", &b));
	assert_false(topo_equal(&a, &b));
}

static void the_shape_of_a_topology_omits_memory_and_distances(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf s = STRBUF_INIT;
	struct topo t;

	assert_success(topo_parse("2n4l2c1t,mem=1G:512M", &t));
	topo_format_shape(&t, &s);
	assert_string_equal(strbuf_str(&s), "2n4l2c1t");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_topology_is_parsed_from_four_numbers),
		cmocka_unit_test(a_number_alone_means_that_many_cores),
		cmocka_unit_test(the_missing_letter_is_named),
		cmocka_unit_test(numbers_have_bounds),
		cmocka_unit_test(text_after_a_topology_is_refused),
		cmocka_unit_test(messages_show_foreign_text_safely),
		cmocka_unit_test(a_text_without_end_is_refused),
		cmocka_unit_test(memory_is_parsed_per_node),
		cmocka_unit_test(distances_are_parsed_as_a_matrix),
		cmocka_unit_test(topo_check_refuses_impossible_values),
		cmocka_unit_test(topologies_are_equal_if_they_describe_the_same_machine),
		cmocka_unit_test(the_shape_of_a_topology_omits_memory_and_distances),
	};

	return cmocka_run_group_tests_name("topo/topology", tests, NULL, NULL);
}
