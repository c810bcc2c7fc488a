/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Frames on their way to the host: queued whole, written as the channel takes them. */
#ifndef KTSTR_AGENT_OUTPUT_H
#define KTSTR_AGENT_OUTPUT_H

#include "wire/frame.h"

/* A channel that takes every byte at once. */
typedef void agent_sink(const void *bytes, size_t n);

struct agent_output {
	int fd;		  /* does not block; not used with a sink */
	agent_sink *sink; /* or NULL */
	struct wire_sender sender;
	struct strbuf pending;
	size_t written; /* of pending */
};

void agent_output_deinit(struct agent_output *out);
/* n is at most WIRE_PAYLOAD_MAX; what is longer is cut. */
void agent_output_send(struct agent_output *out, enum wire_type type, uint32_t channel,
		       const void *payload, size_t n);
void agent_output_send_buf(struct agent_output *out, enum wire_type type, uint32_t channel,
			   const struct strbuf *payload);
void agent_output_log(struct agent_output *out, uint32_t channel, const char *fmt, ...)
	PRINTF_LIKE(3, 4);
/* A FAILED frame; takes the error. */
void agent_output_fail(struct agent_output *out, uint32_t channel, struct error *err);

size_t agent_output_unsent(const struct agent_output *out);
/* As much as goes without waiting. A channel that is gone is AGENT_SYSTEM. */
struct error *agent_output_flush(struct agent_output *out) MUST_CHECK;
/* Waits for the channel, but not past the limit. */
struct error *agent_output_drain(struct agent_output *out, int limit_ms) MUST_CHECK;

#endif
