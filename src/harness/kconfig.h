/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a kernel was built with: the text that its build leaves as .config or /boot/config. */
#ifndef KTSTR_HARNESS_KCONFIG_H
#define KTSTR_HARNESS_KCONFIG_H

#include "base/bytes.h"
#include "base/strbuf.h"

enum harness_kconfig_state {
	HARNESS_KCONFIG_ABSENT,	 /* no line about it: its requirements are not met, or it is unknown
				  */
	HARNESS_KCONFIG_NOT_SET, /* "# CONFIG_X is not set" */
	HARNESS_KCONFIG_SET,	 /* "CONFIG_X=value" */
};

/* The last line about an option counts, as for the kernel's build. *ret only when it is set. */
enum harness_kconfig_state harness_kconfig_find(struct bytes config, const char *option, size_t n,
						struct bytes *ret);

/*
 * Whether "CONFIG_X" is y or m, or "CONFIG_X=value" exactly so ("=n": not set or absent). When
 * not, what the config says is appended to `why`: "CONFIG_X is not set".
 */
bool harness_kconfig_has(struct bytes config, const char *wanted, struct strbuf *why);

#endif
