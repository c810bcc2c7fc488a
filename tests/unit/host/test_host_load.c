// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/strbuf.h"
#include "host/host_facts.h"
#include "unit.h"

static struct error *load(const char *text, struct host_facts *ret)
{
	_cleanup_json_doc_ struct json_doc *doc = NULL;

	assert_success(json_doc_parse(text, strlen(text), "test", &doc));
	return host_facts_load(json_doc_root(doc), "host", ret);
}

static const char every_fact[] =
	"{\"cpu_model\":\"Some CPU\",\"cpu_vendor\":\"Some\",\"total_memory_kib\":8000000,"
	"\"hugepages_total\":4,\"hugepages_free\":0,\"hugepages_size_kib\":2048,"
	"\"thp_enabled\":\"always [madvise] never\",\"thp_defrag\":\"[always] never\","
	"\"sched_tunables\":{\"sched_autogroup_enabled\":\"1\",\"sched_rt_runtime_us\":\"950000\"},"
	"\"online_cpus\":7,\"numa_nodes\":1,\"cpufreq_governor\":{\"2\":\"performance\","
	"\"10\":\"powersave\"},\"kernel_name\":\"Linux\",\"kernel_release\":\"9.9.9\","
	"\"arch\":\"x86_64\",\"kernel_cmdline\":\"root=/dev/x quiet\","
	"\"task_delayacct\":\"runtime_off\",\"config_task_xacct\":\"on\"}";

static void what_was_written_is_loaded_again(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	_cleanup_host_facts_ struct host_facts facts = { 0 };
	struct json_writer w = json_writer_to(&text, JSON_COMPACT);

	assert_success(load(every_fact, &facts));
	assert_true(facts.total_memory_kib.known && facts.total_memory_kib.value == 8000000);
	assert_true(facts.hugepages_free.known && facts.hugepages_free.value == 0);
	assert_string_equal(facts.cpufreq_governor.rows.at[1].name, "10");
	assert_int_equal(facts.accounting.delayacct, HOST_DELAYACCT_RUNTIME_OFF);
	assert_int_equal(facts.accounting.xacct, HOST_XACCT_ON);
	host_facts_write(&facts, &w);
	assert_string_equal(strbuf_str(&text), every_fact);
}

static void what_is_missing_or_null_is_absent(void **state UNUSED)
{
	_cleanup_host_facts_ struct host_facts facts = { 0 };

	assert_success(load("{\"cpu_model\":null,\"online_cpus\":null,\"sched_tunables\":null,"
			    "\"task_delayacct\":null,\"heap_state\":{\"narenas\":4},\"more\":[1]}",
			    &facts));
	assert_null(facts.cpu_model);
	assert_null(facts.arch);
	assert_false(facts.online_cpus.known || facts.numa_nodes.known);
	assert_int_equal(facts.sched_tunables.rows.n, 0);
	assert_int_equal(facts.accounting.delayacct, HOST_DELAYACCT_UNKNOWN);
	assert_int_equal(facts.accounting.xacct, HOST_XACCT_UNKNOWN);
}

static void sizes_may_be_called_kb(void **state UNUSED)
{
	_cleanup_host_facts_ struct host_facts facts = { 0 };

	assert_success(load(
		"{\"total_memory_kb\":5,\"hugepages_size_kb\":6,"
		"\"sched_tunables\":{},\"config_task_xacct\":\"unknown\",\"task_delayacct\":\"perhaps\"}",
		&facts));
	assert_true(facts.total_memory_kib.value == 5 && facts.hugepages_size_kib.value == 6);
	assert_int_equal(facts.accounting.delayacct, HOST_DELAYACCT_UNKNOWN);
}

static void another_type_is_an_error_that_names_the_member(void **state UNUSED)
{
	static const struct {
		const char *text, *place;
	} rows[] = {
		{ "[]", "host is not an object" },
		{ "\"x\"", "host is not an object" },
		{ "{\"cpu_model\":1}", "host.cpu_model is not a string" },
		{ "{\"arch\":[]}", "host.arch is not a string" },
		{ "{\"online_cpus\":\"7\"}", "host.online_cpus is not a whole number" },
		{ "{\"online_cpus\":-7}", "host.online_cpus is not a whole number" },
		{ "{\"online_cpus\":1.5}", "host.online_cpus is not a whole number" },
		{ "{\"sched_tunables\":[]}", "host.sched_tunables: not an object" },
		{ "{\"sched_tunables\":{\"a\":\"1\",\"b\":2}}",
		  "host.sched_tunables: b is not a string" },
		{ "{\"task_delayacct\":true}", "host.task_delayacct is not a string" },
		{ "{\"config_task_xacct\":0}", "host.config_task_xacct is not a string" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct host_facts facts = { .arch = (char *)"untouched" };
		_cleanup_error_ struct error *err = load(rows[i].text, &facts);

		assert_non_null(err);
		assert_string_equal(error_tag(err), "parse");
		assert_contains(error_message(err), rows[i].place);
		assert_string_equal(facts.arch, "untouched");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_written_is_loaded_again),
		cmocka_unit_test(what_is_missing_or_null_is_absent),
		cmocka_unit_test(sizes_may_be_called_kb),
		cmocka_unit_test(another_type_is_an_error_that_names_the_member),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
