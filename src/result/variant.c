// SPDX-License-Identifier: LGPL-2.1-or-later
#include "result/run_record.h"

#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"

/* With its length and a mark for absence, so that no two lists of texts are the same bytes. */
static uint64_t add_text(uint64_t hash, const char *text)
{
	uint64_t n = text ? strlen(text) : UINT64_MAX;

	hash = hash_bytes(hash, &n, sizeof(n));
	return text ? hash_bytes(hash, text, n) : hash;
}

static uint64_t add_texts(uint64_t hash, const struct result_texts *texts)
{
	uint64_t n = texts->n;

	hash = hash_bytes(hash, &n, sizeof(n));
	for (size_t i = 0; i < texts->n; i++)
		hash = add_text(hash, texts->at[i]);
	return hash;
}

char *result_variant_id(const struct result_variant_traits *v)
{
	uint64_t hash = HASH_INIT;

	hash = add_text(hash, v->suite);
	hash = add_text(hash, v->test);
	hash = add_text(hash, v->topology);
	hash = add_texts(hash, &v->scheduler_argv);
	hash = add_texts(hash, &v->sysctls);
	hash = add_texts(hash, &v->kernel_args);
	hash = add_text(hash, v->kernel_build_id);
	hash = hash_bytes(hash, &v->memory_bytes, sizeof(v->memory_bytes));
	return xasprintf("%016llx", (unsigned long long)hash);
}
