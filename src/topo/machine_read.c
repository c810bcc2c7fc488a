// SPDX-License-Identifier: LGPL-2.1-or-later
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "base/io.h"
#include "topo/machine.h"
#include "base/str.h"

/*
 * Four files and one look at a name for a CPU, three files for a node: a guest with 252 CPUs opens
 * about a thousand. Paths are relative to an open directory, so the kernel walks few names.
 */
struct reader {
	int cpu_dir, node_dir;
	int cpu_errno, node_errno; /* why a directory could not be opened */
	struct topo_machine *m;
	struct strbuf text;
	/* Lists as told by each CPU, beside m->cpus. */
	struct topo_cpuset *threads, *llcs;
	/* Where the first CPU has its highest cache: most others have it there too. */
	int llc_index;
	unsigned int llc_level;
	char reason[TOPO_LIMIT_REASON];
};

/*
 * Most files hold a few characters and a newline: one small read is enough to know that this was
 * all. In a guest each read costs the kernel a fresh buffer of the size asked for.
 */
static struct error *read_fd(int fd, const char *name, struct strbuf *into)
{
	char first[256];
	ssize_t n;

	do
		n = read(fd, first, sizeof(first));
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return base_error(BASE_IO, errno, "%s", name);
	strbuf_append_bytes(into, first, (size_t)n);
	if (n == 0 || ((size_t)n < sizeof(first) && first[n - 1] == '\n'))
		return NULL;
	return io_read_fd(fd, name, TOPO_LIMIT_SYSFS_BYTES, into);
}

/* False with the reason set; what is read is in r->text, its last newline cut off. */
static bool read_text(struct reader *r, int dir, const char *path)
{
	_cleanup_error_ struct error *err = NULL;
	_cleanup_close_ int fd = openat(dir, path, O_RDONLY | O_CLOEXEC);
	const char *name = strchr(path, '/');

	strbuf_clear(&r->text);
	/* Without the number in front: equal reasons are told once for all. */
	name = name ? name + 1 : path;
	if (fd < 0) {
		snprintf(r->reason, sizeof(r->reason), "%s: %s", name, strerror(errno));
		return false;
	}
	err = read_fd(fd, name, &r->text);
	if (err) {
		snprintf(r->reason, sizeof(r->reason), "%s", error_message(err));
		return false;
	}
	if (r->text.n && r->text.at[r->text.n - 1] == '\n')
		r->text.at[--r->text.n] = '\0';
	return true;
}

static bool is_absent(int dir, const char *path)
{
	return faccessat(dir, path, F_OK, 0) != 0 && errno == ENOENT;
}

static bool read_number(struct reader *r, int dir, const char *path, uint32_t *ret)
{
	struct topo_quote q;
	uint64_t value;

	if (!read_text(r, dir, path))
		return false;
	if (!str_parse_u64(strbuf_str(&r->text), TOPO_ABSENT - 1, &value)) {
		snprintf(r->reason, sizeof(r->reason), "%s is \"%s\", not a number",
			 strchr(path, '/') + 1,
			 topo_quote_bytes(&q, strbuf_str(&r->text), r->text.n));
		return false;
	}
	*ret = (uint32_t)value;
	return true;
}

static bool read_cpus(struct reader *r, int dir, const char *path, struct topo_cpuset *ret)
{
	_cleanup_error_ struct error *err = NULL;

	if (!read_text(r, dir, path))
		return false;
	err = topo_cpuset_parse(strbuf_str(&r->text), r->text.n, ret);
	if (err)
		snprintf(r->reason, sizeof(r->reason), "%s", error_message(err));
	return !err;
}

static bool cache_level(struct reader *r, unsigned int cpu, int index, unsigned int *ret)
{
	char path[64];

	snprintf(path, sizeof(path), "cpu%u/cache/index%d/level", cpu, index);
	return read_number(r, r->cpu_dir, path, ret);
}

static bool cache_is_absent(struct reader *r, unsigned int cpu, int index)
{
	char path[64];

	snprintf(path, sizeof(path), "cpu%u/cache/index%d", cpu, index);
	return is_absent(r->cpu_dir, path);
}

