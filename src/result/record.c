// SPDX-License-Identifier: LGPL-2.1-or-later
#include "result/record.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/io.h"
#include "base/slice.h"
#include "json/scan.h"
#include "json/walk.h"
#include "result/limits.h"
#include "result/new_file.h"

static struct error *cannot_reach(const char *path, int errnum)
{
	if (errnum == ENOENT || errnum == ENOTDIR)
		return base_error(
			BASE_ABSENT, 0,
			"sidecar file not found at %s; run the test first, which writes it, then use --sidecar again",
			path);
	return base_error(BASE_IO, errnum, "cannot open %s", path);
}

struct error *result_record_exists(const char *path)
{
	struct stat st;

	if (stat(path, &st) == 0 || (errno != ENOENT && errno != ENOTDIR))
		return NULL;
	return cannot_reach(path, errno);
}

static struct error *read_record(const char *path, struct strbuf *into)
{
	struct error *err = io_read_regular(path, 0, RESULT_LIMIT_RECORD_BYTES, into);

	if (!error_is(err, &base_error_domain, BASE_ABSENT))
		return err;
	error_free(err);
	return cannot_reach(path, ENOENT);
}

static struct error *append_locked(const char *path, const struct result_append *append,
				   struct error **ret_warning)
{
	_cleanup_strbuf_ struct strbuf before = STRBUF_INIT;
	_cleanup_strbuf_ struct strbuf after = STRBUF_INIT;
	struct error *err = read_record(path, &before);

	if (err)
		return err;
	err = result_append_text(strbuf_str(&before), before.n, path, append, &after);
	if (err)
		return err;
	return io_replace_locked_file(path, after.at, after.n, ret_warning);
}

struct error *result_append_metrics(const char *path, const struct result_append *append,
				    const struct cancel *cancel, struct error **ret_warning)
{
	_cleanup_free_ char *target = realpath(path, NULL);
	_cleanup_free_ char *lock_path = NULL;
	_cleanup_close_ int lock_fd = -1;
	struct error *err;
	struct stat st;

	/* Before the lock, so that a mistyped name leaves no lock file behind. */
	if (!target || stat(target, &st) < 0)
		return cannot_reach(path, errno);
	if (!S_ISREG(st.st_mode))
		return base_error(BASE_IO, 0, "%s is not a regular file", path);
	lock_path = xasprintf("%s.lock", target);
	err = result_lock_acquire(lock_path, RESULT_LIMIT_LOCK_MS * NS_PER_MS, cancel, &lock_fd);
	if (err)
		return err;
	return append_locked(target, append, ret_warning);
}

#define REGENERATE_HINT \
	"it may come from another version of the program: run the test again to regenerate it"

_Static_assert((int)RESULT_LIMIT_RECORD_BYTES <= (int)JSON_LIMIT_DOC_BYTES,
	       "what is written must be readable again");

const char *result_find_metrics(const char *record, size_t n, const struct json_value *root,
				struct result_metrics_place *ret)
{
	struct json_iter it = json_iter_over(root);
	const struct json_value *metrics = NULL;
	size_t index = 0, open, end;

	if (json_type_of(root) != JSON_OBJECT)
		return "it is JSON, but not an object";
	while (json_iter_next(&it)) {
		if (!json_text_is(it.key, "metrics"))
			continue;
		/* Readers differ in which of the two they see: adding to one may add nothing. */
		if (metrics)
			return "`metrics` is there twice";
		metrics = it.value;
		index = it.index;
	}
	if (!metrics || json_type_of(metrics) != JSON_ARRAY)
		return "it has no array `metrics`";
	if (!json_scan_member(record, n, index, &open) ||
	    json_scan_region(record, n, open, &end) != JSON_SCAN_BALANCED)
		return "the array `metrics` was not found in the text";
	*ret = (struct result_metrics_place){ open, end - 1, json_length(metrics) };
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
	json_open_array(&e->w, "metrics");
	err = json_walk_leaves(e->append->output, NULL, add_metric, e, NULL);
	if (err)
		return err;
	json_end_array(&e->w);
	json_add_i64(&e->w, "exit_code", e->append->exit_code);
	json_end_object(&e->w);
	return NULL;
}

/* The entry goes behind the last element, the blanks before the bracket stay there. */
static void splice_entry(const char *record, size_t n, const struct result_metrics_place *place,
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
	const char *why;
	struct result_metrics_place place = { 0 };
	struct error *err;
	bool pretty;

	err = json_doc_parse(record, n, label, &doc);
	if (error_is(err, &base_error_domain, BASE_PARSE)) {
		_cleanup_error_ struct error *cause = err;

		return base_error(BASE_PARSE, 0, "cannot parse as a record: %s; %s",
				  error_message(cause), REGENERATE_HINT);
	}
	if (err)
		return err;
	why = result_find_metrics(record, n, json_doc_root(doc), &place);
	if (why)
		return base_error(BASE_PARSE, 0, "cannot parse %s as a record: %s; %s", label, why,
				  REGENERATE_HINT);
	pretty = memchr(record, '\n', place.close) != NULL;
	entry.w = json_writer_to(&entry.text, pretty ? JSON_PRETTY : JSON_COMPACT);
	entry.w.outer_levels = 2;
	err = write_entry(&entry, place.length);
	/* Room for the comma and the blanks around the entry. */
	if (!err && entry.text.n + n + 16 > RESULT_LIMIT_RECORD_BYTES)
		err = base_error(BASE_LIMIT, 0, "%s would become larger than %d bytes", label,
				 RESULT_LIMIT_RECORD_BYTES);
	if (!err)
		splice_entry(record, n, &place, &entry.text, pretty, out);
	strbuf_deinit(&entry.text);
	strbuf_deinit(&entry.name);
	return err;
}

