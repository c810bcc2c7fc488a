// SPDX-License-Identifier: LGPL-2.1-or-later
#include "ctprof/file/load.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "json/doc.h"
#include "json/scan.h"

void ctprof_split_init(struct ctprof_split *split, const struct ctprof_split_callbacks *callbacks)
{
	*split = (struct ctprof_split){ .callbacks = *callbacks, .state = CTPROF_SPLIT_START };
}

void ctprof_split_deinit(struct ctprof_split *split)
{
	strbuf_deinit(&split->text);
	free(split->key);
	free(split->inner);
	*split = (struct ctprof_split){ 0 };
}

static struct error *expected(const struct ctprof_split *split, const char *what, char found)
{
	if (found >= ' ' && found < 0x7f)
		return base_error(BASE_PARSE, 0,
				  "not JSON: expected %s at byte %" PRIu64 ", found '%c'", what,
				  split->bytes, found);
	return base_error(BASE_PARSE, 0, "not JSON: expected %s at byte %" PRIu64, what,
			  split->bytes);
}

/* Text of a key with its quotes becomes the key itself. */
static struct error *take_key(struct ctprof_split *split)
{
	_cleanup_json_doc_ struct json_doc *doc = NULL;
	struct error *err = json_doc_parse(split->text.at, split->text.n, "a key", &doc);
	struct json_text text;
	char **into = split->opened ? &split->inner : &split->key;

	if (err)
		return err;
	text = json_string(json_doc_root(doc));
	free(*into);
	*into = xstrndup(text.at, text.n);
	strbuf_clear(&split->text);
	return NULL;
}

static struct error *give_piece(struct ctprof_split *split)
{
	struct ctprof_split_piece piece = {
		.key = split->key,
		.opened = split->opened,
		.inner = split->opened && split->opened_is_object ? split->inner : NULL,
		.index = split->index,
		.text = &split->text,
	};
	struct error *err = split->callbacks.piece(split->callbacks.arg, &piece);

	strbuf_clear(&split->text);
	split->index++;
	split->state = CTPROF_SPLIT_BEHIND;
	return err;
}

static struct error *close_container(struct ctprof_split *split)
{
	struct error *err = NULL;

	if (!split->opened) {
		split->state = CTPROF_SPLIT_END;
		return NULL;
	}
	split->opened = false;
	split->state = CTPROF_SPLIT_BEHIND;
	if (split->callbacks.opened)
		err = split->callbacks.opened(split->callbacks.arg, split->key,
					      split->opened_is_object);
	return err;
}

static bool in_object(const struct ctprof_split *split)
{
	return !split->opened || split->opened_is_object;
}

static struct error *begin_key(struct ctprof_split *split, char c)
{
	if (c != '"')
		return expected(split, "a key", c);
	split->state = CTPROF_SPLIT_IN_KEY;
	split->in_string = true;
	split->escaped = false;
	split->depth = 0;
	split->limit = CTPROF_LIMIT_KEY_BYTES;
	strbuf_append_char(&split->text, c);
	return NULL;
}

static struct error *begin_value(struct ctprof_split *split, char c)
{
	bool container = c == '{' || c == '[';

	if (!split->opened && container &&
	    split->callbacks.opens(split->callbacks.arg, split->key)) {
		split->opened = true;
		split->opened_is_object = c == '{';
		split->index = 0;
		split->state = CTPROF_SPLIT_FIRST;
		return NULL;
	}
	if (!container && c != '"' && c != '-' && !(c >= '0' && c <= '9') &&
	    !(c >= 'a' && c <= 'z'))
		return expected(split, "a value", c);
	split->limit = split->callbacks.limit(split->callbacks.arg, split->key);
	split->depth = container;
	split->in_string = c == '"';
	split->escaped = false;
	split->state = container  ? CTPROF_SPLIT_IN_CONTAINER
		       : c == '"' ? CTPROF_SPLIT_IN_STRING
				  : CTPROF_SPLIT_IN_SCALAR;
	strbuf_append_char(&split->text, c);
	return NULL;
}