/* The index of the highest cache of this CPU; -1 with the reason set. */
static int find_llc(struct reader *r, unsigned int cpu)
{
	unsigned int level, best_level = 0;
	int best = -1;

	if (r->llc_index >= 0 && cache_is_absent(r, cpu, r->llc_index + 1) &&
	    cache_level(r, cpu, r->llc_index, &level) && level == r->llc_level)
		return r->llc_index;
	for (int index = 0; index < TOPO_LIMIT_CACHES && !cache_is_absent(r, cpu, index); index++) {
		if (!cache_level(r, cpu, index, &level))
			return -1;
		/* The kernel may list a cache without knowing its level (ACPI PPTT gaps). */
		if (level > best_level) {
			best_level = level;
			best = index;
		}
	}
	if (best < 0) {
		snprintf(r->reason, sizeof(r->reason), "no cache is described");
		return -1;
	}
	if (r->llc_index < 0 && cache_is_absent(r, cpu, best + 1)) {
		r->llc_index = best;
		r->llc_level = best_level;
	}
	return best;
}

static void read_cpu(struct reader *r, unsigned int i)
{
	struct topo_cpu *cpu = &r->m->cpus[i];
	char path[64];
	int index;

	snprintf(path, sizeof(path), "cpu%u/topology/thread_siblings_list", cpu->number);
	if (!read_cpus(r, r->cpu_dir, path, &r->threads[i]))
		topo_machine_set_absent(r->m, TOPO_ITEM_THREADS, cpu->number, r->reason);
	snprintf(path, sizeof(path), "cpu%u/topology/core_id", cpu->number);
	if (!read_number(r, r->cpu_dir, path, &cpu->core_id))
		topo_machine_set_absent(r->m, TOPO_ITEM_CORE_ID, cpu->number, r->reason);
	index = find_llc(r, cpu->number);
	snprintf(path, sizeof(path), "cpu%u/cache/index%d/shared_cpu_list", cpu->number, index);
	if (index < 0 || !read_cpus(r, r->cpu_dir, path, &r->llcs[i]))
		topo_machine_set_absent(r->m, TOPO_ITEM_LLC, cpu->number, r->reason);
}

/*
 * Each CPU told a list; a group exists when all of a list's CPUs told the same
 * one. Compared with the lowest CPU's list only, and then counted.
 */
static void settle_groups(struct reader *r, enum topo_item item, const struct topo_cpuset *lists)
{
	struct topo_machine *m = r->m;
	_cleanup_free_ unsigned int *agree = xcalloc(m->n_cpus + 1, sizeof(*agree));
	_cleanup_free_ unsigned int *first = xcalloc(m->n_cpus + 1, sizeof(*first));

	for (unsigned int i = 0; i < m->n_cpus; i++) {
		const struct topo_cpu *lowest = topo_machine_cpu(m, topo_cpuset_next(&lists[i], 0));

		first[i] = lowest ? (unsigned int)(lowest - m->cpus) : m->n_cpus;
		if (lowest && topo_cpuset_has(&lists[i], m->cpus[i].number) &&
		    topo_cpuset_equal(&lists[i], &lists[first[i]]))
			agree[first[i]]++;
		else
			first[i] = m->n_cpus;
	}
	for (unsigned int i = 0; i < m->n_cpus; i++) {
		if (topo_machine_reason(m, item, m->cpus[i].number))
			continue;
		if (first[i] < m->n_cpus && agree[first[i]] == topo_cpuset_count(&lists[first[i]]))
			*topo_cpu_item(&m->cpus[i], item) = m->cpus[first[i]].number;
		else
			topo_machine_set_absent(r->m, item, m->cpus[i].number,
						"the CPUs of the list disagree");
	}
}

/* "Node 1 MemTotal:   1024 kB" is the first line; other lines are not for us. */
static bool read_memory(struct reader *r, struct topo_node *node)
{
	struct slice total;
	const char *found;
	char path[64];
	uint64_t kib;

	snprintf(path, sizeof(path), "node%u/meminfo", node->number);
	if (!read_text(r, r->node_dir, path))
		return false;
	found = strstr(strbuf_str(&r->text), " MemTotal:");
	total = slice_trim(slice_of(found ? found + strlen(" MemTotal:") : ""));
	node->has_memory = slice_take_u64(&total, &kib) && kib < UINT64_C(1) << 50 &&
			   slice_starts_with(total, " kB");
	node->memory_bytes = node->has_memory ? kib * 1024 : 0;
	if (!node->has_memory)
		snprintf(r->reason, sizeof(r->reason), "meminfo has no MemTotal");
	return node->has_memory;
}

static bool read_distances(struct reader *r, unsigned int row)
{
	struct topo_machine *m = r->m;
	struct slice rest, word;
	char path[64];
	unsigned int n = 0;
	uint64_t value;

	snprintf(path, sizeof(path), "node%u/distance", m->nodes[row].number);
	if (!read_text(r, r->node_dir, path))
		return false;
	rest = slice_of(strbuf_str(&r->text));
	while (slice_take_word(&rest, &word)) {
		if (!slice_u64(word, &value) || value > UINT8_MAX || n == m->n_nodes) {
			n = 0;
			break;
		}
		m->distances[row * m->n_nodes + n++] = (uint8_t)value;
	}
	m->nodes[row].has_distances = n == m->n_nodes;
	if (!m->nodes[row].has_distances)
		snprintf(r->reason, sizeof(r->reason), "distance is not %u numbers up to 255",
			 m->n_nodes);
	return m->nodes[row].has_distances;
}

