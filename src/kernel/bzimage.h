/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The boot header of an x86 bzImage (Linux, Documentation/arch/x86/boot.rst). */
#ifndef KTSTR_KERNEL_BZIMAGE_H
#define KTSTR_KERNEL_BZIMAGE_H

#include "base/bytes.h"
#include "base/strbuf.h"
#include "kernel/error.h"

struct bzimage {
	uint16_t protocol;
	const char *banner;   /* borrowed: "6.18.15 (who@where) #1 SMP …"; NULL when it has none */
	struct bytes payload; /* the compressed vmlinux */
};

/* True when the bytes carry the magic of a boot header, whatever else is wrong with them. */
bool bzimage_is(struct bytes in);
/* No boot header, or protocol before 2.08 which knows no payload: KERNEL_NOT_KERNEL. */
struct error *bzimage_parse(struct bytes in, const char *label, struct bzimage *ret) MUST_CHECK;

#endif
