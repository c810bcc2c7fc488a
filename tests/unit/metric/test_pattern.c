// SPDX-License-Identifier: GPL-2.0-or-later
#include "metric/format.h"

#include "unit.h"

struct example {
	const char *name, *pattern;
};

static void assert_patterns(const struct example *examples, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

		metric_pattern_format(examples[i].name, &text);
		if (strcmp(strbuf_str(&text), examples[i].pattern) != 0)
			fail_msg("%s became %s, not %s", examples[i].name, strbuf_str(&text),
				 examples[i].pattern);
	}
}
#define ASSERT_PATTERNS(...)                                     \
	assert_patterns((const struct example[]){ __VA_ARGS__ }, \
			ARRAY_SIZE(((const struct example[]){ __VA_ARGS__ })))

static void thread_pool_names_share_one_pattern(void **state UNUSED)
{
	ASSERT_PATTERNS({ "tokio-worker-12", "tokio-worker-{N}" },
			{ "pool-2-thread-7", "pool-{N}-thread-{N}" },
			{ "worker[42]", "worker[{N}]" }, { "t1", "t{N}" },
			{ "CamelCaseWord175", "CamelCaseWord{N}" });
}

static void kernel_workers_keep_what_they_work_for(void **state UNUSED)
{
	ASSERT_PATTERNS({ "kworker/0:1H-events_highpri", "kworker/{N}:{N}H-events_highpri" },
			{ "kworker/u8:7", "kworker/u{N}:{N}" },
			{ "kworker/0:1+events", "kworker/{N}:{N}+events" },
			{ "kworker/0:1-events", "kworker/{N}:{N}-events" },
			{ "ksoftirqd/3", "ksoftirqd/{N}" });
}

static void a_number_may_precede_or_follow_letters(void **state UNUSED)
{
	ASSERT_PATTERNS({ "1aZ", "{N}aZ" }, { "42xyz", "{N}xyz" }, { "100Hz", "{N}Hz" },
			{ "7", "{N}" });
}

static void short_hex_needs_a_digit(void **state UNUSED)
{
	ASSERT_PATTERNS({ "a0", "{H}" }, { "3f", "{H}" }, { "deadbeef", "deadbeef" },
			{ "deadbee5", "{H}" }, { "f", "f" }, { "A0", "A{N}" });
}

static void names_without_a_counter_are_their_own_pattern(void **state UNUSED)
{
	ASSERT_PATTERNS({ "proto303handler", "proto303handler" }, { "0x1f", "0x1f" },
			{ "foo1bar2", "foo1bar2" }, { "", "" }, { "worker-", "worker-" },
			{ "a..b", "a..b" }, { "--", "--" }, { "bäcker", "bäcker" },
			{ "\xff\xfe", "\xff\xfe" });
}

/* U+00A0, U+2003 and U+3000 separate as a space does; U+200B has no width but is no blank. */
static void unicode_spaces_separate_tokens(void **state UNUSED)
{
	ASSERT_PATTERNS({ "a b7 8", "a {H} {N}" }, { "x\t9", "x\t{N}" },
			{ "x\u00a09", "x\u00a0{N}" }, { "x\u20039", "x\u2003{N}" },
			{ "x\u30009", "x\u3000{N}" }, { "x\u200b9", "x\u200b9" });
}

static void a_whole_uuid_is_one_thing(void **state UNUSED)
{
	ASSERT_PATTERNS({ "job-bd1cf2d2-96a5-4a5e-9a0a-5c2d6b9d0b54", "job-{U}" },
			/* Each of these would have another pattern token by token. */
			{ "job-12345678-1234-1234-1234-123456789012", "job-{U}" },
			{ "job-abcdefab-abcd-abcd-abcd-abcdefabcdef", "job-{U}" },
			{ "BD1CF2D2-96A5-4A5E-9A0A-5C2D6B9D0B54.scope", "{U}.scope" },
			{ "/kubepods/podbd1cf2d2_96a5_4a5e_9a0a_5c2d6b9d0b54.slice",
			  "/kubepods/pod{U}.slice" },
			{ "kubepods-burstable-pod12345678_1234_1234_1234_123456789012.slice",
			  "kubepods-burstable-pod{U}.slice" });
}

static void what_only_looks_like_a_uuid_is_judged_by_token(void **state UNUSED)
{
	ASSERT_PATTERNS(
		/* Joints of two kinds, a part too short, a part too long, no end. */
		{ "bd1cf2d2-96a5_4a5e-9a0a-5c2d6b9d0b54", "{H}-{H}_{H}-{H}-{H}" },
		{ "bd1cf2d2-96a-4a5e-9a0a-5c2d6b9d0b54", "{H}-{H}-{H}-{H}-{H}" },
		{ "bd1cf2d2-96a5-4a5e-9a0a-5c2d6b9d0b541", "{H}-{H}-{H}-{H}-{H}" },
		{ "bd1cf2d2-96a5-4a5e-9a0a", "{H}-{H}-{H}-{H}" },
		{ "bd1cf2d2-96a5-4a5e-9a0a-", "{H}-{H}-{H}-{H}-" },
		{ "bd1cf2d2-96a5-4a5e-9a0a-5c2d6b9d0b54x", "{H}-{H}-{H}-{H}-5c2d6b9d0b54x" },
		{ "9bd1cf2d2-96a5-4a5e-9a0a-5c2d6b9d0b54", "{H}-{H}-{H}-{H}-{H}" });
}

static void ids_of_containers_are_hex_whatever_their_digits(void **state UNUSED)
{
	ASSERT_PATTERNS(
		{ "docker-4f1e0f2b8c7d6e5f4a3b2c1d0e9f8a7b6c5d4e3f2a1b0c9d8e7f6a5b4c3d2e1f.scope",
		  "docker-{H}.scope" },
		{ "docker-abcdefabcdefabcdefabcdefabcdefabcdefabcdefabcdefabcdefabcdefabcd.scope",
		  "docker-{H}.scope" },
		{ "docker-1234567890123456789012345678901234567890123456789012345678901234.scope",
		  "docker-{H}.scope" },
		{ "4f1e0f2b8c7d", "{H}" }, { "abcdefabcdef", "{H}" }, { "ABCDEFABCDEF", "{H}" },
		/* A number, though long, and a word. */
		{ "20261115174704", "{N}" }, { "18446744073709551615", "{N}" },
		{ "123456789012345678901", "{H}" }, { "abcdefabcde", "abcdefabcde" });
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(thread_pool_names_share_one_pattern),
		cmocka_unit_test(kernel_workers_keep_what_they_work_for),
		cmocka_unit_test(a_number_may_precede_or_follow_letters),
		cmocka_unit_test(short_hex_needs_a_digit),
		cmocka_unit_test(names_without_a_counter_are_their_own_pattern),
		cmocka_unit_test(unicode_spaces_separate_tokens),
		cmocka_unit_test(a_whole_uuid_is_one_thing),
		cmocka_unit_test(what_only_looks_like_a_uuid_is_judged_by_token),
		cmocka_unit_test(ids_of_containers_are_hex_whatever_their_digits),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
