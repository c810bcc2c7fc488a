// SPDX-License-Identifier: GPL-2.0-or-later
#include "host/host_facts.h"

#include <libgen.h>
#include <sys/utsname.h>
#include <zlib.h>

#include "base/io.h"
#include "base/paths.h"
#include "base/strbuf.h"
#include "scratch.h"
#include "staged_root.h"
#include "unit.h"

static void put(const struct scratch *s, const char *path, const char *text)
{
	_cleanup_free_ char *full = xasprintf("%s/%s", s->dir, path);
	_cleanup_free_ char *parent = xstrdup(full);
	_cleanup_close_ int fd = -1;

	assert_success(paths_make(dirname(parent), 0755));
	fd = open(full, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	assert_success(io_write_all(fd, full, text, strlen(text)));
}

static void put_machine(const struct scratch *s)
{
	put(s, "proc/cpuinfo",
	    "processor\t: 0\nvendor_id\t: GenuineIntel\nmodel\t\t: 106\n"
	    "model name\t: Some CPU @ 2.00GHz\n\nprocessor\t: 1\nmodel name\t: Another\n");
	put(s, "proc/meminfo",
	    "MemTotal:        8000000 kB\nMemFree: 1 kB\nHugePages_Total:       4\n"
	    "HugePages_Free:        0\nHugepagesize:       2048 kB\n");
	put(s, "sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n");
	put(s, "sys/kernel/mm/transparent_hugepage/defrag", "[always] never\n");
	put(s, "proc/sys/kernel/sched_rt_runtime_us", "950000\n");
	put(s, "proc/sys/kernel/sched_autogroup_enabled", "1\n");
	put(s, "proc/sys/kernel/pid_max", "32768\n");
	put(s, "proc/sys/kernel/ostype", "Linux\n");
	put(s, "proc/sys/kernel/osrelease", "9.9.9\n");
	put(s, "proc/sys/kernel/arch", "x86_64\n");
	put(s, "proc/cmdline", "root=/dev/x quiet\n");
	put(s, "sys/devices/system/cpu/online", "0-3,5,8-9\n");
	put(s, "sys/devices/system/node/online", "0\n");
	put(s, "sys/devices/system/cpu/cpu10/cpufreq/scaling_governor", "powersave\n");
	put(s, "sys/devices/system/cpu/cpu2/cpufreq/scaling_governor", "performance\n");
	put(s, "sys/devices/system/cpu/cpufreq/scaling_governor", "no CPU\n");
}

static void format(const char *root, struct strbuf *into)
{
	_cleanup_host_facts_ struct host_facts facts;
	struct json_writer w = json_writer_to(into, JSON_COMPACT);

	host_facts_read(root, &facts);
	host_facts_write(&facts, &w);
}

static void remove_tree(const struct scratch *s)
{
	_cleanup_free_ char *proc = xasprintf("%s/proc", s->dir);
	_cleanup_free_ char *sys = xasprintf("%s/sys", s->dir);

	assert_success(paths_remove(proc));
	assert_success(paths_remove(sys));
}

static void every_fact_of_a_staged_machine_is_read(void **state)
{
	struct scratch *s = *state;
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	put_machine(s);
	format(s->dir, &text);
	assert_string_equal(
		strbuf_str(&text),
		"{\"cpu_model\":\"Some CPU @ 2.00GHz\",\"cpu_vendor\":\"GenuineIntel\","
		"\"total_memory_kib\":8000000,\"hugepages_total\":4,\"hugepages_free\":0,"
		"\"hugepages_size_kib\":2048,\"thp_enabled\":\"always [madvise] never\","
		"\"thp_defrag\":\"[always] never\",\"sched_tunables\":{"
		"\"sched_autogroup_enabled\":\"1\",\"sched_rt_runtime_us\":\"950000\"},"
		"\"online_cpus\":7,\"numa_nodes\":1,\"cpufreq_governor\":{\"2\":\"performance\","
		"\"10\":\"powersave\"},\"kernel_name\":\"Linux\",\"kernel_release\":\"9.9.9\","
		"\"arch\":\"x86_64\",\"kernel_cmdline\":\"root=/dev/x quiet\","
		"\"task_delayacct\":\"config_off\"}");
	remove_tree(s);
}

static void what_cannot_be_read_is_absent(void **state)
{
	struct scratch *s = *state;
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	format(s->dir, &text);
	assert_string_equal(strbuf_str(&text), "{}");
}

/* A kernel without such tunables is another thing than one that does not show them. */
static void no_tunables_is_an_empty_object(void **state)
{
	struct scratch *s = *state;
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	put(s, "proc/sys/kernel/ostype", "Linux\n");
	format(s->dir, &text);
	assert_non_null(strstr(strbuf_str(&text), "\"sched_tunables\":{},"));
	remove_tree(s);
}

static void malformed_host_files_leave_facts_absent(void **state)
{
	struct scratch *s = *state;
	static const char *const lists[] = { "x",   "3-1", "0-99999999",	   "0-",
					     "0;1", "-5",  "18446744073709551616", "" };

	for (size_t i = 0; i < ARRAY_SIZE(lists); i++) {
		_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

		put(s, "proc/meminfo",
		    "MemTotal: many kB\nHugePages_Total: 99999999999999999999\n"
		    "HugePages_Free: -1\nHugepagesize: 2048kB\n");
		put(s, "proc/cpuinfo", "model name without a colon");
		put(s, "sys/devices/system/cpu/online", lists[i]);
		format(s->dir, &text);
		assert_string_equal(strbuf_str(&text), "{}");
	}
	remove_tree(s);
}

static void this_machine_has_a_kernel_and_a_cpu(void **state UNUSED)
{
	_cleanup_host_facts_ struct host_facts facts;
	struct utsname name;

	host_facts_read("", &facts);
	assert_int_equal(uname(&name), 0);
	assert_string_equal(facts.kernel_name, name.sysname);
	assert_string_equal(facts.kernel_release, name.release);
	assert_string_equal(facts.arch, name.machine);
	assert_true(facts.total_memory_kib.known && facts.total_memory_kib.value > 0);
}

static void accounting_put(const char *root, const char *path, const char *text)
{
	staged_file(root, path, text, strlen(text));
}

static void put_compressed(const char *root, const char *path, const char *text)
{
	_cleanup_free_ char *full = staged_path(root, path);
	gzFile file = gzopen(full, "we");

	assert_int_equal(gzwrite(file, text, (unsigned int)strlen(text)), (int)strlen(text));
	assert_int_equal(gzclose(file), Z_OK);
}

static struct host_accounting read_below(const char *root)
{
	struct host_accounting accounting;

	host_accounting_read(root, &accounting);
	return accounting;
}

static void the_switch_has_four_states(void **state UNUSED)
{
	char *root = staged_root_new();

	assert_int_equal(read_below(root).delayacct, HOST_DELAYACCT_UNKNOWN);
	accounting_put(root, "/proc/sys/kernel/osrelease", "9.9.9\n");
	assert_int_equal(read_below(root).delayacct, HOST_DELAYACCT_CONFIG_OFF);
	accounting_put(root, "/proc/sys/kernel/task_delayacct", "\n");
	assert_int_equal(read_below(root).delayacct, HOST_DELAYACCT_CONFIG_OFF);
	accounting_put(root, "/proc/sys/kernel/task_delayacct", "0\n");
	assert_int_equal(read_below(root).delayacct, HOST_DELAYACCT_RUNTIME_OFF);
	accounting_put(root, "/proc/sys/kernel/task_delayacct", "1\n");
	assert_int_equal(read_below(root).delayacct, HOST_DELAYACCT_ON);
	accounting_put(root, "/proc/sys/kernel/task_delayacct", "11\n");
	assert_int_equal(read_below(root).delayacct, HOST_DELAYACCT_RUNTIME_OFF);
	staged_root_free(root);
}

static enum host_xacct parse(const char *text)
{
	return host_xacct_parse(text, strlen(text));
}

static void only_whole_lines_of_a_configuration_count(void **state UNUSED)
{
	assert_int_equal(parse("CONFIG_A=y\nCONFIG_TASK_XACCT=y\nCONFIG_B=m\n"), HOST_XACCT_ON);
	assert_int_equal(parse("CONFIG_TASK_XACCT=y"), HOST_XACCT_ON);
	assert_int_equal(parse("# CONFIG_TASK_XACCT is not set\n"), HOST_XACCT_OFF);
	assert_int_equal(parse("XCONFIG_TASK_XACCT=y\n"), HOST_XACCT_UNKNOWN);
	assert_int_equal(parse("CONFIG_TASK_XACCT=yes\n"), HOST_XACCT_UNKNOWN);
	assert_int_equal(parse("CONFIG_TASK_XACCT_NOT=y\n"), HOST_XACCT_UNKNOWN);
	assert_int_equal(parse("#  CONFIG_TASK_XACCT is not set\n"), HOST_XACCT_UNKNOWN);
	assert_int_equal(parse(""), HOST_XACCT_UNKNOWN);
}

static void a_configuration_is_looked_for_in_two_places(void **state UNUSED)
{
	char *root = staged_root_new();

	assert_int_equal(read_below(root).xacct, HOST_XACCT_UNKNOWN);
	accounting_put(root, "/proc/sys/kernel/osrelease", "9.9.9\n");
	assert_int_equal(read_below(root).xacct, HOST_XACCT_UNKNOWN);
	accounting_put(root, "/boot/config-9.9.9", "CONFIG_TASK_XACCT=y\n");
	assert_int_equal(read_below(root).xacct, HOST_XACCT_ON);
	/* The running kernel's own comes first. */
	put_compressed(root, "/proc/config.gz", "# CONFIG_TASK_XACCT is not set\n");
	assert_int_equal(read_below(root).xacct, HOST_XACCT_OFF);
	put_compressed(root, "/proc/config.gz", "CONFIG_OTHER=y\n");
	assert_int_equal(read_below(root).xacct, HOST_XACCT_UNKNOWN);
	/* Compressed bytes that end in the middle are no configuration. */
	accounting_put(root, "/proc/config.gz", "\x1f\x8b\x08garbage of gzip");
	assert_int_equal(read_below(root).xacct, HOST_XACCT_ON);
	staged_root_free(root);
}

static void kept_delays_follow_from_config_and_sysctl(void **state UNUSED)
{
	struct host_accounting a = { 0 };

	assert_true(host_keeps_cpu_delays(&a) && host_keeps_watermarks(&a));
	assert_false(host_keeps_block_delays(&a));
	a.delayacct = HOST_DELAYACCT_CONFIG_OFF;
	assert_false(host_keeps_cpu_delays(&a) || host_keeps_block_delays(&a));
	a.delayacct = HOST_DELAYACCT_RUNTIME_OFF;
	assert_true(host_keeps_cpu_delays(&a));
	assert_false(host_keeps_block_delays(&a));
	a.delayacct = HOST_DELAYACCT_ON;
	assert_true(host_keeps_cpu_delays(&a) && host_keeps_block_delays(&a));
	a.xacct = HOST_XACCT_OFF;
	assert_false(host_keeps_watermarks(&a));
	a.xacct = HOST_XACCT_ON;
	assert_true(host_keeps_watermarks(&a));
}

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

static void host_facts_survive_a_round_trip(void **state UNUSED)
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

static void missing_and_null_members_are_absent(void **state UNUSED)
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

static void host_sizes_are_also_read_from_the_kb_names(void **state UNUSED)
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
		scratch_test(every_fact_of_a_staged_machine_is_read),
		scratch_test(what_cannot_be_read_is_absent),
		scratch_test(no_tunables_is_an_empty_object),
		scratch_test(malformed_host_files_leave_facts_absent),
		cmocka_unit_test(this_machine_has_a_kernel_and_a_cpu),
		cmocka_unit_test(the_switch_has_four_states),
		cmocka_unit_test(only_whole_lines_of_a_configuration_count),
		cmocka_unit_test(a_configuration_is_looked_for_in_two_places),
		cmocka_unit_test(kept_delays_follow_from_config_and_sysctl),
		cmocka_unit_test(host_facts_survive_a_round_trip),
		cmocka_unit_test(missing_and_null_members_are_absent),
		cmocka_unit_test(host_sizes_are_also_read_from_the_kb_names),
		cmocka_unit_test(another_type_is_an_error_that_names_the_member),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
