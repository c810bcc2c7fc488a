/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The host a test ran on or a snapshot was taken of, as their files tell it. Whatever cannot be
 * read is absent: a NULL text, a number that has_… denies, an empty list.
 */
#ifndef KTSTR_HOST_HOST_FACTS_H
#define KTSTR_HOST_HOST_FACTS_H

#include "base/vec.h"
#include "json/writer.h"

struct host_number {
	bool known;
	uint64_t value;
};

struct host_pair {
	char *name, *value;
};

struct host_facts {
	char *cpu_model, *cpu_vendor;
	struct host_number total_memory_kb, hugepages_total, hugepages_free, hugepages_size_kb;
	char *thp_enabled, *thp_defrag;
	VEC(struct host_pair) sched_tunables;	/* of /proc/sys/kernel */
	VEC(struct host_pair) cpufreq_governor; /* by number of the CPU */
	struct host_number online_cpus, numa_nodes;
	char *kernel_name, *kernel_release, *arch, *kernel_cmdline;
};

/* Reads below root ("" for this machine). */
void host_facts_read(const char *root, struct host_facts *ret);
void host_facts_deinit(struct host_facts *facts);
#define _cleanup_host_facts_ __attribute__((cleanup(host_facts_deinit)))

/* The object. */
void host_facts_write(const struct host_facts *facts, struct json_writer *w);

#endif
