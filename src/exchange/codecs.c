// SPDX-License-Identifier: LGPL-2.1-or-later

#include <string.h>

#include "base/utf8.h"
#include "exchange/report.h"

const char *const exchange_reason_names[KTSTR_N_REASONS] = {
#define KTSTR_REASON(id, word, verdict, meaning) [KTSTR_REASON_##id] = (word),
#include <ktstr/reasons.def>
#undef KTSTR_REASON
};

const enum ktstr_verdict exchange_reason_verdicts[KTSTR_N_REASONS] = {
#define KTSTR_REASON(id, word, verdict, meaning) [KTSTR_REASON_##id] = KTSTR_##verdict,
#include <ktstr/reasons.def>
#undef KTSTR_REASON
};

static struct error *read_cpus(const struct json_value *value, void *member)
{
	struct json_text text = json_string(value);

	if (!text.at)
		return base_error(BASE_PARSE, 0, "it is not a string");
	return error_recast(topo_cpuset_parse(text.at, text.n, member), &base_error_domain,
			    BASE_PARSE);
}

static void write_cpus(const void *member, struct json_writer *w)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	topo_cpuset_format(member, &text);
	json_write_string(w, strbuf_str(&text));
}

const struct json_codec exchange_cpus_codec = {
	.type = "string",
	.read = read_cpus,
	.write = write_cpus,
};

static struct error *read_text(const struct json_value *value, void *member)
{
	struct json_text text = json_string(value);
	char **ret = member;

	if (!text.at)
		return base_error(BASE_PARSE, 0, "it is not a string");
	if (memchr(text.at, '\0', text.n))
		return base_error(BASE_PARSE, 0, "it holds a NUL byte");
	free(*ret);
	*ret = xstrndup(text.at, text.n);
	return NULL;
}

static bool text_is_absent(const void *member)
{
	return !*(char *const *)member;
}

static void write_text(const void *member, struct json_writer *w)
{
	const char *text = *(char *const *)member;
	size_t n = strlen(text), kept = utf8_cut(text, n, EXCHANGE_LIMIT_TEXT);
	_cleanup_strbuf_ struct strbuf cut = STRBUF_INIT;

	if (kept < n) {
		strbuf_append_bytes(&cut, text, kept);
		strbuf_appendf(&cut, "… (%zu bytes more)", n - kept);
	}
	json_write_string(w, kept < n ? cut.at : text);
}

static void free_text(void *member)
{
	free(*(char **)member);
	*(char **)member = NULL;
}

const struct json_codec exchange_text_codec = {
	.type = "string",
	.read = read_text,
	.is_absent = text_is_absent,
	.write = write_text,
	.deinit = free_text,
};

static struct error *read_bytes(const struct json_value *value, void *member)
{
	struct json_text text = json_string(value);

	if (!text.at)
		return base_error(BASE_PARSE, 0, "it is not a string");
	strbuf_append_bytes(member, text.at, text.n);
	return NULL;
}

static void write_bytes(const void *member, struct json_writer *w)
{
	const struct strbuf *text = member;

	json_write_string_n(w, text->at, text->n);
}

static void free_bytes(void *member)
{
	strbuf_deinit(member);
}

const struct json_codec exchange_bytes_codec = {
	.type = "string",
	.read = read_bytes,
	.write = write_bytes,
	.deinit = free_bytes,
};

static struct error *read_number(const struct json_value *value, void *member)
{
	struct json_text text = json_number_text(value);
	char **ret = member;

	if (!text.at)
		return base_error(BASE_PARSE, 0, "it is not a number");
	free(*ret);
	*ret = xstrndup(text.at, text.n);
	return NULL;
}

static void write_number(const void *member, struct json_writer *w)
{
	const char *text = *(char *const *)member;

	json_write_number_text(w, (struct json_text){ text, strlen(text) });
}

const struct json_codec exchange_number_codec = {
	.type = "number",
	.read = read_number,
	.is_absent = text_is_absent,
	.write = write_number,
	.deinit = free_text,
};

const char *exchange_check_name(const void *member)
{
	const char *name = *(char *const *)member;

	if (!*name)
		return "is empty";
	return strlen(name) > EXCHANGE_LIMIT_NAME ? "is longer than a name may be" : NULL;
}

const char *exchange_check_end(const void *member)
{
	const char *text = *(char *const *)member;
	size_t word = strspn(text, "abcdefghijklmnopqrstuvwxyz-");
	size_t digits = text[word] == ' ' ? strspn(text + word + 1, "0123456789") : 0;

	if (word > 0 && (!text[word] || (digits > 0 && digits <= 3 && !text[word + 1 + digits])))
		return NULL;
	return "is not a way to end";
}
