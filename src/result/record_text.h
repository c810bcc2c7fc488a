/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A record as bytes. A record is a JSON object with exactly one member
 * `metrics`, an array with one entry for each program that ran.
 */
#ifndef KTSTR_RESULT_RECORD_TEXT_H
#define KTSTR_RESULT_RECORD_TEXT_H

#include "base/strbuf.h"
#include "json/doc.h"
#include "result/metric.h"

/* What one program's output adds. All of it is borrowed. */
struct result_append {
	const struct json_value *output; /* its numeric leaves become metrics */
	const char *name_prefix;	 /* "prefix" gives "prefix.leaf.name" */
	struct result_metric_hints hints;
	int exit_code;
};

/*
 * Appends to *out the record with one entry more; every other byte stays.
 * BASE_PARSE when the bytes are no record, BASE_LIMIT when they are or would become too large.
 */
struct error *result_append_text(const char *record, size_t n, const char *label,
				 const struct result_append *append, struct strbuf *out) MUST_CHECK;

#endif
