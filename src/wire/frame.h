/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Frames over a byte stream. A sender numbers what it appends; a receiver is fed bytes
 * as they come and hands out whole frames, each checked: sums, session, order, type.
 *
 *	wire_receiver_feed(&r, bytes, n);
 *	while (!(err = wire_receiver_take(&r, &frame, &got)) && got)
 *		use(&frame);
 *
 * After an error the receiver can go on: it looks for the next header that is valid
 * up to its checksum. Whether an error is the end of the session is the caller's choice.
 */
#ifndef KTSTR_WIRE_FRAME_H
#define KTSTR_WIRE_FRAME_H

#include "base/bytes.h"
#include "base/error.h"
#include "base/macros.h"
#include "base/strbuf.h"

#define WIRE_ERRORS(X)                                                                           \
	X(WIRE_BAD_MAGIC, "wire-magic", "no frame begins at this position of the stream")        \
	X(WIRE_BAD_VERSION, "wire-version", "the other side uses another protocol version")      \
	X(WIRE_BAD_HEADER, "wire-header", "the header's checksum or a reserved field is wrong")  \
	X(WIRE_BAD_LENGTH, "wire-length", "a payload is longer than the protocol allows")        \
	X(WIRE_BAD_PAYLOAD, "wire-payload", "the payload's checksum is wrong")                   \
	X(WIRE_OTHER_SESSION, "wire-session", "a frame of another session was dropped")          \
	X(WIRE_GAP, "wire-gap", "frames are missing")                                            \
	X(WIRE_REORDERED, "wire-reordered", "a frame came late or twice")                        \
	X(WIRE_BAD_TYPE, "wire-type", "the frame's type is unknown or not the sender's to send") \
	X(WIRE_MALFORMED, "wire-malformed", "a message does not have the form of its type")
DECLARE_ERROR_DOMAIN(wire, WIRE, WIRE_ERRORS);

/* What the protocol allows; docs/PROTOCOL.md gives the same numbers. */

enum {
	WIRE_PROTOCOL = 1,		/* HELLO and READY */
	WIRE_FRAME_VERSION = 1,		/* layout of the header */
	WIRE_HEADER_BYTES = 48,		/* in front of every payload */
	WIRE_PAYLOAD_MAX = 256 * 1024,	/* of one frame */
	WIRE_ARGUMENTS_MAX = 4096,	/* of argv, and again of env */
	WIRE_STDIN_WINDOW = 256 * 1024, /* granted by the first WINDOW */
	WIRE_ENTROPY_BYTES = 32,
	WIRE_NONCE_BYTES = 16,
};

#define WIRE_MAGIC UINT32_C(0x5253544b) /* "KTSR" as it travels */

enum wire_side { WIRE_HOST, WIRE_GUEST };

/* Small and dense, for tables; the number that travels is wire_type_number(). */
enum wire_type {
#define WIRE_TYPE(id, number, word, side) WIRE_##id,
#include "wire/types.def"
#undef WIRE_TYPE
	WIRE_N_TYPES
};

const char *wire_type_name(enum wire_type type);
uint16_t wire_type_number(enum wire_type type);
/* Who sends frames of this type. */
enum wire_side wire_type_sender(enum wire_type type);
/* False and *ret untouched when no type has this number. */
bool wire_type_find(uint16_t number, enum wire_type *ret);

struct wire_frame {
	enum wire_type type;
	uint32_t session;
	uint32_t channel;
	uint64_t sequence;
	uint64_t time_ns;     /* sender's CLOCK_MONOTONIC */
	struct bytes payload; /* borrowed from the receiver until it is fed again */
};

struct wire_sender {
	uint32_t session;
	uint64_t next_sequence;
};

/* Sequence 0 again. */
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
	bool out_of_step; /* reported already; looking for a header */
	struct strbuf buffer;
	size_t taken;		  /* bytes of the buffer that are done with */
	uint64_t n_other_session; /* frames of other sessions, which were dropped */
	uint64_t skipped_bytes;	  /* between an error and the next good header */
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
