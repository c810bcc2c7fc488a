// SPDX-License-Identifier: LGPL-2.1-or-later
#include "json/writer.h"

#include <math.h>
#include <string.h>
#include <yyjson.h>

#include "base/utf8.h"

static void must(bool kept, const char *rule)
{
	if (kept)
		return;
	fprintf(stderr, "ktstr: json writer: %s\n", rule);
	abort();
}

struct json_writer json_writer_to(struct strbuf *out, enum json_style style)
{
	return (struct json_writer){ .out = out, .style = style };
}

static void new_line(struct json_writer *w)
{
	if (w->style == JSON_COMPACT)
		return;
	strbuf_append_char(w->out, '\n');
	strbuf_append_repeated(w->out, ' ', 2 * (size_t)(w->outer_levels + w->depth_));
}

static void next_place(struct json_writer *w)
{
	if (w->open_[w->depth_ - 1].filled)
		strbuf_append_char(w->out, ',');
	w->open_[w->depth_ - 1].filled = true;
	new_line(w);
}

static void before_value(struct json_writer *w)
{
	if (w->depth_ == 0)
		return;
	if (w->open_[w->depth_ - 1].object) {
		must(w->after_key_, "a value in an object needs a key");
		w->after_key_ = false;
		return;
	}
	next_place(w);
}

static void begin(struct json_writer *w, bool object)
{
	before_value(w);
	must(w->depth_ < JSON_LIMIT_NESTING, "too many nested containers");
	strbuf_append_char(w->out, object ? '{' : '[');
	w->open_[w->depth_].object = object;
	w->open_[w->depth_++].filled = false;
}

static void end(struct json_writer *w, bool object)
{
	must(w->depth_ && w->open_[w->depth_ - 1].object == object && !w->after_key_,
	     "an end without its begin");
	if (w->open_[--w->depth_].filled)
		new_line(w);
	strbuf_append_char(w->out, object ? '}' : ']');
}

void json_begin_object(struct json_writer *w)
{
	begin(w, true);
}

void json_end_object(struct json_writer *w)
{
	end(w, true);
}

void json_begin_array(struct json_writer *w)
{
	begin(w, false);
}

void json_end_array(struct json_writer *w)
{
	end(w, false);
}

void json_open_object(struct json_writer *w, const char *key)
{
	json_key(w, key);
	begin(w, true);
}

void json_open_array(struct json_writer *w, const char *key)
{
	json_key(w, key);
	begin(w, false);
}

void json_end_document(struct json_writer *w)
{
	while (w->depth_)
		end(w, w->open_[w->depth_ - 1].object);
	strbuf_append_char(w->out, '\n');
}

static void append_escape(struct strbuf *out, unsigned char c)
{
	static const char short_escapes[] = {
		['"'] = '"',  ['\\'] = '\\', ['\b'] = 'b', ['\f'] = 'f',
		['\n'] = 'n', ['\r'] = 'r',  ['\t'] = 't',
	};

	if (c < sizeof(short_escapes) && short_escapes[c])
		strbuf_appendf(out, "\\%c", short_escapes[c]);
	else
		strbuf_appendf(out, "\\u%04x", c);
}

/* How many bytes at the beginning need no escape; nearly always all of them. */
static size_t plain_run(const char *bytes, size_t n)
{
	size_t i = 0;

	while (i < n && bytes[i] >= 0x20 && bytes[i] < 0x7f && bytes[i] != '"' && bytes[i] != '\\')
		i++;
	return i;
}

static void append_quoted(struct strbuf *out, const char *bytes, size_t n)
{
	strbuf_append_char(out, '"');
	while (n) {
		size_t plain = plain_run(bytes, n), length;
		unsigned char c;
		bool valid;

		strbuf_append_bytes(out, bytes, plain);
		bytes += plain;
		n -= plain;
		if (n == 0)
			break;
		c = (unsigned char)bytes[0];
		length = utf8_sequence(bytes, n, &valid);

		if (!valid)
			strbuf_append(out, "\xef\xbf\xbd");
		else if (c < 0x20 || c == '"' || c == '\\')
			append_escape(out, c);
		else
			strbuf_append_bytes(out, bytes, length);
		bytes += length;
		n -= length;
	}
	strbuf_append_char(out, '"');
}

void json_key(struct json_writer *w, const char *key)
{
	json_key_n(w, key, strlen(key));
}

void json_key_n(struct json_writer *w, const char *key, size_t n)
{
	must(w->depth_ && w->open_[w->depth_ - 1].object && !w->after_key_,
	     "a key is only valid in an object, before its value");
	next_place(w);
	append_quoted(w->out, key, n);
	strbuf_append(w->out, w->style == JSON_PRETTY ? ": " : ":");
	w->after_key_ = true;
}

void json_write_null(struct json_writer *w)
{
	before_value(w);
	strbuf_append(w->out, "null");
}

void json_write_bool(struct json_writer *w, bool value)
{
	before_value(w);
	strbuf_append(w->out, value ? "true" : "false");
}

/* Half of what a snapshot of many threads costs to write would be printf(). */
static void append_number(struct strbuf *out, uint64_t value, bool negative)
{
	char digits[24];
	size_t at = sizeof(digits);

	do {
		digits[--at] = (char)('0' + value % 10);
		value /= 10;
	} while (value);
	if (negative)
		digits[--at] = '-';
	strbuf_append_bytes(out, digits + at, sizeof(digits) - at);
}

void json_write_u64(struct json_writer *w, uint64_t value)
{
	before_value(w);
	append_number(w->out, value, false);
}

void json_write_i64(struct json_writer *w, int64_t value)
{
	before_value(w);
	append_number(w->out, value < 0 ? 0 - (uint64_t)value : (uint64_t)value, value < 0);
}

void json_write_double(struct json_writer *w, double value)
{
	_cleanup_free_ char *text = NULL;
	yyjson_val number = { 0 };
	size_t n;

	if (!isfinite(value)) {
		json_write_null(w);
		return;
	}
	/* printf would follow the locale and does not find the shortest text. */
	unsafe_yyjson_set_real(&number, value);
	text = yyjson_val_write(&number, YYJSON_WRITE_NOFLAG, &n);
	must(text, "out of memory");
	before_value(w);
	strbuf_append_bytes(w->out, text, n);
}

void json_write_string_n(struct json_writer *w, const char *bytes, size_t n)
{
	before_value(w);
	append_quoted(w->out, bytes, n);
}

void json_write_string(struct json_writer *w, const char *bytes)
{
	json_write_string_n(w, bytes, strlen(bytes));
}

void json_write_number_text(struct json_writer *w, struct json_text number)
{
	before_value(w);
	strbuf_append_bytes(w->out, number.at, number.n);
}

void json_add_bool(struct json_writer *w, const char *key, bool value)
{
	json_key(w, key);
	json_write_bool(w, value);
}

void json_add_u64(struct json_writer *w, const char *key, uint64_t value)
{
	json_key(w, key);
	json_write_u64(w, value);
}

void json_add_i64(struct json_writer *w, const char *key, int64_t value)
{
	json_key(w, key);
	json_write_i64(w, value);
}

void json_add_double(struct json_writer *w, const char *key, double value)
{
	if (!isfinite(value))
		return;
	json_key(w, key);
	json_write_double(w, value);
}

void json_add_string(struct json_writer *w, const char *key, const char *bytes)
{
	if (!bytes)
		return;
	json_key(w, key);
	json_write_string(w, bytes);
}
