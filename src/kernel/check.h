/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Whether programs for sched_ext can be loaded into a kernel, from its BTF alone.
 *
 * Since 7.1 many scx functions take a hidden argument, `aux`, which the build removes from
 * the prototype that programs are compared with. Some builds leave it in, and the loader then
 * refuses every program that calls such a function.
 */
#ifndef KTSTR_KERNEL_CHECK_H
#define KTSTR_KERNEL_CHECK_H

#include "base/bytes.h"
#include "base/strbuf.h"
#include "kernel/error.h"

/*      id                  word       meaning */
#define KERNEL_SCX_VERDICTS(X)                                                  \
	X(KERNEL_SCX_USABLE, "usable", "programs for sched_ext can be loaded")  \
	X(KERNEL_SCX_ABSENT, "absent", "the kernel is built without sched_ext") \
	X(KERNEL_SCX_BROKEN, "broken", "its prototypes do not match")           \
	X(KERNEL_SCX_UNKNOWN, "unknown", "the image has no BTF that could tell")

#define KERNEL_SCX_ENUM_(id, word, meaning) id,
enum kernel_scx { KERNEL_SCX_VERDICTS(KERNEL_SCX_ENUM_) KERNEL_N_SCX };

const char *kernel_scx_name(enum kernel_scx verdict);
extern const char *const kernel_scx_words[KERNEL_N_SCX];

struct kernel_check {
	enum kernel_scx verdict;
	/* Why not usable, one line; NULL when usable. */
	char *reason;
	/* Functions looked at, and those with a leaked argument. */
	uint32_t functions;
	uint32_t leaky;
};

/* Empty bytes are KERNEL_SCX_UNKNOWN; BTF that cannot be read is an error. */
struct error *kernel_check_btf(struct bytes btf, const char *label,
			       struct kernel_check *ret) MUST_CHECK;
void kernel_check_deinit(struct kernel_check *check);
#define _cleanup_kernel_check_ __attribute__((cleanup(kernel_check_deinit)))

#endif
