// SPDX-License-Identifier: LGPL-2.1-or-later
#include "wire/frame.h"

#include <endian.h>
#include <inttypes.h>

#include "wire/crc32c.h"

DEFINE_ERROR_DOMAIN(wire, WIRE, WIRE_ERRORS);

/* As it travels, little-endian. */
struct header {
	uint32_t magic;
	uint16_t version;
	uint16_t type;
	uint32_t session;
	uint32_t channel;
	uint32_t length;
	uint32_t payload_crc;
	uint64_t sequence;
	uint64_t time_ns;
	uint32_t reserved;
	uint32_t header_crc;
};
_Static_assert(sizeof(struct header) == WIRE_HEADER_BYTES, "the header has no padding");

enum { HEADER_SUMMED = offsetof(struct header, header_crc) };

void wire_sender_begin(struct wire_sender *sender, uint32_t session)
{
	sender->session = session;
	sender->next_sequence = 0;
}

struct error *wire_send_append(struct wire_sender *sender, enum wire_type type, uint32_t channel,
			       uint64_t time_ns, const void *payload, size_t n, struct strbuf *out)
{
	struct header header = {
		.magic = htole32(WIRE_MAGIC),
		.version = htole16(WIRE_FRAME_VERSION),
		.type = htole16(wire_type_number(type)),
		.session = htole32(sender->session),
		.channel = htole32(channel),
		.length = htole32((uint32_t)n),
		.sequence = htole64(sender->next_sequence),
		.time_ns = htole64(time_ns),
	};

	if (n > WIRE_PAYLOAD_MAX)
		return wire_error(WIRE_BAD_LENGTH, 0, "%s: %zu bytes do not fit into a frame of %d",
				  wire_type_name(type), n, WIRE_PAYLOAD_MAX);
	header.payload_crc = htole32(wire_crc32c(0, payload, n));
	header.header_crc = htole32(wire_crc32c(0, &header, HEADER_SUMMED));
	sender->next_sequence++;
	strbuf_append_bytes(out, &header, sizeof(header));
	if (n)
		strbuf_append_bytes(out, payload, n);
	return NULL;
}

void wire_receiver_init(struct wire_receiver *receiver, enum wire_side side)
{
	*receiver = (struct wire_receiver){ .side = side };
}

void wire_receiver_deinit(struct wire_receiver *receiver)
{
	strbuf_deinit(&receiver->buffer);
}

void wire_receiver_begin(struct wire_receiver *receiver, uint32_t session)
{
	receiver->in_session = true;
	receiver->session = session;
	receiver->next_sequence = 0;
}

void wire_receiver_feed(struct wire_receiver *receiver, const void *bytes, size_t n)
{
	struct strbuf *buffer = &receiver->buffer;

	if (receiver->taken) {
		memmove(buffer->at, buffer->at + receiver->taken, buffer->n - receiver->taken);
		buffer->n -= receiver->taken;
		receiver->taken = 0;
	}
	if (n)
		strbuf_append_bytes(buffer, bytes, n);
}

static struct error *header_check(const struct header *header)
{
	if (header->magic != htole32(WIRE_MAGIC))
		return wire_error(WIRE_BAD_MAGIC, 0, "0x%08x where a frame should begin",
				  le32toh(header->magic));
	if (header->version != htole16(WIRE_FRAME_VERSION))
		return wire_error(WIRE_BAD_VERSION, 0, "frame version %u, ours is %d",
				  le16toh(header->version), WIRE_FRAME_VERSION);
	if (le32toh(header->header_crc) != wire_crc32c(0, header, HEADER_SUMMED))
		return wire_error(WIRE_BAD_HEADER, 0, "the header's checksum is wrong");
	if (header->reserved)
		return wire_error(WIRE_BAD_HEADER, 0, "the reserved field is 0x%08x",
				  le32toh(header->reserved));
	if (le32toh(header->length) > WIRE_PAYLOAD_MAX)
		return wire_error(WIRE_BAD_LENGTH, 0, "a payload of %u bytes, %d are allowed",
				  le32toh(header->length), WIRE_PAYLOAD_MAX);
	return NULL;
}

/* One byte is given up; the next header may begin anywhere behind it. */
static void step_over(struct wire_receiver *receiver, size_t n)
{
	receiver->out_of_step = true;
	receiver->taken += n;
	receiver->skipped_bytes += n;
}

