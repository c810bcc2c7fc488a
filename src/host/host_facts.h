/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The host a test ran on or a snapshot was taken of, as their files tell it. Whatever cannot be
 * read is absent: a NULL text, a number that has_… denies, an empty list.
 */
#ifndef KTSTR_HOST_HOST_FACTS_H
#define KTSTR_HOST_HOST_FACTS_H

#include "base/macros.h"
#include "base/vec.h"
#include "json/rows.h"

/* Whether the kernel keeps the delays and the memory watermarks that taskstats tells. */

/* HOST_STATE(id, word); UNKNOWN comes first and is 0. */
#define HOST_DELAYACCT_STATES(X)      \
	X(UNKNOWN, "unknown")         \
	X(CONFIG_OFF, "config_off")   \
	X(RUNTIME_OFF, "runtime_off") \
	X(ON, "on")
#define HOST_XACCT_STATES(X)  \
	X(UNKNOWN, "unknown") \
	X(OFF, "off")         \
	X(ON, "on")

#define HOST_DELAYACCT_(id, word) HOST_DELAYACCT_##id,
enum host_delayacct { HOST_DELAYACCT_STATES(HOST_DELAYACCT_) HOST_N_DELAYACCT_STATES };
#undef HOST_DELAYACCT_
#define HOST_XACCT_(id, word) HOST_XACCT_##id,
enum host_xacct { HOST_XACCT_STATES(HOST_XACCT_) HOST_N_XACCT_STATES };
#undef HOST_XACCT_

struct host_accounting {
	/* The switch kernel.task_delayacct; without it the kernel was built without delays. */
	enum host_delayacct delayacct;
	enum host_xacct xacct; /* CONFIG_TASK_XACCT */
};

/* Of the text of a kernel's configuration. */
enum host_xacct host_xacct_parse(const char *text, size_t n);
/* Reads below root: the switch, and /proc/config.gz or else /boot/config-<release>. */
void host_accounting_read(const char *root, struct host_accounting *ret);

/*
 * Which values of taskstats mean anything. Waiting for a CPU is filled from other counters even
 * when the switch is off.
 */
static inline bool host_keeps_cpu_delays(const struct host_accounting *accounting)
{
	return accounting->delayacct != HOST_DELAYACCT_CONFIG_OFF;
}

static inline bool host_keeps_block_delays(const struct host_accounting *accounting)
{
	return accounting->delayacct == HOST_DELAYACCT_ON;
}

static inline bool host_keeps_watermarks(const struct host_accounting *accounting)
{
	return accounting->xacct != HOST_XACCT_OFF;
}

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

/* Every bound of the room. */

enum {
	/* /proc/cpuinfo of the largest machines is a few MiB. */
	HOST_LIMIT_FILE_BYTES = 16 << 20,
	HOST_LIMIT_CPUS = 65536,
	HOST_LIMIT_TUNABLES = 256,
};

#endif
