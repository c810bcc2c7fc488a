/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What can be wrong with a topology, so that callers can tell one case from another. */
#ifndef KTSTR_TOPO_ERROR_H
#define KTSTR_TOPO_ERROR_H

#include <stddef.h>

#include "base/error.h"

#define TOPO_ERRORS(X)                                                                             \
	X(TOPO_FORM, "topology-form", "the text is not a topology")                                \
	X(TOPO_RANGE, "topology-range", "a number of the topology is not possible")                \
	X(TOPO_CPU_LIST, "cpu-list", "the text is not a list of CPUs")                             \
	X(TOPO_MACHINE, "topology-machine", "the description of a machine contradicts itself")     \
	X(TOPO_UNKNOWN, "topology-unknown", "the running system does not report what is compared") \
	X(TOPO_MISMATCH, "topology-mismatch", "the running system is not the one asked for")
DECLARE_ERROR_DOMAIN(topo, TOPO, TOPO_ERRORS);

/* Every bound of this room. */

enum {
	/* Of a topology that can be asked for. */
	TOPO_LIMIT_ASKED_CPUS = 1024,
	TOPO_LIMIT_ASKED_NODES = 32,
	TOPO_LIMIT_TEXT_BYTES = 8192,
	/* Of a system that is looked at: NR_CPUS of x86-64 is at most 8192, many nodes are 16. */
	TOPO_LIMIT_CPUS = 8192,
	TOPO_LIMIT_NODES = 256,
	/* Bytes of one file of /sys, and of a whole description as text. */
	TOPO_LIMIT_SYSFS_BYTES = 65536,
	TOPO_LIMIT_MACHINE_TEXT = 1 << 20,
	/* Different reasons for absent items, and the length of one. */
	TOPO_LIMIT_ABSENCES = 256,
	TOPO_LIMIT_REASON = 128,
	/* Caches of one CPU: instruction, data, L2, L3 and room for more. */
	TOPO_LIMIT_CACHES = 16,
};

/*
 * Foreign text inside an error message: printable ASCII, the rest as '?', cut
 * with "..." when long. The result lives in a buffer the caller gives.
 */

struct topo_quote {
	char text[64];
};

static inline const char *topo_quote_bytes(struct topo_quote *q, const char *bytes, size_t n)
{
	size_t room = sizeof(q->text) - 4, kept = n < room ? n : room;

	for (size_t i = 0; i < kept; i++)
		q->text[i] = (char)(bytes[i] >= ' ' && bytes[i] <= '~' ? bytes[i] : '?');
	for (size_t i = 0; i < 3 && n > kept; i++)
		q->text[kept + i] = '.';
	q->text[n > kept ? kept + 3 : kept] = '\0';
	return q->text;
}

#endif
