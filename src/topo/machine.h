/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a running system has, told by its /sys. Every item of every CPU and node
 * is either there or absent with a reason; nothing is guessed.
 */
#ifndef KTSTR_TOPO_MACHINE_H
#define KTSTR_TOPO_MACHINE_H

#include "base/vec.h"
#include "topo/cpuset.h"
#include "topo/topology.h"

#define TOPO_ABSENT UINT32_MAX

enum topo_item {
#define ITEM(id, word, of, meaning) TOPO_ITEM_##id,
#include "topo/items.def"
#undef ITEM
	TOPO_N_ITEMS
};

enum topo_item_of { TOPO_OF_CPU, TOPO_OF_NODE };

struct topo_item_row {
	const char *word, *meaning;
	enum topo_item_of of;
};
extern const struct topo_item_row topo_items[TOPO_N_ITEMS];

/* Cores and caches go by the lowest of the CPUs that share them. TOPO_ABSENT: not known. */
struct topo_cpu {
	uint32_t number;
	uint32_t core;
	uint32_t core_id; /* the kernel's word; not unique in a machine */
	uint32_t llc;
	uint32_t node;
};

struct topo_node {
	uint32_t number;
	bool has_memory, has_distances;
	uint64_t memory_bytes; /* what the kernel manages, less than what was plugged in */
};

struct topo_absence {
	enum topo_item item;
	struct topo_cpuset who; /* numbers of CPUs, or of nodes */
	char reason[TOPO_LIMIT_REASON];
};

struct topo_machine {
	struct topo_cpu *cpus; /* online, by rising number */
	unsigned int n_cpus;
	/* The kernel knows no nodes (built without NUMA): then there are none here. */
	bool no_numa;
	struct topo_node *nodes; /* online, by rising number */
	unsigned int n_nodes;
	uint8_t *distances; /* n_nodes rows; a row counts where has_distances */
	VEC(struct topo_absence) absences;
};

/* All items absent without a reason; for those who fill it. */
struct topo_machine *topo_machine_new(const struct topo_cpuset *cpus,
				      const struct topo_cpuset *nodes) MUST_CHECK;
void topo_machine_free(struct topo_machine *m);
DEFINE_CLEANUP(topo_machine, struct topo_machine *, NULL, topo_machine_free);
#define _cleanup_topo_machine_ _cleanup_(cleanup_topo_machine)

/* `sysfs_root` is "/sys" or a directory like it. Fails only when the online CPUs cannot be read. */
struct error *topo_machine_read(const char *sysfs_root, struct topo_machine **ret) MUST_CHECK;

/* Lines of text, small enough to travel: about 25 bytes for each CPU. */
void topo_machine_format(const struct topo_machine *m, struct strbuf *into);
/* Hostile bytes: each item of each CPU and node must be given exactly once. */
struct error *topo_machine_parse(const char *text, size_t n, struct topo_machine **ret) MUST_CHECK;

/* NULL when that CPU or node is not online. */
struct topo_cpu *topo_machine_cpu(const struct topo_machine *m, unsigned int number);
struct topo_node *topo_machine_node(const struct topo_machine *m, unsigned int number);
/* One of the CPU's items that are numbers; TOPO_ABSENT when it is. */
uint32_t *topo_cpu_item(struct topo_cpu *cpu, enum topo_item item);
/* The CPUs whose item has this value. */
void topo_machine_sharing(const struct topo_machine *m, enum topo_item item, uint32_t value,
			  struct topo_cpuset *ret);
/* Why it is absent; NULL when unknown. */
const char *topo_machine_reason(const struct topo_machine *m, enum topo_item item,
				unsigned int who);
/*
 * The reason is made printable and cut at its limit; equal ones share a row. When there are too
 * many different ones, a common one stands for the rest.
 */
void topo_machine_set_absent(struct topo_machine *m, enum topo_item item, unsigned int who,
			     const char *reason);

/*
 * NULL when the running system is the one asked for: CPU count and numbers,
 * thread siblings, LLC and node of each CPU, distances. Otherwise TOPO_MISMATCH with
 * the first item that differs, or TOPO_UNKNOWN with the reason why it could not be
 * compared. Memory is not compared: a kernel keeps part of it for itself. A kernel without NUMA
 * has one node.
 */
struct error *topo_compare(const struct topo *requested,
			   const struct topo_machine *actual) MUST_CHECK;

#endif
