/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Frames over a byte stream. A sender numbers what it appends; a receiver is fed bytes
 * as they come and hands out whole frames, each checked: sums, session, order, type.
 *
 *	wire_receiver_feed(&r, bytes, n);
 *	while (!(err = wire_receiver_take(&r, &frame, &got)) && got)
 *		use(&frame);
 *
 * After an error the receiver can go on: it looks for the next header that stands
 * up to its checksum. Whether an error is the end of the session is the caller's choice.
 */
#ifndef KTSTR_WIRE_FRAME_H
#define KTSTR_WIRE_FRAME_H

#include "base/bytes.h"
#include "base/strbuf.h"
#include "wire/error.h"
#include "wire/limits.h"
#include "wire/type.h"

struct wire_frame {
	enum wire_type type;
	uint32_t session;
	uint32_t channel;
	uint64_t sequence;
	uint64_t time_ns;     /* sender's CLOCK_MONOTONIC */
	struct bytes payload; /* borrowed from the receiver until it is fed again */
};

struct wire_counters {
	uint64_t frames[WIRE_N_TYPES];
	uint64_t payload_bytes[WIRE_N_TYPES];
	uint64_t errors[WIRE_N_ERROR_KINDS]; /* receivers only; by enum wire_error_kind */
	uint64_t skipped_bytes;		     /* between an error and the next good header */
};

struct wire_sender {
	uint32_t session;
	uint64_t next_sequence;
	struct wire_counters counters;
};

/* Sequence 0 again; the counters go on. */
void wire_sender_begin(struct wire_sender *sender, uint32_t session);
/* A payload past WIRE_PAYLOAD_MAX is WIRE_BAD_LENGTH, and nothing is appended. */
struct error *wire_send_append(struct wire_sender *sender, enum wire_type type, uint32_t channel,
			       uint64_t time_ns, const void *payload, size_t n,
			       struct strbuf *out) MUST_CHECK;

struct wire_receiver {
	enum wire_side side; /* ours */
	bool in_session;
	uint32_t session;
	uint64_t next_sequence;
	bool out_of_step; /* told already; looking for a header */
	struct strbuf buffer;
	size_t taken; /* bytes of the buffer that are done with */
	struct wire_counters counters;
};

/* A guest's receiver waits for a HELLO, a host's for wire_receiver_begin(). */
void wire_receiver_init(struct wire_receiver *receiver, enum wire_side side);
void wire_receiver_deinit(struct wire_receiver *receiver);
/* The host has sent HELLO: only frames of this session count, from sequence 0. */
void wire_receiver_begin(struct wire_receiver *receiver, uint32_t session);
/* Take all frames before the next feed: the buffer grows by what is left. */
void wire_receiver_feed(struct wire_receiver *receiver, const void *bytes, size_t n);
/*
 * *ret_got is false when more bytes are needed. Frames of other sessions are dropped
 * and counted, not errors: they are what a clone's first host has to expect. To a
 * guest's receiver a HELLO with sequence 0 begins a session at any time.
 */
struct error *wire_receiver_take(struct wire_receiver *receiver, struct wire_frame *ret,
				 bool *ret_got) MUST_CHECK;

#endif
