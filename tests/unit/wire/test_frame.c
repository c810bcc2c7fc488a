// SPDX-License-Identifier: GPL-2.0-or-later
#include "wire/frame.h"

#include "base/alloc.h"
#include "unit.h"
#include "wire/crc32c.h"

enum { SESSION = 0x51 };

struct ends {
	struct wire_sender sender;
	struct wire_receiver receiver;
	struct strbuf stream;
};

/* The guest sends, the host receives, SESSION has begun. */
static void ends_init(struct ends *e)
{
	*e = (struct ends){ 0 };
	wire_sender_begin(&e->sender, SESSION);
	wire_receiver_init(&e->receiver, WIRE_HOST);
	wire_receiver_begin(&e->receiver, SESSION);
}

static void ends_deinit(struct ends *e)
{
	wire_receiver_deinit(&e->receiver);
	strbuf_deinit(&e->stream);
}

static void send_text(struct ends *e, enum wire_type type, const char *text)
{
	assert_success(wire_send_append(&e->sender, type, 7, 1234, text, strlen(text), &e->stream));
}

static void feed(struct ends *e)
{
	wire_receiver_feed(&e->receiver, e->stream.at, e->stream.n);
	strbuf_clear(&e->stream);
}

static void assert_next(struct ends *e, enum wire_type type, const char *text)
{
	struct wire_frame frame;
	bool got = false;

	assert_success(wire_receiver_take(&e->receiver, &frame, &got));
	assert_true(got);
	assert_int_equal(frame.type, type);
	assert_int_equal(frame.payload.n, strlen(text));
	assert_memory_equal(frame.payload.at, text, frame.payload.n);
}

static void assert_nothing(struct ends *e)
{
	struct wire_frame frame;
	bool got = true;

	assert_success(wire_receiver_take(&e->receiver, &frame, &got));
	assert_false(got);
}

static void assert_error(struct ends *e, const char *tag)
{
	struct wire_frame frame;
	bool got = false;

	assert_error_tag(wire_receiver_take(&e->receiver, &frame, &got), tag);
}

/* Changes a header and puts its checksum right again. */
static void forge(struct ends *e, size_t offset, uint32_t value, size_t width)
{
	uint32_t sum;

	memcpy(e->stream.at + offset, &value, width);
	sum = wire_crc32c(0, e->stream.at, 44);
	memcpy(e->stream.at + 44, &sum, 4);
}

static void a_frame_has_the_layout_of_the_protocol(void **state UNUSED)
{
	/* clang-format off */
	static const uint8_t expected[] = {
		'K', 'T', 'S', 'R', 1, 0, 0x03, 0x01,
		0x51, 0, 0, 0, 7, 0, 0, 0,
		9, 0, 0, 0, 0x83, 0x92, 0x06, 0xe3, /* CRC-32C of "123456789" */
		0, 0, 0, 0, 0, 0, 0, 0,
		0xd2, 0x04, 0, 0, 0, 0, 0, 0,
		0, 0, 0, 0,
	};
	/* clang-format on */
	uint32_t sum = wire_crc32c(0, expected, sizeof(expected));
	struct ends e;

	ends_init(&e);
	send_text(&e, WIRE_STDOUT, "123456789");
	assert_int_equal(e.stream.n, 48 + 9);
	assert_memory_equal(e.stream.at, expected, sizeof(expected));
	assert_memory_equal(e.stream.at + 44, &sum, 4);
	assert_memory_equal(e.stream.at + 48, "123456789", 9);
	ends_deinit(&e);
}

static void frames_survive_any_cut_of_the_stream(void **state UNUSED)
{
	for (size_t piece = 1; piece < 120; piece++) {
		struct ends e;
		size_t n = 0;

		ends_init(&e);
		send_text(&e, WIRE_STDOUT, "one");
		send_text(&e, WIRE_STDERR, "");
		send_text(&e, WIRE_LOG, "three");
		for (size_t at = 0; at < e.stream.n; at += piece) {
			struct wire_frame frame;
			bool got;

			wire_receiver_feed(&e.receiver, e.stream.at + at,
					   e.stream.n - at < piece ? e.stream.n - at : piece);
			for (;;) {
				assert_success(wire_receiver_take(&e.receiver, &frame, &got));
				if (!got)
					break;
				assert_int_equal(frame.sequence, n++);
				assert_int_equal(frame.channel, 7);
				assert_int_equal(frame.time_ns, 1234);
				assert_int_equal(frame.session, SESSION);
			}
		}
		assert_int_equal(n, 3);
		ends_deinit(&e);
	}
}

