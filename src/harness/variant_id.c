// SPDX-License-Identifier: LGPL-2.1-or-later
#include "harness/session.h"

#include <string.h>

#include "base/strbuf.h"
#include "result/run_record.h"

static struct result_texts texts_of(const struct exchange_text_list *list)
{
	return (struct result_texts){ (const char *const *)list->at, list->n };
}

void harness_plan_variant_id(const struct exchange_declared_suite *suite,
			     const struct exchange_declared_test *test, const struct topo *booted,
			     const struct kernel *kernel, char ret[HARNESS_VARIANT_ID_CHARS + 1])
{
	_cleanup_strbuf_ struct strbuf topology = STRBUF_INIT;
	_cleanup_free_ char *id = NULL;

	topo_format(booted, &topology);
	id = result_variant_id(&(struct result_variant_traits){
		.suite = suite->name,
		.test = test->name,
		.topology = strbuf_str(&topology),
		.scheduler_argv = texts_of(&test->scheduler.argv),
		.sysctls = texts_of(&test->scheduler.sysctls),
		.kernel_args = texts_of(&test->scheduler.kernel_args),
		.kernel_build_id = kernel->build_id ? kernel->build_id : kernel->id,
		.memory_bytes = (uint64_t)test->memory_mb << 20,
	});
	snprintf(ret, HARNESS_VARIANT_ID_CHARS + 1, "%s", id);
}
