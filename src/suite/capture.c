// SPDX-License-Identifier: LGPL-2.1-or-later
#include "suite/metrics.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define CAPTURE_CHUNK ((size_t)64 << 10)

void suite_capture_init(struct suite_capture *capture, size_t limit)
{
	*capture = (struct suite_capture){ .limit = limit };
}

void suite_capture_deinit(struct suite_capture *capture)
{
	free(capture->at);
	*capture = (struct suite_capture){ 0 };
}

static size_t min_size(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Room for `more` bytes and a NUL. No memory is like the limit: the rest is counted and dropped. */
static void reserve(struct suite_capture *capture, size_t more)
{
	size_t wanted = min_size(capture->limit, capture->n + more);
	size_t capacity = capture->capacity ? capture->capacity : CAPTURE_CHUNK;
	char *grown;

	if (wanted < capture->capacity)
		return;
	while (capacity <= wanted)
		capacity *= 2;
	grown = realloc(capture->at, capacity);
	if (!grown) {
		capture->limit = capture->capacity ? capture->capacity - 1 : 0;
		return;
	}
	capture->at = grown;
	capture->capacity = capacity;
}

static void remember_last(struct suite_capture *capture, const char *bytes, size_t n)
{
	size_t kept;

	if (n >= sizeof(capture->last)) {
		memcpy(capture->last, bytes + n - sizeof(capture->last), sizeof(capture->last));
		capture->n_last = sizeof(capture->last);
		return;
	}
	kept = min_size(capture->n_last, sizeof(capture->last) - n);
	memmove(capture->last, capture->last + capture->n_last - kept, kept);
	memcpy(capture->last + kept, bytes, n);
	capture->n_last = kept + n;
}

static void keep(struct suite_capture *capture, const char *bytes, size_t n)
{
	size_t kept;

	reserve(capture, n);
	kept = min_size(n, capture->limit - capture->n);
	if (kept) {
		memcpy(capture->at + capture->n, bytes, kept);
		capture->n += kept;
		capture->at[capture->n] = '\0';
	}
	if (kept < n)
		remember_last(capture, bytes + kept, n - kept);
	capture->total += n;
}

enum suite_capture_state suite_capture_take(struct suite_capture *capture, int fd, size_t at_most)
{
	char chunk[CAPTURE_CHUNK];
	ssize_t n;

	do
		n = read(fd, chunk, min_size(at_most, sizeof(chunk)));
	while (n < 0 && errno == EINTR);
	if (n < 0 && errno == EAGAIN)
		return SUITE_CAPTURE_NOTHING_YET;
	if (n <= 0)
		return SUITE_CAPTURE_ENDED;
	keep(capture, chunk, (size_t)n);
	return SUITE_CAPTURE_TAKEN;
}

void suite_capture_take_rest(struct suite_capture *capture, int fd)
{
	uint64_t end;
	int left = 0;

	if (ioctl(fd, FIONREAD, &left) < 0 || left < 0)
		return;
	end = capture->total + (uint64_t)left;
	while (capture->total < end &&
	       suite_capture_take(capture, fd, (size_t)(end - capture->total)) ==
		       SUITE_CAPTURE_TAKEN)
		;
}

const char *suite_capture_str(const struct suite_capture *capture)
{
	return capture->at ? capture->at : "";
}

uint64_t suite_capture_dropped(const struct suite_capture *capture)
{
	return capture->total - capture->n;
}

void suite_capture_tail(const struct suite_capture *capture, struct strbuf *into)
{
	size_t kept = min_size(capture->n, SUITE_PAYLOAD_TAIL_BYTES - capture->n_last);

	if (kept)
		strbuf_append_bytes(into, capture->at + capture->n - kept, kept);
	strbuf_append_bytes(into, capture->last, capture->n_last);
}