static void the_longest_payload_passes_and_one_byte_more_does_not(void **state UNUSED)
{
	_cleanup_free_ char *big = xcalloc(1, WIRE_PAYLOAD_MAX + 1);
	struct wire_frame frame;
	struct ends e;
	bool got;

	ends_init(&e);
	assert_success(
		wire_send_append(&e.sender, WIRE_STDOUT, 0, 0, big, WIRE_PAYLOAD_MAX, &e.stream));
	assert_error_tag(wire_send_append(&e.sender, WIRE_STDOUT, 0, 0, big, WIRE_PAYLOAD_MAX + 1,
					  &e.stream),
			 "wire-length");
	assert_int_equal(e.stream.n, WIRE_HEADER_BYTES + WIRE_PAYLOAD_MAX);
	feed(&e);
	assert_success(wire_receiver_take(&e.receiver, &frame, &got));
	assert_true(got);
	assert_int_equal(frame.payload.n, WIRE_PAYLOAD_MAX);

	send_text(&e, WIRE_STDOUT, "x");
	forge(&e, 16, WIRE_PAYLOAD_MAX + 1, 4);
	feed(&e);
	assert_error(&e, "wire-length");
	ends_deinit(&e);
}

static void every_flipped_bit_is_noticed_and_the_next_frame_found(void **state UNUSED)
{
	for (size_t bit = 0; bit < (48 + 5) * 8; bit++) {
		struct wire_frame frame;
		struct error *err;
		struct ends e;
		bool got;

		ends_init(&e);
		send_text(&e, WIRE_STDOUT, "first");
		e.stream.at[bit / 8] = (char)(e.stream.at[bit / 8] ^ (1 << bit % 8));
		send_text(&e, WIRE_STDOUT, "second");
		send_text(&e, WIRE_STDOUT, "third");
		feed(&e);
		err = wire_receiver_take(&e.receiver, &frame, &got);
		assert_non_null(err);
		error_free(err);
		/* The first frame is gone, so the second one stands behind a gap. */
		assert_error(&e, "wire-gap");
		assert_next(&e, WIRE_STDOUT, "third");
		assert_nothing(&e);
		ends_deinit(&e);
	}
}

