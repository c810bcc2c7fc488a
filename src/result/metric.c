// SPDX-License-Identifier: LGPL-2.1-or-later
#include "result/record.h"

#include <string.h>

#include "base/alloc.h"

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
};
const struct json_rows result_measure_rows = { JSON_TABLE(measure_rows) };

void result_write_measures(const struct json_rows *rows, const char *place, struct json_writer *w)
{
	static const enum result_polarity_kind kinds[] = {
		[JSON_NEITHER_IS_BETTER] = RESULT_POLARITY_UNKNOWN,
		[JSON_LOWER_IS_BETTER] = RESULT_POLARITY_LOWER_BETTER,
		[JSON_HIGHER_IS_BETTER] = RESULT_POLARITY_HIGHER_BETTER,
	};

	for (size_t i = 0; i < rows->n; i++) {
		const struct json_row *row = &rows->at[i];
		_cleanup_free_ char *path = xasprintf("%s.%s%s", place, row->name,
						      row->list_size ? "[]" : "");
		struct result_measure measure = { path,
						  row->unit,
						  { .kind = kinds[row->direction] } };

		if (row->unit)
			json_rows_write(&result_measure_rows, &measure, w);
		if (row->type == JSON_ROW_OBJECT || row->type == JSON_ROW_OBJECTS)
			result_write_measures(row->rows, path, w);
	}
}

const struct result_metric_hint *result_metric_hint_find(const struct result_metric_hints *hints,
							 const char *name, size_t n)
{
	for (size_t i = 0; i < hints->n; i++) {
		size_t suffix = strlen(hints->at[i].name_suffix);

		if (suffix <= n && memcmp(name + n - suffix, hints->at[i].name_suffix, suffix) == 0)
			return &hints->at[i];
	}
	return NULL;
}
