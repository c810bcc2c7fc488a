/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the id of a variant is made of. The digits themselves: result/variant.h. */
#ifndef KTSTR_HARNESS_VARIANT_ID_H
#define KTSTR_HARNESS_VARIANT_ID_H

#include "exchange/declaration.h"
#include "kernel/kernel.h"

enum { HARNESS_VARIANT_ID_CHARS = 16 };

/* `booted` may be another machine than the test's own. */
void harness_plan_variant_id(const struct exchange_declared_suite *suite,
			     const struct exchange_declared_test *test, const struct topo *booted,
			     const struct kernel *kernel, char ret[HARNESS_VARIANT_ID_CHARS + 1]);

#endif