/* "LowerBetter", "HigherBetter", "Unknown" or {"TargetValue": x}. */
static void write_polarity(const void *member, struct json_writer *w)
{
	static const char *const names[] = {
		[RESULT_POLARITY_UNKNOWN] = "Unknown",
		[RESULT_POLARITY_HIGHER_BETTER] = "HigherBetter",
		[RESULT_POLARITY_LOWER_BETTER] = "LowerBetter",
	};
	const struct result_polarity *polarity = member;

	if (polarity->kind != RESULT_POLARITY_TARGET_VALUE) {
		json_write_string(w, names[polarity->kind]);
		return;
	}
	json_begin_object(w);
	json_add_double(w, "TargetValue", polarity->target);
	json_end_object(w);
}

static void write_number(const void *member, struct json_writer *w)
{
	json_write_number_text(w, *(const struct json_text *)member);
}

static void write_name(const void *member, struct json_writer *w)
{
	const struct json_text *name = member;

	json_write_string_n(w, name->at, name->n);
}

static const struct json_codec name_codec = { .type = "string", .write = write_name };
static const struct json_codec polarity_codec = { .type = "string", .write = write_polarity };
static const struct json_codec number_codec = { .type = "number", .write = write_number };

#define ENTRY(member) JSON_SCALAR(struct result_metric_entry, member), .presence = JSON_REQUIRED
#define ENTRY_CUSTOM(member, codec) \
	JSON_CUSTOM(struct result_metric_entry, member, codec), .presence = JSON_REQUIRED

static const struct json_row entry_rows[] = {
	{ ENTRY_CUSTOM(name, &name_codec),
	  .means = "its path in the document that the program wrote" },
	{ ENTRY_CUSTOM(value, &number_codec), .means = "exactly as the program wrote it" },
	{ ENTRY_CUSTOM(polarity, &polarity_codec),
	  .means = "which way is better: HigherBetter, LowerBetter, Unknown, or an object with a "
		   "TargetValue" },
	{ ENTRY(unit), .means = "its unit, empty when it is not known" },
	{ ENTRY(source), .means = "always Json" },
	{ ENTRY(stream), .means = "Stdout or Stderr: where the document was" },
	{ JSON_SCALAR(struct result_metric_entry, not_judged),
	  .means = "why neither way is better in this run: " RESULT_RATE_NOT_JUDGED },
};
const struct json_rows result_metric_entry_rows = { JSON_TABLE(entry_rows) };

static const struct json_row payload_rows[] = {
	{ JSON_SCALAR(struct result_metric_payload, payload_index), .presence = JSON_REQUIRED,
	  .means = "its place in this list" },
	{ JSON_SCALAR(struct result_metric_payload, payload), .means = "name of the program" },
	{ JSON_OBJECTS(struct result_metric_payload, metrics, &result_metric_entry_rows),
	  .presence = JSON_REQUIRED, .means = "what it measured" },
	{ JSON_SCALAR(struct result_metric_payload, exit_code),
	  JSON_HAS(struct result_metric_payload, ended),
	  .means = "how it ended; negative: minus the signal" },
};
const struct json_rows result_metric_payload_rows = { JSON_TABLE(payload_rows) };

static const struct json_row measure_rows[] = {
	{ JSON_SCALAR(struct result_measure, name), .presence = JSON_REQUIRED,
	  .means = "path of the figure in this record" },
	{ JSON_SCALAR(struct result_measure, unit), .presence = JSON_REQUIRED,
	  .means = "its unit" },
	{ JSON_CUSTOM(struct result_measure, polarity, &polarity_codec), .presence = JSON_REQUIRED,
	  .means = "which way is better: HigherBetter, LowerBetter or Unknown" },
	{ JSON_SCALAR(struct result_measure, not_judged),
	  .means = "why neither way is better in this run: " RESULT_RATE_NOT_JUDGED },
};
const struct json_rows result_measure_rows = { JSON_TABLE(measure_rows) };

void result_write_measures(const struct json_rows *rows, const char *place, bool virtual_clock,
			   struct json_writer *w)
{
	for (size_t i = 0; i < rows->n; i++) {
		const struct json_row *row = &rows->at[i];
		_cleanup_free_ char *path = xasprintf("%s.%s%s", place, row->name,
						      row->list_size ? "[]" : "");
		struct result_measure measure = {
			.name = path,
			.unit = row->unit,
			.polarity = { .kind = (enum result_polarity_kind)row->direction },
		};

		if (row->rate && virtual_clock) {
			measure.polarity.kind = RESULT_POLARITY_UNKNOWN;
			measure.not_judged = RESULT_RATE_NOT_JUDGED;
		}
		if (row->unit)
			json_rows_write(&result_measure_rows, &measure, w);
		if (row->type == JSON_ROW_OBJECT || row->type == JSON_ROW_OBJECTS)
			result_write_measures(row->rows, path, virtual_clock, w);
	}
}

const struct result_metric_hint *result_metric_hint_find(const struct result_metric_hints *hints,
							 const char *name, size_t n)
{
	for (size_t i = 0; i < hints->n; i++)
		if (slice_ends_with((struct slice){ name, n }, hints->at[i].name_suffix))
			return &hints->at[i];
	return NULL;
}
