/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whether the kernel keeps the delays and the memory watermarks that taskstats tells. */
#ifndef KTSTR_HOST_ACCOUNTING_H
#define KTSTR_HOST_ACCOUNTING_H

#include "base/macros.h"

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

extern const char *const host_delayacct_names[HOST_N_DELAYACCT_STATES];
extern const char *const host_xacct_names[HOST_N_XACCT_STATES];

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

#endif
