// SPDX-License-Identifier: GPL-2.0-or-later
/* covers: src/result/frames.c */
/*
 * Any bytes as the frames of a run. What is accepted is written as the same bytes again, and does
 * not differ from itself.
 */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "result/frames.h"
#include "result/limits.h"

/* The same frames one by one, and then without the last, and with another last one. */
static void compare(const struct result_frames *frames)
{
	_cleanup_result_frames_ struct result_frames other = { 0 };
	size_t n = frames->frames.n, at = 0;

	for (size_t i = 0; i < n; i++)
		result_frames_add(&other, &frames->frames.at[i]);
	if (result_frames_find_difference(frames, &other, &at))
		abort();
	if (n == 0)
		return;
	other.frames.at[n - 1].time_ns++;
	if (!result_frames_find_difference(frames, &other, &at) || at != n - 1)
		abort();
	other.frames.n--;
	if (!result_frames_find_difference(&other, frames, &at) || at != n - 1)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	_cleanup_result_frames_ struct result_frames frames = { 0 };
	_cleanup_error_ struct error *err = result_frames_parse((const char *)data, n, "fuzz",
								&frames);
	_cleanup_strbuf_ struct strbuf again = STRBUF_INIT;

	if (err) {
		/* A line after the first was refused. */
		if (strstr(error_message(err), "frame"))
			fuzz_mark_deep();
		if (frames.frames.at)
			abort();
		return 0;
	}
	fuzz_mark_deep();
	if (frames.frames.n > RESULT_LIMIT_FRAMES || frames.n_sent < frames.frames.n)
		abort();
	compare(&frames);
	result_frames_format(&frames, &again);
	if (again.n != n || memcmp(again.at, data, n) != 0)
		abort();
	return 0;
}
