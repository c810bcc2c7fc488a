/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the cgroup v2 filesystem says about one cgroup. cgroup.def has a row for each value. */
#ifndef KTSTR_PROCFS_CGROUP_H
#define KTSTR_PROCFS_CGROUP_H

#include "procfs/pressure.h"

enum {
	/* What the kernel takes when only a quota is written. */
	PROCFS_CGROUP_DEFAULT_PERIOD_US = 100000,
	PROCFS_CGROUP_IO_STAT_WORDS = 65536,
};

/* How a value is written, in its file and in a snapshot. */
enum procfs_cgroup_form {
	PROCFS_CGROUP_FORM_LINE,     /* a number behind its key in the file */
	PROCFS_CGROUP_FORM_NUMBER,   /* all of the file */
	PROCFS_CGROUP_FORM_OPTIONAL, /* a number; null in a snapshot when it is not known */
	PROCFS_CGROUP_FORM_QUOTA,    /* first word of the file: a number or "max" */
	PROCFS_CGROUP_FORM_PERIOD,   /* second word; the kernel's default when it is not there */
	PROCFS_CGROUP_FORM_LIMIT,    /* a number or "max", which is null in a snapshot */
	PROCFS_CGROUP_FORM_FLOOR,    /* a number or "max", which is 2^64 - 1 in a snapshot */
	PROCFS_CGROUP_FORM_NICE,     /* a signed number: two's complement */
	PROCFS_CGROUP_FORM_TEXT,     /* a string of the table, "" (and not known) when absent */
	PROCFS_CGROUP_FORM_TABLE,    /* lines of `name number` */
	PROCFS_CGROUP_FORM_DEVICES,  /* `name=number`, to be added up over lines of devices */
};

struct procfs_cgroup_stats {
	bool known; /* the directory was there */
#define CGROUP_VALUE(group, key, ...) struct procfs_reading group##_##key;
#define CGROUP_TABLE(group, key, ...) struct procfs_named_readings group##_##key;
#include "procfs/cgroup.def"
	struct procfs_pressure pressure;
};

/* path is the cgroup's directory; keys and texts go into names. */
void procfs_cgroup_stats_read(const char *path, struct intern *names,
			      struct procfs_cgroup_stats *ret);
void procfs_cgroup_stats_deinit(struct procfs_cgroup_stats *stats);

/* Sets every value that the file has; what it does not say stays as it was. */
void procfs_cgroup_file_parse(const char *file, const char *text, size_t n, struct intern *names,
			      struct procfs_cgroup_stats *stats);

#endif
