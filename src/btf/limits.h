/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every bound of this room. The kernel's own, where it has one (linux/btf.h). */
#ifndef KTSTR_BTF_LIMITS_H
#define KTSTR_BTF_LIMITS_H

enum {
	BTF_LIMIT_TYPES = 0x000fffff,
	BTF_LIMIT_BYTES = 256 << 20,
};

#endif
