// SPDX-License-Identifier: LGPL-2.1-or-later
#include "result/record.h"

#include <string.h>

#include "json/scan.h"
#include "json/walk.h"
#include "result/limits.h"

#define REGENERATE_HINT \
	"it may come from another version of the program: run the test again to regenerate it"

_Static_assert((int)RESULT_LIMIT_RECORD_BYTES <= (int)JSON_LIMIT_DOC_BYTES,
	       "what is written must be readable again");

struct metrics_place {
	size_t open; /* the array's brackets in the text */
	size_t close;
	size_t length;
};

static struct error *not_a_record(const char *label, const char *why)
{
	return base_error(BASE_PARSE, 0, "cannot parse %s as a record: %s; %s", label, why,
			  REGENERATE_HINT);
}

static struct error *find_metrics(const char *record, size_t n, const char *label,
				  const struct json_value *root, struct metrics_place *ret)
{
	struct json_iter it = json_iter_over(root);
	const struct json_value *metrics = NULL;
	size_t index = 0, open, end;

	if (json_type_of(root) != JSON_OBJECT)
		return not_a_record(label, "it is JSON, but not an object");
	while (json_iter_next(&it)) {
		if (!json_text_is(it.key, "metrics"))
			continue;
		/* Readers differ in which of the two they see: adding to one may add nothing. */
		if (metrics)
			return not_a_record(label, "`metrics` is there twice");
		metrics = it.value;
		index = it.index;
	}
	if (!metrics || json_type_of(metrics) != JSON_ARRAY)
		return not_a_record(label, "it has no array `metrics`");
	if (!json_scan_member(record, n, index, &open) ||
	    json_scan_region(record, n, open, &end) != JSON_SCAN_BALANCED)
		return not_a_record(label, "the array `metrics` was not found in the text");
	*ret = (struct metrics_place){ open, end - 1, json_length(metrics) };
	return NULL;
}

struct entry {
	const struct result_append *append;
	struct strbuf text;
	struct strbuf name;
	struct json_writer w;
};

static struct error *add_metric(void *context, const struct json_leaf *leaf)
{
	struct entry *e = context;
	const struct result_metric_hint *hint;
	struct result_metric_entry entry;

	strbuf_clear(&e->name);
	strbuf_appendf(&e->name, "%s.", e->append->name_prefix);
	strbuf_append_bytes(&e->name, leaf->name.at, leaf->name.n);
	hint = result_metric_hint_find(&e->append->hints, e->name.at, e->name.n);

	entry = (struct result_metric_entry){
		.name = { e->name.at, e->name.n },
		.value = leaf->text,
		.polarity = hint ? hint->polarity : (struct result_polarity){ 0 },
		.unit = hint ? hint->unit : "",
		.source = "Json",
		.stream = "Stdout",
	};
	json_rows_write(&result_metric_entry_rows, &entry, &e->w);
	if (e->text.n > RESULT_LIMIT_RECORD_BYTES)
		return base_error(BASE_LIMIT, 0, "the new entry is larger than %d bytes",
				  RESULT_LIMIT_RECORD_BYTES);
	return NULL;
}

static struct error *write_entry(struct entry *e, size_t payload_index)
{
	struct error *err;

	json_begin_object(&e->w);
	json_add_u64(&e->w, "payload_index", payload_index);
	json_key(&e->w, "metrics");
	json_begin_array(&e->w);
	err = json_walk_leaves(e->append->output, NULL, add_metric, e, NULL);
	if (err)
		return err;
	json_end_array(&e->w);
	json_add_i64(&e->w, "exit_code", e->append->exit_code);
	json_end_object(&e->w);
	return NULL;
}

/* The entry goes behind the last element, the blanks before the bracket stay there. */
static void splice(const char *record, size_t n, const struct metrics_place *place,
		   const struct strbuf *entry, bool pretty, struct strbuf *out)
{
	bool empty = place->length == 0;
	size_t behind_last = place->close;

	while (json_is_blank(record[behind_last - 1]))
		behind_last--;
	strbuf_append_bytes(out, record, behind_last);
	strbuf_append(out, empty ? "" : ",");
	strbuf_append(out, pretty ? "\n    " : "");
	strbuf_append_bytes(out, entry->at, entry->n);
	if (empty)
		strbuf_append(out, pretty ? "\n  " : "");
	else
		strbuf_append_bytes(out, record + behind_last, place->close - behind_last);
	strbuf_append_bytes(out, record + place->close, n - place->close);
}

struct error *result_append_text(const char *record, size_t n, const char *label,
				 const struct result_append *append, struct strbuf *out)
{
	_cleanup_json_doc_ struct json_doc *doc = NULL;
	struct entry entry = { .append = append };
	struct metrics_place place = { 0 };
	struct error *err;
	bool pretty;

	err = json_doc_parse(record, n, label, &doc);
	if (error_is(err, &base_error_domain, BASE_PARSE)) {
		_cleanup_error_ struct error *why = err;

		return base_error(BASE_PARSE, 0, "cannot parse as a record: %s; %s",
				  error_message(why), REGENERATE_HINT);
	}
	if (err)
		return err;
	err = find_metrics(record, n, label, json_doc_root(doc), &place);
	if (err)
		return err;
	pretty = memchr(record, '\n', place.close) != NULL;
	entry.w = json_writer_to(&entry.text, pretty ? JSON_PRETTY : JSON_COMPACT);
	entry.w.outer_levels = 2;
	err = write_entry(&entry, place.length);
	/* Room for the comma and the blanks around the entry. */
	if (!err && entry.text.n + n + 16 > RESULT_LIMIT_RECORD_BYTES)
		err = base_error(BASE_LIMIT, 0, "%s would become larger than %d bytes", label,
				 RESULT_LIMIT_RECORD_BYTES);
	if (!err)
		splice(record, n, &place, &entry.text, pretty, out);
	strbuf_deinit(&entry.text);
	strbuf_deinit(&entry.name);
	return err;
}
