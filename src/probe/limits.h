/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Bounds of what is looked for in foreign files; those of reading them are elf/limits.h. */
#ifndef KTSTR_PROBE_LIMITS_H
#define KTSTR_PROBE_LIMITS_H

#include <stdint.h>

/*
 * Characters of symbol names that are looked at in one object. The largest programs have some
 * hundred megabytes of names, each for one symbol; a small file may have millions of symbols that
 * all bear one very long name.
 */
#define PROBE_LIMIT_NAME_BYTES (UINT64_C(4) << 30)
/* How many symbols, or characters of names, are passed between two looks at the cancel. */
#define PROBE_CANCEL_SYMBOLS 4096
#define PROBE_CANCEL_BYTES   (UINT64_C(16) << 20)

#endif
