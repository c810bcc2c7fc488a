/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A fingerprint of megabytes in a guest: two tables of a kernel with the same print are the same.
 * It finds every accident; who can choose all the bytes can make two with one print, and gains
 * wrong names in a view for it, nothing else.
 */
#ifndef KTSTR_KMEM_FINGERPRINT_H
#define KTSTR_KMEM_FINGERPRINT_H

#include "kmem/space.h"

/* Of n bytes; `what` names them in an error. */
struct error *kmem_fingerprint(struct kmem_space *space, uint64_t address, uint64_t n,
			       const char *what, uint64_t *ret) MUST_CHECK;

#endif
