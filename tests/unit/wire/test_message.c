// SPDX-License-Identifier: GPL-2.0-or-later
#include "wire/message.h"

#include "unit.h"

static struct bytes bytes_of(const struct strbuf *s)
{
	return (struct bytes){ (const uint8_t *)s->at, s->n };
}

static void fields_travel_in_order_and_little_endian(void **state UNUSED)
{
	static const uint8_t expected[] = { 8, 7, 6, 5, 4, 3, 2, 1, 0xdd, 0xcc, 0xbb, 0xaa };
	struct wire_put_end message = { .bytes = 0x0102030405060708, .crc = 0xaabbccdd }, back;
	_cleanup_strbuf_ struct strbuf out = STRBUF_INIT;

	wire_put_end_encode(&message, &out);
	assert_int_equal(out.n, sizeof(expected));
	assert_memory_equal(out.at, expected, sizeof(expected));
	assert_success(wire_put_end_decode(bytes_of(&out), &back));
	assert_int_equal(back.bytes, message.bytes);
	assert_int_equal(back.crc, message.crc);
}

static void raw_fields_and_texts_come_back(void **state UNUSED)
{
	struct wire_ready message = {
		.protocol = 1,
		.generation = 2,
		.nonce = "0123456789abcde",
		.nonce_phys = 0x1234567000,
		.monotonic_ns = 5,
		.online_cpus = 8,
		.release = "6.0.0-test",
	};
	struct wire_ready back = { 0 };
	_cleanup_strbuf_ struct strbuf out = STRBUF_INIT;

	wire_ready_encode(&message, &out);
	assert_int_equal(out.n, 4 + 4 + 16 + 8 + 8 + 4 + 11);
	assert_success(wire_ready_decode(bytes_of(&out), &back));
	assert_memory_equal(back.nonce, message.nonce, sizeof(back.nonce));
	assert_int_equal(back.nonce_phys, message.nonce_phys);
	assert_int_equal(back.online_cpus, 8);
	assert_string_equal(back.release, "6.0.0-test");
}

static void a_hello_has_its_size(void **state UNUSED)
{
	struct wire_hello message = { .heartbeat_ms = 1000 };
	_cleanup_strbuf_ struct strbuf out = STRBUF_INIT;

	wire_hello_encode(&message, &out);
	assert_int_equal(out.n, 4 + 4 + 8 + 32 + 16);
	assert_int_equal((uint8_t)out.at[4], 1000 & 0xff);
}

static void an_absent_text_is_empty(void **state UNUSED)
{
	struct wire_failed message = { .tag = "io" }, back;
	_cleanup_strbuf_ struct strbuf out = STRBUF_INIT;

	wire_failed_encode(&message, &out);
	assert_success(wire_failed_decode(bytes_of(&out), &back));
	assert_string_equal(back.tag, "io");
	assert_string_equal(back.text, "");
}

static void every_prefix_and_every_extra_byte_is_malformed(void **state UNUSED)
{
	struct wire_failed message = { "tag", "text" }, back = { "untouched", NULL };
	_cleanup_strbuf_ struct strbuf out = STRBUF_INIT;

	wire_failed_encode(&message, &out);
	for (size_t n = 0; n < out.n; n++) {
		struct bytes cut = { (const uint8_t *)out.at, n };

		assert_error_tag(wire_failed_decode(cut, &back), "wire-malformed");
	}
	strbuf_append_char(&out, '\0');
	assert_error_tag(wire_failed_decode(bytes_of(&out), &back), "wire-malformed");
	assert_string_equal(back.tag, "untouched");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fields_travel_in_order_and_little_endian),
		cmocka_unit_test(raw_fields_and_texts_come_back),
		cmocka_unit_test(a_hello_has_its_size),
		cmocka_unit_test(an_absent_text_is_empty),
		cmocka_unit_test(every_prefix_and_every_extra_byte_is_malformed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
