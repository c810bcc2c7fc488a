// SPDX-License-Identifier: LGPL-2.1-or-later
#include "json/find.h"

#include "json/limits.h"
#include "json/scan.h"

static struct json_text trimmed(struct json_text t)
{
	while (t.n && json_is_blank(t.at[0]))
		t = (struct json_text){ t.at + 1, t.n - 1 };
	while (t.n && json_is_blank(t.at[t.n - 1]))
		t.n--;
	return t;
}

static struct json_text first_region(struct json_text t)
{
	unsigned int attempts = 0;

	for (size_t start = 0; start < t.n && attempts < JSON_LIMIT_FIND_ATTEMPTS; start++) {
		size_t end;

		if (t.at[start] != '{' && t.at[start] != '[')
			continue;
		/* A lone bracket in a log line is common: it hides nothing that follows. */
		if (json_scan_region(t.at, t.n, start, &end) == JSON_SCAN_BALANCED)
			return (struct json_text){ t.at + start, end - start };
		attempts++;
	}
	return (struct json_text){ 0 };
}

struct error *json_find_document(const char *text, size_t n, const char *label,
				 struct json_doc **ret)
{
	struct json_text whole = trimmed((struct json_text){ text, n });
	struct json_text region;
	struct error *err;

	err = json_doc_parse(whole.at, whole.n, label, ret);
	if (!err)
		return NULL;
	region = first_region(whole);
	if (!region.at) {
		error_free(err);
		return base_error(BASE_ABSENT, 0, "%s: no JSON document in %zu bytes", label, n);
	}
	/* The whole was that region: its error is the answer. */
	if (region.n == whole.n)
		return err;
	error_free(err);
	return json_doc_parse(region.at, region.n, label, ret);
}
