/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every bound of the room. */
#ifndef KTSTR_HOST_LIMITS_H
#define KTSTR_HOST_LIMITS_H

enum {
	/* /proc/cpuinfo of the largest machines is a few MiB. */
	HOST_LIMIT_FILE_BYTES = 16 << 20,
	HOST_LIMIT_CPUS = 65536,
	HOST_LIMIT_TUNABLES = 256,
};

#endif
