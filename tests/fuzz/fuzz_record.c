// SPDX-License-Identifier: GPL-2.0-or-later
/* covers: src/result/record.c src/json/scan.c */
/*
 * Any bytes as a record: either they are refused, or the result is a record
 * with exactly one entry more in which nothing that was there has changed.
 */
#include "fuzz.h"
#include "fuzz_json.h"
#include "json/walk.h"
#include "result/record.h"

static const struct result_metric_hint hints[] = {
	{ ".allocated_bytes", { RESULT_POLARITY_LOWER_BETTER, 0 }, "bytes" },
	{ ".tid", { RESULT_POLARITY_TARGET_VALUE, 1.5 }, "" },
};

static void check_metrics(const struct json_value *before, const struct json_value *after)
{
	struct json_iter old = json_iter_over(before), new = json_iter_over(after);
	uint64_t index;

	FUZZ_MUST(json_length(after) == json_length(before) + 1);
	while (json_iter_next(&new) && json_iter_next(&old))
		FUZZ_MUST(json_same(old.value, new.value));
	FUZZ_MUST(json_get_u64(json_find(new.value, "payload_index"), &index));
	FUZZ_MUST(index == json_length(before));
}

/* The context stands before the metric that this leaf became. */
static struct error *check_leaf(void *context, const struct json_leaf *leaf)
{
	struct json_iter *metrics = context;
	struct json_text name;

	FUZZ_MUST(json_iter_next(metrics));
	FUZZ_MUST(json_same_text(json_number_text(json_find(metrics->value, "value")), leaf->text));
	name = json_string(json_find(metrics->value, "name"));
	FUZZ_MUST(name.n == leaf->name.n + 2 && memcmp(name.at, "p.", 2) == 0);
	FUZZ_MUST(memcmp(name.at + 2, leaf->name.at, leaf->name.n) == 0);
	return NULL;
}

static void check_added(const struct json_value *entries, const struct result_append *append)
{
	struct json_iter it = json_iter_over(entries), metrics;
	int64_t code;

	while (json_iter_next(&it))
		;
	FUZZ_MUST(json_get_i64(json_find(it.value, "exit_code"), &code) && code == -1);
	metrics = json_iter_over(json_find(it.value, "metrics"));
	FUZZ_MUST(!json_walk_leaves(append->output, NULL, check_leaf, &metrics, NULL));
	FUZZ_MUST(!json_iter_next(&metrics));
}

static void check_record(const struct json_value *before, const struct json_value *after,
			 const struct result_append *append)
{
	struct json_iter old = json_iter_over(before), new = json_iter_over(after);

	FUZZ_MUST(json_length(after) == json_length(before));
	while (json_iter_next(&old) && json_iter_next(&new)) {
		FUZZ_MUST(json_same_text(old.key, new.key));
		if (json_text_is(old.key, "metrics"))
			check_metrics(old.value, new.value);
		else
			FUZZ_MUST(json_same(old.value, new.value));
	}
	check_added(json_find(after, "metrics"), append);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t n, size_t limit, unsigned int seed UNUSED)
{
	return fuzz_mutate_json(data, n, limit);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	_cleanup_json_doc_ struct json_doc *before = NULL, *after = NULL;
	_cleanup_strbuf_ struct strbuf out = STRBUF_INIT;
	_cleanup_error_ struct error *invalid = NULL, *refused = NULL;
	struct result_append append = {
		.name_prefix = "p",
		.hints = { hints, ARRAY_SIZE(hints) },
		.exit_code = -1,
	};

	invalid = json_doc_parse((const char *)data, n, "fuzz", &before);
	if (invalid) {
		/* No document, no record: the output plays no part. */
		refused = result_append_text((const char *)data, n, "fuzz", &append, &out);
		FUZZ_MUST(refused && out.n == 0);
		return 0;
	}
	fuzz_mark_deep();
	/* The record's own numbers are as good as any program's output. */
	append.output = json_doc_root(before);
	refused = result_append_text((const char *)data, n, "fuzz", &append, &out);
	if (refused) {
		FUZZ_MUST(out.n == 0);
		return 0;
	}
	FUZZ_MUST(!json_doc_parse(out.at, out.n, "after", &after));
	check_record(json_doc_root(before), json_doc_root(after), &append);
	return 0;
}
