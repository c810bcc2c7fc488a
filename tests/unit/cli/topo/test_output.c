// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/topo/topo.h"

#include <stdlib.h>

#include "sample.h"

static void text_of(const char *sample, size_t columns, struct strbuf *into)
{
	_cleanup_topo_machine_ struct topo_machine *m = sample_machine(sample);
	_cleanup_view_ struct view view = { 0 };

	view_of_machine(m, &view);
	topo_format_text(&view, &(struct block_look){ false, columns }, into);
}

static void the_first_line_of_text_has_the_totals(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf s = STRBUF_INIT, narrow = STRBUF_INIT;
	_cleanup_view_ struct view view = { 0 };

	sample_view("1n3l2c2t", &view);
	view.preset = "odd";
	topo_format_text(&view, &(struct block_look){ false, 100 }, &s);
	assert_contains(
		strbuf_str(&s),
		"1n3l2c2t (odd): 12 CPUs, 1 node, 3 LLCs, 6 cores, 2 threads per core\n\n+ node 0");
	topo_format_text(&view, &(struct block_look){ false, 30 }, &narrow);
	assert_contains(strbuf_str(&narrow), "1n3l2c2t (odd): 12 CPUs, 1\nnode, 3 LLCs,");
}

static void distances_are_printed_as_a_table(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf s = STRBUF_INIT;

	text_of(sample_apart, 80, &s);
	assert_contains(strbuf_str(&s), "not regular: 8 CPUs, 3 nodes, 2 LLCs, 4 cores");
	assert_contains(strbuf_str(&s), "\ndistances\n        0   1   2\n"
					"   0:  10  21  30\n   1:  21  10  30\n"
					"   2:   -   -   -\n");
}

static void unknown_items_are_printed_with_their_reason(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf s = STRBUF_INIT;

	text_of(sample_unknown, 80, &s);
	/* What is not known is not counted. */
	assert_contains(strbuf_str(&s), "not regular: 4 CPUs, 1 node, 1 LLC, 1 core\n");
	assert_contains(strbuf_str(&s),
			"\n\nnot known: the thread siblings of CPU 1-3: no list\n"
			"not known: the last-level cache of CPU 3: no cache is described\n"
			"not known: the node of CPU 3: in no node's list\n");
}

static void presets_are_a_table(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf s = STRBUF_INIT;

	topo_format_presets(&(struct text_look){ 0 }, &s);
	assert_contains(strbuf_str(&s), "max-cpu             1n14l9c2t    252    14      1\n");
}

static void the_locale_decides_whether_boxes_use_unicode(void **state UNUSED)
{
	static const struct {
		const char *all, *ctype, *lang;
		bool unicode;
	} cases[] = {
		{ NULL, NULL, NULL, false },	     { NULL, NULL, "en_GB.UTF-8", true },
		{ NULL, "C", "en_GB.UTF-8", false }, { "C.utf8", "C", "C", true },
		{ "", "", "C.UTF-8", true },	     { "POSIX", "C.UTF-8", "C.UTF-8", false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		unsetenv("LC_ALL");
		unsetenv("LC_CTYPE");
		unsetenv("LANG");
		if (cases[i].all)
			setenv("LC_ALL", cases[i].all, 1);
		if (cases[i].ctype)
			setenv("LC_CTYPE", cases[i].ctype, 1);
		if (cases[i].lang)
			setenv("LANG", cases[i].lang, 1);
		assert_int_equal(topo_wants_unicode(), cases[i].unicode);
	}
}

static void json_of(const char *sample, struct strbuf *into)
{
	_cleanup_topo_machine_ struct topo_machine *m = sample_machine(sample);
	_cleanup_view_ struct view view = { 0 };

	view_of_machine(m, &view);
	topo_format_json(&view, into);
}

/* Without the blanks, so that a few words can be looked for. */
static void squeeze(struct strbuf *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++)
		if (s->at[i] != '\n' && s->at[i] != ' ')
			s->at[n++] = s->at[i];
	s->at[n] = '\0';
	s->n = n;
}

static void json_of_a_requested_topology_is_complete(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf s = STRBUF_INIT;
	_cleanup_view_ struct view view = { 0 };

	sample_view("1n2l1c2t,mem=512M", &view);
	view.preset = "p";
	topo_format_json(&view, &s);
	squeeze(&s);
	assert_string_equal(strbuf_str(&s),
			    "{\"source\":\"request\",\"topology\":\"1n2l1c2t,mem=512M\","
			    "\"preset\":\"p\",\"n_cpus\":4,\"cpus\":\"0-3\",\"nodes\":[{\"node\":0,"
			    "\"memory_bytes\":536870912,\"distances\":[10],\"llcs\":["
			    "{\"llc\":0,\"cpus\":\"0-1\",\"cores\":[\"0-1\"]},"
			    "{\"llc\":1,\"cpus\":\"2-3\",\"cores\":[\"2-3\"]}]}]}");
}

static void unknown_items_are_listed_under_absent(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf s = STRBUF_INIT;

	json_of(sample_unknown, &s);
	squeeze(&s);
	assert_null(strstr(strbuf_str(&s), "topology"));
	assert_contains(strbuf_str(&s),
			"\"without_node\":{\"llcs\":[{\"cpus\":\"3\",\"cores\":[]}]}");
	assert_contains(strbuf_str(&s), "{\"item\":\"llc\",\"cpus\":\"3\","
					"\"reason\":\"nocacheisdescribed\"},{\"item\":\"node\"");
}

static void a_node_of_memory_only_has_no_llcs(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf s = STRBUF_INIT;

	json_of(sample_apart, &s);
	squeeze(&s);
	assert_contains(strbuf_str(&s), "{\"node\":2,\"memory_bytes\":1073741824,\"llcs\":[]}");
	assert_contains(strbuf_str(&s), "{\"item\":\"distance\",\"nodes\":\"2\"");
}

static void presets_are_an_array(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf s = STRBUF_INIT;

	topo_format_presets_json(&s);
	squeeze(&s);
	assert_contains(strbuf_str(&s), "[{\"preset\":\"tiny-1llc\",\"topology\":\"1n1l4c1t\","
					"\"n_cpus\":4,\"llcs\":1,\"nodes\":1},");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_line_of_text_has_the_totals),
		cmocka_unit_test(distances_are_printed_as_a_table),
		cmocka_unit_test(unknown_items_are_printed_with_their_reason),
		cmocka_unit_test(presets_are_a_table),
		cmocka_unit_test(the_locale_decides_whether_boxes_use_unicode),
		cmocka_unit_test(json_of_a_requested_topology_is_complete),
		cmocka_unit_test(unknown_items_are_listed_under_absent),
		cmocka_unit_test(a_node_of_memory_only_has_no_llcs),
		cmocka_unit_test(presets_are_an_array),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