static void read_nodes(struct reader *r)
{
	struct topo_machine *m = r->m;
	char why[TOPO_LIMIT_REASON] = "in no node's list";
	struct topo_cpuset list;
	char path[64];

	for (unsigned int i = 0; i < m->n_nodes; i++) {
		struct topo_node *node = &m->nodes[i];

		snprintf(path, sizeof(path), "node%u/cpulist", node->number);
		if (!read_cpus(r, r->node_dir, path, &list)) {
			/* Its CPUs are among those without a node: tell why. */
			memcpy(why, r->reason, sizeof(why));
			list = (struct topo_cpuset){ 0 };
		}
		for (unsigned int c = 0; c < m->n_cpus; c++)
			if (topo_cpuset_has(&list, m->cpus[c].number))
				m->cpus[c].node = node->number;
		if (!read_memory(r, node))
			topo_machine_set_absent(r->m, TOPO_ITEM_MEMORY, node->number, r->reason);
		if (!read_distances(r, i))
			topo_machine_set_absent(r->m, TOPO_ITEM_DISTANCE, node->number, r->reason);
	}
	for (unsigned int c = 0; c < m->n_cpus && !m->no_numa; c++)
		if (m->cpus[c].node == TOPO_ABSENT)
			topo_machine_set_absent(r->m, TOPO_ITEM_NODE, m->cpus[c].number, why);
}

static struct error *read_online(struct reader *r, struct topo_cpuset *ret)
{
	if (r->cpu_dir < 0)
		return base_error(BASE_IO, r->cpu_errno, "devices/system/cpu");
	if (!read_cpus(r, r->cpu_dir, "online", ret))
		return topo_error(TOPO_MACHINE, 0, "online CPUs: %s", r->reason);
	if (topo_cpuset_count(ret) == 0)
		return topo_error(TOPO_MACHINE, 0, "no CPU is online");
	return NULL;
}

static struct error *read_with(struct reader *r)
{
	struct topo_cpuset cpus, nodes = { 0 };
	char nodes_reason[TOPO_LIMIT_REASON];
	bool no_numa = r->node_dir < 0 && r->node_errno == ENOENT;
	struct error *err;
	bool nodes_known;

	nodes_known = !no_numa && read_cpus(r, r->node_dir, "online", &nodes);
	memcpy(nodes_reason, r->reason, sizeof(nodes_reason));
	err = read_online(r, &cpus);
	if (err)
		return err;
	r->m = topo_machine_new(&cpus, &nodes);
	r->m->no_numa = no_numa;
	r->threads = xcalloc(r->m->n_cpus, sizeof(*r->threads));
	r->llcs = xcalloc(r->m->n_cpus, sizeof(*r->llcs));
	for (unsigned int i = 0; i < r->m->n_cpus; i++) {
		read_cpu(r, i);
		if (!no_numa && !nodes_known)
			topo_machine_set_absent(r->m, TOPO_ITEM_NODE, r->m->cpus[i].number,
						nodes_reason);
	}
	settle_groups(r, TOPO_ITEM_THREADS, r->threads);
	settle_groups(r, TOPO_ITEM_LLC, r->llcs);
	if (nodes_known)
		read_nodes(r);
	return NULL;
}

struct error *topo_machine_read(const char *sysfs_root, struct topo_machine **ret)
{
	_cleanup_free_ char *cpu_path = xasprintf("%s/devices/system/cpu", sysfs_root);
	_cleanup_free_ char *node_path = xasprintf("%s/devices/system/node", sysfs_root);
	_cleanup_close_ int cpu_dir = open(cpu_path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	int cpu_errno = errno;
	_cleanup_close_ int node_dir = open(node_path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct reader r = { .cpu_dir = cpu_dir,
			    .node_dir = node_dir,
			    .cpu_errno = cpu_errno,
			    .node_errno = errno,
			    .llc_index = -1 };
	struct error *err = read_with(&r);

	free(r.threads);
	free(r.llcs);
	strbuf_deinit(&r.text);
	if (err) {
		topo_machine_free(r.m);
		return error_wrap(err, "%s", sysfs_root);
	}
	*ret = r.m;
	return NULL;
}
