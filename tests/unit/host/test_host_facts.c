// SPDX-License-Identifier: GPL-2.0-or-later
#include "host/host_facts.h"

#include <libgen.h>
#include <sys/utsname.h>

#include "base/io.h"
#include "base/paths.h"
#include "scratch.h"

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

static void every_fact_of_a_machine_is_told(void **state)
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

static void nonsense_is_absent_too(void **state)
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		scratch_test(every_fact_of_a_machine_is_told),
		scratch_test(what_cannot_be_read_is_absent),
		scratch_test(no_tunables_is_an_empty_object),
		scratch_test(nonsense_is_absent_too),
		cmocka_unit_test(this_machine_has_a_kernel_and_a_cpu),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
