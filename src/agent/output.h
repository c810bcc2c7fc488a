/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Frames on their way to the host: queued whole, written as the channel takes them. */
#ifndef KTSTR_AGENT_OUTPUT_H
#define KTSTR_AGENT_OUTPUT_H

#include "wire/frame.h"

/* A channel that takes every byte at once. */
typedef void agent_sink(const void *bytes, size_t n);

struct output {
	int fd;		  /* does not block; not used with a sink */
	agent_sink *sink; /* or NULL */
	struct wire_sender sender;
	struct strbuf pending;
	size_t written; /* of pending */
};

void output_deinit(struct output *out);
/* n is at most WIRE_PAYLOAD_MAX; what is longer is cut. */
void output_send(struct output *out, enum wire_type type, uint32_t channel, const void *payload,
		 size_t n);
void output_send_buf(struct output *out, enum wire_type type, uint32_t channel,
		     const struct strbuf *payload);
void output_log(struct output *out, uint32_t channel, const char *fmt, ...) PRINTF_LIKE(3, 4);
/* A FAILED frame; takes the error. */
void output_fail(struct output *out, uint32_t channel, struct error *err);

size_t output_unsent(const struct output *out);
/* As much as goes without waiting. A channel that is gone is AGENT_SYSTEM. */
struct error *output_flush(struct output *out) MUST_CHECK;
/* Waits for the channel, but not past the limit. */
struct error *output_drain(struct output *out, int limit_ms) MUST_CHECK;

#endif
