// SPDX-License-Identifier: GPL-2.0-or-later
/* covers: src/wire/frame.c src/wire/message.c src/wire/type.c */
/*
 * A stream made of records, since no fuzzer guesses a checksum:
 *
 *	u8 how: whose end we are (bit 0), size of the pieces the stream is fed in (the rest)
 *	then records: u8 kind
 *	kind % 8 == 0   u8 n, n bytes as they are
 *	otherwise       u8 type, u8 damage, u8 sequence ahead, u16 n, n bytes of payload
 *
 * Damage changes one field of the header; its checksum is right all the same, except for
 * damage 7. What a decoder accepts must encode to the same bytes.
 */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "wire/crc32c.h"
#include "wire/frame.h"
#include "wire/message.h"

#define MUST(condition)           \
	do {                      \
		if (!(condition)) \
			abort();  \
	} while (0)

static void put(uint8_t *header, size_t offset, uint64_t value, size_t width)
{
	for (size_t i = 0; i < width; i++)
		header[offset + i] = (uint8_t)(value >> (8 * i));
}

static void append_frame(struct cursor *in, uint64_t *sequence, struct strbuf *stream)
{
	uint8_t header[WIRE_HEADER_BYTES] = { 0 };
	unsigned int type = cursor_u8(in) % (WIRE_N_TYPES + 1);
	unsigned int damage = cursor_u8(in) % 32;
	uint64_t number = *sequence + (uint64_t)(int64_t)(int8_t)cursor_u8(in);
	size_t n = cursor_u16(in);
	const uint8_t *payload;

	n = n < cursor_left(in) ? n : cursor_left(in);
	payload = cursor_take(in, n);
	if (!payload)
		return;
	put(header, 0, WIRE_MAGIC + (damage == 1), 4);
	put(header, 4, WIRE_FRAME_VERSION + (damage == 2), 2);
	put(header, 6, type < WIRE_N_TYPES ? wire_type_number((enum wire_type)type) : 0xbad, 2);
	put(header, 8, 5 + (damage == 3), 4);
	put(header, 16, damage == 4 ? WIRE_PAYLOAD_MAX + 1 : damage == 8 ? n + 9 : n, 4);
	put(header, 20, wire_crc32c(damage == 5, payload, n), 4);
	put(header, 24, number, 8);
	put(header, 40, damage == 6, 4);
	put(header, 44, wire_crc32c(damage == 7, header, 44), 4);
	*sequence = number + 1;
	strbuf_append_bytes(stream, header, sizeof(header));
	strbuf_append_bytes(stream, payload, n);
}

#define WIRE_MESSAGE(name, fields)                                           \
	static void try_##name(struct bytes payload, struct strbuf *again)   \
	{                                                                    \
		struct wire_##name message;                                  \
		struct error *err = wire_##name##_decode(payload, &message); \
                                                                             \
		strbuf_clear(again);                                         \
		if (!err) {                                                  \
			wire_##name##_encode(&message, again);               \
			MUST(again->n == payload.n);                         \
			MUST(memcmp(again->at, payload.at, payload.n) == 0); \
		}                                                            \
		error_free(err);                                             \
	}
#include "wire/messages.def"
#undef WIRE_MESSAGE

static void try_run(struct bytes payload, struct strbuf *again)
{
	struct wire_run run = { 0 };
	struct error *err = wire_run_decode(payload, &run);

	strbuf_clear(again);
	if (!err) {
		MUST(run.n_argv > 0 && !run.argv[run.n_argv] && !run.env[run.n_env]);
		wire_run_encode(&run, again);
		MUST(again->n == payload.n);
		MUST(memcmp(again->at, payload.at, payload.n) == 0);
	}
	error_free(err);
	wire_run_deinit(&run);
}

static void try_all(struct bytes payload, struct strbuf *again)
{
#define WIRE_MESSAGE(name, fields) try_##name(payload, again);
#include "wire/messages.def"
#undef WIRE_MESSAGE
	try_run(payload, again);
}

/* The same frames through a sender, as far as one would send them. */
static void send_again(const struct wire_frame *frame, struct wire_sender *sender,
		       struct strbuf *again)
{
	struct error *err;

	strbuf_clear(again);
	wire_sender_begin(sender, frame->session);
	sender->next_sequence = frame->sequence;
	err = wire_send_append(sender, frame->type, frame->channel, frame->time_ns,
			       frame->payload.at, frame->payload.n, again);
	MUST(!err);
	MUST(again->n == WIRE_HEADER_BYTES + frame->payload.n);
	MUST(memcmp(again->at, frame->payload.at - WIRE_HEADER_BYTES, again->n) == 0);
	MUST(strlen(wire_type_name(frame->type)) > 0);
}

static bool take_all(struct wire_receiver *receiver, struct strbuf *again)
{
	struct wire_sender sender = { 0 };
	struct wire_frame frame;
	struct error *err;
	bool got, any = false;

	/* Every error gives up at least a byte, every frame a header. */
	for (size_t steps = 0; steps <= 4 * receiver->buffer.n + 4; steps++) {
		err = wire_receiver_take(receiver, &frame, &got);
		if (err) {
			error_free(err);
			continue;
		}
		if (!got)
			return any;
		any = true;
		MUST(frame.payload.n <= WIRE_PAYLOAD_MAX);
		MUST(frame.session == receiver->session);
		MUST(frame.sequence + 1 == receiver->next_sequence);
		MUST(wire_type_sender(frame.type) != receiver->side);
		send_again(&frame, &sender, again);
		try_all(frame.payload, again);
	}
	abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct cursor in = cursor_over((struct bytes){ data, n });
	unsigned int how = cursor_u8(&in);
	size_t piece = (how >> 1) * 16 + 1;
	_cleanup_strbuf_ struct strbuf stream = STRBUF_INIT, again = STRBUF_INIT;
	struct wire_receiver receiver;
	uint64_t sequence = 0;
	bool any = false;

	while (cursor_left(&in)) {
		if (cursor_u8(&in) % 8) {
			append_frame(&in, &sequence, &stream);
		} else {
			size_t raw = cursor_u8(&in);

			raw = raw < cursor_left(&in) ? raw : cursor_left(&in);
			if (raw)
				strbuf_append_bytes(&stream, cursor_take(&in, raw), raw);
		}
	}
	wire_receiver_init(&receiver, how & 1 ? WIRE_GUEST : WIRE_HOST);
	if (!(how & 1))
		wire_receiver_begin(&receiver, 5);
	for (size_t at = 0; at < stream.n; at += piece) {
		wire_receiver_feed(&receiver, stream.at + at,
				   stream.n - at < piece ? stream.n - at : piece);
		any |= take_all(&receiver, &again);
	}
	if (any)
		fuzz_mark_deep();
	wire_receiver_deinit(&receiver);
	return 0;
}
