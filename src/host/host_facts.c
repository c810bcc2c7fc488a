// SPDX-License-Identifier: LGPL-2.1-or-later
#include "host/host_facts.h"

#include <dirent.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/io.h"
#include "host/limits.h"
#include "procfs/cpu_list.h"

/* The file's text without the blanks at its end; NULL when there is none. */
static char *read_text(const char *root, const char *path)
{
	_cleanup_free_ char *full = xasprintf("%s/%s", root, path);
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	_cleanup_error_ struct error *err = io_read_file(full, HOST_LIMIT_FILE_BYTES, &text);

	if (err)
		return NULL;
	while (text.n && strchr(" \t\n", text.at[text.n - 1]))
		text.at[--text.n] = '\0';
	return text.n ? strbuf_take(&text) : NULL;
}

/* The value behind "key<blanks>:" in the first line that has it. */
static char *find_value(const char *text, const char *key)
{
	size_t n = strlen(key);

	for (const char *line = text; line; line = strchr(line, '\n')) {
		const char *at;

		line += *line == '\n';
		if (strncmp(line, key, n) != 0)
			continue;
		at = line + n + strspn(line + n, " \t");
		if (*at++ != ':')
			continue;
		at += strspn(at, " \t");
		return xstrndup(at, strcspn(at, "\n"));
	}
	return NULL;
}

static struct host_number find_number(const char *text, const char *key)
{
	_cleanup_free_ char *value = text ? find_value(text, key) : NULL;
	struct slice rest = slice_of(value ? value : "");
	struct host_number number = { 0 };

	/* A unit may follow: "16384 kB". */
	number.known = slice_take_u64(&rest, &number.value) && (!rest.n || *rest.at == ' ');
	return number.known ? number : (struct host_number){ 0 };
}

/* How many numbers "0-3,5" holds. */
static struct host_number count_list(const char *root, const char *path)
{
	_cleanup_free_ char *text = read_text(root, path);
	_cleanup_procfs_cpu_ids_ struct procfs_cpu_ids ids = { 0 };

	if (!text || !procfs_cpu_list_parse(text, strlen(text), &ids))
		return (struct host_number){ 0 };
	return (struct host_number){ true, ids.ids.n };
}

static void read_memory(const char *root, struct host_facts *f)
{
	_cleanup_free_ char *text = read_text(root, "proc/meminfo");

	f->total_memory_kib = find_number(text, "MemTotal");
	f->hugepages_total = find_number(text, "HugePages_Total");
	f->hugepages_free = find_number(text, "HugePages_Free");
	f->hugepages_size_kib = find_number(text, "Hugepagesize");
	f->thp_enabled = read_text(root, "sys/kernel/mm/transparent_hugepage/enabled");
	f->thp_defrag = read_text(root, "sys/kernel/mm/transparent_hugepage/defrag");
}

static int by_name(const void *a, const void *b)
{
	return strverscmp(((const struct host_pair *)a)->name, ((const struct host_pair *)b)->name);
}

static void read_tunables(const char *root, struct host_facts *f)
{
	_cleanup_free_ char *path = xasprintf("%s/proc/sys/kernel", root);
	_cleanup_dir_ DIR *dir = opendir(path);
	struct dirent *entry;

	f->sched_tunables.known = dir != NULL;
	while (dir && f->sched_tunables.rows.n < HOST_LIMIT_TUNABLES && (entry = readdir(dir))) {
		_cleanup_free_ char *below = NULL;
		struct host_pair pair;

		if (strncmp(entry->d_name, "sched_", 6) != 0)
			continue;
		below = xasprintf("proc/sys/kernel/%s", entry->d_name);
		pair = (struct host_pair){ xstrdup(entry->d_name), read_text(root, below) };
		if (pair.value)
			vec_push(&f->sched_tunables.rows, pair);
		else
			free(pair.name);
	}
	if (f->sched_tunables.rows.n)
		qsort(f->sched_tunables.rows.at, f->sched_tunables.rows.n, sizeof(struct host_pair),
		      by_name);
}

static void read_governors(const char *root, struct host_facts *f)
{
	_cleanup_free_ char *path = xasprintf("%s/sys/devices/system/cpu", root);
	_cleanup_dir_ DIR *dir = opendir(path);
	struct dirent *entry;

	while (dir && f->cpufreq_governor.rows.n < HOST_LIMIT_CPUS && (entry = readdir(dir))) {
		const char *number = entry->d_name + 3;
		_cleanup_free_ char *below = NULL;
		struct host_pair pair;

		if (strncmp(entry->d_name, "cpu", 3) != 0 || !*number ||
		    number[strspn(number, "0123456789")])
			continue;
		below = xasprintf("sys/devices/system/cpu/%s/cpufreq/scaling_governor",
				  entry->d_name);
		pair = (struct host_pair){ xstrdup(number), read_text(root, below) };
		if (pair.value)
			vec_push(&f->cpufreq_governor.rows, pair);
		else
			free(pair.name);
	}
	if (f->cpufreq_governor.rows.n)
		qsort(f->cpufreq_governor.rows.at, f->cpufreq_governor.rows.n,
		      sizeof(struct host_pair), by_name);
}

void host_facts_read(const char *root, struct host_facts *ret)
{
	_cleanup_free_ char *cpuinfo = read_text(root, "proc/cpuinfo");
	struct host_facts f = { 0 };
	struct utsname name;

	if (cpuinfo) {
		f.cpu_model = find_value(cpuinfo, "model name");
		f.cpu_vendor = find_value(cpuinfo, "vendor_id");
	}
	read_memory(root, &f);
	read_tunables(root, &f);
	read_governors(root, &f);
	f.online_cpus = count_list(root, "sys/devices/system/cpu/online");
	f.numa_nodes = count_list(root, "sys/devices/system/node/online");
	f.kernel_name = read_text(root, "proc/sys/kernel/ostype");
	f.kernel_release = read_text(root, "proc/sys/kernel/osrelease");
	/* Since Linux 6.1. */
	f.arch = read_text(root, "proc/sys/kernel/arch");
	if (!f.arch && !*root && uname(&name) == 0)
		f.arch = xstrdup(name.machine);
	f.kernel_cmdline = read_text(root, "proc/cmdline");
	host_accounting_read(root, &f.accounting);
	*ret = f;
}
