/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the fuzzers of JSON share. */
#ifndef KTSTR_TESTS_FUZZ_JSON_H
#define KTSTR_TESTS_FUZZ_JSON_H

#include <stdlib.h>
#include <string.h>

#include "json/doc.h"

/* libFuzzer's; absent in the build that only runs the corpus. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t n, size_t limit) __attribute__((weak));
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t n, size_t limit, unsigned int seed);

enum { FUZZ_JSON_TRIES = 4, FUZZ_JSON_BYTES = 4096 };

static inline bool fuzz_is_json(const uint8_t *data, size_t n)
{
	_cleanup_json_doc_ struct json_doc *doc = NULL;
	_cleanup_error_ struct error *err = json_doc_parse((const char *)data, n, "mutant", &doc);

	return !err;
}

/* Most changes of a byte break JSON: a few more tries keep the runs behind the parser. */
static inline size_t fuzz_mutate_json(uint8_t *data, size_t n, size_t limit)
{
	uint8_t original[FUZZ_JSON_BYTES];
	size_t mutated = n;

	if (!LLVMFuzzerMutate || n > sizeof(original))
		return LLVMFuzzerMutate ? LLVMFuzzerMutate(data, n, limit) : n;
	memcpy(original, data, n);
	for (int i = 0; i < FUZZ_JSON_TRIES; i++) {
		memcpy(data, original, n);
		mutated = LLVMFuzzerMutate(data, n, limit);
		if (fuzz_is_json(data, mutated))
			break;
	}
	return mutated;
}

/* Equal down to the text of numbers and the order of keys. */
static inline bool json_same_text(struct json_text a, struct json_text b)
{
	return !a.at == !b.at && a.n == b.n && (a.n == 0 || memcmp(a.at, b.at, a.n) == 0);
}

static inline bool json_same(const struct json_value *a, const struct json_value *b)
{
	struct json_iter in_a = json_iter_over(a), in_b = json_iter_over(b);
	bool is_true = false, also_true = false;

	if (json_type_of(a) != json_type_of(b) || json_length(a) != json_length(b))
		return false;
	if (json_get_bool(a, &is_true) != json_get_bool(b, &also_true) || is_true != also_true)
		return false;
	if (!json_same_text(json_string(a), json_string(b)) ||
	    !json_same_text(json_number_text(a), json_number_text(b)))
		return false;
	while (json_iter_next(&in_a) && json_iter_next(&in_b)) {
		if (!json_same_text(in_a.key, in_b.key) || !json_same(in_a.value, in_b.value))
			return false;
	}
	return true;
}

/* What must hold whatever the input is. */
#define FUZZ_MUST(condition)              \
	do {                              \
		if (!(condition))         \
			__builtin_trap(); \
	} while (0)

#endif
