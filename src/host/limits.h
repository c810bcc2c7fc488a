/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every bound of the room. */
#ifndef KTSTR_HOST_LIMITS_H
#define KTSTR_HOST_LIMITS_H

enum {
	/* /proc/cpuinfo of the largest machines is a few MiB. */
	HOST_FILE_BYTES_LIMIT = 16 << 20,
	HOST_CPUS_LIMIT = 65536,
	HOST_TUNABLES_LIMIT = 256,
};

#endif
