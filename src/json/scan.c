// SPDX-License-Identifier: LGPL-2.1-or-later
#include "json/scan.h"

#include "json/doc.h"

/* Offset of the closing quote of the string that opens at `quote`, or n. */
static size_t string_end(const char *text, size_t n, size_t quote)
{
	size_t i = quote + 1;

	while (i < n && text[i] != '"')
		i += text[i] == '\\' ? 2 : 1;
	return i < n ? i : n;
}

enum json_scan_result json_scan_region(const char *text, size_t n, size_t start, size_t *ret_end)
{
	char partners[JSON_LIMIT_NESTING];
	unsigned int depth = 0;

	for (size_t i = start; i < n; i++) {
		switch (text[i]) {
		case '"':
			i = string_end(text, n, i);
			break;
		case '{':
		case '[':
			if (depth == JSON_LIMIT_NESTING) {
				*ret_end = i;
				return JSON_SCAN_TOO_DEEP;
			}
			partners[depth++] = text[i] == '{' ? '}' : ']';
			break;
		case '}':
		case ']':
			if (depth == 0 || partners[depth - 1] != text[i])
				return JSON_SCAN_UNBALANCED;
			if (--depth == 0) {
				*ret_end = i + 1;
				return JSON_SCAN_BALANCED;
			}
			break;
		}
	}
	return JSON_SCAN_UNBALANCED;
}

bool json_scan_member(const char *text, size_t n, size_t index, size_t *ret_start)
{
	size_t i = 0, member = 0, end;

	while (i < n && text[i] != '{')
		i++;
	for (i++; i < n; i++) {
		switch (text[i]) {
		case '"':
			i = string_end(text, n, i);
			break;
		case ',':
			member++;
			break;
		case '{':
		case '[':
			if (member == index) {
				*ret_start = i;
				return true;
			}
			if (json_scan_region(text, n, i, &end) != JSON_SCAN_BALANCED)
				return false;
			i = end - 1;
			break;
		}
		if (member > index)
			return false;
	}
	return false;
}

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
