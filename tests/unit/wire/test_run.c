// SPDX-License-Identifier: GPL-2.0-or-later
#include "wire/message.h"

#include "base/alloc.h"
#include "unit.h"

static const char *const argv[] = { "sh", "-c", "echo a b  c", "", NULL };
static const char *const env[] = { "TERM=vt100", "EMPTY=", NULL };

static struct bytes bytes_of(const struct strbuf *s)
{
	return (struct bytes){ (const uint8_t *)s->at, s->n };
}

static void encode(struct strbuf *out)
{
	struct wire_run run = { .flags = WIRE_RUN_PTY,
				.cols = 80,
				.rows = 25,
				.cwd = "/tmp",
				.cgroup = "left/one",
				.argv = argv,
				.env = env };

	wire_run_encode(&run, out);
}

static void arguments_with_blanks_and_empty_ones_come_back(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf out = STRBUF_INIT;
	struct wire_run back = { 0 };

	encode(&out);
	assert_success(wire_run_decode(bytes_of(&out), &back));
	assert_int_equal(back.n_argv, 4);
	assert_int_equal(back.n_env, 2);
	for (size_t i = 0; i < 4; i++)
		assert_string_equal(back.argv[i], argv[i]);
	assert_null(back.argv[4]);
	assert_string_equal(back.env[0], env[0]);
	assert_string_equal(back.env[1], env[1]);
	assert_null(back.env[2]);
	assert_string_equal(back.cwd, "/tmp");
	assert_string_equal(back.cgroup, "left/one");
	assert_int_equal(back.cols, 80);
	assert_int_equal(back.rows, 25);
	assert_int_equal(back.flags, WIRE_RUN_PTY);
	wire_run_deinit(&back);
}

static void every_prefix_and_every_extra_byte_is_malformed(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf out = STRBUF_INIT;
	struct wire_run back = { 0 };

	encode(&out);
	for (size_t n = 0; n < out.n; n++) {
		struct bytes cut = { (const uint8_t *)out.at, n };

		assert_error_tag(wire_run_decode(cut, &back), "wire-malformed");
	}
	strbuf_append_char(&out, 'x');
	assert_error_tag(wire_run_decode(bytes_of(&out), &back), "wire-malformed");
	assert_null(back.argv);
}

static void no_argument_an_unknown_flag_or_a_huge_count_is_malformed(void **state UNUSED)
{
	static const struct {
		size_t offset;
		uint8_t value;
	} damages[] = { { 8, 0 }, { 0, 8 }, { 10, 1 }, { 14, 1 }, { 11, 0xff }, { 15, 0xff } };

	for (size_t i = 0; i < ARRAY_SIZE(damages); i++) {
		_cleanup_strbuf_ struct strbuf out = STRBUF_INIT;
		struct wire_run back = { 0 };

		encode(&out);
		out.at[damages[i].offset] = (char)damages[i].value;
		assert_error_tag(wire_run_decode(bytes_of(&out), &back), "wire-malformed");
	}
}

static void as_many_arguments_as_the_limit_says_pass(void **state UNUSED)
{
	for (size_t extra = 0; extra < 2; extra++) {
		size_t n = WIRE_ARGUMENTS_MAX + extra;
		_cleanup_strbuf_ struct strbuf out = STRBUF_INIT;
		_cleanup_free_ const char **many = xcalloc(n + 1, sizeof(*many));
		struct wire_run run = { .argv = many }, back = { 0 };

		for (size_t i = 0; i < n; i++)
			many[i] = "x";
		wire_run_encode(&run, &out);
		if (extra) {
			assert_error_tag(wire_run_decode(bytes_of(&out), &back), "wire-malformed");
			continue;
		}
		assert_success(wire_run_decode(bytes_of(&out), &back));
		assert_int_equal(back.n_argv, n);
		assert_int_equal(back.n_env, 0);
		wire_run_deinit(&back);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(arguments_with_blanks_and_empty_ones_come_back),
		cmocka_unit_test(every_prefix_and_every_extra_byte_is_malformed),
		cmocka_unit_test(no_argument_an_unknown_flag_or_a_huge_count_is_malformed),
		cmocka_unit_test(as_many_arguments_as_the_limit_says_pass),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
