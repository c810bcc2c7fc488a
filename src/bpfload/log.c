// SPDX-License-Identifier: LGPL-2.1-or-later
#include "bpfload/log.h"

#include <bpf/libbpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bpfload/limits.h"

static _Thread_local struct strbuf *sink;

static void keep_end(struct strbuf *log)
{
	size_t half = BPFLOAD_LOG_BYTES / 2;

	if (log->n <= BPFLOAD_LOG_BYTES)
		return;
	memmove(log->at, log->at + log->n - half, half);
	log->n = half;
	log->at[half] = '\0';
}

__attribute__((format(printf, 2, 0))) static int keep(enum libbpf_print_level level,
						      const char *format, va_list args)
{
	char *line = NULL;
	int n;

	if (!sink || level == LIBBPF_DEBUG || level == LIBBPF_INFO)
		return 0;
	n = vasprintf(&line, format, args);
	if (n < 0)
		return 0;
	strbuf_append_bytes(sink, line, (size_t)n);
	keep_end(sink);
	free(line);
	return n;
}

void bpfload_log_begin(struct strbuf *into)
{
	/* Global in libbpf, and the same function every time. */
	libbpf_set_print(keep);
	sink = into;
}

void bpfload_log_end(void)
{
	sink = NULL;
}

static bool starts_with(const char *at, size_t n, const char *word)
{
	return n >= strlen(word) && memcmp(at, word, strlen(word)) == 0;
}

static bool ends_with(const char *at, size_t n, const char *word)
{
	return n >= strlen(word) && memcmp(at + n - strlen(word), word, strlen(word)) == 0;
}

/* The verifier's own count of its work says nothing about the refusal. */
static bool is_said(const char *at, size_t n)
{
	return n > 0 && !ends_with(at, n, " LOG --") && !starts_with(at, n, "processed ");
}

void bpfload_log_tail(const char *text, size_t n, struct strbuf *into)
{
	static const char prefix[] = "libbpf: ";
	struct {
		const char *at;
		size_t n;
	} last[BPFLOAD_LOG_LINES];
	size_t seen = 0;

	for (const char *at = text, *end = text + n; at < end;) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		size_t length = (size_t)((newline ? newline : end) - at);
		const char *line = at;

		at += length + 1;
		if (starts_with(line, length, prefix)) {
			line += strlen(prefix);
			length -= strlen(prefix);
		}
		if (!is_said(line, length))
			continue;
		last[seen % BPFLOAD_LOG_LINES].at = line;
		last[seen++ % BPFLOAD_LOG_LINES].n = length;
	}
	for (size_t i = seen > BPFLOAD_LOG_LINES ? seen - BPFLOAD_LOG_LINES : 0; i < seen; i++) {
		if (into->n)
			strbuf_append(into, " | ");
		strbuf_append_bytes(into, last[i % BPFLOAD_LOG_LINES].at,
				    last[i % BPFLOAD_LOG_LINES].n);
	}
}
