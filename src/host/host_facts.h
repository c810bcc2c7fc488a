/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The host a test ran on or a snapshot was taken of, as their files tell it. Whatever cannot be
 * read is absent: a NULL text, a number that has_… denies, an empty list.
 */
#ifndef KTSTR_HOST_HOST_FACTS_H
#define KTSTR_HOST_HOST_FACTS_H

#include "base/vec.h"
#include "host/accounting.h"
#include "json/rows.h"

struct host_number {
	bool known;
	uint64_t value;
};

struct host_pair {
	char *name, *value;
};

/*
 * Every fact, in the order in which they are written, with what it means: texts, numbers, numbers
 * that older files know by another name, and pairs of a name and a text.
 */
#define HOST_FACTS(TEXT, NUMBER, RENAMED, PAIRS)                                \
	TEXT(cpu_model, "model of the first CPU")                               \
	TEXT(cpu_vendor, "vendor of the first CPU")                             \
	RENAMED(total_memory_kib, "total_memory_kb", "the machine's memory")    \
	NUMBER(hugepages_total, "huge pages that are reserved")                 \
	NUMBER(hugepages_free, "those of them that are free")                   \
	RENAMED(hugepages_size_kib, "hugepages_size_kb", "size of a huge page") \
	TEXT(thp_enabled, "when transparent huge pages are used")               \
	TEXT(thp_defrag, "when memory is defragmented for them")                \
	PAIRS(sched_tunables, "files sched_* of /proc/sys/kernel")              \
	NUMBER(online_cpus, "CPUs that are online")                             \
	NUMBER(numa_nodes, "NUMA nodes that are online")                        \
	PAIRS(cpufreq_governor, "governor of frequency by number of the CPU")   \
	TEXT(kernel_name, "what uname -s says")                                 \
	TEXT(kernel_release, "what uname -r says")                              \
	TEXT(arch, "what uname -m says")                                        \
	TEXT(kernel_cmdline, "the kernel's command line")

struct host_pairs {
	bool known; /* an empty list was read; one with rows is known anyway */
	VEC(struct host_pair) rows;
};

struct host_facts {
#define TEXT_(name, means)	     char *name;
#define NUMBER_(name, means)	     struct host_number name;
#define RENAMED_(name, older, means) struct host_number name;
#define PAIRS_(name, means)	     struct host_pairs name;
	HOST_FACTS(TEXT_, NUMBER_, RENAMED_, PAIRS_)
#undef TEXT_
#undef NUMBER_
#undef RENAMED_
#undef PAIRS_
	struct host_accounting accounting;
};

/* Reads below root ("" for this machine). */
void host_facts_read(const char *root, struct host_facts *ret);
void host_facts_deinit(struct host_facts *facts);
#define _cleanup_host_facts_ __attribute__((cleanup(host_facts_deinit)))

extern const struct json_rows host_facts_rows;
/* The object. */
void host_facts_write(const struct host_facts *facts, struct json_writer *w);
/*
 * The object again. `path` names it in errors, as "host". Members it does not know are passed over,
 * missing ones and null are absent; what has another type is BASE_PARSE.
 */
struct error *host_facts_load(const struct json_value *object, const char *path,
			      struct host_facts *ret) MUST_CHECK;

#endif
