// SPDX-License-Identifier: GPL-2.0-or-later
/* covers: src/json/doc.c src/json/scan.c src/base/utf8.c src/json/walk.c */
/*
 * Any bytes as a program's output: find the document, walk its leaves, write
 * it again. The walk keeps its limits and its account, and what the writer
 * makes reads back as the same document.
 */
#include <math.h>

#include "fuzz.h"
#include "json/scan.h"
#include "json/walk.h"
#include "json/writer.h"
#include "fuzz_json.h"

struct tally {
	uint64_t leaves, name_bytes;
	uint64_t truncated, dropped;
};

static struct error *count_leaf(void *context, const struct json_leaf *leaf)
{
	struct tally *tally = context;

	FUZZ_MUST(isfinite(leaf->value));
	FUZZ_MUST(leaf->text.n > 0);
	/* Document keys may look like sentinels; those are counted as such. */
	if (json_text_is(leaf->name, JSON_WALK_TRUNCATED)) {
		tally->truncated++;
		return NULL;
	}
	if (json_text_is(leaf->name, JSON_WALK_DROPPED)) {
		tally->dropped++;
		return NULL;
	}
	tally->leaves++;
	tally->name_bytes += leaf->name.n;
	return NULL;
}

static struct tally walk(const struct json_value *root, const struct json_walk_limits *limits,
			 struct json_walk_report *ret)
{
	struct tally tally = { 0 };

	FUZZ_MUST(!json_walk_leaves(root, limits, count_leaf, &tally, ret));
	FUZZ_MUST(tally.leaves <= ret->leaves);
	FUZZ_MUST(tally.truncated >= ret->truncated);
	FUZZ_MUST(tally.dropped >= (ret->dropped > 0));
	return tally;
}

static void check_walk(const struct json_value *root)
{
	struct json_walk_limits shallow = json_walk_default_limits, narrow;
	struct json_walk_report report, bounded;
	struct tally tally;

	shallow.depth = 3;
	narrow = shallow;
	narrow.leaves = 5;
	narrow.name_bytes = 40;
	walk(root, NULL, &report);
	walk(root, &shallow, &report);
	tally = walk(root, &narrow, &bounded);
	FUZZ_MUST(bounded.leaves <= 5 && tally.name_bytes <= 40);
	FUZZ_MUST(bounded.leaves + bounded.dropped == report.leaves);
	FUZZ_MUST(bounded.truncated == report.truncated);
}

static void rewrite(struct json_writer *w, const struct json_value *value)
{
	struct json_iter it = json_iter_over(value);
	bool flag;

	switch (json_type_of(value)) {
	case JSON_NULL:
		json_write_null(w);
		return;
	case JSON_BOOL:
		FUZZ_MUST(json_get_bool(value, &flag));
		json_write_bool(w, flag);
		return;
	case JSON_NUMBER:
		json_write_number_text(w, json_number_text(value));
		return;
	case JSON_STRING:
		json_write_string_n(w, json_string(value).at, json_string(value).n);
		return;
	case JSON_ARRAY:
		json_begin_array(w);
		while (json_iter_next(&it))
			rewrite(w, it.value);
		json_end_array(w);
		return;
	case JSON_OBJECT:
		json_begin_object(w);
		while (json_iter_next(&it)) {
			json_key_n(w, it.key.at, it.key.n);
			rewrite(w, it.value);
		}
		json_end_object(w);
		return;
	}
}

static void check_rewriting(const struct json_value *root, enum json_style style)
{
	_cleanup_strbuf_ struct strbuf out = STRBUF_INIT;
	_cleanup_json_doc_ struct json_doc *again = NULL;
	struct json_writer w = json_writer_to(&out, style);

	rewrite(&w, root);
	FUZZ_MUST(!json_doc_parse(out.at, out.n, "rewritten", &again));
	FUZZ_MUST(json_same(root, json_doc_root(again)));
}

static void check_numbers(const struct json_value *value)
{
	struct json_iter it = json_iter_over(value);
	uint64_t u64;
	int64_t i64;
	double real;

	if (json_get_u64(value, &u64) && json_get_i64(value, &i64))
		FUZZ_MUST(u64 == (uint64_t)i64);
	if (json_get_u64(value, &u64))
		FUZZ_MUST(json_get_double(value, &real) && real == (double)u64);
	if (json_get_i64(value, &i64))
		FUZZ_MUST(json_get_double(value, &real) && real == (double)i64);
	while (json_iter_next(&it))
		check_numbers(it.value);
}

/* Any bytes as a thread's name: what comes out is JSON. */
static void check_string(const char *bytes, size_t n)
{
	_cleanup_strbuf_ struct strbuf out = STRBUF_INIT;
	_cleanup_json_doc_ struct json_doc *doc = NULL;
	struct json_writer w = json_writer_to(&out, JSON_COMPACT);

	json_write_string_n(&w, bytes, n);
	FUZZ_MUST(!json_doc_parse(out.at, out.n, "string", &doc));
	FUZZ_MUST(json_type_of(json_doc_root(doc)) == JSON_STRING);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t n, size_t limit, unsigned int seed UNUSED)
{
	return fuzz_mutate_json(data, n, limit);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	_cleanup_json_doc_ struct json_doc *doc = NULL;
	_cleanup_error_ struct error *err = NULL;

	check_string((const char *)data, n);
	err = json_find_document((const char *)data, n, "fuzz", &doc);
	if (err)
		return 0;
	fuzz_mark_deep();
	check_walk(json_doc_root(doc));
	check_numbers(json_doc_root(doc));
	check_rewriting(json_doc_root(doc), JSON_COMPACT);
	check_rewriting(json_doc_root(doc), JSON_PRETTY);
	return 0;
}
