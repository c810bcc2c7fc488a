/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef KTSTR_KMEM_ERROR_H
#define KTSTR_KMEM_ERROR_H

#include "base/error.h"

#define KMEM_ERRORS(X)                                                                          \
	X(KMEM_NO_NOTE, "no-vmcoreinfo", "no kernel found in this memory")                      \
	X(KMEM_BAD_NOTE, "bad-vmcoreinfo", "VMCOREINFO lacks or contradicts what is needed")    \
	X(KMEM_STALE_NOTE, "stale-vmcoreinfo", "the running kernel does not point to the note") \
	X(KMEM_UNREAD, "guest-memory", "memory of the guest cannot be read")                    \
	X(KMEM_NO_SYMBOLS, "no-kallsyms", "the kernel's table of symbols cannot be used")       \
	X(KMEM_NO_SYMBOL, "no-kernel-symbol", "the kernel has no such symbol")                  \
	X(KMEM_NO_FIELD, "no-kernel-field", "the kernel's types lack a member")                 \
	X(KMEM_BAD_CACHE, "bad-kernel-cache", "the cache entry of this kernel cannot be used")
DECLARE_ERROR_DOMAIN(kmem, KMEM, KMEM_ERRORS);

#endif
