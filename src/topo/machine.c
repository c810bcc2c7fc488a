// SPDX-License-Identifier: LGPL-2.1-or-later
#include "topo/machine.h"

#include <string.h>

const struct topo_item_row topo_items[TOPO_N_ITEMS] = {
#define ITEM(id, word, of, meaning) [TOPO_ITEM_##id] = { word, meaning, TOPO_OF_##of },
#include "topo/items.def"
#undef ITEM
};

/* Sizes are bounded by the capacity of a cpuset, so these allocations are ours, not the input's. */
struct topo_machine *topo_machine_new(const struct topo_cpuset *cpus,
				      const struct topo_cpuset *nodes)
{
	struct topo_machine *m = xnew(struct topo_machine);

	m->cpus = xcalloc(topo_cpuset_count(cpus) + 1, sizeof(*m->cpus));
	topo_cpuset_for_each (cpu, cpus)
		m->cpus[m->n_cpus++] = (struct topo_cpu){ .number = cpu,
							  .core = TOPO_ABSENT,
							  .core_id = TOPO_ABSENT,
							  .llc = TOPO_ABSENT,
							  .node = TOPO_ABSENT };
	m->nodes = xcalloc(topo_cpuset_count(nodes) + 1, sizeof(*m->nodes));
	topo_cpuset_for_each (node, nodes) {
		if (node < TOPO_LIMIT_NODES)
			m->nodes[m->n_nodes++].number = node;
	}
	m->distances = xcalloc((size_t)m->n_nodes * m->n_nodes + 1, 1);
	return m;
}

void topo_machine_free(struct topo_machine *m)
{
	if (!m)
		return;
	vec_deinit(&m->absences);
	free(m->distances);
	free(m->nodes);
	free(m->cpus);
	free(m);
}

struct topo_cpu *topo_machine_cpu(const struct topo_machine *m, unsigned int number)
{
	unsigned int low = 0, high = m->n_cpus;

	while (low < high) {
		unsigned int middle = low + (high - low) / 2;

		if (m->cpus[middle].number == number)
			return &m->cpus[middle];
		if (m->cpus[middle].number < number)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

struct topo_node *topo_machine_node(const struct topo_machine *m, unsigned int number)
{
	for (unsigned int i = 0; i < m->n_nodes; i++)
		if (m->nodes[i].number == number)
			return &m->nodes[i];
	return NULL;
}

uint32_t *topo_cpu_item(struct topo_cpu *cpu, enum topo_item item)
{
	switch (item) {
	case TOPO_ITEM_THREADS:
		return &cpu->core;
	case TOPO_ITEM_CORE_ID:
		return &cpu->core_id;
	case TOPO_ITEM_LLC:
		return &cpu->llc;
	case TOPO_ITEM_NODE:
		return &cpu->node;
	default:
		return NULL;
	}
}

void topo_machine_sharing(const struct topo_machine *m, enum topo_item item, uint32_t value,
			  struct topo_cpuset *ret)
{
	*ret = (struct topo_cpuset){ 0 };
	for (unsigned int i = 0; i < m->n_cpus; i++)
		if (*topo_cpu_item(&m->cpus[i], item) == value)
			topo_cpuset_add(ret, m->cpus[i].number);
}

const char *topo_machine_reason(const struct topo_machine *m, enum topo_item item, unsigned int who)
{
	for (size_t i = 0; i < m->absences.n; i++)
		if (m->absences.at[i].item == item && topo_cpuset_has(&m->absences.at[i].who, who))
			return m->absences.at[i].reason;
	return NULL;
}

static void copy_reason(char into[TOPO_LIMIT_REASON], const char *reason)
{
	size_t n = 0;

	for (; reason[n] && n < TOPO_LIMIT_REASON - 1; n++)
		into[n] = (char)(reason[n] >= ' ' && reason[n] <= '~' ? reason[n] : '?');
	while (n && into[n - 1] == ' ')
		n--;
	into[n] = '\0';
}

static struct topo_absence *find_absence(struct topo_machine *m, const struct topo_absence *like)
{
	for (size_t i = 0; i < m->absences.n; i++)
		if (m->absences.at[i].item == like->item &&
		    strcmp(m->absences.at[i].reason, like->reason) == 0)
			return &m->absences.at[i];
	return NULL;
}

void topo_machine_set_absent(struct topo_machine *m, enum topo_item item, unsigned int who,
			     const char *reason)
{
	struct topo_absence absence = { .item = item };
	struct topo_absence *known;

	copy_reason(absence.reason, reason);
	known = find_absence(m, &absence);
	/* The last rows are kept for the common reason, one for each item. */
	if (!known && m->absences.n >= TOPO_LIMIT_ABSENCES - TOPO_N_ITEMS) {
		copy_reason(absence.reason, "one of too many different reasons");
		known = find_absence(m, &absence);
	}
	if (!known) {
		vec_push(&m->absences, absence);
		known = &m->absences.at[m->absences.n - 1];
	}
	topo_cpuset_add(&known->who, who);
}
