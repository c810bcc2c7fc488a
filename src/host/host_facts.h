/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The host a test ran on or a snapshot was taken of, as their files tell it. Whatever cannot be
 * read is absent: a NULL text, a number that has_… denies, an empty list.
 */
#ifndef KTSTR_HOST_HOST_FACTS_H
#define KTSTR_HOST_HOST_FACTS_H

#include "base/vec.h"
#include "host/accounting.h"
#include "json/doc.h"
#include "json/writer.h"

struct host_number {
	bool known;
	uint64_t value;
};

struct host_pair {
	char *name, *value;
};

/*
 * Every fact, in the order in which they are written: texts, numbers, and pairs of a name and a
 * text. sched_tunables is of /proc/sys/kernel, cpufreq_governor by number of the CPU.
 */
#define HOST_FACTS(TEXT, NUMBER, PAIRS) \
	TEXT(cpu_model)                 \
	TEXT(cpu_vendor)                \
	NUMBER(total_memory_kib)        \
	NUMBER(hugepages_total)         \
	NUMBER(hugepages_free)          \
	NUMBER(hugepages_size_kib)      \
	TEXT(thp_enabled)               \
	TEXT(thp_defrag)                \
	PAIRS(sched_tunables)           \
	NUMBER(online_cpus)             \
	NUMBER(numa_nodes)              \
	PAIRS(cpufreq_governor)         \
	TEXT(kernel_name)               \
	TEXT(kernel_release)            \
	TEXT(arch)                      \
	TEXT(kernel_cmdline)

struct host_pairs {
	bool known; /* an empty list was read; one with rows is known anyway */
	VEC(struct host_pair) rows;
};

struct host_facts {
#define TEXT_(name)   char *name;
#define NUMBER_(name) struct host_number name;
#define PAIRS_(name)  struct host_pairs name;
	HOST_FACTS(TEXT_, NUMBER_, PAIRS_)
#undef TEXT_
#undef NUMBER_
#undef PAIRS_
	struct host_accounting accounting;
};

/* Reads below root ("" for this machine). */
void host_facts_read(const char *root, struct host_facts *ret);
void host_facts_deinit(struct host_facts *facts);
#define _cleanup_host_facts_ __attribute__((cleanup(host_facts_deinit)))

/* The object. */
void host_facts_write(const struct host_facts *facts, struct json_writer *w);
/*
 * The object again. `path` names it in errors, as "host". Members it does not know are passed over,
 * missing ones and null are absent; what has another type is BASE_PARSE.
 */
struct error *host_facts_load(const struct json_value *object, const char *path,
			      struct host_facts *ret) MUST_CHECK;

#endif
