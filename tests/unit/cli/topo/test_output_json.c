// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/topo/topo.h"
#include "sample.h"

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

static void a_request_is_told_whole(void **state UNUSED)
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

static void what_is_not_known_is_left_out_and_listed(void **state UNUSED)
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
		cmocka_unit_test(a_request_is_told_whole),
		cmocka_unit_test(what_is_not_known_is_left_out_and_listed),
		cmocka_unit_test(a_node_of_memory_only_has_no_llcs),
		cmocka_unit_test(presets_are_an_array),
	};

	return cmocka_run_group_tests_name("cli/topo/output_json", tests, NULL, NULL);
}
