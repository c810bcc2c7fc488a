/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every bound of this room. */
#ifndef KTSTR_TOPO_LIMITS_H
#define KTSTR_TOPO_LIMITS_H

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

#endif
