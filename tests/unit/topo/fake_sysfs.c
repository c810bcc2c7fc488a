// SPDX-License-Identifier: GPL-2.0-or-later
#include "fake_sysfs.h"

#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "unit.h"

void fake_sysfs_init(struct fake_sysfs *fake)
{
	strcpy(fake->root, "/tmp/ktstr-sysfs-XXXXXX");
	assert_non_null(mkdtemp(fake->root));
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

void fake_sysfs_deinit(struct fake_sysfs *fake)
{
	if (fake->root[0])
		nftw(fake->root, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

void fake_sysfs_write(struct fake_sysfs *fake, const char *path, const char *text)
{
	_cleanup_free_ char *full = xasprintf("%s/devices/system/%s", fake->root, path);
	_cleanup_file_ FILE *file = NULL;

	for (char *slash = full + strlen(fake->root) + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		if (mkdir(full, 0755) != 0)
			assert_int_equal(errno, EEXIST);
		*slash = '/';
	}
	file = fopen(full, "w");
	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
}

void fake_sysfs_remove(struct fake_sysfs *fake, const char *path)
{
	_cleanup_free_ char *full = xasprintf("%s/devices/system/%s", fake->root, path);

	assert_int_equal(nftw(full, remove_one, 16, FTW_DEPTH | FTW_PHYS), 0);
}

static void write_range(struct fake_sysfs *fake, const char *path, unsigned int first,
			unsigned int n)
{
	_cleanup_free_ char *text = n == 1 ? xasprintf("%u\n", first)
					   : xasprintf("%u-%u\n", first, first + n - 1);

	fake_sysfs_write(fake, path, text);
}

static void stage_cpu(struct fake_sysfs *fake, const struct topo *t, unsigned int cpu)
{
	static const char *const caches[] = { "1", "1", "2", "3" };
	unsigned int per_llc = t->cores * t->threads;
	unsigned int core_first = cpu / t->threads * t->threads;
	char path[128], text[32];

	snprintf(path, sizeof(path), "cpu/cpu%u/topology/thread_siblings_list", cpu);
	write_range(fake, path, core_first, t->threads);
	snprintf(path, sizeof(path), "cpu/cpu%u/topology/core_id", cpu);
	snprintf(text, sizeof(text), "%u\n", cpu / t->threads % t->cores);
	fake_sysfs_write(fake, path, text);
	for (unsigned int i = 0; i < ARRAY_SIZE(caches); i++) {
		snprintf(path, sizeof(path), "cpu/cpu%u/cache/index%u/level", cpu, i);
		snprintf(text, sizeof(text), "%s\n", caches[i]);
		fake_sysfs_write(fake, path, text);
		snprintf(path, sizeof(path), "cpu/cpu%u/cache/index%u/shared_cpu_list", cpu, i);
		if (i == 3)
			write_range(fake, path, cpu / per_llc * per_llc, per_llc);
		else
			write_range(fake, path, core_first, t->threads);
	}
}

static void stage_node(struct fake_sysfs *fake, const struct topo *t, unsigned int node)
{
	unsigned int per_node = t->llcs / t->nodes * t->cores * t->threads;
	_cleanup_strbuf_ struct strbuf row = STRBUF_INIT;
	char path[128], text[128];

	snprintf(path, sizeof(path), "node/node%u/cpulist", node);
	write_range(fake, path, node * per_node, per_node);
	snprintf(path, sizeof(path), "node/node%u/meminfo", node);
	snprintf(text, sizeof(text), "Node %u MemTotal:       524288 kB\nNode %u MemFree: 7 kB\n",
		 node, node);
	fake_sysfs_write(fake, path, text);
	for (unsigned int other = 0; other < t->nodes; other++)
		strbuf_appendf(&row, "%s%u", other ? " " : "",
			       t->has_distances ? t->distances[node][other]
			       : other == node	? 10
						: 20);
	strbuf_append_char(&row, '\n');
	snprintf(path, sizeof(path), "node/node%u/distance", node);
	fake_sysfs_write(fake, path, strbuf_str(&row));
}

void fake_sysfs_stage(struct fake_sysfs *fake, const struct topo *t)
{
	unsigned int cpus = t->llcs * t->cores * t->threads;

	write_range(fake, "cpu/online", 0, cpus);
	write_range(fake, "node/online", 0, t->nodes);
	for (unsigned int cpu = 0; cpu < cpus; cpu++)
		stage_cpu(fake, t, cpu);
	for (unsigned int node = 0; node < t->nodes; node++)
		stage_node(fake, t, node);
}