/* True with a valid header, its payload not yet checked; false: more bytes are needed. */
static struct error *find_header(struct wire_receiver *receiver, struct header *ret, bool *ret_got)
{
	*ret_got = false;
	while (receiver->buffer.n - receiver->taken >= sizeof(*ret)) {
		const char *at = receiver->buffer.at + receiver->taken;
		struct error *err;

		if (receiver->out_of_step) {
			size_t left = receiver->buffer.n - receiver->taken - sizeof(*ret) + 1;
			const char *first = memchr(at, WIRE_MAGIC & 0xff, left);

			if (first != at) {
				step_over(receiver, first ? (size_t)(first - at) : left);
				continue;
			}
		}
		memcpy(ret, at, sizeof(*ret));
		err = header_check(ret);
		if (!err) {
			*ret_got = true;
			return NULL;
		}
		if (!receiver->out_of_step) {
			step_over(receiver, 1);
			return err;
		}
		error_free(err);
		step_over(receiver, 1);
	}
	return NULL;
}

/* Whose frame is it, and is it the next one? *ret_ours is false for one to drop in silence. */
static struct error *place(struct wire_receiver *receiver, const struct wire_frame *frame,
			   bool is_hello, bool *ret_ours)
{
	*ret_ours = true;
	if (is_hello && receiver->side == WIRE_GUEST && frame->sequence == 0)
		wire_receiver_begin(receiver, frame->session);
	if (!receiver->in_session || frame->session != receiver->session) {
		receiver->n_other_session++;
		*ret_ours = false;
		return NULL;
	}
	if (frame->sequence < receiver->next_sequence)
		return wire_error(WIRE_REORDERED, 0, "frame %" PRIu64 " came after frame %" PRIu64,
				  frame->sequence, receiver->next_sequence - 1);
	if (frame->sequence > receiver->next_sequence) {
		uint64_t expected = receiver->next_sequence;

		receiver->next_sequence = frame->sequence + 1;
		return wire_error(WIRE_GAP, 0,
				  "frame %" PRIu64 " came where frame %" PRIu64 " was due",
				  frame->sequence, expected);
	}
	receiver->next_sequence++;
	return NULL;
}

/* One frame of the buffer, whole and checked, or one that is none of ours. */
static struct error *take_one(struct wire_receiver *receiver, struct wire_frame *ret, bool *ret_got,
			      bool *ret_more)
{
	struct header header;
	struct wire_frame frame;
	struct error *err;
	bool got, known, ours;

	*ret_got = *ret_more = false;
	err = find_header(receiver, &header, &got);
	if (err || !got)
		return err;
	frame = (struct wire_frame){
		.session = le32toh(header.session),
		.channel = le32toh(header.channel),
		.sequence = le64toh(header.sequence),
		.time_ns = le64toh(header.time_ns),
	};
	frame.payload.n = le32toh(header.length);
	if (receiver->buffer.n - receiver->taken - sizeof(header) < frame.payload.n)
		return NULL;
	frame.payload.at = (const uint8_t *)receiver->buffer.at + receiver->taken + sizeof(header);
	if (le32toh(header.payload_crc) != wire_crc32c(0, frame.payload.at, frame.payload.n)) {
		/* The length may be the lie: what looked like payload is searched for headers. */
		bool told = receiver->out_of_step;

		step_over(receiver, 1);
		*ret_more = told;
		return told ? NULL
			    : wire_error(WIRE_BAD_PAYLOAD, 0,
					 "frame %" PRIu64 ": the payload's checksum is wrong",
					 frame.sequence);
	}
	receiver->out_of_step = false;
	receiver->taken += sizeof(header) + frame.payload.n;
	*ret_more = true;
	known = wire_type_find(le16toh(header.type), &frame.type);
	err = place(receiver, &frame, known && frame.type == WIRE_HELLO, &ours);
	if (err || !ours)
		return err;
	if (!known || wire_type_sender(frame.type) == receiver->side)
		return wire_error(WIRE_BAD_TYPE, 0, "frame %" PRIu64 ": type 0x%03x%s",
				  frame.sequence, le16toh(header.type),
				  known ? " is not for this side" : " is unknown");
	*ret = frame;
	*ret_got = true;
	return NULL;
}

struct error *wire_receiver_take(struct wire_receiver *receiver, struct wire_frame *ret,
				 bool *ret_got)
{
	struct error *err;
	bool got, more;

	do {
		err = take_one(receiver, ret, &got, &more);
	} while (!err && !got && more);
	if (!err)
		*ret_got = got;
	return err;
}
