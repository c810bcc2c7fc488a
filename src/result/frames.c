// SPDX-License-Identifier: LGPL-2.1-or-later
#include "result/frames.h"

#include <inttypes.h>

#include "base/alloc.h"
#include "base/slice.h"
#include "result/limits.h"

#define HEADER "ktstr-frames 1"

enum { HASH_CHARS = 16 };

void result_frames_deinit(struct result_frames *frames)
{
	vec_deinit(&frames->frames);
	*frames = (struct result_frames){ 0 };
}

void result_frames_add(struct result_frames *frames, const struct result_frame *frame)
{
	if (frames->frames.n < RESULT_LIMIT_FRAMES)
		vec_push(&frames->frames, *frame);
	frames->n_sent++;
}

void result_frames_format(const struct result_frames *frames, struct strbuf *into)
{
	strbuf_append(into, HEADER "\n");
	for (size_t i = 0; i < frames->frames.n; i++) {
		const struct result_frame *f = &frames->frames.at[i];

		strbuf_appendf(into, "%zu %u %u %" PRIu64 " %u %016" PRIx64 "\n", i, f->type,
			       f->channel, f->time_ns, f->n, f->hash);
	}
	strbuf_appendf(into, "end %" PRIu64 " %016" PRIx64 "\n", frames->n_sent, frames->digest);
}

/* One blank between two words, so that a text has one form only. */
static bool take_number(struct slice *rest, uint64_t max, uint64_t *ret)
{
	struct slice word;

	if (!slice_take_until(rest, ' ', &word) || !slice_u64(word, ret) || *ret > max)
		return false;
	/* "0", but not "00". */
	return word.n == 1 || word.at[0] != '0';
}

/* Exactly so many digits, the last word of its line. */
static bool take_hash(struct slice *rest, uint64_t *ret)
{
	uint64_t value = 0;

	if (rest->n != HASH_CHARS)
		return false;
	for (size_t i = 0; i < HASH_CHARS; i++) {
		char c = rest->at[i];
		unsigned int digit = c >= '0' && c <= '9'   ? (unsigned int)(c - '0')
				     : c >= 'a' && c <= 'f' ? (unsigned int)(c - 'a') + 10
							    : 16;

		if (digit > 15)
			return false;
		value = value << 4 | digit;
	}
	*rest = (struct slice){ rest->at + rest->n, 0 };
	*ret = value;
	return true;
}

static bool read_frame(struct slice line, size_t number, struct result_frame *ret)
{
	uint64_t at, type, channel, n;

	if (!take_number(&line, UINT64_MAX, &at) || at != number ||
	    !take_number(&line, UINT32_MAX, &type) || !take_number(&line, UINT32_MAX, &channel) ||
	    !take_number(&line, UINT64_MAX, &ret->time_ns) || !take_number(&line, UINT32_MAX, &n) ||
	    !take_hash(&line, &ret->hash))
		return false;
	ret->type = (uint32_t)type;
	ret->channel = (uint32_t)channel;
	ret->n = (uint32_t)n;
	return true;
}

/* All frames have lines, or as many as may have one. */
static bool read_end(struct slice line, struct result_frames *frames)
{
	size_t n = frames->frames.n;

	line = (struct slice){ line.at + strlen("end "), line.n - strlen("end ") };
	return take_number(&line, UINT64_MAX, &frames->n_sent) &&
	       take_hash(&line, &frames->digest) &&
	       (frames->n_sent == n || (frames->n_sent > n && n == RESULT_LIMIT_FRAMES));
}

static struct error *bad_line(const char *label, size_t number, const char *what)
{
	return base_error(BASE_PARSE, 0, "%s: line %zu is not %s", label, number, what);
}

struct error *result_frames_parse(const char *text, size_t n, const char *label,
				  struct result_frames *ret)
{
	_cleanup_result_frames_ struct result_frames frames = { 0 };
	struct slice rest = { text, n }, line;

	if (!slice_take_line(&rest, &line) || !slice_equal(line, HEADER))
		return bad_line(label, 1, "\"" HEADER "\"");
	while (slice_take_line(&rest, &line)) {
		struct result_frame frame;

		if (slice_starts_with(line, "end "))
			break;
		if (frames.frames.n == RESULT_LIMIT_FRAMES)
			return base_error(BASE_LIMIT, 0, "%s has more than %d frames", label,
					  RESULT_LIMIT_FRAMES);
		if (!read_frame(line, frames.frames.n, &frame))
			return bad_line(label, frames.frames.n + 2, "a frame");
		vec_push(&frames.frames, frame);
	}
	/* The last byte is a newline: a file that was cut is not taken for a whole one. */
	if (!slice_starts_with(line, "end ") || !read_end(line, &frames) || rest.n ||
	    text[n - 1] != '\n')
		return bad_line(label, frames.frames.n + 2, "the end of all frames");
	*ret = frames;
	frames = (struct result_frames){ 0 };
	return NULL;
}

static bool is_same(const struct result_frame *a, const struct result_frame *b)
{
	return a->time_ns == b->time_ns && a->hash == b->hash && a->type == b->type &&
	       a->channel == b->channel && a->n == b->n;
}

bool result_frames_find_difference(const struct result_frames *a, const struct result_frames *b,
				   size_t *ret_number)
{
	size_t n = a->frames.n < b->frames.n ? a->frames.n : b->frames.n;

	for (size_t i = 0; i < n; i++)
		if (!is_same(&a->frames.at[i], &b->frames.at[i])) {
			*ret_number = i;
			return true;
		}
	if (a->frames.n == b->frames.n)
		return false;
	*ret_number = n;
	return true;
}
