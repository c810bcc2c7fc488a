// SPDX-License-Identifier: LGPL-2.1-or-later
#include "harness/plan.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/strbuf.h"

/*
 * What the id is made of. Every text goes in behind its length and every list behind its number of
 * rows, so that {"ab", "c"} and {"a", "bc"} differ, and a row never passes into the next field.
 */
static void add_number(uint64_t *hash, uint64_t value)
{
	uint8_t bytes[8];

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(value >> (8 * i));
	*hash = hash_bytes(*hash, bytes, sizeof(bytes));
}

static void add_text(uint64_t *hash, const char *text)
{
	size_t n = strlen(text);

	add_number(hash, n);
	*hash = hash_bytes(*hash, text, n);
}

static void add_list(uint64_t *hash, const struct text_list *list)
{
	add_number(hash, list->n);
	for (size_t i = 0; i < list->n; i++)
		add_text(hash, list->at[i]);
}

void variant_id(const struct declared_suite *suite, const struct declared_test *test,
		const struct topology *booted, const struct kernel *kernel,
		char ret[VARIANT_ID_CHARS + 1])
{
	_cleanup_strbuf_ struct strbuf topology = STRBUF_INIT;
	uint64_t hash = HASH_INIT;

	topology_format(booted, &topology);
	add_text(&hash, test->name);
	add_text(&hash, suite->name);
	add_text(&hash, strbuf_str(&topology));
	add_list(&hash, &test->scheduler.argv);
	add_list(&hash, &test->scheduler.sysctls);
	add_list(&hash, &test->scheduler.kernel_args);
	/* An image without a build-id is known by where it stands in the cache. */
	add_number(&hash, kernel->build_id != NULL);
	add_text(&hash, kernel->build_id ? kernel->build_id : kernel->id);
	add_number(&hash, test->memory_mb);
	snprintf(ret, VARIANT_ID_CHARS + 1, "%016" PRIx64, hash);
}