/* A byte between pieces. */
static struct error *take_structure(struct ctprof_split *split, char c)
{
	if (json_is_blank(c))
		return NULL;
	switch (split->state) {
	case CTPROF_SPLIT_START:
		if (c != '{')
			return expected(split, "an object", c);
		split->state = CTPROF_SPLIT_FIRST;
		return NULL;
	case CTPROF_SPLIT_FIRST:
		if (c == (in_object(split) ? '}' : ']'))
			return close_container(split);
		return in_object(split) ? begin_key(split, c) : begin_value(split, c);
	case CTPROF_SPLIT_KEY:
		return begin_key(split, c);
	case CTPROF_SPLIT_COLON:
		if (c != ':')
			return expected(split, "a colon", c);
		split->state = CTPROF_SPLIT_VALUE;
		return NULL;
	case CTPROF_SPLIT_VALUE:
		return begin_value(split, c);
	case CTPROF_SPLIT_BEHIND:
		if (c == (in_object(split) ? '}' : ']'))
			return close_container(split);
		if (c != ',')
			return expected(split, "a comma or the end", c);
		split->state = in_object(split) ? CTPROF_SPLIT_KEY : CTPROF_SPLIT_VALUE;
		return NULL;
	default:
		return expected(split, "nothing more", c);
	}
}

/* Up to where the piece, or the key, goes on in these bytes; *ret_done when it ends there. */
static size_t scan_piece(struct ctprof_split *split, const char *bytes, size_t n, bool *ret_done)
{
	*ret_done = true;
	for (size_t i = 0; i < n; i++) {
		char c = bytes[i];

		if (split->state == CTPROF_SPLIT_IN_SCALAR) {
			if (c == ',' || c == '}' || c == ']' || json_is_blank(c))
				return i;
		} else if (split->escaped) {
			split->escaped = false;
		} else if (split->in_string) {
			split->escaped = c == '\\';
			split->in_string = c != '"';
			if (!split->in_string && split->depth == 0)
				return i + 1;
		} else if (c == '"') {
			split->in_string = true;
		} else if (c == '{' || c == '[') {
			split->depth++;
		} else if (c == '}' || c == ']') {
			if (--split->depth == 0)
				return i + 1;
		}
	}
	*ret_done = false;
	return n;
}

static struct error *take_piece(struct ctprof_split *split, const char *bytes, size_t n,
				size_t *ret_taken)
{
	bool done;

	*ret_taken = scan_piece(split, bytes, n, &done);
	if (*ret_taken > split->limit - split->text.n)
		return base_error(BASE_LIMIT, 0, "%s is longer than %zu bytes",
				  split->state == CTPROF_SPLIT_IN_KEY ? "a key" : split->key,
				  split->limit);
	strbuf_append_bytes(&split->text, bytes, *ret_taken);
	if (!done)
		return NULL;
	if (split->state != CTPROF_SPLIT_IN_KEY)
		return give_piece(split);
	split->state = CTPROF_SPLIT_COLON;
	return take_key(split);
}

struct error *ctprof_split_feed(struct ctprof_split *split, const char *bytes, size_t n)
{
	while (n) {
		struct error *err;
		size_t taken = 1;

		switch (split->state) {
		case CTPROF_SPLIT_IN_KEY:
		case CTPROF_SPLIT_IN_CONTAINER:
		case CTPROF_SPLIT_IN_STRING:
		case CTPROF_SPLIT_IN_SCALAR:
			err = take_piece(split, bytes, n, &taken);
			break;
		default:
			err = take_structure(split, *bytes);
		}
		if (err)
			return err;
		bytes += taken;
		n -= taken;
		split->bytes += taken;
	}
	return NULL;
}

struct error *ctprof_split_finish(struct ctprof_split *split)
{
	if (split->state != CTPROF_SPLIT_END)
		return base_error(BASE_PARSE, 0, "not JSON: it ends after %" PRIu64 " bytes",
				  split->bytes);
	return NULL;
}
