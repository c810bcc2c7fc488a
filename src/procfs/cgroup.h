/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the cgroup v2 filesystem says about one cgroup. cgroup.def has a row for each value. */
#ifndef KTSTR_PROCFS_CGROUP_H
#define KTSTR_PROCFS_CGROUP_H

#include "procfs/pressure.h"

enum {
	/* What the kernel takes when only a quota is written. */
	CGROUP_DEFAULT_PERIOD_US = 100000,
	CGROUP_IO_STAT_WORDS = 65536,
};

/* How a value is written, in its file and in a snapshot. */
enum cgroup_form {
	CGROUP_FORM_LINE,     /* a number behind its key in the file */
	CGROUP_FORM_NUMBER,   /* all of the file */
	CGROUP_FORM_OPTIONAL, /* a number; null in a snapshot when it is not known */
	CGROUP_FORM_QUOTA,    /* first word of the file: a number or "max" */
	CGROUP_FORM_PERIOD,   /* second word; the kernel's default when it is not there */
	CGROUP_FORM_LIMIT,    /* a number or "max", which is null in a snapshot */
	CGROUP_FORM_FLOOR,    /* a number or "max", which is 2^64 - 1 in a snapshot */
	CGROUP_FORM_NICE,     /* a signed number: two's complement */
	CGROUP_FORM_TEXT,     /* a string of the table, "" (and not known) when absent */
	CGROUP_FORM_TABLE,    /* lines of `name number` */
	CGROUP_FORM_DEVICES,  /* `name=number`, to be added up over lines of devices */
};

struct cgroup_stats {
	bool known; /* the directory was there */
#define CGROUP_VALUE(group, key, ...) struct procfs_reading group##_##key;
#define CGROUP_TABLE(group, key, ...) struct named_readings group##_##key;
#include "procfs/cgroup.def"
	struct pressure pressure;
};

/* path is the cgroup's directory; keys and texts go into names. */
void cgroup_stats_read(const char *path, struct intern *names, struct cgroup_stats *ret);
void cgroup_stats_deinit(struct cgroup_stats *stats);

/* Sets every value that the file has; what it does not say stays as it was. */
void cgroup_file_parse(const char *file, const char *text, size_t n, struct intern *names,
		       struct cgroup_stats *stats);

#endif