static void each_damage_has_its_own_tag(void **state UNUSED)
{
	static const struct {
		size_t offset;
		uint32_t value;
		size_t width;
		const char *tag;
	} damages[] = {
		{ 0, 0x5253544c, 4, "wire-magic" },
		{ 4, 2, 2, "wire-version" },
		{ 6, 0x177, 2, "wire-type" },
		{ 6, 0x001, 2, "wire-type" }, /* a HELLO to the host */
		{ 16, UINT32_MAX, 4, "wire-length" },
		{ 20, 0, 4, "wire-payload" },
		{ 24, 3, 4, "wire-gap" },
		{ 40, 1, 4, "wire-header" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(damages); i++) {
		struct ends e;

		ends_init(&e);
		send_text(&e, WIRE_STDOUT, "damaged");
		forge(&e, damages[i].offset, damages[i].value, damages[i].width);
		feed(&e);
		assert_error(&e, damages[i].tag);
		assert_nothing(&e);
		ends_deinit(&e);
	}
}

static void a_header_with_a_wrong_sum_is_refused(void **state UNUSED)
{
	struct ends e;

	ends_init(&e);
	send_text(&e, WIRE_STDOUT, "x");
	e.stream.at[44] ^= 1;
	feed(&e);
	assert_error(&e, "wire-header");
	ends_deinit(&e);
}

static void a_lost_frame_is_one_gap_error(void **state UNUSED)
{
	struct ends e;

	ends_init(&e);
	send_text(&e, WIRE_STDOUT, "one");
	feed(&e);
	send_text(&e, WIRE_STDOUT, "lost");
	strbuf_clear(&e.stream);
	send_text(&e, WIRE_STDOUT, "three");
	send_text(&e, WIRE_STDOUT, "four");
	feed(&e);
	assert_next(&e, WIRE_STDOUT, "one");
	assert_error(&e, "wire-gap");
	assert_next(&e, WIRE_STDOUT, "four");
	ends_deinit(&e);
}

static void a_frame_sent_twice_or_late_is_reordered(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf copy = STRBUF_INIT;
	struct ends e;

	ends_init(&e);
	send_text(&e, WIRE_STDOUT, "one");
	strbuf_append_bytes(&copy, e.stream.at, e.stream.n);
	strbuf_append_bytes(&e.stream, copy.at, copy.n);
	send_text(&e, WIRE_STDOUT, "two");
	feed(&e);
	assert_next(&e, WIRE_STDOUT, "one");
	assert_error(&e, "wire-reordered");
	assert_next(&e, WIRE_STDOUT, "two");
	ends_deinit(&e);
}

static void frames_of_another_session_are_dropped_and_counted(void **state UNUSED)
{
	struct ends e;

	ends_init(&e);
	e.sender.session = SESSION + 1;
	send_text(&e, WIRE_HEARTBEAT, "old");
	wire_sender_begin(&e.sender, SESSION);
	send_text(&e, WIRE_READY, "new");
	feed(&e);
	assert_next(&e, WIRE_READY, "new");
	assert_int_equal(e.receiver.n_other_session, 1);
	ends_deinit(&e);
}

/* A clone's host sees the tail of what the template was sending. */
static void the_rest_of_a_cut_frame_is_skipped(void **state UNUSED)
{
	for (size_t cut = 1; cut < 48 + 26; cut++) {
		struct wire_frame frame;
		struct error *err = NULL;
		struct ends e;
		bool got;

		ends_init(&e);
		e.sender.session = SESSION + 1;
		send_text(&e, WIRE_STDOUT, "KTSRKTSRKKKKK of old times");
		wire_receiver_feed(&e.receiver, e.stream.at + cut, e.stream.n - cut);
		strbuf_clear(&e.stream);
		err = wire_receiver_take(&e.receiver, &frame, &got);
		wire_sender_begin(&e.sender, SESSION);
		send_text(&e, WIRE_READY, "new");
		feed(&e);
		if (!err) /* less than a header was there to judge */
			err = wire_receiver_take(&e.receiver, &frame, &got);
		assert_non_null(err);
		error_free(err);
		assert_next(&e, WIRE_READY, "new");
		assert_int_equal(e.receiver.skipped_bytes, 48 + 26 - cut);
		ends_deinit(&e);
	}
}

static void frames_before_hello_are_dropped_by_the_guest(void **state UNUSED)
{
	struct ends e;

	ends_init(&e);
	wire_receiver_deinit(&e.receiver);
	wire_receiver_init(&e.receiver, WIRE_GUEST);
	wire_sender_begin(&e.sender, 0);
	send_text(&e, WIRE_POWER_OFF, "");
	feed(&e);
	assert_nothing(&e);
	assert_int_equal(e.receiver.n_other_session, 1);
	ends_deinit(&e);
}

static void a_hello_begins_a_session_at_any_time(void **state UNUSED)
{
	struct ends e;

	ends_init(&e);
	wire_receiver_deinit(&e.receiver);
	wire_receiver_init(&e.receiver, WIRE_GUEST);
	for (uint32_t session = 5; session < 8; session++) {
		wire_sender_begin(&e.sender, session / 2); /* 2, 3, 3: also the same number again */
		send_text(&e, WIRE_HELLO, "h");
		send_text(&e, WIRE_STDIN, "in");
		feed(&e);
		assert_next(&e, WIRE_HELLO, "h");
		assert_next(&e, WIRE_STDIN, "in");
	}
	/* But not in the middle of one that it does not begin. */
	send_text(&e, WIRE_HELLO, "third frame");
	e.sender.session = 99;
	send_text(&e, WIRE_HELLO, "fourth frame");
	feed(&e);
	assert_next(&e, WIRE_HELLO, "third frame");
	assert_nothing(&e);
	assert_int_equal(e.receiver.session, 3);
	ends_deinit(&e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_frame_has_the_layout_of_the_protocol),
		cmocka_unit_test(frames_survive_any_cut_of_the_stream),
		cmocka_unit_test(the_longest_payload_passes_and_one_byte_more_does_not),
		cmocka_unit_test(every_flipped_bit_is_noticed_and_the_next_frame_found),
		cmocka_unit_test(each_damage_has_its_own_tag),
		cmocka_unit_test(a_header_with_a_wrong_sum_is_refused),
		cmocka_unit_test(a_lost_frame_is_one_gap_error),
		cmocka_unit_test(a_frame_sent_twice_or_late_is_reordered),
		cmocka_unit_test(frames_of_another_session_are_dropped_and_counted),
		cmocka_unit_test(the_rest_of_a_cut_frame_is_skipped),
		cmocka_unit_test(frames_before_hello_are_dropped_by_the_guest),
		cmocka_unit_test(a_hello_begins_a_session_at_any_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
