/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a host would have heard: an output whose frames are taken apart again. */
#ifndef KTSTR_TESTS_UNIT_AGENT_HEARD_H
#define KTSTR_TESTS_UNIT_AGENT_HEARD_H

#include "agent/agent.h"
#include "base/alloc.h"
#include "unit.h"
#include "wire/message.h"

enum { HEARD_MAX = 4096 };

struct heard {
	struct agent_output out;
	struct wire_receiver receiver;
	enum wire_type types[HEARD_MAX]; /* of all frames, in order */
	uint32_t channels[HEARD_MAX];
	bool empty[HEARD_MAX];
	size_t n;
	struct strbuf stdout_bytes, stderr_bytes, report_bytes;
	unsigned int stdout_ends, stderr_ends, report_ends;
	unsigned int windows;
	size_t window_bytes; /* granted in all */
	struct wire_exited exited;
	char failed_tag[64];
	char failed_text[512];
	struct wire_settled settled;
	struct wire_ready ready;
	pid_t pids[16]; /* of STARTED */
	size_t n_pids;
};

static inline void heard_begin(struct heard *h)
{
	memset(h, 0, sizeof(*h));
	h->out.fd = -1;
	wire_receiver_init(&h->receiver, WIRE_HOST);
	wire_receiver_begin(&h->receiver, 0);
}

static inline void heard_end(struct heard *h)
{
	agent_output_deinit(&h->out);
	wire_receiver_deinit(&h->receiver);
	strbuf_deinit(&h->stdout_bytes);
	strbuf_deinit(&h->stderr_bytes);
	strbuf_deinit(&h->report_bytes);
}

static inline void heard_frame(struct heard *h, const struct wire_frame *frame)
{
	struct wire_window window;
	struct wire_failed failed;
	struct wire_started started;

	assert_true(h->n < HEARD_MAX);
	/* Nothing of a stream comes after its end. */
	for (size_t i = 0; i < h->n && (frame->type == WIRE_STDOUT || frame->type == WIRE_STDERR ||
					frame->type == WIRE_REPORT);
	     i++)
		assert_false(h->empty[i] && h->types[i] == frame->type &&
			     h->channels[i] == frame->channel);
	h->empty[h->n] = frame->payload.n == 0;
	h->channels[h->n] = frame->channel;
	h->types[h->n++] = frame->type;
	switch (frame->type) {
	case WIRE_STDOUT:
		h->stdout_ends += frame->payload.n == 0;
		strbuf_append_bytes(&h->stdout_bytes, frame->payload.at, frame->payload.n);
		break;
	case WIRE_STDERR:
		h->stderr_ends += frame->payload.n == 0;
		strbuf_append_bytes(&h->stderr_bytes, frame->payload.at, frame->payload.n);
		break;
	case WIRE_REPORT:
		h->report_ends += frame->payload.n == 0;
		strbuf_append_bytes(&h->report_bytes, frame->payload.at, frame->payload.n);
		break;
	case WIRE_STARTED:
		assert_success(wire_started_decode(frame->payload, &started));
		if (h->n_pids < ARRAY_SIZE(h->pids))
			h->pids[h->n_pids++] = (pid_t)started.pid;
		break;
	case WIRE_WINDOW:
		assert_success(wire_window_decode(frame->payload, &window));
		h->windows++;
		h->window_bytes += window.bytes;
		break;
	case WIRE_EXITED:
		assert_success(wire_exited_decode(frame->payload, &h->exited));
		break;
	case WIRE_FAILED:
		assert_success(wire_failed_decode(frame->payload, &failed));
		snprintf(h->failed_tag, sizeof(h->failed_tag), "%s", failed.tag);
		snprintf(h->failed_text, sizeof(h->failed_text), "%s", failed.text);
		break;
	case WIRE_SETTLED:
		assert_success(wire_settled_decode(frame->payload, &h->settled));
		break;
	case WIRE_READY:
		assert_success(wire_ready_decode(frame->payload, &h->ready));
		h->ready.release = NULL; /* was the frame's */
		break;
	default:
		break;
	}
}

/* All that was sent so far. */
static inline void heard_listen(struct heard *h)
{
	struct wire_frame frame;
	bool got;

	wire_receiver_feed(&h->receiver, h->out.pending.at, h->out.pending.n);
	strbuf_clear(&h->out.pending);
	for (;;) {
		assert_success(wire_receiver_take(&h->receiver, &frame, &got));
		if (!got)
			return;
		heard_frame(h, &frame);
	}
}

#endif
