// SPDX-License-Identifier: LGPL-2.1-or-later
#include "bpfload/log.h"

#include <bpf/libbpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/slice.h"
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
	if (!sink || level == LIBBPF_DEBUG || level == LIBBPF_INFO)
		return 0;
	strbuf_vappendf(sink, format, args);
	keep_end(sink);
	return 0;
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

/* The verifier's own count of its work says nothing about the refusal. */
static bool is_said(struct slice line)
{
	return line.n > 0 && !slice_ends_with(line, " LOG --") &&
	       !slice_starts_with(line, "processed ");
}

void bpfload_log_tail(const char *text, size_t n, struct strbuf *into)
{
	static const char prefix[] = "libbpf: ";
	struct slice last[BPFLOAD_LOG_LINES], rest = { text, n }, line;
	size_t seen = 0;

	while (slice_take_line(&rest, &line)) {
		if (slice_starts_with(line, prefix))
			line = (struct slice){ line.at + strlen(prefix), line.n - strlen(prefix) };
		if (is_said(line))
			last[seen++ % BPFLOAD_LOG_LINES] = line;
	}
	for (size_t i = seen > BPFLOAD_LOG_LINES ? seen - BPFLOAD_LOG_LINES : 0; i < seen; i++) {
		if (into->n)
			strbuf_append(into, " | ");
		strbuf_append_bytes(into, last[i % BPFLOAD_LOG_LINES].at,
				    last[i % BPFLOAD_LOG_LINES].n);
	}
}
