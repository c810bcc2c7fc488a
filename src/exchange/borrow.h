/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* For whoever fills a struct of a document only to write it. */
#ifndef KTSTR_EXCHANGE_BORROW_H
#define KTSTR_EXCHANGE_BORROW_H

#include <stdint.h>

/* A text or list that is only read, in a member that owns what was read. */
#define EXCHANGE_BORROW(text) ((void *)(uintptr_t)(text))

#endif
