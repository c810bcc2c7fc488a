// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/rerun/rerun.h"

#include <inttypes.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/io.h"
#include "base/slice.h"
#include "harness/job.h"
#include "result/run_dir.h"
#include "text/terminal.h"

enum { PAGES_BYTES = 64 << 20 };

/* The frames of a record, or why they cannot be read. */
static struct error *read_frames(const char *record, const struct result_run *run,
				 struct result_frames *ret)
{
	_cleanup_free_ char *for_dir = xstrdup(record), *path = NULL;

	if (!run->frames_file)
		return base_error(BASE_ABSENT, 0, "%s does not name a file with its frames",
				  record);
	path = xasprintf("%s/%s", dirname(for_dir), run->frames_file);
	return result_frames_read(path, ret);
}

static void append_frame(const struct result_frames *frames, size_t number, struct strbuf *into)
{
	const struct result_frame *f = &frames->frames.at[number];

	if (number >= frames->frames.n) {
		strbuf_appendf(into, "no frame, it had sent %zu", frames->frames.n);
		return;
	}
	strbuf_appendf(
		into, "%s on channel %u at %" PRIu64 ".%09" PRIu64 " s, %u bytes, hash %016" PRIx64,
		harness_frame_type_name(f->type), f->channel, f->time_ns / NS_PER_SEC,
		f->time_ns % NS_PER_SEC, f->n, f->hash);
}

static void format_difference(const struct result_frames *past, const struct result_frames *now,
			      struct strbuf *into)
{
	size_t number = 0;

	if (!result_frames_find_difference(past, now, &number)) {
		strbuf_appendf(into, "the first %zu frames are the same", past->frames.n);
		return;
	}
	strbuf_appendf(into, "frame %zu is the first that differs\n  was: ", number);
	append_frame(past, number, into);
	strbuf_append(into, "\n  is:  ");
	append_frame(now, number, into);
}

static void explain_difference(const char *past_path, const struct result_run *past,
			       const char *now_path, const struct result_run *now,
			       struct strbuf *into)
{
	_cleanup_result_frames_ struct result_frames was = { 0 }, is = { 0 };
	_cleanup_error_ struct error *err = read_frames(past_path, past, &was);

	strbuf_appendf(into, "digest %s, was %s; ", now->digest, past->digest);
	if (past->files_hash && now->files_hash && strcmp(past->files_hash, now->files_hash) != 0)
		strbuf_appendf(into, "files sent into the guest, with libraries: hash %s, was %s; ",
			       now->files_hash, past->files_hash);
	if (!err)
		err = read_frames(now_path, now, &is);
	if (!err) {
		format_difference(&was, &is, into);
		return;
	}
	strbuf_append(into, "the first difference is not known: ");
	text_escape(into, error_message(err));
}

static struct error *read_pages(const char *record, struct strbuf *into)
{
	size_t tail = strlen(RESULT_RECORD_FILE_TAIL), n = strlen(record);
	_cleanup_free_ char *path = NULL;

	n -= n > tail ? tail : 0;
	path = xasprintf("%.*s.kept/" HARNESS_KEPT_PAGES, (int)n, record);
	return io_read_regular(path, 0, PAGES_BYTES, into);
}

/* A line is an address, a hash and an owner. */
struct page_line {
	struct slice line;
	uint64_t address;
};

static bool next_page(struct slice *rest, struct page_line *ret)
{
	char *end;

	if (!slice_take_line(rest, &ret->line))
		return false;
	/* Not sscanf(), which looks for the end of the whole text each time. */
	ret->address = strtoull(ret->line.at, &end, 16);
	return end > ret->line.at && end < ret->line.at + ret->line.n;
}

/* Both are sorted. Returns how many differ; *ret is the first of them. */
static size_t compare_pages(const struct strbuf *was, const struct strbuf *is, struct slice *ret)
{
	struct slice a = slice_of(strbuf_str(was)), b = slice_of(strbuf_str(is));
	struct page_line x, y;
	bool has_x = next_page(&a, &x), has_y = next_page(&b, &y);
	size_t n = 0;

	while (has_x || has_y) {
		bool take_x = has_x && (!has_y || x.address <= y.address);
		bool take_y = has_y && (!has_x || y.address <= x.address);
		bool same = take_x && take_y && x.line.n == y.line.n &&
			    memcmp(x.line.at, y.line.at, x.line.n) == 0;

		if (!same && n++ == 0)
			*ret = take_x ? x.line : y.line;
		if (take_x)
			has_x = next_page(&a, &x);
		if (take_y)
			has_y = next_page(&b, &y);
	}
	return n;
}

/* Nothing where a side has kept none. True: there is a difference. */
static bool explain_pages(const char *past_path, const char *now_path, struct strbuf *into)
{
	_cleanup_strbuf_ struct strbuf was = STRBUF_INIT, is = STRBUF_INIT;
	_cleanup_error_ struct error *err = read_pages(past_path, &was);
	struct slice first = { 0 };
	size_t n;

	if (!err)
		err = read_pages(now_path, &is);
	n = err ? 0 : compare_pages(&was, &is, &first);
	if (!n)
		return false;
	strbuf_appendf(into, "\n  pages of memory that differ: %zu, the first: ", n);
	text_escape_bytes(into, first.at, first.n);
	return true;
}

/* Pass or fail, and why. */
static bool has_same_verdict(const struct result_run *past, const struct result_run *now)
{
	return past->state == now->state && past->verdict == now->verdict &&
	       past->reason == now->reason;
}

static const char *verdict_of(const struct result_run *run)
{
	return run->state == RESULT_FINISHED ? result_verdict_name(run->verdict) : "unfinished";
}

enum identity identity_compare(const char *past_path, const struct result_run *past,
			       const char *now_path, const struct result_run *now,
			       struct strbuf *into)
{
	_cleanup_strbuf_ struct strbuf pages = STRBUF_INIT;
	bool same, same_pages;

	if (!past->digest || !now->digest) {
		strbuf_appendf(into, "cannot be compared: %s has no digest\n",
			       past->digest ? "this run" : "the record");
		return IDENTITY_UNKNOWN;
	}
	same = strcmp(past->digest, now->digest) == 0;
	same_pages = !explain_pages(past_path, now_path, &pages);
	if (same && same_pages && has_same_verdict(past, now)) {
		strbuf_appendf(into, "identical to the bit: digest %s, %s\n", now->digest,
			       verdict_of(now));
		return IDENTITY_SAME;
	}
	strbuf_append(into, "not identical: ");
	if (!has_same_verdict(past, now))
		strbuf_appendf(into, "%s, was %s; ", verdict_of(now), verdict_of(past));
	if (same)
		strbuf_append(into, "but the guest sent the same");
	else
		explain_difference(past_path, past, now_path, now, into);
	strbuf_append(into, strbuf_str(&pages));
	strbuf_append_char(into, '\n');
	return IDENTITY_DIFFERENT;
}
